"""The files that a view shows, tracked and untracked, and their bytes; and why the others are left out."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from repomem.adapters.git.attributes import line_ends
from repomem.adapters.git.objects import blob_id, blobs_of
from repomem.adapters.git.worktree import read_file, tracked
from repomem.core.config_sections import IndexConfig
from repomem.core.digests import short_digest
from repomem.core.grouping import grouped_by
from repomem.core.scopes import fits
from repomem.core.secrets.redact import is_secret_path
from repomem.core.types.worktree import FileMode, TrackedFile, UnreadReason, WorktreeStatus
from repomem.workspace.workspace import Workspace

NOT_FILES = {FileMode.SYMLINK: "symbolic link", FileMode.GITLINK: "submodule"}  # why they are left out


@dataclass(frozen=True, slots=True)
class LiveFile:
    """A file that the view shows: by its blob in git, or by its bytes on the disk."""

    path: str
    blob: str
    is_on_disk: bool  # its bytes are not in git, or not known to be
    indexed_blob: str = ""  # git's index entry of a file on the disk; empty if untracked


def live_files(
    workspace: Workspace, listed: Iterable[TrackedFile], found: WorktreeStatus, left_out: Counter[str]
) -> list[LiveFile]:
    """The files that may be indexed, tracked and untracked; why the others are not is counted in `left_out`."""
    changed, deleted = set(found.changed), set(found.deleted)
    config = workspace.loaded.config.index
    live = []
    on_disk: dict[str, str] = {}
    for file in listed:
        if file.path in deleted:
            continue
        reason = NOT_FILES.get(file.mode) or ("outside the sparse checkout" if file.is_absent else "")
        reason = reason or _left_out_by_path(file.path, config)
        if reason:
            left_out[reason] += 1
        elif file.blob and file.path not in changed:
            live.append(LiveFile(file.path, file.blob, is_on_disk=False))
        else:
            on_disk[file.path] = file.blob
    for path, data in _read(workspace, on_disk):
        if isinstance(data, UnreadReason):
            left_out[data.value] += 1
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


def listed_files(workspace: Workspace, found: WorktreeStatus) -> Iterator[TrackedFile]:
    if workspace.repository.top is None:
        return  # a bare repository has a history but no files
    yield from tracked(workspace.repository)
    for path in found.untracked:
        yield TrackedFile(path, "", FileMode.REGULAR)


def _hashed(workspace: Workspace, data: bytes) -> str:
    return blob_id(data, workspace.repository.object_format)


def _left_out_by_path(path: str, config: IndexConfig) -> str:
    if is_secret_path(path):
        return "named like a secret"
    included = not config.include or any(fits(glob, path) for glob in config.include)
    if not included or any(fits(glob, path) for glob in config.exclude):
        return "excluded by configuration"
    return ""


def attribute_files(
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


def policy_of(workspace: Workspace, attribute_files: Iterable[tuple[str, str]]) -> str:
    """A key of the inputs other than path and bytes that decide over a file: options and all .gitattributes."""
    config = workspace.loaded.config.index
    parts = (config.max_file_kb, config.generated, config.vendored, sorted(attribute_files))
    return short_digest(repr(parts))


def contents_of(workspace: Workspace, files: Sequence[LiveFile]) -> Iterator[tuple[int, bytes]]:
    """The place of each file in `files`, and its bytes; a file that changes meanwhile is left for the next run."""
    in_git = (at for at, file in enumerate(files) if not file.is_on_disk)
    places = grouped_by(in_git, lambda at: files[at].blob)
    for blob, data in blobs_of(workspace.repository, places):
        for at in places[blob]:
            yield at, data
    on_disk = {file.path: at for at, file in enumerate(files) if file.is_on_disk}
    for path, content in _read(workspace, {path: files[at].indexed_blob for path, at in on_disk.items()}):
        at = on_disk[path]
        if isinstance(content, bytes) and _hashed(workspace, content) == files[at].blob:
            yield at, content
