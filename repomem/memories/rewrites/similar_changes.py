"""Finds a squash that a reviewer edited: the commit with nearly the same change as a lost commit's branch.

Added lines are compared by their pairs of words: a renamed variable or a reworded condition leaves most of them equal.
A commit counts only if it changes every file of the branch, removes the same lines, and adds the lost commit's own.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from operator import itemgetter

from repomem.adapters.git.ancestry import fork_point
from repomem.adapters.git.log import first_parent
from repomem.adapters.git.patches import changed_lines
from repomem.adapters.git.repository import Repository
from repomem.core.text.lazy_pattern import lazy_pattern
from repomem.memories.anchors.match import dice
from repomem.memories.rewrites.region import Region

MOST_CANDIDATES, MOST_TIPS = 5, 3  # commits compared, each with the branch at these tips: 10 ms a pair
FURTHER_FILES = 3  # that a squash may also change: a changelog, a version
ALIKE = 0.6  # share of equal word pairs in added lines: another solution of the same task has fewer
SAME_LINES, SAME_REMOVED = 0.3, 0.6  # of all its lines, and of those that it takes out, which show the place
OWN_ALIKE = 0.5  # of the lost commit's own that the other must have
FEWEST_PAIRS = 6  # fewer are equal by chance

_WORD = lazy_pattern(rb"\w+")
_Lines = Mapping[str, tuple[Sequence[bytes], Sequence[bytes]]]
_Pairs = Counter[tuple[object, ...]]


@dataclass(slots=True)
class SimilarChanges:
    """Compares the branches of lost commits with the commits of the head's history."""

    repository: Repository
    region: Region
    _read: dict[tuple[str, str], "_Change"] = field(default_factory=dict)

    def became(self, name: str) -> str:
        """The commit of the head's history that the branch of a commit was squashed to, edited; empty: none."""
        if len(self.region.beyond.get(name, ())) != 1:
            return ""
        tips = (*reversed(self.region.above(name)[-(MOST_TIPS - 1) :]), name)
        return max((self._best(name, tip) for tip in tips), key=itemgetter(0))[1]

    def _best(self, name: str, tip: str) -> tuple[float, str]:
        """The most similar candidate for the branch up to a tip, with its similarity; the oldest of equal ones."""
        below = {name, tip, *self.region.below(tip)}
        paths = frozenset().union(*(each.paths for each in self.region.elsewhere if each.commit in below))
        near = [each for each in self.region.here if paths and _may_be(paths, each.paths)]
        alike = ((self._likeness(name, tip, each.commit), each.commit) for each in reversed(near[-MOST_CANDIDATES:]))
        return max([(0.0, ""), *alike], key=itemgetter(0))

    def _likeness(self, name: str, tip: str, candidate: str) -> float:
        """How similar a commit's added lines are to those of the branch, 0 to 1; 0 where it is another change."""
        base = fork_point(self.repository, candidate, tip)
        if base in {"", candidate}:
            return 0.0
        branch = self._change(base, tip)
        other = self._change(first_parent(self.repository, candidate), candidate).only(branch)
        own = self._change(first_parent(self.repository, name), name)
        own_pairs = own.pairs & branch.pairs
        share = dice(branch.pairs, other.pairs)
        is_own_there = bool(own_pairs) and (own_pairs & other.pairs).total() >= OWN_ALIKE * own_pairs.total()
        is_alike = share >= ALIKE and is_own_there and branch.pairs.total() >= FEWEST_PAIRS
        return share if is_alike and branch.is_at_same_place(other) else 0.0

    def _change(self, old: str, new: str) -> "_Change":
        if (old, new) not in self._read:
            self._read[old, new] = _change_of(changed_lines(self.repository, old, new) if old else {})
        return self._read[old, new]


@dataclass(frozen=True, slots=True)
class _Change:
    """The changes of a commit or branch: lines with their file, and the pairs of neighbouring words that it adds."""

    added: Counter[tuple[str, bytes]]
    removed: Counter[tuple[str, bytes]]
    pairs: _Pairs

    def only(self, other: "_Change") -> "_Change":
        """The part in the files of another change."""
        files = {path for path, _ in (*other.added, *other.removed)}
        pairs = Counter({pair: count for pair, count in self.pairs.items() if pair[0] in files})
        return _Change(self.added, self.removed, pairs)

    def is_at_same_place(self, other: "_Change") -> bool:
        """Whether another change takes out most of the same lines, and shares some of all lines."""
        same = (self.removed & other.removed).total()
        every = self.added.total() + self.removed.total()
        is_same = same + (self.added & other.added).total() >= SAME_LINES * every
        return is_same and same >= SAME_REMOVED * self.removed.total()


def _may_be(branch: frozenset[str], paths: frozenset[str]) -> bool:
    return branch <= paths and len(paths) <= len(branch) + FURTHER_FILES


def _change_of(lines: _Lines) -> _Change:
    added = Counter((path, line) for path, (new, _) in lines.items() for line in new if line)
    removed = Counter((path, line) for path, (_, old) in lines.items() for line in old if line)
    return _Change(added, removed, Counter((path, *pair) for path, line in added for pair in _pairs(line)))


def _pairs(line: bytes) -> Iterable[tuple[bytes, ...]]:
    words = _WORD.findall(line)
    return pairwise(words) if len(words) > 1 else [(word,) for word in words]
