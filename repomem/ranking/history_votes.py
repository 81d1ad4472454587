"""History votes: commits whose messages match the question vote for their files, and recent changes count a little."""

import math
from collections.abc import Iterable, Mapping, Sequence

from repomem.core.types.commits import Episode
from repomem.core.types.indexed import IndexedEpisode
from repomem.core.word_statistics import WordStatistics
from repomem.ranking.bm25 import frequencies_of, scorer_for
from repomem.ranking.query import Query

CANDIDATES = 200  # episodes fetched; ten times as many give the same best ones
VOTERS = 60  # episodes that vote
DEFINITION_VOTERS = 30
SHARPNESS = 3  # exponent of the share of the best score: a few good matches outvote many weak ones
RECENT = 100  # newest episodes that count as recent
HALF_AFTER = 8  # commits after which a change counts half
MOST_TOUCHED = 20  # files; larger commits do not count as recent changes
Scored = tuple[IndexedEpisode, float]


def scored_episodes(query: Query, rows: Iterable[IndexedEpisode], statistics: WordStatistics) -> list[Scored]:
    """The episodes with their exact scores, best first, then newest."""
    scorer = scorer_for(query.words, statistics)
    forms = scorer.forms
    scored = []
    for row in rows:
        split = row.words.split()
        scored.append((row, scorer.score(frequencies_of(split, forms), len(split))))
    return sorted(scored, key=lambda item: (-item[1], -item[0].episode.time, item[0].episode.commit))


def history_votes(episodes: Sequence[Scored], live: Mapping[str, int]) -> dict[int, float]:
    """Votes by version: the cube of an episode's share of the best score, over the root of its number of files.

    A commit of one file is better evidence than one of twenty; bulk commits do not vote. `live` has the version of
    each live path.
    """
    if not episodes or episodes[0][1] <= 0:
        return {}
    files = (file for row, _ in episodes for file in row.episode.files)
    renamed = {file.old_path: file.path for file in files if file.status == "R"}
    best = episodes[0][1]
    found: dict[int, float] = {}
    for row, score in episodes[:VOTERS]:
        if row.episode.is_bulk or not row.episode.files:
            continue
        touched = {live.get(path_now(file.path, renamed, live)) for file in row.episode.files} - {None}
        for version in touched:
            weight = (score / best) ** SHARPNESS / math.sqrt(len(row.episode.files))
            found[version] = found.get(version, 0.0) + weight  # type: ignore[index,arg-type]
    return found


def file_recency(newest: Iterable[Episode], live: Mapping[str, int]) -> dict[int, float]:
    """Recency by version, from episodes that are newest first: 1 for the last commit, then decreasing.

    It is added to a score, never a factor: as a factor it was measured to do harm.
    """
    found: dict[int, float] = {}
    commits = (episode for episode in newest if not episode.is_merge)
    for age, episode in enumerate(commits):
        if len(episode.files) <= MOST_TOUCHED:
            for file in episode.files:
                if file.path in live:
                    found.setdefault(live[file.path], 1 / (1 + age / HALF_AFTER))
    return found


def definition_votes(episodes: Sequence[Scored]) -> dict[str, float]:
    """Votes for definitions by `path:name`, as for files; the maximum is 1."""
    found: dict[str, float] = {}
    best = episodes[0][1] if episodes else 0.0
    for row, score in episodes[:DEFINITION_VOTERS] if best > 0 else ():
        for key in row.episode.symbols:
            weight = (score / best) ** SHARPNESS / math.sqrt(len(row.episode.symbols))
            found[key] = found.get(key, 0.0) + weight
    most = max(found.values(), default=1.0)
    return {key: votes / most for key, votes in found.items()}


def definition_recency(newest: Iterable[Episode]) -> dict[str, float]:
    """Recency of definitions by `path:name`, from episodes that are newest first."""
    found: dict[str, float] = {}
    for age, episode in enumerate(episode for episode in newest if not episode.is_merge):
        for key in episode.symbols:
            found.setdefault(key, 1 / (1 + age / HALF_AFTER))
    return found


def path_now(path: str, renamed: Mapping[str, str], live: Mapping[str, int]) -> str:
    """The current path of a file by these renames."""
    for _ in range(len(renamed)):
        if path in live or path not in renamed:
            break
        path = renamed[path]
    return path
