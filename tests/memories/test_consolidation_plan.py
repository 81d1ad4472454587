"""What is grouped and what is archived, from memories alone."""

import math
from collections.abc import Callable, Sequence, Set as AbstractSet
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

from repomem.adapters.ledger.fold import memories_of
from repomem.core.records import USED, Anchor, Event, Memory, MemoryContent, MemoryKind, Origin, Record, Source
from repomem.core.types.text import CleanText
from repomem.memories.consolidate import plan as planning
from repomem.memories.consolidate.consolidation_input import ConsolidationInput, MemoryUse, strength, uses_of
from repomem.memories.consolidate.plan import FAINT, Group, Plan, plan
from repomem.memories.consolidate.similar_texts import cosine
from repomem.memories.consolidate.summaries import group_members, summary_of
from repomem.memories.history_facts import HistoryFacts
from repomem.memories.status import memory_states

NOW = "2026-06-30T00:00:00Z"
HERE = "c0ffee"
ORIGIN = Origin("2026-06-29T00:00:00Z", "agent", Source.AGENT, head=HERE)
LATER = "facade"
WORLD = HistoryFacts(frozenset({HERE, LATER}), frozenset())
MANY = 1_000
LONG = (
    "The importer reads every ledger file in one pass and keeps the balance of each account in cents because "
    "rounding at the end loses pennies when the files hold several currencies"
)


def days_ago(days: float) -> str:
    at = datetime(2026, 6, 30, tzinfo=UTC) - timedelta(days=days)
    return at.strftime("%Y-%m-%dT%H:%M:%SZ")


def said(
    name: str, text: str, *, days: float = 1, source: Source = Source.AGENT, head: str = HERE, **fields: Any
) -> Record:
    origin = replace(ORIGIN, at=days_ago(days), source=source, head=head)
    return Record(
        name, Event.REMEMBER, origin, said=MemoryContent(**{"kind": MemoryKind.FACT, "text": CleanText(text), **fields})
    )


def told(name: str, event: Event, *targets: str, days: float = 0, other: str = "", text: str = "") -> Record:
    return Record(name, event, replace(ORIGIN, at=days_ago(days)), targets, other, CleanText(text))


def stock_of(
    records: Sequence[Record], *, covers: Callable[[Memory, Memory], bool] = lambda one, other: True, now: str = NOW
) -> ConsolidationInput:
    records = sorted(records, key=lambda record: record.id)
    return ConsolidationInput(memory_states(memories_of(records), {}, WORLD), uses_of(records), WORLD, now, covers)


def planned(*records: Record, most_live: int = MANY) -> Plan:
    return plan(stock_of(records), most_live)


def groups(*records: Record) -> list[tuple[str, ...]]:
    return [(each.id, *dict(each.members)) for each in planned(*records).groups]


def archived(*records: Record, most_live: int = MANY) -> dict[str, str]:
    return {each.id: each.reason for each in planned(*records, most_live=most_live).archives}


# Groups


@pytest.mark.parametrize(
    "other",
    [
        "the cache is cleared on every deploy",
        "The cache is cleared on every deploy!",
        "Please, the cache is really cleared on every deploy.",
    ],
)
def test_fillers_and_punctuation_do_not_prevent_grouping(other: str) -> None:
    assert groups(said("a", "The cache is cleared on every deploy."), said("b", other)) == [("a", "b")]


def test_one_word_more_in_a_long_memory_is_near_identical() -> None:
    assert groups(said("a", LONG), said("b", LONG.replace("account", "single account"))) == [("a", "b")]


def test_one_word_more_in_a_short_memory_is_another_one() -> None:
    assert groups(said("a", "Tests run on Linux"), said("b", "Tests run on Linux runners")) == []


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("in cents", "in 2 cents"),
        ("in one pass", "in one pass for v1.2"),
        ("keeps the balance", "never keeps the balance"),
        ("keeps the balance", "keeps not the balance"),
        ("loses pennies", "doesn't lose pennies"),
        ("the balance", "the `balance`"),
        ("The importer", "The csv_importer"),
        ("The importer", "The Importer.run importer"),
        ("when the files", "only when the files"),
        ("when the files", "unless the files"),
        ("loses pennies", "gains pennies"),
        ("reads every ledger file", "writes every ledger file"),
        ("ledger file in one pass", "pass in one ledger file"),
    ],
)
def test_a_number_a_name_a_negation_or_another_word_makes_another_memory(one: str, other: str) -> None:
    changed = LONG.replace(one, other)
    assert changed != LONG
    assert groups(said("a", LONG), said("b", changed)) == []


def test_a_memory_about_other_code_is_another_memory() -> None:
    on: dict[str, Any] = {"anchors": (Anchor("a.py", "f"),)}
    elsewhere: dict[str, Any] = {"anchors": (Anchor("b.py", "f"),)}
    assert groups(said("a", LONG, **on), said("b", LONG, **elsewhere)) == []
    assert groups(said("a", LONG, **on), said("b", LONG)) == []
    assert groups(said("a", LONG, **on), said("b", LONG, **on)) == [("a", "b")]


@pytest.mark.parametrize(
    "fields", [{"kind": MemoryKind.RULE}, {"why": CleanText("it is faster")}, {"scope": ("src/**",)}]
)
def test_another_kind_reason_or_scope_makes_another_memory(fields: dict[str, Any]) -> None:
    assert groups(said("a", LONG), said("b", LONG, **fields)) == []


def test_outliers_are_not_grouped() -> None:
    texts = ("Money is kept in cents", "The parser is generated", "Deploys happen on Fridays", "Logs go to stderr")
    assert groups(*(said(f"m{at}", text) for at, text in enumerate(texts))) == []


@pytest.fixture
def chained(monkeypatch: pytest.MonkeyPatch) -> None:
    """A is like B and B like C, but A not like C: those that are two words apart."""

    def likeness(one: AbstractSet[str], other: AbstractSet[str]) -> float:
        return 0.98 if len(one ^ other) < 2 else 0.5

    monkeypatch.setattr(planning, "cosine", likeness)


CHAIN = [
    said("a", LONG),
    said("b", LONG.replace("account", "single account")),
    said("c", LONG.replace("account", "single named account")),
]


@pytest.mark.usefixtures("chained")
def test_a_chain_makes_no_group_of_three() -> None:
    assert [len(each.members) for each in plan(stock_of(CHAIN), MANY).groups] == [1]


@pytest.mark.usefixtures("chained")
def test_a_chain_does_not_grow_from_one_time_to_the_next() -> None:
    first = plan(stock_of(CHAIN), MANY).groups
    then = [*CHAIN, *(told(f"g{at}", Event.GROUP, *dict(each.members), other=each.id) for at, each in enumerate(first))]
    assert plan(stock_of(then), MANY) == Plan()


def test_memories_of_different_branches_are_not_grouped() -> None:
    records = [said("a", LONG, head="left"), said("b", LONG, head="right")]
    world = HistoryFacts(frozenset({"left", "right"}), frozenset())
    found = memory_states(memories_of(records), {}, world)
    apart = ConsolidationInput(
        found, uses_of(records), world, NOW, lambda one, other: one.origin.head == other.origin.head
    )
    assert plan(apart, MANY) == Plan()


def test_a_memory_staged_on_another_branch_is_not_grouped() -> None:
    assert groups(said("a", LONG), said("b", LONG, head="elsewhere")) == []


def test_the_head_is_seen_wherever_its_members_are() -> None:
    records = [said("a", LONG, importance=5, head=LATER), said("b", LONG)]
    stock = stock_of(records, covers=lambda one, other: one.id in {"b", other.id})
    assert plan(stock, MANY).groups == (Group("b", LONG, (("a", LONG),), 1.0),)


def test_the_head_is_the_trusted_one_then_the_important_then_the_oldest() -> None:
    agent, person = said("a", LONG, importance=5), said("b", LONG, source=Source.PERSON, importance=1)
    assert groups(agent, person) == [("b", "a")]
    assert groups(said("a", LONG), said("b", LONG, importance=4), said("c", LONG, importance=4)) == [("b", "a", "c")]


def test_an_agents_memory_never_hides_a_persons() -> None:
    records = [said("a", LONG), said("b", LONG, source=Source.PERSON)]
    assert plan(stock_of(records, covers=lambda one, other: one.id == "a"), MANY) == Plan()


def test_a_restored_memory_is_not_grouped_again() -> None:
    records = [said("a", LONG), said("b", LONG), told("c", Event.GROUP, "b", other="a")]
    assert groups(*records) == []
    assert groups(*records, told("d", Event.RESTORE, "b")) == []


def test_a_later_one_joins_the_group_that_is_there() -> None:
    records = [said("a", LONG), said("b", LONG), told("c", Event.GROUP, "b", other="a"), said("d", LONG)]
    assert groups(*records) == [("a", "d")]


def test_nothing_is_grouped_under_a_hidden_memory() -> None:
    records = [
        *(said("a", LONG), said("b", LONG), told("c", Event.GROUP, "b", other="a"), told("d", Event.FORGET, "a")),
        said("e", LONG),
    ]
    assert groups(*records) == [("e", "b")]


def test_a_contested_or_contradicted_memory_stays_alone() -> None:
    assert groups(said("a", LONG), said("b", LONG), told("c", Event.CONTRADICT, "b")) == []


def test_many_equal_texts_form_one_group() -> None:
    assert [len(each.members) for each in planned(*(said(f"m{at:04}", LONG) for at in range(1_000))).groups] == [999]


def test_without_time_nothing_is_grouped() -> None:
    stock = replace(stock_of([said("a", LONG), said("b", LONG)]), is_late=lambda: True)
    assert plan(stock, MANY) == Plan()


# Archives


def test_a_memory_superseded_long_ago_is_archived() -> None:
    records = [said("a", "old way", days=50), said("b", "new way", days=40)]
    assert archived(*records, told("c", Event.SUPERSEDE, "a", days=40, other="b")) == {
        "a": "superseded by b for 40 days"
    }
    assert archived(*records, told("c", Event.SUPERSEDE, "a", days=20, other="b")) == {}


def test_a_memory_is_archived_for_the_one_that_replaced_it_and_not_for_a_proposal() -> None:
    records = [
        *(said("a", "old way", days=50, source=Source.PERSON), said("b", "a proposal", days=45)),
        *(said("c", "new way", days=40, source=Source.PERSON), told("d", Event.SUPERSEDE, "a", days=45, other="b")),
        told("e", Event.SUPERSEDE, "a", days=40, other="c"),
    ]
    assert archived(*records) == {"a": "superseded by c for 40 days"}


def test_a_memory_superseded_on_one_branch_only_stays() -> None:
    records = [
        said("a", "old", days=50),
        said("b", "new", days=40),
        told("c", Event.SUPERSEDE, "a", days=40, other="b"),
    ]
    assert plan(stock_of(records, covers=lambda one, other: False), MANY) == Plan()


def test_a_memory_unused_for_long_is_archived_with_its_reason() -> None:
    assert archived(said("a", "a fact", days=200)) == {"a": "unused for 200 days"}
    assert archived(said("a", "a fact", days=150)) == {}


@pytest.mark.parametrize(
    "kept",
    [
        said("a", "every handler checks", days=2_000, kind=MemoryKind.RULE),
        said("a", "still to do", days=2_000, kind=MemoryKind.THREAD),
        said("a", "a fact", days=2_000, source=Source.PERSON, importance=4),
    ],
)
def test_rules_open_threads_and_what_a_person_values_are_kept(kept: Record) -> None:
    assert archived(kept) == {}


def test_a_recently_recalled_memory_is_kept() -> None:
    old = said("a", "a fact", days=2_000)
    assert archived(old, told("b", Event.ACCESS, "a", days=29)) == {}
    assert archived(old, told("b", Event.CONFIRM, "a", days=150)) == {}
    assert list(archived(old)) == ["a"]


def test_a_restored_memory_counts_as_used() -> None:
    records = [said("a", "a fact", days=400), told("b", Event.ARCHIVE, "a", days=2), told("c", Event.RESTORE, "a")]
    assert archived(*records) == {}


def test_strength_is_that_of_memorybank() -> None:
    [memory] = memories_of([said("a", "a fact", days=40)]).values()
    assert strength(memory, MemoryUse(), NOW) == pytest.approx(math.exp(-40 / (5 * 4)))
    assert strength(memory, MemoryUse(accesses=2, last=days_ago(10)), NOW) == pytest.approx(math.exp(-10 / (5 * 6)))


def test_each_session_that_acted_on_a_memory_makes_it_firmer_up_to_three() -> None:
    base = [said("a", "a fact", days=40), told("b", Event.ACCESS, "a", text="spool")]
    acted = [told(f"c{at}", Event.ACCESS, "a", other=USED, text=f"session {at // 2}") for at in range(10)]

    [once], [often] = (memories_of([*base, *some]).values() for some in (acted[:2], acted))

    assert [(each.accesses, each.uses) for each in (once, often)] == [(1, 1), (1, 5)]
    assert strength(once, MemoryUse(), NOW) == pytest.approx(math.exp(-40 / (5 * 5)))
    assert strength(often, MemoryUse(), NOW) == pytest.approx(math.exp(-40 / (5 * 7)))
    uses = uses_of([*base, *acted])["a"]
    assert (uses.accesses, uses.last) == (1, acted[-1].origin.at)


def test_an_unreadable_or_future_time_archives_nothing() -> None:
    odd = said("a", "a fact")
    assert archived(replace(odd, origin=replace(odd.origin, at="long ago"))) == {}
    assert archived(said("a", "a fact", days=-4_000)) == {}


def test_the_limit_archives_superseded_then_weakest_memories_but_none_of_a_person() -> None:
    records = [
        said("a", "old way", days=5),
        said("b", "new way", days=4),
        told("c", Event.SUPERSEDE, "a", days=4, other="b"),
        said("d", "a chore", importance=1, days=30),
        said("e", "a rule of an agent", kind=MemoryKind.RULE),
        said("f", "a rule of a person", kind=MemoryKind.RULE, source=Source.PERSON, days=100),
    ]
    order = [archived(*records, most_live=most).keys() for most in (5, 4, 3, 2, 1, 0)]
    assert order == [set(), {"a"}, {"a", "d"}, {"a", "b", "d"}, {"a", "b", "d", "e"}, {"a", "b", "d", "e"}]


def test_above_the_limit_recently_recalled_memories_go_last() -> None:
    records = [said("a", "a chore", days=50, importance=1), said("b", "a fact"), told("c", Event.ACCESS, "a", days=29)]
    assert archived(*records, most_live=1).keys() == {"b"}


def test_members_that_are_grouped_now_are_not_counted_by_the_cap() -> None:
    assert archived(said("a", LONG), said("b", LONG), most_live=1) == {}


# Properties

NAMES = [f"m{at:02}" for at in range(12)]


@st.composite
def histories(draw: st.DrawFn) -> list[Record]:
    records = [
        said(
            name,
            f"fact number {name}",
            days=draw(st.integers(0, 400)),
            importance=draw(st.integers(1, 5)),
            kind=draw(st.sampled_from(MemoryKind)),
            source=draw(st.sampled_from([Source.PERSON, Source.AGENT])),
        )
        for name in draw(st.lists(st.sampled_from(NAMES), min_size=1, unique=True))
    ]
    known = [record.id for record in records]
    events = st.tuples(
        st.sampled_from([Event.ACCESS, Event.CONFIRM, Event.SUPERSEDE, Event.ARCHIVE, Event.RESTORE, Event.CONTRADICT]),
        *(st.sampled_from(known), st.sampled_from(known), st.integers(0, 400)),
    )
    for at, (event, target, other, days) in enumerate(draw(st.lists(events, max_size=12))):
        records.append(told(f"n{at:02}", event, target, days=days, other=other if event is Event.SUPERSEDE else ""))
    return records


@settings(max_examples=300)
@given(histories(), st.sampled_from(NAMES), st.integers(0, 12), st.integers(0, 300))
def test_a_recall_never_shortens_a_life(records: list[Record], name: str, most_live: int, days: int) -> None:
    before = archived(*records, most_live=most_live)
    after = archived(*records, told("z", Event.ACCESS, name, days=days), most_live=most_live)
    assert name in before or name not in after


@given(histories(), st.integers(0, 12), st.randoms())
def test_the_plan_is_the_same_in_every_order(records: list[Record], most_live: int, random: object) -> None:
    shuffled = list(records)
    random.shuffle(shuffled)  # type: ignore[attr-defined]  # hypothesis gives a random.Random
    assert planned(*records, most_live=most_live) == planned(*shuffled, most_live=most_live)


@given(histories(), st.integers(0, 12))
def test_nothing_is_deleted_and_everything_can_be_undone(records: list[Record], most_live: int) -> None:
    archives = planned(*records, most_live=most_live).archives
    done = [*records, *(told(f"x{at:02}", Event.ARCHIVE, each.id) for at, each in enumerate(archives))]
    assert memories_of(done).keys() == memories_of(records).keys()
    back = [*done, *(told(f"y{at:02}", Event.RESTORE, each.id) for at, each in enumerate(archives))]
    assert all(not memories_of(back)[each.id].archived for each in archives)


@given(histories(), st.integers(0, 12))
def test_a_plan_that_was_carried_out_is_empty_the_next_time(records: list[Record], most_live: int) -> None:
    archives = planned(*records, most_live=most_live).archives
    done = [*records, *(told(f"x{at:02}", Event.ARCHIVE, each.id) for at, each in enumerate(archives))]
    assert not {each.id for each in archives} & archived(*done, most_live=most_live).keys()


@given(st.integers(0, 2_000), st.integers(0, 20))
def test_a_memory_grows_fainter_with_time_and_firmer_with_use(days: int, accesses: int) -> None:
    [memory] = memories_of([said("a", "a fact", days=days)]).values()
    held = strength(memory, MemoryUse(accesses), NOW)
    assert (
        0
        <= strength(memory, MemoryUse(accesses), days_ago(-30))
        <= held
        <= strength(memory, MemoryUse(accesses + 1), NOW)
        <= 1
    )
    assert FAINT < 1


def test_cosine_of_words() -> None:
    assert cosine({"a", "b"}, {"a", "b"}) == pytest.approx(1)
    assert cosine({"a"}, {"b"}) == 0
    assert cosine(set(), {"b"}) == 0


# Prose


def test_prose_counts_only_for_the_group_that_it_was_written_for() -> None:
    records = [told("a", Event.GROUP, "m", "n", other="h"), told("b", Event.GROUP, "m", "n", other="h", text="so")]
    assert group_members(records, "h") == {"m", "n"}
    assert summary_of(records[:1], "h") is None
    assert summary_of(records, "h") == "so"
    assert summary_of([*records, told("c", Event.GROUP, "o", other="h")], "h") is None
    assert summary_of([*records, told("c", Event.RESTORE, "m")], "h") is None
