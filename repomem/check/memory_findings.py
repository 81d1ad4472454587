"""The memories that a change breaks or contradicts.

A memory counts if it is visible on the target branch and the change is the cause: its code was intact before and is not
now, or a rejected alternative was absent before and is present now.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from repomem.adapters.git.grep import files_with
from repomem.adapters.languages.file_roles import role_of
from repomem.check.change import CheckedChange
from repomem.check.findings import CheckFinding, Fault, Level
from repomem.check.prohibitions import Prohibition, prohibitions_of
from repomem.core.records import MemoryKind
from repomem.core.scopes import matches
from repomem.core.secrets.redact import redact
from repomem.core.types.code import Role
from repomem.core.types.commits import short_hash
from repomem.core.types.text import CleanText
from repomem.history.lines.patch_lines import is_comment, line_hash
from repomem.memories.anchors.live_files import live_files_at, live_files_now
from repomem.memories.snapshots.snapshot import MemorySnapshot, memory_snapshot
from repomem.memories.status import INTACT, AnchorLocation, MemoryState, Status, Visibility
from repomem.workspace.workspace import Workspace

CHECKED_KINDS = frozenset(MemoryKind) - {MemoryKind.THREAD}  # an open thread makes no claim


@dataclass(frozen=True, slots=True)
class CheckedMemory:
    """A memory that was live before the change, with its states before and after."""

    before: MemoryState
    after: MemoryState
    id: str  # the shortest unique prefix
    is_since: bool = False  # it does not apply where the change starts, but at its last commit


def live_memories(workspace: Workspace, change: CheckedChange) -> list[CheckedMemory]:
    """The memories live on the target branch or at the start of the change, and not superseded by it.

    With uncommitted changes also those that were recorded since, as they are at HEAD.
    """
    span = change.range
    head = live_files_now(workspace) if span.has_worktree else live_files_at(workspace, span.head)
    after = memory_snapshot(head)
    if not after.states:
        return []
    starts = [memory_snapshot(live_files_at(workspace, at)) for at in dict.fromkeys((span.target, span.base))]
    found = {one.before.memory.id: one for one in _live(starts, after)}
    if span.has_worktree and span.head != span.base:
        at_head = memory_snapshot(live_files_at(workspace, span.head))
        since = (replace(one, is_since=True) for one in _live([at_head], after))
        found = {one.before.memory.id: one for one in since} | found
    return [found[name] for name in sorted(found)]


def _live(starts: Sequence[MemorySnapshot], after: MemorySnapshot) -> Iterator[CheckedMemory]:
    base = starts[-1]
    for name, now in after.states.items():
        is_visible = any(start.states[name].visibility is Visibility.HERE for start in starts if name in start.states)
        before = base.states.get(name)
        if before and is_visible and _is_live(before) and not _is_over(now):
            yield CheckedMemory(before, now, after.short_id(name))


def _is_live(one: MemoryState) -> bool:
    return (
        one.is_shown and one.memory.said.kind in CHECKED_KINDS and all(each.status in INTACT for each in one.locations)
    )


def _is_over(one: MemoryState) -> bool:
    """Whether the memory is superseded, archived or grouped under another now."""
    memory = one.memory
    return one.status is Status.SUPERSEDED or bool(memory.archived or memory.grouped_under)


# Broken


def broken(live: Sequence[CheckedMemory]) -> list[CheckFinding]:
    """The memories whose code was intact before the change and is not after it."""
    return [_broken(one, lost[0]) for one in live if (lost := _lost(one))]


def _lost(one: CheckedMemory) -> list[AnchorLocation]:
    """The drifted and deleted anchors of a memory, deleted first."""
    lost = [each for each in one.after.locations if each.status not in INTACT]
    return sorted(lost, key=lambda each: each.status is not Status.GONE)


def _broken(one: CheckedMemory, lost: AnchorLocation) -> CheckFinding:
    anchor = lost.anchor
    was = next((each for each in one.before.locations if each.anchor == anchor), lost)
    path = lost.path or was.path or anchor.path
    named = f"`{anchor.symbol}`" if anchor.symbol else "the file"
    did = "was deleted" if lost.status is Status.GONE else "was changed"
    by = f" by {short_hash(lost.commit)}" if lost.commit else ""
    return replace(
        _finding(one, Fault.BROKEN, path, redact(f"{named} {did}{by}")),
        start_line=lost.start_line,
        end_line=lost.end_line,
        symbol=lost.symbol or anchor.symbol,
        commit=lost.commit,
    )


# Contradicted


def contradicted(change: CheckedChange, live: Sequence[CheckedMemory]) -> list[CheckFinding]:
    """The decisions and rules that reject an addition of the change, each thing once."""
    prohibited = [
        (one, ban) for one in live for ban in prohibitions_of(one.before.memory.said) if ban.key in change.added_text
    ]
    return [found for one, ban in prohibited for found in _contradicted(change, one, ban)]


def _contradicted(change: CheckedChange, one: CheckedMemory, ban: Prohibition) -> Iterator[CheckFinding]:
    said = one.before.memory.said
    scope = said.scope or tuple(dict.fromkeys(each.path for each in one.before.locations if each.path))
    added = [place for place in _added(change, ban) if _is_inside(place[0], scope)]
    for path, number, line in _without_known(change, ban, scope, added)[:1]:
        what = "adds {}, which was rejected" if ban.is_rejected else "uses {}, which is forbidden"
        found = _finding(one, Fault.AGAINST, path, redact(what.format(ban.wording)))
        yield replace(found, start_line=number, end_line=number, lines=(redact(line.strip()),))


def _added(change: CheckedChange, ban: Prohibition) -> Iterator[tuple[str, int, str]]:
    """Path, number and text of the added lines that contain a prohibited thing."""
    for path, hunks in change.by_path.items():
        for hunk in hunks:
            for number, line in enumerate(hunk.added, start=hunk.start):
                if ban.is_in(line) and not is_comment(line) and line_hash(line) not in change.removed:
                    yield path, number, line


def _without_known(
    change: CheckedChange, ban: Prohibition, scope: Sequence[str], added: Sequence[tuple[str, int, str]]
) -> Sequence[tuple[str, int, str]]:
    """The lines, if nothing like them was there before: in the whole scope, or for a rule in the same file."""
    if added and ban.is_rejected:
        before = files_with(change.repository, change.range.base, ban.pattern)
        return () if any(_is_inside(path, scope) for path in before) else added
    texts = change.texts_before(path for path, _, _ in added)
    return [place for place in added if not any(map(ban.is_in, texts.get(place[0], "").splitlines()))]


def _is_inside(path: str, scope: Sequence[str]) -> bool:
    """Whether a path is source code and matches a glob, where there are any."""
    return role_of(path, "", {}) is Role.SOURCE and (not scope or any(matches(glob, path) for glob in scope))


def _finding(one: CheckedMemory, fault: Fault, path: str, why: CleanText) -> CheckFinding:
    """A finding without its place: a note about an unconfirmed memory or an untrusted writer's, else a warning."""
    memory = one.before.memory
    return CheckFinding(
        fault=fault,
        level=Level.NOTE if one.before.status is Status.PROVISIONAL else Level.WARNING,
        id=one.id,
        source=memory.said.kind.value,
        date=memory.origin.at[:10],
        author=redact(memory.origin.author),
        said=memory.said.text,
        path=path,
        why=why,
        reason=memory.said.why,
        status=_status(one.before),
    )


def _status(one: MemoryState) -> str:
    """The status of an unconfirmed memory, with its reason; empty for a confirmed one."""
    if one.status is not Status.PROVISIONAL:
        return ""
    return f"{one.status.value}, {one.why}" if one.why else one.status.value
