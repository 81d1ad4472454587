"""Outlines of memories: the fields that lists are filtered by, without texts."""

import json
from array import array
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import cached_property, partial, reduce
from itertools import compress
from operator import and_
from typing import Any, NamedTuple

from repomem.core.records import MemoryKind
from repomem.memories.status import MemoryState, Status, Visibility


class MemoryOutline(NamedTuple):
    """A memory at one revision without its text."""

    visibility: Visibility
    status: Status
    is_shown: bool  # whether a brief may hold it
    is_fact: bool  # whether it may be shown as true here
    review_reason: str  # why a person must look at it; empty: there is no reason
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


def outline_of(one: MemoryState) -> MemoryOutline:
    """The outline of a state."""
    memory, placed = one.memory, [each for each in one.places if each.path]
    return MemoryOutline(
        one.visibility,
        one.status,
        one.is_shown,
        one.is_fact,
        one.review_reason,
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


Column = tuple[Sequence[Any], Sequence[int]]  # the distinct values of a field, and the number of each memory's


class MemoryOutlines(Mapping[str, MemoryOutline]):
    """Outlines by id, stored by field: a test of a field is made once for each distinct value."""

    def __init__(self, names: Sequence[str], columns: Mapping[str, Column], rows: Sequence[int] | None = None) -> None:
        self.names = names
        self.columns = columns
        self._rows = range(len(names)) if rows is None else rows  # of each name, in the columns

    @classmethod
    def of(cls, states: Mapping[str, MemoryState]) -> "MemoryOutlines":
        """The outlines of states."""
        return cls([], {name: ([], []) for name in MemoryOutline._fields}).plus(states)

    def plus(self, states: Mapping[str, MemoryState]) -> "MemoryOutlines":
        """These, which are all of a snapshot, and those of further states."""
        more = list(map(outline_of, states.values()))
        columns: dict[str, Column] = {}
        for at, (name, (values, codes)) in enumerate(self.columns.items()):
            number = {value: code for code, value in enumerate(values)}
            added = [number.setdefault(one[at], len(number)) for one in more]
            columns[name] = list(number), [*codes, *added]
        return MemoryOutlines([*self.names, *states], columns)

    def where(self, **tests: Callable[[Any], object]) -> "MemoryOutlines":
        """Those whose fields pass these tests, which are named like the fields."""
        passing = {name: [bool(test(value)) for value in self.columns[name][0]] for name, test in tests.items()}
        narrowing = [self._expanded(name, values) for name, values in passing.items() if not all(values)]
        if not narrowing:
            return self
        flags = list(reduce(partial(map, and_), narrowing))
        return MemoryOutlines(list(compress(self.names, flags)), self.columns, list(compress(self._rows, flags)))

    @property
    def here(self) -> "MemoryOutlines":
        """Those that are visible at this revision."""
        return self.where(visibility=lambda visibility: visibility is Visibility.HERE)

    def only(self, names: Sequence[str]) -> "MemoryOutlines":
        """Those of some memories. KeyError if one is unknown."""
        if names == self.names:
            return self
        return MemoryOutlines(names, self.columns, [self.row_of[name] for name in names])

    def without(self, names: Collection[str]) -> "MemoryOutlines":
        """All but some memories."""
        return self.only([name for name in self.names if name not in names]) if names else self

    def field(self, name: str, made: Callable[[Any], Any] | None = None) -> list[Any]:
        """A field of each, in order; `made` turns each distinct value into another one."""
        values = self.columns[name][0]
        return list(self._expanded(name, list(map(made, values)) if made else values))

    def _expanded(self, name: str, values: Sequence[Any]) -> Iterator[Any]:
        """The value of each memory, from those of its field's distinct values."""
        return map(values.__getitem__, map(self.columns[name][1].__getitem__, self._rows))

    def __getitem__(self, name: str) -> MemoryOutline:
        row = self.row_of[name]
        return MemoryOutline(*(values[codes[row]] for values, codes in self.columns.values()))

    def __iter__(self) -> Iterator[str]:
        return iter(self.names)

    def __len__(self) -> int:
        return len(self.names)

    @cached_property
    def row_of(self) -> Mapping[str, int]:
        """The row of each name in the columns."""
        return dict(zip(self.names, self._rows, strict=True))


def sections_of(outlines: MemoryOutlines) -> dict[str, bytes]:
    """All outlines of a snapshot as sections of a file: the values as JSON, and the numbers in 32 bits each."""
    values, codes = zip(*outlines.columns.values(), strict=True)
    return {
        "values": json.dumps([outlines.names, *values]).encode(),
        "codes": b"".join(array("I", each) for each in codes),
    }


def outlines_of_sections(sections: Mapping[str, memoryview]) -> MemoryOutlines:
    """The inverse of `sections_of`."""
    names, *lists = json.loads(bytes(sections["values"]))
    codes, count = sections["codes"].cast("I"), len(names)
    columns = {
        name: (list(map(_VALUES[name], values)) if name in _VALUES else values, codes[at * count : (at + 1) * count])
        for at, (name, values) in enumerate(zip(MemoryOutline._fields, lists, strict=True))
    }
    return MemoryOutlines(names, columns)


_VALUES: Mapping[str, Any] = {
    "visibility": Visibility,
    "status": Status,
    "kind": MemoryKind,
    "scope": tuple,
    "paths": tuple,
    "symbols": tuple,
}
