"""The contents and fingerprints of blobs, each fetched and parsed once, when they are needed.

Files are parsed in a worker process; files above the size limit of the index are not read.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from repomem.adapters.git.objects import blob_sizes, blobs_of
from repomem.core.processes.workers import WorkerFault, run_in_workers
from repomem.core.types.code import SymbolPrint
from repomem.memories.anchors.live_files import stored_files
from repomem.workspace.workspace import Workspace

PRINT_WORK = "repomem.memories.anchors.fingerprint_worker:print_file"
MOST_HELD = 64 << 20  # bytes of file contents in memory

Wanted = list[tuple[str, str]]  # blob and path of files


@dataclass(slots=True)
class Fingerprints:
    """The fingerprints of the blobs that were learned."""

    workspace: Workspace
    known: dict[str, tuple[SymbolPrint, ...]] = field(default_factory=dict)
    _contents: dict[str, bytes] = field(default_factory=dict)
    _size: int = 0  # bytes in _contents

    def of(self, blob: str) -> tuple[SymbolPrint, ...]:
        """The fingerprints of a learned blob; none if it could not be read."""
        return self.known.get(blob, ())

    def learn(self, wanted: Iterable[tuple[str, str]]) -> None:
        """Parse the blobs that are not known yet."""
        paths = {blob: path for blob, path in wanted if blob and blob not in self.known}
        if not paths:
            return
        self.known |= dict.fromkeys(paths, ())
        tasks = ((blob, (paths[blob], data)) for blob, data in self.contents(paths.items()))
        for blob, result in run_in_workers(PRINT_WORK, tasks, processes=1):
            if not isinstance(result, WorkerFault):
                self.known[blob] = result

    def of_text(self, path: str, data: bytes) -> tuple[SymbolPrint, ...]:
        """The fingerprints of a text that is no blob."""
        results = run_in_workers(PRINT_WORK, [("", (path, data))], processes=1)
        return next((result for _, result in results if not isinstance(result, WorkerFault)), ())

    def contents(self, wanted: Iterable[tuple[str, str]]) -> Iterator[tuple[str, bytes]]:
        """Each readable blob with its bytes, from git or from the worktree."""
        missing = {blob: path for blob, path in wanted if blob}
        for blob in [blob for blob in missing if blob in self._contents]:
            del missing[blob]
            yield blob, self._contents[blob]
        for blob, data in self._read(missing):
            if self._size + len(data) > MOST_HELD:
                self._contents.clear()
                self._size = 0
            self._contents[blob] = data
            self._size += len(data)
            yield blob, data

    def lines_of(self, blob: str, path: str) -> list[bytes]:
        """The lines of a blob; none if it cannot be read."""
        return dict(self.contents([(blob, path)])).get(blob, b"").splitlines()

    def text_of(self, blob: str, path: str, one: SymbolPrint) -> bytes:
        """The lines of a symbol in a blob, with LF line ends; empty if the blob cannot be read."""
        return b"\n".join(self.lines_of(blob, path)[one.start_line - 1 : one.end_line])

    def _read(self, paths: Mapping[str, str]) -> Iterator[tuple[str, bytes]]:
        if not paths:
            return
        most = self.workspace.loaded.config.index.max_file_kb * 1024
        sizes = blob_sizes(self.workspace.repository, paths)
        small = [blob for blob, size in sizes.items() if size is not None and size <= most]
        yield from blobs_of(self.workspace.repository, small)
        missing = {blob: path for blob, path in paths.items() if sizes[blob] is None}
        found = stored_files(self.workspace, list(dict.fromkeys(missing.values())))
        yield from ((blob, data) for _, blob, data in found if blob in missing)
