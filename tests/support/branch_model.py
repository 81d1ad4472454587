"""What histories mean for memories, told without looking at patches: which pieces of work each commit brings.

Every commit that is made by hand is a piece of work of its own. Picks, rebases and squashes bring the pieces that the
branch lacks under other names; the model is told of the operation and never compares contents.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field

from repomem.memories.status import Visibility
from support.branch_scenes import Scene

PATHS = ("a.txt", "b.txt", "c.txt")
SPACE = 4  # lines between two places that are edited: what stands apart merges without a conflict
FILES = {path: "".join(f"{path} has line number {at}\n" for at in range(80)) for path in PATHS}
BRANCHES = ("main", "one", "two", "three")

Work = frozenset[str]


@dataclass(slots=True)
class Model:
    """A scene, and for every commit what it and its history bring."""

    scene: Scene
    brings: dict[str, Work] = field(default_factory=dict)  # commit to the pieces of work that it adds
    parents: dict[str, tuple[str, ...]] = field(default_factory=dict)
    stands_for: dict[str, set[str]] = field(default_factory=dict)  # a rewrite to the merges that it leaves out
    said_on: dict[str, str] = field(default_factory=dict)
    pieces: int = 0

    def __post_init__(self) -> None:
        self._note(self.scene.head, frozenset({"begin"}), ())

    def play(self, steps: Iterable[tuple[str, int]]) -> None:
        """Let things happen: names of the operations below, each with a number that it chooses by."""
        for name, choice in steps:
            getattr(self, name)(choice)

    # What happens

    def commit(self, choice: int) -> None:
        """A piece of work: lines altered, put in or taken out, or a new file."""
        at = self.pieces
        self.pieces += 1
        head = self.scene.head
        path = PATHS[choice % len(PATHS)]
        if at % 5 == 4:
            files = {f"new{at}.txt": f"piece {at} is a new file\nwith a line or two of piece {at}\n"}
        else:
            files = {path: self._edited(path, at)}
        self._note(self.scene.commit(files, f"piece {at}"), frozenset({f"piece {at}"}), (head,))

    def rework(self, choice: int) -> None:
        """A piece of work on the lines of an earlier one."""
        head = self.scene.head
        path = PATHS[choice % len(PATHS)]
        lines = (self.scene.folder / path).read_text().splitlines(keepends=True)
        touched = [place for place, line in enumerate(lines) if "piece" in line]
        if not touched:
            return
        lines[touched[choice % len(touched)]] = f"piece {self.pieces} wrote over it\n"
        piece = frozenset({f"piece {self.pieces}"})
        self._note(self.scene.commit({path: "".join(lines)}, f"piece {self.pieces}"), piece, (head,))
        self.pieces += 1

    def branch(self, choice: int) -> None:
        """A new branch, checked out."""
        free = [name for name in BRANCHES if name not in self.branches]
        if free:
            self.scene.git("switch", "-q", "-c", free[choice % len(free)])

    def checkout(self, choice: int) -> None:
        """Another branch."""
        others = self._others()
        if others:
            self.scene.git("switch", "-q", others[choice % len(others)])

    def merge(self, choice: int) -> None:
        """Another branch merged; fast-forward where that can be."""
        if not (others := self._others()):
            return
        head, other = self.scene.head, self.branches[others[choice % len(others)]]
        if self.scene.tried("merge", "-q", "--no-edit", other).returncode:
            self.scene.git("merge", "--abort")
        elif (made := self.scene.head) not in self.parents:
            self._note(made, frozenset(), (head, other))

    def squash(self, choice: int) -> None:
        """Another branch as one commit."""
        if not (others := self._others()):
            return
        head, other = self.scene.head, self.branches[others[choice % len(others)]]
        if self.scene.tried("merge", "-q", "--squash", other).returncode:
            self.scene.git("reset", "-q", "--hard")
        elif self.scene.git("status", "--porcelain"):
            self.scene.git("commit", "-q", "-m", f"squashed {self.scene.clock}")
            self._note(self.scene.head, self.work(other) - self.work(head), (head,))
            self.stands_for[self.scene.head] = self._merges(self.history(other))

    def pick(self, choice: int) -> None:
        """One of the newest commits of another branch."""
        if not (others := self._others()):
            return
        newest = ["rev-list", "--no-merges", "--max-count=4", others[choice % len(others)], "--not", "HEAD"]
        commits = self.scene.git(*newest).split()
        if not commits:
            return
        head, picked = self.scene.head, commits[choice % len(commits)]
        if self.scene.tried("cherry-pick", picked).returncode:
            self.scene.tried("cherry-pick", "--abort")
            self.scene.git("reset", "-q", "--hard", head)
        else:
            self._note(self.scene.head, self.brings[picked] - self.work(head), (head,))

    def rebase(self, choice: int) -> None:
        """The branch that is checked out, onto another."""
        if not (others := self._others()):
            return
        head, onto = self.scene.head, self.branches[others[choice % len(others)]]
        if self.scene.tried("rebase", "-q", onto).returncode:
            self.scene.git("rebase", "--abort")
            return
        replayed = list(reversed([each for each in self._topological(head) if each not in self.history(onto)]))
        made = self.scene.git("rev-list", "--reverse", "HEAD", "--not", onto).split()
        self._replayed(replayed, made, onto)

    def _replayed(self, old: list[str], new: list[str], onto: str) -> None:
        """Each new commit is the next old one of the same subject; those between them were dropped, and are in it."""
        if all(each in self.parents for each in new):  # nothing was written: a fast-forward
            return
        subjects = {each: self.scene.git("log", "-1", "--format=%s", each) for each in (*old, *new)}
        before, waiting = onto, list(old)
        for commit in new:
            passed: list[str] = []
            while waiting:
                passed.append(waiting.pop(0))
                if subjects[passed[-1]] == subjects[commit]:
                    break
            if commit not in self.parents:
                self._note(commit, self.brings[passed[-1]] - self.work(before), (before,))
                self.stands_for[commit] = self._merges(passed)
            before = commit
        self.stands_for.setdefault(before, set()).update(self._merges(waiting))

    def reset(self, choice: int) -> None:
        """The newest commits of the branch, dropped."""
        back = 1 + choice % 2
        if self.scene.tried("rev-parse", "--verify", "-q", f"HEAD~{back}").returncode == 0:
            self.scene.git("reset", "-q", "--hard", f"HEAD~{back}")

    def delete(self, choice: int) -> None:
        """Another branch, deleted, merged or not."""
        others = [name for name in self._others() if name != "main"]
        if others:
            self.scene.git("branch", "-q", "-D", others[choice % len(others)])

    def say(self, choice: int) -> None:
        """Something is remembered."""
        text = f"memory {len(self.said_on)}"
        self.said_on[text] = self.scene.head
        self.scene.say(text)

    def look(self, choice: int) -> None:
        """The index is brought up to date."""
        self.scene.seen()

    # What it means

    @property
    def branches(self) -> dict[str, str]:
        """Every branch with its tip."""
        listed = self.scene.git("for-each-ref", "--format=%(refname:short) %(objectname)", "refs/heads")
        names = map(str.split, listed.splitlines())
        return {name: tip for name, tip in names}  # noqa: C416  # dict() does not know that they are pairs

    def history(self, commit: str) -> set[str]:
        """The commit and all that it descends from."""
        found, waiting = {commit}, [commit]
        while waiting:
            later = [each for each in self.parents[waiting.pop()] if each not in found]
            found.update(later)
            waiting += later
        return found

    def work(self, commit: str) -> Work:
        """The pieces of work in a history."""
        return frozenset().union(*(self.brings[each] for each in self.history(commit)))

    def is_in(self, text: str, tip: str) -> bool | None:
        """Whether the commit that something was said on is part of a history, or a rewrite of it.

        None where that is a matter of taste: all of its work is there, but no commit that it, a merge or a squash,
        became.
        """
        said_on, history = self.said_on[text], self.history(tip)
        mine = self.brings[said_on]
        if said_on in history or (mine and self._is_brought(mine, history)):
            return True
        if said_on in self._merges(history):
            parts = (self.brings[each] for each in self.history(said_on))
            return True if all(self._is_brought(part, history) for part in parts) else None
        needed = mine or self.work(said_on)
        return None if needed <= self.work(tip) else False

    def expected(self, text: str, tip: str) -> set[Visibility]:
        """How something may be seen from a commit."""
        here = self.is_in(text, tip)
        elsewhere = {self.is_in(text, other) for other in self.branches.values()}
        kept = (
            {Visibility.UNMERGED}
            if True in elsewhere
            else {Visibility.UNMERGED, Visibility.ABANDONED}
            if None in elsewhere
            else {Visibility.ABANDONED}
        )
        return {Visibility.HERE} if here else kept if here is False else {Visibility.HERE, *kept}

    def _is_brought(self, work: Work, history: Iterable[str]) -> bool:
        """Whether one commit brings all of it: a squash that comes apart again is the same change no more."""
        return any(work <= self.brings[each] for each in history)

    def _merges(self, commits: Iterable[str]) -> set[str]:
        """The merges among them, and those that they stand for."""
        wanted = list(commits)
        merges = {each for each in wanted if len(self.parents[each]) > 1}
        return merges.union(*(self.stands_for.get(each, ()) for each in wanted))

    def _topological(self, tip: str) -> list[str]:
        return self.scene.git("rev-list", "--topo-order", tip).split()

    def _edited(self, path: str, at: int) -> str:
        """The file with something done at a place that no other piece touches."""
        lines = (self.scene.folder / path).read_text().splitlines(keepends=True)
        anchor = f"{path} has line number {SPACE * at}\n"
        place = lines.index(anchor)
        new = [anchor, *(f"piece {at} puts in line {number} here\n" for number in range(6))]
        lines[place : place + 1] = {0: [f"piece {at} alters the line\n"], 1: new, 2: [], 3: new[:2]}[at % 5]
        return "".join(lines)

    def _others(self) -> list[str]:
        current = self.scene.git("branch", "--show-current")
        return [name for name in self.branches if name != current]

    def _note(self, commit: str, brings: Work, parents: tuple[str, ...]) -> None:
        self.brings[commit], self.parents[commit] = brings, parents


OPERATIONS = {  # with how often each is drawn
    "commit": 6,
    "rework": 1,
    "branch": 3,
    "checkout": 4,
    "merge": 2,
    "squash": 3,
    "pick": 4,
    "rebase": 4,
    "reset": 1,
    "delete": 2,
    "say": 5,
    "look": 1,
}
BEGIN = (("branch", 0), ("commit", 0), ("say", 0), ("commit", 1), ("checkout", 0), ("commit", 2), ("checkout", 0))
