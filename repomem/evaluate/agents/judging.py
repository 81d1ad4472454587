"""Runs checks: whether an agent's work passes, and whether a commit's tests tell the commit from its parent."""

from pathlib import Path

from repomem.adapters.git.repository import Repository
from repomem.core.types.commits import LogRecord
from repomem.evaluate.agents.processes import limited
from repomem.evaluate.agents.tasks import AgentTask, Check, contents_of
from repomem.evaluate.agents.worktrees import clone_at, write_files
from repomem.workspace.process import environment_before

LONGEST_TEST = 900.0  # seconds
OUTPUT_KEPT = 20_000  # bytes of a check's output, from its end


def passes(clone: Repository, check: Check, log: Path | None = None) -> bool:
    """Whether a check passes in a worktree; its output is written to `log`."""
    assert clone.top is not None
    write_files(clone, check.files)
    shell = ("/bin/sh", "-c", check.command)
    with limited(shell, clone.top, environment_of_tests(), LONGEST_TEST) as running:
        output = b"".join(running.lines)[-OUTPUT_KEPT:]
        running.wait()
    if log:
        end = running.stopped or f"exit code {running.code}"
        log.write_bytes(f"$ {check.command}\n".encode("utf-8", "surrogateescape") + output + f"\n{end}\n".encode())
    return running.code == 0


def verified(source: Repository, record: LogRecord, task: AgentTask, folder: Path) -> str:
    """Why a commit's tests do not judge it; empty if they fail without the commit and pass with it."""
    clone = clone_at(source, task.base, folder)
    if passes(clone, task.solved):
        return "its tests pass without it"
    write_files(clone, contents_of(source, record))
    return "" if passes(clone, task.solved) else "its tests fail with it"


def environment_of_tests() -> dict[str, str]:
    """The user's environment without what repomem reads: it must not change what tests do.

    Python keeps no bytecode: it would take that of a file that was replaced within a second by one of the same size.
    """
    kept = {name: value for name, value in environment_before().items() if not name.startswith(("REPOMEM_", "GIT_"))}
    return {name: value for name, value in kept.items() if name != "REPOMEM"} | {"PYTHONDONTWRITEBYTECODE": "1"}
