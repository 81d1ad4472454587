"""The agent hosts as `repomem doctor` looks at them: our entries, and whether the brief arrives."""

import os
from collections.abc import Iterator
from pathlib import Path

from repomem.agents.delivery_check import Trip, round_trips
from repomem.agents.edit_backups import receipt_of
from repomem.agents.entries import this_program
from repomem.agents.files import EntryState as EntryOf
from repomem.agents.files import State as EntryState
from repomem.agents.hosts import Site
from repomem.agents.install import FileReport, HostReport, install, status
from repomem.setup.findings import Finding, State
from repomem.workspace.workspace import Workspace

WRONG = {
    EntryState.ABSENT: "it was installed, and is gone",
    EntryState.OUTDATED: "it starts another installation of repomem",
    EntryState.BROKEN: "it starts a program that is not there:",
}
TRIP_STATES = {Trip.SEEN: State.OK, Trip.NEVER_RUN: State.NOTE}
REMEDIES = {
    Trip.UNBRIEFED: "repomem agents status; a session that was open before the hooks were put in has none",
    Trip.CUT: "set a smaller budget: recall.budget in the user's config",
    Trip.LACKS: "look whether the host runs hooks at all; repomem agents status names what it needs",
}


def hosts(workspace: Workspace, *, is_mending: bool) -> Iterator[Finding]:
    """Each host that was set up, for this project or its user, and whether its agent gets the brief."""
    hooked: dict[str, None] = {}
    for root in (workspace.repository.top, None):
        site = Site(root, Path.home(), os.environ, this_program())
        for report in filter(_is_set_up, status(site)):
            if is_mending and any(_is_wrong(entry) for _, entry in _entries(report)):
                [report] = install(site, (report.name,))  # noqa: PLW2901  # as it is now
            yield from _findings(report, " --user" if root is None else "")
            hooked |= dict.fromkeys([report.name] if _has_hooks(report) else [])
    for trip in round_trips(workspace, list(hooked)):
        yield Finding(trip.host, TRIP_STATES.get(trip.trip, State.BROKEN), trip.words, REMEDIES.get(trip.trip, ""))


def _is_set_up(report: HostReport) -> bool:
    """Whether a file of the host has entries of ours, or had them: what the host's user added alone is no matter."""
    has_receipt = any(receipt_of(file.path, report.name) for file in report.files)
    return has_receipt or any(entry.state is not EntryState.ABSENT for _, entry in _entries(report))


def _entries(report: HostReport) -> Iterator[tuple[FileReport, EntryOf]]:
    """The entries in files that are edited; others are their host's business."""
    for file in report.files:
        if not file.is_hosts_own:
            yield from ((file, entry) for entry in file.entries)


def _is_wrong(entry: EntryOf) -> bool:
    return entry.state in WRONG


def _has_hooks(report: HostReport) -> bool:
    names = [entry.name for _, entry in _entries(report) if entry.state is EntryState.INSTALLED]
    return any(name.endswith(" hook") or name == "plugin" for name in names)


def _findings(report: HostReport, option: str) -> Iterator[Finding]:
    """What is wrong with a host's entries, what its user may add, or one line where nothing is wrong."""
    again = f"repomem agents install {report.name}{option}"
    wrong = [(file, entry) for file, entry in _entries(report) if _is_wrong(entry)]
    for file, entry in wrong:
        program = f" {entry.program}" if entry.program else ""
        text = f"{entry.name} in {file.path}: {WRONG[entry.state]}{program}"
        yield Finding(report.name, State.BROKEN, text, again)
    for file in report.files:
        if file.is_hosts_own and file.by_hand:
            yield Finding(report.name, State.NOTE, "its MCP server was not added: that is for you", file.by_hand)
    for note in report.notes:
        yield Finding(report.name, State.BROKEN if note.startswith("untrusted") else State.NOTE, note)
    if not wrong:
        yield Finding(report.name, State.OK, f"entries for the {'user' if option else 'project'} are in place")
