"""Sessions from records: what each holds, how long it runs, and lines that stand for what is old."""

from collections.abc import Sequence
from dataclasses import replace
from random import Random

import pytest
from hypothesis import given, strategies as st

from repomem.adapters.ledger.fold import memories_of
from repomem.core.records import Event, Memory, MemoryContent, MemoryKind, Origin, Record, Source
from repomem.core.types.text import CleanText
from repomem.sessions.digest import (
    GENERAL,
    TOP,
    WINDOW,
    Note,
    Session,
    digest_of_sessions,
    first_clause,
    is_lost,
    note_window,
    running_session,
    sessions_of,
    topic_of,
)

TREE = "0123456789abcdef"


def ulid(number: int) -> str:
    return f"01ARZ3NDEKTSV4RRFFQ{number:07d}"


def origin(at: str = "2026-01-31T12:00:00Z", session: str = "", tool: str = "") -> Origin:
    return Origin(at, "agent", Source.AGENT, tool=tool, head="a" * 40, branch="main", session=session)


def noted(number: int, text: str, session: str, at: str = "2026-01-31T12:01:00Z") -> Record:
    return Record(ulid(number), Event.SESSION_NOTE, origin(at, session), text=CleanText(text))


def started(number: int, goal: str, at: str = "2026-01-31T12:00:00Z", tool: str = "") -> Record:
    name = ulid(number)
    return Record(name, Event.SESSION_START, origin(at, name, tool), other=TREE, text=CleanText(goal))


def ended(number: int, session: str, outcome: str, files: tuple[str, ...] = ()) -> Record:
    own = origin("2026-01-31T13:00:00Z", session)
    return Record(ulid(number), Event.SESSION_END, own, text=CleanText(outcome), files=files, commits=("c" * 40,))


def said(number: int, text: str, session: str, kind: MemoryKind = MemoryKind.DECISION) -> Record:
    return Record(ulid(number), Event.REMEMBER, origin(session=session), said=MemoryContent(kind, CleanText(text)))


def sessions(*records: Record) -> list[Session]:
    return sessions_of(records, memories_of(records))


def notes(texts: Sequence[str]) -> list[Note]:
    return [Note(ulid(number), "2026-01-31T12:00:00Z", CleanText(text)) for number, text in enumerate(texts)]


def test_a_session_is_one_entry() -> None:
    name = ulid(1)
    [session] = sessions(
        started(1, "retry deliveries"),
        noted(2, "the queue is empty", name),
        said(3, "we use a queue", name),
        said(4, "todo: test the back-off", name, MemoryKind.THREAD),
        ended(5, name, "works", ("src/retry.py",)),
    )
    assert (session.id, session.goal, session.outcome, session.tree) == (name, "retry deliveries", "works", TREE)
    assert [note.text for note in session.notes] == ["the queue is empty"]
    assert [memory.id for memory in session.decisions] == [ulid(3)]
    assert [memory.id for memory in session.threads] == [ulid(4)]
    assert (session.files, session.commits) == (("src/retry.py",), ("c" * 40,))
    assert not session.is_open
    assert session.last_sign == "2026-01-31T12:01:00Z"


def test_a_closed_thread_is_not_open() -> None:
    name = ulid(1)
    told = [
        started(1, "", tool="x"),
        said(2, "todo: a", name, MemoryKind.THREAD),
        said(3, "todo: b", name, MemoryKind.THREAD),
    ]
    closed = [Record(ulid(4), Event.FORGET, origin(), (ulid(2),)), Record(ulid(5), Event.ARCHIVE, origin(), (ulid(3),))]
    assert sessions(*told, *closed)[0].threads == ()


def test_a_note_has_the_id_of_its_memory() -> None:
    name = ulid(1)
    became = Record(ulid(4), Event.SESSION_NOTE, origin(session=name), (ulid(2),), ulid(3))
    [session] = sessions(started(1, "g"), noted(2, "beware", name), said(3, "beware", name), became)
    assert [(note.id, note.memory) for note in session.notes] == [(ulid(2), ulid(3))]


def test_forgotten_sessions_and_notes_are_gone() -> None:
    told = [started(1, "one"), started(2, "two"), noted(3, "a", ulid(2)), noted(4, "b", ulid(2))]
    gone = Record(ulid(5), Event.FORGET, origin(), (ulid(1), ulid(3)))
    [session] = sessions(*told, gone)
    assert (session.goal, [note.text for note in session.notes]) == ("two", ["b"])


def test_the_last_end_counts() -> None:
    [session] = sessions(started(1, "g"), ended(2, ulid(1), "half"), ended(3, ulid(1), "done"))
    assert session.outcome == "done"


@pytest.mark.parametrize(
    ("now", "expected"), [("2026-02-01T12:01:00Z", False), ("2026-02-01T12:01:01Z", True), ("no time", False)]
)
def test_a_session_runs_for_a_day_after_its_last_activity(now: str, expected: bool) -> None:
    [session] = sessions(started(1, "g"), noted(2, "n", ulid(1)))
    assert is_lost(session, now) is expected
    assert (running_session([session], TREE, now) is None) is expected


def test_a_session_of_the_same_host_runs_before_a_newer_one() -> None:
    known = sessions(started(1, "a", tool="codex"), started(2, "b", tool="gemini"))
    now = "2026-01-31T12:30:00Z"
    found = [running_session(known, TREE, now, tool) for tool in ("codex", "gemini", "cursor", None)]
    assert [each.goal for each in found if each] == ["a", "b", "b", "b"]
    assert running_session(known, "another tree", now) is None


def test_an_invalid_time_fails_no_command() -> None:
    [session] = sessions(started(1, "g", at="9999-12-31T23:59:59Z"))
    assert not is_lost(session, "2026-01-31T12:00:00Z")
    [session] = sessions(started(1, "g", at="once upon a time"))
    assert is_lost(session, "2026-01-31T12:00:00Z")


@pytest.mark.parametrize(
    ("text", "topic"),
    [
        ("src/api/client.py hangs", "src/api/client.py"),
        ("see config.toml first", "config.toml"),
        ("`Client.send` raises", "Client.send"),
        ("call flush() before", "flush"),
        ("parse_money rounds", "parse_money"),
        ("the RetryQueue is empty", "RetryQueue"),
        ("Queue::push blocks", "Queue::push"),
        ("nothing in particular, e.g. this", GENERAL),
    ],
)
def test_the_topic_of_a_note_is_the_first_path_or_code_in_it(text: str, topic: str) -> None:
    assert topic_of(text) == topic


@pytest.mark.parametrize(
    ("text", "clause"),
    [
        ("It is slow. Try again", "It is slow"),
        ("a.py: v1.2 broke it; fix it", "a.py: v1.2 broke it"),
        ("one\ntwo", "one"),
        ("a - b", "a"),
        (". . .", ". . ."),
        ("x" * 100, "x" * 79 + "…"),
    ],
)
def test_a_clause_ends_where_a_reader_would_end_it(text: str, clause: str) -> None:
    assert first_clause(text) == clause


def test_the_newest_notes_are_shown_in_full() -> None:
    shown = note_window(notes([f"note {number}" for number in range(25)]))
    assert [note.text for note in shown.newest] == [f"note {number}" for number in range(5, 25)]
    assert [(line.topic, line.text, line.ids) for line in shown.digest] == [
        (GENERAL, "note 4", tuple(ulid(number) for number in range(5)))
    ]


def test_older_notes_are_grouped_by_what_they_mention() -> None:
    texts = ["b.py: x", "tired", "a.py: old", "a.py: new", *[f"n{number}" for number in range(WINDOW)]]
    assert [(line.topic, line.text, len(line.ids)) for line in note_window(notes(texts)).digest] == [
        ("a.py", "a.py: new", 2),
        ("b.py", "b.py: x", 1),
        (GENERAL, "tired", 1),
    ]


TEXTS = st.lists(st.text("ab._/ `:()\n", max_size=12), max_size=60)


@given(TEXTS, st.integers(0, 30))
def test_a_window_and_its_digest_contain_every_note_once(texts: list[str], size: int) -> None:
    known = notes(texts)
    shown = note_window(known, size)
    held = [name for line in shown.digest for name in line.ids] + [note.id for note in shown.newest]
    assert sorted(held) == [note.id for note in known]
    assert len(shown.newest) == min(size, len(known))


@given(TEXTS, st.randoms())
def test_a_digest_does_not_depend_on_the_order_in_which_notes_come(texts: list[str], random: Random) -> None:
    known = notes(texts)
    mixed = random.sample(known, len(known))
    assert note_window(known) == note_window(mixed)


def test_older_notes_keep_their_lines_as_more_come() -> None:
    texts = [f"note {number}" for number in range(60)]
    before, after = note_window(notes(texts[:40])).digest, note_window(notes(texts)).digest
    assert after[: len(before)] == before


def test_older_sessions_are_summed_up_by_area() -> None:
    records = []
    for number in range(6):
        name = ulid(10 * number)
        area = "src" if number < 5 else "docs"
        records += [started(10 * number, f"goal {number}. More"), said(10 * number + 1, f"choice {number}", name)]
        records.append(ended(10 * number + 2, name, f"came {number}", (f"{area}/a.py", "README.md", f"{area}/b.py")))
    found = digest_of_sessions(sessions(*records), 1)
    assert [session.goal for session in found.newest] == ["goal 5. More"]
    assert [(line.topic, line.about, line.text) for line in found.lines] == [
        ("src", "outcome", "goal 4 → came 4"),
        ("src", "outcome", "goal 3 → came 3"),
        ("src", "outcome", "goal 2 → came 2"),
        ("src", "outcome", "2 more, 2026-01-31"),
        ("src", "decision", "choice 4"),
        ("src", "decision", "choice 3"),
        ("src", "decision", "choice 2"),
        ("src", "decision", "2 more, 2026-01-31"),
        ("src", "files", "README.md (5), src/a.py (5), src/b.py (5)"),
    ]


def test_the_most_important_decisions_come_first() -> None:
    name = ulid(1)
    small, great = (said(number, f"choice {number}", name) for number in (3, 2))
    assert great.said
    great = replace(great, said=replace(great.said, importance=5))
    lines = digest_of_sessions(sessions(started(1, "g"), great, small), 0).lines
    assert [line.ids for line in lines if line.about == "decision"] == [(ulid(2),), (ulid(3),)]


SCENES = st.lists(
    st.tuples(
        st.lists(st.sampled_from(["src/a.py", "docs/b.md", "c"]), max_size=3),
        st.integers(0, 2 * TOP),  # memories said in it
        st.booleans(),
    ),
    max_size=12,
)


def scene(told: list[tuple[list[str], int, bool]]) -> list[Session]:
    known = []
    for number, (files, memories, is_open) in enumerate(told):
        start = 100 * number
        kinds = [MemoryKind.THREAD if at % 2 else MemoryKind.RULE for at in range(memories)]
        made = [said(start + 1 + at, f"text {at}", ulid(start), kind) for at, kind in enumerate(kinds)]
        end = [] if is_open else [ended(start + 50, ulid(start), "came", tuple(files))]
        known += [started(start, f"goal {number}"), *made, *end]
    return sessions(*known)


def memory_ids(session: Session) -> list[str]:
    every: tuple[Memory, ...] = (*session.decisions, *session.threads)
    return [memory.id for memory in every]


@given(SCENES, st.integers(0, 6))
def test_no_id_is_lost_in_a_digest(told: list[tuple[list[str], int, bool]], keep: int) -> None:
    known = scene(told)
    found = digest_of_sessions(known, keep)
    rolled = known[: max(0, len(known) - keep)]
    expected = {name for each in rolled for name in (each.id, *memory_ids(each))}
    assert {name for line in found.lines for name in line.ids} == expected
    assert [each.id for each in found.newest] == [each.id for each in known[len(rolled) :]][::-1]


@given(SCENES, st.randoms())
def test_a_digest_of_sessions_is_the_same_each_time(told: list[tuple[list[str], int, bool]], random: Random) -> None:
    known = scene(told)
    assert digest_of_sessions(known, 2) == digest_of_sessions(random.sample(known, len(known)), 2)
