"""What commits changed, asked of git once for each: a commit's patch never changes, and a server is asked for it again.

Of a shallow clone nothing is kept: a later fetch may tell more.
"""

from collections import OrderedDict
from collections.abc import Sequence
from typing import TYPE_CHECKING

from repomem.core.types import Hunk
from repomem.operations.beside import beside
from repomem.sources.git import Repository
from repomem.sources.hunks import touched

if TYPE_CHECKING:
    from concurrent.futures import Future

KEPT_BYTES = 16 << 20  # of hunks, the oldest out first
HUNK_BYTES = 400  # of a hunk beside its lines
LINE_BYTES = 60  # of a line beside its text


class Patches:
    """The hunks of commits, by commit."""

    def __init__(self, repository: Repository) -> None:
        self._repository = repository
        self._known: OrderedDict[str, tuple[list[Hunk], int]] = OrderedDict()
        self._bytes = 0
        self._begun: tuple[list[str], Future[list[Hunk]]] | None = None

    def begin(self, commits: Sequence[str]) -> None:
        """Let git begin with those of the commits that are not known: `hunks` will be asked for them."""
        missing = [commit for commit in commits if commit not in self._known]
        self._begun = (missing, self._asked(missing)) if missing else None

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
        """What git says of commits; what was begun for others is left to itself."""
        begun, self._begun = self._begun, None
        if not missing:
            return {}
        asked = begun[1] if begun and begun[0] == missing else self._asked(missing)
        found: dict[str, list[Hunk]] = {commit: [] for commit in missing}
        for hunk in asked.result():
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
