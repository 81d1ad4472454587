"""Checks everything that repomem needs, and repairs it if asked: each problem has the command that fixes it.

Most damage is repaired when repomem meets it; doctor searches for it. Prints paths and counts only, no secrets.
"""

import platform
import shlex
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from repomem import __version__
from repomem.adapters.git.run import git_version
from repomem.adapters.ledger.trusted_writers import is_foreign
from repomem.agents.delivery_check import Arrival, delivery_checks
from repomem.agents.edit_backups import receipt_of
from repomem.agents.host_file import NOT_OURS, EntryReport, EntryState
from repomem.agents.install import FileReport, HostReport, install, status
from repomem.agents.wanted_entries import target_here
from repomem.agents.worktrees import missing_here
from repomem.core.errors import RepomemError, StoreDamaged
from repomem.core.grouping import batches
from repomem.core.packages import installed_version
from repomem.core.text.counts import counted
from repomem.core.text.escape import one_line, visible
from repomem.index.run import index
from repomem.memories.ledger_files import lost_records, verify_copies
from repomem.setup.git_hooks import HookState, hooks_status, install as install_hooks
from repomem.workspace.freshness import is_behind
from repomem.workspace.ledger import ledger_of
from repomem.workspace.other_ledgers import other_ledgers
from repomem.workspace.repairs import set_aside
from repomem.workspace.run import Run
from repomem.workspace.snapshot import snapshot
from repomem.workspace.workspace import Workspace, are_vectors_complete
from repomem.workspace.writers import writers_in

PART = 1_000  # file versions whose chunks are read at once
SHOWN_NAMES = 3
LONGEST_NAME = 60  # characters
LIBRARIES = ("lancedb", "tree-sitter", "mcp", "watchdog")


class HealthState(StrEnum):
    """Whether a part works."""

    OK = "ok"
    NOTE = "note"  # works, or cannot be checked
    BROKEN = "broken"


@dataclass(frozen=True, slots=True)
class HealthCheck:
    """The result of one check."""

    name: str
    state: HealthState
    text: str
    remedy: str = ""  # the command or step that repairs it


WRONG = {
    EntryState.ABSENT: "missing: it was removed, or is new in this version of repomem",
    EntryState.OUTDATED: "it starts another installation of repomem",
    EntryState.BROKEN: "it starts a program that does not exist:",
    EntryState.FOREIGN: "another program has this name: rename or remove its server",
}
HEALTH_OF_ARRIVALS = {Arrival.SEEN: HealthState.OK, Arrival.NEVER_RUN: HealthState.NOTE}
NEW_SESSION = "start a new session in the agent, send a prompt, and run repomem doctor again"
REMEDIES = {
    Arrival.UNKNOWN: NEW_SESSION,
    Arrival.OLD: NEW_SESSION,
    Arrival.UNBRIEFED: "repomem agents status; sessions that were open before the hooks were installed have no brief",
    Arrival.CUT: "set a smaller recall.budget in your configuration",
    Arrival.LACKS: "check that the host runs hooks; repomem agents status shows what it needs",
}


def health_checks(workspace: Workspace, *, is_mending: bool = False) -> Iterator[HealthCheck]:
    """Check everything; with `is_mending`, repair first."""
    for check in (_versions, _places, _ledger, _tables, _index, _hooks, _hosts):
        try:
            yield from check(workspace, is_mending=is_mending)
        except RepomemError as error:
            yield HealthCheck(check.__name__.strip("_"), HealthState.BROKEN, error.message, error.hint)


def _versions(_workspace: Workspace, *, is_mending: bool) -> Iterator[HealthCheck]:  # noqa: ARG001  # nothing to repair
    libraries = ", ".join(f"{name} {found}" for name in LIBRARIES if (found := installed_version(name)))
    text = f"repomem {__version__}, Python {platform.python_version()}, git {git_version()}, {libraries}"
    yield HealthCheck("versions", HealthState.OK, text)


def _places(workspace: Workspace, *, is_mending: bool) -> Iterator[HealthCheck]:  # noqa: ARG001  # as above
    if workspace.is_writable:
        yield HealthCheck("folder", HealthState.OK, f"{workspace.folder} is writable")
    else:
        text = f"{workspace.folder} is read-only, as in an agent's sandbox: memories are saved to copies outside of it"
        remedy = "run repomem index outside of the sandbox to merge the copies"
        yield HealthCheck("folder", HealthState.NOTE, text, remedy)
    for notice in workspace.notices:
        if notice in workspace.loaded.notices:
            yield HealthCheck("configuration", HealthState.NOTE, notice, "repomem config shows the options in effect")
        else:
            yield HealthCheck("folder", HealthState.NOTE, notice.removesuffix(": see `repomem doctor`"))


def _ledger(workspace: Workspace, *, is_mending: bool) -> Iterator[HealthCheck]:
    if is_mending:
        ledger_of(workspace).settle()
    copies = verify_copies(workspace)
    behind = [copy for copy in copies if copy.missing]
    if bad := [copy for copy in copies if copy.bad_lines]:
        counts = ", ".join(f"{copy.folder}: {counted(copy.bad_lines, 'damaged line')}" for copy in bad)
        yield HealthCheck("ledger", HealthState.BROKEN, counts, "repomem ledger verify")
    elif behind:  # another clone wrote, or a copy could not be written then: nothing is lost
        counts = ", ".join(f"{copy.folder} lacks {counted(copy.missing, 'record')} of another copy" for copy in behind)
        yield HealthCheck("ledger", HealthState.NOTE, f"{counts}: the next write adds them", "repomem ledger verify")
    else:
        records = max((copy.records for copy in copies), default=0)
        same = f", the same in {len(copies)} copies" if len(copies) > 1 else ", in one copy"
        yield HealthCheck("ledger", HealthState.OK, f"{counted(records, 'record')}{same}")
    if lost := len(lost_records(workspace)):
        text = f"{counted(lost, 'record')} cannot be repaired: every copy is damaged"
        yield HealthCheck("ledger", HealthState.BROKEN, text, "repomem ledger verify shows what can still be read")
    yield from _foreign_memories(workspace)
    yield from _memories_elsewhere(workspace)


def _foreign_memories(workspace: Workspace) -> Iterator[HealthCheck]:
    """The memories that came with a data folder which this user did not make."""
    for writer in writers_in(workspace, ledger_of(workspace).records()):
        if is_foreign(writer.id) and not writer.is_trusted:
            many = counted(writer.memories, "memory", "memories")
            names = ", ".join(one_line(visible(name), LONGEST_NAME) for name in writer.names[:SHOWN_NAMES])
            text = f"{many} ({names}) came with a data folder made elsewhere, shown as from an untrusted writer"
            yield HealthCheck("ledger", HealthState.NOTE, text, f"if they are yours: repomem trust {writer.id[:10]}")


def _memories_elsewhere(workspace: Workspace) -> Iterator[HealthCheck]:
    """The memories about this clone that were recorded under another address of its remote."""
    for other in other_ledgers(workspace):
        many = counted(other.memories, "memory", "memories")
        text = f"{many} on commits of this clone, in the ledger of a clone with another remote address: {other.path}"
        remedy = f"to use them here too: repomem ledger import {shlex.quote(str(other.path))}"
        yield HealthCheck("ledger", HealthState.NOTE, text, remedy)


def _tables(workspace: Workspace, *, is_mending: bool) -> Iterator[HealthCheck]:
    """Compare every row of the tables with its checksum and with the catalog."""
    if workspace.catalog.worktree(workspace.root) is None:
        return  # `_index` reports it
    try:
        _check_sums(workspace)
        _read_through(workspace)
    except StoreDamaged as damage:
        if not is_mending:
            yield HealthCheck("tables", HealthState.BROKEN, damage.message, "repomem doctor --fix")
            return
        set_aside(workspace, damage)
        index(workspace, Run())
        yield HealthCheck("tables", HealthState.OK, f"{damage.message}: rebuilt from git")
        return
    yield HealthCheck("tables", HealthState.OK, "the tables of the index match their checksums and catalog")


def _check_sums(workspace: Workspace) -> None:
    """Compare every row, deleted ones included, with its checksum. Raises StoreDamaged with how many differ."""
    counts = {name: workspace.store.unsound_rows(name) for name in workspace.tables}
    bad = {name: unsound for name, unsound in counts.items() if unsound}
    if bad:
        told = (f"{unsound:,} of {workspace.store.stamp(name)[1]:,} rows of {name!r}" for name, unsound in bad.items())
        raise StoreDamaged(f"checksums do not match in {', '.join(told)}", table=next(iter(bad)))
    for name in workspace.tables:
        workspace.store.check_files(name)


def _read_through(workspace: Workspace) -> None:
    """Read every live row. Raises StoreDamaged if one is missing or cannot be read."""
    found = snapshot(workspace)
    versions = [(each.version, each.chunks) for each in found.files] if found else []
    for part in map(dict, batches(versions, PART)):
        rows = Counter(chunk.version for chunk in workspace.store.chunks(list(part)))
        if rows != part:
            raise StoreDamaged("the table 'chunks' lacks rows of indexed files")
    for ids in batches(found.history.episodes if found else [], PART):
        if len(workspace.store.episodes(ids)) != len(ids):
            raise StoreDamaged("the table 'episodes' lacks rows of indexed commits")
    space, live = workspace.space, workspace.catalog.file_versions.live_chunks().keys()
    if space and are_vectors_complete(workspace) and live - workspace.store.ids(space.table):
        raise StoreDamaged("some indexed files have no vectors", table=space.table)


def _index(workspace: Workspace, *, is_mending: bool) -> Iterator[HealthCheck]:
    if is_mending:
        index(workspace, Run())
    if workspace.catalog.worktree(workspace.root) is None:
        yield HealthCheck("index", HealthState.NOTE, "not built yet", "repomem index")
    elif is_behind(workspace):
        text = "older than the worktree; the next recall brings it up to date"
        yield HealthCheck("index", HealthState.NOTE, text, "repomem index")
    else:
        yield HealthCheck("index", HealthState.OK, "up to date")


def _hooks(workspace: Workspace, *, is_mending: bool) -> Iterator[HealthCheck]:
    report = hooks_status(workspace)
    if is_mending and any(hook.program for hook in report.hooks):  # in whatever state; hooks of others need no repair
        report = install_hooks(workspace)
    for hook in report.hooks:
        if hook.state is HookState.INSTALLED and hook.is_runnable:
            continue
        if hook.state is HookState.INSTALLED:
            text = f"{hook.event}: the program that it starts does not exist: {hook.program[0]}"
            yield HealthCheck("git hooks", HealthState.BROKEN, text, "repomem hooks install")
        elif hook.state is HookState.OUTDATED:
            text = f"{hook.event}: installed by another version"
            yield HealthCheck("git hooks", HealthState.BROKEN, text, "repomem hooks install")
        elif hook.state not in {HookState.ABSENT, HookState.READ_ONLY}:
            text = f"{hook.event} does not run: {hook.reason}"
            yield HealthCheck("git hooks", HealthState.NOTE, text, report.by_hand)
    states = {hook.state for hook in report.hooks}
    if HookState.READ_ONLY in states:
        text, remedy = f"not installed: {report.folder} is not writable", f"chmod u+w {shlex.quote(report.folder)}"
        yield HealthCheck("git hooks", HealthState.NOTE, text, f"{remedy}, then repomem hooks install")
    if states == {HookState.ABSENT}:
        text = "not installed; recall and search update the index anyway"
        yield HealthCheck("git hooks", HealthState.NOTE, text, "repomem hooks install")
    elif states == {HookState.INSTALLED} and all(hook.is_runnable for hook in report.hooks):
        yield HealthCheck("git hooks", HealthState.OK, f"installed in {report.folder}")


def _hosts(workspace: Workspace, *, is_mending: bool) -> Iterator[HealthCheck]:
    """Each host that was set up, for this project or its user, and whether its agent receives the brief."""
    hooked: dict[str, None] = {}
    for root in (workspace.repository.top, None):
        where = target_here(root)
        for report in filter(_is_set_up, status(where)):
            if is_mending and any(entry.state in WRONG for _, entry in _host_entries(report)):
                [report] = install(where, (report.name,))  # noqa: PLW2901  # as it is now
            yield from _host_checks(report, " --user" if root is None else "")
            hooked |= dict.fromkeys([report.name] if _has_hooks(report) else [])
    for host in missing_here(target_here(workspace.repository.top)):
        text = "set up in another worktree of this clone, not in this one"
        yield HealthCheck(host.name, HealthState.NOTE, text, f"repomem agents install {host.name}")
    for check in delivery_checks(workspace, list(hooked)):
        health = HEALTH_OF_ARRIVALS.get(check.arrival, HealthState.BROKEN)
        yield HealthCheck(check.host, health, check.words, REMEDIES.get(check.arrival, ""))


def _is_set_up(report: HostReport) -> bool:
    """Whether a file of the host has entries of repomem, or had them; entries that the user added do not count."""
    has_receipt = any(receipt_of(file.path, report.name) for file in report.files)
    return has_receipt or any(entry.state not in NOT_OURS for _, entry in _host_entries(report))


def _host_entries(report: HostReport) -> Iterator[tuple[FileReport, EntryReport]]:
    """The entries in files that repomem edits."""
    for file in report.files:
        if not file.is_hosts_own:
            yield from ((file, entry) for entry in file.entries)


def _has_hooks(report: HostReport) -> bool:
    names = [entry.name for _, entry in _host_entries(report) if entry.state is EntryState.INSTALLED]
    return any(name.endswith(" hook") or name == "plugin" for name in names)


def _host_checks(report: HostReport, option: str) -> Iterator[HealthCheck]:
    """Problems of a host's entries and steps left to its user; one line without problems."""
    again = f"repomem agents install {report.name}{option}"
    wrong = [(file, entry) for file, entry in _host_entries(report) if entry.state in WRONG]
    for file, entry in wrong:
        program = f" {entry.program}" if entry.program else ""
        text = f"{entry.name} in {file.path}: {WRONG[entry.state]}{program}"
        yield HealthCheck(report.name, HealthState.BROKEN, text, again)
    for file in report.files:
        if file.is_hosts_own and file.by_hand:
            text = "its MCP server is not added: add it yourself"
            yield HealthCheck(report.name, HealthState.NOTE, text, file.by_hand)
        elif file.is_hosts_own and file.why:
            yield HealthCheck(report.name, HealthState.NOTE, f"{file.path}: {file.why}", file.hint)
    unread = dict.fromkeys(file for file, entry in _host_entries(report) if entry.state is EntryState.REFUSED)
    for file in unread:
        yield HealthCheck(report.name, HealthState.BROKEN, f"{file.path} cannot be checked: {file.why}", file.hint)
    for note in report.notes:
        yield HealthCheck(report.name, HealthState.BROKEN if note.startswith("untrusted") else HealthState.NOTE, note)
    if not wrong and not unread:
        text = f"entries for the {'user' if option else 'project'} are in place"
        yield HealthCheck(report.name, HealthState.OK, text)
