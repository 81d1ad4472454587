"""`repomem memories`: the memories of a repository as a list."""

from collections.abc import Iterator, Sequence
from typing import Any

from repomem.cli.recall.show_memory import content_json
from repomem.cli.terminal.caller import speaker
from repomem.cli.terminal.console import out_lines, tell
from repomem.cli.terminal.formats import Format, is_rich, non_empty, out_json, out_table
from repomem.core.text.counts import are, counted
from repomem.core.text.escape import one_line, quoted, visible, visible_place
from repomem.memories.listing import ListedMemory, MemoryFilter, current_places, listed_memories, with_later
from repomem.memories.snapshots.snapshot import MemorySnapshot, memories_now
from repomem.memories.status import UNTRUSTED, MemoryState, is_untrusted_claim
from repomem.workspace.other_ledgers import other_ledgers
from repomem.workspace.workspace import Workspace

SCHEMA = "repomem.memories/1"
HEADS = ("id", "date", "kind", "status", "text", "where", "by")
TEXT_LENGTH = 300  # characters; `repomem show ID` has the rest
NAME_LENGTH = 60


def memories_command(workspace: Workspace, question: str, wanted: MemoryFilter, most: int, form: Format) -> None:
    """Print the memories that pass the filters, at most `most`."""
    known = memories_now(workspace)
    found = listed_memories(workspace, known, question, wanted)
    is_asked = form is not Format.JSON and not known.states
    elsewhere = sum(each.memories for each in other_ledgers(workspace)) if is_asked else 0
    shown = with_later(workspace, known, found[:most])
    if form is Format.JSON:
        out_json({"schema": SCHEMA, "total": len(found), "memories": [_json(each, known) for each in shown]})
        return
    _out_list(shown, known)
    if elsewhere:
        many = counted(elsewhere, "memory", "memories")
        tell(f"no memories for this address of the remote; {many} for another: run repomem doctor")
    elif not found:
        tell(_none_found(known, wanted, question))
    elif len(found) > most:
        tell(f"{len(found) - most:,} more are not shown; -n {len(found)} shows all")


def _none_found(known: MemorySnapshot, wanted: MemoryFilter, question: str) -> str:
    """Why a list is empty."""
    if not known.states:
        return 'nothing is recorded yet: repomem remember "TEXT"'
    count = len(known.states)
    hidden = f"{counted(count, 'memory', 'memories')} {are(count)} hidden here: repomem memories --all"
    if not question and wanted.is_empty:
        return hidden
    return f"no memory about {visible(wanted.on)} matches" if wanted.on else "no memory matches"


def pin_command(workspace: Workspace, wanted: Sequence[str], *, is_off: bool) -> None:
    """Pin memories, or unpin them."""
    from repomem.memories.pinned import pin, unpin

    known = memories_now(workspace)
    names = [known.resolve_id(each) for each in wanted]
    changed = (unpin if is_off else pin)(workspace, known, names, speaker())
    done, no_change = ("unpinned", "not pinned") if is_off else ("pinned", "already pinned")
    out_lines(f"{done if name in changed else no_change}: {known.short_id(name)}" for name in names)


def _out_list(shown: Sequence[ListedMemory], known: MemorySnapshot) -> None:
    rows = [_row(each, known) for each in shown]
    if rows and is_rich():
        out_table("", HEADS, rows)
    else:
        out_lines(map(_line, rows))


def _row(each: ListedMemory, known: MemorySnapshot) -> tuple[str, ...]:
    memory = each.state.memory
    mark = f" ({UNTRUSTED})" if is_untrusted_claim(memory, known.history) else ""
    return (
        known.short_id(memory.id),
        memory.origin.at[:10],
        f"{'your ' * (memory.id in known.mine)}{'pinned ' * bool(memory.pinned)}{memory.said.kind.value}",
        _state(each, known),
        one_line(memory.said.text, TEXT_LENGTH),
        _where(each.state),
        one_line(memory.origin.author, NAME_LENGTH) + mark,
    )


def _state(each: ListedMemory, known: MemorySnapshot) -> str:
    """The status, and what makes the memory doubtful for the question."""
    later = each.later and f"perhaps changed by {known.short_id(each.later)}"
    return ", ".join(filter(None, (each.status, "may be unrelated" * each.is_unsure, later)))


def _line(row: tuple[str, ...]) -> str:
    name, date, kind, status, text, where, author = row
    state = "" if status == "current" else f" {status.removeprefix('current, ')}"
    return f"{name} {date} {kind}{state} {quoted(text)}{where and f' · {where}'} · {author}"


def _where(one: MemoryState) -> str:
    """Its code and its scope, in the words of a brief."""
    places, scope = ", ".join(places_of(one)), ", ".join(map(visible, one.memory.said.scope))
    return " · ".join([*[f"on {places}"] * bool(places), *[f"applies to {scope}"] * bool(scope)])


def places_of(one: MemoryState) -> Iterator[str]:
    """The current place of a memory's code, or the last known one."""
    return (visible_place(path, symbol) for path, symbol in current_places(one))


def _json(each: ListedMemory, known: MemorySnapshot) -> dict[str, Any]:
    memory = each.state.memory
    origin = memory.origin
    return non_empty(
        {
            **content_json(memory, known.short_id(memory.id)),
            "status": each.status,
            "status_commit": each.state.commit,
            "on": list(places_of(each.state)),
            "author": origin.author,
            "source": origin.source.value,
            "date": origin.at[:10],
            "branch": origin.branch,
            "mine": memory.id in known.mine or None,
            "pinned": memory.pinned is not None or None,
            "superseded_by": list(memory.superseded_by),
            "perhaps_changed_by": each.later,
            "may_be_unrelated": each.is_unsure or None,
            "score": round(each.score, 4),
            "matched": list(each.why),
        }
    )
