"""Rules for hosts without hooks: confirmed rules and decisions, kept in repomem's block of a file that an agent reads.

read the block -> take a person's edits over as proposals -> choose the rules -> replace the block

The block is the one of `repomem agents install`. Nothing outside of it changes.
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from repomem.adapters.git.branches import log_of
from repomem.adapters.settings.block import MARKDOWN_MARKS, block_added, block_in, block_replaced, without_block
from repomem.adapters.settings.edits import applied
from repomem.adapters.settings.files import SettingsFile, read_foreign, replace_foreign
from repomem.agents.edit_backups import (
    EXPORT,
    Receipt,
    drop_receipt,
    keep_receipt,
    missing_folders,
    receipt_of,
    was_created,
)
from repomem.agents.host_file import remove_empty
from repomem.agents.hosts import CURSOR_RULE, INSTRUCTIONS
from repomem.agents.install import is_outside
from repomem.agents.rules_block import (
    CURSOR_FILE,
    EXPORT_FILES,
    KEY_LENGTH,
    SHORT_KEY,
    RuleLine,
    RulesBlock,
    is_only_rules,
    key_of,
    read_rules,
    rule_line,
    rules_text,
)
from repomem.core.errors import ConfigError, ForeignError, RepomemError
from repomem.core.records import Event, MemoryKind, Origin, Source, purged_in
from repomem.memories.new_memory import NewMemory
from repomem.memories.remember import remember_as
from repomem.memories.search.likeness import AT_ONCE_IF_QUICK
from repomem.memories.search.relevant import undecided_successors
from repomem.memories.search.replacements import states_change
from repomem.memories.snapshots.snapshot import MemorySnapshot, memories_now
from repomem.memories.status import INTACT, MemoryState
from repomem.workspace.ledger import Speaker, author_name, origin_of
from repomem.workspace.workspace import Workspace

HOST_OF_FILE = {"AGENTS.md": "agents-md", ".github/copilot-instructions.md": "copilot", CURSOR_FILE: "cursor"}
EXPORTED_KINDS = frozenset({MemoryKind.RULE, MemoryKind.DECISION})


@dataclass(frozen=True, slots=True)
class TakenOver:
    """What a person wrote in a block: texts that now wait for review, and lines that could not be saved, with why."""

    proposed: tuple[str, ...] = ()
    refused: tuple[tuple[RuleLine, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Exported:
    """What was done with one file."""

    path: Path
    is_changed: bool
    rules: int = 0  # lines in the block
    left_out: int = 0  # lines that did not fit the budget
    undecided: int = 0  # confirmed rules and decisions that a later memory may replace: not written
    taken: TakenOver = TakenOver()


def export_rules(workspace: Workspace, name: str, budget: int | None = None) -> Exported:
    """Write or refresh the block of one of EXPORT_FILES; with `budget` None, the block keeps its budget.

    A file without exported rules stays unchanged if there are none to write. Raises ConfigError for another file,
    ForeignError if the file is left alone.
    """
    path = _path_of(workspace, name)
    before = read_foreign(path)
    present = _rules_in(before)
    is_first, there = present is None, present or RulesBlock()
    taken = _take_over(workspace, name, there)
    known = memories_now(workspace)
    undecided = _undecided(workspace, known)
    lines, deleted = _lines(known, name, there, undecided)
    lines = [*(line for line, _ in taken.refused), *lines]  # a person's words are never lost
    above = "" if name == CURSOR_FILE or is_only_rules(_block_of(before)) else f"{INSTRUCTIONS}\n"
    text, count = rules_text(lines, deleted, budget or there.budget, above)
    if is_first and not count:
        return Exported(path, is_changed=False, left_out=len(lines), undecided=len(undecided))
    content = _with_body(before, name, above + text)
    if is_first:
        is_new = before.content is None
        keep_receipt(path, EXPORT, Receipt((), "", (), is_new, missing_folders(path)))
    replace_foreign(before, content)
    return Exported(path, content != before.content, count, len(lines) - count, len(undecided), taken)


def remove_export(workspace: Workspace, name: str) -> Exported:
    """Remove the block from a file, after saving a person's edits; what `agents install` wrote stays.

    Raises ForeignError if the file is left alone, for example because a line cannot be saved.
    """
    path = _path_of(workspace, name)
    before = read_foreign(path)
    there = _rules_in(before)
    if before.content is None or there is None:
        return Exported(path, is_changed=False)
    taken = _take_over(workspace, name, there)
    if taken.refused:
        raise ForeignError(f"{name} has lines that could not be saved", "move them out of the block")
    host = HOST_OF_FILE.get(name)
    is_installed = host is not None and receipt_of(path, host) is not None
    if is_installed and name != CURSOR_FILE:
        content: bytes | None = block_replaced(before.content, MARKDOWN_MARKS, INSTRUCTIONS)
    else:
        content = without_block(before.content, MARKDOWN_MARKS)
        is_ours = not content.strip() or (name == CURSOR_FILE and content == CURSOR_RULE.encode())
        content = None if is_ours and not is_installed and was_created(path, host) else content
    replace_foreign(before, content)
    if not is_installed:  # else a later uninstall needs the receipt
        receipt = receipt_of(path, EXPORT)
        drop_receipt(path, EXPORT)
        remove_empty(receipt.folders[::-1] if receipt else ())
    return Exported(path, is_changed=True, taken=taken)


def remove_exports(workspace: Workspace, *, is_ledger_too: bool = False) -> list[Exported]:
    """Remove the rules from all files; a file that cannot be changed is left alone with a notice.

    So is a file with a person's edits if the ledger, where they would be saved, is deleted too.
    """
    return _each_export(workspace, _remove_unedited if is_ledger_too else remove_export, "left alone")


def _remove_unedited(workspace: Workspace, name: str) -> Exported:
    """Take the block out of a file. Raises ForeignError if a person edited its rules."""
    there = _rules_in(read_foreign(_path_of(workspace, name)))
    if there and any(line.is_edited for line in there.lines):
        raise ForeignError("a person edited its rules", "move them out of the block")
    return remove_export(workspace, name)


def refresh_exports(workspace: Workspace) -> list[Exported]:
    """Refresh the files that have exported rules; one that cannot be changed is skipped with a notice."""
    return _each_export(workspace, export_rules, "not refreshed")


def _each_export(workspace: Workspace, change: Callable[[Workspace, str], Exported], otherwise: str) -> list[Exported]:
    """Change each file that has exported rules."""
    done = []
    for name in EXPORT_FILES if workspace.repository.top else ():
        try:
            if _rules_in(read_foreign(_path_of(workspace, name))):
                done.append(change(workspace, name))
        except RepomemError as error:
            workspace.notices.append(f"{name} was {otherwise}: {error.message}")
    return done


def refresh_after_commit(workspace: Workspace) -> list[Exported]:
    """Refresh exported rules if HEAD last moved by a commit: a checkout must leave no changed files behind."""
    moves = log_of(workspace.repository, "HEAD")
    return refresh_exports(workspace) if moves and moves[-1].is_commit else []


def _path_of(workspace: Workspace, name: str) -> Path:
    if name not in EXPORT_FILES:
        raise ConfigError(f"rules cannot be exported to {name!r}", f"choose one of: {', '.join(EXPORT_FILES)}")
    if workspace.repository.top is None:
        raise ConfigError("a bare repository has no files", "run it in a worktree")
    path = workspace.repository.top / name
    if is_outside(path, workspace.repository.top):
        raise ForeignError(f"{name} is a link to a file outside of the worktree", "edit that file yourself")
    return path


def _rules_in(file: SettingsFile) -> RulesBlock | None:
    """The exported rules in a file; None if it has none."""
    return read_rules(_block_of(file))


def _block_of(file: SettingsFile) -> str:
    """The text in repomem's block of a file; empty without one."""
    return block_in(file.content or b"", MARKDOWN_MARKS) or ""


def _with_body(before: SettingsFile, name: str, body: str) -> bytes:
    """The file with this text in its block, at its end if it has none."""
    base = before.content
    if base is None:
        base = CURSOR_RULE.encode() if name == CURSOR_FILE else b""
    if block_in(base, MARKDOWN_MARKS) is not None:
        return block_replaced(base, MARKDOWN_MARKS, body)
    return applied(base, [block_added(base, MARKDOWN_MARKS, body)])


def _lines(
    known: MemorySnapshot, name: str, there: RulesBlock, undecided: Collection[str]
) -> tuple[list[RuleLine], Mapping[str, str]]:
    """The lines to write: a person's from this file, then the others by use; and what a person deleted."""
    states = _shared(known)
    rules = {one.memory.id for one in states if _is_confirmed_rule(one)}.difference(undecided)
    chosen = sorted((one for one in states if one.memory.id in rules or _is_from_file(one, name)), key=_by_use)
    lines = [rule_line(one.memory.id, one.memory.said.text) for one in chosen]
    every = (rule_line(one.memory.id, one.memory.said.text) for one in states)
    now = {line.key: line.digest for line in every}
    deleted = {key: digest for key, digest in there.deleted.items() if now.get(key, digest) == digest}
    deleted |= {key: digest for key, digest in now.items() if key[:SHORT_KEY] in there.gone}
    return [line for line in [*lines, *_foreign(known, there)] if line.key not in deleted], deleted


def _undecided(workspace: Workspace, known: MemorySnapshot) -> list[str]:
    """The confirmed rules that a later memory may replace: proposed instead, or one that states a change."""
    rules = [one.memory.id for one in _shared(known) if _is_confirmed_rule(one)]
    later = undecided_successors(workspace, known, rules, AT_ONCE_IF_QUICK)
    return [old for old, new in later.items() if known.states[old].contested_by or states_change(known.said(new).text)]


def _shared(known: MemorySnapshot) -> list[MemoryState]:
    """The memories that are neither private nor the user's own in every repository."""
    hidden = {record.id for record in known.records if record.is_private} | known.mine
    return [one for one in known.states.values() if one.memory.id not in hidden]


def _foreign(known: MemorySnapshot, there: RulesBlock) -> Iterator[RuleLine]:
    """The lines of memories that only another clone has, without those of purged memories."""
    own = {key_of(record.id) for record in known.records if record.event is Event.REMEMBER}
    own |= {digest[:KEY_LENGTH] for digest in purged_in(known.records)}
    return (line for line in there.lines if line.key and not line.is_edited and line.key not in own)


def _by_use(one: MemoryState) -> tuple[bool, int, int, int, str]:
    memory = one.memory
    return memory.origin.source is not Source.FILE, -memory.uses, -memory.accesses, -memory.said.importance, memory.id


def _is_confirmed_rule(one: MemoryState) -> bool:
    return one.is_shown_here and one.status in INTACT and one.memory.said.kind in EXPORTED_KINDS


def _is_from_file(one: MemoryState, name: str) -> bool:
    """Whether the memory was made from an edit of this file: its line stays while it waits for review."""
    origin = one.memory.origin
    return one.is_shown_here and origin.source is Source.FILE and origin.tool == name and not origin.writer


def _take_over(workspace: Workspace, name: str, there: RulesBlock) -> TakenOver:
    """Save the lines that a person edited or wrote as memories that wait for review."""
    edited = [line for line in there.lines if line.is_edited]
    if not edited:
        return TakenOver()
    known = memories_now(workspace)
    person = author_name(workspace, Speaker(is_person=True))
    origin = replace(origin_of(workspace, Speaker(tool=name)), author=person, source=Source.FILE)
    proposed: list[str] = []
    refused: list[tuple[RuleLine, str]] = []
    for line in edited:
        try:
            proposed += _proposed(workspace, known, line, origin)
        except RepomemError as error:
            refused.append((RuleLine(line.text), error.message))
    return TakenOver(tuple(proposed), tuple(refused))


def _proposed(workspace: Workspace, known: MemorySnapshot, line: RuleLine, origin: Origin) -> Sequence[str]:
    """Save one line as a memory; empty if a memory already has its text."""
    replaced = [one.memory for name, one in known.states.items() if line.key and key_of(name) == line.key]
    kind = replaced[0].said.kind if replaced else None
    names = tuple(memory.id for memory in replaced)
    result = remember_as(workspace, known, NewMemory(line.text, kind, supersedes=names), origin)
    return [] if result.outcome == "duplicate" else [result.said.text]
