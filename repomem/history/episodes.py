"""The earlier commits that are relevant to a question, and whether their lines are still in the code."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from repomem.core.escape import one_line, quoted
from repomem.core.types.commits import SHORTEST_HASH, Episode, short_hash
from repomem.history.commit_survival import survival_of, with_patch
from repomem.history.line_survival import LineSurvival
from repomem.history.patches import patches_of
from repomem.ranking.bm25 import frequencies_of, scorer_for
from repomem.ranking.definitions import DefinitionHistory
from repomem.ranking.history_votes import (
    RECENT,
    Scored,
    definition_recency,
    definition_votes,
    file_recency,
    history_votes,
    scored_episodes,
)
from repomem.ranking.query import Query
from repomem.workspace.cache import CacheKey
from repomem.workspace.snapshot import ALWAYS, Snapshot, Window

_IS_HASH = re.compile(rf"[0-9a-f]{{{SHORTEST_HASH},64}}")
SHOWN = 7  # episodes of a brief, at most
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


@dataclass(frozen=True, slots=True)
class HistoryMatches:
    """The history's evidence for a question."""

    scored: Sequence[Scored]
    votes: Mapping[int, float]
    coverage: float  # share of the question's weight in the best episode
    recency: Mapping[int, float] = field(default_factory=dict)  # by version, whatever the question


def match_history(
    snapshot: Snapshot, query: Query, window: Window = ALWAYS, *, is_shown: bool = True
) -> HistoryMatches:
    """The episodes of the window that match the question, best first, and their votes for files.

    If they are to be shown, git starts to read the patches of the best.
    """
    scored = scored_episodes(query, snapshot.episodes(), snapshot.history.words)
    scored = [one for one in scored if window.holds(one[0].episode.date)]
    coverage = 0.0
    if scored:
        scorer = scorer_for(query.words, snapshot.history.words)
        coverage = scorer.coverage(frequencies_of(scored[0][0].words.split(), scorer.forms))
    matches = HistoryMatches(scored, history_votes(scored, snapshot.tree.paths), coverage, _file_recency(snapshot))
    if is_shown:
        patches_of(snapshot).begin(with_patch(episode for episode, _ in _best(matches, SHOWN)))
    return matches


def _file_recency(snapshot: Snapshot) -> Mapping[int, float]:
    source = snapshot.worktree.history, snapshot.worktree.view
    return snapshot.workspace.cache.get(
        FILE_RECENCY, source, lambda: file_recency(recent_episodes(snapshot), snapshot.tree.paths)
    )


def recent_episodes(snapshot: Snapshot) -> list[Episode]:
    """The newest episodes, for recency and co-change."""
    return [row.episode for row in snapshot.newest_episodes(RECENT)]


def definition_history(snapshot: Snapshot, matches: HistoryMatches) -> DefinitionHistory:
    """The definitions that matching commits and the newest commits changed."""
    source = snapshot.worktree.history
    newest = snapshot.workspace.cache.get(
        DEFINITION_RECENCY, source, lambda: definition_recency(recent_episodes(snapshot))
    )
    return DefinitionHistory(definition_votes(matches.scored), newest)


def related_episodes(snapshot: Snapshot, matches: HistoryMatches, limit: int) -> list[RelatedEpisode]:
    """The best episodes with their state at the head, without merges."""
    best = matches.scored[0][1] if matches.scored else 0.0
    kept = _best(matches, limit)
    reverts = _reverts_in(row.episode for row, _ in matches.scored)
    survival = survival_of(snapshot, [episode for episode, _ in kept])
    return [_related(episode, score / best, _revert_of(episode, reverts), survival) for episode, score in kept]


def _best(matches: HistoryMatches, limit: int) -> list[tuple[Episode, float]]:
    best = matches.scored[0][1] if matches.scored else 0.0
    kept = ((row.episode, score) for row, score in matches.scored if not row.episode.is_merge)
    return [(episode, score) for episode, score in kept if score >= SHARE_OF_BEST * best][:limit]


def episodes_with_state(snapshot: Snapshot, episodes: Sequence[Episode]) -> list[RelatedEpisode]:
    """Episodes in the order given, with their state at the head."""
    reverts = _reverts_in(episodes)
    survival = survival_of(snapshot, episodes)
    return [_related(episode, 0.0, _revert_of(episode, reverts), survival) for episode in episodes]


def _related(
    episode: Episode, score: float, revert: Episode | None, survival: dict[str, LineSurvival]
) -> RelatedEpisode:
    lines = survival.get(episode.commit, LineSurvival(0, 0))
    parts = [lines.text]
    if revert:
        parts.insert(0, f"reverted by {short_hash(revert.commit)} {revert.date}")
    if episode.reverts:
        parts.insert(0, f"reverts {_reverted_name(episode.reverts)}")
    kind = "tried" if revert and lines.is_gone else "episode"
    return RelatedEpisode(episode, kind, ", ".join(filter(None, parts)), score)


def _reverts_in(episodes: Iterable[Episode]) -> dict[str, Episode]:
    """The short hash or subject of each reverted commit, to the episode that reverts it."""
    return {_revert_key(episode.reverts): episode for episode in episodes if episode.reverts}


def _revert_of(episode: Episode, reverts: Mapping[str, Episode]) -> Episode | None:
    return reverts.get(episode.commit[:SHORTEST_HASH]) or reverts.get(episode.subject)


def _revert_key(reverted: str) -> str:
    return reverted[:SHORTEST_HASH] if _IS_HASH.fullmatch(reverted) else reverted


def _reverted_name(reverted: str) -> str:
    """The short hash; the subject if the message gives no hash."""
    return short_hash(reverted) if _IS_HASH.fullmatch(reverted) else quoted(one_line(reverted, 80))


def episodes_by_commit(snapshot: Snapshot, commits: Iterable[str]) -> dict[str, Episode]:
    """The indexed episodes of these commits."""
    ids = snapshot.workspace.catalog.changes.episode_ids(commits)
    rows = snapshot.workspace.store.episodes(sorted(ids.values())) if ids else []
    return {row.episode.commit: row.episode for row in rows}
