"""One memory that waits for a decision, as `repomem review` shows it: reason, source sentence, code then and now."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from repomem.cli.terminal.formats import non_empty, out_rich
from repomem.core.text.escape import one_line, quoted, visible_path
from repomem.core.types.commits import short_hash
from repomem.memories.anchors.anchored_code import AnchoredCode
from repomem.memories.review import PendingReview, reason_of
from repomem.memories.snapshots.snapshot import MemorySnapshot
from repomem.memories.status import Status

if TYPE_CHECKING:
    from rich.console import RenderableType

TEXT_LENGTH = 300  # characters
GOAL_LENGTH = 80
DIFF_LINES = 24  # of each anchor; what does not fit a screen is not read
STYLES = {"+": "green", "-": "red", "@": "dim"}


def card_text(each: PendingReview, known: MemorySnapshot) -> str:
    """The memory for a pipe; below it the reason, and the sentence that it comes from."""
    below = (f"  {name}: {text}" for name, text in _source(each))
    return "\n".join([_line(each, known), *below])


def out_card(each: PendingReview, known: MemorySnapshot, code: list[AnchoredCode]) -> None:
    """Draw the memory as a panel: text, reason, source, session, and the change of its code."""
    from rich.console import Group
    from rich.panel import Panel
    from rich.table import Table
    from rich.text import Text

    one = each.state
    table = Table(box=None, pad_edge=False, show_header=False)
    table.add_column(style="bold", no_wrap=True)
    table.add_column(overflow="fold")
    for name, text in (*_facts(each, known), *_source(each), *_session(each, known)):
        table.add_row(name, Text(text))
    shown: list[RenderableType] = [Text(one_line(one.memory.said.text, TEXT_LENGTH), style="bold"), table]
    for change in (each for each in code if each.is_own_symbol):
        shown += [Text(line, style=STYLES.get(line[0], "bold")) for line in _change(change)]
    why = "perhaps changed" if each.why == "changed" else each.why
    title = f"{known.short_id(one.memory.id)} {one.memory.said.kind.value}: {why}"
    out_rich(Panel(Group(*shown), title=Text(title), title_align="left"))


def review_json(each: PendingReview, known: MemorySnapshot) -> dict[str, Any]:
    """The same for programs."""
    one = each.state
    memory = one.memory
    return non_empty(
        {
            "id": memory.id,
            "short_id": known.short_id(memory.id),
            "kind": memory.said.kind.value,
            "text": memory.said.text,
            "reason": memory.said.why,
            "sentence": memory.said.sentence,
            "session": memory.origin.session,
            "waits": each.why,
            "status": one.status.value,
            "status_commit": one.commit,
            "why": one.why,
            "proposed": each.proposed,
            "author": memory.origin.author,
            "source": memory.origin.source.value,
            "date": memory.origin.at[:10],
            "anchors": [non_empty({"path": a.path, "symbol": a.symbol}) for a in memory.said.anchors],
        }
    )


def _change(code: AnchoredCode) -> Iterator[str]:
    """The change of an anchor's code under its name; nothing if it is unchanged."""
    name = visible_path(code.path) + f":{code.symbol}"
    if code.then.lines and not code.now.lines:
        yield f"{name} was:"
        yield from (f"-{line}" for line in code.then.lines[:DIFF_LINES])
    elif diff := code.diff(DIFF_LINES):
        yield f"{name} has changed:"
        yield from diff


def _facts(each: PendingReview, known: MemorySnapshot) -> Iterator[tuple[str, str]]:
    memory = each.state.memory
    yield "status", _waits(each, known)
    yield "by", f"{one_line(memory.origin.author, 60)} {memory.origin.at[:10]}"
    if places := _places(each):
        yield "on", places


def _source(each: PendingReview) -> Iterator[tuple[str, str]]:
    said = each.state.memory.said
    for name, text in (("because", said.why), ("sentence", said.sentence)):
        if text:
            yield name, quoted(one_line(text, TEXT_LENGTH))


def _session(each: PendingReview, known: MemorySnapshot) -> Iterator[tuple[str, str]]:
    """The agent session that it comes from, with its goal."""
    name = each.state.memory.origin.session
    start = next((record for record in known.events if name and record.id == name), None)
    if start:
        goal = f" {quoted(one_line(start.text, GOAL_LENGTH))}" if start.text else ""
        yield "session", f"{known.short_id(name)}{goal}; repomem show {known.short_id(name)} prints it"


def _line(each: PendingReview, known: MemorySnapshot) -> str:
    memory = each.state.memory
    places = _places(each)
    text = quoted(one_line(memory.said.text, TEXT_LENGTH))
    who = f"{one_line(memory.origin.author, 60)} {memory.origin.at[:10]}"
    parts = [_waits(each, known), who, places and f"on {places}"]
    return f"{known.short_id(memory.id)} {memory.said.kind.value} {text} · {' · '.join(filter(None, parts))}"


def _places(each: PendingReview) -> str:
    anchors = each.state.memory.said.anchors
    return ", ".join(dict.fromkeys(visible_path(a.path) + (a.symbol and f":{a.symbol}") for a in anchors))


def _waits(each: PendingReview, known: MemorySnapshot) -> str:
    """Why a memory waits for a decision."""
    one = each.state
    by = f" by {short_hash(one.commit)}" if one.commit else ""
    why = one.why or reason_of(one)
    if by and one.status is Status.GONE:
        by, why = "", f"{short_hash(one.commit)} deleted its code"
    if one.contested_by:
        other = known.states[one.contested_by].memory
        why = f"proposed replacement: {known.short_id(other.id)} {quoted(one_line(other.said.text, TEXT_LENGTH))}"
        status = f"{one.status.value}{by}, " if by else ""  # that commit contested nothing
        return f"{status}{each.why} ({why})"
    if each.later:
        later = known.states[each.later].memory
        why = f"perhaps changed by {known.short_id(later.id)} {quoted(one_line(later.said.text, TEXT_LENGTH))}"
        if each.why == "changed":
            return why
    return f"{each.why}{by}" + (f" ({why})" if why else "")
