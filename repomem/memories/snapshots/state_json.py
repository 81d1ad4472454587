"""States of memories as JSON rows, and back: a stored snapshot decodes only those that are shown."""

import json
from collections.abc import Callable, Mapping, Set as AbstractSet
from dataclasses import fields
from operator import attrgetter
from typing import Any

from repomem.core.records import Anchor, Memory, MemoryContent, MemoryEvent, MemoryKind, Origin, Source
from repomem.memories.history_facts import HistoryFacts
from repomem.memories.status import AnchorLocation, MemoryState, Status, Visibility


def _getter(cls: type[Any], *without: str) -> Callable[[Any], tuple[Any, ...]]:
    """Gives the values of all fields of an object but these, in their order."""
    return attrgetter(*(field.name for field in fields(cls) if field.name not in without))


_ANCHOR = _getter(Anchor, "unnamed")  # its last field, which is never stored
_ORIGIN = _getter(Origin)
_SAID = _getter(MemoryContent, "anchors")
_PLACE = _getter(AnchorLocation, "anchor")
_STATE = _getter(MemoryState, "memory", "locations")
_MARKS = ("confirmed", "contradicted", "done")
_NESTED = ("id", "said", "origin", "archived", "pinned", *_MARKS)
_PLAIN_FIELDS = [field.name for field in fields(Memory) if field.name not in _NESTED]
_MEMORY = attrgetter(*_PLAIN_FIELDS)
_DECODER = json.JSONDecoder()


def row_of(one: MemoryState) -> bytes:
    """A state as one line of JSON."""
    memory = one.memory
    said = [*_SAID(memory.said), [_ANCHOR(each) for each in memory.said.anchors]]
    marks = [[_mark_row(mark) for mark in getattr(memory, name)] for name in _MARKS]
    single = [mark and _mark_row(mark) for mark in (memory.archived, memory.pinned)]
    places = [[_ANCHOR(each.anchor), *_PLACE(each)] for each in one.locations]
    row = [said, memory.id, _ORIGIN(memory.origin), _MEMORY(memory), marks, single, places, _STATE(one)]
    return json.dumps(row).encode()


def state_of_row(row: bytes) -> MemoryState:
    """The inverse of `row_of`."""
    said, name, origin, about, marks, single, places, state = json.loads(row)
    archived, pinned = (mark and _mark(mark) for mark in single)
    known: dict[str, Any] = dict(zip(_PLAIN_FIELDS, map(_tupled, about), strict=True))
    known |= {mark: tuple(map(_mark, each)) for mark, each in zip(_MARKS, marks, strict=True)}
    memory = Memory(name, _said(said), _origin(origin), archived=archived, pinned=pinned, **known)
    locations = tuple(AnchorLocation(Anchor(*anchor), Status(now), *rest) for anchor, now, *rest in places)
    visibility, status, *rest = state
    return MemoryState(memory, Visibility(visibility), Status(status), locations, *map(_tupled, rest))


def said_of_row(row: bytes) -> MemoryContent:
    """What a memory says, without decoding the rest of its row."""
    return _said(_DECODER.raw_decode(row.decode(), len("["))[0])


def history_row(history: HistoryFacts) -> bytes:
    """The history facts of commits, as JSON: sets as lists."""
    values = {field.name: getattr(history, field.name) for field in fields(history)}
    return json.dumps({name: _plain(value) for name, value in values.items()}).encode()


def history_of_row(row: bytes) -> HistoryFacts:
    """The inverse of `history_row`."""
    return HistoryFacts(**{name: _frozen(value) for name, value in json.loads(row).items()})


def _plain(value: Any) -> Any:
    if isinstance(value, AbstractSet):
        return sorted(value)
    return dict(value) if isinstance(value, Mapping) else value


def _frozen(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _tupled(each) for key, each in value.items()}
    return frozenset(value) if isinstance(value, list) else value


def _tupled(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


def _said(row: list[Any]) -> MemoryContent:
    kind, text, why, rejected, importance, scope, sentence, anchors = row
    code = tuple(Anchor(*each) for each in anchors)
    return MemoryContent(MemoryKind(kind), text, why, tuple(rejected), importance, tuple(scope), code, sentence)


def _origin(row: list[Any]) -> Origin:
    at, author, source, *rest = row
    return Origin(at, author, Source(source), *rest)


def _mark_row(mark: MemoryEvent) -> list[Any]:
    return [mark.record, _ORIGIN(mark.origin), mark.text]


def _mark(row: list[Any]) -> MemoryEvent:
    record, origin, text = row
    return MemoryEvent(record, _origin(origin), text)
