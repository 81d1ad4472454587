"""The command line as a stranger runs it: a process of its own, in a repository of its own, in a sealed environment."""

import os
import re
import select
import shutil
import sqlite3
import subprocess
import sys
import termios
import time
from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from support.fork_server import fork_server

MakePlace = Callable[[str], "Place"]
COLOUR = re.compile(r"\x1b\[[0-9;]*m")
ROOT = Path(__file__).parents[2]
SAMPLES = ROOT / "fixtures" / "repositories"
HANGING_HOOK = """
import threading, time, types
import repomem.cli.agents.hook as hook
reached = threading.Event()
def hang(*_):
    reached.set()
    time.sleep(3600)
hook.LONGEST_WHEN_BUSY = 0.0
hook.time = types.SimpleNamespace(monotonic=time.monotonic, sleep=lambda _: reached.wait())
"""  # a hook's time is up when it calls `hang`, however busy the machine is
AUTHOR = {"NAME": "Ada Example", "EMAIL": "ada@example.org", "DATE": "1700000000 +0000"}


@dataclass(frozen=True)
class Ended:
    """How a process ended."""

    code: int
    out: str
    err: str


@dataclass(frozen=True)
class Place:
    """A repository and the environment to run in."""

    folder: Path
    environment: Mapping[str, str]

    def run(
        self, *arguments: str, stdin: str = "", script: str = "", at: str = "", env: Mapping[str, str] | None = None
    ) -> Ended:
        """Run repomem, or the text of a Python script in its stead, and wait for it."""
        environment = {**self.environment, **(env or {})}
        code, out, err = fork_server().run(arguments, self.folder / at, environment, stdin.encode(), script)
        return Ended(code, out.decode(), err.decode())

    def fresh(self, *arguments: str, stdin: str = "", script: str = "", env: Mapping[str, str] | None = None) -> Ended:
        """The same in an interpreter of its own: for what is loaded or read when one starts."""
        done = subprocess.run(
            [*self.command(script), *arguments],
            cwd=self.folder,
            env={**self.environment, **(env or {})},
            input=stdin.encode(),
            capture_output=True,
            check=False,
            timeout=120,
        )
        return Ended(done.returncode, done.stdout.decode(), done.stderr.decode())

    def start(self, *arguments: str, script: str = "", is_fresh: bool = False) -> "subprocess.Popen[str]":
        """Start repomem, or the text of a Python script, with pipes; on demand in an interpreter of its own."""
        command = self.command(script) if is_fresh else fork_server().command(script)
        return subprocess.Popen(
            [*command, *arguments],
            cwd=self.folder,
            env=dict(self.environment),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            encoding="utf-8",
        )

    @staticmethod
    def command(script: str = "") -> list[str]:
        """How repomem is started in an interpreter of its own."""
        return [sys.executable, "-P", *(["-c", script] if script else ["-m", "repomem"])]

    def git(self, *arguments: str) -> None:
        """Run git here."""
        subprocess.run(["git", *arguments], cwd=self.folder, env=dict(self.environment), check=True)


def _wait_until_raw(terminal: int) -> None:
    """Wait until the program reads single keys."""
    for _ in range(3000):
        if not termios.tcgetattr(terminal)[3] & termios.ICANON:
            return
        time.sleep(0.01)


def on_terminal(  # what a terminal may be
    place: Place,
    *arguments: str,
    env: Mapping[str, str] | None = None,
    stdin: int | None = None,
    typed: str = "",
    keys: Mapping[str, str] = MappingProxyType({}),
    code: int = 0,
) -> str:
    """All that a run shows on a terminal that is stdin, unless another is given, stdout and stderr.

    `typed` waits for it; each of `keys` is pressed once its text is seen, in order. It must exit with `code`.
    """
    ours, theirs = os.openpty()
    process = subprocess.Popen(
        [*fork_server().command(), *arguments],
        cwd=place.folder,
        env={**place.environment, **(env or {})},
        stdin=theirs if stdin is None else stdin,
        stdout=theirs,
        stderr=theirs,
    )
    os.close(theirs)
    os.write(ours, typed.encode())
    shown = bytearray()
    waiting = list(keys.items())
    try:
        while True:
            assert select.select([ours], [], [], 120)[0], f"nothing more is shown after {shown.decode()}"
            if not (data := os.read(ours, 1 << 16)):
                break
            shown += data
            if waiting and waiting[0][0].encode() in shown:
                key = waiting.pop(0)[1]
                if not key.endswith("\n"):
                    _wait_until_raw(ours)  # only after the text is written; what was typed before is dropped
                os.write(ours, key.encode())
    except OSError:  # the other side is closed: how Linux says that all was read
        pass
    os.close(ours)
    assert process.wait(60) == code, shown.decode()
    return shown.decode()


def new_place(folder: Path, sample: str) -> Place:
    """A repository in `folder` with the files of a sample, in one commit."""
    place = Place(folder / sample, _sealed(folder / "home"))
    shutil.copytree(SAMPLES / sample, place.folder)
    place.git("init", "-q", "-b", "main")
    place.git("add", "--all")
    place.git("commit", "-q", "-m", f"feat: start {sample} with its first files")
    return place


def copied_place(place: Place, folder: Path) -> Place:
    """A copy of a place, in which its index is up to date: 0.01 s, where a new one costs 0.6."""
    shutil.copytree(place.folder.parent, folder, symlinks=True, dirs_exist_ok=True)
    copy = Place(
        folder / place.folder.name, {**place.environment, "HOME": str(folder / "home"), "TMPDIR": str(folder / "home")}
    )
    with closing(sqlite3.connect(copy.folder / ".git" / "repomem" / "catalog.sqlite")) as catalog, catalog:
        catalog.execute("UPDATE worktrees SET root = ?", (os.fsencode(copy.folder),))
    return copy


def _sealed(home: Path) -> dict[str, str]:
    """Nothing of the user's; the width and the time zone are fixed."""
    home.mkdir()
    kept = {name: os.environ[name] for name in ("PATH", "SYSTEMROOT") if name in os.environ}
    author = {f"GIT_{role}_{key}": value for role in ("AUTHOR", "COMMITTER") for key, value in AUTHOR.items()}
    return {
        **kept,
        **author,
        "HOME": str(home),
        "TMPDIR": str(home),  # the temporary copy of a ledger, too, is of this place alone
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CONFIG_NOSYSTEM": "1",
        "PYTHONPATH": str(ROOT),
        "PYTHONWARNINGS": "error",
        "COLUMNS": "80",
        "TERM": "xterm-256color",
        "TZ": "UTC",
    }
