"""Outlines of memories: the fields that lists are filtered by, without texts."""

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from repomem.core.records import MemoryKind
from repomem.memories.status import MemoryState, Status, Visibility


class MemoryOutline(NamedTuple):
    """A memory at one revision without its text. Ten thousand are read at a time, hence a tuple."""

    visibility: Visibility
    status: Status
    is_shown: bool  # whether a brief may hold it
    is_fact: bool  # whether it may be shown as true here
    kind: MemoryKind
    importance: int
    at: str  # YYYY-MM-DDTHH:MM:SSZ
    session: str
    writer: str  # empty: this user
    uses: int  # sessions that acted on it
    pinned: str  # the record that pinned it; empty: it is not pinned
    is_anchored: bool
    scope: tuple[str, ...]  # path globs
    paths: tuple[str, ...]  # where its code is now
    symbols: tuple[str, ...]  # "path:qualified", empty for a file as a whole, in the order of `paths`

    @property
    def is_here(self) -> bool:
        """Whether it is visible at this revision."""
        return self.visibility is Visibility.HERE


def outline_of(one: MemoryState) -> MemoryOutline:
    """The outline of a state."""
    memory, placed = one.memory, [each for each in one.places if each.path]
    return MemoryOutline(
        one.visibility,
        one.status,
        one.is_shown,
        one.is_fact,
        memory.said.kind,
        memory.said.importance,
        memory.origin.at,
        memory.origin.session,
        memory.origin.writer,
        memory.uses,
        memory.pinned.record if memory.pinned else "",
        bool(memory.said.anchors),
        memory.said.scope,
        tuple(each.path for each in placed),
        tuple(f"{each.path}:{each.symbol}" if each.symbol else "" for each in placed),
    )


def columns_of(outlines: Iterable[MemoryOutline]) -> bytes:
    """Outlines as JSON, a column for each field: its distinct values, and the number of each memory's."""
    columns = []
    for column in zip(*outlines, strict=True):
        number: dict[Any, int] = {}
        codes = [number.setdefault(value, len(number)) for value in column]
        columns.append([list(number), codes])
    return json.dumps(columns).encode()


def outlines_of_columns(data: bytes) -> Sequence[MemoryOutline]:
    """The inverse of `columns_of`."""
    fields = list(MemoryOutline.__annotations__)
    columns = []
    for name, (values, codes) in zip(fields, json.loads(data), strict=False):
        known = [_VALUES[name](value) for value in values] if name in _VALUES else values
        columns.append(list(map(known.__getitem__, codes)))
    return list(map(MemoryOutline._make, zip(*columns, strict=True)))


_VALUES: Mapping[str, Any] = {
    "visibility": Visibility,
    "status": Status,
    "kind": MemoryKind,
    "scope": tuple,
    "paths": tuple,
    "symbols": tuple,
}
