"""What the fault tests share: a repository that is indexed once and copied, its answers, and processes to kill.

A plugin rather than a conftest, since the tests of every area import `conftest` by that name. Tests import it before
it is a plugin: PYTEST_DONT_REWRITE.
"""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from repomem.index.report import IndexReport
from repomem.index.run import index
from repomem.recall.answer import recall_now, search_now
from repomem.recall.request import BriefRequest
from repomem.workspace.run import Run
from repomem.workspace.snapshot import Scope
from repomem.workspace.workspace import opened
from support.fork_server import fork_server
from support.repositories import Commit, MakeRepository

SAMPLES = Path(__file__).parents[2] / "fixtures" / "repositories"
QUESTIONS = ("parse the amount of a posting", "unbalanced transaction", "Ledger")
TASK = "reject a posting whose amount has too many digits"
ONE_AFTER_ANOTHER = """
import json, os, sys
from repomem.__main__ import main
commands = json.load(sys.stdin)
sys.stdin = open(os.devnull)
os._exit = sys.exit  # a command ends its process
for command in commands:
    sys.argv = ["repomem", *command]
    try:
        main()
    except SystemExit as ended:
        if ended.code:
            sys.exit(f"{command} ended with {ended.code}")
"""
SECONDS = 120  # after which a process that should have ended is a failure


@dataclass(frozen=True)
class Answers:
    """All that a worktree answers: hits with scores, and the brief for a task and without one."""

    hits: tuple[tuple[tuple[object, ...], ...], ...]
    brief: str
    map: str


@dataclass(frozen=True)
class Ledgerly:
    """An indexed repository of a few commits, and what it answers when nothing is wrong."""

    folder: Path
    answers: Answers

    @property
    def memory(self) -> Path:
        """The folder of the catalog and the tables."""
        return self.folder / ".git" / "repomem"

    def tables(self, pattern: str) -> list[Path]:
        """The files of the store that match."""
        found = sorted(path for path in (self.memory / "store").glob(pattern) if path.is_file())
        assert found
        return found


def indexed(folder: Path, *, rebuild: bool = False) -> tuple[IndexReport, list[str]]:
    """One index run, and what it notices."""
    with opened(folder, os.environ) as workspace:
        report = index(workspace, Run(), rebuild=rebuild)
        return report, workspace.notices


def asked(folder: Path) -> tuple[Answers, list[str]]:
    """The answers of a worktree, brought up to date by the asking, and what it notices."""
    with opened(folder, os.environ) as workspace:
        found, lacks = search_now(workspace, list(QUESTIONS), Scope(), 10, Run())
        hits = tuple(
            tuple((h.file.path, h.chunk.start_line, h.chunk.end_line, h.score, h.chunk.text, h.why) for h in each)
            for each in found
        )
        briefs = [recall_now(workspace, BriefRequest(text, 1500), Run()).markdown for text in (TASK, "")]
        return Answers(hits, *briefs), [*lacks, *workspace.notices]


def answers_of(folder: Path) -> Answers:
    """The answers of a worktree that has nothing to notice."""
    answers, notices = asked(folder)
    assert notices == []
    return answers


def paths_found(folder: Path, question: str) -> list[str]:
    """The paths of a search's hits, best first."""
    with opened(folder, os.environ) as workspace:
        [hits], _ = search_now(workspace, [question], Scope(), 20, Run())
        return [hit.file.path for hit in hits]


def recalled(folder: Path, task: str, budget: int = 1500) -> str:
    """The brief for a task."""
    with opened(folder, os.environ) as workspace:
        return recall_now(workspace, BriefRequest(task, budget), Run()).markdown


def repomem(
    folder: Path,
    *arguments: str,
    env: Mapping[str, str] | None = None,
    input: str = "",  # noqa: A002  # as subprocess.run
) -> "subprocess.CompletedProcess[str]":
    """The command in a forked process."""
    code, out, err = fork_server().run(arguments, folder, os.environ if env is None else env, input.encode())
    return subprocess.CompletedProcess(arguments, code, out.decode(), err.decode())


def repomem_fresh(folder: Path, *arguments: str, **options: Any) -> "subprocess.CompletedProcess[str]":
    """The command in an interpreter of its own, with what `subprocess.run` can set."""
    return subprocess.run(
        _command(*arguments), cwd=folder, capture_output=True, text=True, check=False, timeout=SECONDS, **options
    )


def said_by(folder: Path, *commands: Sequence[str], **options: Any) -> list[str]:
    """What commands say that run one after another in one process, which costs one start; all must succeed."""
    asked = json.dumps(commands)
    options = {"capture_output": True, "text": True, "timeout": SECONDS * 3, **options}
    script = [sys.executable, "-P", "-c", ONE_AFTER_ANOTHER]
    done = subprocess.run(script, cwd=folder, input=asked, check=False, **options)
    assert done.returncode == 0, done.stderr
    return [done.stdout, done.stderr]


def started(folder: Path, *arguments: str) -> "subprocess.Popen[bytes]":
    """The same, running; its output goes nowhere."""
    null = subprocess.DEVNULL
    return subprocess.Popen(_command(*arguments), cwd=folder, stdin=null, stdout=null, stderr=null)


def _command(*arguments: str) -> list[str]:
    return [sys.executable, "-P", "-m", "repomem", *arguments]


def written(folder: Path, files: Mapping[str, str | bytes]) -> None:
    """Put files into a worktree."""
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)


def sample(name: str) -> dict[str, str]:
    """The files of a sample repository."""
    root = SAMPLES / name
    return {path.relative_to(root).as_posix(): path.read_text() for path in sorted(root.rglob("*")) if path.is_file()}


def history() -> Iterator[Commit]:
    """The sample as a history: one file after another, then one is changed and one deleted."""
    files = sample("ledgerly")
    yield Commit({"src/ledgerly/old.py": "def forgotten_ledger():\n    return 'amount'\n"}, "feat: an old ledger")
    for path, text in files.items():
        yield Commit({path: text}, f"feat: add {path}\n\nIt is what the ledger needs next.")
    parser = files["src/ledgerly/parser.py"] + "\n\nLIMIT = 9  # digits of an amount\n"
    yield Commit({"src/ledgerly/parser.py": parser}, "fix: an amount with too many digits is rejected")
    yield Commit({"src/ledgerly/old.py": None}, "chore: drop the old ledger")


@pytest.fixture(scope="session")
def made_once(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What the first test that wants it makes, for all that come later."""
    return {"folder": tmp_path_factory.mktemp("made_once")}


@pytest.fixture
def ledgerly(made_once: dict[str, Any], tmp_path: Path, make_repository: MakeRepository) -> Ledgerly:
    """A copy of the indexed sample in a folder of its own, known to its catalog by that folder."""
    template = made_once["folder"] / "ledgerly"
    if not template.exists():
        made = make_repository(*history(), name="template/ledgerly")
        indexed(made)
        shutil.copytree(made, template)
    folder = tmp_path / "ledgerly"
    shutil.copytree(template, folder)
    report, notices = indexed(folder)
    assert (report.state, report.parsed, notices) == ("indexed", 0, [])
    if "answers" not in made_once:
        made_once["answers"] = answers_of(folder)
    return Ledgerly(folder, made_once["answers"])
