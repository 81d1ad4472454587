"""`repomem remember`, `repomem forget`, and `repomem restore`, which without an id lists the forgotten ones."""

from collections.abc import Iterable
from typing import Any

from repomem.cli.terminal.caller import is_agent, speaker
from repomem.cli.terminal.console import answered, confirmed, out, out_lines, tell
from repomem.cli.terminal.formats import Format, out_json
from repomem.core.records import Anchor, Memory, Source
from repomem.core.secrets.redact import redacted_kinds
from repomem.core.text.escape import one_line, quoted, visible, visible_path
from repomem.core.types.commits import short_hash
from repomem.core.ulid import unique_prefix
from repomem.memories.amend import supersede
from repomem.memories.new_memory import NewMemory, RememberResult
from repomem.memories.restore import restore
from repomem.memories.review import confirm
from repomem.memories.show import means_memory
from repomem.memories.snapshots.snapshot import MemorySnapshot, memories_now
from repomem.memories.status import Status
from repomem.workspace.workspace import Workspace

SCHEMA = "repomem.remember/1"
FORGET_SCHEMA = "repomem.forget/1"
RESTORE_SCHEMA = "repomem.restore/1"
NO_TERMINAL = "forget asks for confirmation, and this is not a terminal"
SHOWN_TEXT = 100  # characters of another memory's text


def remember_command(workspace: Workspace, new: NewMemory, session: str, form: Format) -> None:
    """Write a memory and report; a person at a terminal is asked what it supersedes."""
    from repomem.memories.remember import remember

    result, known = remember(workspace, new, speaker(session))
    if form is Format.JSON:
        out_json(result_json(result, known))
        return
    out(result_text(result, known))
    if result.outcome != "duplicate" and result.origin.source is not Source.PERSON and not is_agent():
        short = _short_id(result, known)
        tell(f"not typed at a terminal, so it counts as an agent's; to confirm it: repomem confirm {short}")
    if speaker().is_person:
        _ask_whether_superseded(workspace, result, known)


def result_json(result: RememberResult, known: MemorySnapshot) -> dict[str, Any]:
    """The result by the contract `repomem.remember/1`; `short_id` is how briefs name the memory."""
    origin = result.origin
    return {
        "schema": SCHEMA,
        "outcome": result.outcome,
        "id": result.id,
        "short_id": _short_id(result, known),
        "kind": result.said.kind.value,
        "importance": result.said.importance,
        "scope": list(result.said.scope),
        "text": result.said.text,
        "is_redacted": bool(_redacted(result)),
        "redacted": list(_redacted(result)),
        "anchors": [{"path": each.path, "symbol": each.symbol} for each in result.said.anchors],
        "visible_on": "everywhere" if result.is_everywhere else origin.branch or short_hash(origin.head),
        "supersedes": list(result.supersedes),
        "contests": list(result.contests),
        "proposed": [{"id": one.id, "text": one.text, "why": one.why} for one in result.proposed],
        "not_applied": list(result.unapplied),
        "near": [{"id": name, "text": text} for name, text in result.near],
    }


def result_text(result: RememberResult, known: MemorySnapshot) -> str:
    """The result as text."""
    short, said = _short_id(result, known), result.said
    if result.outcome == "duplicate":
        line = f"already known: {short} {said.kind.value}: {one_line(said.text, SHOWN_TEXT)}"
        options = ", ".join(result.unapplied)
        again = f"  not applied: {options}; to apply, repeat the command with --supersedes {short}"
        lines = [line, *[again] * bool(options), *_marks(result), *_replaced(result, known)]
        return "".join(f"{each}\n" for each in lines)
    state = "" if result.origin.source is Source.PERSON else "provisional "
    where = _applies(result)
    lines = [f"remembered {short}: {state}{said.kind.value}, importance {said.importance}, applies {where}"]
    if kinds := _redacted(result):
        lines.append(f"  removed a secret ({', '.join(kinds)}): `repomem show {short}` prints what is stored")
    lines += [
        f"  applies to {visible(glob)}{' (matches no file now)' if glob in result.empty_scope else ''}"
        for glob in said.scope
    ]
    lines += dict.fromkeys(f"  on {_place(each, said.anchors)}" for each in said.anchors)  # overloads have one name
    lines += [*_marks(result), *_replaced(result, known)]
    for one in result.proposed:
        short = known.short_id(one.id)
        how = f"replaces {short} while both apply" if one.is_replaced else f"this may supersede {short}, which stays"
        lines.append(f"  {how}: {one_line(one.text, SHOWN_TEXT)} ({one.why})")
    proposed = {one.id for one in result.proposed}
    lines += [
        f"  resembles {known.short_id(name)}: {one_line(text, SHOWN_TEXT)}"
        for name, text in result.near
        if name not in proposed
    ]
    return "".join(f"{line}\n" for line in lines)


def _marks(result: RememberResult) -> list[str]:
    private, pinned = "  private: never shared", "  pinned: shown first in every brief"
    return [private] * result.is_private + [pinned] * result.is_pinned


def _replaced(result: RememberResult, known: MemorySnapshot) -> list[str]:
    """The memories that the new one should supersede, each with the outcome."""
    contested = "a person decides in repomem review"
    return [
        *(f"  supersedes {known.short_id(name)}" for name in result.supersedes),
        *(f"  proposes to replace {known.short_id(name)}: {contested}" for name in result.contests),
    ]


def _applies(result: RememberResult) -> str:
    """Where a new memory applies, in words."""
    origin = result.origin
    if not (origin.head or origin.branch):
        return "in every repository"
    if result.is_everywhere:
        return "on every branch"
    branch = f"on branch {visible(origin.branch)}" if origin.branch else "at this commit"
    if origin.is_dirty or origin.is_new_branch or not origin.head:
        return f"{branch} now, then on every branch with your next commit; until then unconfirmed on others"
    return f"on branches with commit {short_hash(origin.head)}"


def _place(anchor: Anchor, anchors: Iterable[Anchor]) -> str:
    """An anchor's code; for a type without an anchored method, a note that changes inside methods are not seen."""
    has_member = any(each.symbol.startswith(f"{anchor.symbol}.") for each in anchors)
    is_whole = anchor.kind and not has_member
    note = f" (the {visible(anchor.kind)} without its methods: changes inside methods are not seen)" if is_whole else ""
    return f"{visible_path(anchor.path)}{anchor.symbol and ':' + visible(anchor.symbol)}{note}"


def _short_id(result: RememberResult, known: MemorySnapshot) -> str:
    return unique_prefix(result.id, sorted({*known.ids, result.id}))


def _redacted(result: RememberResult) -> tuple[str, ...]:
    """The kinds of the secrets that were replaced in the stored text."""
    return redacted_kinds((result.said.text, result.said.why, *result.said.rejected))


def _ask_whether_superseded(workspace: Workspace, result: RememberResult, known: MemorySnapshot) -> None:
    """Ask about each proposal. An explicit no confirms the earlier memory: the question does not come up again."""
    for one in result.proposed:
        if one.is_replaced:
            continue
        short = known.short_id(one.id)
        answer = answered(f"Does it supersede {short}?", "y, n, or Enter to decide later")
        if answer:
            supersede(workspace, speaker(), one.id, result.id)
            tell(f"{short} is superseded")
        elif answer is False and speaker().is_person and known.states[one.id].status is Status.CURRENT:
            confirm(workspace, [one.id], speaker())
            tell(f"{short} still holds")


def _memory_to_forget(known: MemorySnapshot, wanted: str, *, is_purge: bool) -> tuple[str, str]:
    """The id and the text of the memory that an id or a prefix means; only a purge takes a forgotten one."""
    if is_purge and not means_memory(known, wanted) and (memory := known.forgotten_memory(wanted)):
        return memory.id, memory.said.text
    name = known.resolve_id(wanted)
    return name, known.said(name).text


def forget_command(
    workspace: Workspace, wanted: str, form: Format, *, is_purge: bool, is_noise: bool, is_sure: bool
) -> None:
    """Forget a memory or a note of a session, after asking the person at the terminal."""
    from repomem.memories.forget import forget, forget_note, note_named

    known = memories_now(workspace)
    note = None if is_noise else note_named(workspace, known, wanted)
    name, said = (note.id, note.text) if note else _memory_to_forget(known, wanted, is_purge=is_purge)
    text = quoted(one_line(said, SHOWN_TEXT))
    short = known.short_id(name)
    question = f"{'Erase every byte of' if is_purge else 'Forget'} {short} {text}?"
    effect = "erase it without asking; this cannot be undone" if is_purge else "forget without asking"
    if not is_sure and not confirmed(question, refusal=NO_TERMINAL, hint=f"add --yes to {effect}"):
        tell(f"kept: {short}")
        return
    if note:
        result = forget_note(workspace, note, speaker(), is_purge=is_purge)
    else:
        result = forget(workspace, known, name, speaker(), is_purge=is_purge, is_noise=is_noise)
    if form is Format.JSON:
        out_json({"schema": FORGET_SCHEMA, "id": name, "purged": result.is_purged, "mentions": result.mentions})
        return
    out(f"purged {short}: every byte of it is erased here\n" if is_purge else f"forgotten: {short} {text}\n")
    if is_noise:
        tell("similar texts are no longer captured: repomem review --noise")
    if not (is_purge or note):
        tell(f"to undo: repomem restore {short}")
    if result.mentions:
        tell(f"note: {result.mentions} other records contain the same text; see repomem log --memories")
    for folder in result.unwritten:
        tell(f"warning: cannot write {folder}: it still has the memory, and a later command purges it there")


def restore_command(workspace: Workspace, wanted: str, form: Format) -> None:
    """Restore a memory."""
    known = memories_now(workspace)
    memory = restore(workspace, known, wanted, speaker())
    if form is Format.JSON:
        out_json({"schema": RESTORE_SCHEMA, "restored": memory.id})
    else:
        out(f"restored: {known.short_id(memory.id)} {_text(memory)}\n")


def forgotten_command(workspace: Workspace, form: Format) -> None:
    """List the forgotten memories, last forgotten first."""
    known = memories_now(workspace)
    found = known.forgotten
    if form is Format.JSON:
        rows = [
            {"id": one.id, "short_id": known.short_id(one.id), "kind": one.said.kind.value, "text": one.said.text}
            for one in found
        ]
        out_json({"schema": RESTORE_SCHEMA, "forgotten": rows})
        return
    out_lines(f"{known.short_id(each.id)} {each.said.kind.value} {_text(each)}" for each in found)
    if not found:
        tell("nothing is forgotten; repomem memories --all lists archived and grouped memories")


def _text(memory: Memory) -> str:
    return quoted(one_line(memory.said.text, SHOWN_TEXT))
