"""A repository on whose branches memories are said, and how they stand there."""

import os
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from repomem.core.records import Anchor, Event, MemoryContent, MemoryKind, Origin, Record, Source
from repomem.core.types.text import CleanText
from repomem.core.ulid import new_ulid
from repomem.memories.anchors.live_files import LiveFiles
from repomem.memories.rewrites.follow import follow_rewrites
from repomem.memories.snapshots.snapshot import memory_snapshot
from repomem.memories.status import Visibility
from repomem.workspace.ledger import ledger_of
from repomem.workspace.workspace import Workspace, opened

START = 1_800_000_000  # later than the dates of the sealed environment


@dataclass(slots=True)
class Scene:
    """Git as a person uses it, each commit a minute after the one before it; no hook is installed."""

    folder: Path
    workspace: Workspace
    clock: int = START
    said: dict[str, str] = field(default_factory=dict)  # what was said, to the memory's id

    def git(self, *arguments: str) -> str:
        """The output of a command that must succeed."""
        done = self.tried(*arguments)
        assert done.returncode == 0, (arguments, done.stdout, done.stderr)
        return done.stdout.rstrip("\n")

    def tried(self, *arguments: str) -> "subprocess.CompletedProcess[str]":
        """A command that may fail."""
        self.clock += 60
        dates = {"GIT_AUTHOR_DATE": f"{self.clock} +0000", "GIT_COMMITTER_DATE": f"{self.clock} +0000"}
        return subprocess.run(
            ["git", "-c", "core.editor=true", *arguments],
            cwd=self.folder,
            env={**os.environ, **dates},
            capture_output=True,
            text=True,
            check=False,
        )

    @property
    def head(self) -> str:
        """The commit that is checked out."""
        return self.git("rev-parse", "HEAD")

    def commit(self, files: dict[str, str], message: str = "a change") -> str:
        """One commit on the branch that is checked out."""
        for path, text in files.items():
            (self.folder / path).write_text(text)
        self.git("add", "--all")
        self.git("commit", "-q", "-m", message)
        return self.head

    def say(self, text: str, *anchors: Anchor, source: Source = Source.AGENT) -> str:
        """Remember something on the commit that is checked out."""
        branch = self.git("branch", "--show-current")
        origin = Origin("2027-01-15T08:00:00Z", "someone", source, branch=branch, head=self.head)
        said = MemoryContent(MemoryKind.FACT, CleanText(text), anchors=anchors)

        def make(before: Sequence[Record]) -> list[Record]:
            return [Record(new_ulid(before[-1].id if before else ""), Event.REMEMBER, origin, said=said)]

        [record] = ledger_of(self.workspace).append(make)
        self.said[text] = record.id
        return record.id

    def seen(self, revision: str = "HEAD") -> dict[str, Visibility]:
        """Where each thing that was said is seen from a commit, after the index was brought up to date there."""
        commit = self.git("rev-parse", "--verify", "-q", f"{revision}^{{commit}}")
        follow_rewrites(self.workspace, commit)
        return self.told(commit)

    def told(self, commit: str) -> dict[str, Visibility]:
        """The same as things are known."""
        blobs = {}
        for line in self.git("ls-tree", "-r", commit).splitlines():
            facts, path = line.split("\t")
            blobs[path] = facts.split()[2]
        states = memory_snapshot(LiveFiles(self.workspace, commit, blobs)).states
        return {text: states[name].visibility for text, name in self.said.items()}


@contextmanager
def scene_in(folder: Path, files: dict[str, str], clock: int = START) -> Iterator[Scene]:
    """A new repository with one commit on main."""
    folder.mkdir()
    subprocess.run(["git", "init", "-q"], cwd=folder, check=True)
    with (folder / ".git" / "config").open("a") as config:
        config.write("[core]\n\tfsync = none\n[gc]\n\tauto = 0\n[advice]\n\tdetachedHead = false\n")
    with opened(folder, os.environ) as workspace:
        scene = Scene(folder, workspace, clock)
        scene.commit(files, "begin")
        yield scene
