"""Transcripts of Claude Code."""

import json
from typing import Any

from repomem.adapters.transcripts.readers import read
from repomem.adapters.transcripts.steps import Step, StepKind, Transcript

AT = "2026-03-01T10:00:00.500Z"
SHOWN = "2026-03-01T10:00:00Z"


def line(kind: str, uuid: str, content: Any, parent: str | None = None, **fields: Any) -> str:
    message = {"role": kind, "content": content, **({"id": fields.pop("message")} if "message" in fields else {})}
    base = {"sessionId": "s1", "cwd": "/w/repo", "version": "2.1.0", "gitBranch": "main", "timestamp": AT}
    return json.dumps({**base, "type": kind, "uuid": uuid, "parentUuid": parent, "message": message, **fields})


def use(uuid: str, parent: str, name: str, **arguments: Any) -> str:
    content = [{"type": "tool_use", "id": f"call-{uuid}", "name": name, "input": arguments}]
    return line("assistant", uuid, content, parent)


def result(uuid: str, parent: str, content: Any, *, is_error: bool = False, call: str = "") -> str:
    block = {"type": "tool_result", "tool_use_id": f"call-{call or parent}", "content": content, "is_error": is_error}
    return line("user", uuid, [block], parent)


def text(uuid: str, said: str, parent: str, **fields: Any) -> str:
    return line("assistant", uuid, [{"type": "text", "text": said}], parent, **fields)


def told(*lines: str | bytes) -> list[tuple[StepKind, str]]:
    return [(step.kind, step.text) for step in read("claude-code", lines).steps]


def test_a_session_is_read_with_its_folder_and_branch() -> None:
    found = read(
        "claude-code",
        [
            line("user", "u1", "Fix the parser"),
            text("a1", "On it.", "u1"),
            use("a2", "a1", "Bash", command="pytest -q"),
            result("r2", "a2", "Exit code 1\n\x1b[31mFAILED\x1b[0m tests/a.py", is_error=True),
            use("a3", "r2", "Edit", file_path="/w/repo/a.py", old_string="a", new_string="b"),
            result("r3", "a3", "updated"),
            use("a4", "r3", "Bash", command="pytest -q"),
            result("r4", "a4", [{"type": "text", "text": "3 passed"}]),
            use("a5", "r4", "Read", file_path="/w/repo/a.py"),
            text("a6", "Fixed.", "a5"),
        ],
    )
    assert found == Transcript(
        host="claude-code",
        session="s1",
        folder="/w/repo",
        started=SHOWN,
        branch="main",
        steps=(
            Step("u1", StepKind.ASKED, "Fix the parser", SHOWN),
            Step("a1", StepKind.SAID, "On it.", SHOWN),
            Step("call-a2", StepKind.RAN, "pytest -q", SHOWN, 1, "FAILED tests/a.py"),
            Step("call-a3", StepKind.EDITED, "/w/repo/a.py", SHOWN),
            Step("call-a4", StepKind.RAN, "pytest -q", SHOWN, 0, "3 passed"),
            Step("call-a5", StepKind.LOOKED, "Read", SHOWN, paths=("/w/repo/a.py",)),
            Step("a6", StepKind.SAID, "Fixed.", SHOWN),
        ),
    )


def test_a_branch_that_was_rewound_is_left_out() -> None:
    assert told(
        line("user", "u1", "one"),
        text("a1", "dead one", "u1"),
        line("user", "u2", "dead two", "a1"),
        text("a2", "alive", "u1"),
        line("user", "u3", "three", "a2"),
    ) == [(StepKind.ASKED, "one"), (StepKind.SAID, "alive"), (StepKind.ASKED, "three")]


def test_calls_made_at_one_time_keep_their_results() -> None:
    both = [
        line("user", "u1", "run both"),
        line(
            "assistant",
            "a1",
            [{"type": "tool_use", "id": "c1", "name": "Bash", "input": {"command": "make a"}}],
            "u1",
            message="m",
        ),
        line(
            "assistant",
            "a2",
            [{"type": "tool_use", "id": "c2", "name": "Bash", "input": {"command": "make b"}}],
            "u1",
            message="m",
        ),
        result("r1", "a1", "Exit code 2", is_error=True, call=""),
        line("user", "r2", [{"type": "tool_result", "tool_use_id": "c2", "content": "ok"}], "a2"),
        text("a3", "Done.", "r2"),
    ]
    both[3] = line(
        "user", "r1", [{"type": "tool_result", "tool_use_id": "c1", "content": "Exit code 2", "is_error": True}], "a1"
    )
    steps = read("claude-code", both).steps
    assert [(step.text, step.code) for step in steps if step.kind is StepKind.RAN] == [("make a", 2), ("make b", 0)]


def test_compacted_messages_stay_and_the_summary_is_no_statement() -> None:
    boundary = {
        "type": "system",
        "subtype": "compact_boundary",
        "uuid": "b",
        "parentUuid": None,
        "logicalParentUuid": "a1",
    }
    assert told(
        line("user", "u1", "first"),
        text("a1", "working", "u1"),
        json.dumps(boundary),
        line("user", "s", "This session is being continued: we decided all", "b", isCompactSummary=True),
        text("a2", "going on", "s"),
    ) == [(StepKind.ASKED, "first"), (StepKind.SAID, "working"), (StepKind.SAID, "going on")]


def test_reminders_commands_and_hooks_are_no_words_of_the_person() -> None:
    assert told(
        line("user", "m", "Caveat: whatever", isMeta=True),
        line("user", "c", "<command-name>/clear</command-name>\n<command-message>clear</command-message>", "m"),
        line("user", "o", "<local-command-stdout>always</local-command-stdout>", "c"),
        line(
            "user",
            "u",
            [{"type": "text", "text": "<system-reminder>never</system-reminder>"}, {"type": "text", "text": "go"}],
            "o",
        ),
        line("user", "i", "[Request interrupted by user for tool use]", "u"),
    ) == [(StepKind.ASKED, "go")]


def test_a_refused_edit_is_marked_and_the_persons_reply_is_read() -> None:
    no = (
        "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file edit, "
        "the new_string was NOT written to the file). To tell you how to proceed, the user said:\nUse httpx instead."
    )
    steps = read(
        "claude-code",
        [
            line("user", "u1", "go"),
            use("a1", "u1", "Write", file_path="a.py", content=""),
            result("r1", "a1", no, is_error=True),
            use("a2", "r1", "Edit", file_path="b.py"),
            result("r2", "a2", "<tool_use_error>File has not been read yet.</tool_use_error>", is_error=True),
        ],
    ).steps
    assert [(step.kind, step.text, step.is_refused) for step in steps[1:]] == [
        (StepKind.EDITED, "a.py", True),
        (StepKind.ASKED, "Use httpx instead.", False),
    ]


def test_lines_that_are_torn_or_of_another_shape_are_stepped_over() -> None:
    good = line("user", "u1", "hello there")
    odd: list[str | bytes] = ["", "{", "null", "[1]", '{"type": 3}', b"\xff\xfe", good[:40]]
    odd.append('{"type":"user","message":{"content":{"a":1}}}')
    assert told(*odd, good, *odd) == [(StepKind.ASKED, "hello there")]


def test_keys_are_the_same_when_the_start_is_missing() -> None:
    lines = [line("user", "u1", "one"), text("a1", "two", "u1"), line("user", "u2", "three", "a1")]
    assert read("claude-code", lines[1:]).steps == read("claude-code", lines).steps[1:]


def test_a_command_that_runs_on_has_no_exit_code() -> None:
    [_, step] = read(
        "claude-code",
        [
            line("user", "u1", "go"),
            use("a1", "u1", "Bash", command="npm run dev"),
            result("r1", "a1", "Command running in background with ID: b1"),
        ],
    ).steps
    assert step.code is None


def test_a_prompt_that_was_queued_is_heard() -> None:
    queued = {
        "type": "attachment",
        "uuid": "q",
        "parentUuid": "u1",
        "attachment": {"type": "queued_command", "prompt": "and the docs"},
    }
    assert told(line("user", "u1", "one"), json.dumps(queued)) == [
        (StepKind.ASKED, "one"),
        (StepKind.ASKED, "and the docs"),
    ]
