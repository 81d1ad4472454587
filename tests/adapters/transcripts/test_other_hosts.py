"""Transcripts of Codex, Gemini CLI, Cursor, Copilot CLI and OpenCode."""

import json
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

from repomem.adapters.transcripts.readers import READERS, read
from repomem.adapters.transcripts.steps import StepKind

AT = "2026-03-01T10:00:00.500Z"
SHOWN = "2026-03-01T10:00:00Z"
PATCH = "*** Begin Patch\n*** Update File: src/a.py\n@@\n-a\n+b\n*** Add File: src/b.py\n+x\n*** End Patch"


def item(**payload: Any) -> str:
    return json.dumps({"timestamp": AT, "type": "response_item", "payload": payload})


def event(**payload: Any) -> str:
    return json.dumps({"timestamp": AT, "type": "event_msg", "payload": payload})


def message(role: str, text: str) -> str:
    return item(type="message", role=role, content=[{"type": "input_text", "text": text}])


def call(name: str, call_id: str, **arguments: Any) -> str:
    return item(type="function_call", name=name, call_id=call_id, arguments=json.dumps(arguments))


def output(call_id: str, text: str) -> str:
    return item(type="function_call_output", call_id=call_id, output=text)


def told(host: str, lines: list[str]) -> list[tuple[StepKind, str, int | None]]:
    return [(step.kind, step.text, step.code) for step in read(host, lines).steps]


META = json.dumps(
    {
        "timestamp": AT,
        "type": "session_meta",
        "payload": {
            "id": "c1",
            "timestamp": AT,
            "cwd": "/w/repo",
            "cli_version": "0.99",
            "git": {"commit_hash": "abc", "branch": "main"},
        },
    }
)
CODEX = [
    META,
    message("developer", "<permissions instructions>…</permissions instructions>"),
    message("user", "# AGENTS.md instructions for /w/repo\n\n<INSTRUCTIONS>\nAlways be kind.\n</INSTRUCTIONS>"),
    message("user", "<environment_context>\n<cwd>/w/repo</cwd>\n</environment_context>"),
    message("user", "Fix it"),
    event(type="user_message", message="Fix it"),
    event(type="agent_message", message="Looking."),
    message("assistant", "Looking."),
    call("shell", "k1", command=["bash", "-lc", "pytest -q"]),
    output("k1", json.dumps({"output": "1 failed", "metadata": {"exit_code": 1}})),
    item(type="custom_tool_call", name="apply_patch", call_id="k2", input=PATCH),
    item(
        type="custom_tool_call_output",
        call_id="k2",
        output=json.dumps({"output": "Success", "metadata": {"exit_code": 0}}),
    ),
    call("exec_command", "k3", cmd="make test"),
    output("k3", "Chunk ID: 1\nProcess running with session ID 73\nOutput:\nstarted"),
    call("write_stdin", "k4", session_id=73, chars=""),
    output("k4", "Process exited with code 0\nOutput:\nok"),
    call("shell_command", "k5", command="ruff check"),
    output("k5", "Exit code: 1\nWall time: 0.1 seconds\nOutput:\nE501"),
    call("shell", "k6", command=["apply_patch", PATCH]),
    output("k6", "patch rejected by user"),
    item(type="local_shell_call", call_id="k7", action={"type": "exec", "command": ["sh", "-c", "ls"]}),
    message("assistant", "Done."),
]


def test_codex_is_read_once_each_with_codes_patches_and_refusals() -> None:
    found = read("codex", CODEX)
    assert (found.session, found.folder, found.branch, found.started) == ("c1", "/w/repo", "main", SHOWN)
    assert [(step.kind, step.text, step.code, step.is_refused) for step in found.steps] == [
        (StepKind.ASKED, "Fix it", None, False),
        (StepKind.SAID, "Looking.", None, False),
        (StepKind.RAN, "pytest -q", 1, False),
        (StepKind.EDITED, "src/a.py", None, False),
        (StepKind.EDITED, "src/b.py", None, False),
        (StepKind.RAN, "make test", 0, False),
        (StepKind.RAN, "ruff check", 1, False),
        (StepKind.EDITED, "src/a.py", None, True),
        (StepKind.EDITED, "src/b.py", None, True),
        (StepKind.RAN, "ls", None, False),
        (StepKind.SAID, "Done.", None, False),
    ]
    assert len({step.key for step in found.steps}) == len(found.steps)


def test_codex_without_events_is_read_from_what_was_sent() -> None:
    lines = [line for line in CODEX[:9] if "event_msg" not in line]
    assert told("codex", lines)[:2] == [(StepKind.ASKED, "Fix it", None), (StepKind.SAID, "Looking.", None)]


def test_turns_that_codex_rolled_back_are_left_out() -> None:
    lines = [
        META,
        *(message("user", "one"), event(type="user_message", message="one"), message("assistant", "1")),
        *(message("user", "two"), event(type="user_message", message="two"), message("assistant", "2")),
        event(type="thread_rolled_back", num_turns=1),
        *(message("user", "three"), event(type="user_message", message="three"), message("assistant", "3")),
    ]
    assert [text for _, text, _ in told("codex", lines)] == ["one", "1", "three", "3"]


GEMINI = [
    {"sessionId": "g1", "startTime": AT, "projectHash": "h"},
    {"id": "1", "timestamp": AT, "type": "user", "content": "add a log"},
    {
        "id": "2",
        "timestamp": AT,
        "type": "gemini",
        "content": "I will.",
        "toolCalls": [
            {"id": "t1", "name": "replace", "args": {"file_path": "/w/a.ts"}, "status": "success"},
            {
                "id": "t2",
                "name": "run_shell_command",
                "args": {"command": "npm test"},
                "status": "success",
                "result": [{"functionResponse": {"response": {"output": "Output: bad\nExit Code: 1\n"}}}],
            },
            {"id": "t3", "name": "write_file", "args": {"file_path": "/w/b.ts"}, "status": "cancelled"},
            {"id": "t4", "name": "replace", "args": {"file_path": "/w/c.ts"}, "status": "error"},
        ],
    },
    {"$set": {"lastUpdated": AT}},
]
GEMINI_STEPS = [
    (StepKind.ASKED, "add a log", None),
    (StepKind.SAID, "I will.", None),
    (StepKind.EDITED, "/w/a.ts", None),
    (StepKind.RAN, "npm test", 1),
    (StepKind.EDITED, "/w/b.ts", None),
]


def test_gemini_is_read_by_lines_and_as_one_document() -> None:
    lines = [json.dumps(each) for each in GEMINI]
    document = {"sessionId": "g1", "startTime": AT, "messages": GEMINI[1:3]}
    assert told("gemini", lines) == GEMINI_STEPS
    assert told("gemini", json.dumps(document, indent=2).split("\n")) == GEMINI_STEPS
    assert read("gemini", lines).session == read("gemini", [json.dumps(document)]).session == "g1"
    assert [step.text for step in read("gemini", lines).steps if step.is_refused] == ["/w/b.ts"]


def test_gemini_rewinds_to_a_message() -> None:
    lines = [json.dumps(each) for each in (*GEMINI, {"$rewindTo": "2"}, {"id": "3", "type": "gemini", "content": "no"})]
    assert [text for _, text, _ in told("gemini", lines)] == ["add a log", "no"]


def test_repeated_messages_of_gemini_are_read_once() -> None:
    repeated = {"$set": {"messages": [{"id": "new", "type": "user", "content": "add a log, shortened"}]}}
    lines = [json.dumps(each) for each in GEMINI]
    assert told("gemini", [*lines, json.dumps(repeated)]) == told("gemini", lines)
    assert told("gemini", [json.dumps(repeated)]) == [(StepKind.ASKED, "add a log, shortened", None)]


def test_cursor_is_read_without_times_and_results() -> None:
    lines = [
        {"role": "user", "message": {"content": [{"type": "text", "text": "<user_query>\nfix it\n</user_query>"}]}},
        {
            "role": "assistant",
            "message": {
                "content": [
                    {"type": "text", "text": "Looking.[REDACTED]"},
                    {"type": "tool_use", "name": "Read", "input": {"path": "/w/a.txt"}},
                    {"type": "tool_use", "name": "Shell", "input": {"command": "make"}},
                    {"type": "tool_use", "name": "StrReplace", "input": {"path": "/w/a.txt"}},
                ]
            },
        },
    ]
    assert told("cursor", [json.dumps(each) for each in lines]) == [
        (StepKind.ASKED, "fix it", None),
        (StepKind.SAID, "Looking.", None),
        (StepKind.LOOKED, "Read", None),
        (StepKind.RAN, "make", None),
        (StepKind.EDITED, "/w/a.txt", None),
    ]


COPILOT = [
    {
        "type": "session.start",
        "data": {
            "sessionId": "p1",
            "copilotVersion": "1.0.45",
            "startTime": AT,
            "context": {"cwd": "/w", "branch": "main", "headCommit": "abc"},
        },
    },
    {"type": "user.message", "id": "1", "timestamp": AT, "data": {"content": "make a file"}},
    {
        "type": "assistant.message",
        "id": "2",
        "timestamp": AT,
        "data": {
            "content": "Sure.",
            "toolRequests": [
                {"toolCallId": "t1", "name": "create", "arguments": '{"path": "/w/a.py"}'},
                {"toolCallId": "t2", "name": "bash", "arguments": {"command": "pytest"}},
                {"toolCallId": "t3", "name": "edit", "arguments": {"path": "/w/b.py"}},
            ],
        },
    },
    {
        "type": "tool.execution_start",
        "data": {"toolCallId": "t1", "toolName": "create", "arguments": {"path": "/w/a.py"}},
    },
    {"type": "tool.execution_complete", "data": {"toolCallId": "t1", "result": {"result_type": "success"}}},
    {
        "type": "tool.execution_complete",
        "data": {"toolCallId": "t2", "success": True, "result": {"content": "no\n<exited with exit code 1>"}},
    },
    {"type": "tool.execution_complete", "data": {"toolCallId": "t3", "success": False, "error": {"code": "denied"}}},
]


def test_copilot_is_read_with_its_branch_and_both_dialects_of_results() -> None:
    found = read("copilot", [json.dumps(each) for each in COPILOT])
    assert (found.session, found.folder, found.branch) == ("p1", "/w", "main")
    assert [(step.kind, step.text, step.code, step.is_refused) for step in found.steps] == [
        (StepKind.ASKED, "make a file", None, False),
        (StepKind.SAID, "Sure.", None, False),
        (StepKind.EDITED, "/w/a.py", None, False),
        (StepKind.RAN, "pytest", 1, False),
        (StepKind.EDITED, "/w/b.py", None, True),
    ]


def tool(name: str, call_id: str, status: str, **state: Any) -> dict[str, Any]:
    return {"type": "tool", "tool": name, "callID": call_id, "state": {"status": status, **state}}


PARTS: list[tuple[str, str, dict[str, Any]]] = [
    ("m1", "p1", {"type": "text", "text": "speed it up"}),
    ("m1", "p2", {"type": "text", "text": "file contents", "synthetic": True}),
    ("m2", "p3", {"type": "text", "text": "Working."}),
    ("m2", "p4", tool("bash", "c1", "completed", input={"command": "make"}, output="bad", metadata={"exit": 2})),
    ("m2", "p5", tool("edit", "c2", "completed", input={"filePath": "/w/a.go"})),
    ("m2", "p6", tool("edit", "c3", "error", input={"filePath": "/w/b.go"}, error="oldString not found")),
    (
        "m2",
        "p7",
        tool("bash", "c4", "error", input={"command": "rm x"}, error="The user rejected permission to use this"),
    ),
    ("m3", "p8", {"type": "text", "text": "and more"}),
]
ROLES = {"m1": "user", "m2": "assistant", "m3": "user"}
OPENCODE_STEPS = ["speed it up", "Working.", "make", "/w/a.go", "rm x", "and more"]


def rows(**session: Any) -> list[str]:
    info = {"directory": "/w", "version": "1.0", "time_created": 1772359200000, **session}
    told: list[dict[str, Any]] = [{"table": "session", "id": "s1", "data": info}]
    told += [{"table": "message", "id": name, "data": {"role": role}} for name, role in ROLES.items()]
    told += [{"table": "part", "id": part, "message_id": name, "data": data} for name, part, data in PARTS]
    return [json.dumps(row) for row in told]


def test_opencode_is_read_by_rows_and_as_an_export() -> None:
    messages = [
        {
            "info": {"id": name, "role": role},
            "parts": [{"id": part, **data} for owner, part, data in PARTS if owner == name],
        }
        for name, role in ROLES.items()
    ]
    export = json.dumps({"info": {"id": "s1", "directory": "/w"}, "messages": messages}, indent=1)
    by_rows, by_export = read("opencode", rows()), read("opencode", ["Exporting session: s1", *export.split("\n")])
    assert [step.text for step in by_rows.steps] == [step.text for step in by_export.steps] == OPENCODE_STEPS
    assert (by_rows.session, by_rows.folder, by_rows.started) == ("s1", "/w", "2026-03-01T10:00:00Z")
    assert [(step.text, step.code, step.is_refused) for step in by_rows.steps if step.kind is StepKind.RAN] == [
        ("make", 2, False),
        ("rm x", 1, True),
    ]


def test_reverted_messages_of_opencode_are_omitted() -> None:
    assert [step.text for step in read("opencode", rows(revert={"messageID": "m3"})).steps] == OPENCODE_STEPS[:-1]


def test_a_prompt_in_quotation_marks_of_opencode_is_read_without_them() -> None:
    def asked(text: str) -> list[str]:
        parts = [{"id": "p1", "type": "text", "text": text}]
        export = {"info": {}, "messages": [{"info": {"id": "m1", "role": "user"}, "parts": parts}]}
        return [step.text for step in read("opencode", [json.dumps(export)]).steps]

    assert asked('"fix the parser"') == ["fix the parser"]
    assert asked('"a" or "b"') == ['"a" or "b"']


def test_actions_of_codex_programs_are_read_from_items() -> None:
    program = item(type="custom_tool_call", call_id="c1", name="exec", input="await tools.exec_command({})")
    ran = {
        "type": "CommandExecution",
        "id": "e1",
        "command": ["bash", "-lc", "make"],
        "exit_code": 2,
        "status": "failed",
    }
    changed = {"type": "FileChange", "id": "e2", "changes": {"/w/a.py": {"type": "add"}}, "status": "declined"}
    items = [event(type="item_completed", item=each) for each in (ran, changed)]
    assert told("codex", [program, *items]) == [(StepKind.RAN, "make", 2), (StepKind.EDITED, "/w/a.py", None)]
    assert told("codex", items) == []


def test_shell_commands_of_copilot_have_their_reported_exit_code() -> None:
    asked = {"toolCallId": "t1", "toolName": "bash", "arguments": {"command": "make"}}
    output = "no rule\n<shellId: 0 completed with exit code 2>"
    ended = {"toolCallId": "t1", "success": True, "result": {"content": output}}
    for more in ({}, {"shellExecution": {"exitCode": 2}}):
        lines = [
            {"type": "tool.execution_start", "data": asked},
            {"type": "tool.execution_complete", "data": ended | more},
        ]
        [step] = read("copilot", [json.dumps(line) for line in lines]).steps
        assert (step.code, step.output) == (2, "no rule")


def test_files_that_copilot_names_at_the_end_of_a_call_are_read() -> None:
    asked = {"toolCallId": "t1", "toolName": "morph", "arguments": {}}
    ended = {"toolCallId": "t1", "success": True, "fileEdits": [{"path": "/w/a.py", "kind": "edit"}], "result": {}}
    lines = [{"type": "tool.execution_start", "data": asked}, {"type": "tool.execution_complete", "data": ended}]
    steps = read("copilot", [json.dumps(line) for line in lines]).steps
    assert [(step.kind, step.text) for step in steps] == [(StepKind.LOOKED, "morph"), (StepKind.EDITED, "/w/a.py")]


def test_a_command_of_invisible_characters_ran_nothing() -> None:
    block = {"type": "tool_use", "name": "Shell", "input": {"command": "\x1f"}}
    line = json.dumps({"role": "assistant", "message": {"content": [block]}})
    assert told("cursor", [line]) == [(StepKind.LOOKED, "Shell", None)]


def test_an_unknown_host_has_no_steps() -> None:
    assert read("emacs", ["{}"]).steps == ()


SAMPLES = {
    "claude-code": [
        json.dumps(
            {"type": "user", "uuid": "u", "parentUuid": None, "message": {"content": [{"type": "text", "text": "hi"}]}}
        )
    ],
    "codex": CODEX,
    "gemini": [json.dumps(each) for each in GEMINI],
    "cursor": [
        json.dumps(
            {
                "role": "assistant",
                "message": {"content": [{"type": "tool_use", "name": "Shell", "input": {"command": ["a"]}}]},
            }
        )
    ],
    "copilot": [json.dumps(each) for each in COPILOT],
    "opencode": rows(),
}
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)


@st.composite
def mutated(draw: st.DrawFn, host: str) -> list[str | bytes]:
    """Lines of a host with values put in place of others, bytes cut away and lines repeated or out of order."""
    lines: list[str | bytes] = []
    for line in draw(st.lists(st.sampled_from(SAMPLES[host]), min_size=1, max_size=12)):
        record = json.loads(line)
        if draw(st.booleans()):
            _replace(draw, record)
        raw = json.dumps(record).encode()
        lines.append(raw[: draw(st.integers(0, len(raw)))] if draw(st.integers(0, 9)) == 0 else raw)
    return lines


def _replace(draw: st.DrawFn, record: Any) -> None:
    """Put another value somewhere into a record."""
    while isinstance(record, dict | list) and record:
        keys = list(record) if isinstance(record, dict) else list(range(len(record)))
        key = draw(st.sampled_from(keys))
        if not isinstance(record[key], dict | list) or draw(st.integers(0, 3)) == 0:
            record[key] = draw(VALUES)
            return
        record = record[key]


@pytest.mark.parametrize("host", sorted(READERS))
@settings(max_examples=300)
@given(data=st.data())
def test_no_line_makes_a_reader_fail_and_keys_stay_distinct(host: str, data: st.DataObject) -> None:
    steps = read(host, data.draw(mutated(host))).steps
    assert len({step.key for step in steps}) == len(steps)
    assert all(step.text for step in steps if step.kind in {StepKind.ASKED, StepKind.SAID, StepKind.RAN})


@pytest.mark.parametrize("host", sorted(READERS))
@settings(max_examples=30)
@given(lines=st.lists(st.binary(max_size=60) | st.text(max_size=60) | VALUES.map(json.dumps), max_size=8))
def test_anything_at_all_is_read(host: str, lines: list[bytes | str]) -> None:
    read(host, lines)
