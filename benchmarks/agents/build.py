"""Makes an invented repository: its first commit, session 1 by repomem's own commands, and the later commits.

Commits have fixed dates, so their hashes are always the same; the records are written with the clock of their day.
"""

import os
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from benchmarks.agents.definitions import Edit, InventedRepository, MemoryTask, command_of, edited
from benchmarks.processes import REPOMEM, ROOT
from benchmarks.week.place import AUTHOR, CLOCK
from repomem.adapters.git.repository import Repository
from repomem.adapters.ledger.lines import record_of_json
from repomem.core.records import Record
from repomem.evaluate.agents.tasks import AgentTask, Arm, Check

START = datetime(2024, 3, 4, 9, 0, tzinfo=UTC)  # of the first commit; records follow on the next day
LONGEST = 120  # seconds of a command
GUIDE = """# For agents

- Small functions, each with a comment or docstring that says what it gives.
- {}
- Do not change what a task does not ask for.
- Answer in English.
"""  # a hand-written file: the memory among other lines


@dataclass(frozen=True, slots=True)
class Built:
    """A repository with the memories of session 1."""

    definition: InventedRepository
    folder: Path
    home: Path  # of the user who recorded them

    def repomem(self, *words: str, at: datetime = START) -> str:
        """What a command prints; ends the program where it fails."""
        return self.run([*REPOMEM, *words], at)

    def run(self, command: Sequence[str], at: datetime) -> str:
        """Run a command at a moment."""
        dates = {f"GIT_{role}_DATE": at.isoformat() for role in ("AUTHOR", "COMMITTER")}
        author = {f"GIT_{role}_{name}": value for role in ("AUTHOR", "COMMITTER") for name, value in AUTHOR.items()}
        done = subprocess.run(
            command,
            cwd=self.folder,
            env={
                **author,
                **dates,
                "PATH": os.environ["PATH"],
                "HOME": str(self.home),
                "TMPDIR": str(self.home),
                "GIT_CONFIG_NOSYSTEM": "1",
                "PYTHONPATH": os.pathsep.join([str(CLOCK), str(ROOT)]),
                "WEEK_CLOCK_SHIFT": str(at.timestamp() - time.time()),
                "TZ": "UTC",
            },
            capture_output=True,
            check=False,
            timeout=LONGEST,
        )
        if done.returncode:
            sys.exit(f"{' '.join(command)} ended with {done.returncode}:\n{done.stderr.decode(errors='replace')}")
        return done.stdout.decode()

    def commit(self, message: str, edits: Sequence[Edit], at: datetime) -> None:
        """Edit the worktree and commit."""
        files = {path: (self.folder / path).read_text("utf-8") for path, old, _ in edits if old}
        write(self.folder, edited(files, edits))
        self.run(["git", "add", "--all"], at)
        self.run(["git", "commit", "--quiet", "--message", message], at)


def built(definition: InventedRepository, folder: Path, others: int = 0) -> Built:
    """The repository in a new folder, indexed at its last commit, with `others` memories of other projects."""
    made = Built(definition, folder / definition.name, folder / "home")
    made.folder.mkdir(parents=True)
    made.home.mkdir()
    made.run(["git", "init", "--quiet", "--initial-branch", "main"], START)
    made.commit(f"Start {definition.name}", [(path, "", text) for path, text in definition.files.items()], START)
    made.repomem("index", "--quiet")
    for number, task in enumerate(definition.tasks):
        for words in task.records:
            made.repomem(*words, at=START + timedelta(days=1, minutes=number))
    if others:
        made.run([sys.executable, "-m", "benchmarks.agents.others", str(others)], START + timedelta(days=1, hours=1))
    for number, task in enumerate(each for each in definition.tasks if each.later):
        made.commit(task.later_message, task.later, START + timedelta(days=2 + number))
    made.repomem("index", "--quiet", at=START + timedelta(days=30))
    return made


def agent_tasks(made: Built) -> list[AgentTask]:
    """The tasks of session 2, each with the memories of all."""
    source = Repository.open(made.folder)
    head = source.read("rev-parse", "HEAD").decode().strip()
    records = ledger_records(made)
    return [_agent_task(task, head, records) for task in made.definition.tasks]


def ledger_records(made: Built) -> list[Record]:
    """All records of the ledger."""
    exported = made.repomem("ledger", "export", at=START + timedelta(days=30))
    return [record_of_json(line.encode()) for line in exported.splitlines()]


def write(folder: Path, files: dict[str, str]) -> None:
    """Write files; those that begin with `#!` can be run."""
    for path, text in files.items():
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")
        target.chmod(0o755 if text.startswith("#!") else 0o644)


def _agent_task(task: MemoryTask, head: str, records: Sequence[Record]) -> AgentTask:
    line = task.guide or "Name things as the code around them does."
    return AgentTask(
        name=task.name,
        kind=f"{task.kind}, {task.state}" if task.state != "none" else "nothing relevant",
        title=task.prompt,
        question=task.prompt,
        prompt=task.prompt,
        base=head,
        right=frozenset(path for path, _, _ in (*task.naive, *task.respecting)),
        solved=Check(command_of(task.works)),
        respected=Check(command_of(task.respected)) if task.respected else None,
        changes={Arm.FILE: {"AGENTS.md": GUIDE.format(line).encode()}},
        memories=records,
    )
