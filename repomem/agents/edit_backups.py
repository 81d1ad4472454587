"""Receipts of edits in other programs' files, so that each edit can be undone to the byte.

A receipt contains the inserted texts and the texts that they replaced, never the whole file. It is stored in the user's
state folder under a hash of the file's path and the host. Without it an entry can still be removed, but less exactly.
"""

import hashlib
import json
import os
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from repomem.adapters.settings.edits import Edit, taken_back, taken_back_by_text
from repomem.adapters.settings.files import read_foreign
from repomem.core.disk_errors import disk_hint
from repomem.core.errors import ForeignError, RepomemError
from repomem.core.files import replace_file

EXPORT = "export"  # in the place of a host: the file that `repomem export` wrote first
NOT_UTF8 = "surrogateescape"  # keeps arbitrary bytes intact in JSON


@dataclass(frozen=True, slots=True)
class Receipt:
    """The edit of one file. `digest` is of the file as written; `made` are the paths that did not exist before."""

    edits: tuple[Edit, ...]
    digest: str
    made: tuple[tuple[str, ...], ...] = ()
    is_new_file: bool = False
    folders: tuple[str, ...] = ()  # created for the file, outermost first

    def is_of(self, content: bytes) -> bool:
        """Whether the file is unchanged since it was written."""
        return self.digest == digest_of(content)

    def undone(self, content: bytes) -> bytes:
        """The file without those edits that are still found in it."""
        return taken_back(content, self.edits) if self.is_of(content) else taken_back_by_text(content, self.edits)


def digest_of(content: bytes) -> str:
    """The digest by which a receipt identifies a file's content."""
    return hashlib.sha256(content).hexdigest()


def receipt_of(path: Path, host: str) -> Receipt | None:
    """The receipt for a file; None if there is none or it is unreadable."""
    return _read(_place(path, host), lambda said: _decoded(said, path)) or _of_same_bytes(path, host)


def keep_receipt(path: Path, host: str, receipt: Receipt) -> None:
    """Write a receipt, replacing an older one."""
    place = _place(path, host)
    content = json.dumps({"path": str(path), "host": host, **asdict(receipt)}, indent=1, default=_text)
    try:
        place.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        replace_file(place, content.encode())
    except OSError as error:
        hint = disk_hint(error, "check the folder's owner and mode: no file is changed without a backup")
        raise RepomemError(f"cannot write the backup {place}: {error.strerror}", hint) from error


def was_created(path: Path, host: str | None) -> bool:
    """Whether repomem created a file here, for this host or by an export; False without a receipt."""
    receipts = (receipt_of(path, name) for name in (host, EXPORT) if name)
    return any(receipt.is_new_file for receipt in receipts if receipt)


def missing_folders(path: Path) -> tuple[str, ...]:
    """The folders to create for a file, outermost first."""
    missing = [folder for folder in path.parents if not folder.exists()]
    return tuple(map(str, reversed(missing)))


def drop_receipt(path: Path, host: str) -> None:
    """Delete the receipt for a file."""
    with suppress(OSError):
        _place(path, host).unlink(missing_ok=True)


def _of_same_bytes(path: Path, host: str) -> Receipt | None:
    """The receipt for the same bytes in another folder: this one's clone was moved or copied since."""
    content = None
    with suppress(ForeignError):
        content = read_foreign(path).content
    if content is None or b"repomem" not in content:
        return None
    digest = digest_of(content)

    def if_same(said: dict[str, Any]) -> Receipt | None:
        is_same = said["host"] == host and said["digest"] == digest and Path(said["path"]).name == path.name
        return _decoded(said, path) if is_same else None

    places = sorted(_place(path, host).parent.glob("*.json"))
    return next(filter(None, (_read(place, if_same) for place in places)), None)


def _read(place: Path, decoded: Callable[[dict[str, Any]], Receipt | None]) -> Receipt | None:
    try:
        return decoded(json.loads(place.read_bytes()))
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return None


def _place(path: Path, host: str) -> Path:
    from platformdirs import user_state_path

    name = hashlib.blake2b(os.fsencode(f"{path.absolute()}\0{host}"), digest_size=12).hexdigest()
    return user_state_path("repomem", appauthor=False) / "receipts" / f"{name}.json"


def _decoded(said: dict[str, Any], path: Path) -> Receipt:
    """The receipt, with its folders as those that contain the file now."""
    edits = tuple(
        Edit(int(each["start"]), _bytes(each["replaced"]), _bytes(each["inserted"])) for each in said["edits"]
    )
    made = tuple(tuple(map(str, path)) for path in said["made"])
    depths = [len(Path(said["path"]).relative_to(folder).parts) for folder in said["folders"]]
    folders = tuple(str(path.parents[depth - 1]) for depth in depths if depth <= len(path.parents))
    return Receipt(edits, str(said["digest"]), made, bool(said["is_new_file"]), folders)


def _text(content: bytes) -> str:
    return content.decode("utf-8", NOT_UTF8)


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", NOT_UTF8)
