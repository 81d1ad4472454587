"""`repomem index`."""

import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import asdict

from repomem.cli.terminal.console import asked, tell
from repomem.cli.terminal.formats import Format, out_json, out_pairs
from repomem.cli.terminal.progress import progress_for_terminal
from repomem.core.errors import RepomemError, StoreError
from repomem.core.text.counts import counted
from repomem.core.text.escape import visible
from repomem.index.report import IndexReport, unchanged_report
from repomem.workspace.process import warm_up
from repomem.workspace.run import Run
from repomem.workspace.workspace import Workspace

SCHEMA = "repomem.index/1"
FAULTS_SHOWN = 10

STATES = {
    "current": "up to date, no changes",
    "indexed": "up to date",
    "partial": "incomplete: time ran out, and the next run continues",
    "waiting": "another run is in progress; this is the state before it",
}


def index_command(workspace: Workspace, form: Format, *, is_rebuild: bool, is_quiet: bool, is_waiting: bool) -> None:
    """Update the index, and print what it contains.

    Raises StoreError if another run is in progress, unless it waits or is quiet: the other run indexes for it.
    """
    start = time.monotonic()
    _set_up_new_worktree(workspace)
    report = None if is_rebuild else unchanged_report(workspace)
    report = report or _indexed(workspace, is_rebuild=is_rebuild, is_quiet=is_quiet)
    if report.state == "waiting" and is_waiting:
        tell("another index run is in progress: waiting for it to end; Ctrl-C ends only the wait")
        while report.state == "waiting":  # each call waits for the other's lock a while
            report = _indexed(workspace, is_rebuild=is_rebuild, is_quiet=is_quiet)
    seconds = time.monotonic() - start
    if is_quiet:  # as git hooks run it
        _refresh_exports(workspace)
        return
    if form is Format.JSON:
        out_json({"schema": SCHEMA, **asdict(report), "seconds": round(seconds, 2)})
    elif report.state != "waiting" or workspace.catalog.worktree(workspace.root):
        out_pairs("Index", [*report_pairs(report), ("time", f"{seconds:.1f} s")])
    if report.state == "waiting":
        raise StoreError(
            "another index run is in progress; it indexes this worktree too", "wait for it: repomem index --wait"
        )


def _set_up_new_worktree(workspace: Workspace) -> None:
    """Set up the hosts of the clone's other worktrees in one that has not been indexed; doctor tells what failed."""
    top = workspace.repository.top
    if top and workspace.catalog.worktree(workspace.root) is None:
        from repomem.agents.wanted_entries import target_here
        from repomem.agents.worktrees import install_as_elsewhere

        with suppress(RepomemError, OSError):
            if names := install_as_elsewhere(target_here(top)):
                tell(f"set up here as in the clone's other worktrees: {', '.join(names)}")


def _refresh_exports(workspace: Workspace) -> None:
    """Refresh the files with exported rules, if there are any, after a commit."""
    from repomem.agents.rules_block import may_have_rules

    if workspace.repository.top and may_have_rules(workspace.repository.top):
        from repomem.agents.exported_rules import refresh_after_commit

        refresh_after_commit(workspace)


def _indexed(workspace: Workspace, *, is_rebuild: bool, is_quiet: bool) -> IndexReport:
    if workspace.catalog.worktree(workspace.root):  # a change will be stored; a new worktree may have nothing new
        warm_up()
    from repomem.index.run import index

    return index(workspace, user_run(is_quiet=is_quiet), rebuild=is_rebuild)


def user_run(*, is_quiet: bool = False) -> Run:
    """The options of an index run that a user has started: unless it is quiet, it prints, asks and downloads."""
    progress = progress_for_terminal(is_quiet=is_quiet)
    if is_quiet:
        return Run(progress=progress, may_share=True)
    return Run(progress=progress, tell=tell, agrees=asked, may_download=True, may_share=True)


def report_pairs(report: IndexReport) -> Iterator[tuple[str, str]]:
    """A report as names and values for people; empty values are not printed."""
    yield "index", STATES[report.state]
    branch = f" ({report.branch})" if report.branch else ""
    yield "head", f"{report.head[:12] or 'no commit yet'}{branch}"
    yield "files", f"{report.files:,}"
    yield "from shared storage", counted(report.taken, "file") if report.taken else ""
    yield "chunks", f"{report.chunks:,}"
    yield "commits", f"{report.episodes:,}"
    yield "languages", ", ".join(f"{name} ({count:,})" for name, count in report.languages.items())
    yield "files left out", ", ".join(f"{reason} ({count:,})" for reason, count in report.left_out.items())
    missing = {"file": report.missing_files, "commit": report.missing_commits}
    yield "not indexed yet", ", ".join(counted(count, name) for name, count in missing.items() if count)
    yield "faults", _listed(report.faults)


def _listed(lines: list[str]) -> str:
    more = [f"and {len(lines) - FAULTS_SHOWN} more"] * (len(lines) > FAULTS_SHOWN)
    return "; ".join([*map(visible, lines[:FAULTS_SHOWN]), *more])
