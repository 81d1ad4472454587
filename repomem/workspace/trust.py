"""The list of the user's trusted files and writers, and the check of repositories' config files.

A config file is trusted by its absolute path and the hash of its content. The list is one JSON file in the user's state
folder. If two processes change it at the same moment, one change may be lost, and `repomem trust` must be run again.
"""

import hashlib
import json
from pathlib import Path

from repomem.adapters.git.repository import Repository
from repomem.core.disk_errors import store_errors
from repomem.core.errors import NotFound
from repomem.core.files import replace_file
from repomem.core.options import REPOSITORY_FILE


def config_file(start: Path) -> tuple[Path, bytes]:
    """Path and content of the config file of the repository that contains `start`. Raises NotFound if it has none."""
    repository = Repository.open(start)
    path = (repository.top or repository.git_dir) / REPOSITORY_FILE
    if not path.is_file() or path.is_symlink():
        raise NotFound(
            f"this repository has no {REPOSITORY_FILE}",
            "to trust a person whose memories came by repomem sync: repomem trust WRITER",
        )
    return path, path.read_bytes()


def trust_as_shown(start: Path, shown: bytes) -> None:
    """Trust the config file of a repository. Raises NotFound if its content has changed since it was shown."""
    path, data = config_file(start)
    if data != shown:
        raise NotFound(f"{path} has changed since it was shown", "run repomem trust again and read it")
    trust(path, data)


def trust(path: Path, data: bytes) -> None:
    """Trust the file at `path` as long as its content is `data`."""
    add_entry(_file_key(path), _digest(data))


def is_trusted(path: Path, data: bytes) -> bool:
    """Whether the user trusts the file at `path` with this content."""
    return trust_list().get(_file_key(path)) == _digest(data)


def distrust(path: Path) -> None:
    """No longer trust the file at `path`."""
    remove_entry(_file_key(path))


def _file_key(path: Path) -> str:
    return str(path.resolve())


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def trust_file() -> Path:
    """The file with the list of trusted files and writers."""
    from platformdirs import user_state_path

    return user_state_path("repomem", appauthor=False) / "trust.json"


def trust_list() -> dict[str, str]:
    """Digests by path and names by writer; empty if the file is missing or damaged."""
    try:
        entries = json.loads(trust_file().read_bytes())
    except (OSError, ValueError, RecursionError):
        return {}
    if not isinstance(entries, dict):
        return {}
    return {key: value for key, value in entries.items() if isinstance(value, str)}


def add_entry(key: str, value: str) -> None:
    """Add or replace one entry of the list."""
    _save_list(trust_list() | {key: value})


def remove_entry(key: str) -> None:
    """Remove one entry; do nothing if the list lacks it."""
    entries = trust_list()
    if entries.pop(key, None) is not None:
        _save_list(entries)


def _save_list(entries: dict[str, str]) -> None:
    path = trust_file()
    with store_errors("write the list of trusted files,", path, "check the permissions of the folder"):
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        replace_file(path, json.dumps(entries, indent=1, sort_keys=True).encode())
