"""`repomem agents`: install, remove and inspect repomem's entries in agent hosts' settings.

Returns what was done, file by file; a file that cannot be edited is reported, and the others are still edited.
"""

import os
import shlex
from collections.abc import Collection, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from repomem.adapters.git.ancestry import other_worktrees
from repomem.adapters.git.repository import Repository
from repomem.adapters.git.worktree import tracked
from repomem.adapters.settings.block import HASH_MARKS, block_added, without_block
from repomem.adapters.settings.edits import applied
from repomem.adapters.settings.files import read_foreign, replace_foreign
from repomem.agents.host_file import (
    NOT_OURS,
    RENAME,
    TAKEN,
    EntryReport,
    EntryState,
    entry_states,
    folders_made,
    install_target,
    is_complete,
    remove_empty,
    uninstall_target,
)
from repomem.agents.host_trust import codex_notes, gemini_notes
from repomem.agents.hosts import HOSTS, Host, hosts_named
from repomem.agents.wanted_entries import InstallTarget, Target
from repomem.core.errors import ConfigError, ForeignError, GitError, RepomemError

TRUST = {"codex": codex_notes, "gemini": gemini_notes}  # hooks that the host does not run
REWRITTEN = "another program has just rewritten it: close the host and install again"


@dataclass(frozen=True, slots=True)
class FileReport:
    """One file: the action taken, its entries now and, if it was left alone, why and what to do."""

    path: Path
    action: str  # written, unchanged, removed, refused, by hand; empty if only inspected
    entries: tuple[EntryReport, ...] = ()
    why: str = ""
    hint: str = ""
    by_hand: str = ""  # a text to add, or a command of the host
    is_hosts_own: bool = False  # never written here: the user runs the command
    is_left: bool = False  # the entry was removed and the rest of the file stays


@dataclass(frozen=True, slots=True)
class HostReport:
    """What was done for one host, or found."""

    name: str
    title: str
    root: Path | None  # of the worktree; None for the user's settings
    is_found: bool | None  # None: not a program
    files: tuple[FileReport, ...]
    notes: tuple[str, ...] = ()
    steps: tuple[str, ...] = ()


def project_root(start: Path) -> Path:
    """The worktree that contains a folder. Raises GitError if there is none, ConfigError for a bare repository."""
    top = Repository.open(start).top
    if top is None:
        raise ConfigError("a bare repository has no worktree for agent settings", "install for your user: --user")
    return top


def install(where: InstallTarget, names: tuple[str, ...] = ()) -> tuple[HostReport, ...]:
    """Install entries for the named hosts, or for those on this machine."""
    hosts = [host for host in hosts_named(names) if names or host.is_found(where)]
    acted = [(host, _each_target(host, where, is_adding=True)) for host in hosts]
    ignored = keep_out_of_commits(where)
    # Inspected last, since hosts write too.
    return tuple(_checked(host, where, files, ignored) for host, files in acted)


def uninstall(where: InstallTarget, names: tuple[str, ...] = ()) -> tuple[HostReport, ...]:
    """Remove entries of the named hosts, or of all."""
    reports = tuple(_removed(host, where) for host in hosts_named(names))
    keep_out_of_commits(where)
    return reports


def status(where: InstallTarget, names: tuple[str, ...] = ()) -> tuple[HostReport, ...]:
    """The state of the entries of the named hosts, or of all."""
    reports = []
    for host in hosts_named(names):
        targets = host.targets(where)
        report = _report(host, where, tuple(_seen(target, host) for target in targets))
        told = TRUST[host.name](where, targets[0]) if host.name in TRUST and targets else ()
        reports.append(replace(report, notes=(*told, *report.notes)))
    return tuple(reports)


def is_installed(host: Host, where: InstallTarget) -> bool:
    """Whether every file that `install` writes for a host has its entries."""
    return all(is_complete(_seen(target, host).entries) for target in host.targets(where) if not target.command)


def _removed(host: Host, where: InstallTarget) -> HostReport:
    targets = host.targets(where)
    folders = folders_made(targets, host.name)
    files = _each_target(host, where, is_adding=False)
    remove_empty(folders)
    return _report(host, where, files)


def _each_target(host: Host, where: InstallTarget, *, is_adding: bool) -> tuple[FileReport, ...]:
    return tuple(
        _for_the_host(target, host, is_adding=is_adding)
        if target.command
        else _acted_on(target, host, where, is_adding=is_adding)
        for target in host.targets(where)
    )


def _acted_on(target: Target, host: Host, where: InstallTarget, *, is_adding: bool) -> FileReport:
    try:
        leads_out = where.root is not None and is_outside(target.path, where.root)
        if leads_out and is_adding:
            raise ForeignError(
                "it is a link to a file outside of the worktree", "edit that file yourself, or install with --user"
            )
        is_changed = not leads_out and (install_target if is_adding else uninstall_target)(target, host.name)
    except RepomemError as error:
        by_hand = target.by_hand if is_adding and error.message != TAKEN else ""
        return FileReport(target.path, "refused", (), error.message, error.hint, by_hand)
    is_left = is_changed and not is_adding and target.path.exists()
    done = "written" if is_adding else "removed"
    return FileReport(target.path, done if is_changed else "unchanged", is_left=is_left)


def is_outside(path: Path, root: Path) -> bool:
    """Whether a link leads out of a worktree: a clone could link to its user's own files, which would be changed."""
    return not Path(os.path.realpath(path)).is_relative_to(os.path.realpath(root))


def _for_the_host(target: Target, host: Host, *, is_adding: bool) -> FileReport:
    """A file that only the host writes: the command for the user, if any."""
    seen = _seen(target, host)
    is_there = any(each.state not in {EntryState.ABSENT, EntryState.FOREIGN} for each in seen.entries)
    if is_adding and seen.why == TAKEN:
        return replace(seen, action="refused")
    if is_complete(seen.entries) if is_adding else not is_there:
        return replace(seen, action="unchanged", why="", hint="", by_hand="")
    return replace(seen, action="by hand", by_hand=target.command if is_adding else target.undo_command)


def _seen(target: Target, host: Host) -> FileReport:
    try:
        states = entry_states(target, host.name)
    except ForeignError as error:
        refused = tuple(EntryReport(entry.name, EntryState.REFUSED) for entry in target.entries)
        return FileReport(target.path, "", refused, error.message, error.hint, is_hosts_own=bool(target.command))
    seen = FileReport(target.path, "", states, is_hosts_own=bool(target.command))
    if any(each.state is EntryState.FOREIGN for each in states):
        return replace(seen, why=TAKEN, hint=RENAME)  # a file cannot have two servers of a name
    return replace(seen, by_hand="" if is_complete(states) else target.command)


def _checked(host: Host, where: InstallTarget, files: tuple[FileReport, ...], ignored: Collection[Path]) -> HostReport:
    """The report of an installation, with the files' present state, since hosts write their settings too."""
    seen = tuple(_confirmed(file, _seen(target, host)) for file, target in zip(files, host.targets(where), strict=True))
    report = _report(host, where, seen)
    steps = host.steps if where.root else host.user_steps
    steps = steps if any(file.action == "written" for file in seen) else ()
    server = " ".join(map(shlex.quote, where.program.server))
    steps = tuple(step.format(server=server) for step in steps)
    notes = (*_listed(host, where, ignored), *_for_commits(host, where, seen), *_twice(host, where))
    return replace(report, steps=steps, notes=notes)


def _confirmed(done: FileReport, seen: FileReport) -> FileReport:
    if done.action in ("written", "unchanged") and not is_complete(seen.entries):
        return replace(seen, action="refused", why=seen.why or REWRITTEN)
    return replace(done, entries=seen.entries)


def _report(host: Host, where: InstallTarget, files: tuple[FileReport, ...]) -> HostReport:
    notes = () if host.targets(where) else (f"{host.title} has no user settings",)
    return HostReport(host.name, host.title, where.root, host.is_found(where) if host.programs else None, files, notes)


def keep_out_of_commits(where: InstallTarget) -> list[Path]:
    """List project files with this machine's paths, and no others, in repomem's block of `.git/info/exclude`.

    Returns them; none if that file cannot be written. Files that git tracks already stay tracked.
    """
    if where.root is None:
        return []
    with suppress(ForeignError, GitError):
        held = _local_files(where)
        every = [where, *elsewhere(where)]  # all worktrees share the file
        names = {_name_in_git(path, each) for each in every for path in _local_files(each)}
        body = "".join(f"/{name}\n" for name in sorted(names))
        before = read_foreign(Repository.open(where.root).common_dir / "info" / "exclude")
        bare = without_block(before.content or b"", HASH_MARKS)
        after = applied(bare, [block_added(bare, HASH_MARKS, body)]) if body else bare
        replace_foreign(before, after if after or before.content is not None else None)
        return held
    return []


def _name_in_git(path: Path, where: InstallTarget) -> str:
    """The file's path below its worktree: of the file that a link there leads to, since that is what is written."""
    assert where.root
    if is_outside(path, where.root):
        return os.path.relpath(path, where.root)
    return os.path.relpath(os.path.realpath(path), os.path.realpath(where.root))


def elsewhere(where: InstallTarget) -> list[InstallTarget]:
    """Where to install in each of the clone's other worktrees; nowhere for a user."""
    others = other_worktrees(Repository.open(where.root)) if where.root else []
    return [replace(where, root=root) for root in others]


def local_targets(host: Host, where: InstallTarget) -> list[Target]:
    """The files of a host that contain this machine's paths."""
    return [target for target in host.targets(where) if target.is_local]


def _local_files(where: InstallTarget) -> list[Path]:
    """The files of a worktree that contain entries of repomem with this machine's paths."""
    targets = [(target, host) for host in hosts_named(()) for target in local_targets(host, where)]
    return [target.path for target, host in targets if {e.state for e in _seen(target, host).entries} - NOT_OURS]


def _listed(host: Host, where: InstallTarget, ignored: Collection[Path]) -> Iterator[str]:
    """Notes of a host's files that git ignores from now on, and of those that it tracks and so doesn't ignore."""
    paths = [_name_in_git(target.path, where) for target in host.targets(where) if target.path in ignored]
    names = {file.path for file in tracked(Repository.open(where.root))} if where.root and paths else set()
    if listed := ", ".join(path for path in paths if path not in names):
        yield f"listed in .git/info/exclude, because of this machine's path in them: {listed}"
    if shared := ", ".join(path for path in paths if path in names):
        yield f"git tracks {shared}: do not commit repomem's lines, which contain this machine's path"


def _for_commits(host: Host, where: InstallTarget, files: Iterable[FileReport]) -> Iterator[str]:
    """A note of the files that were written and that `git status` shows, since they are the same on every machine."""
    shared = {target.path for target in host.targets(where) if not target.is_local} if where.root else set()
    written = [_name_in_git(file.path, where) for file in files if file.action == "written" and file.path in shared]
    if written:
        yield f"not ignored by git, to commit if your team wants it: {', '.join(written)}"


def _twice(host: Host, where: InstallTarget) -> Iterator[str]:
    """Warn of duplicates: hosts run user and project hooks, and some also those of other hosts."""
    if where.root is None:
        return
    if _has_hooks(host, replace(where, root=None)):
        yield "its hooks are also installed for your user, and may run twice: uninstall one of the two"
    for name in host.runs_hooks_of:
        if _has_hooks(HOSTS[name], where):
            other = HOSTS[name].title
            yield f"in VS Code, it runs the hooks of {other} in this worktree too: the brief may appear twice"


def _has_hooks(host: Host, where: InstallTarget) -> bool:
    files = (_seen(target, host) for target in host.targets(where) if not target.command)
    return any(e.name.endswith(" hook") and e.state is EntryState.INSTALLED for file in files for e in file.entries)
