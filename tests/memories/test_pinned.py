"""The pinned block: first in every brief, at most 200 tokens, changed only by command."""

from pathlib import Path

import pytest
from support.memory_scenes import AGENT, PERSON, forgotten, said, titles
from support.repositories import Commit, MakeRepository
from support.samples import recalled, workspace_at

from repomem.core.errors import RepomemError
from repomem.core.records import MemoryKind
from repomem.core.text.tokens import count_tokens
from repomem.core.types.text import CleanText
from repomem.memories.pinned import PINNED_TOKENS, pin, unpin
from repomem.memories.review import close_threads
from repomem.memories.snapshots.snapshot import memories_now
from repomem.workspace.ledger import Speaker, ledger_of

LONG = (
    "the exchange rates are fetched from the bank at midnight and rounded to four digits before they are stored, "
    "whatever the ledger says of them"
)


@pytest.fixture
def place(make_repository: MakeRepository) -> Path:
    """A small repository."""
    return make_repository(Commit({"src/net.py": "def send(message):\n    return message\n"}, "Send messages"))


def pinned(folder: Path, name: str, speaker: Speaker = PERSON) -> None:
    with workspace_at(folder) as workspace:
        pin(workspace, memories_now(workspace), [name], speaker)


def unpinned(folder: Path, name: str, speaker: Speaker = PERSON) -> None:
    with workspace_at(folder) as workspace:
        unpin(workspace, memories_now(workspace), [name], speaker)


def lines(folder: Path, task: str, budget: int = 1500) -> list[str]:
    """The lines of a brief about memories."""
    return [line for line in recalled(folder, task, budget=budget).markdown.splitlines() if "`01" in line]


@pytest.mark.parametrize("task", ["", "send a message"])
def test_a_pinned_memory_is_the_first_item_of_every_brief_and_shown_once(place: Path, task: str) -> None:
    said(place, "We never send twice", kind=MemoryKind.RULE)
    pinned(place, said(place, "Messages are sent as bytes", kind=MemoryKind.FACT).id)

    brief = recalled(place, task)

    assert brief.items[0].title == "Messages are sent as bytes"
    assert titles(brief).count("Messages are sent as bytes") == 1
    assert brief.markdown.splitlines()[4].startswith("- pinned fact `")


def test_a_pinned_memory_is_in_a_brief_that_it_has_nothing_to_do_with_and_in_a_small_one(place: Path) -> None:
    said(place, "Otters are fed at noon", kind=MemoryKind.FACT, is_pinned=True)

    assert "Otters are fed at noon" in recalled(place, "send a message").markdown
    assert "Otters are fed at noon" in recalled(place, "send a message", budget=200).markdown


def test_a_pin_that_does_not_fit_is_refused_with_what_is_pinned_and_nothing_is_written(place: Path) -> None:
    first = said(place, f"At first {LONG}", is_pinned=True, why=LONG)
    second = said(place, f"Then {LONG}", is_pinned=True, why=LONG)
    with workspace_at(place) as workspace:
        before = len(ledger_of(workspace).records())

    with pytest.raises(RepomemError, match=f"the limit is {PINNED_TOKENS}") as refused:
        said(place, f"At last {LONG}", is_pinned=True, why=LONG)

    assert first.id[:6] in refused.value.hint
    assert second.id[:6] in refused.value.hint
    with workspace_at(place) as workspace:
        assert len(ledger_of(workspace).records()) == before


def test_the_block_of_a_brief_never_takes_more_than_its_limit(place: Path) -> None:
    said(place, f"At first {LONG}", is_pinned=True, why=LONG)
    said(place, f"Then {LONG}", AGENT, is_pinned=True, why=LONG)

    block = lines(place, "send a message")

    assert len(block) == 2
    assert sum(count_tokens(line) + 1 for line in block) <= PINNED_TOKENS


def test_a_pin_ends_by_command_and_when_it_is_forgotten(place: Path) -> None:
    one = said(place, "Otters are fed at noon", kind=MemoryKind.FACT, is_pinned=True).id
    other = said(place, "Otters sleep at night", kind=MemoryKind.FACT, is_pinned=True).id
    unpinned(place, one)
    forgotten(place, other)

    assert lines(place, "send a message") == []


def test_an_agent_cannot_unpin_what_a_person_pinned(place: Path) -> None:
    name = said(place, "Otters are fed at noon", is_pinned=True).id

    with pytest.raises(RepomemError, match="only a person may unpin it"):
        unpinned(place, name, AGENT)

    own = said(place, "The queue delivers twice", AGENT, is_pinned=True).id
    unpinned(place, own, AGENT)
    assert sum("pinned" in line for line in lines(place, "send a message")) == 1


def test_what_was_superseded_is_neither_pinned_nor_can_be(place: Path) -> None:
    old = said(place, "Otters are fed at noon", is_pinned=True).id
    said(place, "Otters are fed at nine", supersedes=(old,))

    assert not any("at noon" in line for line in lines(place, "send a message"))
    with pytest.raises(RepomemError, match="is not shown here: superseded by"):
        pinned(place, old)


def test_a_done_thread_is_pinned_only_once_it_is_reopened(place: Path) -> None:
    name = said(place, "test the retry", kind=MemoryKind.THREAD).id
    with workspace_at(place) as workspace:
        close_threads(workspace, memories_now(workspace), [name], CleanText("tested"), PERSON)

    with pytest.raises(RepomemError, match=r"is done \(by .*: tested\)") as refused:
        pinned(place, name)
    assert refused.value.hint.startswith("reopen it first: repomem restore 01")


def test_saying_a_known_thing_again_pins_it(place: Path) -> None:
    name = said(place, "Otters are fed at noon").id

    assert said(place, "Otters are fed at noon", is_pinned=True).id == name
    assert len(lines(place, "send a message")) == 1


def test_every_pin_that_was_accepted_is_shown_as_pinned_whatever_notes_it_got(place: Path) -> None:
    names = [
        said(place, f"{word} {LONG}", AGENT, kind=MemoryKind.FACT).id for word in ("First", "Second", "Third", "Fourth")
    ]
    fitting = []
    for name in names:
        try:
            pinned(place, name, AGENT)
        except RepomemError:
            break
        fitting.append(name)
    while True:  # fill what room is left
        try:
            fitting.append(said(place, f"Otter {len(fitting)} is fed", AGENT, kind=MemoryKind.FACT, is_pinned=True).id)
        except RepomemError:
            break
    assert sum("- pinned" in line for line in lines(place, "send a message")) == len(fitting)


def test_a_pinned_memory_that_surely_changes_another_is_shown_once(place: Path) -> None:
    said(place, "Labels are printed at 203 dpi, which all our thermal printers understand", kind=MemoryKind.DECISION)
    said(place, "The thermal printers of the depots print no labels on Sundays", kind=MemoryKind.DECISION)
    later = "Labels are now printed at 300 dpi, because the new thermal printers of the depots understand it"
    pinned(place, said(place, later, AGENT, kind=MemoryKind.DECISION).id)
    shown = titles(recalled(place, "which dpi do all our thermal printers print labels at"))
    assert (shown[0], shown.count(later)) == (later, 1)
