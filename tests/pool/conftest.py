"""A bucket of a real S3 server on loopback, and clones that share it."""

import os
import secrets
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest
from support.repositories import Commit, MakeRepository, RunGit

from pool.pool_writer import DEADLINES, SECONDS
from pool.servers import BUCKET, make_bucket, moto
from repomem.index.report import IndexReport
from repomem.index.run import index
from repomem.pool.admin import set_up_pool
from repomem.workspace.run import Run
from repomem.workspace.workspace import opened

SECRET = "a-secret-that-must-not-show"
FILES = {
    "src/money.py": '"""Amounts."""\n\n\nclass Amount:\n    """An amount of cents."""\n\n'
    '    def rounded(self) -> int:\n        """Round half to even, as the ledger does."""\n'
    "        return round(self.cents)\n",
    "src/retry.ts": "import { wait } from './wait'\n\n/** Try again, later each time. */\n"
    "export function retried(times: number): number {\n    return wait(times * 2)\n}\n",
    "src/Session.java": "package a;\n\n/** A <b>session</b> that {@link Token expires}. */\nclass Session {\n"
    "    int left(int now) {\n        return until - now; // seconds\n    }\n}\n",
    "README.md": "# Ledgerly\n\nKeeps books.\n\n## Amounts\n\nThey are cents.\n",
    "notes.txt": "no grammar reads this\n",
}


@pytest.fixture
def s3() -> Iterator[str]:
    """The address of a server of the test's own: one that another test has worn out fails nobody else."""
    with moto() as address:
        make_bucket(address)
        yield address


@pytest.fixture
def storage(monkeypatch: pytest.MonkeyPatch) -> "Storage":
    """Says which server is asked."""
    for name in os.environ:
        if name.startswith(("AWS_", "LANCEDB_")):
            monkeypatch.delenv(name)
    for name, value in {
        "AWS_ACCESS_KEY_ID": "AKIAIOSFODNN7EXAMPLE",
        "AWS_SECRET_ACCESS_KEY": SECRET,
        "AWS_REGION": "us-east-1",
        "AWS_ALLOW_HTTP": "true",
        "LANCEDB_LOG": "error",
    }.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr("repomem.pool.files.FEWEST_FILES", 1)
    for name in DEADLINES:
        monkeypatch.setattr(f"repomem.pool.tables.{name}", SECONDS)
    return Storage(monkeypatch)


@dataclass(frozen=True)
class Storage:
    """Which server is asked, and who asks."""

    patch: pytest.MonkeyPatch

    def at(self, address: str, bucket: str = BUCKET) -> str:
        """Ask this server from now on, in a folder of a new name; gives the address of that."""
        uri = f"s3://{bucket}/{secrets.token_hex(4)}"
        self.patch.setenv("AWS_ENDPOINT", address)
        self.patch.setenv("REPOMEM_STORE_URI", uri)
        return uri

    def off(self) -> None:
        """Ask nobody."""
        self.patch.delenv("REPOMEM_STORE_URI")

    def machine(self, folder: Path) -> None:
        """Be on another machine, with a user's folder of its own."""
        self.patch.setenv("XDG_DATA_HOME", str(folder))


@pytest.fixture
def pool(storage: Storage, s3: str, make_repository: MakeRepository) -> str:
    """The address of a pool that was set up."""
    uri = storage.at(s3)
    with opened(make_repository(name="admin"), os.environ) as workspace:
        assert set_up_pool(workspace, "") == (uri, True)
    return uri


@dataclass(frozen=True)
class Team:
    """Clones of one repository."""

    make: MakeRepository
    git: RunGit

    def clone(self, name: str, files: Mapping[str, str] = FILES) -> Path:
        """A repository with these files in one commit, and the address of the team's remote."""
        folder = self.make(Commit(files, "feat: begin"), name=name)
        self.git(folder, "remote", "add", "origin", "https://git.example.org/team/ledgerly.git")
        return folder


@pytest.fixture
def team(make_repository: MakeRepository, run_git: RunGit) -> Team:
    return Team(make_repository, run_git)


def indexed(folder: Path, *, is_asked: bool = False) -> tuple[IndexReport, list[str]]:
    """What an index run by hand reports, and its notices; `is_asked`: whoever is asked says yes."""
    with opened(folder, os.environ) as workspace:
        run = Run(may_share=True, agrees=lambda _: is_asked)
        report = index(workspace, run)
        return report, list(workspace.notices)
