"""The shared ledger is a union: whoever syncs, when and over which remote, all end with the same lines."""

import zlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

import pytest
from hypothesis import given, settings, strategies as st

from repomem.adapters.ledger.fold import memories_of
from repomem.adapters.ledger.lines import line_of
from repomem.adapters.ledger.shared_lines import SharedLine, lines_in, news_in, shared_line, shared_lines, united
from repomem.adapters.ledger.trusted_writers import EVERYBODY, effective_records
from repomem.core.records import Event, MemoryContent, MemoryKind, Origin, Record, Source, digest_of_id, unpurged
from repomem.core.types.text import CleanText
from repomem.core.ulid import new_ulid

WRITERS = [digit * 16 for digit in "abcd"]
REMOTES = 2
ORIGIN = Origin("2026-11-22T10:00:00Z", "Ana", Source.PERSON)


@dataclass
class Clone:
    """One user's ledger, as `adapters.ledger.ledger` keeps it and `sync.run` shares it."""

    writer: str
    records: dict[str, Record] = field(default_factory=dict)

    def tell(self, event: Event, *targets: str, other: str = "", text: str = "") -> str:
        name = new_ulid(max(self.records, default=""))
        said = MemoryContent(MemoryKind.FACT, CleanText(text)) if event is Event.REMEMBER else None
        self.records = unpurged(self.records | {name: Record(name, event, ORIGIN, targets, other, said=said)})
        return name

    def sync(self, remote: list[SharedLine]) -> list[SharedLine]:
        """What the remote holds afterwards."""
        news = news_in(remote, list(self.records.values()), frozenset())
        self.records = unpurged(self.records | {record.id: record for record in news})
        own = [record for record in self.records.values() if not record.origin.writer]
        brought = [record for record in self.records.values() if record.origin.writer]
        return shared_lines(brought, own, remote, self.writer)

    @property
    def forgotten(self) -> set[str]:
        """The memories that no list shows."""
        records = effective_records([self.records[name] for name in sorted(self.records)], {EVERYBODY})
        return {name for name, memory in memories_of(records).items() if memory.is_forgotten}

    @property
    def said(self) -> dict[str, str]:
        return {name: record.said.text for name, record in self.records.items() if record.said}


def remember(clone: Clone, number: int) -> None:
    clone.tell(Event.REMEMBER, text=f"fact {number}")


def confirm_or_forget(clone: Clone, number: int) -> None:
    if names := sorted(clone.said):
        clone.tell([Event.CONFIRM, Event.FORGET][number % 2], names[number % len(names)])


def restore(clone: Clone, number: int) -> None:
    if names := sorted(clone.forgotten):
        name = names[number % len(names)]
        for each in [one for one in clone.records.values() if one.event is Event.FORGET and name in one.targets]:
            clone.tell(Event.UNDO, name, other=each.id)


def purge(clone: Clone, number: int) -> None:
    if names := [name for name in sorted(clone.said) if not clone.records[name].origin.writer]:
        clone.tell(Event.PURGE, digest_of_id(names[number % len(names)]))


DEEDS: Mapping[str, Callable[[Clone, int], None]] = {
    "remember": remember,
    "tell": confirm_or_forget,
    "restore": restore,
    "purge": purge,
}
STEPS = st.lists(
    st.tuples(
        st.sampled_from(["remember", "remember", "tell", "restore", "purge", "sync", "sync", "fail"]),
        st.integers(0, 40),
    ),
    max_size=40,
)


@settings(max_examples=1000)
@given(STEPS, st.permutations(range(len(WRITERS))))
def test_all_clones_and_remotes_end_with_the_same_lines_in_whatever_order_they_sync(
    steps: list[tuple[str, int]], order: list[int]
) -> None:
    clones = [Clone(writer) for writer in WRITERS]
    remotes: list[list[SharedLine]] = [[] for _ in range(REMOTES)]
    told: set[str] = set()
    for deed, number in steps:
        clone, at = clones[number % len(clones)], number % REMOTES
        if deed == "sync":
            remotes[at] = clone.sync(remotes[at])
        elif deed == "fail":  # it took in, and the push did not get through
            clone.sync(remotes[at])
        else:
            DEEDS[deed](clone, number)
            told |= set(clone.said)
    for _ in range(3):  # each over both remotes: what one has heard from the first it brings to the second
        for each in order:
            for at in range(REMOTES):
                remotes[at] = clones[each].sync(remotes[at])
    assert remotes[0] == remotes[1]
    assert len({tuple(sorted(clone.said.items())) for clone in clones}) == 1
    assert clones[0].forgotten == _forgotten_by_rule(clones[0].records.values())
    assert all(clone.forgotten == clones[0].forgotten for clone in clones)
    purged = {digest for each in remotes[0] if each.record for digest in _purged(each.record)}
    assert set(clones[0].said) == {name for name in told if digest_of_id(name) not in purged}
    assert not [each for each in remotes[0] if digest_of_id(each.id) in purged]


def _forgotten_by_rule(records: Iterable[Record]) -> set[str]:
    """The memories with a forget record that no undo record names."""
    known = list(records)
    undone = {(target, each.other) for each in known if each.event is Event.UNDO for target in each.targets}
    forgets = {(target, each.id) for each in known if each.event is Event.FORGET for target in each.targets}
    return {target for target, _ in forgets - undone} & {each.id for each in known if each.said}


def _purged(record: Record) -> tuple[str, ...]:
    return record.targets if record.event is Event.PURGE else ()


def test_a_purge_by_another_writer_ends_sharing_but_keeps_local_records() -> None:
    ana, ben = Clone(WRITERS[0]), Clone(WRITERS[1])
    name = ana.tell(Event.REMEMBER, text="the queue delivers twice")
    remote = ben.sync(ana.sync([]))
    ben.tell(Event.PURGE, digest_of_id(name))
    remote = ana.sync(ben.sync(remote))
    assert ana.said == {name: "the queue delivers twice"}
    assert ben.said == {}
    assert [each.record.event for each in remote if each.record] == [Event.PURGE]


def test_of_two_records_with_one_id_the_own_or_trusted_one_wins() -> None:
    [name] = [new_ulid()]
    forged = shared_line(
        WRITERS[0], Record(name, Event.REMEMBER, ORIGIN, said=MemoryContent(MemoryKind.RULE, CleanText("forged")))
    )
    real = shared_line(
        WRITERS[1], Record(name, Event.REMEMBER, ORIGIN, said=MemoryContent(MemoryKind.RULE, CleanText("real")))
    )
    texts = [
        [record.said.text for record in news_in([forged, real], [], trusted) if record.said]
        for trusted in (frozenset[str](), frozenset([WRITERS[1]]))
    ]
    assert texts == [["forged"], ["real"]]
    own = Record(name, Event.REMEMBER, ORIGIN, said=MemoryContent(MemoryKind.RULE, CleanText("real")))
    assert news_in([forged, real], [own], frozenset()) == []


def test_a_line_of_a_later_version_is_passed_on_unchanged_until_purged() -> None:
    name = new_ulid()
    known = line_of(Record(name, Event.REMEMBER, ORIGIN, said=MemoryContent(MemoryKind.FACT, CleanText("known"))))
    later = _sealed(b'{"at":"2030-01-01T00:00:00Z","event":"dream","id":"%s","source":"person"}' % name.encode())
    found = list(lines_in(WRITERS[0], later + known[:-9] + b"\n" + b"junk\n"))
    assert [(each.line, each.record) for each in found] == [(later, None)]
    assert united(found) == found
    purge_ = shared_line(WRITERS[1], Record(new_ulid(name), Event.PURGE, ORIGIN, (digest_of_id(name),)))
    assert united(found, [purge_]) == [purge_]


def test_unknown_fields_of_a_later_version_stay_in_the_line() -> None:
    more = b'{"at":"2030-01-01T00:00:00Z","event":"forget","id":"%s","mood":"sad","source":"person","targets":["x"]}'
    line = _sealed(more % new_ulid().encode())
    [found] = lines_in(WRITERS[0], line)
    assert (found.line, found.record and found.record.targets) == (line, ("x",))


@pytest.mark.parametrize("name", ["0G000000000000000000000000", "01m81dqq00000000000000aaaa"])
def test_ids_that_cannot_be_continued_are_skipped(name: str) -> None:
    line = line_of(Record(name, Event.FORGET, ORIGIN, ("x",)))
    assert list(lines_in(WRITERS[0], line)) == []


def _sealed(data: bytes) -> bytes:
    return b"%08x %s\n" % (zlib.crc32(data), data)
