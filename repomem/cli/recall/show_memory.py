"""A memory in full, as `repomem show` prints it."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from repomem.cli.terminal.formats import non_empty
from repomem.core.text.escape import one_line, quoted, visible, visible_place
from repomem.core.types.commits import short_hash

if TYPE_CHECKING:
    from repomem.core.records import Memory
    from repomem.memories.show import ShownAnchor, ShownMemory

LINE_LENGTH = 4_000  # characters: the maximum of a memory


def memory_lines(shown: "ShownMemory") -> Iterator[str]:
    """A line for each thing that is known of it."""
    from repomem.memories.status import Visibility

    one, said = shown.state, shown.memory.said
    yield f"{shown.memory.id} {said.kind.value}, importance {said.importance}"
    yield f"text: {one_line(said.text, LINE_LENGTH)}"
    if said.sentence:
        yield f"sentence: {quoted(one_line(said.sentence, LINE_LENGTH))}"
    if said.why:
        yield f"why: {one_line(said.why, LINE_LENGTH)}"
    yield from (f"rejected: {one_line(each, LINE_LENGTH)}" for each in said.rejected)
    if said.scope:
        yield f"scope: {', '.join(map(visible, said.scope))}"
    by = f" by {short_hash(one.commit)}" if one.commit else ""
    yield f"status: {one.reported_status.value}{by}{f' ({one.why})' if one.why else ''}"
    is_hidden = shown.hidden or one.visibility in {Visibility.UNMERGED, Visibility.NOT_YET}
    yield f"{'hidden' if is_hidden else 'visible'}: {shown.hidden or visible(shown.where)}"
    yield from dict.fromkeys(f"on: {anchor_text(each)}" for each in shown.anchors)  # overloads have one name
    yield from (f"replaces {name}: {one_line(text, 300)}" for name, text in shown.replaces)
    yield from (f"replaced by {name}: {one_line(text, 300)}" for name, text in shown.replaced_by)
    yield from (f"proposed replacement {name}: {one_line(text, 300)}" for name, text in shown.proposed)
    yield from (f"perhaps changed by {name}: {one_line(text, 300)}" for name, text in shown.changed_by)
    yield from (f"proposed to replace {name}: {one_line(text, 300)}" for name, text in shown.contests)
    if one.earlier:
        yield f"earlier values: {', '.join(map(visible, one.earlier))}"
    if shown.session[0]:
        name, goal = shown.session
        yield f"session: {name}" + (f" {one_line(goal, 160)}" if goal else "")
    yield from (f"also recorded as: {one_line(text, LINE_LENGTH)}" for text in shown.group)
    for entry in shown.history:
        text = f": {one_line(entry.text, 300)}" if entry.text else ""
        yield f"{entry.at[:10]} {entry.what} by {one_line(entry.by, 100)}{text}"


def memory_json(shown: "ShownMemory") -> dict[str, Any]:
    """The same for programs."""
    one, memory = shown.state, shown.memory
    origin = memory.origin
    return non_empty(
        {
            **content_json(memory, shown.short_id),
            "status": one.reported_status.value,
            "status_commit": one.commit,
            "status_why": one.why,
            "seen": one.visibility.value,
            "visible_on": shown.where,
            "anchors": [_anchor_json(each) for each in shown.anchors],
            "supersedes": list(memory.supersedes),
            "superseded_by": list(memory.superseded_by),
            "contested_by": one.contested_by,
            "perhaps_changed_by": shown.later,
            "hidden": shown.hidden,
            "source": origin.source.value,
            "author": origin.author,
            "tool": origin.tool,
            "date": origin.at[:10],
            "commit": origin.head,
            "branch": origin.branch,
            "session": origin.session,
            "session_goal": shown.session[1],
            "earlier": list(one.earlier),
            "records": [non_empty({"what": d.what, "at": d.at, "by": d.by, "text": d.text}) for d in shown.history],
        }
    )


def content_json(memory: "Memory", short_id: str) -> dict[str, Any]:
    """The content of a memory, for programs."""
    said = memory.said
    return {
        "id": memory.id,
        "short_id": short_id,
        "kind": said.kind.value,
        "text": said.text,
        "why": said.why,
        "rejected": list(said.rejected),
        "importance": said.importance,
        "scope": list(said.scope),
        "sentence": said.sentence,
    }


def anchor_text(each: "ShownAnchor") -> str:
    """Where a memory's code was, its status, and where it is now if that is elsewhere."""
    kind = each.anchor.kind
    whole = f" (the {visible(kind)} without its methods)" if kind else ""
    then = visible_place(each.anchor.path, each.anchor.symbol) + whole
    placed = each.location
    if placed is None or placed.status.value == "current":
        return then
    is_elsewhere = placed.path and (placed.path, placed.symbol) != (each.anchor.path, each.anchor.symbol)
    now = f", now {visible_place(placed.path, placed.symbol)}" if is_elsewhere else ""
    by = f" by {short_hash(placed.commit)}" if placed.commit else ""
    return f"{then} ({placed.status.value}{by}{now})"


def _anchor_json(each: "ShownAnchor") -> dict[str, Any]:
    fields: dict[str, Any] = {"path": each.anchor.path, "symbol": each.anchor.symbol}
    if placed := each.location:
        fields |= {"path_now": placed.path, "symbol_now": placed.symbol, "status": placed.status.value}
        fields |= {"start_line": placed.start_line or None, "end_line": placed.end_line or None}
        fields["status_commit"] = placed.commit
    return non_empty(fields)
