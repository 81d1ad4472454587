"""Finds a repository from a folder, and runs git commands in it.

The other modules of this package provide the queries.
"""

import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import IO

from repomem.adapters.git.run import LONGEST_CALL, NO_VARIABLES, running
from repomem.adapters.git.special_files import refuse_special_files, refuse_special_settings
from repomem.core.errors import GitError

LONGEST_QUESTION = 30.0  # seconds; git answers from a few small files
QUESTIONS = (
    "rev-parse",
    "--is-inside-work-tree",
    "--is-shallow-repository",
    "--show-object-format",
    "--absolute-git-dir",
    "--path-format=absolute",
    "--git-common-dir",
    "--show-cdup",  # without a worktree it prints nothing, while --show-toplevel fails
)


@dataclass(frozen=True, slots=True)
class Repository:
    """One repository as seen from one worktree. Paths are absolute and real.

    `settings` is the configuration at the time of opening, with names as `git config --list` prints them and the last
    value of each.
    """

    top: Path | None  # None: bare
    git_dir: Path
    common_dir: Path  # shared by the linked worktrees of a clone
    object_format: str  # sha1 or sha256
    is_shallow: bool
    prefix: str = ""  # the folder that it was opened from, relative to `top`, without a slash at its end
    settings: Mapping[str, str] = field(default_factory=dict, compare=False, repr=False)

    @property
    def is_bare(self) -> bool:
        """Whether it has no worktree."""
        return self.top is None

    @property
    def is_partial(self) -> bool:
        """Whether objects may be missing because the clone left them on a remote."""
        return any(
            name == "extensions.partialclone" or (name.startswith("remote.") and name.endswith(".promisor"))
            for name in self.settings
        )

    @property
    def is_treeless(self) -> bool:
        """Whether even trees of old commits are on a remote only, so that their files are unknown."""
        return any(
            name.endswith(".partialclonefilter") and value.startswith("tree:") for name, value in self.settings.items()
        )

    @classmethod
    def open(cls, start: Path) -> "Repository":
        """The repository that contains the folder `start`. Raises GitError if there is none or git refuses.

        A git directory inside a worktree is data of that worktree, whose repository is opened instead: such a folder
        can come with a clone and bring its own configuration and memories.
        """
        folder = _folder(start)
        found = _discovered(folder)
        if not folder.is_relative_to(found.git_dir):
            return found
        try:
            around = cls.open(found.git_dir.parent)
        except GitError:
            return found
        return found if around.is_bare else around

    @contextmanager
    def stream(
        self,
        *arguments: str,
        feed: bytes | Iterable[str] | None = None,
        environ: Mapping[str, str] = NO_VARIABLES,
        limit: float = LONGEST_CALL,
    ) -> Iterator[IO[bytes]]:
        """The output of one git command while it runs; `feed` is its standard input, or the lines of it.

        `environ` is added to its environment. The command is ended after `limit` seconds, or when the output is not
        read to its end. Raises GitError at the end of the output if the command failed.
        """
        place = [f"--git-dir={self.git_dir}"]
        if self.top is not None:
            place = ["-C", str(self.top), *place, f"--work-tree={self.top}"]
        drivers = sorted({name.rpartition(".")[0] for name in self.settings if name.startswith("filter.")})
        if feed is not None and not isinstance(feed, bytes):
            feed = os.fsencode("".join(f"{line}\n" for line in feed))
        with running([*place, *arguments], feed=feed, drivers=drivers, environ=environ, limit=limit) as output:
            yield output

    def read(self, *arguments: str, feed: bytes | Iterable[str] | None = None) -> bytes:
        """The whole output of one git command."""
        with self.stream(*arguments, feed=feed) as output:
            return output.read()


def _folder(start: Path) -> Path:
    try:
        folder = start.resolve(strict=True)
        return folder if folder.is_dir() else folder.parent
    except OSError as exc:
        reason = exc.strerror or str(exc)
        is_current = start == Path()  # which was deleted
        raise GitError(
            f"cannot enter {start}: {reason}", hint="cd into a folder that exists" if is_current else "check the path"
        ) from exc


def _discovered(folder: Path) -> Repository:
    """Git's answer about the folder, bare repositories included; `rev-parse` runs no configured program."""
    top, git_dir, common_dir, object_format, is_shallow = _places(folder)
    refuse_special_files(top, {git_dir, common_dir})
    with running([f"--git-dir={git_dir}", "config", "--list", "-z"], limit=LONGEST_QUESTION) as output:
        settings = _settings(output.read())
    is_moved = top is not None and git_dir.name == ".git" and git_dir.parent.resolve() != top  # others are submodules
    if is_moved and any(name == "core.worktree" for name, _ in settings):
        raise _elsewhere(str(git_dir), str(top))
    if is_moved and top and (top / ".git").is_file():
        raise GitError(
            f"{top / '.git'} names {git_dir}, the git directory of another folder",
            hint=f"remove that file, or make a worktree: git -C {git_dir.parent} worktree add FOLDER",
        )
    refuse_special_settings(top, settings)
    return Repository(
        top=top,
        git_dir=git_dir,
        common_dir=common_dir,
        object_format=object_format,
        is_shallow=is_shallow,
        prefix=_prefix(folder, top) if top else "",
        settings=MappingProxyType(dict(settings)),
    )


def _places(folder: Path) -> tuple[Path | None, Path, Path, str, bool]:
    """The top (None without a worktree), git directory, common directory, object format and whether it is shallow."""
    try:
        with running(
            ["-C", str(folder), "-c", "safe.bareRepository=all", *QUESTIONS], limit=LONGEST_QUESTION
        ) as output:
            answers = os.fsdecode(output.read()).removesuffix("\n").split("\n")
    except GitError as error:
        if error.message.startswith("not a git repository (or any"):
            raise GitError(f"not inside a git repository: {folder}", hint=error.hint) from error
        raise
    if "\n" in str(folder) or len(answers) not in {5, 6}:
        raise GitError(f"the path of {folder} contains a newline", hint="rename that folder")
    inside, shallow, object_format, git_dir, common_dir = answers[:5]
    if len(answers) != (6 if inside == "true" else 5):
        raise _elsewhere(git_dir, answers[5])
    top = (folder / answers[5]).resolve() if inside == "true" and not folder.is_relative_to(git_dir) else None
    return top, Path(git_dir), Path(common_dir).resolve(), object_format, shallow == "true"


def _elsewhere(git_dir: str, top: str) -> GitError:
    """A configuration that came with an archive would have all files of the user's read as this repository's."""
    return GitError(
        f"core.worktree in {git_dir}/config names another folder, {top}, as the worktree",
        hint="remove that setting: repomem reads only the folder that contains .git",
    )


def _prefix(folder: Path, top: Path) -> str:
    prefix = folder.resolve().relative_to(top).as_posix()
    return "" if prefix == "." else prefix


def _settings(listed: bytes) -> list[tuple[str, str]]:
    """The settings in the output of `git config --list -z`: NAME, line break, value, NUL; a name alone means true."""
    entries = (os.fsdecode(entry).partition("\n") for entry in listed.split(b"\0") if entry)
    return [(name, value if mark else "true") for name, mark, value in entries]
