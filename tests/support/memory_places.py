"""Places that cannot be written, for real: by modes, for a process without root's rights, or by read-only mounts."""

import ctypes
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

# Root writes whatever the mode says; without these two capabilities it is a user like any other. Nobody else has them.
WITHOUT_RIGHTS = """
import ctypes, os, sys
if hasattr(libc := ctypes.CDLL(None), "prctl"):
    libc.prctl(24, 1, 0, 0, 0); libc.prctl(24, 2, 0, 0, 0)
os.execv(sys.executable, [sys.executable, *sys.argv[1:]])
"""
WAYS = ("modes", "mounts")
Ended = subprocess.CompletedProcess[str]


@dataclass(frozen=True)
class Site:
    """A clone with the places where its ledger may lie."""

    clone: Path
    home: Path
    temporary: Path

    @property
    def git(self) -> Path:
        """Its git directory."""
        return self.clone / ".git"

    @property
    def ledger(self) -> Path:
        """The home copy."""
        return self.git / "repomem" / "ledger"

    @property
    def mirrors(self) -> list[Path]:
        """The copies in the user's data folder."""
        return sorted((self.home / "data").glob("repomem/ledgers/*/ledger"))

    @property
    def passing(self) -> list[Path]:
        """The copies among temporary files."""
        return sorted(self.temporary.glob("repomem-*/*/ledger"))

    def run(self, *arguments: str, **changed: str) -> Ended:
        """The command, without root's rights."""
        places = {"HOME": str(self.home), "XDG_DATA_HOME": str(self.home / "data"), "TMPDIR": str(self.temporary)}
        command = [sys.executable, "-P", "-c", WITHOUT_RIGHTS, "-P", "-m", "repomem", *arguments]
        environ = {**os.environ, **places, **changed}
        return subprocess.run(
            command, cwd=self.clone, env=environ, capture_output=True, text=True, check=False, timeout=120
        )

    def remembered(self, text: str) -> str:
        """Remember a text, which must succeed; its id."""
        done = self.run("remember", "--format", "json", text)
        assert (done.returncode, done.stderr) == (0, ""), done.stderr
        return str(json.loads(done.stdout)["id"])

    def brief(self, task: str = "how often do we retry") -> str:
        """The brief for a task, which must succeed and have nothing to complain of but that it cannot write."""
        done = self.run("recall", task)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def state(self) -> dict[str, object]:
        """Every path of the clone, the home and the temporary files, with size and time of writing."""
        found = [path for root in (self.clone, self.home, self.temporary) for path in (root, *root.rglob("*"))]
        return {str(path): (path.lstat().st_size, path.lstat().st_mtime_ns) for path in found}


def ids_in(*ledgers: Path) -> list[str]:
    """The ids of the records in copies of the ledger, in the order in which they stand."""
    lines = [line for path in ledgers for line in path.read_bytes().splitlines()]
    return [json.loads(line.partition(b" ")[2])["id"] for line in lines]


@contextmanager
def unwritable(way: str, *folders: Path) -> Iterator[None]:
    """Folders, and all in them, that cannot be written; skips the test where the system does not do it that way."""
    with ExitStack() as stack:
        for folder in folders:
            stack.enter_context(_read_only_mode(folder) if way == "modes" else _read_only_mount(folder))
            if _can_write(folder):
                pytest.skip(f"read-only {way} stop nobody here")
        yield


@contextmanager
def _read_only_mode(folder: Path) -> Iterator[None]:
    paths = [folder, *(path for path in folder.rglob("*") if not path.is_symlink())]
    modes = {path: path.stat().st_mode for path in paths}
    for path, mode in modes.items():
        path.chmod(mode & ~0o222)
    try:
        yield
    finally:
        for path, mode in modes.items():
            path.chmod(mode)


@contextmanager
def _read_only_mount(folder: Path) -> Iterator[None]:
    if sys.platform != "linux" or os.getuid() != 0:
        pytest.skip("mounting takes root")
    done = subprocess.run(["mount", "--bind", folder, folder], capture_output=True, check=False)
    if done.returncode:
        pytest.skip("this system lets nobody mount")
    try:
        subprocess.run(["mount", "-o", "remount,ro,bind", folder], capture_output=True, check=False)
        yield
    finally:
        subprocess.run(["umount", "-l", folder], check=True)


def _can_write(folder: Path) -> bool:
    script = "import pathlib, sys; path = pathlib.Path(sys.argv[1]) / 'probe'; path.touch(); path.unlink()"
    command = [sys.executable, "-P", "-c", WITHOUT_RIGHTS, "-P", "-c", script, str(folder)]
    return subprocess.run(command, capture_output=True, check=False).returncode == 0


def is_linux_root() -> bool:
    """Whether files can be given away."""
    return hasattr(os, "getuid") and os.getuid() == 0 and hasattr(ctypes.CDLL(None), "prctl")
