"""Finds the new commit of a lost commit: the same change under another name, by commit names and patches.

A rebase, a cherry-pick and an amended message keep the patch; a resolved conflict keeps author and time; a squash is
the sum of several patches. Each kind of evidence gives the matching commits, or none if it is ambiguous.
"""

from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence, Set as AbstractSet

from repomem.adapters.git.patches import CommitIdentity, Patch
from repomem.core.grouping import grouped_by
from repomem.memories.rewrites.region import MOST_RELATED, Region, walk

MOST_NAMES = 12  # of one commit, through rewrites of rewrites
MOST_NEAR, MOST_TIPS = 20, 50  # possible squashes, and branch tips that they may be of: 1 ms per pair
ENOUGH_LINES = 5  # fewer lines match by chance
MOST_OF = 0.9  # of the lines that a squash with further changes still has

NO_PATCH = Patch()


class RewriteSearch:
    """Finds what commits became. `patches` are those of `worth_reading`."""

    def __init__(self, region: Region, patches: Mapping[str, Patch]) -> None:
        self._region = region
        self._patches = patches
        self._here = {each.commit: at for at, each in enumerate(region.here)}
        self._written = {each.commit: each for each in (*region.here, *region.elsewhere)}
        self._parents = {each.commit: each.parents for each in region.here} | dict(region.beyond)
        self._by_id = grouped_by(patches, lambda each: patches[each].id)
        self._by_total = grouped_by(patches, lambda each: patches[each].total)
        self._by_name = grouped_by(self._written, lambda each: _name(self._written[each]))
        self._by_parents_and_author = grouped_by(self._written, lambda each: _parents_and_author(self._written[each]))
        self._relatives_of: dict[str, set[str]] = {}

    def became(self, names: Collection[str]) -> list[str]:
        """The commit in the head's history that replaced a commit known by these names.

        If there is none, and no branch has any of the names, the commits that replaced it on other branches.
        """
        known = list(names)
        kin = set[str]().union(*map(self._relatives, names))  # ancestors and descendants are not rewrites of it
        for name in known:
            here, elsewhere = self._followed(name, kin.union(known))
            if here:
                return [here]
            known += elsewhere[: max(MOST_NAMES - len(known), 0)]
        living = self._region.living
        return [each for each in known[len(names) :] if each in living] if living.isdisjoint(names) else []

    def joined(self, merge: str) -> str:
        """The commit of the head's history that contains everything a left-out merge joined; empty: none."""
        if not self._is_merge(merge):
            return ""
        squashed = [each for each in self._squashed(merge) if each in self._here]
        return squashed[0] if squashed else self._rejoined(merge)

    def is_hinted(self, names: Iterable[str]) -> bool:
        """Whether a commit of the head's history adds or removes lines of one of these."""
        return any(self._unrelated(name, filter(self._like(name), self._here)) for name in names)

    def _like(self, name: str) -> Callable[[str], bool]:
        own = self._patches.get(name, NO_PATCH)

        def is_like(commit: str) -> bool:
            other = self._patches.get(commit, NO_PATCH)
            return not (own.added.isdisjoint(other.added) and own.removed.isdisjoint(other.removed))

        return is_like

    def _followed(self, name: str, but: Collection[str] = ()) -> tuple[str, list[str]]:
        """The oldest commit of the head's history with the same change (empty: none), and those on other branches."""
        elsewhere: list[str] = []
        for evidence in self._evidence(name):
            found = [each for each in dict.fromkeys(evidence(name)) if each not in but]
            here = [each for each in found if each in self._here]
            if here:
                return max(here, key=self._here.__getitem__), elsewhere
            elsewhere = elsewhere or [each for each in found if each not in self._here]
        return "", elsewhere

    def _evidence(self, name: str) -> tuple[Callable[[str], list[str]], ...]:
        """The kinds of evidence, strongest first; a merge has no patch, only a name."""
        if self._is_merge(name):
            return self._same_name, self._amended
        return self._same_change, self._same_name, self._amended, self._squashed, self._squashed_partly, self._mostly

    def _is_merge(self, name: str) -> bool:
        return len(self._parents_of(name)) > 1

    # Evidence

    def _same_change(self, name: str) -> list[str]:
        """Rebased, cherry-picked, or reworded."""
        patch = self._patches.get(name, NO_PATCH)
        return self._unrelated(name, self._by_id.get(patch.id, ())) if patch.id else []

    def _same_name(self, name: str) -> list[str]:
        """Rebased or cherry-picked with a resolved conflict."""
        written = self._written.get(name)
        if written is None:
            return []
        alike = self._by_name[_name(written)]
        if any(each in self._relatives(name) for each in alike):
            return []  # several commits within one second
        return self._unambiguous(self._overlapping(written, self._unrelated(name, alike)))

    def _amended(self, name: str) -> list[str]:
        """Amended: the same parent, author and time, and the old commit is on no branch."""
        written = self._written.get(name)
        if written is None or name in self._region.living:
            return []
        return self._unambiguous(
            self._overlapping(written, self._unrelated(name, self._by_parents_and_author[_parents_and_author(written)]))
        )

    def _squashed(self, name: str) -> list[str]:
        """Squashed with commits around it: the totals of several commits add up to that of one."""
        sums = {*self._runs(name), *self._branches(name)} - {0}
        found = (each for total in sums for each in self._by_total.get(total, ()))
        return self._not_copied(name, self._unrelated(name, found))

    def _squashed_partly(self, name: str) -> list[str]:
        """Squashed, by the total of everything that a commit with some of its lines may have merged."""
        near = self._not_copied(name, self._unrelated(name, filter(self._like(name), self._patches)))
        tips = (name, *self._region.above(name)[:MOST_TIPS])
        return [each for each in near[:MOST_NEAR] if any(self._is_squash(each, name, tip) for tip in tips)]

    def _is_squash(self, commit: str, name: str, tip: str) -> bool:
        before = set(walk(commit, self._parents_of))
        there = {self._patches.get(each, NO_PATCH).id for each in before}
        work = {tip, *walk(tip, self._parents_of)} - before
        rest = {each for each in work if self._patches.get(each, NO_PATCH).id not in there - {""}}
        return any(name in some and self._is_total(self._total(commit), some - {name}, name) for some in (work, rest))

    def _is_total(self, total: int, others: AbstractSet[str], name: str) -> bool:
        """Whether a commit and others add up to a total; one of the others may be missing if it landed separately."""
        totals = {self._total(each) for each in others} | {0}
        missing = self._total(name) + sum(map(self._total, others)) - total
        return bool(total) and any(missing - each in totals for each in totals)

    def _not_copied(self, name: str, commits: Sequence[str]) -> list[str]:
        """The commits without copies of a single commit of the branch, which are not squashes."""
        own = {self._patches[each].id for each in self._relatives(name) if each in self._patches}
        copied = {commit for each in own for commit in self._by_id.get(each, ())}
        return [each for each in commits if each not in copied]

    def _mostly(self, name: str) -> list[str]:
        """Squashed with commits around it, and changed further."""
        own = self._patches.get(name, NO_PATCH).added
        near = [each for each, patch in self._patches.items() if not own.isdisjoint(patch.added)]
        near = self._unrelated(name, near)
        if not near:
            return []
        wanted = [(lines, own & lines) for lines in self._remaining_lines(name) if len(lines) >= ENOUGH_LINES]
        return self._unambiguous([each for each in near if _holds(self._patches[each].added, wanted)])

    def _rejoined(self, merge: str) -> str:
        """The oldest commit that descends from all parts of a merge, or from their new commits."""
        below = self._region.below(merge)
        became = {self._followed(each)[0] for each in below if self._patches.get(each, NO_PATCH).id}
        parts = {parent for each in (merge, *below) for parent in self._parents_of(each) if parent in self._here}
        wanted = became | parts
        contained: dict[str, set[str]] = {}
        for commit in reversed(self._here):
            own = {commit} & wanted
            contained[commit] = own.union(*(contained.get(parent, ()) for parent in self._parents_of(commit)))
            if wanted and contained[commit] == wanted:
                return commit
        return ""

    # Data for the evidence

    def _runs(self, name: str) -> Iterator[int]:
        """The totals of the linear runs of commits that include this one.

        Runs whose other commits add up to zero are skipped: they equal a shorter run.
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
        """The totals of everything the head lacks, up to each commit above this one; then without copied commits."""
        for tip in (name, *self._region.above(name)):
            work = {tip, *self._region.below(tip)}
            rest = {each for each in work if not self._is_copied(each)}
            yield sum(map(self._total, work))
            if name in rest:
                yield sum(map(self._total, rest))

    def _is_copied(self, commit: str) -> bool:
        patch = self._patches.get(commit, NO_PATCH)
        return bool(patch.id) and any(each in self._here for each in self._by_id[patch.id])

    def _remaining_lines(self, name: str) -> Iterator[AbstractSet[int]]:
        """The lines left after each commit above this one, without and with the commits below it."""
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
        """The linear runs of commits that start with this one, shortest first."""
        waiting: list[tuple[str, ...]] = [(name,)]
        for line in waiting:
            yield line
            if len(waiting) < MOST_RELATED:
                children = self._region.children.get(line[-1], ())
                waiting += [(*line, each) for each in children if len(self._region.beyond[each]) == 1]

    def _only_parent(self, commit: str) -> str:
        parents = self._region.beyond.get(commit, ())
        return parents[0] if len(parents) == 1 and parents[0] in self._region.beyond else ""

    def _total(self, commit: str) -> int:
        return self._patches.get(commit, NO_PATCH).total

    def _parents_of(self, commit: str) -> Sequence[str]:
        return self._parents.get(commit, ())

    def _relatives(self, name: str) -> set[str]:
        """The ancestors and descendants of a commit."""
        if name not in self._relatives_of:
            above = walk(name, lambda each: self._region.children.get(each, ()))
            self._relatives_of[name] = {*walk(name, self._parents_of), *above}
        return self._relatives_of[name]

    def _unrelated(self, name: str, commits: Iterable[str]) -> list[str]:
        kin = self._relatives(name)
        return [each for each in commits if each != name and each not in kin]

    def _overlapping(self, written: CommitIdentity, commits: Iterable[str]) -> list[str]:
        """The commits that touch some of the same files; for a commit without files, those without files."""
        of = written.paths
        is_merge = len(written.parents) > 1
        found = ((each, self._written[each]) for each in commits)
        return [
            each
            for each, other in found
            if not of.isdisjoint(other.paths) or (not of and not other.paths and is_merge == (len(other.parents) > 1))
        ]

    def _unambiguous(self, commits: Sequence[str]) -> list[str]:
        """The commits, if there is only one in each history."""
        here = [each for each in commits if each in self._here]
        elsewhere = [each for each in commits if each not in self._here]
        is_one = all(self._relatives(each).isdisjoint(elsewhere) for each in elsewhere)
        return (here if len(here) == 1 else []) + (elsewhere if is_one else [])


def _name(written: CommitIdentity) -> Hashable:
    return written.author, written.time, written.subject


def _parents_and_author(written: CommitIdentity) -> Hashable:
    return written.parents, written.author, written.time


def _holds(added: AbstractSet[int], wanted: Iterable[tuple[AbstractSet[int], AbstractSet[int]]]) -> bool:
    """Whether a commit adds most of the lines, and most of those of one part."""
    return any(
        bool(own) and len(lines & added) >= MOST_OF * len(lines) and len(own & added) >= MOST_OF * len(own)
        for lines, own in wanted
    )
