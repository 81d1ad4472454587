"""The figures of what is remembered."""

from pathlib import Path

import pytest
from support.memory_scenes import AGENT, PERSON, said
from support.repositories import Commit, MakeRepository
from support.samples import recalled, workspace_at

from repomem.core.records import MemoryKind
from repomem.memories.memory_report import MemoryReport, memory_report
from repomem.sessions.lifecycle import end, note, start


@pytest.fixture
def place(make_repository: MakeRepository) -> Path:
    """A small repository."""
    return make_repository(Commit({"src/net.py": "def send(message):\n    return message\n"}, "Send messages"))


def report(folder: Path) -> MemoryReport:
    with workspace_at(folder) as workspace:
        return memory_report(workspace)


def test_kinds_hidden_ones_pins_and_confirmations_are_counted(place: Path) -> None:
    old = said(place, "We retry three times", kind=MemoryKind.DECISION)
    said(place, "We retry seven times", kind=MemoryKind.DECISION, supersedes=(old.id,))
    said(place, "The queue delivers twice", AGENT, kind=MemoryKind.GOTCHA)
    said(place, "The queue delivers twice", kind=MemoryKind.GOTCHA, is_pinned=True)

    found = report(place)

    assert (found.memories, found.kinds, found.hidden) == (2, {"decision": 1, "gotcha": 1}, {"superseded": 1})
    assert (found.pinned, found.use.confirmed) == (1, 1)
    assert found.ages == {"last 7 days": 2, "last 30 days": 0, "last year": 0, "older": 0}


def test_sizes_are_the_tokens_of_texts_and_reasons(place: Path) -> None:
    said(place, "We retry")
    short = report(place)
    said(place, "We retry uploads three times", why="the gateway drops one request in a hundred")

    both = report(place)

    assert both.tokens == short.tokens + both.longest
    assert both.longest > 10 > short.longest


def test_a_layer_counts_notes_until_their_session_ends(place: Path) -> None:
    with workspace_at(place) as workspace:
        start(workspace, PERSON, "Retry uploads")
        note(workspace, PERSON, "the queue is empty")
    said(place, "We retry three times")
    open_ones = {layer.name: layer.entries for layer in report(place).layers}
    with workspace_at(place) as workspace:
        end(workspace, PERSON, "done")

    ended = {layer.name: layer.entries for layer in report(place).layers}

    assert open_ones == {"session notes": 1, "sessions": 1, "memories": 1, "facts learnt from sessions": 0}
    assert ended == {**open_ones, "session notes": 0}


def test_a_brief_for_a_task_counts_as_a_use_at_once(place: Path) -> None:
    said(place, "We retry sending three times", kind=MemoryKind.FACT)
    said(place, "Otters are fed at noon", kind=MemoryKind.FACT)
    recalled(place, "retry sending")

    use = report(place).use

    assert (use.shown, use.times, use.never_shown) == (1, 1, 1)


def test_bloat_counts_what_repeats_an_older_memory_and_not_what_differs_in_a_word(place: Path) -> None:
    text = "every upload to the northern gateway is tried three times before the queue gives up on it for good"
    said(place, text, kind=MemoryKind.FACT)
    said(place, f"{text} again", kind=MemoryKind.DECISION)
    said(place, "Otters are fed at noon")

    bloat = report(place).bloat

    assert (bloat.near_duplicates, bloat.share) == (1, 0.3333)


def test_an_empty_ledger_has_figures_too(place: Path) -> None:
    found = report(place)

    assert (found.memories, found.tokens, found.longest, found.bloat.share) == (0, 0, 0, 0.0)
