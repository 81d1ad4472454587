"""Co-change: files that earlier commits changed together, compared with how often each file changes anyway.

Large commits would pair every file with every other, and a merge repeats its commits; neither counts.
"""

from collections import Counter
from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass

from repomem.core.types.commits import Episode

MOST_FILES = 10  # of a commit that counts
LEAST = 3  # commits in common: fewer are chance
SHARE = 0.25  # of the file's own commits, that another must share; below it one in ten is changed again, as by chance
LIFT = 2.0  # times as often as that file changes lately: a changelog changes with everything
SHOWN = 2


@dataclass(frozen=True, slots=True)
class CoChanges:
    """The files that change with one file, each with the number of commits in common, most first."""

    path: str
    commits: int  # of the file, of at most MOST_FILES files
    others: tuple[tuple[str, int], ...]


def co_changes(path: str, own: Sequence[Episode], newest: Sequence[Episode], live: Container[str]) -> CoChanges | None:
    """The files that change with `path`; `own` are its commits, `newest` show how often any file changes.

    Both are newest first.
    """
    mine = [files for _, files in files_by_commit(own, live)]
    common = Counter(file for files in mine for file in files if file != path)
    commits = [files for _, files in files_by_commit(newest, live)]
    anyway = Counter(file for files in commits for file in files)
    others = [
        (file, count)
        for file, count in common.items()
        if count >= max(LEAST, SHARE * len(mine))
        and count / len(mine) >= LIFT * (anyway[file] + 1) / (len(commits) + 2)  # add-one smoothing
    ]
    others.sort(key=lambda one: (-one[1], one[0]))
    return CoChanges(path, len(mine), tuple(others[:SHOWN])) if others else None


def files_by_commit(episodes: Sequence[Episode], live: Container[str]) -> Iterator[tuple[Episode, set[str]]]:
    """Each commit that counts with its live files by their current names; `episodes` are newest first."""
    renamed: dict[str, str] = {}  # an old name to the current one
    for episode in episodes:
        files = {renamed.get(file.path, file.path) for file in episode.files}
        renamed |= {file.old_path: renamed.get(file.path, file.path) for file in episode.files if file.status == "R"}
        if not (episode.is_merge or episode.is_bulk) and len(episode.files) <= MOST_FILES:
            yield episode, {file for file in files if file in live}
