"""Which commands sessions have learnt, and what the profile says of them."""

from collections.abc import Sequence

import pytest
from support.session_notes import Session, notes

from repomem.memories.learned.commands import learned_from
from repomem.memories.learned.profile_lines import learned_lines
from repomem.profile.profile_lines import Action, Correction, Slot, SlotLine, Voice, corrected

WORKS = "PYTHONPATH=src python -m pytest tests -q"
ONE = "PYTHONPATH=src python -m pytest tests/test_a.py::test_b -x"
MISSING = "ModuleNotFoundError: No module named 'ledgerly'"
USUAL: Session = [("pytest -q", MISSING), WORKS]
GONE: Session = [(WORKS, "No module named pytest")]


def commands(*sessions: Session) -> list[str]:
    return [each.command for each in learned_from(notes(*sessions)).works]


def lines(*sessions: Session, files: Sequence[SlotLine] = (), slot: Slot = Slot.TEST) -> list[str]:
    return [line.text for line in learned_lines(notes(*sessions))(files) if line.slot is slot]


def test_a_command_that_passed_in_two_sessions_is_learnt() -> None:
    assert commands([WORKS, WORKS]) == []
    assert commands([WORKS], [WORKS]) == [WORKS]


def test_runs_of_chosen_tests_support_the_command_for_all() -> None:
    [learned] = learned_from(notes([WORKS], [ONE], ["ls"])).works
    assert (learned.command, learned.one, learned.sessions) == (WORKS, ONE, 2)
    assert (learned.last, learned.session) == ("2026-03-02T10:00:00Z", "S2")


def test_runs_of_chosen_tests_alone_show_how_one_test_is_run() -> None:
    assert commands(["pytest -q tests/test_a.py"], ["pytest tests/test_b.py -x"]) == ["pytest tests/test_b.py -x"]


def test_a_command_is_dropped_when_it_has_failed_twice_since_it_passed() -> None:
    assert commands(USUAL, USUAL, GONE) == [WORKS]
    assert commands(USUAL, USUAL, GONE, GONE) == []
    assert commands(USUAL, USUAL, GONE, GONE, USUAL) == [WORKS]


def test_failing_tests_do_not_drop_the_command_that_found_them() -> None:
    red: Session = [(WORKS, "FAILED tests/a.py::t - assert 1 == 2")]
    assert commands(USUAL, USUAL, red, red, red) == [WORKS]


def test_an_empty_slot_gets_the_command_with_its_support_and_the_one_that_fails() -> None:
    assert lines(USUAL, USUAL, [ONE], USUAL) == [
        f"`{WORKS}` passed in 4 sessions, last 2026-03-04; `pytest -q` fails: {MISSING}",
        f"one test: `{ONE}`",
    ]


def test_a_failure_since_is_reported() -> None:
    assert lines([WORKS], [WORKS], GONE) == [
        f"`{WORKS}` passed in 2 sessions, last 2026-03-02; failed once since: No module named pytest"
    ]


def test_what_has_to_run_first_is_shown_with_the_error_that_comes_otherwise() -> None:
    refused: Session = [("make test", "connection refused on port 5432"), "docker compose up -d db", "make test"]
    assert lines(refused, refused) == [
        "`make test` passed in 2 sessions, last 2026-03-02",
        "first `docker compose up -d db` (2 sessions, last 2026-03-02), else connection refused on port 5432",
    ]


@pytest.mark.parametrize(
    ("said", "is_shown"), [("make check", False), ("pytest", True), ("make test → python -m pytest; pytest -q", True)]
)
def test_a_command_from_files_is_shown_alone_unless_it_fails_here(said: str, is_shown: bool) -> None:
    own = SlotLine(Slot.TEST, said, "Makefile:1")
    found = lines(USUAL, USUAL, files=[own])
    assert found[-1] == said
    assert (len(found) == 2) is is_shown


def test_a_persons_correction_takes_precedence() -> None:
    derived = learned_lines(notes(USUAL, USUAL))([])
    added = Correction(Action.APPEND, "make all-tests", "Ada", "2026-03-09")
    replaced = Correction(Action.REPLACE, "make all-tests", "Ada", "2026-03-09")
    assert [line.voice for line in corrected(derived, {Slot.TEST: [added]})] == [Voice.PERSON, Voice.LEARNED]
    assert [line.text for line in corrected(derived, {Slot.TEST: [replaced]})] == ["make all-tests"]


def test_the_learnt_way_to_run_one_test_is_shown_beside_that_of_files() -> None:
    own = SlotLine(Slot.TEST, "make check", "Makefile:1")
    assert lines([ONE], [ONE], files=[own]) == ["make check", f"one test: `{ONE}`"]


@pytest.mark.parametrize(
    ("form", "shown"), [("pytest FILE -k NAME", "pytest FILE -k NAME"), ("tox -- FILE", "`pytest tests/a/test_b.py`")]
)
def test_the_form_of_one_test_says_more_than_the_command_of_a_file_that_ran(form: str, shown: str) -> None:
    own = SlotLine(Slot.TEST, f"one test: {form}", "tox.ini:1")
    ran: Session = ["pytest tests/a/test_b.py"]
    assert lines(ran, ran, files=[own])[-1] == f"one test: {shown}"


def test_build_and_lint_are_learnt_too() -> None:
    done: Session = ["make build", "ruff check .", "mypy src"]
    assert lines(done, done, slot=Slot.BUILD) == ["`make build` passed in 2 sessions, last 2026-03-02"]
    assert len(lines(done, done, slot=Slot.LINT)) == 2
