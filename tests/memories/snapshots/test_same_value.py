"""Which of several values of one subject leads, from memories alone."""

from repomem.adapters.ledger.fold import memories_of
from repomem.core.records import Event, MemoryContent, MemoryKind, Origin, Record, Source
from repomem.core.types.text import CleanText
from repomem.memories.history_facts import HistoryFacts
from repomem.memories.snapshots.same_value import with_newest_values
from repomem.memories.status import memory_states

ORIGIN = Origin("2026-06-29T00:00:00Z", "ada", Source.PERSON, head="c0ffee")
WORLD = HistoryFacts(frozenset({"c0ffee"}), frozenset())


def said(name: str, text: str) -> Record:
    return Record(name, Event.REMEMBER, ORIGIN, said=MemoryContent(MemoryKind.FACT, CleanText(text)))


def test_a_value_that_is_given_again_is_not_named_among_the_earlier_ones() -> None:
    records = [said(name, f"The retry limit of an upload is {value}") for name, value in (("a", 5), ("b", 7), ("c", 5))]
    changed = with_newest_values(memory_states(memories_of(records), {}, WORLD), WORLD)
    assert changed["c"].earlier == ("7",)
