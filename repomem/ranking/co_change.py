"""Co-change: files that earlier commits changed together, compared with how often each file changes anyway.

Large commits would pair every file with every other, and a merge repeats its commits; neither counts.
"""

from collections import Counter
from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from repomem.core.types.commits import Episode

MOST_FILES = 10  # of a commit that counts
LEAST = 3  # commits in common: fewer are chance
SHARE = 0.3  # of the file's commits that another must share: of files below that, only a fifth changes again
FEWEST_ADDED = 5  # commits that add a file of one kind and edit the same other file; fewer are no pattern
REGISTERED = 0.7  # share of these that edit the same file, such as a list of all files of the kind
FEWEST_SERIES = 2  # series of commits that edited the other file: one series is one piece of work
SERIES_GAP = 30 * 86_400  # seconds between two series
LONGEST_AGO = 3 * 365 * 86_400  # seconds since the last such commit: an old habit may have ended
LIFT = 2.0  # times as often as that file changes anyway: a changelog changes with everything
SHOWN = 2

_ADDED, _EDITED = "A", "M"  # how git marks a file of a commit


@dataclass(frozen=True, slots=True)
class CoChanges:
    """The files that change with one file, each with the number of commits in common, most first."""

    commits: int  # of the file, of at most MOST_FILES files
    others: tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True)
class Registrations:
    """The files that are edited when a file of one kind is added, each with the number of commits, most first."""

    folder: str  # with a slash at its end; empty at the root
    suffix: str  # with its dot
    commits: int  # that add such a file, of at most MOST_FILES files
    others: tuple[tuple[str, int], ...]


def co_changes(path: str, own: Sequence[Episode], newest: Sequence[Episode], live: Container[str]) -> CoChanges | None:
    """The files that change with `path`; `own` are its commits, `newest` show how often any file changes.

    Both are newest first. A file that last changed with it LONGEST_AGO is left out.
    """
    mine = [one for one in files_by_commit(own, live) if path in one[1]]  # not of another file of that name
    common = Counter(file for _, files in mine for file in files if file != path)
    start = max((episode.time for episode in own), default=0) - LONGEST_AGO
    lately = {file for episode, files in mine if episode.time >= start for file in files}
    anyway = _BaseRates(newest, live)
    others = [
        (file, count)
        for file, count in common.items()
        if file in lately and count >= max(LEAST, SHARE * len(mine)) and anyway.is_exceeded(file, count / len(mine))
    ]
    others.sort(key=lambda one: (-one[1], one[0]))
    return CoChanges(len(mine), tuple(others[:SHOWN])) if others else None


def registrations(path: str, newest: Sequence[Episode], live: Container[str]) -> Registrations | None:
    """The files edited by nearly every commit that adds a file of the kind of `path` (same folder and suffix).

    `newest` are newest first.
    """
    kind = _kind_of(path)
    adding = [
        (episode.time, statuses)
        for episode, statuses in _counted(newest)
        if any(status == _ADDED and _kind_of(file) == kind for file, status in statuses.items())
    ]
    if not kind[1] or len(adding) < FEWEST_ADDED:
        return None
    edited: dict[str, list[int]] = {}  # by file, the times of the commits, newest first
    for time, statuses in adding:
        for file in (file for file, status in statuses.items() if status == _EDITED):
            edited.setdefault(file, []).append(time)
    anyway = _BaseRates(newest, live)
    others = [
        (file, len(times))
        for file, times in edited.items()
        if file in live
        and len(times) >= max(FEWEST_ADDED, REGISTERED * len(adding))
        and _is_habit(times, newest[0].time)
        and anyway.is_exceeded(file, len(times) / len(adding))
    ]
    others.sort(key=lambda one: (-one[1], one[0]))
    return Registrations(*kind, len(adding), tuple(others[:SHOWN])) if others else None


def _is_habit(times: Sequence[int], now: int) -> bool:
    """Whether commits at these times, newest first, are several pieces of work, the last not long ago."""
    series = 1 + sum(later - earlier > SERIES_GAP for later, earlier in pairwise(times))
    return series >= FEWEST_SERIES and now - times[0] <= LONGEST_AGO


class _BaseRates:
    """How often each live file changed recently."""

    def __init__(self, newest: Sequence[Episode], live: Container[str]) -> None:
        commits = [files for _, files in files_by_commit(newest, live)]
        self._commits = len(commits)
        self._changes = Counter(file for files in commits for file in files)

    def is_exceeded(self, file: str, share: float) -> bool:
        """Whether a share of some commits is LIFT times that of all."""
        return share >= LIFT * (self._changes[file] + 1) / (self._commits + 2)  # add-one smoothing


def files_by_commit(episodes: Sequence[Episode], live: Container[str]) -> Iterator[tuple[Episode, set[str]]]:
    """Each commit that counts with its live files by their current names; `episodes` are newest first."""
    for episode, statuses in _counted(episodes):
        yield episode, {file for file in statuses if file in live}


def _counted(episodes: Sequence[Episode]) -> Iterator[tuple[Episode, dict[str, str]]]:
    """Each counted commit with its files by their current names, and its change of each."""
    renamed: dict[str, str] = {}  # an old name to the current one
    for episode in episodes:
        statuses = {renamed.get(file.path, file.path): file.status for file in episode.files}
        created = {file.path for file in episode.files if file.status == _ADDED}
        renamed = {old: new for old, new in renamed.items() if old not in created}  # before it, another file's name
        renamed |= {file.old_path: renamed.get(file.path, file.path) for file in episode.files if file.status == "R"}
        if not (episode.is_merge or episode.is_bulk) and len(episode.files) <= MOST_FILES:
            yield episode, statuses


def _kind_of(path: str) -> tuple[str, str]:
    """The folder and the suffix of a path."""
    folder, slash, name = path.rpartition("/")
    stem, dot, suffix = name.rpartition(".")
    return folder + slash, dot + suffix if stem else ""
