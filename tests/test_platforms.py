"""What differs on other systems, as far as Linux can show it: docs/platforms.md lists the rest."""

import ntpath
import os
import re
import subprocess
import sys
from pathlib import Path, PureWindowsPath
from types import SimpleNamespace

import pytest
from support.repositories import Commit, MakeRepository

from repomem.adapters.git.repository import Repository
from repomem.adapters.git.worktree import read_file
from repomem.capture import own_paths
from repomem.core import files
from repomem.core.processes import owners
from repomem.core.scopes import matches
from repomem.core.types.worktree import UnreadReason

SOURCES = Path(__file__).parents[1] / "repomem"

# Libraries have their own branches for Windows: they are imported before the names disappear.
WITHOUT_UNIX = """
import asyncio, importlib, os, pkgutil, signal, socket, subprocess, sys
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
subprocess.CREATE_NEW_PROCESS_GROUP, subprocess.CREATE_NO_WINDOW = 0x200, 0x8000000  # as there
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


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="removes what Linux has")
def test_memories_and_briefs_work_where_the_unix_modules_and_calls_are_missing(make_repository: MakeRepository) -> None:
    before = {"src/net.py": "def retry(times):\n    return times\n", "README.md": "# net\n\nRetries requests.\n"}
    after = {"src/net.py": "def retry(times):\n    return times + 1\n"}
    root = make_repository(Commit(before), Commit(after, "net: retry once more"))

    run_stripped(root, "index")
    run_stripped(root, "remember", "we retry three times", "--why", "the gateway fails", "--on", "src/net.py:retry")
    assert "src/net.py:1-2" in run_stripped(root, "search", "retry")
    assert "we retry three times" in run_stripped(root, "recall", "change how often requests are retried")


def run_stripped(folder: Path, *words: str) -> str:
    """What a command prints in a process without them."""
    code = (
        f"import sys; sys.path.insert(0, {str(Path(__file__).parent)!r}); from support.bare_system import strip_system;"
        " strip_system(); from repomem.__main__ import main; main()"
    )
    command = [sys.executable, "-W", "ignore", "-c", code, *words]
    ended = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr
    return ended.stdout


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("src\\net.py", ["src/net.py"]),
        ("src/net.py", ["src/net.py"]),
        ("c:/REPO/src/net.py", ["src/net.py"]),  # as hosts and shells write drives and folders
        ("C:\\Repo\\.\\src\\..\\a.py", ["a.py"]),
        ("C:\\Repository\\a.py", []),
        ("D:\\Repo\\a.py", []),
        ("..\\a.py", []),
        ("C:\\Repo", []),
    ],
)
def test_paths_of_a_session_are_relative_on_windows(
    monkeypatch: pytest.MonkeyPatch, path: str, expected: list[str]
) -> None:
    monkeypatch.setattr(own_paths, "os", SimpleNamespace(path=ntpath))
    monkeypatch.setattr(own_paths, "PurePath", PureWindowsPath)
    assert list(own_paths.relative_paths(["C:\\Repo"], "C:\\Repo", [path])) == expected


@pytest.mark.parametrize(
    ("glob", "path"), [("src/*.py", "src/a.py"), ("src", "src/a/b.py"), ("src/**", "src/a.py"), ("*.PY", "A.PY")]
)
def test_scopes_mean_the_same_under_the_rules_of_windows(monkeypatch: pytest.MonkeyPatch, glob: str, path: str) -> None:
    monkeypatch.setattr(os, "path", ntpath)
    assert matches(glob, path)
    assert not matches(glob, path.swapcase())  # git's paths have case everywhere


class OpenFile:
    """A file that another process has open: it cannot be replaced for the first calls."""

    def __init__(self, calls: int) -> None:
        self.calls = calls

    def replace(self, _target: Path) -> None:
        self.calls -= 1
        if self.calls >= 0:
            raise PermissionError(13, "used by another process")


@pytest.mark.parametrize(("seconds", "is_replaced"), [(60.0, True), (0.0, False)])
def test_a_file_that_a_reader_has_open_is_replaced_once_it_is_closed(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, *, seconds: float, is_replaced: bool
) -> None:
    monkeypatch.setattr(files, "REPLACE_SECONDS", seconds)
    draft = OpenFile(2)
    if is_replaced:
        files.move_over(draft, tmp_path)  # type: ignore[arg-type]
    else:
        with pytest.raises(PermissionError):
            files.move_over(draft, tmp_path)  # type: ignore[arg-type]
    assert draft.calls == (-1 if is_replaced else 1)


def test_without_user_ids_modes_refuse_nothing(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    tmp_path.chmod(0o777)  # as Windows reports of every folder
    assert owners.is_writable_by_all(tmp_path.stat())
    monkeypatch.setattr(owners, "HAS_OWNERS", False)
    found = tmp_path.stat()
    assert (owners.is_writable_by_all(found), owners.is_own(found), owners.user()) == (False, True, 0)


def test_no_pattern_repeats_a_group_possessively() -> None:
    """Before 3.11.5, Python misread that where the group could give way: private keys were not redacted."""
    possessive = re.compile(r"\)(?:[*+?]|\{+\d*,?\d*\}+)\+")
    found = [
        f"{path}: {line}"
        for path in SOURCES.rglob("*.py")
        for line in path.read_text("utf-8").splitlines()
        if possessive.search(line) and not line.lstrip().startswith("#")
    ]
    assert not found
