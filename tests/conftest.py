"""What every test stands on: a sealed environment, and repositories made of plain descriptions."""

import gc
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from itertools import count
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from support.parsing import run_here
from support.repositories import AUTHOR, EMAIL, START, Commit, MakeRepository, RunGit, fast_import

TESTS = Path(__file__).parent
WITH_WORKERS = ("core", "faults", "index", "preload")

SLOW = ("faults/test_faults_*.py", "preload/*.py")  # expensive, and seldom broken by an edit elsewhere

pytest_plugins = ["support.library"]
collect_ignore = [] if find_spec("moto") else ["pool"]  # `make test-pool` installs what these need


# What a busy machine takes is no test's claim.
settings.register_profile("patient", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("patient")

# A run in the background of a shell ignores interrupts and hands that on: what tests start and interrupt must not.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark whole files as slow."""
    for item in items:
        if any(item.path.match(pattern) for pattern in SLOW):
            item.add_marker(pytest.mark.slow)


def pytest_collection() -> None:
    """Collect without the garbage collector: ten thousand tests are kept, and next to nothing is garbage."""
    gc.disable()


def pytest_collection_finish() -> None:
    """Leave the collected tests out of each later run of the garbage collector, which would look at all of them."""
    gc.freeze()
    gc.enable()


@pytest.fixture(scope="session")
def new_homes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Names for homes. Pytest would number them by listing all earlier ones, thousands of times."""
    folder = tmp_path_factory.mktemp("homes")
    return (folder / str(number) for number in count())


@pytest.fixture(autouse=True)
def sealed_environment(new_homes: Iterator[Path], monkeypatch: pytest.MonkeyPatch) -> Path:
    """No file of the user's is read or written, and author, dates, width and time zone are fixed; gives the home."""
    for name in os.environ:
        if name in ("CI", "REPOMEM") or name.startswith(("GIT_", "REPOMEM_", "XDG_")):
            monkeypatch.delenv(name)
    home = next(new_homes)
    for name, folder in {
        "XDG_CACHE_HOME": ".cache",
        "XDG_CONFIG_HOME": ".config",
        "XDG_DATA_HOME": ".local/share",
        "XDG_RUNTIME_DIR": ".run",
        "XDG_STATE_HOME": ".local/state",
    }.items():
        monkeypatch.setenv(name, str(home / folder))
    secret = home / ".local/share/repomem/secret"  # one user in all tests, as templates are copied between their homes
    secret.parent.mkdir(mode=0o700, parents=True)
    secret.write_text("5e" * 32 + "\n")
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


@pytest.fixture(autouse=True)
def parsed_here(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Index runs in the test process parse there, except where worker processes are part of the claim."""
    folder = request.path.relative_to(TESTS).parts[0]
    if folder not in WITH_WORKERS and "repomem.index" in sys.modules:
        monkeypatch.setattr("repomem.index.code.run_in_workers", run_here)


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
            stream = b"".join(fast_import(number, commit) for number, commit in enumerate(commits))
            run_git(folder, "fast-import", "--quiet", "--date-format=raw-permissive", stdin=stream)
            if not bare:
                run_git(folder, "reset", "-q", "--hard", "main")
        return folder

    return make
