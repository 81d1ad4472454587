"""`repomem eval`: the figures of a replay as tables, JSON or a page."""

import os
from dataclasses import asdict
from pathlib import Path
from typing import Any

from repomem.cli.evaluate.html import page as page_of
from repomem.cli.evaluate.output import print_tables, require_folder, rounded, write_page
from repomem.cli.terminal.console import tell
from repomem.cli.terminal.formats import Format, out_json
from repomem.cli.terminal.interrupts import interruptible
from repomem.cli.terminal.progress import progress_for_terminal
from repomem.core.text.counts import counted
from repomem.core.text.escape import visible_path
from repomem.evaluate.figures import Evaluation, Figures, ReplayedCommit
from repomem.evaluate.replay import ReplayOptions
from repomem.evaluate.run import evaluate
from repomem.evaluate.tables import footnotes, tables
from repomem.workspace.run import Run
from repomem.workspace.workspace import configured

SCHEMA = "repomem.eval/1"


def evaluate_command(
    directory: Path, commits: int, budget: int | None, page: Path | None, form: Format, *, is_fresh: bool
) -> None:
    """Replay the history and print the figures, and write them to `page`; without a budget, the configured one."""
    require_folder(page)
    repository, loaded = configured(directory, os.environ)
    tokens = loaded.config.recall.budget if budget is None else budget
    for notice in loaded.notices:
        tell(f"note: {notice}")
    with interruptible(progress_for_terminal()) as progress:
        found = evaluate(
            repository, loaded, ReplayOptions(commits, tokens, is_fresh), Run(progress=progress, tell=tell)
        )
    for line in (*(f"note: {notice}" for notice in found.notices), *(f"skipped {each}" for each in found.failures)):
        tell(line)
    if form is Format.JSON:
        out_json(evaluation_json(found))
    elif found.figures:
        print_tables(tables(found, found.figures), footnotes(found, found.figures))
    if not found.figures:
        tell(_nothing(found))
    elif page:
        write_page(page, page_of(found, found.figures))


def _nothing(found: Evaluation) -> str:
    newest = counted(found.scanned, "commit")
    searched = f"none of the newest {newest} qualifies" if found.head else "there are no commits"
    return (
        f"nothing to measure: {searched}. A commit qualifies if it has one parent, changes one to five code files and "
        "its message has at least four words"
    )


def evaluation_json(found: Evaluation) -> dict[str, Any]:
    """The figures as `repomem.eval/1`."""
    return {
        "schema": SCHEMA,
        "repository": {"name": found.name, "id": found.id, "head": found.head},
        "budget": found.budget,
        "commits": {
            "asked": found.asked,
            "scanned": found.scanned,
            "replayed": len(found.rows),
            "skipped": list(found.failures),
        },
        "notices": list(found.notices),
        **(rounded(_figures_json(found.figures)) if found.figures else {}),
        "tasks": [rounded(_row_json(row)) for row in found.rows],
    }


def _figures_json(figures: Figures) -> dict[str, Any]:
    return {
        "rankings": {name: {"recall": one.recall, "mrr": one.rr} for name, one in figures.rankings.items()},
        "best_baseline": {"name": figures.baseline, "brief_better": figures.better, "brief_worse": figures.worse},
        "brief": {"code_files": figures.named, "all_files": figures.named_all, "tokens": round(figures.tokens, 1)},
        "lines": {name: asdict(shares) for name, shares in figures.lines.items()},
        "blocks": [
            {
                "first": block.first.commit,
                "last": block.last.commit,
                "from": block.first.date,
                "to": block.last.date,
                "commits": block.commits,
                "brief": block.brief,
                "baseline": block.baseline,
            }
            for block in figures.blocks
        ],
        "signals": figures.signals,
    }


def _row_json(row: ReplayedCommit) -> dict[str, Any]:
    outcome = row.outcome
    return {
        "commit": row.commit,
        "date": row.date,
        "subject": row.subject,
        "files": list(map(visible_path, row.answers)),
        "recall": {name: measures.recall for name, measures in outcome.rankings.items()},
        "code_files": outcome.named,
        "all_files": outcome.named_all,
        "tokens": outcome.tokens,
        "lines": {name: asdict(shares) for name, shares in outcome.lines.items()},
    }
