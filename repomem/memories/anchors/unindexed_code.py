"""Definitions in files that changed after the last index run: agents remember things about code just written."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from repomem.adapters.languages.file_roles import role_of
from repomem.core.text.symbol_names import last_part
from repomem.core.types.code import Role, SymbolPrint
from repomem.memories.anchors.commits import COPIES
from repomem.memories.anchors.fingerprints import Fingerprints
from repomem.memories.anchors.live_files import live_files_now
from repomem.workspace.freshness import fingerprint, status_of
from repomem.workspace.snapshot import Snapshot

MOST_CHANGED = 200  # files that are searched; after a larger change, the names in it say little


@dataclass(frozen=True)
class UnindexedCode:
    """The files that were written or changed after a snapshot was published."""

    snapshot: Snapshot

    @cached_property
    def blobs(self) -> Mapping[str, str]:
        """Path to blob of the changed files; none at an earlier commit, and none if too many changed."""
        workspace = self.snapshot.workspace
        found = status_of(workspace)
        is_indexed = self.snapshot.worktree.fingerprint == fingerprint(workspace, found)
        if self.snapshot.past or is_indexed or len(found.changed) + len(found.untracked) > MOST_CHANGED:
            return {}
        now, before = live_files_now(workspace).blobs, self.snapshot.tree.blobs
        changed = {path: blob for path, blob in now.items() if before.get(path) != blob}
        own = {path: blob for path, blob in changed.items() if role_of(path, "", {}) not in COPIES}
        return own if len(own) <= MOST_CHANGED else {}

    @cached_property
    def roles(self) -> Mapping[str, Role]:
        """The role of each of them."""
        return {path: role_of(path, "", {}) for path in self.blobs}

    def defining(self, names: Collection[str]) -> Iterator[tuple[str, SymbolPrint]]:
        """Path and symbol of the definitions that are called by one of these names."""
        words = [name.encode() for name in names]
        contents = self._prints.contents((blob, path) for path, blob in self.blobs.items())
        having = {blob for blob, data in contents if any(word in data for word in words)}
        paths = {path: blob for path, blob in self.blobs.items() if blob in having}
        self._prints.learn((blob, path) for path, blob in paths.items())
        for path, blob in paths.items():
            yield from ((path, one) for one in self._prints.of(blob) if last_part(one.qualified) in names)

    @cached_property
    def _prints(self) -> Fingerprints:
        return Fingerprints(self.snapshot.workspace)
