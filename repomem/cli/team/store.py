"""`repomem store`: set up, show and prune shared storage."""

from collections.abc import Iterator
from dataclasses import asdict
from typing import TYPE_CHECKING

from repomem.cli.terminal.console import confirmed, out, tell
from repomem.cli.terminal.formats import Format, out_json, out_pairs
from repomem.workspace.workspace import Workspace

if TYPE_CHECKING:
    from repomem.pool.admin import PoolReport
    from repomem.pool.tables import SharedTable

SCHEMA = "repomem.store/1"


def init_command(workspace: Workspace, uri: str) -> None:
    """Set up shared storage, and print what everyone has to configure."""
    from repomem.core.config import user_file
    from repomem.pool.admin import set_up_pool

    place, is_new = set_up_pool(workspace, uri)
    done = "passed the test, and is now set up" if is_new else "was already set up, and works"
    out(f"{place} {done}\n")
    if workspace.loaded.config.store.uri != place:
        tell(f'hint: each user adds two lines to {user_file()}: [store], then uri = "{place}"')


def status_command(workspace: Workspace, form: Format) -> None:
    """Print the state of shared storage."""
    from repomem.pool.admin import pool_status

    report = pool_status(workspace)
    if form is Format.JSON:
        out_json({"schema": SCHEMA, **asdict(report)})
    else:
        out_pairs("Shared storage", _pairs(report))


def prune_command(workspace: Workspace, writer: str, *, is_all: bool, is_sure: bool) -> None:
    """Delete from shared storage, and print what was deleted."""
    from repomem.pool.admin import prune_pool, require_pool

    require_pool(workspace)
    whose = "everybody" if is_all else f"writer {writer}" if writer else ""
    question, refusal = f"Delete what {whose} has stored of this repository?", "nothing was deleted"
    hint = "confirm on a terminal, or with --yes"
    if whose and not is_sure and not confirmed(question, refusal=refusal, hint=hint):
        tell(refusal)
        return
    gone = prune_pool(workspace, writer, is_all=is_all)
    out("".join(f"deleted {name}\n" for name in gone) or "nothing to delete\n")


def _pairs(report: "PoolReport") -> Iterator[tuple[str, str]]:
    yield "place", f"{report.uri}, folder {report.folder}"
    yield "writer here", report.writer
    for table in report.tables:
        mine = " (here)" if table.writer == report.writer else ""
        yield f"{table.kind} of {table.writer}{mine}", _table_text(table)
    yield "last failure", " ".join(filter(None, (report.failed_at, report.failure)))


def _table_text(table: "SharedTable") -> str:
    if table.rows is None:
        return f"not used: {table.fault}"
    rules = "" if table.is_used or table.kind == "vectors" else ", by another version: not used here"
    return f"{table.rows:,} rows, {table.bytes / 1024:,.0f} KB{rules}"
