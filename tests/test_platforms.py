"""What differs on other systems, as far as Linux can show it: docs/platforms.md lists the rest."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from support.repositories import Commit, MakeRepository

from repomem.adapters.git.repository import Repository
from repomem.adapters.git.worktree import read_file
from repomem.core.types.worktree import UnreadReason

# Libraries have their own branches for Windows: they are imported before the names disappear.
WITHOUT_UNIX = """
import asyncio, importlib, os, pkgutil, signal, socket, sys
import cryptography, filelock, git, lancedb, mcp.server.lowlevel, mcp.server.stdio, multiprocessing.connection
import numpy, platformdirs, pyarrow, rich.console, starlette.applications, tokenizers, typer, uvicorn
import watchdog.observers
for name in ("fcntl", "resource", "pwd", "grp", "termios"):
    sys.modules[name] = None
for module, names in (
    (os, "fork getuid geteuid O_NOFOLLOW O_DIRECTORY sched_getaffinity"),
    (socket, "AF_UNIX"),
    (signal, "SIGKILL SIGHUP"),
):
    for name in names.split():
        delattr(module, name)
sys.platform = "win32"
import repomem
for each in pkgutil.walk_packages(repomem.__path__, "repomem."):
    try:
        importlib.import_module(each.name)
    except Exception as error:
        print(each.name, repr(error))
print(len([name for name in sys.modules if name.startswith("repomem.")]) > 500)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="removes what Linux has")
def test_every_module_is_imported_where_the_unix_modules_and_calls_are_missing() -> None:
    ended = subprocess.run(
        [sys.executable, "-c", WITHOUT_UNIX], check=False, capture_output=True, text=True, stdin=subprocess.DEVNULL
    )
    assert (ended.stdout, ended.stderr, ended.returncode) == ("True\n", "", 0)


@pytest.fixture
def linked(make_repository: MakeRepository, monkeypatch: pytest.MonkeyPatch) -> Repository:
    """A repository with links, on a system that opens no folders."""
    root = make_repository(Commit({"a/b": "text", "c:d": "stream", "a/e\\f": "folder"}))
    (root / "folder").symlink_to("a")
    (root / "a" / "link").symlink_to("b")
    monkeypatch.setattr(os, "supports_dir_fd", set())
    return Repository.open(root)


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("a/b", b"text"),
        ("a/link", UnreadReason.SYMLINK),
        ("folder/b", UnreadReason.SYMLINK),
        ("a/none", UnreadReason.VANISHED),
        ("a/../a/b", UnreadReason.UNREADABLE),
        ("c:d", UnreadReason.UNREADABLE),
        ("a/e\\f", UnreadReason.UNREADABLE),
    ],
)
def test_without_descriptors_of_folders_no_link_is_followed(
    linked: Repository, path: str, expected: bytes | UnreadReason
) -> None:
    assert read_file(linked, path, 100) == expected


def test_files_are_written_without_translating_the_ends_of_lines(tmp_path: Path) -> None:
    code = "import os; os.O_BINARY = 1 << 20; from repomem.core.files import NO_LINK; print(NO_LINK & os.O_BINARY > 0)"
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ended.stdout == "True\n"
