"""Worktrees of every kind with git hooks in them, and what the hooks leave behind when git runs them."""

import os
import shlex
import stat
import subprocess
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from repomem.adapters.settings.git_hook_script import PENDING, SPOOL
from repomem.setup.git_hooks import HooksReport, HookState, hooks_status, install, uninstall
from support.samples import workspace_at

NAME = "a \"b\" 'c' $d"  # of every repository: nothing in a path may end a quotation
PATIENCE = 20.0  # seconds until what was started in the background is given up
Entry = tuple[int, bytes | str]
Ended = tuple[int, bytes, bytes]


@dataclass(frozen=True)
class Place:
    """A worktree, where git looks for its hooks, and where repomem keeps what it knows."""

    top: Path
    hooks: Path
    memory: Path
    stub: Path  # what the hooks start
    mark: Path  # what hooks of others write to

    def run(self, *arguments: str | Path, **environment: str) -> Ended:
        """Git here, its output captured."""
        environ = {**os.environ, "MARK": str(self.mark), **environment}
        done = subprocess.run(["git", *arguments], cwd=self.top, env=environ, capture_output=True, check=False)
        return done.returncode, done.stdout, done.stderr

    def commit(self, **environment: str) -> Ended:
        """An empty commit."""
        return self.run("commit", "-q", "--allow-empty", "-m", "one more", **environment)

    def install(self, *program: str) -> HooksReport:
        """Have the hooks start the stub, or another program."""
        with workspace_at(self.top) as workspace:
            return install(workspace, program or (str(self.stub),))

    def uninstall(self) -> HooksReport:
        """Take them out."""
        with workspace_at(self.top) as workspace:
            return uninstall(workspace)

    def status(self) -> HooksReport:
        """How they stand."""
        with workspace_at(self.top) as workspace:
            return hooks_status(workspace)

    def state(self, event: str = "post-commit") -> HookState:
        """How one of them stands."""
        return next(hook.state for hook in self.status().hooks if hook.event == event)

    def spooled(self) -> list[str]:
        """What hooks have spooled; it is gone then."""
        return _taken(self.memory / SPOOL).decode().splitlines()

    def marks(self) -> bytes:
        """What hooks of others have written; it is gone then."""
        return _taken(self.mark)

    def starts(self) -> list[str]:
        """Folder, arguments and variables of git of every start of the stub, once no other is on its way."""
        log = self.stub.with_name("starts")
        until(log.exists)
        until(lambda: not (self.memory / PENDING).exists())
        time.sleep(0.2)  # between the mark that goes and the stub that writes
        return log.read_text().splitlines()

    def never_starts(self) -> bool:
        """Whether nothing was started and nothing is about to be."""
        time.sleep(0.3)
        return not self.stub.with_name("starts").exists() and not (self.memory / PENDING).exists()


def until(is_so: Callable[[], bool]) -> None:
    """Wait for something that is about to happen."""
    given_up = time.monotonic() + PATIENCE
    while not is_so():
        assert time.monotonic() < given_up
        time.sleep(0.02)


def written(path: Path, content: bytes | str, mode: int = 0o644) -> Path:
    """A file, its folders made where they are missing."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    path.chmod(mode)
    return path


def recording_stub(folder: Path) -> Path:
    """A program that writes down how it was started."""
    log = shlex.quote(str(folder / "starts"))
    lines = ["#!/bin/sh", "found=$(env | grep -c -E '^GIT_(DIR|INDEX_FILE|PREFIX|WORK_TREE)=')"]
    lines.append(f'printf \'%s|%s|%s\\n\' "$PWD" "$*" "$found" >>{log}')
    return written(folder / "it's a stub", "\n".join(lines), 0o755)


def listed(folder: Path) -> dict[str, Entry]:
    """Every name below a folder with its mode, and its bytes or where it leads; nothing where there is no folder."""
    return {str(path.relative_to(folder)): _entry(path) for path in sorted(folder.rglob("*"))}


def _entry(path: Path) -> Entry:
    mode = stat.S_IMODE(path.lstat().st_mode)
    if path.is_symlink():
        return mode, str(path.readlink())
    return mode, "" if path.is_dir() else path.read_bytes()


def _taken(path: Path) -> bytes:
    found = path.read_bytes() if path.exists() else b""
    path.unlink(missing_ok=True)
    return found
