"""A team that syncs: users of one bare repository, each with a home and a clone of their own.

A plugin, for its fixture. Tests import it before it is a plugin: PYTEST_DONT_REWRITE.
"""

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from repomem.memories.snapshots.snapshot import memories_now
from repomem.sync.run import Synced, SyncRequest, sync
from repomem.workspace.ledger import Speaker, ledger_of
from repomem.workspace.writer_trust import distrust_writer, trust_writer
from repomem.workspace.writers import writer_named
from support.memory_scenes import PERSON, git, said
from support.repositories import Commit, MakeRepository
from support.samples import workspace_at

REF = "refs/repomem/ledger"
MONEY = 'class Amount:\n    """Cents."""\n\n    def add(self, other):\n        return self.cents + other.cents\n'


@dataclass
class Team:
    """Users of one bare repository, each with a home of their own."""

    hub: Path
    root: Path
    monkeypatch: pytest.MonkeyPatch

    @contextmanager
    def user(self, name: str) -> Iterator[Path]:
        """The clone of a user, whose home the environment names meanwhile."""
        home = self.root / f"home of {name}"
        with self.monkeypatch.context() as environment:
            for variable in ("DATA", "STATE", "CONFIG", "CACHE"):
                environment.setenv(f"XDG_{variable}_HOME", str(home / variable.lower()))
            environment.setenv("TMPDIR", str(home))
            environment.setenv("GIT_AUTHOR_NAME", name)
            home.mkdir(exist_ok=True)
            clone = self.root / name
            if not clone.exists():
                subprocess.run(["git", "clone", "-q", str(self.hub), str(clone)], check=True, capture_output=True)
            yield clone

    def remember(self, name: str, text: str, speaker: Speaker = PERSON, **options: object) -> str:
        with self.user(name) as clone:
            return said(clone, text, speaker, **options).id

    def sync(self, name: str, **options: object) -> Synced:
        with self.user(name) as clone, workspace_at(clone) as workspace:
            return sync(workspace, SyncRequest(**options))  # type: ignore[arg-type]

    def texts(self, name: str) -> set[str]:
        with self.user(name) as clone, workspace_at(clone) as workspace:
            return {one.memory.said.text for one in memories_now(workspace).states.values()}

    def trust(self, name: str, *, is_revoked: bool = False) -> None:
        """Have a user trust the only writer whom he knows."""
        with self.user(name) as clone, workspace_at(clone) as workspace:
            [writer] = {each.origin.writer for each in ledger_of(workspace).records() if each.origin.writer}
            writer_named(workspace, writer[:6])
            distrust_writer(workspace, writer) if is_revoked else trust_writer(workspace, writer, "Ana")

    def shared(self) -> str:
        """All that the hub holds of the ledger."""
        listed = git(self.hub, "ls-tree", "-r", "--name-only", REF).splitlines()
        return "".join(git(self.hub, "show", f"{REF}:{path}") for path in listed)


@pytest.fixture
def team(make_repository: MakeRepository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Team:
    """Nobody has cloned yet; the hub has two commits."""
    files: dict[str, bytes | str | None] = {"money.py": MONEY, "README.md": "# Money\n"}
    hub = make_repository(Commit(files, "feat: money"), Commit({"NOTES": "more\n"}), name="hub.git", bare=True)
    return Team(hub, tmp_path, monkeypatch)
