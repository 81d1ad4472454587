"""Sessions as hooks see them: the brief once, additions that are new, and what a transcript leaves for the next one."""

import json
import os
import re
import shutil
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from support.command_line import HANGING_HOOK, MakePlace, Place, on_terminal

DECIDED = "Amounts are kept in integer cents, because floats lose pennies"
KEY = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
NONCE = re.compile(r"<!-- repomem ([0-9a-f]{6}) -->")
MAIN = "from repomem.__main__ import main\nmain()\n"
PATIENT = """
import repomem.cli.agents.hook as hook
hook.LONGEST = {}
hook.LONGEST_CAPTURE = hook.CATCH_UP_SECONDS = 60.0
import repomem.agents.hooks as hooked
hooked.LATE_LINES = 0.0
"""  # for busy machines

SLOW = f"{HANGING_HOOK}import repomem.agents.hooks as hooked\nhooked.places_and_memories_for = hang\n"
PROMPT = "fix how parse_money reads a money text with thousands"


@pytest.fixture
def ledgerly(indexed_copy: Place) -> Place:
    return indexed_copy


def hook(place: Place, event: str, host: str = "claude-code", **said: Any) -> str:
    """What a hook answers, as the context that its host reads."""
    return answered(place, event, host, said, PATIENT)


def slow_prompt(place: Place, prompt: str) -> str:
    """What a prompt is answered in time, where places in the code take too long."""
    return answered(place, "prompt", "claude-code", {"session_id": "one", "prompt": prompt}, SLOW)


def answered(place: Place, event: str, host: str, said: dict[str, Any], script: str) -> str:
    whole = {"cwd": str(place.folder), **said}
    ended = place.run("hook", event, "--host", host, stdin=json.dumps(whole), script=script + MAIN)
    assert (ended.code, ended.err) == (0, "")
    return str(json.loads(ended.out)["hookSpecificOutput"]["additionalContext"]) if ended.out else ""


def transcript(place: Place, session: str, *lines: dict[str, Any], folder: Path | None = None) -> str:
    """A transcript of Claude Code, where Claude Code would put it."""
    path = Path(place.environment["HOME"]) / ".claude" / "projects" / "-w-repo" / f"{session}.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    whole = [{"sessionId": session, "cwd": str(folder or place.folder), **line} for line in _joined(lines)]
    path.write_text("".join(f"{json.dumps(line)}\n" for line in whole), encoding="utf-8")
    return str(path)


def _joined(lines: Sequence[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    for at, line in enumerate(lines):
        parent = f"u{at - 1}" if at else None
        yield {"uuid": f"u{at}", "parentUuid": parent, "timestamp": f"2026-11-19T10:00:{at:02}.000Z", **line}


def asked(text: str) -> dict[str, Any]:
    return {"type": "user", "message": {"role": "user", "content": text}}


def said(text: str) -> dict[str, Any]:
    return {"type": "assistant", "message": {"role": "assistant", "content": [{"type": "text", "text": text}]}}


def edited(path: str) -> tuple[dict[str, Any], dict[str, Any]]:
    call = {"type": "tool_use", "id": f"t-{path}", "name": "Edit", "input": {"file_path": path}}
    done = {"type": "tool_result", "tool_use_id": f"t-{path}", "content": "ok"}
    return (
        {"type": "assistant", "message": {"role": "assistant", "content": [call]}},
        {"type": "user", "message": {"role": "user", "content": [done]}},
    )


def ran(command: str, output: str) -> tuple[dict[str, Any], dict[str, Any]]:
    call = {"type": "tool_use", "id": f"t-{command}", "name": "Bash", "input": {"command": command}}
    done = {"type": "tool_result", "tool_use_id": f"t-{command}", "content": output}
    return (
        {"type": "assistant", "message": {"role": "assistant", "content": [call]}},
        {"type": "user", "message": {"role": "user", "content": [done]}},
    )


def recorded_over_mcp(answer: str) -> tuple[dict[str, Any], dict[str, Any]]:
    call = {"type": "tool_use", "id": "t-mcp", "name": "mcp__repomem__remember", "input": {"text": DECIDED}}
    done = {"type": "tool_result", "tool_use_id": "t-mcp", "content": [{"type": "text", "text": answer}]}
    return (
        {"type": "assistant", "message": {"role": "assistant", "content": [call]}},
        {"type": "user", "message": {"role": "user", "content": [done]}},
    )


def decided(place: Place) -> tuple[dict[str, Any], ...]:
    return (
        asked("Make the totals exact in money.py"),
        *edited(str(place.folder / "src" / "ledgerly" / "money.py")),
        asked(f"From now on: {DECIDED}."),
        said("Done: the totals are exact now, and the tests pass."),
    )


def age_marks(place: Place) -> None:
    """Let the moment pass in which two calls count as one."""
    for mark in (place.folder / ".git" / "repomem" / "hosts").glob("*.said"):
        os.utime(mark, (0, 0))


def age_briefs(place: Place) -> None:
    """Let what sessions were told have been told long ago."""
    for known in (place.folder / ".git" / "repomem" / "hosts").glob("*.json"):
        known.write_text(json.dumps(json.loads(known.read_text()) | {"briefed": 0.0}))


def lose_host_sessions(place: Place) -> None:
    """What is known of sessions beside the ledger can be lost at any time."""
    shutil.rmtree(place.folder / ".git" / "repomem" / "hosts")


def memories(place: Place) -> list[dict[str, Any]]:
    found = json.loads(place.run("recall", "--format", "json", "totals in cents").out)["items"]
    return [item for item in found if item["kind"] in {"decision", "rule", "fact", "gotcha"}]


def test_each_brief_ends_in_a_new_nonce(ledgerly: Place) -> None:
    first = hook(ledgerly, "session-start", session_id="one", source="startup")
    other = hook(ledgerly, "session-start", session_id="two", source="startup")
    plain = ledgerly.run("recall").out.rstrip("\n")
    assert [NONCE.sub("", text).rstrip("\n") for text in (first, other)] == [plain, plain]
    assert first.rpartition("\n")[2] != other.rpartition("\n")[2]
    assert NONCE.fullmatch(first.rpartition("\n")[2])


def test_a_repeated_session_start_hook_prints_nothing_until_the_session_is_cleared(ledgerly: Place) -> None:
    given = [hook(ledgerly, "session-start", session_id="one", source="startup") for _ in range(2)]
    assert [bool(text) for text in given] == [True, False]
    assert hook(ledgerly, "session-start", session_id="one", source="clear")
    assert hook(ledgerly, "session-start", session_id="one", source="compact")


def test_a_mark_dated_in_the_future_does_not_suppress_a_brief(ledgerly: Place) -> None:
    assert hook(ledgerly, "session-start", session_id="one", source="startup")
    for mark in (ledgerly.folder / ".git" / "repomem" / "hosts").glob("*.said"):
        os.utime(mark, (4e9, 4e9))
    assert hook(ledgerly, "session-start", session_id="one", source="startup")


def test_copilot_gets_the_brief_once_and_again_after_a_resume(ledgerly: Place) -> None:
    given = []
    for source in ("new", "new", "resume"):
        said = json.dumps({"cwd": str(ledgerly.folder), "sessionId": "one", "source": source})
        given.append(ledgerly.run("hook", "session-start", "--host", "copilot", stdin=said, script=PATIENT + MAIN).out)
        age_marks(ledgerly)
    assert [list(json.loads(each)) if each else [] for each in given] == [
        ["additionalContext"],
        [],
        ["additionalContext"],
    ]


def test_after_a_clear_gemini_gets_the_brief_with_the_next_prompt(ledgerly: Place) -> None:
    assert hook(ledgerly, "session-start", "gemini", session_id="one", source="clear") == ""
    said = {"session_id": "one", "prompt": "<hook_context>what a hook said</hook_context>\n\ngo on"}
    assert "## Map" in hook(ledgerly, "prompt", "gemini", **said)


def test_after_a_compaction_codex_gets_the_brief_with_the_next_prompt(ledgerly: Place) -> None:
    hook(ledgerly, "session-start", "codex", session_id="one", source="startup")
    age_briefs(ledgerly)
    assert hook(ledgerly, "post-compact", "codex", session_id="one") == ""
    assert "## Map" in hook(ledgerly, "prompt", "codex", session_id="one", prompt="go on")
    assert hook(ledgerly, "prompt", "codex", session_id="one", prompt="go on, please") == ""


def test_a_prompt_adds_a_relevant_memory_once(ledgerly: Place) -> None:
    hook(ledgerly, "session-start", session_id="one", source="startup")
    ledgerly.run("remember", "The exchange rate service answers in euro only")
    first = hook(ledgerly, "prompt", session_id="one", prompt="convert totals with the exchange rate service")
    again = hook(ledgerly, "prompt", session_id="one", prompt="now test the exchange rate service conversion")
    assert "answers in euro only" in first
    assert "answers in euro only" not in again
    assert int(re.findall(r'tokens="(\d+)/500"', first)[0]) <= 500


@pytest.mark.parametrize("prompt", ["go on", "/compact", "yes", "", "terraform a moon of jupiter with lasers"])
def test_a_prompt_about_nothing_in_the_repository_adds_nothing(ledgerly: Place, prompt: str) -> None:
    hook(ledgerly, "session-start", session_id="one", source="startup")
    assert hook(ledgerly, "prompt", session_id="one", prompt=prompt) == ""


def test_a_late_answer_comes_with_the_next_prompt(ledgerly: Place) -> None:
    hook(ledgerly, "session-start", session_id="one", source="startup")
    assert slow_prompt(ledgerly, PROMPT) == ""
    wait_for_late_answer(ledgerly)
    ledgerly.run("remember", "parse_money reads thousands with commas only")
    both = hook(ledgerly, "prompt", session_id="one", prompt="now test how parse_money reads thousands")
    late, _, new = both.partition("with commas only")
    assert late.startswith("For your previous prompt:\n<repomem-brief")
    assert "## Where to look" in late
    assert new
    assert hook(ledgerly, "prompt", session_id="one", prompt="go on with parse_money and thousands please") == ""


def test_memories_are_not_delayed_and_not_repeated_in_a_late_answer(ledgerly: Place) -> None:
    hook(ledgerly, "session-start", session_id="one", source="startup")
    ledgerly.run("remember", "parse_money reads thousands with commas only")
    in_time = slow_prompt(ledgerly, PROMPT)
    wait_for_late_answer(ledgerly)
    late = hook(ledgerly, "prompt", session_id="one", prompt="go on")
    assert ("with commas only" in in_time, "## Where to look" in in_time) == (True, False)
    assert ("with commas only" in late, "## Where to look" in late) == (False, True)


def test_a_late_answer_leaves_out_a_memory_forgotten_meanwhile(ledgerly: Place) -> None:
    hook(ledgerly, "session-start", session_id="one", source="startup")
    told = ledgerly.run("remember", "--format", "json", "parse_money reads thousands with commas only").out
    known = next(late_folder(ledgerly).glob("*.jsonl"))
    memory = json.loads(told)["id"]
    late = {
        "text": f"- fact {memory} with commas only",
        "shown": [memory],
        "memories": [memory],
        "paths": [],
        "tokens": 9,
    }
    known.with_suffix(".late").write_text(json.dumps(late))
    assert "with commas only" in hook(ledgerly, "prompt", session_id="one", prompt="go on")
    known.with_suffix(".late").write_text(json.dumps(late))
    ledgerly.run("forget", "--yes", memory)
    assert hook(ledgerly, "prompt", session_id="one", prompt="and go on") == ""


def test_a_purge_erases_a_late_answer_not_yet_delivered(ledgerly: Place) -> None:
    hook(ledgerly, "session-start", session_id="one", source="startup")
    told = ledgerly.run("remember", "--format", "json", "parse_money reads thousands with commas only").out
    hook(ledgerly, "late", session_id="one", prompt=PROMPT)
    assert "with commas only" in wait_for_late_answer(ledgerly).read_text()
    ledgerly.run("forget", "--purge", "--yes", json.loads(told)["id"])
    left = [path for path in (ledgerly.folder / ".git").rglob("*") if path.is_file()]
    assert [path for path in left if b"with commas only" in path.read_bytes()] == []


def test_a_damaged_late_answer_is_ignored(ledgerly: Place) -> None:
    hook(ledgerly, "session-start", session_id="one", source="startup")
    assert slow_prompt(ledgerly, PROMPT) == ""
    wait_for_late_answer(ledgerly).write_text('{"text": 5}')
    assert hook(ledgerly, "prompt", session_id="one", prompt="go on") == ""
    assert "## Where to look" in hook(ledgerly, "prompt", session_id="one", prompt=f"{PROMPT} now")


def wait_for_late_answer(place: Place) -> Path:
    until = time.monotonic() + 60
    while not (found := list(late_folder(place).glob("*.late"))):
        assert time.monotonic() < until
        time.sleep(0.05)
    return found[0]


def late_folder(place: Place) -> Path:
    return place.folder / ".git" / "repomem" / "deliveries"


def test_the_stop_hook_captures_in_the_background(ledgerly: Place) -> None:
    path = transcript(ledgerly, "one", *decided(ledgerly))
    assert hook(ledgerly, "stop", session_id="one", transcript_path=path) == ""
    deadline = time.monotonic() + 60
    while "integer cents" not in ledgerly.run("ledger", "export").out:
        assert time.monotonic() < deadline
        time.sleep(0.2)


def test_a_decision_is_in_the_next_sessions_brief(ledgerly: Place) -> None:
    path = transcript(ledgerly, "one", *decided(ledgerly))
    assert hook(ledgerly, "capture", session_id="one", transcript_path=path) == ""
    brief = hook(ledgerly, "session-start", "codex", session_id="two", source="startup")
    assert "integer cents" in brief
    assert "provisional" in brief
    assert "src/ledgerly/money.py" in brief


def test_a_session_without_a_stop_event_is_captured_when_the_next_one_starts(ledgerly: Place) -> None:
    path = transcript(ledgerly, "one", asked("Make the totals exact"))
    hook(ledgerly, "session-start", session_id="one", source="startup", transcript_path=path)
    transcript(ledgerly, "one", *decided(ledgerly))
    assert "integer cents" in hook(ledgerly, "session-start", "gemini", session_id="two", source="startup")


def test_two_turns_in_quick_succession_are_both_captured(ledgerly: Place) -> None:
    whole = (asked("Make the totals exact"), said("Done."), asked(f"From now on: {DECIDED}."), said("Understood."))
    for length in (2, 4):
        path = transcript(ledgerly, "one", *whole[:length])
        hook(ledgerly, "capture", session_id="one", transcript_path=path)
    assert "integer cents" in ledgerly.run("ledger", "export").out


def test_a_session_is_not_shown_its_own_statements_before_a_compaction(ledgerly: Place) -> None:
    hook(ledgerly, "session-start", session_id="one", source="startup")
    hook(ledgerly, "capture", session_id="one", transcript_path=transcript(ledgerly, "one", *decided(ledgerly)))
    prompt = "keep amounts of the totals in integer cents"
    assert "lose pennies" not in hook(ledgerly, "prompt", session_id="one", prompt=prompt)
    assert "lose pennies" in hook(ledgerly, "prompt", session_id="two", prompt=prompt)
    age_briefs(ledgerly)
    assert "lose pennies" in hook(ledgerly, "session-start", session_id="one", source="compact")


@pytest.mark.parametrize("form", ["command", "mcp", "mcp-json"])
def test_a_session_is_not_shown_what_its_agent_recorded_before_a_compaction(ledgerly: Place, form: str) -> None:
    hook(ledgerly, "session-start", session_id="one", source="startup")
    told = ledgerly.run("remember", *(("--format", "json") if form == "mcp-json" else ()), DECIDED).out
    call = ran(f"repomem remember '{DECIDED}'", told) if form == "command" else recorded_over_mcp(told)
    path = transcript(ledgerly, "one", asked("Make the totals exact"), *call)
    hook(ledgerly, "capture", session_id="one", transcript_path=path)
    prompt = "keep amounts of the totals in integer cents"
    assert DECIDED not in hook(ledgerly, "prompt", session_id="one", prompt=prompt)
    assert DECIDED in hook(ledgerly, "prompt", session_id="two", prompt=prompt)
    age_briefs(ledgerly)
    assert DECIDED in hook(ledgerly, "session-start", session_id="one", source="compact")


def test_a_growing_transcript_adds_only_new_records(ledgerly: Place) -> None:
    whole = decided(ledgerly)
    for length in (2, 4, len(whole), len(whole)):
        path = transcript(ledgerly, "one", *whole[:length])
        hook(ledgerly, "capture", session_id="one", transcript_path=path)
        lose_host_sessions(ledgerly)
    records = [json.loads(line) for line in ledgerly.run("ledger", "export").out.splitlines()]
    assert [each["event"] for each in records].count("session start") == 1
    assert [each["said"]["kind"] for each in records if each["event"] == "remember"] == ["rule"]


@pytest.mark.parametrize("how", [("--yes",), ("--purge", "--yes")], ids=["forgotten", "purged"])
def test_a_forgotten_or_purged_memory_is_not_captured_again(ledgerly: Place, how: tuple[str, ...]) -> None:
    path = transcript(ledgerly, "one", *decided(ledgerly))
    hook(ledgerly, "capture", session_id="one", transcript_path=path)
    [memory] = memories(ledgerly)
    assert ledgerly.run("forget", memory["id"], *how).code == 0
    transcript(ledgerly, "one", *decided(ledgerly), said("And the changelog is written."))
    lose_host_sessions(ledgerly)
    hook(ledgerly, "capture", session_id="one", transcript_path=path)
    assert memories(ledgerly) == []


def test_a_decision_that_the_session_later_reverses_becomes_a_failed_attempt(ledgerly: Place) -> None:
    first = (
        asked("Store the sessions"),
        *edited(str(ledgerly.folder / "src" / "ledgerly" / "cli.py")),
        asked("Use Redis for sessions instead of Postgres, because it is faster."),
        said("Done: sessions are in Redis now."),
    )
    hook(ledgerly, "capture", session_id="one", transcript_path=transcript(ledgerly, "one", *first))
    assert [item["kind"] for item in recalled(ledgerly, "Redis for sessions")] == ["decision"]
    back = asked("Actually let's go back to Postgres, Redis is one more thing to run.")
    path = transcript(ledgerly, "one", *first, back, said("Done: sessions are in Postgres again."))
    age_marks(ledgerly)
    hook(ledgerly, "capture", session_id="one", transcript_path=path)
    assert [item["kind"] for item in recalled(ledgerly, "Redis for sessions")] == ["tried"]


def recalled(place: Place, word: str) -> list[dict[str, Any]]:
    """The items of a brief that hold these words."""
    items = json.loads(place.run("recall", "--format", "json", "store sessions in Redis").out)["items"]
    return [item for item in items if word in item.get("title", "") and item["kind"] != "session"]


def test_a_session_of_another_project_is_left_out(ledgerly: Place, make_place: MakePlace, tmp_path: Path) -> None:
    path = transcript(ledgerly, "one", *decided(ledgerly), folder=tmp_path)
    hook(ledgerly, "capture", session_id="one", transcript_path=path)
    assert ledgerly.run("ledger", "export").out == ""


def test_a_secret_in_a_transcript_is_stored_in_no_file(ledgerly: Place) -> None:
    lines = (asked(f"From now on always use the token {KEY} for the upload, because it never expires."), said("Noted."))
    path = transcript(ledgerly, "one", *decided(ledgerly), *lines)
    hook(ledgerly, "capture", session_id="one", transcript_path=path)
    hook(ledgerly, "session-start", session_id="two", source="startup")
    files = [each for each in (ledgerly.folder / ".git" / "repomem").rglob("*") if each.is_file()]
    assert files
    assert [each for each in files if KEY.encode() in each.read_bytes()] == []


def test_without_a_transcript_the_final_message_and_the_files_are_saved(ledgerly: Place) -> None:
    tool = {"tool_name": "Write", "tool_input": {"file_path": str(ledgerly.folder / "src" / "new.py")}}
    hook(ledgerly, "edit", "codex", session_id="one", **tool)
    words = "The parser reads amounts with a thousands separator now, and its tests pass."
    hook(ledgerly, "capture", "codex", session_id="one", transcript_path=None, last_assistant_message=words)
    [session] = json.loads(ledgerly.run("session", "list", "--format", "json").out)["sessions"]
    assert (session["files"], session["outcome"]) == (["src/new.py"], words)


def test_a_path_outside_of_the_hosts_folder_is_not_read(ledgerly: Place, tmp_path: Path) -> None:
    path = transcript(ledgerly, "one", *decided(ledgerly))
    stray = tmp_path / "stray.jsonl"
    stray.write_bytes(Path(path).read_bytes())
    hook(ledgerly, "capture", session_id="one", transcript_path=str(stray))
    assert memories(ledgerly) == []


def test_repomem_0_turns_hooks_off(ledgerly: Place) -> None:
    ended = ledgerly.run("hook", "session-start", "--host", "claude-code", stdin="{}", env={"REPOMEM": "0"})
    assert (ended.code, ended.out, ended.err) == (0, "", "")


def test_past_sessions_of_this_repository_are_imported_once(ledgerly: Place, tmp_path: Path) -> None:
    transcript(ledgerly, "one", *decided(ledgerly))
    transcript(ledgerly, "two", asked("Elsewhere: always indent with tabs"), folder=tmp_path)
    first, again = (
        json.loads(ledgerly.run("session", "import", "claude-code", "--format", "json").out)["hosts"]["claude-code"]
        for _ in range(2)
    )
    assert (first["read"], first["others"], first["statements"]) == (1, 1, 1)
    assert (again["read"], again["statements"], again["notes"]) == (1, 0, 0)
    assert "integer cents" in memories(ledgerly)[0]["title"]
    assert ledgerly.run("session", "import", "nobody").code == 1


def test_a_sub_agent_of_an_abandoned_turn_is_not_read(ledgerly: Place) -> None:
    result = {"type": "user", "message": {"role": "user", "content": "Done"}, "toolUseResult": {"agentId": "a7"}}
    path = transcript(ledgerly, "one", asked("Make the totals exact"), result, {**asked("Explain"), "parentUuid": None})
    child = Path(path).with_suffix("") / "subagents" / "agent-a7.jsonl"
    child.parent.mkdir(parents=True)
    own = {"sessionId": "one", "isSidechain": True, "agentId": "a7", "cwd": str(ledgerly.folder)}
    lines = _joined(ran("make test", "12 passed"))
    child.write_text("".join(f"{json.dumps({**line, **own, 'uuid': 'x' + line['uuid']})}\n" for line in lines))
    hook(ledgerly, "capture", session_id="one", transcript_path=path)
    assert "make test" not in ledgerly.run("ledger", "export").out


def test_a_sub_agents_decision_is_saved_once_with_the_sub_agent_as_author(ledgerly: Place) -> None:
    path = transcript(ledgerly, "one", asked("Make the totals exact in money.py"), said("Done by a sub-agent."))
    money = str(ledgerly.folder / "src" / "ledgerly" / "money.py")
    lines = _joined(
        (
            asked("From now on, never touch tax.py. Make the totals exact."),
            *edited(money),
            *ran("make test", "12 passed"),
            said("Decision: totals are kept in integer cents, because floats lose pennies."),
        )
    )
    child = Path(path).with_suffix("") / "subagents" / "agent-a7.jsonl"
    child.parent.mkdir(parents=True)
    own = {"sessionId": "one", "isSidechain": True, "agentId": "a7", "cwd": str(ledgerly.folder)}
    child.write_text("".join(f"{json.dumps({**line, **own, 'uuid': 'x' + line['uuid']})}\n" for line in lines))
    for _ in range(2):
        hook(ledgerly, "capture", session_id="one", transcript_path=path)
        lose_host_sessions(ledgerly)
    records = [json.loads(line) for line in ledgerly.run("ledger", "export").out.splitlines()]
    [kept] = [each for each in records if each["event"] == "remember"]
    assert (kept["said"]["text"], kept["author"], kept["source"]) == (
        "Totals are kept in integer cents",
        "claude-code sub-agent",
        "transcript",
    )
    [listed] = json.loads(ledgerly.run("session", "list", "--format", "json").out)["sessions"]
    assert [(note["text"], note["author"]) for note in listed["notes"]] == [
        ("ran: make test -> exit 0", "claude-code sub-agent")
    ]
    assert listed["author"] == "claude-code"
    [end] = [each for each in records if each["event"] == "session end"]
    assert end["files"] == ["src/ledgerly/money.py"]


def start_message(place: Place, session: str, host: str = "claude-code") -> str:
    """What the host shows the person when a session starts."""
    whole = json.dumps({"cwd": str(place.folder), "session_id": session, "source": "startup"})
    ended = place.run("hook", "session-start", "--host", host, stdin=whole, script=PATIENT + MAIN)
    assert ended.code == 0
    return str(json.loads(ended.out).get("systemMessage", ""))


def test_one_message_reports_what_was_saved_from_the_last_session(ledgerly: Place) -> None:
    path = transcript(ledgerly, "one", *decided(ledgerly))
    assert start_message(ledgerly, "zero") == ""
    hook(ledgerly, "capture", session_id="one", transcript_path=path)
    first, second = (start_message(ledgerly, name) for name in ("two", "three"))
    assert first.startswith('repomem saved 1 memory from your sessions: "From now on Amounts are kept in')
    assert first.endswith("repomem session show --last")
    assert second == ""


def test_a_host_that_shows_no_messages_leaves_the_report_to_the_next(ledgerly: Place) -> None:
    hook(ledgerly, "capture", session_id="one", transcript_path=transcript(ledgerly, "one", *decided(ledgerly)))
    payload = json.dumps({"cwd": str(ledgerly.folder), "session_id": "two", "source": "startup"})
    cursor = ledgerly.run("hook", "session-start", "--host", "cursor", stdin=payload, script=PATIENT + MAIN)
    assert list(json.loads(cursor.out)) == ["additional_context"]
    assert "saved 1 memory" in start_message(ledgerly, "three", "gemini")


def test_session_show_last_prints_each_memory_with_its_source_sentence(ledgerly: Place) -> None:
    hook(ledgerly, "capture", session_id="one", transcript_path=transcript(ledgerly, "one", *decided(ledgerly)))
    shown = ledgerly.run("session", "show", "--last")
    assert (shown.code, shown.err) == (0, "")
    assert f"  sentence: From now on {DECIDED}" in shown.out
    assert shown.out == ledgerly.run("session", "show").out
    assert ledgerly.run("session", "show", "--last", "01").code == 2


def test_texts_similar_to_noise_are_not_captured_until_a_reset(ledgerly: Place) -> None:
    noise = "From now on always put the cursor back in the middle of the panel"
    alike = "From now on always put the list back in the middle of the window"
    hook(ledgerly, "capture", session_id="one", transcript_path=transcript(ledgerly, "one", asked(f"{noise}.")))
    [kept] = json.loads(ledgerly.run("memories", "--format", "json").out)["memories"]
    assert ledgerly.run("forget", "--noise", "--yes", kept["id"]).code == 1, "an agent cannot call it noise"
    shown = on_terminal(ledgerly, "review", keys={"cursor": "n", "any other key": "q"})
    assert "no longer captured" in shown
    assert noise.removeprefix("From now on ") in ledgerly.run("review", "--noise").out

    hook(ledgerly, "capture", session_id="two", transcript_path=transcript(ledgerly, "two", asked(f"{alike}.")))
    assert json.loads(ledgerly.run("memories", "--format", "json").out)["memories"] == []

    assert "1 forgotten text" in ledgerly.run("review", "--reset-noise").out
    assert ledgerly.run("review", "--noise").out == "nothing was forgotten as noise\n"
    assert ledgerly.run("review", "--reset-noise").out == "nothing was forgotten as noise\n"
    path = transcript(ledgerly, "two", asked(f"{alike}."), said("Noted."))
    age_marks(ledgerly)
    hook(ledgerly, "capture", session_id="two", transcript_path=path)
    [now] = json.loads(ledgerly.run("memories", "--format", "json").out)["memories"]
    assert "list" in now["text"]
