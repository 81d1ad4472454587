"""Which reminders an edit, a read or a failed command brings up."""

from dataclasses import replace

import pytest

from repomem.core.text.tokens import count_tokens
from repomem.recall.definitions_by_indent import definitions_by_indent
from repomem.recall.select_reminders import (
    BUDGET,
    HEADER,
    HEADER_TOKENS,
    FailedCommand,
    FileUse,
    Replacement,
    answer_of,
    chosen,
    for_failure,
    for_file,
)
from repomem.workspace.reminder_cache import Reminder

CODE = """\
import os

TIMEOUT = 5


class Client:
    @retried
    def send(
        self,
        data,
    ):
        if data:
            return self.post(data)

    def close(self):
        self.socket.close()


def send(data):
    return Client().send(data)
"""
METHOD = Reminder("A", (("- a", 3),), (("net.py", "Client.send"),))
CLOSE = Reminder("C", (("- c", 3),), (("net.py", "Client.close"),))
FUNCTION = Reminder("F", (("- f", 3),), (("net.py", "send"),))
VALUE = Reminder("V", (("- v", 3),), (("net.py", "TIMEOUT"),))
WHOLE = Reminder("W", (("- w", 3),), (("net.py", ""),))
SCOPED = Reminder("S", (("- s", 3),), scope=("src/**",))
EVERY = (METHOD, CLOSE, FUNCTION, VALUE)


def brought_up(old: str, new: str, *, text: str = CODE) -> list[str]:
    """The reminders on symbols that an edit brings up."""
    return [each.id for each in for_file(EVERY, FileUse("net.py", text, (Replacement(old, new),)))]


def test_an_edit_brings_up_what_is_anchored_to_the_symbol_that_it_changes() -> None:
    assert brought_up("return self.post(data)", "return self.put(data)") == ["A"]
    assert brought_up("self.socket.close()", "pass") == ["C"]
    assert brought_up("TIMEOUT = 5", "TIMEOUT = 6") == ["V"]
    assert brought_up("import os\n", "import io\n") == []


def test_a_method_and_a_function_of_one_name_are_distinguished() -> None:
    assert brought_up("return Client().send(data)", "return None") == ["F"]
    assert brought_up("        if data:", "        if not data:") == ["A"]


def test_lines_that_only_place_an_edit_are_not_changed_by_it() -> None:
    context = "            return self.post(data)\n\n    def close(self):\n        self.socket.close()"
    assert brought_up(context, context.replace("socket", "pipe")) == ["C"]


def test_an_edit_that_was_already_made_is_found_by_its_new_text() -> None:
    after = CODE.replace("self.socket.close()", "self.pipe.close()")
    assert brought_up("self.socket.close()", "self.pipe.close()", text=after) == ["C"]


@pytest.mark.parametrize(
    ("inserted", "expected"),
    [("            log(data)\n", ["A"]), ("\n    def open(self):\n        pass\n", [])],
    ids=["a line of the method", "another method"],
)
def test_an_insertion_below_a_method_touches_it_only_if_it_is_indented_into_it(
    inserted: str, expected: list[str]
) -> None:
    last = "            return self.post(data)\n"
    assert brought_up(last, last + inserted) == expected


def test_a_whole_file_that_is_written_brings_up_the_symbols_that_differ() -> None:
    new = CODE.replace("TIMEOUT = 5", "TIMEOUT = 6").replace("self.socket.close()", "pass")
    assert sorted(brought_up("", new)) == ["C", "V"]


def test_an_edit_that_deletes_a_symbol_brings_it_up_by_its_name() -> None:
    method = "    def close(self):\n        self.socket.close()\n"
    assert brought_up(method, "", text=CODE.replace(method, "")) == ["C"]


def test_a_decorator_and_a_closing_bracket_belong_to_their_definition() -> None:
    [one] = definitions_by_indent(CODE, "net.py", "Client.send")
    assert (one.start, one.end) == (6, 12)
    javascript = "function a() {\n  return 1\n}\n\nfunction b() {\n}\n"
    assert [(one.start, one.end) for one in definitions_by_indent(javascript, "x.js", "a")] == [(0, 2)]


def test_a_file_brings_up_what_is_on_it_and_what_has_it_in_scope() -> None:
    assert for_file([WHOLE, SCOPED], FileUse("net.py", CODE)) == [WHOLE]
    assert for_file([WHOLE, SCOPED], FileUse("src/a/b.py", "")) == [SCOPED]
    assert for_file([WHOLE, SCOPED, *EVERY], FileUse("other.py", "")) == []


def test_a_read_brings_up_a_symbol_only_where_its_lines_are_asked_for() -> None:
    assert for_file(EVERY, FileUse("net.py", CODE, is_edit=False)) == []
    assert for_file(EVERY, FileUse("net.py", CODE, lines=(13, 16), is_edit=False)) == [CLOSE]


def test_a_rule_on_a_file_comes_before_a_fact_on_the_symbol_that_is_edited_and_after_a_rule_on_it() -> None:
    edit = FileUse("net.py", CODE, (Replacement("self.socket.close()", "pass"),))
    assert for_file([replace(CLOSE, rank=4), WHOLE], edit) == [WHOLE, replace(CLOSE, rank=4)]
    assert for_file([replace(WHOLE, id="A"), CLOSE], edit) == [CLOSE, replace(WHOLE, id="A")]


CURE = Reminder("E", (("- e", 3),), command="pytest -q", error="ModuleNotFoundError: No module named 'yaml' at line 12")
NAMES_COMMAND = Reminder("N", (("- n", 3),), text="Never run `pytest` alone: use make test")
NAMES_ERROR = Reminder("M", (("- m", 3),), text="No module named 'yaml' means that make deps was not run")
UNRELATED = Reminder("U", (("- u", 3),), text="The error pages are made by make docs")
FAILURES = (UNRELATED, NAMES_COMMAND, NAMES_ERROR, CURE)


def brought_up_by(command: str, error: str) -> list[str]:
    return [each.id for each in for_failure(FAILURES, FailedCommand(command, error, error))]


def test_a_failure_shows_fixes_of_the_error_then_memories_that_name_it_then_those_that_name_the_command() -> None:
    error = "ModuleNotFoundError: No module named 'yaml' at line 340"
    assert brought_up_by("pytest -q", error) == ["E", "N"]
    assert brought_up_by("tox", "E   ModuleNotFoundError: No module named 'yaml'") == ["M"]


def test_of_two_fixes_of_one_error_that_of_the_failed_command_comes_first() -> None:
    both = [replace(CURE, id="A", command="make test"), CURE]
    for command, first in {"pytest -q": "E", "make test": "A", "tox": "A"}.items():
        assert for_failure(both, FailedCommand(command, CURE.error, CURE.error))[0].id == first


def test_a_failure_of_another_kind_brings_up_nothing() -> None:
    assert brought_up_by("make lint", "TypeError: unsupported operand") == []
    assert brought_up_by("npm run pytest-docs", "Error: x") == []


def test_an_answer_keeps_its_budget_and_repeats_nothing() -> None:
    long = [Reminder(f"{at}A", ((f"- {'word ' * 50}{at}", 51), (f"- short {at}", 5))) for at in range(9)]
    told = chosen(long, ["3A"])
    assert "3A" not in dict(told)
    assert count_tokens(answer_of(line for _, line in told)) <= BUDGET
    assert [line[:6] for _, line in told[:3]] == ["- word", "- word", "- shor"]


def test_the_header_costs_what_is_written_beside_it() -> None:
    assert count_tokens(f"{HEADER}\n") == HEADER_TOKENS


def test_no_reminder_no_answer() -> None:
    assert answer_of([]) == ""


LIMIT = Reminder("L", (("- l", 3),), text="Rounding fails with TimestampExceedsLimit for dates after 2262")
LEAP = Reminder("T", (("- t", 3),), (("tests/test_leap.py", "test_leap"),), text="It fails where the clock lags")
FEATURES = Reminder("O", (("- o", 3),), text="cargo test --all-features fails to build: rkyv-16 excludes rkyv-32")
NAMED = (LIMIT, LEAP, FEATURES)


@pytest.mark.parametrize(
    ("command", "output", "expected"),
    [
        ("cargo run", "called `Result::unwrap()` on an `Err` value: TimestampExceedsLimit", ["L"]),
        (
            "cargo test --lib",
            "test offset::tests::test_leap ... FAILED\ntest result: FAILED. 1 passed; 1 failed",
            ["T"],
        ),
        ("pytest", "FAILED tests/test_leap.py::test_leap - AssertionError: assert 1 == 2", ["T"]),
        ("cargo test --lib", "test tests::test_leap ... ok\ntest tests::b ... FAILED", []),
        ("pytest", "FAILED tests/test_leap.py::test_other - AssertionError", []),
        ("cargo test --all-features --lib", "error: could not compile `chrono`", ["O"]),
        ("cargo test", "error: could not compile `chrono`", []),
    ],
)
def test_a_failure_shows_memories_that_name_an_identifier_in_it_or_the_command_with_its_options(
    command: str, output: str, expected: list[str]
) -> None:
    failed = FailedCommand(command, output.splitlines()[-1], output)
    assert [each.id for each in for_failure(NAMED, failed)] == expected


def test_the_class_of_any_error_names_no_memory() -> None:
    told = Reminder("I", (("- i", 3),), text="An IllegalArgumentException is thrown for a negative amount")
    error = "java.lang.IllegalArgumentException: the name is empty"
    assert for_failure([told], FailedCommand("gradle test", error, error)) == []
