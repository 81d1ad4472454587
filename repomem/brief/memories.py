"""Renders memories: text, reason, author, code, and the note that qualifies them."""

from dataclasses import replace

from repomem.brief.items import Rendering
from repomem.core.records import Memory
from repomem.core.text.escape import code, inert, one_line, quoted, visible_path
from repomem.core.types.brief import BriefItem
from repomem.core.types.commits import short_hash

WHOLE_TEXT = 1_200  # characters of the text; `repomem show ID` has the rest
TEXT_LENGTH = 400  # if the whole does not fit
SHORT_TEXT = 160  # of its shortest rendering
LENGTHS = (WHOLE_TEXT, TEXT_LENGTH, SHORT_TEXT)
WHY_LENGTH = 160
REJECTED_LENGTH = 100


def memory_renderings(
    memory: Memory, item: BriefItem, *, label: str, note: str = "", is_brief: bool = False
) -> list[Rendering]:
    """A memory: whole, without its reason, and cut short; `is_brief`: without reason, author, date and code.

    `item` has its id, status and code, `label` leads the line, and `note` explains a status that needs it.
    """
    said, reasons = memory.said, "" if is_brief else _reasons(memory)
    shown = replace(
        item,
        title=one_line(said.text, WHOLE_TEXT),
        text=reasons,
        date=memory.origin.at[:10],
        source=memory.origin.source.value,
        author=one_line(memory.origin.author, 60),
    )
    start = f"- {label} {code(item.id)}"
    tail = _noted(note) if is_brief else _tail(memory, item, note)
    reason = f", {reasons}" if reasons else ""
    bare = replace(shown, text="")
    renderings = [
        Rendering(f"{start} {quoted(shown.title)}{reason}{tail}", shown),
        *(Rendering(f"{start} {quoted(one_line(said.text, most))}{tail}", bare) for most in LENGTHS),
    ]
    return list(dict.fromkeys(renderings))


def _reasons(memory: Memory) -> str:
    said = memory.said
    why = f"because {inert(one_line(said.why, WHY_LENGTH))}" if said.why else ""
    rejected = "; ".join(inert(one_line(each, REJECTED_LENGTH)) for each in said.rejected)
    return "; ".join(filter(None, (why, f"rejected: {rejected}" if rejected else "")))


def _tail(memory: Memory, item: BriefItem, note: str) -> str:
    who = f"{inert(one_line(memory.origin.author, 60))} {memory.origin.at[:10]}"
    parts = [f" · {who}"] * bool(memory.origin.writer)  # the user's own need no name; `repomem show ID` has the date
    place = f"{visible_path(item.path)}:{item.symbol}" if item.symbol else visible_path(item.path)
    parts += [f" · on {code(place)}"] * bool(item.path)
    parts += [f" · applies to {', '.join(map(code, memory.said.scope[:3]))}"] * bool(memory.said.scope)
    return "".join(parts) + _noted(note)


def _noted(note: str) -> str:
    return f" ({note})" if note else ""


def status_note(status: str, commit: str, why: str) -> str:
    """The explanation of a status; empty if the memory is current."""
    by = short_hash(commit)
    if status == "drifted":
        cause = f"{why} by {by}" if why else f"{by} changed its code since"
        changed = cause if by else why or "its code has changed"
        return f"{changed}: verify before relying on it"
    if status == "provisional":
        return (f"{why}: {by}" if by else why) or "unconfirmed"
    return ""
