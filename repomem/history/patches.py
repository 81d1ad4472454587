"""A cache of commit patches, read from git in the background. Patches never change, except in a shallow clone.

Nothing of a shallow clone is cached: a later fetch may add parents.
"""

from collections import deque
from collections.abc import Sequence
from itertools import chain
from typing import TYPE_CHECKING

from repomem.adapters.git.hunks import touched
from repomem.adapters.git.repository import Repository
from repomem.core.byte_cache import ByteCache
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
        self._known: ByteCache[str, Hunk] = ByteCache(KEPT_BYTES, _size)
        self._started: deque[tuple[list[str], Future[list[Hunk]]]] = deque(maxlen=BATCHES)

    def begin(self, commits: Sequence[str]) -> None:
        """Start to read the patches that are not cached; `hunks` will use them."""
        present = self._known.cached(commits).keys() | {commit for some, _ in self._started for commit in some}
        missing = [commit for commit in commits if commit not in present]
        if missing:
            self._started.append((missing, self._read(missing)))

    def hunks(self, commits: Sequence[str]) -> list[Hunk]:
        """The hunks of these commits. GitError if this clone lacks an object."""
        known = self._known.cached(commits)
        fresh = self._fresh([commit for commit in commits if commit not in known])
        if not self._repository.is_shallow:
            self._known.keep(fresh)
        known |= fresh
        return [hunk for commit in commits for hunk in known[commit]]

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


def _size(hunks: list[Hunk]) -> int:
    return HUNK_BYTES + sum(HUNK_BYTES + sum(LINE_BYTES + len(line) for line in hunk.lines) for hunk in hunks)


PATCHES = CacheKey[Patches]("patches")


def patch_cache_of(snapshot: Snapshot) -> Patches:
    """The patches of commits, cached for the repository."""
    repository = snapshot.workspace.repository
    return snapshot.workspace.cache.get(PATCHES, repository, lambda: Patches(repository))
