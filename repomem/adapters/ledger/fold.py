"""Builds memories from ledger records, in the order of the records' ids."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from operator import attrgetter

from repomem.core.records import USED, Event, Memory, MemoryContent, MemoryEvent, Record

_About = Mapping[tuple[Event, str], Sequence[Record]]


def memories_of(records: Iterable[Record]) -> dict[str, Memory]:
    """Every recorded memory by id, including forgotten ones; `records` are in the order of their ids."""
    said: list[Record] = []
    about: dict[tuple[Event, str], list[Record]] = defaultdict(list)
    replaced_by: dict[tuple[Event, str], list[Record]] = defaultdict(list)
    for record in records:
        if record.event is Event.REMEMBER and record.said:
            said.append(record)
        for target in record.targets:
            about[record.event, target].append(record)
        if record.other:
            replaced_by[record.event, record.other].append(record)
    touched = {name for _, name in about} | {name for _, name in replaced_by}
    return {
        record.id: _memory(record, about, replaced_by) if record.id in touched else _plain(record) for record in said
    }


def _plain(record: Record) -> Memory:
    """A memory that no other record is about, as most are."""
    assert record.said is not None
    return Memory(record.id, record.said, record.origin)


def _memory(record: Record, about: _About, replaced_by: _About) -> Memory:
    assert record.said is not None
    name = record.id
    accesses = about.get((Event.ACCESS, name), ())
    return Memory(
        id=name,
        said=_current_content(record, about),
        origin=record.origin,
        superseded_by=tuple(each.other for each in about.get((Event.SUPERSEDE, name), ()) if each.other != name),
        supersedes=_targets(replaced_by.get((Event.SUPERSEDE, name), ()), name),
        confirmed=_marks(about.get((Event.CONFIRM, name), ())),
        contradicted=_marks(about.get((Event.CONTRADICT, name), ())),
        archived=_last_mark(name, about, Event.ARCHIVE, Event.RESTORE),
        pinned=_last_mark(name, about, Event.PIN, Event.UNPIN),
        done=_marks(about.get((Event.DONE, name), ())),
        grouped_under=_grouped_under(name, about),
        support=_targets(replaced_by.get((Event.GROUP, name), ()), name),
        accesses=sum(each.other != USED for each in accesses),
        uses=len({each.text for each in accesses if each.other == USED}),
        is_forgotten=(Event.FORGET, name) in about,
    )


def _current_content(record: Record, about: _About) -> MemoryContent:
    """The content, with the latest anchors."""
    assert record.said is not None
    anchored = about.get((Event.ANCHOR, record.id), ())
    return replace(record.said, anchors=anchored[-1].anchors) if anchored else record.said


def _grouped_under(name: str, about: _About) -> str:
    """The memory that it was last grouped under, unless it was restored since."""
    groups = [each for each in about.get((Event.GROUP, name), ()) if each.other != name]
    restored = max((each.id for each in about.get((Event.RESTORE, name), ())), default="")
    return groups[-1].other if groups and groups[-1].id > restored else ""


def _targets(records: Iterable[Record], own: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(target for record in records for target in record.targets if target != own))


def _last_mark(name: str, about: _About, on: Event, off: Event) -> MemoryEvent | None:
    """The last record that switched something on, unless a later one switched it off."""
    switched = sorted((*about.get((on, name), ()), *about.get((off, name), ())), key=attrgetter("id"))
    return _mark(switched[-1]) if switched and switched[-1].event is on else None


def _marks(records: Iterable[Record]) -> tuple[MemoryEvent, ...]:
    return tuple(map(_mark, records))


def _mark(record: Record) -> MemoryEvent:
    return MemoryEvent(record.id, record.origin, record.text)
