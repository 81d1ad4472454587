"""What is counted of a run's events."""

from pathlib import Path

import pytest

from repomem.evaluate.agents.hosts.events import AgentEvent, Finished, Spent, ToolCall, ToolResult, Turn
from repomem.evaluate.agents.measures import RunEvents, RunOutcome, outcome_of

BLANK = RunOutcome("task", "with", solved=True, seconds=1.5, brief_tokens=40)


def measured(top: Path, events: list[AgentEvent], changed: set[str], right: frozenset[str]) -> RunOutcome:
    seen = RunEvents(top, right)
    for event in events:
        seen.add(event)
    return outcome_of(seen, BLANK, changed)


def test_looks_before_the_first_right_edit_are_counted_apart(tmp_path: Path) -> None:
    events: list[AgentEvent] = [
        Turn(),
        ToolCall("1", reads=(str(tmp_path / "a.py"),)),
        ToolResult("1", 100),
        ToolCall("2", command="cat b.py && head -5 ./a.py"),
        ToolResult("2", 50),
        ToolCall("3", edits=("wrong.py",)),
        ToolResult("3", 999),
        ToolCall("4", edits=(f"{tmp_path}/right.py",)),
        ToolResult("4", 999),
        Turn(),
        ToolCall("5", reads=("c.py",)),
        ToolResult("5", 7),
        Spent(10, 4, 2, 0.5),
        Spent(5, 0, 1, 0.25),
        Finished(),
    ]
    found = measured(tmp_path, events, {"right.py", "wrong.py", "new.py"}, frozenset({"right.py"}))
    assert (found.files_before, found.bytes_before, found.bytes_read) == (2, 150, 157)
    assert (found.wrong_edits, found.commands, found.turns) == (2, 1, 2)
    assert (found.input_tokens, found.cached_tokens, found.output_tokens, found.cost) == (15, 4, 3, 0.75)
    assert found.edited == ("new.py", "right.py", "wrong.py")


def test_an_edit_that_was_reverted_still_counts_as_wrong(tmp_path: Path) -> None:
    found = measured(tmp_path, [ToolCall("1", edits=("other.py",))], set(), frozenset({"right.py"}))
    assert (found.wrong_edits, found.files_before, found.bytes_before) == (1, None, None)


def test_without_an_edit_by_a_tool_all_looks_were_before_it(tmp_path: Path) -> None:
    events: list[AgentEvent] = [
        ToolCall("1", command="cat a.py"),
        ToolResult("1", 30),
        ToolCall("2", command="sed -i s/1/2/ r"),
    ]
    found = measured(tmp_path, events, {"r"}, frozenset({"r"}))
    assert (found.files_before, found.bytes_before) == (1, 30)


def test_a_read_whose_output_the_host_does_not_print_has_the_files_size(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_bytes(b"x" * 60)
    found = measured(tmp_path, [ToolCall("1", reads=("a.py",)), ToolResult("1", 0)], set(), frozenset())
    assert found.bytes_read == 60


@pytest.mark.parametrize("path", ["/etc/hosts", "../outside.py", "~/notes"])
def test_files_outside_of_the_clone_do_not_count(tmp_path: Path, path: str) -> None:
    found = measured(tmp_path, [ToolCall("1", edits=(path,))], set(), frozenset())
    assert found.wrong_edits == (path == "~/notes")  # a relative path
