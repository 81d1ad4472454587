"""Reminders made from memories, fixed errors and history, shown when their code is touched.

Only items tied to a file, a symbol, a scope, a command or an error make one. Superseded, gone and untrusted memories
make none; drifted and unconfirmed ones are marked. One that a later memory may replace quotes that one.
"""

from collections.abc import Iterable, Iterator
from dataclasses import replace

from repomem.brief.commit_lines import reverted_rendering
from repomem.brief.memories import status_note
from repomem.core.records import MemoryKind
from repomem.core.text.escape import code, inert, one_line, quoted
from repomem.core.text.tokens import count_tokens
from repomem.core.types.line_history import RevertedChange, RevertKind
from repomem.history.change_history import change_history_of
from repomem.history.messages import is_fix
from repomem.history.relevant_reverts import FailedAttempt, failed_attempts, reverted_in
from repomem.items.memory_item import label_of
from repomem.memories.anchors.mentions import mentions
from repomem.memories.learned.fixes import fixes_in
from repomem.memories.learned.runs import runs_by_session
from repomem.memories.learned.wording import fix_text
from repomem.memories.search.relevant import undecided_successors
from repomem.memories.snapshots.snapshot import MemorySnapshot, memories_in, memories_unfollowed
from repomem.memories.status import INTACT, MemoryState, Status, Visibility, is_untrusted_claim
from repomem.workspace.reminder_cache import (
    Reminder,
    Reminders,
    cache_reminders,
    cached_reminders,
    stamps_now,
    worktree_of,
)
from repomem.workspace.snapshot import Snapshot
from repomem.workspace.workspace import Workspace

TEXT_LENGTH = 240  # characters of a memory
SHORT_TEXT = 110  # of its shortest rendering
WHY_LENGTH = 120
MOST_NAMED = 2  # files in the text of a rule
COMPARED = 40  # memories, the newest, for which later ones are sought: a hook has two seconds
UNCONFIRMED, DRIFTED = 100, 200  # added to the rank of a memory that may not be true, so that it comes last
KINDS = (MemoryKind.RULE, MemoryKind.GOTCHA, MemoryKind.DECISION, MemoryKind.THREAD, MemoryKind.FACT)
FIX_RANK, HISTORY_RANK = 1, 2  # between rules and decisions


def reminders_now(workspace: Workspace) -> Reminders:
    """The reminders of the worktree: cached ones, with those about memories rebuilt if anything has changed."""
    kept, is_fresh = cached_reminders(worktree_of(workspace))
    if kept and is_fresh:
        return kept
    stamps = stamps_now(workspace)  # taken before the files that they describe are read
    made = tuple(_of_memories(workspace, memories_unfollowed(workspace)))
    found = Reminders(made, kept.of_history if kept else (), stamps)
    cache_reminders(workspace, found)
    return found


def refresh_reminders(now: Snapshot) -> None:
    """Rebuild and cache all reminders; part of an index run."""
    stamps = stamps_now(now.workspace)
    made = tuple(_of_memories(now.workspace, memories_in(now)))
    cache_reminders(now.workspace, Reminders(made, tuple(_of_history(now)), stamps))


def _of_memories(workspace: Workspace, known: MemorySnapshot) -> Iterator[Reminder]:
    shown = {name: one for name, one in known.states.items() if _may_remind(one, known)}
    newest = sorted(shown, key=lambda name: (_is_bound(shown[name]), name))[-COMPARED:]
    later = undecided_successors(workspace, known, newest)
    made = {name: _of_memory(one, known, later.get(name, "")) for name, one in shown.items()}
    for old, new in sorted(later.items(), reverse=True):  # of three in a row, the last two first
        if new in made and (shown[new].is_fact or not shown[old].is_fact):
            made[old] = replace(made[old], rank=max(made[old].rank, made[new].rank + 1))
    yield from made.values()
    yield from _of_fixes(known)


def _is_bound(one: MemoryState) -> bool:
    """Whether an edit may bring it up."""
    return bool(one.places or one.memory.said.scope)


def _may_remind(one: MemoryState, known: MemorySnapshot) -> bool:
    is_near = one.visibility in {Visibility.HERE, Visibility.ABANDONED}
    return one.is_shown and is_near and not is_untrusted_claim(one.memory, known.history)


def _of_memory(one: MemoryState, known: MemorySnapshot, later: str) -> Reminder:
    """The reminder of a memory, with the `later` one that may replace it."""
    said = one.memory.said
    start = f"- {_label(one)} {code(known.short_id(one.memory.id))}"
    successor = _successor(one.contested_by or later, known)
    note = f" ({note})" if (note := "; ".join(filter(None, (_note(one), successor)))) else ""
    why = f", because {inert(one_line(said.why, WHY_LENGTH))}" if said.why else ""
    symbols = [code(one_line(each.symbol, 60)) for each in one.places if each.symbol]
    whole = f"{start}{f' on {symbols[0]}' if symbols else ''} {quoted(one_line(said.text, TEXT_LENGTH))}"
    short = f"{start} {quoted(one_line(said.text, SHORT_TEXT))}{note}"
    found = [(each.path, each.symbol) for each in one.places if each.path]
    rank = KINDS.index(said.kind) if said.kind in KINDS else len(KINDS)
    return Reminder(
        id=one.memory.id,
        lines=_priced([f"{whole}{why}{note}", f"{whole}{note}", short]),
        places=tuple(dict.fromkeys(found)),
        scope=(said.scope or _named_files(said.text)) if said.kind is MemoryKind.RULE else (),
        text=f"{said.text}\n{said.why}",
        rank=rank + (0 if one.is_fact else DRIFTED if one.status is Status.DRIFTED else UNCONFIRMED),
    )


def _named_files(text: str) -> tuple[str, ...]:
    """The files that a rule names, as globs: the rule is not attached to them, since it may be about any change."""
    paths = [each.path for each in mentions(text) if each.path and "." in each.path.rpartition("/")[2]]
    return tuple(glob for path in paths[:MOST_NAMED] for glob in (path, f"**/{path}"))


def _label(one: MemoryState) -> str:
    """The kind, after what qualifies it."""
    kind = one.memory.said.kind.value
    if one.visibility is Visibility.ABANDONED:
        return f"abandoned {kind}"
    return label_of(one, kind)


def _note(one: MemoryState) -> str:
    if one.visibility is Visibility.ABANDONED:
        branch = one.memory.origin.branch
        return f"on branch {one_line(branch, 40)}, which is not merged here" if branch else "not merged here"
    if one.perhaps_done:
        return f"perhaps done in {one.perhaps_done}"
    return "" if one.status in {*INTACT, Status.PROVISIONAL} else status_note(one.status.value, one.commit, one.why)


def _successor(name: str, known: MemorySnapshot) -> str:
    """The memory that may replace another, with its text: that one may not come up at this edit."""
    if not name:
        return ""
    return f"perhaps changed by {code(known.short_id(name))}: {one_line(known.said(name).text, SHORT_TEXT)}"


def _of_fixes(known: MemorySnapshot) -> Iterator[Reminder]:
    """Errors that sessions have met, with their fixes."""
    for fix in fixes_in(runs_by_session(known.records)):
        name = fix.notes[-1]
        lines = _priced([f"- seen before: {fix_text(fix)} {code(known.short_id(name))}"])
        yield Reminder(name, lines, command=fix.command, error=fix.error, rank=FIX_RANK)


def _of_history(now: Snapshot) -> Iterator[Reminder]:
    """Reverted changes and lost fixes, each at the symbols that it was in."""
    history = change_history_of(now)
    changed = now.workspace.catalog.changes.paths().union(history.recorded.files)  # few of all live paths
    paths = [path for path in now.tree.paths if path in changed]
    changes = [each for each in reverted_in(history, paths) if each.symbols]
    for attempt in failed_attempts(now, changes):
        places = tuple(_live_places(now, attempt.change))
        if places and _is_informative(attempt):
            [line, *_] = reverted_rendering(attempt.change, attempt.before, attempt.after).markdown.split("\n")
            yield Reminder(attempt.change.commit, _priced([line]), places, rank=HISTORY_RANK)


def _live_places(now: Snapshot, change: RevertedChange) -> Iterator[tuple[str, str]]:
    """The symbols of a change whose file still exists under the same name."""
    for place in change.symbols:
        path, _, symbol = place.rpartition(":")
        if now.has(path):
            yield path, symbol


def _is_informative(attempt: FailedAttempt) -> bool:
    """Whether it matters to an edit: a lost or reverted fix, or a revert with its reason."""
    before, change = attempt.before, attempt.change
    return change.how is RevertKind.FIX_GONE or bool(change.reason) or is_fix(before.subject, before.kind)


def _priced(lines: Iterable[str]) -> tuple[tuple[str, int], ...]:
    return tuple((line, count_tokens(line)) for line in dict.fromkeys(lines))
