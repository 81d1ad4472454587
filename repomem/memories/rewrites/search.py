"""What became of a commit that history lost: the same change under another name, told from names and patches alone.

A rebase, a cherry-pick and an amended message keep the change; a resolved conflict keeps who wrote it when; a squash
is the sum of a run of commits. Every kind of evidence gives the commits that it speaks for, and none where it would
have to guess between them.
"""

from collections import defaultdict
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from itertools import islice

from repomem.core.patches import Patch, Written

MOST_RELATED = 200  # commits below or above one on its branch, that a squash may have swallowed with it
MOST_NAMES = 12  # of one commit, through rewrites of rewrites
MOST_EQUAL, MOST_OVERLAPPING = 500, 200  # candidates whose patches are read: half a millisecond each
MOST_NEAR, MOST_TIPS = 20, 50  # commits that may be a squash, and ends of branches that it may be of: 1 ms each pair
ENOUGH_LINES = 5  # fewer are found elsewhere by chance
MOST_OF = 0.9  # of the lines, that a squash with changes of its own still holds

Parents = Mapping[str, tuple[str, ...]]
NO_PATCH = Patch()


@dataclass(frozen=True, slots=True)
class Region:
    """The commits among which others are looked for, newest first."""

    here: Sequence[Written]  # of the head's history
    elsewhere: Sequence[Written]  # that the head does not have
    beyond: Parents  # of every commit that the head does not have
    living: AbstractSet[str]  # those of them that a branch holds


def related(commit: str, beyond: Parents, children: Mapping[str, Sequence[str]]) -> tuple[list[str], list[str]]:
    """The commits below one on its branch, and those above it; the nearest of them, itself in neither."""
    below = _walk(commit, lambda each: [parent for parent in beyond.get(each, ()) if parent in beyond])
    above = _walk(commit, lambda each: children.get(each, ()))
    return list(islice(below, MOST_RELATED)), list(islice(above, MOST_RELATED))


def children_of(beyond: Parents) -> dict[str, list[str]]:
    """Each commit to those that name it as a parent."""
    found = defaultdict(list)
    for commit, parents in beyond.items():
        for parent in parents:
            found[parent].append(commit)
    return dict(found)


def worth_reading(commits: Collection[str], region: Region) -> list[str]:
    """The commits whose patches it takes to find these: all elsewhere, and those here that touch the same files."""
    children = children_of(region.beyond)
    files = {each.commit: each.paths for each in region.elsewhere}
    whole, some = [], []
    for commit in _generations(commits, region.elsewhere):
        below, above = related(commit, region.beyond, children)
        whole.append(frozenset().union(*(files.get(each, frozenset()) for each in (commit, *below, *above))))
        some.append(files.get(commit, frozenset()))
    of_some = frozenset().union(*some)
    equal = [each.commit for each in region.here if each.paths and any(each.paths <= paths for paths in whole)]
    overlapping = [each.commit for each in region.here if not each.paths.isdisjoint(of_some)]
    there = (commit for commit, paths in files.items() if paths)
    return list(dict.fromkeys((*there, *equal[:MOST_EQUAL], *overlapping[:MOST_OVERLAPPING])))


def _generations(commits: Collection[str], written: Iterable[Written]) -> set[str]:
    """The commits and those that were written by the same author at the same time: what a rebase left behind."""
    of = {each.commit: (each.author, each.time) for each in written}
    wanted = {of[commit] for commit in commits if commit in of}
    return {*commits, *(commit for commit, by in of.items() if by in wanted)}


class RewriteSearch:
    """Looks for what commits became. `patches` are those of the commits that are worth reading."""

    def __init__(self, region: Region, patches: Mapping[str, Patch]) -> None:
        self._region = region
        self._patches = patches
        self._here = {each.commit: at for at, each in enumerate(region.here)}
        self._written = {each.commit: each for each in (*region.here, *region.elsewhere)}
        self._parents = {each.commit: each.parents for each in region.here} | dict(region.beyond)
        self._children = children_of(region.beyond)
        self._by_id = _grouped(patches, lambda each: patches[each].id)
        self._by_total = _grouped(patches, lambda each: patches[each].total)
        self._by_name = _grouped(self._written, lambda each: _name(self._written[each]))
        self._by_place = _grouped(self._written, lambda each: _place(self._written[each]))
        self._kin: dict[str, set[str]] = {}

    def became(self, names: Collection[str]) -> list[str]:
        """One commit of the head's history that these names of a commit became.

        Else, of names that no branch holds any more, what they became on those that there are.
        """
        known = list(names)
        kin = set[str]().union(*map(self._kin_of, names))  # it was made after those: they are not what it became
        for name in known:
            here, elsewhere = self._followed(name, kin.union(known))
            if here:
                return [here]
            known += elsewhere[: max(MOST_NAMES - len(known), 0)]
        living = self._region.living
        return [each for each in known[len(names) :] if each in living] if living.isdisjoint(names) else []

    def joined(self, merge: str) -> str:
        """The commit of the head's history that holds all that a merge joined, which was left out; empty: none."""
        if not self._is_merge(merge):
            return ""
        squashed = [each for each in self._squashed(merge) if each in self._here]
        return squashed[0] if squashed else self._rejoined(merge)

    def is_hinted(self, names: Iterable[str]) -> bool:
        """Whether a commit of the head's history adds or removes lines that one of these did."""
        return any(self._strangers(name, filter(self._like(name), self._here)) for name in names)

    def _like(self, name: str) -> Callable[[str], bool]:
        own = self._patches.get(name, NO_PATCH)

        def is_like(commit: str) -> bool:
            other = self._patches.get(commit, NO_PATCH)
            return not (own.added.isdisjoint(other.added) and own.removed.isdisjoint(other.removed))

        return is_like

    def _followed(self, name: str, but: Collection[str] = ()) -> tuple[str, list[str]]:
        """The oldest commit of the head's history that is the same change (empty: none), and those elsewhere."""
        elsewhere: list[str] = []
        for evidence in self._evidence(name):
            found = [each for each in dict.fromkeys(evidence(name)) if each not in but]
            here = sorted((each for each in found if each in self._here), key=self._age)
            if here:
                return here[0], elsewhere
            elsewhere = elsewhere or [each for each in found if each not in self._here]
        return "", elsewhere

    def _evidence(self, name: str) -> tuple[Callable[[str], list[str]], ...]:
        """The kinds of evidence, strongest first; a merge is no change, and has but its name."""
        if self._is_merge(name):
            return self._same_name, self._amended
        return self._same_change, self._same_name, self._amended, self._squashed, self._brought, self._mostly

    def _is_merge(self, name: str) -> bool:
        return len(self._parents_of(name)) > 1

    def _age(self, commit: str) -> int:
        return -self._here[commit]

    # Evidence

    def _same_change(self, name: str) -> list[str]:
        """Rebased, picked, or put in other words."""
        patch = self._patches.get(name, NO_PATCH)
        return self._strangers(name, self._by_id.get(patch.id, ())) if patch.id else []

    def _same_name(self, name: str) -> list[str]:
        """Rebased or picked where a conflict had to be resolved."""
        written = self._written.get(name)
        if written is None:
            return []
        alike = self._by_name[_name(written)]
        if any(each in self._kin_of(name) for each in alike):
            return []  # a series of commits of one second
        return self._unambiguous(self._overlapping(written, self._strangers(name, alike)))

    def _amended(self, name: str) -> list[str]:
        """Made anew on the same parent, while nothing holds the old one."""
        written = self._written.get(name)
        if written is None or name in self._region.living:
            return []
        return self._unambiguous(self._overlapping(written, self._strangers(name, self._by_place[_place(written)])))

    def _squashed(self, name: str) -> list[str]:
        """Made one with commits around it: the totals of a run of commits add up to that of one."""
        sums = {*self._runs(name), *self._branches(name)} - {0}
        found = (each for total in sums for each in self._by_total.get(total, ()))
        return self._not_copied(name, self._strangers(name, found))

    def _brought(self, name: str) -> list[str]:
        """The same, told of each commit that has some of its lines: the total of all that it could have brought."""
        near = self._not_copied(name, self._strangers(name, filter(self._like(name), self._patches)))
        tips = (name, *related(name, self._region.beyond, self._children)[1][:MOST_TIPS])
        return [each for each in near[:MOST_NEAR] if any(self._is_squash(each, name, tip) for tip in tips)]

    def _is_squash(self, commit: str, name: str, tip: str) -> bool:
        before = set(_walk(commit, self._parents_of))
        there = {self._patches.get(each, NO_PATCH).id for each in before}
        work = {tip, *_walk(tip, self._parents_of)} - before
        rest = {each for each in work if self._patches.get(each, NO_PATCH).id not in there - {""}}
        return any(name in some and self._is_total(self._total(commit), some - {name}, name) for some in (work, rest))

    def _is_total(self, total: int, others: AbstractSet[str], name: str) -> bool:
        """Whether a commit and others add up to a total; up to two of those may be missing: they came squashed."""
        totals = {self._total(each) for each in others} | {0}
        missing = self._total(name) + sum(map(self._total, others)) - total
        return bool(total) and any(missing - each in totals for each in totals)

    def _not_copied(self, name: str, commits: Sequence[str]) -> list[str]:
        """Without the copies of a single commit of the branch, which are no squash of several."""
        own = {self._patches[each].id for each in self._kin_of(name) if each in self._patches}
        copied = {commit for each in own for commit in self._by_id.get(each, ())}
        return [each for each in commits if each not in copied]

    def _mostly(self, name: str) -> list[str]:
        """Made one with commits around it, and with changes of its own."""
        own = self._patches.get(name, NO_PATCH).added
        near = [each for each, patch in self._patches.items() if not own.isdisjoint(patch.added)]
        near = self._strangers(name, near)
        if not near:
            return []
        wanted = [(lines, own & lines) for lines in self._standing(name) if len(lines) >= ENOUGH_LINES]
        return self._unambiguous([each for each in near if _holds(self._patches[each].added, wanted)])

    def _rejoined(self, merge: str) -> str:
        """The oldest commit that descends from all that the parts of a merge are or became."""
        below = related(merge, self._region.beyond, self._children)[0]
        became = {self._followed(each)[0] for each in below if self._patches.get(each, NO_PATCH).id}
        parts = {parent for each in (merge, *below) for parent in self._parents_of(each) if parent in self._here}
        wanted = became | parts
        held: dict[str, set[str]] = {}
        for commit in reversed(self._here):
            own = {commit} & wanted
            held[commit] = own.union(*(held.get(parent, ()) for parent in self._parents_of(commit)))
            if wanted and held[commit] == wanted:
                return commit
        return ""

    # What it is told from

    def _runs(self, name: str) -> Iterator[int]:
        """The totals of the unbranched runs of commits with this one in them.

        A run whose other commits add up to nothing is left out: it is the same as a part of it without this commit.
        """
        bases = [0]
        at = name
        while len(bases) < MOST_RELATED and (at := self._only_parent(at)):
            bases.append(bases[-1] + self._total(at))
        for line in self._lines_above(name):
            sums = [0]
            for each in line:
                sums.append(sums[-1] + self._total(each))
            top = sums[-1]
            for count, base in enumerate(bases):
                if all(one + base for one in sums[1:-1]) and all(top + one for one in bases[:count]):
                    yield top + base

    def _branches(self, name: str) -> Iterator[int]:
        """The totals of all that the head lacks up to each commit above this one; then without what it has copied."""
        for tip in (name, *related(name, self._region.beyond, self._children)[1]):
            work = {tip, *related(tip, self._region.beyond, self._children)[0]}
            rest = {each for each in work if not self._is_copied(each)}
            yield sum(map(self._total, work))
            if name in rest:
                yield sum(map(self._total, rest))

    def _is_copied(self, commit: str) -> bool:
        patch = self._patches.get(commit, NO_PATCH)
        return bool(patch.id) and any(each in self._here for each in self._by_id[patch.id])

    def _standing(self, name: str) -> Iterator[AbstractSet[int]]:
        """The lines that stand after each commit above this one: its own and those, and with them all that is below."""
        line = [name]
        while len(line) < MOST_RELATED and (at := self._only_parent(line[-1])):
            line.append(at)
        starts: list[AbstractSet[int]] = [frozenset(), self._left((), reversed(line[1:]))]
        for above in self._lines_above(name):
            for start in starts:
                yield self._left(start, above)

    def _left(self, lines: Iterable[int], commits: Iterable[str]) -> AbstractSet[int]:
        left = set(lines)
        for commit in commits:
            patch = self._patches.get(commit, NO_PATCH)
            left = (left - patch.removed) | patch.added
        return left

    def _lines_above(self, name: str) -> Iterator[tuple[str, ...]]:
        """The unbranched lines of commits that start with this one, a shorter one first."""
        waiting: list[tuple[str, ...]] = [(name,)]
        for line in waiting:
            yield line
            if len(waiting) < MOST_RELATED:
                children = self._children.get(line[-1], ())
                waiting += [(*line, each) for each in children if len(self._region.beyond[each]) == 1]

    def _only_parent(self, commit: str) -> str:
        parents = self._region.beyond.get(commit, ())
        return parents[0] if len(parents) == 1 and parents[0] in self._region.beyond else ""

    def _total(self, commit: str) -> int:
        return self._patches.get(commit, NO_PATCH).total

    def _parents_of(self, commit: str) -> Sequence[str]:
        return self._parents.get(commit, ())

    def _kin_of(self, name: str) -> set[str]:
        """The commits that this one descends from, and those that descend from it."""
        if name not in self._kin:
            above = _walk(name, lambda each: self._children.get(each, ()))
            self._kin[name] = {*_walk(name, self._parents_of), *above}
        return self._kin[name]

    def _strangers(self, name: str, commits: Iterable[str]) -> list[str]:
        kin = self._kin_of(name)
        return [each for each in commits if each != name and each not in kin]

    def _overlapping(self, written: Written, commits: Iterable[str]) -> list[str]:
        """Those that touch some of the same files; of a commit that touches none, those that touch none."""
        of = written.paths
        is_merge = len(written.parents) > 1
        found = ((each, self._written[each]) for each in commits)
        return [
            each
            for each, other in found
            if not of.isdisjoint(other.paths) or (not of and not other.paths and is_merge == (len(other.parents) > 1))
        ]

    def _unambiguous(self, commits: Sequence[str]) -> list[str]:
        """The commits as long as there is one of them in each history."""
        here = [each for each in commits if each in self._here]
        elsewhere = [each for each in commits if each not in self._here]
        is_one = all(self._kin_of(each).isdisjoint(elsewhere) for each in elsewhere)
        return (here if len(here) == 1 else []) + (elsewhere if is_one else [])


def _walk(start: str, near: Callable[[str], Sequence[str]]) -> Iterator[str]:
    """All that is reached from a commit, nearest first, without itself."""
    known, waiting = {start}, [start]
    for commit in waiting:
        later = [each for each in near(commit) if each not in known]
        known.update(later)
        waiting += later
        yield from later


def _grouped(commits: Iterable[str], key: Callable[[str], Hashable]) -> dict[Hashable, list[str]]:
    found: dict[Hashable, list[str]] = defaultdict(list)
    for commit in commits:
        found[key(commit)].append(commit)
    return found


def _name(written: Written) -> Hashable:
    return written.author, written.time, written.subject


def _place(written: Written) -> Hashable:
    return written.parents, written.author, written.time


def _holds(added: AbstractSet[int], wanted: Iterable[tuple[AbstractSet[int], AbstractSet[int]]]) -> bool:
    """Whether a commit adds most of the lines, and most of those that one of its parts brought."""
    return any(
        bool(own) and len(lines & added) >= MOST_OF * len(lines) and len(own & added) >= MOST_OF * len(own)
        for lines, own in wanted
    )
