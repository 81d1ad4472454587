"""The memories that briefs have shown: one line of ids per brief in a spool file, read only by consolidation.

No brief depends on it. A lost line loses only a hint, so nothing is locked or synced.
"""

from collections.abc import Collection, Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from repomem.core.files import append_to
from repomem.core.ulid import is_ulid, new_ulid
from repomem.workspace.workspace import Workspace

SPOOL = "recalls"
MOST_BYTES = 64 * 1024  # kept until the next consolidation: two thousand ids


@dataclass(frozen=True, slots=True)
class RecallSpool:
    """A spool set aside for counting; its `token` in the ledger marks it as counted."""

    path: Path
    token: str
    ids: tuple[str, ...]


def spool_recall(workspace: Workspace, ids: Iterable[str]) -> None:
    """Note that a brief has shown these memories, if the folder is writable."""
    line = " ".join(sorted(filter(is_ulid, ids))).encode() + b"\n"
    if len(line) == 1:
        return
    with suppress(OSError):
        append_to(workspace.folder / SPOOL, line, MOST_BYTES)


def taken_spools(workspace: Workspace) -> tuple[list[RecallSpool], list[Path]]:
    """The spools to count now, oldest first, and the unreadable ones, which stay for the next run.

    The current spool is renamed first; running recalls start another one.
    """
    with suppress(OSError):
        (workspace.folder / SPOOL).rename(workspace.folder / f"{SPOOL}.{new_ulid()}")
    aside = sorted(path for path in workspace.folder.glob(f"{SPOOL}.*") if is_ulid(path.suffix[1:]))
    taken, unread = list[RecallSpool](), list[Path]()
    for path in aside:
        try:
            taken.append(RecallSpool(path, path.suffix[1:], _ids(path)))
        except OSError:
            unread.append(path)
    return taken, unread


def spooled_ids(workspace: Workspace) -> set[str]:
    """The spooled ids; the spools stay."""
    found: set[str] = set()
    for path in workspace.folder.glob(f"{SPOOL}*"):
        with suppress(OSError):
            found.update(_ids(path))
    return found


def drop_spools(spools: Collection[RecallSpool]) -> None:
    """Delete counted spools."""
    for each in spools:
        with suppress(OSError):
            each.path.unlink()


def _ids(path: Path) -> tuple[str, ...]:
    """The distinct ids in a spool; anything else, such as a truncated line, is skipped."""
    with path.open("rb") as file:
        words = file.read(MOST_BYTES).decode("ascii", "replace").split()
    return tuple(sorted(set(filter(is_ulid, words))))
