"""Whom the user trusts: config files of repositories, each pinned to its absolute path and the hash of its content,
and the writers whose memories a sync brings, each in one repository.

The list is one JSON file in the user's state folder. Two processes that trust at the same moment may lose one of the
two entries: that file is then not trusted, and `repomem trust` is run again.
"""

import hashlib
import json
import os
from pathlib import Path

from repomem.core.errors import RepomemError


def trust(path: Path, data: bytes) -> None:
    """Trust the file at `path` as long as its content is `data`."""
    _write(_trusted() | {_key(path): _digest(data)})


def is_trusted(path: Path, data: bytes) -> bool:
    """Whether the user trusted this very content at this very place."""
    return _trusted().get(_key(path)) == _digest(data)


def distrust(path: Path) -> None:
    """Forget that the file at `path` was trusted."""
    entries = _trusted()
    if entries.pop(_key(path), None) is not None:
        _write(entries)


def trust_writer(repository: str, writer: str, name: str) -> None:
    """Trust what a writer says of a repository; `name` is what people call him."""
    _write(_trusted() | {f"{_writers(repository)}{writer}": name})


def distrust_writer(repository: str, writer: str) -> None:
    """Forget that he was trusted."""
    entries = _trusted()
    if entries.pop(f"{_writers(repository)}{writer}", None) is not None:
        _write(entries)


def trusted_writers(repository: str) -> dict[str, str]:
    """The writers who are trusted in a repository, and their names."""
    start = _writers(repository)
    return {key.removeprefix(start): name for key, name in _trusted().items() if key.startswith(start)}


def _writers(repository: str) -> str:
    return f"writer:{repository}:"  # no absolute path starts so


def _key(path: Path) -> str:
    return str(path.resolve())


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _list_file() -> Path:
    from platformdirs import user_state_path

    return user_state_path("repomem", appauthor=False) / "trust.json"


def _trusted() -> dict[str, str]:
    """Hash by path; nothing where the list is missing or broken: a list that cannot be read trusts nobody."""
    try:
        entries = json.loads(_list_file().read_bytes())
    except (OSError, ValueError, RecursionError):
        return {}
    if not isinstance(entries, dict):
        return {}
    return {path: digest for path, digest in entries.items() if isinstance(digest, str)}


def _write(entries: dict[str, str]) -> None:
    """Replace the list as a whole, so that a crash leaves the old one or the new one."""
    target = _list_file()
    draft = target.with_name(f"{target.name}.{os.getpid()}")
    try:
        target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            json.dump(entries, file, indent=1, sort_keys=True)
            file.flush()
            os.fsync(file.fileno())
        draft.replace(target)
    except OSError as exc:
        hint = "check the permissions of the folder"
        raise RepomemError(f"cannot write the list of trusted files, {target}: {exc.strerror}", hint) from exc
