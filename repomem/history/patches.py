"""A cache of commit patches, read from git in the background. Patches never change, except in a shallow clone.

Nothing of a shallow clone is cached: a later fetch may add parents.
"""

from collections import OrderedDict, deque
from collections.abc import Sequence
from itertools import chain
from typing import TYPE_CHECKING

from repomem.adapters.git.hunks import touched
from repomem.adapters.git.repository import Repository
from repomem.core.processes.threads import in_thread
from repomem.core.types.commits import Hunk
from repomem.workspace.cache import CacheKey
from repomem.workspace.snapshot import Snapshot

if TYPE_CHECKING:
    from concurrent.futures import Future

BATCHES = 2  # started and not yet used: for the shown episodes, and for the locations
KEPT_BYTES = 16 << 20  # of hunks; the least recently used are dropped first
HUNK_BYTES = 400  # of a hunk without its lines
LINE_BYTES = 60  # of a line without its text


class Patches:
    """The cached hunks of commits."""

    def __init__(self, repository: Repository) -> None:
        self._repository = repository
        self._known: OrderedDict[str, tuple[list[Hunk], int]] = OrderedDict()
        self._bytes = 0
        self._started: deque[tuple[list[str], Future[list[Hunk]]]] = deque(maxlen=BATCHES)

    def begin(self, commits: Sequence[str]) -> None:
        """Start to read the patches that are not cached; `hunks` will use them."""
        started = {commit for some, _ in self._started for commit in some}
        missing = [commit for commit in commits if commit not in self._known and commit not in started]
        if missing:
            self._started.append((missing, self._read(missing)))

    def hunks(self, commits: Sequence[str]) -> list[Hunk]:
        """The hunks of these commits. GitError if this clone lacks an object."""
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
        """The hunks by commit, from batches that were started and from git for the rest."""
        used = [(some, future) for some, future in self._started if not set(some).isdisjoint(missing)]
        for batch in used:
            self._started.remove(batch)
        started = {commit for some, _ in used for commit in some}
        if rest := [commit for commit in missing if commit not in started]:
            used.append((rest, self._read(rest)))
        found: dict[str, list[Hunk]] = {commit: [] for commit in missing}
        for hunk in chain.from_iterable(future.result() for _, future in used):
            if hunk.commit in found:
                found[hunk.commit].append(hunk)
        return found

    def _read(self, commits: list[str]) -> "Future[list[Hunk]]":
        repository = self._repository
        return in_thread(lambda: list(touched(repository, commits)))

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


PATCHES = CacheKey[Patches]("patches")


def patches_of(snapshot: Snapshot) -> Patches:
    """The patches of commits, cached for the repository."""
    repository = snapshot.workspace.repository
    return snapshot.workspace.cache.get(PATCHES, repository, lambda: Patches(repository))
