"""Which errors of sessions were mended, by what, and which messages state the same error."""

import pytest
from support.repositories import MakeRepository
from support.samples import workspace_at
from support.session_notes import Session, kept, notes

from repomem.core.records import Event, Record
from repomem.core.ulid import new_ulid
from repomem.memories.learned.fixes import Fix, Remedy, fixes_in, matching_fixes
from repomem.memories.learned.runs import runs_by_session
from repomem.memories.learned.wording import fix_text
from repomem.workspace.ledger import ledger_of
from repomem.workspace.workspace import Workspace

MISSING = "ModuleNotFoundError: No module named 'ledgerly'"
REFUSED = 'psycopg.OperationalError: connection to server at "127.0.0.1", port 5432 failed: Connection refused'


def fixes(*sessions: Session) -> list[Fix]:
    return fixes_in(runs_by_session(notes(*sessions)))


def told(*sessions: Session) -> list[tuple[Remedy, tuple[str, ...], int]]:
    return [(each.remedy, each.by, each.sessions) for each in fixes(*sessions)]


def test_an_edit_after_which_the_same_command_passed_is_the_fix() -> None:
    session: Session = [("pytest -q", "ValueError: bad tab in header"), "+src/a.py", "pytest -q"]
    assert told(session) == [(Remedy.EDIT, ("src/a.py",), 1)]


def test_the_same_way_to_run_tests_counts_with_other_tests_selected() -> None:
    session: Session = [
        ("pytest -q", "ValueError: bad tab in header"),
        "+src/a.py",
        "pytest tests/test_a.py::test_tab -x",
    ]
    assert told(session) == [(Remedy.EDIT, ("src/a.py",), 1)]


def test_a_command_that_had_to_run_first_is_the_fix() -> None:
    session: Session = [("pytest -q", REFUSED), "docker compose up -d db", "pytest -q"]
    assert told(session, session) == [(Remedy.FIRST, ("docker compose up -d db",), 2)]


def test_another_command_that_passed_at_once_is_the_fix() -> None:
    session: Session = [("pytest -q", MISSING), "PYTHONPATH=src python -m pytest tests -q"]
    [fix] = fixes(session, session, session)
    assert (fix.remedy, fix.by) == (Remedy.INSTEAD, ("PYTHONPATH=src python -m pytest tests -q",))
    assert (fix.command, fix.error, fix.sessions, fix.last) == ("pytest -q", MISSING, 3, "2026-03-03T10:00:00Z")


@pytest.mark.parametrize(
    "session",
    [
        [("pytest -q", MISSING), "pytest -q"],  # nobody knows why
        [("pytest -q", MISSING), "+src/a.py", "PYTHONPATH=src python -m pytest -q"],  # the edit or the command?
        [("pytest -q", MISSING), "ruff check ."],
        [("pytest -q", ""), "+src/a.py", "pytest -q"],
        [("pytest -q", MISSING), "+src/a.py", ("pytest -q", "IndentationError: unexpected indent")],
        [("pytest -q", MISSING), *(f"+src/{at}.py" for at in range(11)), "pytest -q"],
    ],
)
def test_what_is_no_clear_cause_is_no_fix(session: Session) -> None:
    assert told(session) == []


def test_a_fix_that_failed_twice_since_is_gone_and_comes_back_when_it_works_again() -> None:
    worked: Session = [("pytest -q", REFUSED), "docker compose up -d db", "pytest -q"]
    failed: Session = [("pytest -q", REFUSED), "docker compose up -d db", ("pytest -q", REFUSED)]
    assert [by for _, by, _ in told(worked, worked, failed)] == [("docker compose up -d db",)]
    assert told(worked, worked, failed, failed) == []
    assert told(worked, worked, failed, failed, worked) == [(Remedy.FIRST, ("docker compose up -d db",), 3)]


def test_the_fix_with_the_most_sessions_comes_first() -> None:
    often: Session = [("make test", REFUSED), "make db", "make test"]
    known = fixes(often, often, [("pytest -q", REFUSED), "docker compose up -d db", "pytest -q"])
    assert [each.command for each in matching_fixes(known, REFUSED)] == ["make test", "pytest -q"]


@pytest.mark.parametrize(
    ("error", "message", "is_same"),
    [
        (
            MISSING,
            "Traceback (most recent call last):\n  x\nE   ModuleNotFoundError: No module named 'ledgerly'\n",
            True,
        ),
        (MISSING, "how do I get rid of ModuleNotFoundError: No module named 'ledgerly' in CI?", True),
        (MISSING, "ModuleNotFoundError: No module named 'requests'", False),
        (REFUSED, REFUSED.replace("5432", "5433"), True),
        (REFUSED, "connection refused", False),
        ("FAILED tests/a.py::t - ValueError: tab", "E   ValueError: tab", True),
        ("FAILED tests/a.py::t - ValueError: tab", "ValueError: space", False),
        ("FAILED tests/a.py::t - assert 1 == 2", "E   assert 1 == 3", False),
        (
            "/home/u/x/src/a.py:12: error: Missing return statement",
            "src/a.py:99: error: Missing return statement",
            True,
        ),
        (MISSING, "", False),
    ],
)
def test_a_message_states_a_known_error_or_not(error: str, message: str, is_same: bool) -> None:
    known = fixes([("make test", error), "make deps", "make test"])
    assert bool(matching_fixes(known, message)) is is_same


def test_a_fix_is_one_line_with_its_support() -> None:
    instead: Session = [("pytest -q", MISSING), "PYTHONPATH=src python -m pytest tests -q"]
    assert list(map(fix_text, fixes(instead, instead))) == [
        (
            f'`pytest -q` failed with "{MISSING}"; what passed: `PYTHONPATH=src python -m pytest tests -q`'
            " (2 sessions, last 2026-03-02)"
        )
    ]
    first: Session = [("pytest -q", REFUSED), "docker compose up -d db", "pytest -q"]
    assert "; fixed by: run `docker compose up -d db` first (1 session, last 2026-03-01)" in fix_text(fixes(first)[0])
    edit: Session = [("pytest -q", "boom now"), "+a.py", "+b.py", "+c.py", "+d.py", "pytest -q"]
    assert "; fixed by: edit of `a.py`, `b.py`, `c.py` and 1 more (1 session" in fix_text(fixes(edit)[0])


def known_fixes(workspace: Workspace, error: str) -> list[Fix]:
    return matching_fixes(fixes_in(runs_by_session(ledger_of(workspace).records())), error)


def test_fixes_are_found_without_an_index_until_a_note_is_forgotten(make_repository: MakeRepository) -> None:
    folder = make_repository()
    said = notes([("pytest -q", MISSING), "PYTHONPATH=src python -m pytest tests -q"])
    kept(folder, *said)
    with workspace_at(folder) as workspace:
        [fix] = known_fixes(workspace, f"collected 0 items\nE   {MISSING}\n1 error")
        assert fix.by == ("PYTHONPATH=src python -m pytest tests -q",)
        kept(folder, Record(new_ulid(), Event.FORGET, said[0].origin, (said[0].id,)))
        assert known_fixes(workspace, MISSING) == []
