"""Prepares a run: the clone, the prompt, and the environment of an arm.

In the `with` arm, repomem's own commands run with a home of their own. The agent and its host have the user's home, but
no ledger, index or setting of the user is read or written, and the clone has another identity than the repository. In
all arms the user's hooks are off (REPOMEM=0); in the other arms the command is hidden and the clone cannot be indexed.
"""

import json
import os
import shlex
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from repomem.adapters.git.repository import Repository
from repomem.adapters.ledger.lines import plain
from repomem.core.errors import RepomemError
from repomem.core.processes.background import PROGRAM
from repomem.core.processes.locks import write_lock
from repomem.core.text.tokens import count_tokens
from repomem.evaluate.agents.tasks import AgentTask, Arm
from repomem.evaluate.agents.worktrees import clone_at, commit_files, hidden_future
from repomem.workspace.process import environment_before
from repomem.workspace.user.binding import DATA_FOLDER, bind
from repomem.workspace.workspace import opened

LONGEST_INDEX = 3_600.0  # seconds
HIDDEN = "#!/bin/sh\necho 'repomem is not part of this run' >&2\nexit 127\n"


@dataclass(frozen=True, slots=True)
class Prepared:
    """A clone in which an agent can be started."""

    clone: Repository
    base: str  # its HEAD
    prompt: str
    environment: Mapping[str, str]
    brief_tokens: int


def prepared(source: Repository, task: AgentTask, arm: Arm, budget: int, folder: Path) -> Prepared:
    """Everything that a run needs, in a new folder. Raises RepomemError if repomem fails there."""
    name = (source.top or source.git_dir).name.removesuffix(".git") or "repository"
    clone = clone_at(source, task.base, folder / name)
    hidden_future(clone, task.later)
    base = commit_files(clone, task.changes.get(arm, {}))
    programs = folder / "bin"
    programs.mkdir()
    brief = ""
    if arm is Arm.WITH:
        own = _Own(programs / "repomem", folder / "home")
        own.write()
        brief = _brief(own, clone, task, budget)
    else:
        _write_program(programs / "repomem", HIDDEN)
        (clone.git_dir / DATA_FOLDER).write_text("no index here\n", encoding="utf-8")  # a file in the folder's place
    prompt = f"{brief.rstrip()}\n\n{task.prompt}" if brief.strip() else task.prompt
    return Prepared(clone, base, prompt, environment_of_agent(programs), count_tokens(brief) if brief else 0)


def environment_of_agent(programs: Path) -> dict[str, str]:
    """The user's environment, which the host's login needs, with our programs first and the user's hooks off."""
    kept = {name: value for name, value in environment_before().items() if not name.startswith("REPOMEM_")}
    return {**kept, "REPOMEM": "0", "PATH": os.pathsep.join([str(programs), os.environ.get("PATH", os.defpath)])}


@dataclass(frozen=True, slots=True)
class _Own:
    """The `repomem` of a clone, which knows no other data than that of the clone."""

    program: Path
    home: Path

    def write(self) -> None:
        """Write it as a shell script."""
        self.home.mkdir()
        unset = "XDG_CACHE_HOME XDG_CONFIG_HOME XDG_DATA_HOME XDG_RUNTIME_DIR XDG_STATE_HOME REPOMEM"
        settings = {"HOME": self.home, "TMPDIR": self.home, "REPOMEM_WORKERS_PRELOAD": "false"}
        values = " ".join(f"{name}={shlex.quote(str(value))}" for name, value in settings.items())
        path = os.environ.get("PYTHONPATH", "")
        values += f" PYTHONPATH={shlex.quote(path)}" if path else ""
        _write_program(self.program, f'#!/bin/sh\nunset {unset}\nexec env {values} {shlex.join(PROGRAM)} "$@"\n')

    def run(self, clone: Repository, *words: str, given: str = "") -> str:
        """Run a command in the clone; its output."""
        try:
            done = subprocess.run(  # noqa: S603  # our own program
                [self.program, *words],
                cwd=clone.top,
                env=environment_of_agent(self.program.parent),
                input=given.encode("utf-8", "surrogatepass"),
                capture_output=True,
                check=False,
                timeout=LONGEST_INDEX,
            )
        except subprocess.TimeoutExpired as error:
            raise RepomemError(f"repomem {words[0]} took more than an hour in a clone") from error
        if done.returncode:
            said = done.stderr.decode("utf-8", "replace").strip().splitlines()
            raise RepomemError(f"repomem {words[0]} failed in a clone: {said[0] if said else done.returncode}")
        return done.stdout.decode("utf-8", "replace")


def _brief(own: _Own, clone: Repository, task: AgentTask, budget: int) -> str:
    """The brief for a task as a hook gives it, from an index of the clone with the memories of the task."""
    own.run(clone, "index", "--quiet")
    _separate(clone, own.home.parent.name)
    if task.memories:
        lines = "".join(f"{json.dumps(plain(record), ensure_ascii=False)}\n" for record in task.memories)
        own.run(clone, "ledger", "import", given=lines)
    return own.run(clone, "recall", "--format", "markdown", "--budget", str(budget), "-", given=task.question)


def _separate(clone: Repository, name: str) -> None:
    """Keep the user's ledger of the same repository out of a clone, by an identity of its own.

    A `repomem` that was not started here, such as an MCP server in the user's settings, uses the user's data folder.
    It must find the clone bound to the user; otherwise it would rebuild the index under the repository's identity.
    """
    assert clone.top is not None
    bind(clone.git_dir / DATA_FOLDER)
    with opened(clone.top, os.environ) as workspace, write_lock(workspace.folder):
        workspace.catalog.set_meta("identity", name)


def _write_program(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8")
    path.chmod(0o755)
