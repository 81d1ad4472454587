"""The files of a repository's worktree: tracked, changed and untracked paths, their bytes, and the folders to watch.

Git lists the paths; the bytes come from the disk or from git's objects. Nothing outside the worktree is read: symbolic
links are not followed, and nested repositories are not entered.
"""

import errno
import hashlib
import os
import stat
from collections.abc import Iterable, Iterator
from pathlib import Path

from repomem.adapters.git.log import head_of, resolve
from repomem.adapters.git.repository import Repository
from repomem.adapters.git.special_files import refuse_special_files_below
from repomem.core.errors import GitTimeout
from repomem.core.files import NO_LINK, NO_WAIT
from repomem.core.secrets.redact import redact
from repomem.core.types.worktree import FileMode, TrackedFile, UnreadReason, WorktreeStatus

OPEN_FOLDER = os.O_RDONLY | NO_LINK | getattr(os, "O_DIRECTORY", 0)
STATUS = (
    "status",
    "--porcelain=v2",
    "-z",
    "--branch",
    "--no-renames",
    "--untracked-files=all",
    "--ignore-submodules=dirty",  # a submodule is another repository: git would run inside it
)
LONG_STATUS = 20.0  # seconds before searching for a pipe that blocks git; a million cached files take less
LONGEST_STATUS = 600.0  # seconds
OPEN_FILE = os.O_RDONLY | NO_LINK | NO_WAIT
JUNCTION = 0xA0000003  # IO_REPARSE_TAG_MOUNT_POINT: a link to a folder, which Path.is_symlink does not report


def status(repository: Repository, limit: float | None = None) -> WorktreeStatus:
    """The status of the worktree, by one call of git; a bare repository has only a HEAD.

    Raises GitTimeout after about `limit` seconds, by default LONGEST_STATUS.
    """
    if repository.top is None:
        head, branch = head_of(repository)
        return WorktreeStatus(head, branch, (), (), (), _fingerprint(repository, [f"{head} {branch}".encode()], ()))
    entries = _listed(repository, repository.top, limit or LONGEST_STATUS).split(b"\0")
    entries = [
        entry for entry in entries if entry and not entry.startswith((b"# branch.up", b"# branch.ab", b"# stash"))
    ]
    head, branch, files = None, None, []
    for entry in entries:
        if entry.startswith(b"# branch.oid ") and not entry.endswith(b"(initial)"):
            head = entry[13:].decode()
        elif entry.startswith(b"# branch.head ") and not entry.endswith(b"(detached)"):
            branch = redact(os.fsdecode(entry[14:]))
        elif not entry.startswith(b"#"):
            files.append(_entry(entry))
    changed, deleted, untracked, staged = (
        tuple(sorted(path for kind, path in files if kind == wanted))
        for wanted in ("changed", "deleted", "untracked", "staged")
    )
    fingerprint = _fingerprint(repository, entries, (*changed, *untracked))
    return WorktreeStatus(head, branch, changed, deleted, untracked, fingerprint, staged)


def _listed(repository: Repository, top: Path, limit: float) -> bytes:
    """What `git status` lists.

    If it takes long, git may be blocked by a pipe in some folder: GitError names it. Raises GitTimeout if there is none
    and git takes too long, such as for a pattern with many stars.
    """
    try:
        with repository.stream(*STATUS, limit=LONG_STATUS) as output:
            return output.read()
    except GitTimeout:
        refuse_special_files_below(top)
        if limit <= LONG_STATUS:
            raise
    with repository.stream(*STATUS, limit=limit) as output:
        return output.read()


def is_dirty(repository: Repository) -> bool:
    """Whether a file of the worktree or the index differs from the commit, or is new and not ignored."""
    listing = ("--porcelain", "-z", "--no-renames", "--ignore-submodules=all")
    return repository.top is not None and bool(repository.read("status", *listing))


def _entry(entry: bytes) -> tuple[str, str]:
    """The kind of a porcelain v2 line (changed, deleted, untracked, staged or empty) and its path."""
    mark = entry[:1]
    if mark == b"?":
        path = os.fsdecode(entry[2:])
        return "" if path.endswith("/") else "untracked", path  # a folder is a nested repository
    if mark == b"u":
        return "changed", os.fsdecode(entry.split(b" ", 10)[10])
    _, states, submodule, _, _, _, _, _, path_bytes = entry.split(b" ", 8)
    on_disk = chr(states[1])
    if submodule != b"N...":
        return "", os.fsdecode(path_bytes)
    if on_disk == ".":
        return "staged", os.fsdecode(path_bytes)
    return "deleted" if on_disk == "D" else "changed", os.fsdecode(path_bytes)


def _fingerprint(repository: Repository, entries: Iterable[bytes], paths: Iterable[str]) -> str:
    """A hash of git's answer, of time, size and inode of the listed files, and of the sparse checkout.

    It covers the index too: entries that differ from the head's tree are listed with their object ids.
    """
    digest = hashlib.sha256()
    for entry in sorted(entries):
        digest.update(entry + b"\0")
    top = repository.top or repository.git_dir
    for path in paths:
        digest.update(os.fsencode(f"{path}\0{_identity(top / path)}\0"))
    is_sparse = repository.settings.get("core.sparsecheckout", "false")
    digest.update(f"{is_sparse} {_identity(repository.git_dir / 'info' / 'sparse-checkout')}".encode())
    return digest.hexdigest()


def _identity(path: Path) -> str:
    try:
        found = path.lstat()
    except OSError:
        return "absent"
    return f"{found.st_mtime_ns} {found.st_ctime_ns} {found.st_size} {found.st_ino}"


def tracked(repository: Repository, revision: str | None = None) -> list[TrackedFile]:
    """The files of the index, or of a revision's tree; of the head's tree if there is no worktree.

    An unmerged path is listed once, with our side. Raises NotFound if the revision names no commit.
    """
    if revision is None and repository.is_bare:
        revision = head_of(repository)[0]
        if revision is None:
            return []
    if revision is None:
        return _indexed(repository)
    listing = repository.read("ls-tree", "-r", "-z", "--full-tree", resolve(repository, revision))
    files = []
    for entry in filter(None, listing.split(b"\0")):
        facts, _, path = entry.partition(b"\t")
        mode, _, blob = facts.decode().split(" ")
        files.append(TrackedFile(os.fsdecode(path), blob, _mode(mode)))
    return files


def _indexed(repository: Repository) -> list[TrackedFile]:
    files: dict[str, TrackedFile] = {}
    for entry in filter(None, os.fsdecode(repository.read("ls-files", "-s", "-v", "-z")).split("\0")):
        facts, _, path = entry.partition("\t")
        tag, mode, blob, stage = facts.split(" ")
        if path not in files or stage == "2":
            files[path] = TrackedFile(path, blob, _mode(mode), is_absent=tag in "Ss")
    return list(files.values())


def _mode(octal: str) -> FileMode:
    bits = int(octal, 8)
    if stat.S_IFMT(bits) == 0o160000:
        return FileMode.GITLINK
    if stat.S_ISLNK(bits):
        return FileMode.SYMLINK
    return FileMode.EXECUTABLE if bits & 0o100 else FileMode.REGULAR


def read_file(repository: Repository, path: str, limit: int) -> bytes | UnreadReason:
    """The bytes of a file of the worktree, at most `limit`, or the reason why it is not read.

    Every folder of the path is opened without following links, so the file is in the worktree even while folders are
    renamed. A FIFO, socket or device is never waited for.
    """
    parts = path.split("/")
    if repository.top is None or any(part in ("", ".", "..") for part in parts):
        return UnreadReason.UNREADABLE
    try:
        descriptor = _open_within(repository.top, parts)
    except OSError as exc:
        return _why_unopened(exc, repository.top, parts)
    try:
        return _bytes_of(descriptor, limit)
    except OSError:
        return UnreadReason.UNREADABLE
    finally:
        os.close(descriptor)


def _bytes_of(descriptor: int, limit: int) -> bytes | UnreadReason:
    found = os.fstat(descriptor)
    if not stat.S_ISREG(found.st_mode):
        return UnreadReason.NOT_REGULAR
    if found.st_size > limit:
        return UnreadReason.TOO_LARGE
    with os.fdopen(descriptor, "rb", closefd=False) as file:
        data = file.read(limit + 1)  # it may grow while it is read
    return UnreadReason.TOO_LARGE if len(data) > limit else data


def _open_within(top: Path, parts: list[str]) -> int:
    if os.open not in os.supports_dir_fd:
        return _open_unlinked(top, parts)
    folder = os.open(top, OPEN_FOLDER)
    try:
        for part in parts[:-1]:
            inner = os.open(part, OPEN_FOLDER, dir_fd=folder)
            os.close(folder)
            folder = inner
        return os.open(parts[-1], OPEN_FILE, dir_fd=folder)
    finally:
        os.close(folder)


def _open_unlinked(top: Path, parts: list[str]) -> int:
    """The same on Windows, which opens no folders: a link that is put there after the check is followed."""
    if any("\\" in part or ":" in part for part in parts):  # other folders, drives and streams
        raise OSError(errno.EINVAL, "not a name of a file on Windows")
    paths = [top.joinpath(*parts[:depth]) for depth in range(1, len(parts) + 1)]
    if any(path.is_symlink() or _is_junction(path) for path in paths):
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))
    return os.open(paths[-1], OPEN_FILE)


def _is_junction(path: Path) -> bool:
    return getattr(path.lstat(), "st_reparse_tag", 0) == JUNCTION


def _why_unopened(exc: OSError, top: Path, parts: list[str]) -> UnreadReason:
    if exc.errno == errno.ELOOP:
        return UnreadReason.SYMLINK
    if exc.errno == errno.ENOTDIR:  # a folder of its path is a link now, or a file
        folders = (top.joinpath(*parts[:depth]) for depth in range(1, len(parts)))
        return UnreadReason.SYMLINK if any(folder.is_symlink() for folder in folders) else UnreadReason.VANISHED
    if exc.errno == errno.ENXIO:
        return UnreadReason.NOT_REGULAR  # a socket
    return UnreadReason.VANISHED if exc.errno == errno.ENOENT else UnreadReason.UNREADABLE


def tree_folders(repository: Repository) -> Iterator[Path]:
    """The folders of the worktree, also empty ones, without ignored folders, links and nested repositories."""
    if repository.top is None:
        return
    ignored = _ignored(repository)
    waiting = [""]
    while waiting:
        prefix = waiting.pop()
        names = _folders_and_git(repository.top / prefix)
        if prefix and ".git" in names:
            continue  # another repository's worktree
        yield repository.top / prefix
        waiting += [path for name in names if name != ".git" and (path := f"{prefix}{name}/") not in ignored]


def git_folders(repository: Repository) -> Iterator[Path]:
    """The folders of the git directory that a commit, checkout, merge or staging changes."""
    yield from {repository.git_dir, repository.common_dir}
    yield from (Path(folder) for folder, _, _ in os.walk(repository.common_dir / "refs" / "heads"))


def _ignored(repository: Repository) -> set[str]:
    """The paths of ignored folders, with a slash at their end.

    From `git status`, which does not enter them; `ls-files --directory` also lists folders with only ignored files.
    """
    listing = ("--porcelain", "-z", "--no-renames", "--ignore-submodules=all")
    entries = repository.read("status", *listing, "--untracked-files=all", "--ignored=matching").split(b"\0")
    return {os.fsdecode(entry[3:]) for entry in entries if entry.startswith(b"!! ") and entry.endswith(b"/")}


def _folders_and_git(folder: Path) -> list[str]:
    """The names of a folder's subfolders, and `.git` of any kind; empty if it cannot be read."""
    try:
        with os.scandir(folder) as entries:
            return [entry.name for entry in entries if entry.name == ".git" or entry.is_dir(follow_symlinks=False)]
    except OSError:
        return []
