"""What sub-agents did, as each host writes it down: in the session's own lines, or in a file beside it."""

import json
import sqlite3
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from repomem.adapters.transcripts.readers import read
from repomem.adapters.transcripts.steps import Step, StepKind, TranscriptFile, with_subagents
from repomem.adapters.transcripts.subagent_files import subagent_files

PARENT = "019c1111-2222-7000-8000-000000000000"
CHILD = "019c5555-6666-7000-8000-000000000001"


def claude(kind: str, uuid: str, content: Any, parent: str | None = None, **fields: Any) -> str:
    base = {"type": kind, "uuid": uuid, "parentUuid": parent, "sessionId": "s1", "cwd": "/w/repo"}
    return json.dumps({**base, "message": {"role": kind, "content": content}, **fields})


def codex(kind: str, at: int = 0, **payload: Any) -> str:
    return json.dumps({"timestamp": f"2026-03-01T10:00:{at:02}.000Z", "type": kind, "payload": payload})


def spawned(**more: Any) -> str:
    source = {"subagent": {"thread_spawn": {"parent_thread_id": PARENT, "depth": 1, "agent_role": "worker"}}}
    return codex("session_meta", id=CHILD, cwd="/w/repo", source=source, thread_source="subagent", **more)


def by_agent(steps: Sequence[Step]) -> list[tuple[str, StepKind, str]]:
    return [(step.agent, step.kind, step.text) for step in steps]


def written(path: Path, *lines: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(f"{line}\n" for line in lines))
    return path


def file_at(host: str, path: Path, session: str = "s1") -> TranscriptFile:
    return TranscriptFile(host, path, session, 1.0, 1, "/w/repo")


@pytest.mark.parametrize("named", [{"agentId": "a7"}, {}], ids=["with its id", "of an older version"])
def test_side_chains_of_claude_code_are_a_sub_agents_steps_behind_the_call(named: dict[str, str]) -> None:
    run = [{"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": "pytest"}}]
    failed = [{"type": "tool_result", "tool_use_id": "t1", "content": "1 failed", "is_error": True}]
    side: dict[str, Any] = {"isSidechain": True, **named}
    steps = read(
        "claude-code",
        [
            claude("user", "u1", "Survey the tests", timestamp="2026-03-01T10:00:00Z"),
            claude("user", "x1", "Run the tests. Never edit conftest.py.", timestamp="2026-03-01T10:00:01Z", **side),
            claude("assistant", "x2", run, "x1", **side),
            claude("user", "x3", failed, "x2", **side),
            claude("assistant", "u2", "One test fails.", "u1", timestamp="2026-03-01T10:00:09Z"),
        ],
    ).steps
    agent = named.get("agentId", "x1")
    assert by_agent(steps) == [
        ("", StepKind.ASKED, "Survey the tests"),
        (agent, StepKind.ASKED, "Run the tests. Never edit conftest.py."),
        (agent, StepKind.RAN, "pytest"),
        ("", StepKind.SAID, "One test fails."),
    ]
    assert steps[2].code == 1


def test_a_sub_agent_of_a_turn_that_was_gone_back_from_is_left_out() -> None:
    def turn(number: int, parent: str | None = None) -> list[str]:
        agent, call = f"a{number}", f"t{number}"
        used = [{"type": "tool_use", "id": call, "name": "Agent", "input": {"prompt": "Look"}}]
        given = [{"type": "tool_result", "tool_use_id": call, "content": "Done"}]
        return [
            claude("user", f"u{number}", f"Try {number}", parent),
            claude("assistant", f"c{number}", used, f"u{number}"),
            claude("assistant", f"x{number}", "I looked.", isSidechain=True, agentId=agent),
            claude("user", f"r{number}", given, f"c{number}", toolUseResult={"agentId": agent, "status": "completed"}),
        ]

    found = read("claude-code", [*turn(1), *turn(2)])
    assert found.left == {"a1"}
    assert {step.agent for step in found.steps} == {"", "a2"}
    assert read("claude-code", [*turn(1), *turn(2, "r1")]).left == frozenset()


def test_claude_code_keeps_sub_agents_beside_the_session_without_its_own_for_compaction(tmp_path: Path) -> None:
    path = written(tmp_path / "-w-repo" / "s1.jsonl", "{}")
    folder = path.with_suffix("") / "subagents"
    child = written(folder / "agent-a7.jsonl", claude("user", "x1", "Look", isSidechain=True, agentId="a7"))
    written(folder / "agent-acompact-1.jsonl", "{}")
    (folder / "agent-link.jsonl").symlink_to(written(tmp_path / "elsewhere.jsonl", "{}"))
    written(tmp_path / "-w-repo" / "s2" / "subagents" / "agent-b.jsonl", "{}")
    assert [each.path for each in subagent_files(file_at("claude-code", path), "s1")] == [child]


def test_no_link_leads_out_of_the_folder_of_a_session(tmp_path: Path) -> None:
    written(tmp_path / "outside" / "agent-a7.jsonl", "{}")
    path = written(tmp_path / "projects" / "-w-repo" / "s1.jsonl", "{}")
    path.with_suffix("").mkdir()
    (path.with_suffix("") / "subagents").symlink_to(tmp_path / "outside")
    assert subagent_files(file_at("claude-code", path), "s1") == []


def test_a_sub_agent_of_codex_is_found_by_the_thread_that_started_it(tmp_path: Path) -> None:
    days = tmp_path / "sessions"
    path = written(days / "2026/03/01" / f"rollout-2026-03-01T10-00-00-{PARENT}.jsonl", "{}")
    child = written(days / "2026/03/02" / f"rollout-2026-03-02T00-10-00-{CHILD}.jsonl", spawned())
    written(days / "2026/03/01" / "rollout-2026-03-01T11-00-00-x.jsonl", codex("session_meta", id="x", source="cli"))
    [found] = subagent_files(file_at("codex", path, PARENT), PARENT)
    assert (found.path, found.session) == (child, CHILD)


def test_a_rollout_of_a_sub_agent_is_its_own_work_without_its_parents_lines() -> None:
    found = read(
        "codex",
        [
            spawned(forked_from_id=PARENT),
            codex("session_meta", id=PARENT, source="cli"),
            codex("turn_context", turn_id="019c1111-3333-7000-8000-000000000000"),
            codex("event_msg", type="user_message", message="From now on, use httpx"),
            codex("turn_context", turn_id="019c5555-7777-7000-8000-000000000000"),
            codex("event_msg", type="user_message", message="Run the tests"),
            codex("event_msg", type="agent_message", message="They pass."),
        ],
    )
    assert by_agent(found.steps) == [(CHILD, StepKind.ASKED, "Run the tests"), (CHILD, StepKind.SAID, "They pass.")]
    assert found.is_subagents


def test_a_session_that_a_person_forked_stays_a_persons() -> None:
    lines = [
        codex("session_meta", id=CHILD, forked_from_id=PARENT, source="cli", thread_source="user"),
        codex("event_msg", type="user_message", message="Try another way"),
    ]
    assert by_agent(read("codex", lines).steps) == [("", StepKind.ASKED, "Try another way")]


def test_gemini_keeps_sub_agents_in_a_folder_of_the_session_and_marks_older_ones(tmp_path: Path) -> None:
    chats = tmp_path / "tmp" / "p" / "chats"
    message = {"id": "m1", "type": "user", "content": "Look", "timestamp": "2026-03-01T10:00:00Z"}
    child = written(chats / "s1" / "sub.jsonl", json.dumps({"sessionId": "sub", "kind": "subagent"}))
    found = subagent_files(file_at("gemini", chats / "session-2026-s1.jsonl"), "s1")
    assert [each.path for each in found] == [child]
    assert subagent_files(file_at("gemini", chats / "session-2026-s1.jsonl"), "../chats/s1") == []
    old = read("gemini", [json.dumps({"sessionId": "sub", "kind": "subagent"}), json.dumps(message)])
    assert by_agent(old.steps) == [("sub", StepKind.ASKED, "Look")]


@pytest.mark.parametrize("name", ["c1.jsonl", "c1/c1.jsonl"])
def test_cursor_keeps_sub_agents_below_the_session(tmp_path: Path, name: str) -> None:
    path = written(tmp_path / "agent-transcripts" / name, "{}")
    child = written(tmp_path / "agent-transcripts" / "c1" / "subagents" / "d2.jsonl", "{}")
    [found] = subagent_files(file_at("cursor", path, "c1"), "c1")
    assert (found.path, found.session) == (child, "d2")


def test_copilot_names_the_call_that_started_a_sub_agent() -> None:
    def event(kind: str, at: int, **data: Any) -> str:
        stamp = f"2026-03-01T10:00:{at:02}Z"
        return json.dumps({"type": kind, "data": data, "id": f"e{at}", "timestamp": stamp})

    steps = read(
        "copilot",
        [
            event("user.message", 1, content="Survey the tests"),
            event("assistant.message", 3, content="Two test files.", parentToolCallId="call-1"),
            event("assistant.message", 5, content="There are two."),
        ],
    ).steps
    assert by_agent(steps) == [
        ("", StepKind.ASKED, "Survey the tests"),
        ("call-1", StepKind.SAID, "Two test files."),
        ("", StepKind.SAID, "There are two."),
    ]


def test_opencode_keeps_a_sub_agent_as_a_session_with_a_parent(tmp_path: Path) -> None:
    database = tmp_path / "opencode.db"
    with sqlite3.connect(database) as connection:
        connection.execute("CREATE TABLE session (id TEXT, parent_id TEXT, directory TEXT)")
        rows = [("s1", None, "/w"), ("c1", "s1", "/w"), ("g1", "c1", "/w"), ("x", "s9", "/w")]
        connection.executemany("INSERT INTO session VALUES (?, ?, ?)", rows)
    connection.close()
    found = subagent_files(file_at("opencode", database), "s1")
    assert [each.session for each in found] == ["c1", "g1"]
    child = {"table": "session", "id": "c1", "data": {"id": "c1", "parent_id": "s1"}}
    message = {"table": "message", "id": "m1", "data": {"id": "m1", "role": "user"}}
    part = {"table": "part", "id": "p1", "message_id": "m1", "data": {"id": "p1", "type": "text", "text": "Look"}}
    steps = read("opencode", map(json.dumps, (child, message, part))).steps
    assert by_agent(steps) == [("c1", StepKind.ASKED, "Look")]


def test_sub_agents_follow_the_step_that_started_them_each_once() -> None:
    def step(key: str, at: str, agent: str = "") -> Step:
        return Step(key, StepKind.RAN, key, at, agent=agent)

    own = (step("one", "10:00"), step("two", "10:05"))
    first, second = (step("a", "10:01", "A"),), (step("b", "10:02", "B"),)
    untimed = (step("c", "", "C"),)
    merged = with_subagents(own, [untimed, second, first])
    assert [each.key for each in merged] == ["one", "a", "b", "two", "c"]
    assert with_subagents(merged, [first]) == merged
