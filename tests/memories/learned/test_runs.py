"""Which commands are one way to run something, and which failures are the command's own."""

import pytest
from support.session_notes import notes

from repomem.memories.learned.command_forms import CommandForm, form_of
from repomem.memories.learned.runs import failures_since_pass, runs_by_session, runs_in


@pytest.mark.parametrize(
    ("command", "base", "is_partial"),
    [
        ("pytest -q", "pytest", False),
        ("pytest -q tests/test_a.py::test_b -x", "pytest", True),
        ("pytest -n 2 -p no:cacheprovider --ds=settings.test tests/unit", "pytest --ds=settings.test", False),
        (
            "PYTHONPATH=src python -m pytest tests/test_a.py -k 'one or two'",
            "PYTHONPATH=src python -m pytest",
            True,
        ),
        (".venv/bin/python -m pytest -q -n 2 tests/room/test_x.py", ".venv/bin/python -m pytest", True),
        ("cd backend && pytest tests/test_a.py", "cd backend && pytest", True),
        ("source .venv/bin/activate && pytest -q", "source .venv/bin/activate && pytest", False),
        ("docker compose exec web pytest tests/test_a.py", "docker compose exec web pytest", True),
        ("python3 test_amounts.py", "python3 test_amounts.py", False),
        ("python manage.py test app.tests", "python manage.py test", True),
        ("make tests", "make tests", False),
        ("npm test -- src/a.test.ts", "npm test", True),
        ('npx jest -t "adds two"', "npx jest", True),
        ("go test ./... -count=1", "go test", False),
        ("go test ./pkg/a -run TestX", "go test", True),
        ("cargo test", "cargo test", False),
        ("bundle exec rspec spec/a_spec.rb:12", "bundle exec rspec", True),
        ("mvn test -Dtest=FooTest", "mvn test", True),
        ("./gradlew test --tests Foo", "./gradlew test", True),
    ],
)
def test_a_test_command_is_known_without_the_tests_that_it_selects(command: str, base: str, is_partial: bool) -> None:
    assert form_of(command) == CommandForm("test", base, is_partial)


@pytest.mark.parametrize(("command", "slot"), [("ruff check .", "lint"), ("make build", "build"), ("make seed", "")])
def test_other_commands_are_known_whole(command: str, slot: str) -> None:
    assert form_of(command) == CommandForm(slot, command, is_partial=False)


@pytest.mark.parametrize(
    ("error", "count"),
    [
        ("ModuleNotFoundError: No module named 'ledgerly'", 1),
        ("bash: pytest: command not found", 1),
        ("ERROR: file or directory not found: tests/gone", 1),
        ("", 1),
        ("FAILED tests/a.py::t - assert 1 == 2", 0),
        ("E   assert 1 == 2", 0),
        ("AssertionError: 1 failed: 30.0 is no int", 0),
        ("--- FAIL: TestX (0.00s)", 0),
        ("src/a.ts(1,2): error TS2304: Cannot find name 'x'", 0),
        ("src/a.py:3: error: Missing return statement", 0),
        ("FAILED tests/a.py::t - ModuleNotFoundError: No module named 'ledgerly'", 1),
    ],
)
def test_a_failure_counts_against_the_command_unless_it_is_what_a_test_or_a_linter_found(
    error: str, count: int
) -> None:
    assert failures_since_pass(runs_in(runs_by_session(notes(["make test", ("make test", error)])))) == count


def test_a_pass_clears_the_failures_before_it() -> None:
    sessions = notes([("make test", "no rule")], [("make test", "no rule"), "make test"], [("make test", "no rule")])
    assert failures_since_pass(runs_in(runs_by_session(sessions))) == 1
