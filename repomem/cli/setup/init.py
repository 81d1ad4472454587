"""`repomem init` and `repomem uninstall`.

Git hooks belong to this clone. Settings of agent hosts belong to the user: each change is asked for or named.
"""

import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from repomem.agents.exported_rules import remove_exports
from repomem.agents.hosts import hosts_named
from repomem.agents.install import HostReport, elsewhere, install, is_installed, project_root, uninstall
from repomem.agents.wanted_entries import InstallTarget, target_here
from repomem.cli.agents.agents import report_lines
from repomem.cli.agents.export import tell_taken
from repomem.cli.index.index import user_run
from repomem.cli.recall.recall import RecallRequest, out_brief
from repomem.cli.terminal.console import asked, confirmed, flush, tell, workspace_at
from repomem.core.errors import EmbeddingError
from repomem.core.text.counts import counted
from repomem.core.text.escape import visible_path
from repomem.index.report import last_report
from repomem.workspace.workspace import Workspace

if TYPE_CHECKING:
    from repomem.setup.git_hooks import HooksReport
    from repomem.setup.removal import Removed

OTHERS_WAIT = 60.0  # seconds to wait for another index run
FALLBACK = "agents-md"  # only by name: the file is committed


def init_command(directory: Path, names: tuple[str, ...], *, is_sure: bool, is_for_user: bool) -> None:
    """Index, print the first brief, install the hooks, and set up the agents."""
    from repomem.setup.git_hooks import install as hook

    hosts_named(names)  # unknown names fail before anything is done
    if names and not is_for_user:
        project_root(directory)  # and a bare repository, which has no place for their settings
    with workspace_at(directory) as workspace:
        _index(workspace)
        out_brief(workspace, RecallRequest(Path()))
        flush()  # before the lines that follow
        for line in _hook_lines(hook(workspace)):
            tell(line)
        reports = _set_up(workspace, names, is_sure=is_sure, is_for_user=is_for_user)
        if any(file.action == "written" for report in reports for file in report.files):
            _catch_up(workspace)
        tell(_undo(reports, is_for_user=is_for_user))


def uninstall_command(workspace: Workspace, *, is_sure: bool, is_for_user: bool, is_ledger_too: bool) -> None:
    """Undo init; the ledger stays, unless `is_ledger_too`."""
    from repomem.setup.git_hooks import uninstall as unhook
    from repomem.setup.removal import exclusively, removed

    had_index = bool(list(workspace.catalog.worktrees()))
    question = _warning(workspace, is_ledger_too=is_ledger_too)
    refusal = "uninstall asks for confirmation, and this is not a terminal"
    if not (is_sure or confirmed(question, refusal=refusal, hint="add --yes to skip the question")):
        tell("nothing was removed")
        return
    top = workspace.repository.top
    roots = [*([top] if top else []), *([None] if is_for_user else [])]
    with exclusively(workspace):
        gone = unhook(workspace)  # first, so that no commit starts a run now
        entries = [*_without_exports(workspace, is_ledger_too=is_ledger_too)]
        for where in map(target_here, roots):
            entries += _changed(uninstall(where))
            entries += [line for other in elsewhere(where) for line in _changed_in(other, uninstall(other))]
        done = removed(workspace, is_ledger_too=is_ledger_too)
    hooks = sum(hook.is_changed for hook in gone.hooks)
    lines = [*entries, *([f"git hooks: {hooks} removed"] if hooks else []), *_deleted(done, had_index=had_index)]
    for line in lines or ["nothing to remove: repomem is not set up here"]:
        tell(line)
    for folder in done.kept:
        tell(f"kept: your memories, in {visible_path(str(folder))} (--ledger also deletes them)")


def _without_exports(workspace: Workspace, *, is_ledger_too: bool) -> Iterator[str]:
    """Take exported rules out of all files; a line for each, after what a person wrote there was saved."""
    for done in remove_exports(workspace, is_ledger_too=is_ledger_too):
        tell_taken(done)
        yield f"exported rules: removed from {done.path.relative_to(workspace.root)}"


def _deleted(done: "Removed", *, had_index: bool) -> Iterator[str]:
    """The deleted parts of repomem's data."""
    if had_index or not done.kept:
        for folder in done.folders:
            what = "everything but the ledger in " if folder in done.kept else ""
            yield f"deleted: {what}{visible_path(str(folder))}"


def _index(workspace: Workspace) -> None:
    from repomem.index.run import index

    run = user_run()
    try:
        report, deadline = index(workspace, run), time.monotonic() + OTHERS_WAIT
        while report.state == "waiting" and time.monotonic() < deadline:  # the brief needs the finished index
            report = index(workspace, run)
    except EmbeddingError as error:  # word search works without vectors
        tell(f"vectors: {error.message}; {error.hint}")
        report = last_report(workspace, "indexed")
    where = visible_path(str(workspace.folder))
    counts = counted(report.files, "file"), counted(report.chunks, "chunk"), counted(report.episodes, "commit")
    tell(f"index: {', '.join(counts)}, in {where}")


def _catch_up(workspace: Workspace) -> None:
    """Index again: the agents' settings are files of the worktree."""
    from repomem.index.run import index
    from repomem.workspace.run import Run

    with suppress(EmbeddingError):
        index(workspace, Run())


def _hook_lines(report: "HooksReport") -> Iterator[str]:
    placed = [hook.event for hook in report.hooks if hook.state.value == "installed"]
    if placed:
        yield f"git hooks installed: {', '.join(placed)}, in {visible_path(report.folder)}"
    for hook in report.hooks:
        if hook.state.value != "installed" and not report.refusal:
            yield f"git hooks: {hook.event} is left alone: {hook.reason}"
    if report.refusal:
        yield f"git hooks: none: {report.refusal}"
    if report.by_hand:
        yield f"git hooks: add this line to them yourself: {report.by_hand}"


def _set_up(
    workspace: Workspace, names: tuple[str, ...], *, is_sure: bool, is_for_user: bool
) -> tuple[HostReport, ...]:
    """Set up the hosts that were named, or that were found on this machine and agreed to."""
    top = workspace.repository.top
    if top is None and not is_for_user:
        tell("agents: none set up: a bare repository has no worktree for their settings")
        return ()
    where = target_here(None if is_for_user else top)
    names = names or tuple(_agreed(where, is_sure=is_sure))
    reports = install(where, names) if names else ()
    for report in reports:
        for line in report_lines(report):
            tell(line)
    return reports


def _agreed(where: InstallTarget, *, is_sure: bool) -> Iterator[str]:
    scope, option = ("this repository", "") if where.root else ("all your repositories", " --user")
    found = [host for host in hosts_named(()) if host.name != FALLBACK and host.is_found(where)]
    if not found:
        how = f"repomem agents install NAME{option} (names: repomem agents status)"
        tell(f"agents: none found on this machine; set one up with: {how}")
    for host in found:
        if not is_sure and is_installed(host, where):
            tell(f"agents: {host.title} is already set up")
        elif is_sure or asked(f"Set up {host.title} for {scope}?"):
            yield host.name
        else:
            how = f"repomem agents install {host.name}{option}"
            tell(f"agents: {host.title} was found, but not set up; set it up with: {how}")


def _changed(reports: Sequence[HostReport]) -> Iterator[str]:
    for report in reports:
        if any(file.action not in {"", "unchanged"} for file in report.files):
            yield from report_lines(report)


def _changed_in(where: InstallTarget, reports: Sequence[HostReport]) -> Iterator[str]:
    """The changes in another worktree, below its path."""
    if lines := list(_changed(reports)):
        yield f"in the worktree {visible_path(str(where.root))}:"
        yield from lines


def _undo(reports: Sequence[HostReport], *, is_for_user: bool) -> str:
    user = " --user" if is_for_user else ""
    agents = f"; repomem agents uninstall{user} removes only the agents' entries" if reports else ""
    return f"undo: repomem uninstall{user} removes all of this, and keeps your memories{agents}"


def _warning(workspace: Workspace, *, is_ledger_too: bool) -> str:
    where = visible_path(str(workspace.folder))
    if is_ledger_too:
        return (
            f"Delete the index in {where} and, for good, every copy of this repository's memories (not of --mine ones)?"
        )
    return f"Remove repomem from this repository? This deletes the index in {where}; your memories stay"
