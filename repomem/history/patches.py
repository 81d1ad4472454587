"""What commits changed, asked of git once for each: a commit's patch never changes, and a server is asked for it again.

Of a shallow clone nothing is kept: a later fetch may tell more.
"""

from collections import OrderedDict, deque
from collections.abc import Sequence
from itertools import chain
from typing import TYPE_CHECKING

from repomem.adapters.git.hunks import touched
from repomem.adapters.git.run import Repository
from repomem.core.threads import beside
from repomem.core.types import Hunk

if TYPE_CHECKING:
    from concurrent.futures import Future

BATCHES = 2  # begun and not yet asked for: those of the episodes told, and of the places
KEPT_BYTES = 16 << 20  # of hunks, the oldest out first
HUNK_BYTES = 400  # of a hunk beside its lines
LINE_BYTES = 60  # of a line beside its text


class Patches:
    """The hunks of commits, by commit."""

    def __init__(self, repository: Repository) -> None:
        self._repository = repository
        self._known: OrderedDict[str, tuple[list[Hunk], int]] = OrderedDict()
        self._bytes = 0
        self._begun: deque[tuple[list[str], Future[list[Hunk]]]] = deque(maxlen=BATCHES)

    def begin(self, commits: Sequence[str]) -> None:
        """Let git begin with those of the commits that are not known: `hunks` will be asked for them."""
        begun = {commit for some, _ in self._begun for commit in some}
        missing = [commit for commit in commits if commit not in self._known and commit not in begun]
        if missing:
            self._begun.append((missing, self._asked(missing)))

    def hunks(self, commits: Sequence[str]) -> list[Hunk]:
        """The changed places of these commits. GitError where this clone lacks what git needs to tell."""
        fresh = self._fresh([commit for commit in commits if commit not in self._known])
        found = [hunk for commit in commits for hunk in self._of(commit, fresh)]
        if not self._repository.is_shallow:
            self._keep(fresh)
        return found

    def _of(self, commit: str, fresh: dict[str, list[Hunk]]) -> list[Hunk]:
        if commit in self._known:
            self._known.move_to_end(commit)
            return self._known[commit][0]
        return fresh[commit]

    def _fresh(self, missing: list[str]) -> dict[str, list[Hunk]]:
        """What git says of commits: those that were begun, and the rest now."""
        used = [(some, asked) for some, asked in self._begun if not set(some).isdisjoint(missing)]
        for batch in used:
            self._begun.remove(batch)
        begun = {commit for some, _ in used for commit in some}
        if rest := [commit for commit in missing if commit not in begun]:
            used.append((rest, self._asked(rest)))
        found: dict[str, list[Hunk]] = {commit: [] for commit in missing}
        for hunk in chain.from_iterable(asked.result() for _, asked in used):
            if hunk.commit in found:
                found[hunk.commit].append(hunk)
        return found

    def _asked(self, commits: list[str]) -> "Future[list[Hunk]]":
        repository = self._repository
        return beside(lambda: list(touched(repository, commits)))

    def _keep(self, fresh: dict[str, list[Hunk]]) -> None:
        for commit, hunks in fresh.items():
            size = HUNK_BYTES + sum(map(_size, hunks))
            self._known[commit] = hunks, size
            self._bytes += size
        while self._bytes > KEPT_BYTES:
            _, (_, size) = self._known.popitem(last=False)
            self._bytes -= size


def _size(hunk: Hunk) -> int:
    return HUNK_BYTES + sum(LINE_BYTES + len(line) for line in hunk.lines)
