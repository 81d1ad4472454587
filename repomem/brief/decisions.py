"""Decisions from commits and files to the lines that quote them."""

from dataclasses import replace

from repomem.brief.items import Form
from repomem.brief.lines import code
from repomem.core.escape import one_line, quoted, visible_path
from repomem.core.mined_decisions import Mined
from repomem.core.types import SHORT_HASH, BriefItem

TEXT_LENGTH = 300  # characters of what was decided; the place has the rest
SHORT_TEXT = 140
REJECTED_LENGTH = 80
REJECTED_SHOWN = 3


def mined_forms(one: Mined) -> list[Form]:
    """What was decided, and what was rejected for it; without the latter; and cut short."""
    rejected = "; ".join(one_line(each, REJECTED_LENGTH) for each in one.rejected[:REJECTED_SHOWN])
    text = one_line(one.text, TEXT_LENGTH)
    item = _item(one, text, rejected)
    label = "rejected" if one.is_rejected else one.kind.value
    where = code(one.id) if one.path else f"{one.commit[:SHORT_HASH]} {one.date}"
    more = f"; rejected: {quoted(rejected)}" if rejected else ""
    bare = item if one.is_rejected else replace(item, text="")
    forms = [
        Form(f"- {label} [quoted] {quoted(text)}{more} {where}", item),
        Form(f"- {label} [quoted] {quoted(text)} {where}", bare),
        Form(f"- {label} [quoted] {quoted(one_line(one.text, SHORT_TEXT))} {where}", bare),
    ]
    return list(dict.fromkeys(forms))


def _item(one: Mined, text: str, rejected: str) -> BriefItem:
    said = f"rejected: {text if one.is_rejected else rejected}" if one.is_rejected or rejected else ""
    return BriefItem(
        kind=one.kind.value,
        id=one.id,
        title=text,
        text=said,
        path=visible_path(one.path),
        start_line=one.start_line,
        end_line=one.end_line,
        commit=one.commit,
        date=one.date,
        source=one.source.value,
        author=one_line(one.author, 60),
    )
