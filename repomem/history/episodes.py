"""The earlier commits that are relevant to a question, and whether their lines are still in the code."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from repomem.core.types.commits import Episode, short_hash
from repomem.history.change_history import change_history_of
from repomem.history.commit_survival import survival_of, with_patch
from repomem.history.landed_again import landed_again
from repomem.history.lines.survival import LineSurvival
from repomem.history.patches import patch_cache_of
from repomem.history.stated_reverts import stated_reverts
from repomem.ranking.bm25 import frequencies_of, scorer_for
from repomem.ranking.definitions import DefinitionHistory
from repomem.ranking.history_votes import (
    CANDIDATES,
    RECENT,
    Scored,
    definition_recency,
    definition_votes,
    file_recency,
    history_votes,
    scored_episodes,
)
from repomem.ranking.query import Query, forms_of
from repomem.workspace.cache import CacheKey
from repomem.workspace.snapshot import ALWAYS, Snapshot, Window

SHOWN = 7  # episodes of a brief, at most
OLD = 6  # years: the code has mostly moved on since
SHARE_OF_BEST = 0.35  # of the best episode's score, to be shown
FILE_RECENCY = CacheKey[Mapping[int, float]]("files changed lately")
DEFINITION_RECENCY = CacheKey[Mapping[str, float]]("definitions changed lately")


@dataclass(frozen=True, slots=True)
class RelatedEpisode:
    """An episode as a brief shows it."""

    episode: Episode
    kind: str  # "tried" if it was reverted and its lines are gone, else "episode"
    state: str  # at the head
    score: float
    remains: bool = True  # false if it added lines and none of them is left
    is_lost: bool = False  # none of its files was found


@dataclass(frozen=True, slots=True)
class HistoryMatches:
    """The history's evidence for a question."""

    scored: Sequence[Scored]
    votes: Mapping[int, float]
    coverage: float  # share of the question's weight in the best episode
    recency: Mapping[int, float]  # by version, whatever the question


def match_history(
    snapshot: Snapshot, query: Query, window: Window = ALWAYS, *, is_shown: bool = True
) -> HistoryMatches:
    """The episodes of the window that match the question, best first, and their votes for files.

    If they are to be shown, git starts to read the patches of the best.
    """
    words = snapshot.history.words.distinctive(form for word in query.words for form in forms_of(word))
    scored = scored_episodes(query, snapshot.episodes_matching(words, CANDIDATES), snapshot.history.words)
    scored = [one for one in scored if window.holds(one[0].episode.date)]
    coverage = 0.0
    if scored:
        scorer = scorer_for(query.words, snapshot.history.words)
        coverage = scorer.coverage(frequencies_of(scored[0][0].words.split(), scorer.forms))
    matches = HistoryMatches(scored, history_votes(scored, snapshot.tree.paths), coverage, _file_recency(snapshot))
    if is_shown:
        patch_cache_of(snapshot).begin(with_patch(episode for episode, _ in _best(matches)))
    return matches


def _file_recency(snapshot: Snapshot) -> Mapping[int, float]:
    source = snapshot.worktree.history, snapshot.worktree.view
    return snapshot.workspace.cache.get(
        FILE_RECENCY, source, lambda: file_recency(recent_episodes(snapshot), snapshot.tree.paths)
    )


def recent_episodes(snapshot: Snapshot) -> list[Episode]:
    """The newest episodes, for recency and co-change."""
    return [row.episode for row in snapshot.newest_episodes(RECENT)]


def newest_day(snapshot: Snapshot) -> str:
    """The date of the newest commit, YYYY-MM-DD; empty without one."""
    return next((row.episode.date for row in snapshot.newest_episodes(1)), "")


def definition_history(snapshot: Snapshot, matches: HistoryMatches) -> DefinitionHistory:
    """The definitions that matching commits and the newest commits changed."""
    source = snapshot.worktree.history
    newest = snapshot.workspace.cache.get(
        DEFINITION_RECENCY, source, lambda: definition_recency(recent_episodes(snapshot))
    )
    return DefinitionHistory(definition_votes(matches.scored), newest)


def related_episodes(
    snapshot: Snapshot, matches: HistoryMatches, limit: int, is_about: Callable[[Episode], bool]
) -> list[RelatedEpisode]:
    """The first `limit` of the SHOWN best episodes that pass `is_about`, without merges, with their state at HEAD."""
    kept = [one for one in _best(matches) if is_about(one[0])][:limit]
    states = episodes_with_state(snapshot, [episode for episode, _ in kept], only_losses=True)
    return [replace(one, score=score / matches.scored[0][1]) for one, (_, score) in zip(states, kept, strict=True)]


def _best(matches: HistoryMatches) -> list[tuple[Episode, float]]:
    best = matches.scored[0][1] if matches.scored else 0.0
    kept = ((row.episode, score) for row, score in matches.scored if not row.episode.is_merge)
    return [(episode, score) for episode, score in kept if score >= SHARE_OF_BEST * best][:SHOWN]


def episodes_with_state(
    snapshot: Snapshot, episodes: Sequence[Episode], *, only_losses: bool = False
) -> list[RelatedEpisode]:
    """Episodes in the given order, with their state at HEAD; with `only_losses`, as worded in briefs."""
    history = change_history_of(snapshot)
    reverts = stated_reverts(history, episodes)
    own = [reverts.by[episode.commit] for episode in episodes if episode.commit in reverts.by]
    later = snapshot.episodes_by_commit(own) if own else {}
    survival = survival_of(snapshot, episodes)
    return [
        _with_state(
            episode,
            reverts.targets.get(episode.commit, ""),
            revert,
            landed_again(history, episode.commit, revert.commit) if revert else "",
            survival.get(episode.commit, LineSurvival(0, 0)),
            only_losses=only_losses,
        )
        for episode in episodes
        for revert in [later.get(reverts.by.get(episode.commit, ""))]
    ]


def _with_state(
    episode: Episode, target: str, revert: Episode | None, again: str, lines: LineSurvival, *, only_losses: bool
) -> RelatedEpisode:
    is_back = revert is not None and not again and 2 * lines.remaining > lines.added
    wording = lines.loss if only_losses and not is_back else lines.text
    is_undone = revert is not None and lines.is_gone and not again
    has_copies = is_undone and lines.remaining > 0
    now = "" if target or has_copies else wording  # a revert mostly removes: its few added lines say little about it
    parts = [
        f"reverts {short_hash(target)}" if target else "",
        f"reverted by {short_hash(revert.commit)} {revert.date}" if revert else "",
        f"again in {short_hash(again)}" if again else "",
        f"yet {now}" if now and is_back else now,
    ]
    kind = "tried" if is_undone else "episode"
    remains = lines.remaining > 0 or not (lines.added or lines.is_lost)
    return RelatedEpisode(episode, kind, ", ".join(filter(None, parts)), 0.0, remains, lines.is_lost)
