"""Look at all that repomem rests on, and mend what can be mended: each finding has the one command that restores it.

Most damage heals by itself when it is met; here it is looked for. Nothing found is a secret: paths and counts only.
"""

import os
import platform
from collections import Counter
from collections.abc import Iterator
from importlib import metadata

from repomem import __version__
from repomem.adapters.git.run import git_version
from repomem.core.errors import RepomemError, StoreDamaged
from repomem.index.run import index
from repomem.index.vectors import are_whole
from repomem.memories.ledger_files import verify_copies
from repomem.setup.doctor_hosts import hosts
from repomem.setup.findings import Finding, State
from repomem.setup.git_hooks import HookState, hooks_status
from repomem.setup.git_hooks import install as install_hooks
from repomem.workspace.freshness import is_behind
from repomem.workspace.ledger import ledger_of
from repomem.workspace.run import Run
from repomem.workspace.snapshot import snapshot
from repomem.workspace.workspace import Workspace

PART = 1_000  # file versions whose chunks are read at once
LIBRARIES = ("lancedb", "tree-sitter", "mcp", "watchdog")


def findings(workspace: Workspace, *, is_mending: bool = False) -> Iterator[Finding]:
    """Look at everything; with `is_mending` what is broken and can be mended is, before it is told."""
    for check in (_versions, _places, _ledger, _store, _index, _hooks, hosts):
        try:
            yield from check(workspace, is_mending=is_mending)
        except RepomemError as error:
            yield Finding(check.__name__.strip("_"), State.BROKEN, error.message, error.hint)


def _versions(_workspace: Workspace, *, is_mending: bool) -> Iterator[Finding]:  # noqa: ARG001  # nothing to mend
    libraries = ", ".join(f"{name} {found}" for name in LIBRARIES if (found := _version(name)))
    text = f"repomem {__version__}, Python {platform.python_version()}, git {git_version()}, {libraries}"
    yield Finding("versions", State.OK, text)


def _places(workspace: Workspace, *, is_mending: bool) -> Iterator[Finding]:  # noqa: ARG001  # as above
    if os.access(workspace.folder, os.W_OK):
        yield Finding("folder", State.OK, f"{workspace.folder} can be written")
    else:
        text = (
            f"{workspace.folder} is read-only here, as in an agent's sandbox: memories go to the copies outside of it"
        )
        yield Finding("folder", State.NOTE, text, "run repomem index outside of the sandbox to merge them")
    for notice in workspace.notices:
        yield Finding("configuration", State.NOTE, notice, "repomem config prints what counts")


def _ledger(workspace: Workspace, *, is_mending: bool) -> Iterator[Finding]:
    if is_mending:
        ledger_of(workspace).settle()
    copies = verify_copies(workspace)
    bad = [copy for copy in copies if copy.bad_lines or copy.missing]
    if bad:
        counts = ", ".join(f"{copy.folder}: {copy.bad_lines} damaged lines, {copy.missing} missing" for copy in bad)
        yield Finding("ledger", State.BROKEN, counts, "repomem ledger verify")
    else:
        records = max((copy.records for copy in copies), default=0)
        yield Finding("ledger", State.OK, f"{records:,} records, the same in {len(copies)} copies")


def _store(workspace: Workspace, *, is_mending: bool) -> Iterator[Finding]:
    """The tables against their checksums and what the catalog says of them; every row is read."""
    if workspace.catalog.worktree(workspace.root) is None:
        yield Finding("store", State.NOTE, "nothing is indexed here yet", "repomem index")
        return
    try:
        _check_sums(workspace)
        _read_through(workspace)
    except StoreDamaged as damage:
        if not is_mending:
            yield Finding("store", State.BROKEN, damage.message, "repomem doctor --fix")
            return
        workspace.discard(damage)
        index(workspace, Run())
        yield Finding("store", State.OK, f"{damage.message}: it was rebuilt from git")
        return
    yield Finding("store", State.OK, "the tables hold what was written and what the catalog says")


def _check_sums(workspace: Workspace) -> None:
    """Compare every row, dead ones included, with its checksums. Raises StoreDamaged with how many differ."""
    counts = {name: workspace.store.unsound_rows(name) for name in workspace.tables}
    bad = {name: unsound for name, unsound in counts.items() if unsound}
    if bad:
        told = (f"{unsound:,} of {workspace.store.stamp(name)[1]:,} rows of {name!r}" for name, unsound in bad.items())
        raise StoreDamaged(f"checksums do not match in {', '.join(told)}", table=next(iter(bad)))


def _read_through(workspace: Workspace) -> None:
    """Read every live row. Raises StoreDamaged where one is missing or cannot be read."""
    found = snapshot(workspace)
    versions = [(each.version, each.chunks) for each in found.files] if found else []
    for start in range(0, len(versions), PART):
        part = dict(versions[start : start + PART])
        rows = Counter(chunk.version for chunk in workspace.store.chunks(list(part)))
        if rows != part:
            raise StoreDamaged("the table 'chunks' lacks rows of files that are indexed")
    episodes = list(found.history.episodes) if found else []
    for start in range(0, len(episodes), PART):
        ids = episodes[start : start + PART]
        if len(workspace.store.episodes(ids)) != len(ids):
            raise StoreDamaged("the table 'episodes' lacks rows of commits that are indexed")
    space, live = workspace.space, workspace.catalog.live_versions().keys()
    if space and are_whole(workspace) and live - workspace.store.ids(space.table):
        raise StoreDamaged("the vectors of files that are indexed are not all there", table=space.table)


def _index(workspace: Workspace, *, is_mending: bool) -> Iterator[Finding]:
    if is_mending:
        index(workspace, Run())
    if is_behind(workspace):
        yield Finding(
            "index", State.NOTE, "behind the work tree; the next recall brings it up to date", "repomem index"
        )
    else:
        yield Finding("index", State.OK, "up to date")


def _hooks(workspace: Workspace, *, is_mending: bool) -> Iterator[Finding]:
    report = install_hooks(workspace) if is_mending and _is_hooked(workspace) else hooks_status(workspace)
    for hook in report.hooks:
        if hook.state is HookState.INSTALLED and hook.is_runnable:
            continue
        if hook.state is HookState.INSTALLED:
            text = f"{hook.event}: the program that it starts is gone: {hook.program[0]}"
            yield Finding("git hooks", State.BROKEN, text, "repomem hooks install")
        elif hook.state is HookState.OUTDATED:
            yield Finding("git hooks", State.BROKEN, f"{hook.event}: of another version", "repomem hooks install")
        elif hook.state is not HookState.ABSENT:
            yield Finding("git hooks", State.NOTE, f"{hook.event} will not run: {hook.reason}", report.by_hand)
    states = {hook.state for hook in report.hooks}
    if states == {HookState.ABSENT}:
        yield Finding(
            "git hooks", State.NOTE, "not installed: the index follows when it is asked", "repomem hooks install"
        )
    elif states == {HookState.INSTALLED} and all(hook.is_runnable for hook in report.hooks):
        yield Finding("git hooks", State.OK, f"installed in {report.folder}")


def _is_hooked(workspace: Workspace) -> bool:
    """Whether a hook of ours is there in any state: what was never installed is nothing to mend."""
    return any(hook.program for hook in hooks_status(workspace).hooks)


def _version(name: str) -> str:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return ""
