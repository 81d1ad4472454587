"""What commits and sessions show again and again."""

from collections.abc import Iterable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from repomem.adapters.sqlite.distilled import DistilledFact, DistilledKind
from repomem.core.records import Event, Origin, Record, Source
from repomem.core.types.commits import Episode, FileChange
from repomem.core.types.text import CleanText
from repomem.memories.consolidate.recurring_facts import co_changes_in, fixed_errors, supported
from repomem.sessions.command_notes import Ran, ran_in, touched_in, touched_text

LIVE = {"a.py", "b.py", "c.py"}


def commit(at: int, *paths: str, **fields: object) -> Episode:
    """The commit number `at` from the newest, which is 0."""
    files = tuple(FileChange("M", path) for path in paths)
    whole = {"subject": f"commit {at}", "files": files, **fields}
    return Episode(name(at), (name(at + 1),), "Ada", "2026-01-01", 0, body="", **whole)  # type: ignore[arg-type]  # fields of Episode


def name(at: int) -> str:
    return f"{at:040x}"[::-1]  # distinct from its first digits on


def commits(*paths: Iterable[str]) -> list[Episode]:
    return [commit(at, *each) for at, each in enumerate(paths)]


BOTH, ONLY_A = ["a.py", "b.py"], ["a.py"]


def test_files_that_change_together_are_counted_with_their_support() -> None:
    [found] = co_changes_in(commits(BOTH, ONLY_A, BOTH, BOTH, BOTH, BOTH), LIVE)
    support = tuple(name(at) for at in (0, 2, 3, 4, 5))
    assert found == DistilledFact(DistilledKind.TOGETHER, ("a.py", "b.py"), support, (), 5, 6, name(0))


@pytest.mark.parametrize("history", [[BOTH] * 4, [BOTH] * 5 + [ONLY_A] * 4, [["a.py", "gone.py"]] * 6])
def test_too_few_commits_too_small_a_share_and_files_that_are_gone_show_nothing(history: list[list[str]]) -> None:
    assert co_changes_in(commits(*history), LIVE) == []


def test_sweeps_and_merges_show_nothing() -> None:
    many = [f"{at}.py" for at in range(9)]
    assert co_changes_in(commits(*[[*BOTH, *many]] * 6), {*LIVE, *many}) == []
    assert co_changes_in([commit(at, *BOTH, is_bulk=True) for at in range(6)], LIVE) == []


def test_a_reverted_commit_supports_nothing() -> None:
    history = commits([], BOTH, BOTH, BOTH, BOTH, BOTH)
    assert len(co_changes_in(history, LIVE)) == 1
    assert co_changes_in([commit(9, reverts=name(3)[:8]), *history], LIVE) == []
    assert co_changes_in([commit(9, reverts="commit 3"), *history], LIVE) == []


def test_a_renamed_file_keeps_its_history() -> None:
    moved = commit(0, "b.py", files=(FileChange("R", "b.py", "old.py"),))
    history = [moved, *(commit(at, "a.py", "old.py") for at in range(1, 7))]
    assert [(each.paths, each.count, each.of) for each in co_changes_in(history, LIVE)] == [(("a.py", "b.py"), 6, 7)]


@given(st.text(min_size=1).filter(str.strip), st.integers(0, 255), st.text())
def test_a_command_can_be_read_back_from_its_note(command: str, code: int, error: str) -> None:
    ran = ran_in(Ran(command, code, error).text)
    assert ran
    assert (ran.code, bool(ran.error)) == (code, bool(error.strip()))
    assert ran_in(ran.text) == ran


def test_a_note_has_one_of_two_forms_or_means_nothing() -> None:
    assert ran_in("ran: make test -> exit 1: E: it broke -> badly") == Ran("make test", 1, "E: it broke -> badly")
    assert ran_in("ran: make test -> exit 0") == Ran("make test", 0)
    assert ran_in("I ran: make test -> exit 0") is None
    assert ran_in("ran: make test -> exit zero") is None
    assert touched_in(touched_text("src/a b.py")) == "src/a b.py"
    assert touched_in("ran: x -> exit 0") == ""


def note(at: int, text: str, *, session: str = "S1", head: int = 9) -> Record:
    origin = Origin("2026-01-01T00:00:00Z", "agent", Source.AGENT, head=name(head), session=session)
    return Record(f"N{at:02}", Event.SESSION_NOTE, origin, text=CleanText(text))


FAILED, PASSED = Ran("make test", 1, "ImportError: x").text, Ran("make test", 0).text
EPISODES = {each.commit: each for each in commits(["a.py"], ["b.py"], [], [], [], [], [], [])}


def test_an_error_is_cured_by_the_commits_in_between() -> None:
    [cure] = fixed_errors([note(1, FAILED, head=2), note(2, PASSED, head=0)], EPISODES)
    assert cure == DistilledFact(DistilledKind.CURE, ("a.py", "b.py"), (name(0), name(1)), ("N01", "N02"), 2)


def test_an_error_is_cured_by_a_file_that_was_touched_in_between() -> None:
    [cure] = fixed_errors([note(1, FAILED), note(2, touched_text("a.py")), note(3, PASSED)], EPISODES)
    assert cure == DistilledFact(DistilledKind.CURE, ("a.py",), (), ("N01", "N03", "N02"), 0)


@pytest.mark.parametrize(
    "notes",
    [
        [note(1, FAILED), note(2, PASSED)],
        [note(1, touched_text("a.py")), note(2, FAILED), note(3, PASSED)],
        [note(1, FAILED, session="S1"), note(2, touched_text("a.py")), note(3, PASSED, session="S2")],
        [note(1, FAILED), note(2, touched_text("a.py")), note(3, Ran("make lint", 0).text)],
        [note(1, Ran("make test", 1).text), note(2, touched_text("a.py")), note(3, PASSED)],
        [note(1, FAILED, head=0), note(2, PASSED, head=2)],
        [note(1, FAILED, head=7), note(2, PASSED, head=0)],
        [note(1, FAILED, session=""), note(2, touched_text("a.py"), session=""), note(3, PASSED, session="")],
    ],
)
def test_without_a_change_in_between_in_one_session_nothing_is_cured(notes: list[Record]) -> None:
    assert fixed_errors(notes, EPISODES) == []


def test_a_forgotten_note_and_a_reverted_commit_cure_nothing() -> None:
    notes = [note(1, FAILED, head=1), note(2, PASSED, head=0)]
    forgotten = Record("N03", Event.FORGET, notes[0].origin, ("N01",))
    reverted = {**EPISODES, name(50): commit(50, reverts=name(0)[:9])}
    assert len(fixed_errors(notes, EPISODES)) == 1
    assert fixed_errors([*notes, forgotten], EPISODES) == []
    assert fixed_errors(notes, reverted) == []


def test_a_fact_that_lost_part_of_its_support_is_not_shown() -> None:
    one = DistilledFact(DistilledKind.CURE, ("a.py",), ("c1", "c2"), ("n1",))
    assert list(supported([one], {"c1", "c2"}, {"n1"})) == [one]
    assert list(supported([one], {"c1"}, {"n1"})) == []
    assert list(supported([one], {"c1", "c2"}, set())) == []
