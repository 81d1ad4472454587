"""`repomem eval --memory`: the figures of a replay of one's own memories."""

from collections.abc import Iterator
from typing import Any

from repomem.cli.evaluate.use import use_pairs
from repomem.cli.terminal.console import tell
from repomem.cli.terminal.formats import Format, out_json, out_pairs
from repomem.cli.terminal.interrupts import interruptible
from repomem.cli.terminal.progress import progress_for_terminal
from repomem.core.text.counts import counted
from repomem.evaluate.memories import MemoryEvaluation, evaluate_memories
from repomem.evaluate.replay import ReplayOptions
from repomem.workspace.run import Run
from repomem.workspace.workspace import Workspace

SCHEMA = "repomem.eval-memory/1"


def evaluate_memories_command(workspace: Workspace, commits: int, budget: int | None, form: Format) -> None:
    """Replay the newest commits against the memories known before each, and print the figures."""
    with interruptible(progress_for_terminal()) as progress:
        tokens = workspace.loaded.config.recall.budget if budget is None else budget
        found = evaluate_memories(workspace, ReplayOptions(commits, tokens), Run(progress=progress, tell=tell))
    if form is Format.JSON:
        out_json(_json(found, tokens))
    else:
        out_pairs("Memory", _pairs(found))
        if not found.rows:
            tell("nothing to replay: no qualifying commit is newer than a memory attached to code")


def _json(found: MemoryEvaluation, budget: int) -> dict[str, Any]:
    return {
        "schema": SCHEMA,
        "budget": budget,
        "coverage": found.coverage,
        "precision": found.precision,
        "anchored": found.anchored,
        "drift": found.drift,
        "shown_and_never_changed": found.useless,
        "use": found.report.use,
        "sessions": found.report.sessions,
        "bloat": found.report.bloat,
        "tasks": [
            {"commit": row.commit, "date": row.date, "shown": sorted(row.shown), "touched": sorted(row.touched)}
            for row in found.rows
        ],
    }


def _pairs(found: MemoryEvaluation) -> Iterator[tuple[str, str]]:
    use, bloat = found.report.use, found.report.bloat
    yield "replayed", f"{counted(len(found.rows), 'commit')}; only commits newer than a memory on code count"
    on_code = counted(found.anchored, "memory", "memories")
    shares = (
        ("coverage", found.coverage, "of the memories whose code a commit changed were in its brief"),
        ("precision", found.precision, "of the memories on code in briefs were on code that the commit changed"),
        ("drift", found.drift, f"of {on_code} on code: the code has changed or is gone"),
    )
    yield from ((name, f"{share:.0%} {of}") for name, share, of in shares if share is not None)
    useless = counted(found.useless, "shown memory", "shown memories")
    yield "unchanged", f"no replayed commit changed the code of {useless}; normal for rules that are followed"
    every = counted(found.report.memories, "memory", "memories")
    yield "never shown", f"{use.never_shown} of {every} in a brief for a task"
    yield "near-duplicates", f"{bloat.near_duplicates}"
    yield from use_pairs(found.report.sessions)
