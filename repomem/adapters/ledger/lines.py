"""One record as one line: a checksum, a space, and JSON with sorted keys and without empty fields.

A record has the same bytes on every machine, so copies of a ledger have the same lines in some order.
"""

import json
import zlib
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any

from repomem.core.records import Anchor, Event, MemoryContent, MemoryKind, Origin, Record, Source
from repomem.core.text.lazy_pattern import lazy_pattern
from repomem.core.types.text import CleanText
from repomem.core.ulid import is_ulid

FIRST_REFUSED_ID = "0G"  # of the year 2527: an imported id must leave room for later ids
SIGNATURE = "sig"  # the field with the signature of all others
KEPT_LINES = 1 << 15  # cached records of a process: about 30 MB at most
_ID = lazy_pattern(rb'"id":"([0-9A-HJKMNP-TV-Z]{26})"')
_ORIGIN_TEXTS = ("author", "tool", "head", "branch", "session", "writer")
_EVENTS = {each.value: each for each in Event}  # calling an enumeration would double the time to read a record
_SOURCES = {each.value: each for each in Source}
_KINDS = {each.value: each for each in MemoryKind}


class BadLine(ValueError):  # noqa: N818  # a finding rather than a failure
    """A line that cannot be read: cut off, changed, or written by a later version."""


def line_of(record: Record) -> bytes:
    """The record as a line with its line feed."""
    data = _encoded(plain(record))
    return b"%08x %s\n" % (zlib.crc32(data), data)


def signed_part(line: bytes) -> bytes:
    """The signed bytes of a valid line: all its fields but the signature, also those of later versions."""
    fields = json.loads(line.partition(b" ")[2].decode("utf-8", "surrogatepass"))
    return _encoded({name: value for name, value in fields.items() if name != SIGNATURE})


def _encoded(fields: Mapping[str, Any]) -> bytes:
    text = json.dumps(fields, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return text.encode("utf-8", "surrogatepass")


@lru_cache(maxsize=KEPT_LINES)
def record_of_line(line: bytes) -> Record:
    """Parse a line, with a cache since every copy is read before and after a write. Raises BadLine."""
    return _decoded(json_of(line))


def json_of(line: bytes) -> bytes:
    """The JSON of a line, which may be a later version's. Raises BadLine."""
    checksum, _, data = line.rstrip(b"\n").partition(b" ")
    if checksum != b"%08x" % zlib.crc32(data):
        raise BadLine("its checksum does not match")
    return data


def damaged_id(line: bytes) -> str:
    """The id in a damaged line; empty if the line was never complete, so that no command has reported it as saved."""
    found = _ID.search(line) if line.rstrip().endswith(b"}") else None
    return found[1].decode() if found else ""


def is_damaged(line: bytes, whole: bytes) -> bool:
    """Whether a damaged line is another one with damage in one place: the same before its middle, or after it."""
    middle = len(line) // 2
    return whole.startswith(line[:middle]) or whole.endswith(line[middle:])


def record_of_json(data: bytes) -> Record:
    """Parse a JSON object from an export. Raises BadLine."""
    record = _decoded(data)
    if record.id >= FIRST_REFUSED_ID or record.id != record.id.upper():
        raise BadLine("its id is not valid")
    return record


def _decoded(data: bytes) -> Record:
    try:
        return _record(json.loads(data.decode("utf-8", "surrogatepass")))
    except (ValueError, KeyError, TypeError, AttributeError, OverflowError, RecursionError) as error:
        raise BadLine(f"it is not a record: {error}") from error


def plain(record: Record) -> dict[str, Any]:
    """A record as a JSON object."""
    origin = record.origin
    return _present(
        {
            **_fields_of(record, ("id", "event", "targets", "other", "text", "files", "commits")),
            **_fields_of(origin, ("at", "source", *_ORIGIN_TEXTS)),
            "new_branch": origin.is_new_branch,
            "dirty": origin.is_dirty,
            "private": record.is_private,
            "said": _plain_content(record.said) if record.said else {},
            "anchors": list(map(_plain_anchor, record.anchors)),
            SIGNATURE: record.signature,
        }
    )


def _plain_content(said: MemoryContent) -> dict[str, Any]:
    fields = _fields_of(said, ("kind", "text", "why", "rejected", "importance", "scope", "sentence"))
    return _present({**fields, "anchors": list(map(_plain_anchor, said.anchors))})


def _plain_anchor(anchor: Anchor) -> dict[str, Any]:
    return _present(_fields_of(anchor, ("path", "symbol", "blob", "print", "tokens", "kind", "derived")))


def _fields_of(value: object, names: Iterable[str]) -> dict[str, Any]:
    return {name: getattr(value, name) for name in names}


def _present(fields: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in fields.items() if value}


def _record(fields: Mapping[str, Any]) -> Record:
    text = fields.get
    origin = Origin(
        at=_text(fields["at"]),
        source=_SOURCES[fields["source"]],
        **{name: _text(text(name, "")) for name in _ORIGIN_TEXTS},
        is_new_branch=bool(text("new_branch", False)),
        is_dirty=bool(text("dirty", False)),
    )
    said = fields.get("said")
    if not is_ulid(_text(fields["id"])):
        raise ValueError("its id is not a ULID")
    return Record(
        id=_text(fields["id"]),
        event=_EVENTS[fields["event"]],
        origin=origin,
        targets=_texts(text("targets", ())),
        other=_text(text("other", "")),
        text=CleanText(_text(text("text", ""))),
        said=_said(said) if said else None,
        anchors=tuple(map(_anchor, text("anchors", ()))),
        files=_texts(text("files", ())),
        commits=_texts(text("commits", ())),
        is_private=bool(text("private", False)),
        signature=_text(text(SIGNATURE, "")),
    )


def _said(fields: Mapping[str, Any]) -> MemoryContent:
    return MemoryContent(
        kind=_KINDS[fields["kind"]],
        text=CleanText(_text(fields["text"])),
        why=CleanText(_text(fields.get("why", ""))),
        rejected=tuple(map(CleanText, _texts(fields.get("rejected", ())))),
        importance=int(fields.get("importance", 3)),
        scope=_texts(fields.get("scope", ())),
        anchors=tuple(map(_anchor, fields.get("anchors", ()))),
        sentence=CleanText(_text(fields.get("sentence", ""))),
    )


def _anchor(fields: Mapping[str, Any]) -> Anchor:
    symbol, blob, print_ = (_text(fields.get(name, "")) for name in ("symbol", "blob", "print"))
    kind, derived = (_text(fields.get(name, "")) for name in ("kind", "derived"))
    return Anchor(_text(fields["path"]), symbol, blob, print_, int(fields.get("tokens", 0)), kind, derived)


def _texts(values: Sequence[Any]) -> tuple[str, ...]:
    return tuple(map(_text, values))


def _text(value: Any) -> str:  # what JSON holds at this place
    if not isinstance(value, str):
        raise TypeError(f"{value!r} is not text")
    return value
