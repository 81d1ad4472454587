"""Memories to the lines that show them: what was said, by whom, on what code, and what it is worth here."""

from dataclasses import replace

from repomem.brief.items import Form
from repomem.brief.lines import code
from repomem.core.escape import inert, one_line, quoted, visible_path
from repomem.core.records import Memory
from repomem.core.types import SHORT_HASH, BriefItem

TEXT_LENGTH = 400  # characters of what was said; `repomem show ID` has the rest
SHORT_TEXT = 160  # of its short form
WHY_LENGTH = 160
REJECTED_LENGTH = 100


def memory_forms(memory: Memory, item: BriefItem, *, label: str, note: str = "") -> list[Form]:
    """A memory: whole, without its reason, and cut short. `item` has its id, status and place; `label` leads the line.

    `note` says what the status means where that is not plain.
    """
    said = memory.said
    shown = replace(
        item,
        title=one_line(said.text, TEXT_LENGTH),
        text=_reasons(memory),
        date=memory.origin.at[:10],
        source=memory.origin.source.value,
        author=one_line(memory.origin.author, 60),
    )
    tail = _tail(memory, item, note)
    forms = [
        Form(f"- {label} {code(item.id)} {quoted(shown.title)}{_spoken(memory)}{tail}", shown),
        Form(f"- {label} {code(item.id)} {quoted(shown.title)}{tail}", replace(shown, text="")),
        Form(f"- {label} {code(item.id)} {quoted(one_line(said.text, SHORT_TEXT))}{tail}", replace(shown, text="")),
    ]
    return list(dict.fromkeys(forms))


def place_of(path: str, symbol: str) -> str:
    """Where a memory's code is, by its file's name and its symbol."""
    return f"{visible_path(path)}:{symbol}" if symbol else visible_path(path)


def _spoken(memory: Memory) -> str:
    reasons = _reasons(memory)
    return f", {reasons}" if reasons else ""


def _reasons(memory: Memory) -> str:
    said = memory.said
    why = f"because {inert(one_line(said.why, WHY_LENGTH))}" if said.why else ""
    rejected = "; ".join(inert(one_line(each, REJECTED_LENGTH)) for each in said.rejected)
    return "; ".join(filter(None, (why, f"rejected: {rejected}" if rejected else "")))


def _tail(memory: Memory, item: BriefItem, note: str) -> str:
    who = f"{inert(one_line(memory.origin.author, 60))} {memory.origin.at[:10]}"
    parts = [f" · {who}"]
    parts += [f" · on {code(place_of(item.path, item.symbol))}"] * bool(item.path)
    parts += [f" · in {', '.join(map(code, memory.said.scope[:3]))}"] * bool(memory.said.scope)
    return "".join(parts) + (f" ({note})" if note else "")


def status_note(status: str, commit: str, why: str) -> str:
    """What a status means, in words; empty for what is plainly true."""
    by = commit[:SHORT_HASH]
    if status == "drifted":
        changed = f"{by} changed its code after" if by else "its code has uncommitted changes"
        return f"{changed}: check before relying on it"
    if status == "provisional":
        return (f"{why}: {by}" if by else why) or "not confirmed"
    return ""
