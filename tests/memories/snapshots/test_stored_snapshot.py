"""Memories stored for the next answer: the same as made anew, never older than the ledger, gone after a purge."""

import re
from collections.abc import Callable
from operator import not_
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, strategies as st
from support.memory_scenes import AGENT, committed, confirmed, forgotten, git, said
from support.repositories import Commit, MakeRepository
from support.samples import indexed, recalled, workspace_at

from repomem.core.packed_file import write_packed
from repomem.core.records import Anchor, Memory, MemoryContent, MemoryEvent, MemoryKind, Origin, Source
from repomem.core.types.text import CleanText
from repomem.memories.history_facts import HistoryFacts
from repomem.memories.review import pending_reviews
from repomem.memories.snapshots import stored_snapshot
from repomem.memories.snapshots.memory_outlines import MemoryOutlines, outline_of, outlines_of_sections, sections_of
from repomem.memories.snapshots.snapshot import MemorySnapshot, memories_now
from repomem.memories.snapshots.state_json import history_of_row, history_row, row_of, said_of_row, state_of_row
from repomem.memories.snapshots.stored_snapshot import FOLDER, StoredStates
from repomem.memories.status import AnchorLocation, MemoryState, Status, Visibility
from repomem.setup.status import status_of

QUESTION = "how often do we retry a delivery"
SNAPSHOT = re.compile("[0-9a-f]{16}")  # the other files have the words and vectors
SECRET = "Zanzibar deliveries need a stamp"

TEXT = st.text(max_size=8)
CLEAN = TEXT.map(CleanText)
TEXTS = st.lists(TEXT, max_size=2).map(tuple)
ORIGINS = st.builds(Origin, TEXT, TEXT, st.sampled_from(Source), TEXT, TEXT, TEXT, TEXT, TEXT)
ANCHORS = st.builds(Anchor, TEXT, TEXT, TEXT, TEXT, st.integers(0, 99))
MARKS = st.builds(MemoryEvent, TEXT, ORIGINS, CLEAN)
SAID = st.builds(
    MemoryContent,
    kind=st.sampled_from(MemoryKind),
    text=CLEAN,
    why=CLEAN,
    rejected=st.lists(CLEAN, max_size=2).map(tuple),
    importance=st.integers(1, 5),
    scope=TEXTS,
    anchors=st.lists(ANCHORS, max_size=2).map(tuple),
)
MARK_LISTS = st.lists(MARKS, max_size=2).map(tuple)
MEMORIES = st.builds(
    Memory,
    id=TEXT,
    said=SAID,
    origin=ORIGINS,
    superseded_by=TEXTS,
    supersedes=TEXTS,
    confirmed=MARK_LISTS,
    contradicted=MARK_LISTS,
    archived=st.none() | MARKS,
    done=MARK_LISTS,
    pinned=st.none() | MARKS,
    grouped_under=TEXT,
    support=TEXTS,
    accesses=st.integers(0, 9),
    uses=st.integers(0, 9),
    is_forgotten=st.booleans(),
)
PLACES = st.builds(
    AnchorLocation, ANCHORS, st.sampled_from(Status), TEXT, TEXT, st.integers(0, 9), st.integers(0, 9), TEXT, TEXT
)
STATES = st.builds(
    MemoryState,
    memory=MEMORIES,
    visibility=st.sampled_from(Visibility),
    status=st.sampled_from(Status),
    locations=st.lists(PLACES, max_size=2).map(tuple),
    commit=TEXT,
    why=TEXT,
    contested_by=TEXT,
    earlier=TEXTS,
    is_denied=st.booleans(),
    perhaps_done=TEXT,
)
NAMES = st.frozensets(TEXT, max_size=2)
LATER = st.dictionaries(TEXT, TEXTS, max_size=2)
NAMED = st.dictionaries(TEXT, TEXT, max_size=2)
HISTORIES = st.builds(
    HistoryFacts, NAMES, NAMES, LATER, LATER, NAMED, NAMED, NAMED, NAMES, NAMES, st.booleans(), TEXT, NAMES, NAMES
)


@given(STATES)
def test_a_state_is_the_same_after_its_row(one: MemoryState) -> None:
    assert state_of_row(row_of(one)) == one


@given(HISTORIES)
def test_a_history_is_the_same_after_its_row(history: HistoryFacts) -> None:
    assert history_of_row(history_row(history)) == history


@given(STATES)
def test_what_a_memory_says_is_read_from_its_row_alone(one: MemoryState) -> None:
    assert said_of_row(row_of(one)) == one.memory.said


def read_again(outlines: MemoryOutlines) -> MemoryOutlines:
    return outlines_of_sections({name: memoryview(data) for name, data in sections_of(outlines).items()})


@given(st.dictionaries(TEXT, STATES, max_size=4), st.dictionaries(TEXT, STATES, max_size=2))
def test_outlines_are_the_same_after_their_sections(
    first: dict[str, MemoryState], more: dict[str, MemoryState]
) -> None:
    added = {name: one for name, one in more.items() if name not in first}
    outlines = read_again(MemoryOutlines.of(first)).plus(added)
    assert dict(outlines) == {name: outline_of(one) for name, one in (first | added).items()}


@given(st.dictionaries(TEXT, STATES, max_size=6))
def test_outlines_are_chosen_by_their_fields(states: dict[str, MemoryState]) -> None:
    outlines = {name: outline_of(one) for name, one in states.items()}
    facts = MemoryOutlines.of(states).where(kind=MemoryKind.FACT.__eq__)
    assert dict(facts) == {name: one for name, one in outlines.items() if one.kind is MemoryKind.FACT}
    shown = {name: one for name, one in dict(facts).items() if one.is_shown and not one.scope}
    assert dict(facts.where(is_shown=bool, scope=not_)) == shown
    assert facts.where(is_shown=bool, scope=not_).field("at") == [one.at for one in shown.values()]
    assert dict(facts.without(shown)) == {name: one for name, one in dict(facts).items() if name not in shown}


@pytest.fixture
def folder(make_repository: MakeRepository, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository with memories of every kind of state, stored however few they are."""
    folder = make_repository(Commit({"src/a.py": "def send():\n    return 1\n", "src/b.py": "b = 1\n"}))
    indexed(folder)
    monkeypatch.setattr(stored_snapshot, "FEWEST", 1)
    monkeypatch.setattr(stored_snapshot, "LARGE", 1)
    first = said(folder, "We retry a delivery three times", on=("src/a.py:send",)).id
    said(folder, "We retry a delivery five times now", on=("src/a.py:send",), supersedes=(first,))
    said(folder, "Never log a token of a customer", scope=("src/**",))
    said(folder, "Deliveries are sorted by weight", AGENT)
    said(folder, "TODO: measure how long a delivery waits for the truck")
    said(folder, "The depot closes at noon", is_pinned=True)
    return folder


def stored(folder: Path) -> list[Path]:
    return sorted((folder / ".git" / "repomem" / FOLDER).glob("*"))


def now(folder: Path) -> MemorySnapshot:
    with workspace_at(folder) as workspace:
        known = memories_now(workspace)
        list(known.records)  # while the workspace is open
        return known


def anew(folder: Path) -> MemorySnapshot:
    """The memories without anything stored."""
    for path in stored(folder):
        path.unlink()
    known = now(folder)
    assert not isinstance(known.states, StoredStates)
    return known


def assert_same(one: MemorySnapshot, other: MemorySnapshot) -> None:
    assert dict(one.states) == dict(other.states)
    assert list(one.records) == list(other.records)
    assert (one.history, one.mine) == (other.history, other.mine)
    assert (one.ids, one.newest, list(one.events)) == (other.ids, other.newest, list(other.events))
    assert list(one.outlines.items()) == list(other.outlines.items())


def test_a_second_process_reads_what_the_first_one_made(folder: Path) -> None:
    made = anew(folder)
    read = now(folder)
    assert isinstance(read.states, StoredStates)
    assert_same(read, made)


def test_status_decodes_only_the_memories_to_review(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    decoded: list[bytes] = []
    with workspace_at(folder) as workspace:
        known = memories_now(workspace)
        waiting = [each.why for each in pending_reviews(known)]
        shown = sum(one.is_shown and one.visibility is Visibility.HERE for one in known.states.values())

    def decode(row: bytes) -> MemoryState:
        decoded.append(row)
        return state_of_row(row)

    monkeypatch.setattr(stored_snapshot, "state_of_row", decode)
    with workspace_at(folder) as workspace:
        counts = status_of(workspace).memories
    assert waiting == ["provisional"]
    assert (counts.shown, counts.waiting, counts.hidden) == (shown, 1, len(known.states) - shown)
    assert len(decoded) == 1


def amended(folder: Path) -> None:
    said(folder, "We retry a delivery seven times now")


def edited(folder: Path) -> None:
    (folder / "src/a.py").write_text("def send():\n    return 'other'\n")


def branched(folder: Path) -> None:
    git(folder, "checkout", "-q", "-b", "side")
    committed(folder, "Send twice", src_S_a__py="def send():\n    return 1, 1\n")
    said(folder, "On this branch a delivery is sent twice", on=("src/a.py:send",))
    git(folder, "checkout", "-q", "main")


def forgot(folder: Path) -> None:
    forgotten(folder, next(name for name, one in now(folder).states.items() if "five" in one.memory.said.text))


def confirmed_one(folder: Path) -> None:
    confirmed(folder, next(name for name, one in now(folder).outlines.items() if not one.is_fact and one.is_shown))


@pytest.mark.parametrize("change", [amended, edited, branched, forgot, confirmed_one])
def test_any_change_is_seen_as_if_nothing_had_been_stored(folder: Path, change: Callable[[Path], None]) -> None:
    before = recalled(folder, QUESTION).markdown
    change(folder)
    brief, again = recalled(folder, QUESTION).markdown, recalled(folder, QUESTION).markdown
    assert_same(now(folder), anew(folder))
    for path in stored(folder):
        path.unlink()
    assert brief == again == recalled(folder, QUESTION).markdown
    assert (brief == before) == (change in (branched, confirmed_one))


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"speaker": AGENT},
        {"speaker": AGENT, "on": ("src/a.py:send",)},
        {"on": ("src/a.py:send", "src/b.py"), "why": "they pay for it"},
        {"scope": ("src/**",), "is_private": True},
    ],
)
def test_a_memory_written_since_is_added_to_what_is_stored(folder: Path, options: dict[str, Any]) -> None:
    now(folder)
    [before] = [path.read_bytes() for path in stored(folder) if SNAPSHOT.fullmatch(path.name)]
    said(folder, "Customers choose the colour of the box", **options)
    said(folder, "A parcel weighs at most nine kilos", **options)
    read = now(folder)
    assert len(read.states) == len(read.outlines) == 8
    assert [path.read_bytes() for path in stored(folder) if SNAPSHOT.fullmatch(path.name)] == [before]
    assert_same(read, anew(folder))


def thread_said(folder: Path) -> None:
    said(folder, "TODO: count the trucks in the depot")


def value_said(folder: Path) -> None:
    said(folder, "A truck carries 40 boxes of the depot")
    said(folder, "A truck carries 50 boxes of the depot")


def superseded(folder: Path) -> None:
    said(folder, "The depot closes at one", supersedes=(next(reversed(list(now(folder).states))),))


def committed_since(folder: Path) -> None:
    committed(folder, "Weigh parcels", src_S_b__py="b = 2\n")
    said(folder, "A parcel is weighed twice", on=("src/b.py",))


def said_on_a_branch(folder: Path) -> None:
    git(folder, "checkout", "-q", "-b", "side")
    committed(folder, "Weigh parcels", src_S_b__py="b = 2\n")
    said(folder, "A parcel is weighed twice", on=("src/b.py",))
    git(folder, "checkout", "-q", "main")


@pytest.mark.parametrize("change", [thread_said, value_said, superseded, committed_since, said_on_a_branch])
def test_whatever_may_change_other_memories_makes_a_new_snapshot(folder: Path, change: Callable[[Path], None]) -> None:
    now(folder)
    change(folder)
    assert_same(now(folder), anew(folder))


def test_two_processes_that_write_at_once_are_both_read(folder: Path) -> None:
    now(folder)
    said(folder, "Customers choose the colour of the box")
    copy = folder / ".git" / "repomem" / "ledger"
    one, rest = copy.read_bytes().rsplit(b"\n", 2)[:2]
    copy.write_bytes(one + b"\n" + rest[:20])  # the other one is still writing
    torn = now(folder)
    copy.write_bytes(one + b"\n" + rest + b"\n")
    assert_same(now(folder), anew(folder))
    assert list(torn.states) == list(now(folder).states)


def test_what_was_forgotten_is_in_no_answer_though_it_is_in_the_stored_words(folder: Path) -> None:
    name = said(folder, SECRET).id
    assert SECRET in recalled(folder, "Zanzibar deliveries").markdown
    forgotten(folder, name)
    assert SECRET not in recalled(folder, "Zanzibar deliveries").markdown


def test_a_purge_leaves_nothing_stored(folder: Path) -> None:
    name = said(folder, SECRET).id
    recalled(folder, "Zanzibar deliveries")
    assert len(stored(folder)) == 3
    forgotten(folder, name, is_purge=True)
    assert stored(folder) == []
    recalled(folder, "Zanzibar deliveries")
    assert not any(b"anzibar" in path.read_bytes() for path in stored(folder))


def test_a_purge_while_memories_are_stored_leaves_nothing(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    name = said(folder, SECRET).id
    anew(folder)
    target = "repomem.memories.snapshots.stored_snapshot.write_packed"

    def purged_before(*arguments: object) -> None:
        monkeypatch.setattr(target, write_packed)
        forgotten(folder, name, is_purge=True)
        write_packed(*arguments)  # type: ignore[arg-type]

    for path in stored(folder):
        path.unlink()
    monkeypatch.setattr(target, purged_before)
    now(folder)
    assert not any(b"anzibar" in path.read_bytes() for path in stored(folder))


@pytest.mark.parametrize("damage", [lambda data: data[:-9], lambda data: data[:400] + b"?" + data[401:], lambda _: b""])
def test_damaged_files_are_rebuilt(folder: Path, damage: Callable[[bytes], bytes]) -> None:
    expected = recalled(folder, QUESTION).markdown
    good = {path: path.read_bytes() for path in stored(folder)}
    for path, data in good.items():
        path.write_bytes(damage(data))
    assert recalled(folder, QUESTION).markdown == expected
    assert {path: path.read_bytes() for path in stored(folder)} == good


def test_the_draft_of_a_killed_process_is_deleted(folder: Path) -> None:
    now(folder)
    [path] = [path for path in stored(folder) if SNAPSHOT.fullmatch(path.name)]
    path.with_name(f"{path.name}.123").write_bytes(b"half of")
    path.unlink()
    now(folder)
    assert path in stored(folder)
    assert path.with_name(f"{path.name}.123") not in stored(folder)


def test_a_small_ledger_stores_nothing(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for path in stored(folder):
        path.unlink()
    monkeypatch.setattr(stored_snapshot, "LARGE", 1 << 18)
    monkeypatch.setattr(stored_snapshot, "FEWEST", 500)
    recalled(folder, QUESTION)
    assert stored(folder) == []
