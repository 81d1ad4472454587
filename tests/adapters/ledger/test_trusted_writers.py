"""Records of untrusted writers count only where they are about that writer's own memories."""

from repomem.adapters.ledger.trusted_writers import effective_records
from repomem.core.records import FIRST_COMMIT, Event, MemoryContent, MemoryKind, Origin, Record, Source
from repomem.core.types.text import CleanText

MINE, HIS, COMMIT = "01HF0000000000000000000001", "01HF0000000000000000000002", "c" * 40


def memory(name: str, writer: str) -> Record:
    said = MemoryContent(MemoryKind.FACT, CleanText("the queue is empty"))
    return Record(name, Event.REMEMBER, origin(writer), said=said)


def origin(writer: str) -> Origin:
    return Origin("2026-01-01T00:00:00Z", "someone", Source.PERSON, head="a" * 40, writer=writer)


def landing(of: str, writer: str) -> Record:
    return Record("01HF0000000000000000000003", Event.REWRITE, origin(writer), (of,), COMMIT, FIRST_COMMIT)


def test_a_stranger_does_not_say_which_commit_my_memory_belongs_to() -> None:
    records = [memory(MINE, ""), memory(HIS, "mallory")]
    assert effective_records([*records, landing(MINE, "mallory")], set()) == records
    assert len(effective_records([*records, landing(HIS, "mallory")], set())) == 3
    assert len(effective_records([*records, landing(MINE, "mallory")], {"mallory"})) == 3
