"""What every test stands on: a sealed environment, and repositories made of plain descriptions."""

import os
import signal
import subprocess
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

AUTHOR = "Ada Example"
EMAIL = "ada@example.org"
START = 1_700_000_000  # 2023-11-14 22:13:20 UTC; each commit comes a minute after the one before it

# What a busy machine takes is no test's claim.
settings.register_profile("patient", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("patient")

# A run in the background of a shell ignores interrupts and hands that on: what tests start and interrupt must not.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(autouse=True)
def sealed_environment(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """No file of the user's is read or written, and author, dates, width and time zone are fixed; gives the home."""
    for name in os.environ:
        if name in ("CI", "REPOMEM") or name.startswith(("GIT_", "REPOMEM_", "XDG_")):
            monkeypatch.delenv(name)
    home = tmp_path_factory.mktemp("home")
    for name, folder in {
        "XDG_CACHE_HOME": ".cache",
        "XDG_CONFIG_HOME": ".config",
        "XDG_DATA_HOME": ".local/share",
        "XDG_RUNTIME_DIR": ".run",
        "XDG_STATE_HOME": ".local/state",
    }.items():
        monkeypatch.setenv(name, str(home / folder))
    global_config = home / "gitconfig"
    global_config.write_text("[init]\n\tdefaultBranch = main\n")
    for name, value in {
        "HOME": str(home),
        "GIT_CONFIG_GLOBAL": str(global_config),
        "GIT_CONFIG_SYSTEM": os.devnull,
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_AUTHOR_NAME": AUTHOR,
        "GIT_AUTHOR_EMAIL": EMAIL,
        "GIT_AUTHOR_DATE": f"{START} +0000",
        "GIT_COMMITTER_NAME": AUTHOR,
        "GIT_COMMITTER_EMAIL": EMAIL,
        "GIT_COMMITTER_DATE": f"{START} +0000",
        "COLUMNS": "100",
        "TZ": "UTC",
    }.items():
        monkeypatch.setenv(name, value)
    return home


@dataclass(frozen=True)
class Commit:
    """One commit to make. Its files are what changes against its first parent: None deletes a path.
    A path that is no UTF-8 is given as `os.fsdecode` would.

    `parents` are places in the list of commits; without them it follows the commit before it.
    """

    files: Mapping[str, bytes | str | None] = field(default_factory=dict)
    message: bytes | str = "a change"
    parents: Sequence[int] | None = None
    author: str = f"{AUTHOR} <{EMAIL}>"
    zone: str = "+0000"
    time: int | None = None  # author's and committer's
    modes: Mapping[str, str] = field(default_factory=dict)  # 100755 or 120000 instead of 100644
    encoding: str = ""


MakeRepository = Callable[..., Path]
RunGit = Callable[..., str]


@pytest.fixture
def run_git() -> RunGit:
    """Git in a folder: its output, without the last line break."""

    def run(folder: Path, *arguments: str | Path | bytes, stdin: bytes = b"") -> str:
        done = subprocess.run(["git", *arguments], cwd=folder, input=stdin, capture_output=True, check=False)
        assert done.returncode == 0, done.stderr.decode(errors="replace")
        return os.fsdecode(done.stdout.removesuffix(b"\n"))

    return run


@pytest.fixture
def make_repository(tmp_path: Path, run_git: RunGit) -> MakeRepository:
    """A repository with the given commits on `main`, checked out unless it is bare; gives its folder.

    By one `git fast-import`: forty times as quick as a commit command for each.
    """

    def make(*commits: Commit, name: str = "repository", bare: bool = False, object_format: str = "sha1") -> Path:
        folder = tmp_path / name
        options = ["--bare"] if bare else []
        run_git(tmp_path, "init", "-q", f"--object-format={object_format}", *options, str(folder))
        if commits:
            stream = b"".join(_fast_import(number, commit) for number, commit in enumerate(commits))
            run_git(folder, "fast-import", "--quiet", "--date-format=raw-permissive", stdin=stream)
            if not bare:
                run_git(folder, "reset", "-q", "--hard", "main")
        return folder

    return make


def _fast_import(number: int, commit: Commit) -> bytes:
    when = f"{START + 60 * number if commit.time is None else commit.time} {commit.zone}"
    header = [f"commit refs/heads/main\nmark :{number + 1}\nauthor {commit.author} {when}"]
    header += [f"committer {commit.author} {when}"]
    header += [f"encoding {commit.encoding}"] if commit.encoding else []
    parts = ["\n".join(header).encode() + b"\n", _data(commit.message)]
    parents = commit.parents if commit.parents is not None else ([number - 1] if number else [])
    for place, parent in enumerate(parents):
        parts.append(f"{'merge' if place else 'from'} :{parent + 1}\n".encode())
    for path, content in commit.files.items():
        if content is None:
            parts.append(b"D " + _quoted(path) + b"\n")
        else:
            mode = commit.modes.get(path, "100644").encode()
            parts += [b"M " + mode + b" inline " + _quoted(path) + b"\n", _data(content)]
    return b"".join(parts) + b"\n"


def _data(content: bytes | str) -> bytes:
    content = content.encode() if isinstance(content, str) else content
    return b"data %d\n%s\n" % (len(content), content)


def _quoted(path: str) -> bytes:
    raw = os.fsencode(path)
    return b'"' + b"".join(b"\\%03o" % byte if byte in b'"\\\n' else bytes([byte]) for byte in raw) + b'"'
