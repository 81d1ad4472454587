"""Finds the hooks folder of a repository, its owner and its hooks. Writes nothing.

A folder that `core.hooksPath` sets for all of a user's repositories, or that is committed in the worktree, does not
belong to this clone and is not changed. In doubt, a folder is not this clone's.
"""

import os
import stat
from dataclasses import dataclass
from pathlib import Path

from repomem.adapters.git.repository import Repository
from repomem.adapters.settings.files import SettingsFile, read_foreign
from repomem.core.errors import ForeignError

OWN_SCOPES = ("local", "worktree")  # of settings that are this clone's alone


@dataclass(frozen=True, slots=True)
class HooksFolder:
    """The absolute path of the folder; `refusal` is the reason not to write there, empty if there is none."""

    path: Path
    refusal: str = ""
    is_in_tree: bool = False  # files in it are committed

    @property
    def is_writable(self) -> bool:
        """Whether hooks can be made, replaced and deleted in it, or it can be made."""
        standing = next(each for each in (self.path, *self.path.parents) if each.exists())
        return os.access(standing, os.W_OK | os.X_OK)


@dataclass(frozen=True, slots=True)
class HookFile:
    """A hook as it was read."""

    foreign: SettingsFile
    is_executable: bool = True  # git ignores one that is not
    refusal: str = ""  # why the file is not to be replaced, whatever it holds


def own_hooks(repository: Repository) -> HooksFolder:
    """The folder of hooks that every clone has, whether git looks there or not."""
    return _judged(repository, repository.common_dir / "hooks", "")


def hooks_folder(repository: Repository) -> HooksFolder:
    """The folder in which git looks for hooks when it works in this worktree."""
    setting = _setting(repository)
    if setting is None:
        return own_hooks(repository)
    scope, origin, value = setting
    path = (repository.top or repository.git_dir) / value
    origin_text = f"core.hooksPath leads to {path}; it is set in {origin.removeprefix('file:')} ({scope})"
    found = _judged(repository, path, origin_text)
    return found if scope in OWN_SCOPES else HooksFolder(path, origin_text, found.is_in_tree)


def read_hook(folder: HooksFolder, event: str) -> HookFile:
    """One hook of the folder, there or not."""
    path = folder.path / event
    try:
        if path.is_symlink():
            return HookFile(SettingsFile(path, None), refusal=f"it is a link to {os.readlink(path)}")  # noqa: PTH115  # as written
        foreign = read_foreign(path)
    except ForeignError as error:
        return HookFile(SettingsFile(path, None), refusal=error.message)
    if foreign.content is None:
        return HookFile(foreign)
    mode = stat.S_IMODE(path.stat().st_mode)
    return HookFile(foreign, bool(mode & 0o111), "" if mode & stat.S_IWUSR else "it is read-only")


def _setting(repository: Repository) -> tuple[str, str, str] | None:
    """The scope, origin and value of the effective `core.hooksPath`, ignoring the setting of our own call."""
    asked = ("config", "--show-scope", "--show-origin", "-z", "--type=path", "--get-all", "core.hooksPath")
    words = [os.fsdecode(word) for word in repository.read(*asked).split(b"\0")]
    found = [each for each in zip(words[::3], words[1::3], words[2::3], strict=False) if each[0] != "command"]
    return found[-1] if found else None


def _judged(repository: Repository, path: Path, refusal: str) -> HooksFolder:
    """The folder; writable if its real path is directly in the repository's git directory."""
    real = Path(os.path.realpath(path))
    if real.parent == repository.common_dir:
        return HooksFolder(real)
    is_in_git_dir = real.is_relative_to(repository.common_dir)
    is_in_tree = repository.top is not None and real.is_relative_to(repository.top) and not is_in_git_dir
    return HooksFolder(path, refusal or f"{path} is a link to {real}", is_in_tree)
