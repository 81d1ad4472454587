"""A small repository with an index, a ledger and hooks, which every run finds as it was; and what must be so after it.

Whoever uses it sets the variables of `sealed` before.
"""

import json
import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from benchmarks.inputs import git
from repomem.adapters.ledger.file import FILE
from repomem.core.records import Event, Record
from repomem.index.run import index
from repomem.memories.consolidate.run import consolidate
from repomem.memories.forget import forget
from repomem.memories.new_memory import NewMemory
from repomem.memories.remember import remember
from repomem.memories.snapshots.snapshot import memories_now
from repomem.recall.answer import recall_now
from repomem.recall.request import BriefRequest
from repomem.sessions.lifecycle import note, start
from repomem.setup.doctor import HealthState, health_checks
from repomem.setup.git_hooks import install
from repomem.workspace.freshness import is_behind
from repomem.workspace.ledger import Speaker, ledger_of
from repomem.workspace.run import Run
from repomem.workspace.workspace import Workspace, opened

PERSON, AGENT = Speaker(is_person=True), Speaker(tool="benchmark")
SAID = ("We retry three times", "A retry waits twice as long as the one before", "Retry never runs in tests")
TWINS = ("Delays are whole seconds", "The delays are really whole seconds")  # what consolidation puts together
VICTIM = "The launch is called Heliotrope"  # forgotten for good
FRESH = "Dates are ISO"  # remembered
TASK = "how often do we retry"
CODE = "def {}(times):\n    delay = 1\n    for _ in range(times):\n        delay *= 2\n    return delay\n"
FILES = {f"src/{name}.py": CODE.format(name) for name in ("retry", "wait", "back_off", "parse", "render")}
CHANGED = {"src/late.py": "def late_retry(times):\n    return times + 1\n", "src/parse.py": None}
PARTS = ("repository", "home", "tmp")  # the last has the ledger where neither of the others can be written
COMMITTED = {"NAME": "Ada Example", "EMAIL": "ada@example.org", "DATE": "1700000000 +0000"}
_ID = re.compile(r"\b0[0-9A-HJKMNP-TV-Z]{5,25}\b")
_DATE = re.compile(r"\d{4}-\d\d-\d\d")
_TOKENS = re.compile(r'tokens="\d+/')


def sealed(work: Path) -> dict[str, str]:
    """The variables of a place in `work`: a home of its own, and the author and the time of its commits."""
    home = work.resolve() / "home"
    folders = {f"XDG_{name}_HOME": str(home / name.lower()) for name in ("DATA", "STATE", "CACHE", "CONFIG")}
    who = {f"GIT_{role}_{part}": text for role in ("AUTHOR", "COMMITTER") for part, text in COMMITTED.items()}
    return {"HOME": str(home), "TMPDIR": str(work.resolve() / "tmp"), **folders, **who}


@dataclass(frozen=True)
class Place:
    """A repository in `work`, with a home of its own; `begin` puts it back to what it was."""

    work: Path
    acknowledged: frozenset[str] = frozenset()  # the ids of all records that it begins with
    victim: str = ""  # that of what is to be forgotten

    @classmethod
    def made(cls, work: Path) -> "Place":
        """A new one: indexed, with memories, an installed hook, and a commit that the index does not know."""
        place = cls(work.resolve())
        place._make()
        for name in PARTS:
            shutil.copytree(place.work / name, place.work / "template" / name, symlinks=True)
        records = place.records()
        [victim] = [record.id for record in records if record.said and record.said.text == VICTIM]
        return cls(place.work, frozenset(record.id for record in records), victim)

    @property
    def folder(self) -> Path:
        """The repository."""
        return self.work / "repository"

    @property
    def memory(self) -> Path:
        """The folder of ledger, catalog, store and spool."""
        return self.folder / ".git" / "repomem"

    @property
    def watched(self) -> list[Path]:
        """Where calls fail: that folder, and what lies in the user's home."""
        return [self.memory, self.work / "home"]

    def begin(self, *, is_indexed: bool = True) -> None:
        """All as it was; `is_indexed`, or else as if the ledger alone were there."""
        for name in PARTS:
            shutil.rmtree(self.work / name)
            shutil.copytree(self.work / "template" / name, self.work / name, symlinks=True)
        if not is_indexed:
            shutil.rmtree(self.memory / "store")
            for path in self.memory.glob("catalog*"):
                path.unlink()

    def records(self) -> list[Record]:
        """What the copies of the ledger hold together."""
        with opened(self.folder, os.environ) as workspace:
            return ledger_of(workspace).records()

    def lost_and_doubled(self) -> Iterator[str]:
        """What is wrong with the ledger, before anything is mended."""
        there = {record.id for record in self.records()}
        for name in sorted(self.acknowledged - there - {self.victim}):
            yield f"lost: the record {name}"
        counted = [record.text for record in self.records() if record.event is Event.ACCESS]
        if len(counted) != len(set(counted)):
            yield "doubled: recalls that were counted"
        for path in self._copies():
            names = [json.loads(line.partition(b" ")[2])["id"] for line in _whole_lines(path)]
            if len(names) != len(set(names)):
                yield f"doubled: records of {path}"

    def broken(self) -> Iterator[str]:
        """What `repomem doctor` finds broken."""
        with opened(self.folder, os.environ) as workspace:
            for finding in health_checks(workspace):
                if finding.state is HealthState.BROKEN:
                    yield f"broken: {finding.name}: {finding.text}"

    def residue(self) -> Iterator[str]:
        """Files that still hold what was forgotten for good."""
        for root in (*self.watched, self.work / "tmp"):
            for path in sorted(root.rglob("*")):
                if path.is_file() and VICTIM.encode() in path.read_bytes():
                    yield f"residue: {path}"

    def brief(self, task: str = TASK) -> str:
        """The brief for a task."""
        with opened(self.folder, os.environ) as workspace:
            return recall_now(workspace, BriefRequest(task, 1500), Run()).markdown

    def briefs(self) -> list[str]:
        """The brief for a task and the one without, without what differs from run to run."""
        found = [self.brief(task) for task in (TASK, "")]
        return [_TOKENS.sub('tokens="N/', _DATE.sub("DATE", _ID.sub("ID", text))) for text in found]

    def texts(self) -> list[str]:
        """The memories that are remembered."""
        with opened(self.folder, os.environ) as workspace:
            standings = memories_now(workspace).states.values()
            return sorted(each.memory.said.text for each in standings)

    def is_indexed(self) -> bool:
        """Whether the index is that of the worktree as it is."""
        with opened(self.folder, os.environ) as workspace:
            return not is_behind(workspace)

    def events(self, event: Event) -> int:
        """How many records of a sort there are."""
        return sum(record.event is event for record in self.records())

    def subject(self) -> str:
        """That of the newest commit."""
        return git(self.folder, "log", "-1", "--format=%s")

    # What a clean run does

    def index(self) -> None:
        """Bring the index and the copies of the ledger up to date."""
        with opened(self.folder, os.environ) as workspace:
            index(workspace, Run())

    def remember(self) -> None:
        """Remember what the command remembers."""
        with opened(self.folder, os.environ) as workspace:
            remember(workspace, NewMemory(FRESH), Speaker())

    def forget(self) -> None:
        """Forget for good what the template has for that, unless it is forgotten."""
        with opened(self.folder, os.environ) as workspace:
            known = memories_now(workspace)
            if self.victim in known.states:
                forget(workspace, known, self.victim, PERSON, is_purge=True)

    def consolidate(self) -> None:
        """Group, count and archive."""
        with opened(self.folder, os.environ) as workspace:
            consolidate(workspace)

    # How it is made

    def _make(self) -> None:
        for name in PARTS:
            (self.work / name).mkdir()
        git(self.folder, "init", "-q")
        for name, text in FILES.items():
            self._commit({name: text}, f"feat: {name}\n\nIt retries.")
        self.index()
        with opened(self.folder, os.environ) as workspace:
            self._say(workspace)
            install(workspace)
        self.index()
        self.briefs()  # they spool what they have shown
        self._commit(CHANGED, "feat: a late retry")
        (self.folder / "src" / "dirty.py").write_text("def dirty_retry():\n    return 2\n")

    def _say(self, workspace: Workspace) -> None:
        for text in (*SAID, *TWINS):
            remember(workspace, NewMemory(text), PERSON)
        remember(workspace, NewMemory(VICTIM), Speaker())  # no person's: a command in a pipe may take it back
        session, _ = start(workspace, AGENT, "look at the delays")
        note(workspace, Speaker(tool=AGENT.tool, session=session.id), "half of them are done")

    def _commit(self, files: "dict[str, str] | dict[str, str | None]", message: str) -> None:
        for name, text in files.items():
            path = self.folder / name
            path.parent.mkdir(exist_ok=True)
            path.write_text(text) if text is not None else path.unlink()
        git(self.folder, "add", "-A")
        subprocess.run(
            ["git", "commit", "-q", "-m", message], cwd=self.folder, check=True, env={**os.environ, "REPOMEM": "0"}
        )

    def _copies(self) -> list[Path]:
        return [path for root in (*self.watched, self.work / "tmp") for path in root.rglob(FILE) if path.is_file()]


def _whole_lines(path: Path) -> list[bytes]:
    """Lines that were written to their end; a torn one is told of by whoever reads the copy."""
    return [line for line in path.read_bytes().split(b"\n")[:-1] if line.endswith(b"}")]
