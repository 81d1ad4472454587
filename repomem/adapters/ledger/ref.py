"""The shared ledger in git: one commit without parents, with a file for each writer and month.

    format                         the version of this layout
    writers/<writer>/<year-month>  lines, see `adapters.ledger.lines`, by id

Equal lines give the same commit, and no history keeps purged lines. The commit is made in a scratch repository that is
deleted after the sync, so the user's clone never contains its objects.
"""

import os
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

from repomem.adapters.git.objects import blob_sizes, blobs_of
from repomem.adapters.git.repository import Repository
from repomem.adapters.git.run import running
from repomem.adapters.ledger.shared_lines import SharedLine, lines_in, month_of
from repomem.core.disk_errors import store_errors
from repomem.core.errors import GitError
from repomem.core.text.lazy_pattern import lazy_pattern
from repomem.core.ulid import time_of

REF = "refs/repomem/ledger"
FORMAT = b"1\n"
MOST_BYTES = 1 << 28  # of all files; repomem never writes more
WHO = "repomem <repomem@localhost>"
_FILE = lazy_pattern(r"writers/(?P<writer>[0-9a-f]{16})/\d{4}-\d{2}")


@dataclass(frozen=True, slots=True)
class Scratch:
    """A bare repository for one sync of a clone."""

    repository: Repository
    around: Repository

    @property
    def variables(self) -> dict[str, str]:
        """The environment with which git, run in the clone, writes its objects here."""
        return {
            "GIT_OBJECT_DIRECTORY": str(self.repository.git_dir / "objects"),
            "GIT_ALTERNATE_OBJECT_DIRECTORIES": _quoted(self.around.common_dir / "objects"),
        }


@contextmanager
def scratch_for(repository: Repository, folder: Path) -> Iterator[Scratch]:
    """Make an empty scratch repository in `folder`, and delete it at the end. Raises StoreError."""
    with store_errors("write", folder):
        clear(folder)
        folder.mkdir(mode=0o700)
    try:
        with running(["init", "--quiet", "--bare", f"--object-format={repository.object_format}", str(folder)]) as it:
            it.read()
        others = folder / "objects" / "info" / "alternates"  # a clone made from a folder has its objects
        others.write_bytes(os.fsencode(_quoted(repository.common_dir / "objects") + "\n"))
        yield Scratch(Repository(None, folder, folder, repository.object_format, is_shallow=False), repository)
    finally:
        with suppress(OSError):  # the next sync, or a purge, tries again
            clear(folder)


def clear(folder: Path) -> None:
    """Delete the files of an interrupted sync. Raises OSError."""
    if folder.exists():
        shutil.rmtree(folder)


def read_lines(repository: Repository, commit: str) -> list[SharedLine]:
    """The lines of a shared ledger. Raises GitError if it is of a later version or not a ledger."""
    files = dict(_files(repository, commit))
    kept = files.pop("format", "")
    if not kept or b"".join(data for _, data in blobs_of(repository, [kept])) != FORMAT:
        raise GitError(f"{REF} was written by a later version, or is not a ledger", "upgrade repomem and sync again")
    writers = {path: found["writer"] for path in files if (found := _FILE.fullmatch(path))}
    sizes = blob_sizes(repository, {files[path] for path in writers})
    if sum(size or 0 for size in sizes.values()) > MOST_BYTES:
        raise GitError(
            f"{REF} is larger than a ledger can be", "find out who pushed to it, or delete that ref on the remote"
        )
    by_blob = dict(blobs_of(repository, sorted({files[path] for path in writers})))
    return [line for path in sorted(writers) for line in lines_in(writers[path], by_blob.get(files[path], b""))]


def write_lines(repository: Repository, lines: Sequence[SharedLine]) -> str:
    """Commit these sorted lines; the commit's hash."""
    repository.read("fast-import", "--quiet", "--force", "--done", feed=b"".join(_imported(lines)))
    return repository.read("rev-parse", "--verify", REF).decode().strip()


def _files(repository: Repository, commit: str) -> Iterator[tuple[str, str]]:
    """The path and blob of each file of a commit."""
    for entry in repository.read("ls-tree", "-r", "-z", "--full-tree", commit).split(b"\0"):
        head, _, path = entry.partition(b"\t")
        if path:
            _, kind, blob = head.decode().split()
            if kind == "blob":
                yield os.fsdecode(path), blob


def _imported(lines: Sequence[SharedLine]) -> Iterator[bytes]:
    """The input of `git fast-import`: one commit, with the date of the last line."""
    date = max((int(time_of(each.id)) for each in lines), default=0)
    yield f"feature done\nreset {REF}\ncommit {REF}\ncommitter {WHO} {date} +0000\n".encode()
    yield _data(b"The memory of this repository: repomem sync\n")
    yield b"M 100644 inline format\n" + _data(FORMAT)
    for (writer, month), part in groupby(lines, key=lambda each: (each.writer, month_of(each))):
        yield f"M 100644 inline writers/{writer}/{month}\n".encode() + _data(b"".join(each.line for each in part))
    yield b"\ndone\n"


def _data(content: bytes) -> bytes:
    return b"data %d\n%s\n" % (len(content), content)


def _quoted(path: Path) -> str:
    """A path, quoted for a list that git reads."""
    text = str(path).replace("\\", "\\\\").replace('"', '\\"')
    return f'"{text}"'
