"""`repomem init` and `repomem uninstall`: from nothing to useful in one command, and the way back.

Git hooks are this clone's own. Settings of agent hosts are the user's: each is asked about, or named.
"""

import os
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from repomem.cli.agents.agents import report_lines
from repomem.cli.terminal.console import asked, flush, tell, workspace_at
from repomem.cli.terminal.progress import progress_for_terminal
from repomem.core.errors import EmbeddingError, RepomemError
from repomem.core.escape import visible_path

if TYPE_CHECKING:
    from repomem.agents.hosts import Site
    from repomem.agents.install import HostReport
    from repomem.setup.git_hooks import HooksReport
    from repomem.workspace.workspace import Workspace

OTHERS_WAIT = 60.0  # seconds that another run may take, whose index serves here as well
FALLBACK = "agents-md"  # asked for by name only: it is a file that is committed


def init_command(directory: Path, names: tuple[str, ...], *, is_sure: bool, is_for_user: bool) -> None:
    """Index, print the first brief, put the hooks in and set up the agents: what is left to do stands at the end."""
    from repomem.agents.hosts import hosts_named

    hosts_named(names)  # a name that is none is refused before anything is done
    with workspace_at(directory) as workspace:
        _index(workspace)
        _brief(workspace)
        _hook(workspace)
        reports = _set_up(workspace, names, is_sure=is_sure, is_for_user=is_for_user)
        tell(_undo(reports, is_for_user=is_for_user))


def uninstall_command(directory: Path, *, is_sure: bool, is_for_user: bool, is_ledger_too: bool) -> None:
    """Undo what init did; the ledger stays unless it was said."""
    from repomem.agents.install import uninstall
    from repomem.setup.git_hooks import uninstall as unhook
    from repomem.setup.removal import removed

    with workspace_at(directory) as workspace:
        if not (is_sure or asked(_warning(workspace, is_ledger_too=is_ledger_too))):
            raise RepomemError("nothing was removed", "--yes answers the question")
        for site in _sites(workspace, is_for_user=is_for_user):
            for line in _changed(uninstall(site)):
                tell(line)
        gone = unhook(workspace)
        tell(f"git hooks: {sum(hook.is_changed for hook in gone.hooks)} taken out")
        done = removed(workspace, is_ledger_too=is_ledger_too)
        for folder in done.folders:
            what = "all but the ledger in " if folder in done.kept else ""
            tell(f"deleted: {what}{visible_path(str(folder))}")
        for folder in done.kept:
            tell(f"kept: what was remembered, in {visible_path(str(folder))} (--ledger deletes it too)")


def _index(workspace: "Workspace") -> None:
    from repomem.index.report import last_report
    from repomem.index.run import index
    from repomem.workspace.run import Run

    run = Run(progress_for_terminal(), tell=tell, agrees=asked, may_download=True, may_share=True)
    try:
        report, deadline = index(workspace, run), time.monotonic() + OTHERS_WAIT
        while report.state == "waiting" and time.monotonic() < deadline:  # the brief that follows needs its end
            report = index(workspace, run)
    except EmbeddingError as error:  # the words are indexed, and all else can be set up
        tell(f"vectors: {error.message}; {error.hint}")
        report = last_report(workspace, "indexed")
    where = visible_path(str(workspace.folder))
    tell(f"index: {report.files:,} files, {report.chunks:,} chunks, {report.episodes:,} commits, in {where}")


def _hook(workspace: "Workspace") -> None:
    from repomem.setup.git_hooks import install

    for line in _hook_lines(install(workspace)):
        tell(line)


def _hook_lines(report: "HooksReport") -> Iterator[str]:
    placed = [hook.event for hook in report.hooks if hook.state.value == "installed"]
    if placed:
        yield f"git hooks: {', '.join(placed)}, in {visible_path(report.folder)}"
    for hook in report.hooks:
        if hook.state.value != "installed" and not report.refusal:
            yield f"git hooks: {hook.event} is left as it is: {hook.reason}"
    if report.refusal:
        yield f"git hooks: none: {report.refusal}"
    if report.by_hand:
        yield f"git hooks: this line, added by hand, does the same: {report.by_hand}"


def _set_up(
    workspace: "Workspace", names: tuple[str, ...], *, is_sure: bool, is_for_user: bool
) -> "tuple[HostReport, ...]":
    """The hosts that were named, or were found on this machine and agreed to."""
    from repomem.agents.install import install

    [site, *_] = _sites(workspace, is_for_user=False) if not is_for_user else [_user_site()]
    names = names or tuple(_agreed(site, is_sure=is_sure))
    reports = install(site, names) if names else ()
    for report in reports:
        for line in report_lines(report):
            tell(line)
    return reports


def _agreed(site: "Site", *, is_sure: bool) -> Iterator[str]:
    from repomem.agents.hosts import hosts_named

    found = [host for host in hosts_named(()) if host.name != FALLBACK and host.is_found(site)]
    if not found:
        tell("agents: none was found on this machine; repomem agents install NAME sets one up")
    for host in found:
        if is_sure or asked(f"set up {host.title} for this repository?"):
            yield host.name
        else:
            tell(f"agents: {host.title} was found and left as it is; repomem agents install {host.name} sets it up")


def _sites(workspace: "Workspace", *, is_for_user: bool) -> "list[Site]":
    from repomem.agents.entries import this_program
    from repomem.agents.hosts import Site

    top = workspace.repository.top
    project = [Site(top, Path.home(), os.environ, this_program())] if top else []
    return [*project, *([_user_site()] if is_for_user or not project else [])]


def _user_site() -> "Site":
    from repomem.agents.entries import this_program
    from repomem.agents.hosts import Site

    return Site(None, Path.home(), os.environ, this_program())


def _changed(reports: "Sequence[HostReport]") -> Iterator[str]:
    for report in reports:
        if any(file.action not in {"", "unchanged"} for file in report.files):
            yield from report_lines(report)


def _undo(reports: "Sequence[HostReport]", *, is_for_user: bool) -> str:
    user = " --user" if is_for_user else ""
    agents = f"; repomem agents uninstall{user} takes out the agents' entries alone" if reports else ""
    return f"undo: repomem uninstall{user} takes all of it back and keeps what was remembered{agents}"


def _warning(workspace: "Workspace", *, is_ledger_too: bool) -> str:
    where = visible_path(str(workspace.folder))
    if is_ledger_too:
        return f"delete the index in {where} AND every copy of what was remembered?"
    return f"take repomem out of this repository? The index in {where} goes, what was remembered stays"


def _brief(workspace: "Workspace") -> None:
    from repomem.cli.recall.recall import RecallRequest, out_brief

    out_brief(workspace, RecallRequest(Path()))
    flush()  # before what is told of the rest
