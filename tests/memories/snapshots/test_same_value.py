"""Which of several values of one subject leads, from memories alone."""

import pytest

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


@pytest.mark.parametrize(
    ("text", "is_value"),
    [
        ("The retry limit of an upload is {}", True),
        ("Timeout {} s for every upload", True),
        ("{} retries are enough for an upload", True),
        ("Tests run against Postgres {} in CI", True),
        ("Issue {} comes from the watcher", False),
        ("Node {} is supported in CI", False),
        ("In step {} never touch the database", False),
        ("The upload fails since #{} was merged", False),
        ("The host worker-{} has no disk left", False),
        ("Never edit migration {}, it ran in production", False),
        ("Requests to shard {} must never be retried", False),
        ("Support for Python 3.{} was dropped", False),
        ("A handler returns HTTP 4{} when a lock is held", False),
        ("timeout {} for uploads to the bucket", True),
        ("An upload gets {} attempts before it fails", True),
        ("We use Python 3.{} everywhere", True),
        ("Uploads wait {} seconds and are dropped", True),
    ],
)
def test_a_number_that_names_its_subject_is_no_value(text: str, is_value: bool) -> None:
    records = [said(name, text.format(value)) for name, value in (("a", 12), ("b", 13))]
    changed = with_newest_values(memory_states(memories_of(records), {}, WORLD), WORLD)
    assert bool(changed) == is_value


def test_an_earlier_value_that_is_confirmed_afterwards_stays() -> None:
    records = [said(name, f"The retry limit of an upload is {value}") for name, value in (("a", 5), ("b", 7))]
    assert with_newest_values(memory_states(memories_of(records), {}, WORLD), WORLD)
    records.append(Record("c", Event.CONFIRM, ORIGIN, targets=("a",)))
    assert not with_newest_values(memory_states(memories_of(records), {}, WORLD), WORLD)
