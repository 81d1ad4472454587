"""The commits around a lost commit: the region of history to search, and its ancestors and descendants."""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence, Set as AbstractSet
from dataclasses import dataclass
from functools import cached_property
from itertools import islice

from repomem.adapters.git.patches import CommitIdentity

MOST_RELATED = 200  # commits below or above one on its branch that a squash may have merged with it
MOST_EQUAL, MOST_OVERLAPPING = 500, 200  # candidates whose patches are read, half a millisecond each

Parents = Mapping[str, tuple[str, ...]]


@dataclass(frozen=True)
class Region:
    """The commits to search, newest first."""

    here: Sequence[CommitIdentity]  # in the history of the head
    elsewhere: Sequence[CommitIdentity]  # on other branches
    beyond: Parents  # of every commit outside the history of the head
    living: AbstractSet[str]  # those of them on a branch

    @cached_property
    def children(self) -> Mapping[str, Sequence[str]]:
        """Each commit to its children outside the history of the head."""
        found = defaultdict(list)
        for commit, parents in self.beyond.items():
            for parent in parents:
                found[parent].append(commit)
        return dict(found)

    def below(self, commit: str) -> list[str]:
        """The nearest commits below a commit on its branch."""
        below = walk(commit, lambda each: [parent for parent in self.beyond.get(each, ()) if parent in self.beyond])
        return list(islice(below, MOST_RELATED))

    def above(self, commit: str) -> list[str]:
        """The nearest commits above a commit on its branch."""
        return list(islice(walk(commit, lambda each: self.children.get(each, ())), MOST_RELATED))


def worth_reading(commits: Collection[str], region: Region) -> list[str]:
    """The commits whose patches the search needs: all on other branches, and those here that touch the same files."""
    files = {each.commit: each.paths for each in region.elsewhere}
    whole, some = [], []
    for commit in _generations(commits, region.elsewhere):
        branch = (commit, *region.below(commit), *region.above(commit))
        whole.append(frozenset().union(*(files.get(each, frozenset()) for each in branch)))
        some.append(files.get(commit, frozenset()))
    of_some = frozenset().union(*some)
    equal = [each.commit for each in region.here if each.paths and any(each.paths <= paths for paths in whole)]
    overlapping = [each.commit for each in region.here if not each.paths.isdisjoint(of_some)]
    there = (commit for commit, paths in files.items() if paths)
    return list(dict.fromkeys((*there, *equal[:MOST_EQUAL], *overlapping[:MOST_OVERLAPPING])))


def _generations(commits: Collection[str], written: Iterable[CommitIdentity]) -> set[str]:
    """The commits, and others of the same author and time, left behind by a rebase."""
    of = {each.commit: (each.author, each.time) for each in written}
    wanted = {of[commit] for commit in commits if commit in of}
    return {*commits, *(commit for commit, by in of.items() if by in wanted)}


def walk(start: str, near: Callable[[str], Sequence[str]]) -> Iterator[str]:
    """Everything reachable from a commit, nearest first, without itself."""
    known, waiting = {start}, [start]
    for commit in waiting:
        later = [each for each in near(commit) if each not in known]
        known.update(later)
        waiting += later
        yield from later
