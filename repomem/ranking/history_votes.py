"""History as a guide: a commit that speaks of the same thing votes for its files; what was touched lately is near."""

import math
from collections.abc import Iterable, Mapping, Sequence

from repomem.core.ports import EpisodeIndex
from repomem.core.statistics import WordStatistics
from repomem.core.types import Episode, IndexedEpisode
from repomem.ranking.bm25 import frequencies_of, scorer_for
from repomem.ranking.query import Query, forms_of

CANDIDATES = 200  # episodes fetched; the best of them are the same with ten times as many
VOTERS = 60  # episodes that vote
DEFINITION_VOTERS = 30
SHARPNESS = 3  # the power of an episode's share of the best score: the few that are much alike outvote the many
RECENT = 100  # newest episodes that are looked through for what was touched lately
HALF_AFTER = 8  # commits, after which a touch counts half
MOST_TOUCHED = 20  # files of a commit that counts as touching them: more is a sweep
Scored = tuple[IndexedEpisode, float]


def scored_episodes(query: Query, index: EpisodeIndex, statistics: WordStatistics) -> list[Scored]:
    """The episodes that bear on the question with their exact scores, best first, then newest."""
    words = statistics.telling(form for word in query.words for form in forms_of(word))
    ids = list(dict.fromkeys(index.candidates_by_words(words, CANDIDATES)))
    scorer = scorer_for(query.words, statistics)
    forms = scorer.forms
    scored = []
    for row in index.episodes(ids):
        split = row.words.split()
        scored.append((row, scorer.score(frequencies_of(split, forms), len(split))))
    return sorted(scored, key=lambda item: (-item[1], -item[0].episode.time, item[0].episode.commit))


def history_votes(episodes: Sequence[Scored], live: Mapping[str, int]) -> dict[int, float]:
    """Version to votes: the cube of an episode's share of the best score, over the root of how much it touched.

    A commit that touched one file says more of it than one that touched twenty; a bulk commit says nothing. `live` has
    the version of each live path.
    """
    if not episodes or episodes[0][1] <= 0:
        return {}
    renamed = renames_in(row.episode for row, _ in episodes)
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
    """Version to how lately it was touched, from the episodes, newest first: 1 by the last commit, then less and less.

    To be added, never to multiply by: it orders what words and votes have found, and finds nothing by itself.
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
    """`path:name` to the votes of the episodes that changed the definition, as for files; the most has 1."""
    found: dict[str, float] = {}
    best = episodes[0][1] if episodes else 0.0
    for row, score in episodes[:DEFINITION_VOTERS] if best > 0 else ():
        for key in row.episode.symbols:
            weight = (score / best) ** SHARPNESS / math.sqrt(len(row.episode.symbols))
            found[key] = found.get(key, 0.0) + weight
    most = max(found.values(), default=1.0)
    return {key: votes / most for key, votes in found.items()}


def definition_recency(newest: Iterable[Episode]) -> dict[str, float]:
    """`path:name` to how lately the definition was changed, from the episodes, newest first."""
    found: dict[str, float] = {}
    for age, episode in enumerate(episode for episode in newest if not episode.is_merge):
        for key in episode.symbols:
            found.setdefault(key, 1 / (1 + age / HALF_AFTER))
    return found


def renames_in(episodes: Iterable[Episode]) -> dict[str, str]:
    """Old path to new path, by the renames that these episodes made."""
    return {file.old_path: file.path for episode in episodes for file in episode.files if file.status == "R"}


def path_now(path: str, renamed: Mapping[str, str], live: Mapping[str, int]) -> str:
    """Where a file that was at `path` is now, as far as the renames tell."""
    for _ in range(len(renamed)):
        if path in live or path not in renamed:
            break
        path = renamed[path]
    return path
