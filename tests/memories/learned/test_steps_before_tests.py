"""Which steps sessions run before the tests, and which commands only happen to stand there."""

import pytest
from support.session_notes import Session, notes

from repomem.memories.learned.profile_lines import learned_lines
from repomem.memories.learned.runs import runs_by_session
from repomem.memories.learned.steps_before_tests import LearnedSequence, sequences_in
from repomem.memories.learned.wording import learned_texts
from repomem.profile.profile_lines import Slot, SlotLine

DB = "docker compose up -d db"
SEED = "python scripts/seed.py"
TESTS = "pytest -q"
REFUSED = "connection to server at port 5432 failed: Connection refused"
RED = (TESTS, "FAILED tests/a.py::t - assert 1 == 2")
BROKEN = (TESTS, "No module named pytest")
USUAL: Session = [DB, TESTS]
FORGOT: Session = [(TESTS, REFUSED), DB, TESTS]


def sequences(*sessions: Session) -> list[LearnedSequence]:
    return sequences_in(runs_by_session(notes(*sessions)))


def steps(*sessions: Session) -> tuple[str, ...]:
    return next((each.steps for each in sequences(*sessions)), ())


def lines(*sessions: Session, files: tuple[SlotLine, ...] = ()) -> list[str]:
    return [line.text for line in learned_lines(notes(*sessions))(files) if line.slot is Slot.TEST]


def test_a_step_before_the_tests_in_three_sessions_is_learnt() -> None:
    assert steps(USUAL, USUAL) == ()
    assert steps(USUAL, USUAL, USUAL) == (DB,)
    [found] = sequences(USUAL, USUAL, ["pytest -x tests/test_a.py"], *[USUAL] * 9)
    assert (found.sessions, found.passes, found.last, found.session) == (11, 12, "2026-03-12T10:00:00Z", "S12")


def test_steps_are_in_the_order_of_the_last_session() -> None:
    session: Session = [DB, SEED, TESTS]
    assert steps(session, [SEED, DB, TESTS], session) == (DB, SEED)


def test_steps_in_one_line_with_the_tests_count_each() -> None:
    assert steps([f"{DB} && {SEED} && {TESTS}"], [DB, SEED, TESTS], [f"{DB} && {SEED}", TESTS]) == (DB, SEED)
    web: Session = ["cd web && npm ci && npm test"]
    assert steps(web, web, web) == ("cd web && npm ci",)


def test_tests_that_pass_without_the_step_drop_it() -> None:
    assert steps(USUAL, [TESTS], USUAL, USUAL) == ()
    assert steps(USUAL, [TESTS, DB], USUAL, USUAL) == ()  # it came later


def test_a_step_without_which_the_tests_failed_twice_may_be_missing_at_times() -> None:
    running: Session = [TESTS]  # the database of the day before
    assert steps(FORGOT, running, FORGOT, USUAL) == (DB,)
    assert steps(FORGOT, running, USUAL, USUAL) == ()  # once may be luck
    assert steps(FORGOT, FORGOT, USUAL, *[running] * 4) == ()


def test_an_edit_between_failure_and_pass_may_be_what_mended_it() -> None:
    edited: Session = [(TESTS, REFUSED), "+src/a.py", DB, TESTS]
    assert steps(edited, [TESTS], edited, USUAL) == ()


@pytest.mark.parametrize(
    "habit",
    [
        "ruff check .",
        "mypy src",
        "make build",
        "npm run lint",
        "docker compose ps",
        "docker compose logs db",
        "alembic current",
        "pip list",
        "npm audit",
        "terraform plan",
        "kubectl diff -f app.yml",
        "python scripts/release.py --dry-run",
    ],
)
def test_builds_linters_and_commands_that_only_ask_are_no_steps(habit: str) -> None:
    session: Session = [habit, TESTS]
    assert steps(*[session] * 5) == ()
    assert steps(*[[habit, DB, TESTS]] * 5) == (DB,)


def test_other_tests_are_no_step_and_an_edited_file_is_none() -> None:
    session: Session = ["npm test", "+src/a.py", TESTS]
    assert steps(*[session] * 5) == ()


def test_each_way_to_run_tests_has_its_own_steps() -> None:
    unit: Session = ["pytest -q", DB, "make itest", "tox -e integration"]
    assert [each.command for each in sequences(unit, unit, unit)] == ["tox -e integration"]


def test_steps_that_fail_twice_are_dropped_until_they_help_again() -> None:
    gone: Session = [(DB, "no configuration file provided: not found")]
    useless: Session = [DB, BROKEN]
    three: list[Session] = [USUAL] * 3
    for failed in (gone, [*gone, BROKEN], useless):
        assert steps(*three, failed) == (DB,)
        assert steps(*three, failed, failed) == ()
        assert steps(*three, failed, failed, USUAL) == (DB,)


def test_a_step_that_passed_at_the_second_try_did_not_fail() -> None:
    slow: Session = [(DB, "port is already allocated"), DB, RED]
    assert steps(USUAL, USUAL, USUAL, slow, slow, slow) == (DB,)


def test_failing_tests_are_no_fault_of_the_step() -> None:
    assert steps(USUAL, USUAL, USUAL, [DB, RED], [DB, RED], [DB, RED]) == (DB,)


def test_steps_that_seldom_come_together_leave_the_most_frequent_one() -> None:
    cured: Session = [(TESTS, REFUSED), SEED, TESTS]
    assert steps(FORGOT, FORGOT, USUAL, USUAL, cured, cured, [SEED, TESTS]) == (DB,)


def test_the_profile_shows_them_beside_what_files_say() -> None:
    line = f"before the tests: `{DB}`, then `{SEED}` (3 of 3 sessions that passed, last 2026-03-03)"
    session: Session = [DB, SEED, TESTS]
    own = SlotLine(Slot.TEST, "make check", "Makefile:1")
    assert lines(session, session, session, files=(own,)) == ["make check", line]
    assert lines(session, session, session)[1:] == [line]
    assert line in learned_texts(notes(session, session, session))


def test_a_step_shows_the_error_that_it_prevents_once() -> None:
    assert lines(FORGOT, FORGOT, FORGOT) == [
        f"`{TESTS}` passed in 3 sessions, last 2026-03-03",
        f"before the tests: `{DB}` (3 of 3 sessions that passed, last 2026-03-03), else {REFUSED}",
    ]
