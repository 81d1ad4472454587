"""Whether a memory is visible on every local branch where another one is: git answers, within a deadline."""

import time

from repomem.core.errors import GitError
from repomem.core.records import Memory
from repomem.memories.history_facts import HistoryFacts, names_of_record
from repomem.memories.status import is_everywhere
from repomem.workspace.workspace import Workspace


class BranchCoverage:
    """Whether one memory is visible on every local branch where another is; False once the deadline has passed."""

    def __init__(self, workspace: Workspace, history: HistoryFacts, deadline: float) -> None:
        self._workspace = workspace
        self._history = history
        self._deadline = deadline
        self._known: dict[tuple[str, str], bool] = {}
        self.is_cut = False

    def __call__(self, one: Memory, other: Memory) -> bool:
        if is_everywhere(one) or not one.origin.head:
            return True
        if is_everywhere(other) or not other.origin.head:
            return False
        key = self._commit(one), self._commit(other)
        if key[0] == key[1]:
            return True
        if key not in self._known:
            if self.is_late():
                return False
            self._known[key] = self._is_covered(*key)
        return self._known[key]

    def is_late(self) -> bool:
        """Whether the deadline has passed; `is_cut` keeps that."""
        self.is_cut = self.is_cut or time.monotonic() > self._deadline
        return self.is_cut

    def _commit(self, memory: Memory) -> str:
        """The commit it was written on, by its current name."""
        names = names_of_record(memory.id, memory.origin, self._history)
        return next((name for name in names if name in self._history.ancestors), names[0])

    def _is_covered(self, one: str, other: str) -> bool:
        wanted = (f"--contains={other}", f"--no-contains={one}", "--count=1", "refs/heads")
        try:
            return not self._workspace.repository.read("for-each-ref", "--format=%(refname)", *wanted).strip()
        except GitError:  # this clone lacks the commit: where it is visible is unknown
            return False
