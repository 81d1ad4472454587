"""A store and a ledger that earlier versions made, bytes and all, opened by this one: rebuilt, and nothing is lost."""

import os
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest

from repomem.adapters.sqlite.database import FORMAT

OLDER = Path(__file__).parents[2] / "fixtures" / "upgrade"
SAID = ("whole cents, never floats", "names an account that is open", "read twice by the importer")
WITHOUT_LEDGER = "catalog-1-content-2"  # before there was one


@pytest.fixture(params=sorted(path.name.removesuffix(".tar.gz") for path in OLDER.glob("*.tar.gz")))
def made(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[str, Path]:
    """What a version made: its name, and the folder with the repository and the home of its user."""
    with tarfile.open(OLDER / f"{request.param}.tar.gz") as archive:
        archive.extractall(tmp_path, filter="data")
    for folder in (tmp_path / "repo" / ".git" / "repomem", *(tmp_path / "home").rglob("*")):
        if folder.is_dir():
            folder.chmod(0o700)
    return request.param, tmp_path


def repomem(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    home = folder / "home"
    spots = {
        "HOME": home,
        "XDG_DATA_HOME": home / "data",
        "XDG_STATE_HOME": home / "state",
        "XDG_CACHE_HOME": home / "c",
    }
    environ = {**os.environ, **{name: str(spot) for name, spot in spots.items()}}
    command = [sys.executable, "-P", "-m", "repomem", "-C", str(folder / "repo"), *arguments]
    return subprocess.run(command, env=environ, capture_output=True, text=True, check=False)


@pytest.mark.slow
def test_an_index_of_an_earlier_version_is_rebuilt_with_a_note(
    made: tuple[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("REPOMEM_STORE_TRUST", "true")  # no earlier version bound a folder to its user
    version, folder = made
    done = repomem(folder, "index")
    assert done.returncode == 0, done.stderr
    is_readable = version.startswith(f"catalog-{FORMAT}-")  # another catalog can say nothing of what it was made with
    assert ("is rebuilt" in done.stderr) is is_readable
    again = repomem(folder, "index")
    assert "is rebuilt" not in again.stderr
    found = repomem(folder, "search", "post a transaction").stdout
    assert ".py" in found
    assert repomem(folder, "doctor").returncode == 0


@pytest.mark.slow
def test_a_folder_that_no_version_bound_is_rebuilt_and_its_memories_are_the_users(made: tuple[str, Path]) -> None:
    version, folder = made
    assert "made by another user" in repomem(folder, "index").stderr
    assert "made by another user" not in repomem(folder, "index").stderr
    listed = repomem(folder, "review").stdout
    assert "untrusted" not in listed
    assert version == WITHOUT_LEDGER or SAID[0] in listed


@pytest.mark.slow
def test_all_memories_of_an_earlier_version_are_read(made: tuple[str, Path]) -> None:
    version, folder = made
    repomem(folder, "index")
    listed = repomem(folder, "review").stdout
    verified = repomem(folder, "ledger", "verify")
    assert verified.returncode == 0, verified.stdout + verified.stderr
    exported = repomem(folder, "ledger", "export").stdout
    expected = () if version == WITHOUT_LEDGER else SAID
    assert [said for said in SAID if said in exported] == list(expected)
    assert [said for said in expected if said not in listed] == []


@pytest.mark.slow
def test_a_recall_is_the_first_that_meets_an_older_store(made: tuple[str, Path]) -> None:
    version, folder = made
    done = repomem(folder, "recall", "post to an account that is open")
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("<repomem-brief")
    assert "Traceback" not in done.stderr
    if version != WITHOUT_LEDGER:
        assert "names an account that is open" in done.stdout
