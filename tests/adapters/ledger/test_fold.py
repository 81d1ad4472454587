"""Records to memories, and memories to what they are worth at one place: pure, so every case is cheap."""

from itertools import count

from hypothesis import given, strategies as st

from repomem.adapters.ledger.fold import memories_of
from repomem.core.records import Anchor, Event, Memory, MemoryContent, MemoryKind, Origin, Record, Source
from repomem.core.types.text import NOTHING, CleanText
from repomem.core.ulid import ALPHABET, unique_prefix
from repomem.memories.history_facts import HistoryFacts
from repomem.memories.status import AnchorLocation, MemoryState, Status, Visibility, memory_states

ANCHOR = Anchor("a.py", "f", "b" * 40, "1234", 20)
NUMBERS = count(1)


def ulid() -> str:
    return f"{next(NUMBERS):026d}"


def origin(source: Source = Source.PERSON, head: str = "", branch: str = "main") -> Origin:
    return Origin("2026-01-02T03:04:05Z", "Ada", source, head=head, branch=branch)


def say(text: str = "a", source: Source = Source.PERSON, head: str = "", *anchors: Anchor) -> Record:
    said = MemoryContent(MemoryKind.FACT, CleanText(text), anchors=anchors)
    return Record(ulid(), Event.REMEMBER, origin(source, head), said=said)


def tell(event: Event, *targets: str, other: str = "", source: Source = Source.PERSON) -> Record:
    return Record(ulid(), event, origin(source), targets, other, NOTHING)


def one(*records: Record) -> Memory:
    return memories_of(records)[records[0].id]


def world(ancestors: set[str] = frozenset(), living: set[str] = frozenset(), **more: object) -> HistoryFacts:  # type: ignore[assignment]
    return HistoryFacts(ancestors, living, **more)  # type: ignore[arg-type]


def stood(records: list[Record], here: HistoryFacts, *placed: AnchorLocation) -> MemoryState:
    return memory_states(memories_of(records), {records[0].id: placed}, here)[records[0].id]


@given(st.randoms(use_true_random=False))
def test_the_order_of_merging_changes_nothing(random: "object") -> None:
    first, second = say("a"), say("b")
    records = [
        first,
        second,
        tell(Event.SUPERSEDE, first.id, other=second.id),
        tell(Event.ARCHIVE, first.id),
        tell(Event.RESTORE, first.id),
        tell(Event.CONFIRM, second.id),
        tell(Event.ACCESS, first.id, second.id),
    ]
    shuffled = list(records)
    random.shuffle(shuffled)  # type: ignore[attr-defined]

    assert memories_of(sorted(shuffled, key=lambda record: record.id)) == memories_of(records)


def test_what_was_archived_and_restored_is_live() -> None:
    first = say()

    assert one(first, tell(Event.ARCHIVE, first.id)).archived
    assert not one(first, tell(Event.ARCHIVE, first.id), tell(Event.RESTORE, first.id)).archived


def test_a_restored_member_leaves_its_group() -> None:
    head, member = say("a"), say("A")
    group = tell(Event.GROUP, member.id, other=head.id)

    assert memories_of([head, member, group])[member.id].grouped_under == head.id
    assert memories_of([head, member, group])[head.id].support == (member.id,)
    assert not memories_of([head, member, group, tell(Event.RESTORE, member.id)])[member.id].grouped_under


def test_a_memory_is_visible_if_its_commit_or_rewrite_is_in_the_history() -> None:
    memory = say("a", Source.AGENT, "old")

    assert stood([memory], world({"old"})).visibility is Visibility.HERE
    assert stood([memory], world({"new"}, rewrites={"old": ("mid",), "mid": ("new",)})).visibility is Visibility.HERE
    assert stood([memory], world(set(), {"old"})).visibility is Visibility.UNMERGED
    assert stood([memory], world()).visibility is Visibility.ABANDONED


def test_rewrites_that_go_round_in_circles_end() -> None:
    memory = say("a", Source.AGENT, "old")

    assert stood([memory], world(rewrites={"old": ("new",), "new": ("old",)})).visibility is Visibility.ABANDONED


def test_a_persons_memory_is_visible_everywhere_unless_it_is_anchored() -> None:
    assert stood([say("a", Source.PERSON, "old")], world()).visibility is Visibility.HERE
    assert stood([say("a", Source.PERSON, "old", ANCHOR)], world()).visibility is Visibility.ABANDONED


def test_a_successor_on_another_branch_replaces_nothing_here() -> None:
    old = say("a", Source.PERSON, "root", ANCHOR)
    new = say("b", Source.PERSON, "there", ANCHOR)
    records = [old, new, tell(Event.SUPERSEDE, old.id, other=new.id)]

    assert stood(records, world({"root"}, {"there"})).status is Status.CURRENT
    assert stood(records, world({"root", "there"})).status is Status.SUPERSEDED


def test_an_agents_denial_counts_against_agents_alone() -> None:
    person, agent = say("a"), say("b", Source.AGENT)
    records = [person, agent, tell(Event.CONTRADICT, person.id, agent.id, source=Source.AGENT)]

    assert stood(records, world()).status is Status.CURRENT
    assert stood([agent, *records], world()).why == "denied by Ada"


def test_to_confirm_ends_a_denial() -> None:
    person = say("a")
    denied = [person, tell(Event.CONTRADICT, person.id)]

    assert stood(denied, world()).status is Status.PROVISIONAL
    assert stood([*denied, tell(Event.CONFIRM, person.id)], world()).status is Status.CURRENT


def test_a_memory_is_gone_only_without_any_anchor_left() -> None:
    gone, there = (
        AnchorLocation(ANCHOR, Status.GONE, commit="c"),
        AnchorLocation(ANCHOR, Status.CURRENT, "a.py", "f"),
    )

    assert stood([say("a", Source.PERSON, "", ANCHOR)], world(), gone, there).status is Status.DRIFTED
    assert stood([say("a", Source.PERSON, "", ANCHOR)], world(), gone).status is Status.GONE


def test_memories_of_surviving_code_count_as_confirmed() -> None:
    agent = say("a", Source.AGENT, "here", ANCHOR)
    there = AnchorLocation(ANCHOR, Status.CURRENT, "a.py", "f")

    assert stood([agent], world({"here"}), there).status is Status.PROVISIONAL
    assert stood([agent], world({"here"}, lived={agent.id}), there).status is Status.CURRENT


@given(st.lists(st.text(ALPHABET, min_size=26, max_size=26), min_size=1, max_size=40, unique=True))
def test_a_prefix_must_match_one_id(ids: list[str]) -> None:
    ordered = sorted(ids)
    for name in ordered:
        prefix = unique_prefix(name, ordered)
        assert [other for other in ordered if other.startswith(prefix)] == [name]
        assert len(prefix) >= 6
