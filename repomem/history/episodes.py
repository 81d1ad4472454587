"""The earlier commits that bear on a question, and what of each stands at the head."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from repomem.adapters.languages.classify import text_of
from repomem.core.errors import GitError
from repomem.core.escape import one_line, quoted
from repomem.core.types import SHORT_HASH, Episode
from repomem.history.patches import Patches
from repomem.ranking.bm25 import frequencies_of, scorer_for
from repomem.ranking.definitions import History
from repomem.ranking.history_votes import (
    LATELY,
    Scored,
    definitions_lately,
    definitions_told,
    lately,
    scored_episodes,
    votes,
)
from repomem.ranking.line_survival import Survival, survivals
from repomem.ranking.query import Query
from repomem.workspace.cache import CacheKey
from repomem.workspace.snapshot import ALWAYS, Snapshot, Window

SHORTEST_HASH = 7  # digits by which a message may name a commit: git's own short form
_IS_HASH = re.compile(rf"[0-9a-f]{{{SHORTEST_HASH},64}}")
TOLD = 7  # episodes of a brief, at most
NAMESAKES = 5  # files of one name that are looked through for the lines of one that was moved
FILES_LATELY = CacheKey[Mapping[int, float]]("files changed lately")
DEFINITIONS_LATELY = CacheKey[Mapping[str, float]]("definitions changed lately")
PATCHES = CacheKey[Patches]("patches")
SHARE_OF_BEST = 0.35  # of the best episode's score that one must reach to be told


@dataclass(frozen=True, slots=True)
class Told:
    """An episode as a brief tells it: episode or tried, and its state at the head."""

    episode: Episode
    kind: str
    state: str
    score: float


@dataclass(frozen=True, slots=True)
class Past:
    """What the history knows of a question."""

    scored: Sequence[Scored]
    votes: Mapping[int, float]
    coverage: float  # share of the question's weight that the best episode holds
    lately: Mapping[int, float] = field(default_factory=dict)  # version to how lately it was touched by any


def past_of(snapshot: Snapshot, query: Query, window: Window = ALWAYS, *, is_told: bool = True) -> Past:
    """The episodes that bear on the question, best first, and their votes for files; those of the window alone.

    Where they will be told, git begins to say what they changed.
    """
    scored = scored_episodes(query, snapshot.episodes(), snapshot.history.words)
    scored = [one for one in scored if window.holds(one[0].episode.date)]
    coverage = 0.0
    if scored:
        scorer = scorer_for(query.words, snapshot.history.words)
        coverage = scorer.coverage(frequencies_of(scored[0][0].words.split(), scorer.forms))
    past = Past(scored, votes(scored, snapshot.tree.paths), coverage, _lately(snapshot))
    if is_told:
        patches_of(snapshot).begin(_commits(episode for episode, _ in _best(past, TOLD)))
    return past


def _lately(snapshot: Snapshot) -> Mapping[int, float]:
    source = snapshot.worktree.history, snapshot.worktree.view
    return snapshot.workspace.cache.get(FILES_LATELY, source, lambda: lately(newest_of(snapshot), snapshot.tree.paths))


def newest_of(snapshot: Snapshot) -> list[Episode]:
    """The episodes that are looked through for what was touched lately, newest first."""
    return [row.episode for row in snapshot.newest_episodes(LATELY)]


def definitions_in(snapshot: Snapshot, past: Past) -> History:
    """What earlier commits say of definitions: those that speak of the question, and the last ones."""
    source = snapshot.worktree.history
    newest = snapshot.workspace.cache.get(DEFINITIONS_LATELY, source, lambda: definitions_lately(newest_of(snapshot)))
    return History(definitions_told(past.scored), newest)


def told(snapshot: Snapshot, past: Past, limit: int) -> list[Told]:
    """The best episodes with their state at the head; merges say nothing that their commits do not."""
    best = past.scored[0][1] if past.scored else 0.0
    kept = _best(past, limit)
    reverts = _reverted_by(row.episode for row, _ in past.scored)
    standing = _standing(snapshot, [episode for episode, _ in kept])
    return [_told(episode, score / best, _revert_of(episode, reverts), standing) for episode, score in kept]


def _best(past: Past, limit: int) -> list[tuple[Episode, float]]:
    best = past.scored[0][1] if past.scored else 0.0
    kept = ((row.episode, score) for row, score in past.scored if not row.episode.is_merge)
    return [(episode, score) for episode, score in kept if score >= SHARE_OF_BEST * best][:limit]


def with_state(snapshot: Snapshot, episodes: Sequence[Episode]) -> list[Told]:
    """Episodes in the order given, with their state at the head."""
    reverts = _reverted_by(episodes)
    standing = _standing(snapshot, episodes)
    return [_told(episode, 0.0, _revert_of(episode, reverts), standing) for episode in episodes]


def _told(episode: Episode, score: float, revert: Episode | None, standing: dict[str, Survival]) -> Told:
    survival = standing.get(episode.commit, Survival(0, 0))
    parts = [survival.told]
    if revert:
        parts.insert(0, f"reverted by {revert.commit[:SHORT_HASH]} {revert.date}")
    if episode.reverts:
        parts.insert(0, f"reverts {_named(episode.reverts)}")
    kind = "tried" if revert and survival.is_gone else "episode"
    return Told(episode, kind, ", ".join(filter(None, parts)), score)


def _reverted_by(episodes: Iterable[Episode]) -> dict[str, Episode]:
    """What each revert among the episodes names, a short hash or a subject, to the revert."""
    return {_key(episode.reverts): episode for episode in episodes if episode.reverts}


def _revert_of(episode: Episode, reverts: Mapping[str, Episode]) -> Episode | None:
    return reverts.get(episode.commit[:SHORTEST_HASH]) or reverts.get(episode.subject)


def _key(named: str) -> str:
    return named[:SHORTEST_HASH] if _IS_HASH.fullmatch(named) else named


def _named(reverted: str) -> str:
    """A commit by its short hash; one that is known by its subject only, by that."""
    return reverted[:SHORT_HASH] if _IS_HASH.fullmatch(reverted) else quoted(one_line(reverted, 80))


def _standing(snapshot: Snapshot, episodes: Sequence[Episode]) -> dict[str, Survival]:
    """What stands of each episode; nothing is said where a clone lacks the objects."""
    try:
        hunks = patches_of(snapshot).hunks(_commits(episodes))
    except GitError:
        return {}
    places = places_now(snapshot, {hunk.path for hunk in hunks})
    lines = {path: lines_now(snapshot, path) for path in sorted(set().union(*places.values()))}
    return survivals(hunks, {path: set().union(*(lines[each] for each in now)) for path, now in places.items() if now})


def _commits(episodes: Iterable[Episode]) -> list[str]:
    """Those whose changes are looked at."""
    return [episode.commit for episode in episodes if not episode.is_bulk]


def patches_of(snapshot: Snapshot) -> Patches:
    """What git says that commits changed."""
    repository = snapshot.workspace.repository
    return snapshot.workspace.cache.get(PATCHES, repository, lambda: Patches(repository))


def places_now(snapshot: Snapshot, paths: Iterable[str]) -> dict[str, list[str]]:
    """Where the lines of each path may stand now: there, or in the live files of that name where it was moved."""
    live, by_name = snapshot.tree.paths, snapshot.tree.by_name
    return {path: [path] if path in live else [*by_name.get(path.rpartition("/")[2], ())[:NAMESAKES]] for path in paths}


def text_now(snapshot: Snapshot, path: str) -> str:
    """A live file's text, from the work tree: quicker than from the store, and no older; empty where it is none."""
    limit = snapshot.workspace.loaded.config.index.max_file_kb * 1024
    data = snapshot.data(path, limit)
    return (text_of(data) if data is not None else None) or ""


def lines_now(snapshot: Snapshot, path: str) -> set[str]:
    """The stripped lines of a live file."""
    return set(map(str.strip, text_now(snapshot, path).split("\n")))


def episodes_by_commit(snapshot: Snapshot, commits: Iterable[str]) -> dict[str, Episode]:
    """The episodes of these commits, as far as they are indexed."""
    ids = snapshot.workspace.catalog.changes.episode_ids(commits)
    rows = snapshot.workspace.store.episodes(sorted(ids.values())) if ids else []
    return {row.episode.commit: row.episode for row in rows}
