"""Files that change together: counted over the commits of one of them, and set against how often others change anyway.

A commit of many files is a sweep that would pair everything with everything, and a merge repeats what its commits did.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from repomem.core.types import Episode
from repomem.ranking.history_votes import path_now, renames_in

MOST_FILES = 10  # of a commit that counts
LEAST = 3  # commits in common: fewer are chance
SHARE = 0.25  # of the file's own commits, that another must share; below it one in ten is changed again, as by chance
LIFT = 2.0  # times as often as that file changes of late: a changelog changes with everything
TOLD = 2


@dataclass(frozen=True, slots=True)
class Together:
    """The files that change with one, each with the commits in common, most first."""

    path: str
    commits: int  # of the file, of at most MOST_FILES files
    others: tuple[tuple[str, int], ...]


def changed_together(
    path: str, own: Sequence[Episode], newest: Sequence[Episode], live: Mapping[str, int]
) -> Together | None:
    """What changes with the file at `path`, whose commits are `own`; `newest` tell how often any file changes."""
    mine = list(_files_of(own, live))
    common = Counter(file for files in mine for file in files if file != path)
    commits = list(_files_of(newest, live))
    anyway = Counter(file for files in commits for file in files)
    told = [
        (file, count)
        for file, count in common.items()
        if count >= max(LEAST, SHARE * len(mine))
        and count / len(mine) >= LIFT * (anyway[file] + 1) / (len(commits) + 2)  # one of each sort is assumed
    ]
    told.sort(key=lambda one: (-one[1], one[0]))
    return Together(path, len(mine), tuple(told[:TOLD])) if told else None


def _files_of(episodes: Sequence[Episode], live: Mapping[str, int]) -> Iterator[set[str]]:
    """The files of each commit that counts, where they are now; what is gone is left out."""
    renamed = renames_in(episodes)
    for episode in episodes:
        if not episode.is_merge and len(episode.files) <= MOST_FILES:
            yield {now for file in episode.files if (now := path_now(file.path, renamed, live)) in live}
