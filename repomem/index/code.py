"""The files of a work tree into the store: which are new, their chunks, and their versions."""

import fnmatch
import hashlib
import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from repomem.adapters.git.attributes import attributes, line_ends
from repomem.adapters.git.objects import blob_id, blob_sizes, blobs_of
from repomem.adapters.git.worktree import read_file, tracked
from repomem.adapters.sqlite.catalog_rows import FileVersion, TableStamp
from repomem.core.config_sections import IndexConfig
from repomem.core.locks import write_lock
from repomem.core.ports import Passage
from repomem.core.secrets.redact import is_secret_path
from repomem.core.shared_storage import SharedFiles
from repomem.core.statistics import Tally
from repomem.core.types.code import Role
from repomem.core.types.indexed import IndexedChunk
from repomem.core.types.worktree import FileMode, TrackedFile, UnreadReason, WorktreeStatus
from repomem.core.workers import WorkerFault, run_in_workers
from repomem.index.parse_messages import FileTask, ParsedFile
from repomem.index.shared_storage import download_outlines
from repomem.index.vectors import cheap_space
from repomem.workspace.embedding_text import add_vectors, passage_of
from repomem.workspace.run import Run
from repomem.workspace.workspace import Workspace

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from repomem.adapters.lance.store import Store


ROWS_PER_TRANSACTION = 8_000  # chunks: about 30 MB in memory; table versions grow with runs, not with files
ROWS_PER_EMBEDDING = 512  # chunks embedded at a time while the workers parse on
MOST_WORKERS = 4  # more parsers than this wait for the process that writes
LINGUIST = ("linguist-generated", "linguist-vendored", "linguist-documentation")
PARSE_WORK = "repomem.index.parse_worker:parse_file"


@dataclass(frozen=True, slots=True)
class LiveFile:
    """A file that the view shows: by its blob in git, or by its bytes on the disk."""

    path: str
    blob: str
    is_on_disk: bool  # its bytes are not in git, or not known to be
    indexed_blob: str = ""  # what git's index has of a file on the disk; empty where it is not tracked


@dataclass(slots=True)
class CodeRun:
    """What became of the files."""

    versions: list[int] = field(default_factory=list)  # of every live file, left out or not
    paths: list[str] = field(default_factory=list)  # of every live file
    left_out: Counter[str] = field(default_factory=Counter)  # of files that have no version
    faults: list[str] = field(default_factory=list)
    parsed: int = 0
    missing: int = 0  # live files that time did not suffice for
    tally: Tally = field(default_factory=Tally)
    tallied: set[int] = field(default_factory=set)  # the versions counted in it
    shared: SharedFiles = field(default_factory=SharedFiles)


def index_code(workspace: Workspace, found: WorktreeStatus, touched: Mapping[str, int], run: Run) -> CodeRun:
    """Index the live files that are not known yet, most often changed lately first (`touched`, by path)."""
    return _indexed(workspace, list(_listed(workspace, found)), found, touched, run)


def index_tree(workspace: Workspace, commit: str, run: Run) -> CodeRun:
    """The same for the files of a commit; a run that is late indexes nothing and counts what is missing."""
    unchanged = WorktreeStatus(commit, None, (), (), (), "")
    return _indexed(workspace, tracked(workspace.repository, commit), unchanged, {}, run)


def _indexed(
    workspace: Workspace, listed: Sequence[TrackedFile], found: WorktreeStatus, touched: Mapping[str, int], run: Run
) -> CodeRun:
    done = CodeRun()
    live = _live_files(workspace, listed, found, done)
    policy = _policy(workspace, _attribute_files(workspace, listed, found))
    known = workspace.catalog.file_versions.known(((file.path, file.blob) for file in live), policy)
    done.versions = list(known.values())
    done.paths = [file.path for file in live]
    new = [file for file in live if (file.path, file.blob) not in known]
    new.sort(key=lambda file: (-touched.get(file.path, 0), file.path))
    if new and run.is_late:
        done.missing = len(new)
    elif new:
        done.shared = download_outlines(workspace, run, {file.blob for file in new})
        with run.progress.stage("Reading files", len(new), "files") as stage:
            writer = _Writer(workspace, policy, done)
            for file, parsed in _parsed(workspace, new, done, run):
                writer.take(file, parsed)
                done.shared.record(file.blob, parsed.entry, is_taken=parsed.is_taken, is_refused=parsed.is_refused)
                stage.advance()
            writer.finish()
    return done


def _live_files(
    workspace: Workspace, listed: Iterable[TrackedFile], found: WorktreeStatus, done: CodeRun
) -> list[LiveFile]:
    """The files that may be indexed, tracked and untracked; why the others are not goes into `done`."""
    changed, deleted = set(found.changed), set(found.deleted)
    config = workspace.loaded.config.index
    live = []
    on_disk: dict[str, str] = {}
    for file in listed:
        if file.path in deleted:
            continue
        reason = _not_a_file(file) or _left_out_by_path(file.path, config)
        if reason:
            done.left_out[reason] += 1
        elif file.blob and file.path not in changed:
            live.append(LiveFile(file.path, file.blob, is_on_disk=False))
        else:
            on_disk[file.path] = file.blob
    for path, data in _read(workspace, on_disk):
        if isinstance(data, UnreadReason):
            done.left_out[data.value] += 1
        else:
            live.append(LiveFile(path, _hashed(workspace, data), is_on_disk=True, indexed_blob=on_disk[path]))
    return live


def _read(workspace: Workspace, blobs: Mapping[str, str]) -> Iterator[tuple[str, bytes | UnreadReason]]:
    """The bytes of these files on the disk as git would store them; `blobs` has what its index has of each."""
    if not blobs:
        return
    ends = line_ends(workspace.repository, {path: blob or None for path, blob in blobs.items()})
    for path in blobs:
        data = read_file(workspace.repository, path, workspace.loaded.config.index.max_file_kb * 1024)
        yield path, data if isinstance(data, UnreadReason) else ends.stored(path, data)


def _listed(workspace: Workspace, found: WorktreeStatus) -> Iterator[TrackedFile]:
    if workspace.repository.top is None:
        return  # a bare repository has a history and no files of its own
    yield from tracked(workspace.repository)
    for path in found.untracked:
        yield TrackedFile(path, "", FileMode.REGULAR)


def _hashed(workspace: Workspace, data: bytes) -> str:
    return blob_id(data, workspace.repository.object_format)


def _not_a_file(file: TrackedFile) -> str:
    if file.mode is FileMode.SYMLINK:
        return "symbolic link"
    if file.mode is FileMode.GITLINK:
        return "submodule"
    return "outside the sparse checkout" if file.is_absent else ""


def _left_out_by_path(path: str, config: IndexConfig) -> str:
    if is_secret_path(path):
        return "named like a secret"
    included = not config.include or any(fnmatch.fnmatchcase(path, glob) for glob in config.include)
    if not included or any(fnmatch.fnmatchcase(path, glob) for glob in config.exclude):
        return "excluded by configuration"
    return ""


def _attribute_files(
    workspace: Workspace, listed: Iterable[TrackedFile], found: WorktreeStatus
) -> Iterator[tuple[str, str]]:
    """Path and blob of every .gitattributes: git heeds one that the configuration keeps out of the index too."""
    changed = {*found.changed, *found.deleted}
    for file in listed:
        if file.path.rpartition("/")[2] != ".gitattributes":
            continue
        if file.blob and file.path not in changed:
            yield file.path, file.blob
            continue
        data = read_file(workspace.repository, file.path, workspace.loaded.config.index.max_file_kb * 1024)
        if isinstance(data, bytes):
            yield file.path, _hashed(workspace, data)


def _policy(workspace: Workspace, attribute_files: Iterable[tuple[str, str]]) -> str:
    """Names what decides over a file beside its path and bytes: options, and every .gitattributes."""
    config = workspace.loaded.config.index
    parts = (config.max_file_kb, config.generated, config.vendored, sorted(attribute_files))
    return hashlib.blake2b(repr(parts).encode("utf-8", "surrogateescape"), digest_size=8).hexdigest()


def _parsed(
    workspace: Workspace, new: Sequence[LiveFile], done: CodeRun, run: Run
) -> Iterator[tuple[LiveFile, ParsedFile]]:
    """Each new file and what is in it, in no certain order; what time does not suffice for is counted missing."""
    limit = workspace.loaded.config.index.max_file_kb * 1024
    sizes = blob_sizes(workspace.repository, {file.blob for file in new if not file.is_on_disk})
    here = []
    for file in new:
        size = 0 if file.is_on_disk else sizes.get(file.blob)
        if size is None:
            done.left_out["not in this partial clone"] += 1
        elif size > limit:
            yield file, ParsedFile(Role.SOURCE, "", f"larger than {limit // 1024} KB")
        else:
            here.append(file)
    fed: set[int] = set()
    again = []
    tasks = _tasks(workspace, here, fed, run, done.shared)
    for at, result in run_in_workers(PARSE_WORK, tasks, processes=_processes(workspace)):
        if isinstance(result, WorkerFault):
            again.append(here[at])
        else:
            yield here[at], result
    done.missing += len(here) - len(fed)
    yield from _parsed_again(workspace, again, done, run)


def _parsed_again(
    workspace: Workspace, files: Sequence[LiveFile], done: CodeRun, run: Run
) -> Iterator[tuple[LiveFile, ParsedFile]]:
    """Files that took a worker along, once more and one at a time: the machine may have been short of memory or time.

    What fails again is left out for good, until its bytes change.
    """
    if not files:
        return
    tasks = _tasks(workspace, files, set(), replace(run, deadline=float("inf")), SharedFiles())
    for at, result in run_in_workers(PARSE_WORK, tasks, processes=1):
        if isinstance(result, WorkerFault):
            done.faults.append(f"{files[at].path}: {result.reason}")
            yield files[at], ParsedFile(Role.SOURCE, "", result.reason)
        else:
            yield files[at], result


def _tasks(
    workspace: Workspace, files: Sequence[LiveFile], fed: set[int], run: Run, shared: SharedFiles
) -> Iterator[tuple[int, FileTask]]:
    config = workspace.loaded.config.index
    kept = {Role.GENERATED: config.generated, Role.VENDORED: config.vendored}
    leave_out = frozenset(role for role, is_kept in kept.items() if not is_kept)
    by_path = attributes(workspace.repository, [file.path for file in files], LINGUIST)
    for at, data in _contents(workspace, files):
        if run.is_late:
            return
        fed.add(at)
        path, blob = files[at].path, files[at].blob
        entry, wants_entry = shared.outlines.get(blob, b""), blob in shared.lacking
        yield at, FileTask(path, data, by_path.get(path, {}), leave_out, entry, wants_entry)


def _contents(workspace: Workspace, files: Sequence[LiveFile]) -> Iterator[tuple[int, bytes]]:
    """The place of each file in `files`, and its bytes; a file that changes meanwhile is left for the next run."""
    places: dict[str, list[int]] = {}
    for at, file in enumerate(files):
        if not file.is_on_disk:
            places.setdefault(file.blob, []).append(at)
    for blob, data in blobs_of(workspace.repository, places):
        for at in places[blob]:
            yield at, data
    on_disk = {file.path: at for at, file in enumerate(files) if file.is_on_disk}
    for path, content in _read(workspace, {path: files[at].indexed_blob for path, at in on_disk.items()}):
        at = on_disk[path]
        if isinstance(content, bytes) and _hashed(workspace, content) == files[at].blob:
            yield at, content


def _processes(workspace: Workspace) -> int:
    return workspace.loaded.config.workers.processes or min(os.cpu_count() or 1, MOST_WORKERS)


class _Writer:
    """Gathers parsed files, and stores them some thousand chunks at a time."""

    def __init__(self, workspace: Workspace, policy: str, done: CodeRun) -> None:
        self._workspace = workspace
        self._policy = policy
        self._done = done
        self._space = cheap_space(workspace)
        self._begin()

    def _begin(self) -> None:
        self._files: list[tuple[LiveFile, ParsedFile, int]] = []
        self._chunks: list[IndexedChunk] = []
        self._waiting: list[Passage] = []  # chunks without a vector yet, where the model is a cheap one
        self._passages: list[Passage] = []  # those that have one
        self._vectors: list[NDArray[np.float16]] = []

    def take(self, file: LiveFile, parsed: ParsedFile) -> None:
        """Add one file; stores what was gathered if that is enough for a transaction."""
        words = 0
        if parsed.chunks:
            words = self._done.tally.add_file([chunk.words for chunk in parsed.chunks])
            if self._space:
                self._waiting += [passage_of(file.path, chunk) for chunk in parsed.chunks]
        self._files.append((file, parsed, words))
        self._chunks += parsed.chunks
        self._done.parsed += 1
        if len(self._waiting) >= ROWS_PER_EMBEDDING:
            self._embed()
        if len(self._chunks) >= ROWS_PER_TRANSACTION:
            self.finish()

    def finish(self) -> None:
        """Store what was gathered: the rows first, then the versions that name them."""
        if not self._files:
            return
        self._embed()
        store = self._workspace.store  # opened before the lock is taken: importing LanceDB takes seconds
        with write_lock(self._workspace.folder):
            first = self._workspace.catalog.file_versions.reserve(len(self._files))
            stamps = self._stored(store, first)
            versions = [self._version(first + at, *gathered) for at, gathered in enumerate(self._files)]
            self._workspace.catalog.file_versions.record(versions, self._policy, stamps)
        self._done.versions += [version.id for version in versions]
        self._done.tallied |= {version.id for version in versions if version.chunks}
        self._begin()

    def _embed(self) -> None:
        if self._waiting:
            self._vectors.append(self._workspace.embedder.embed(self._waiting))
            self._passages += self._waiting
            self._waiting = []

    def _stored(self, store: "Store", first: int) -> dict[str, TableStamp]:
        import numpy as np

        if not self._chunks:
            return {}
        numbered: list[IndexedChunk] = []
        for at, (_, parsed, _) in enumerate(self._files):
            numbered += [chunk._replace(version=first + at) for chunk in parsed.chunks]
        store.add_chunks(numbered)
        stamps = {"chunks": TableStamp(*store.stamp("chunks"))}
        if self._space:
            versions = [chunk.version for chunk in numbered]
            vectors = np.concatenate(self._vectors)
            stamps |= add_vectors(self._workspace, self._space, versions, self._passages, vectors)
        return stamps

    @staticmethod
    def _version(number: int, file: LiveFile, parsed: ParsedFile, words: int) -> FileVersion:
        return FileVersion(
            id=number,
            path=file.path,
            blob=file.blob,
            role=parsed.role,
            language=parsed.language,
            left_out=parsed.left_out,
            lines=parsed.lines,
            bytes=sum(len(chunk.text) for chunk in parsed.chunks),
            chunks=len(parsed.chunks),
            words=words,
        )
