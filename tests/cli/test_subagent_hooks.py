"""What hooks say to a sub-agent: what concerns its own task, once, in few tokens, or nothing."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from support.command_line import Place

from repomem.agents.subagents import BUDGET
from repomem.core.text.tokens import count_tokens

MAIN = """
import repomem.cli.agents.hook as hook
hook.LONGEST = {}
hook.CATCH_UP_SECONDS = 60.0
from repomem.__main__ import main
main()
"""  # patient, for busy machines
RATES = "The exchange rate service answers in euro only"
RATES_TASK = "Find where money totals are converted with the exchange rate service in money.py, and list the callers."
ROUNDING = "Invoice rounding is half even, because the tax office asks for it"
ROUNDING_TASK = "Write tests for the invoice rounding of half cents, as the tax office wants it."


@pytest.fixture
def place(indexed_copy: Place) -> Place:
    for text in (RATES, ROUNDING):
        assert indexed_copy.run("remember", text).code == 0
    return indexed_copy


def answer(place: Place, event: str, host: str = "claude-code", **said: Any) -> str:
    """What the hook prints."""
    whole = {"cwd": str(place.folder), "session_id": "one", **said}
    ended = place.run("hook", event, "--host", host, stdin=json.dumps(whole), script=MAIN)
    assert (ended.code, ended.err) == (0, "")
    return ended.out


def delegate(place: Place, task: str, kind: str = "Explore", **said: Any) -> str:
    given = {"description": "a few words", "prompt": task, "subagent_type": kind}
    return answer(place, "delegate", hook_event_name="PreToolUse", tool_name="Agent", tool_input=given, **said)


def start(place: Place, agent: str, kind: str = "Explore", host: str = "claude-code") -> str:
    """The context that a sub-agent is given when it starts."""
    said = answer(place, "subagent-start", host, hook_event_name="SubagentStart", agent_id=agent, agent_type=kind)
    if not said:
        return ""
    whole = json.loads(said)
    assert whole.keys() == {"hookSpecificOutput"}
    assert whole["hookSpecificOutput"]["hookEventName"] == "SubagentStart"
    return str(whole["hookSpecificOutput"]["additionalContext"])


def test_a_sub_agent_gets_one_brief_for_its_task_memories_first(place: Place) -> None:
    assert delegate(place, RATES_TASK) == ""
    brief = start(place, "a1")
    assert RATES in brief
    assert brief.index(RATES) < brief.index("money.py")
    assert count_tokens(brief) <= BUDGET == int(re.findall(r'tokens="\d+/(\d+)"', brief)[0])
    assert start(place, "a1") == ""


def test_codex_passes_the_task_of_a_sub_agent_as_message(place: Place) -> None:
    given = {"message": RATES_TASK, "agent_type": "worker", "task_name": "rates"}
    said = {"hook_event_name": "PreToolUse", "tool_name": "spawn_agent", "tool_use_id": "call_1", "tool_input": given}
    assert answer(place, "delegate", "codex", **said) == ""
    assert RATES in start(place, "019c", "worker", "codex")


def test_copilot_names_the_tasks_of_sub_agents_in_its_transcript(place: Place) -> None:
    def asked(key: str, task: str, kind: str) -> dict[str, Any]:
        given = json.dumps({"agent_type": kind, "prompt": task})
        request = {"toolCallId": key, "name": "task", "arguments": given}
        return {"type": "assistant.message", "data": {"content": "", "toolRequests": [request]}}

    done = {"type": "tool.execution_complete", "data": {"toolCallId": "c0", "success": True}}
    lines = [asked("c0", ROUNDING_TASK, "explore"), done, asked("c1", RATES_TASK, "explore")]
    lines.append(asked("c2", ROUNDING_TASK, "general-purpose"))
    path = Path(place.environment["HOME"]) / ".copilot" / "session-state" / "one" / "events.jsonl"
    path.parent.mkdir(parents=True)
    path.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    said = {"session_id": "one", "transcriptPath": str(path)}
    names = ("explore", "general-purpose", "explore")
    told = [answer(place, "subagent-start", "copilot", agentName=name, **said) for name in names]
    assert list(json.loads(told[0])) == ["additionalContext"]
    assert [(RATES in each, ROUNDING in each) for each in told] == [(True, False), (False, True), (False, False)]


def test_concurrent_sub_agents_of_different_types_get_their_own_briefs(place: Place) -> None:
    delegate(place, RATES_TASK, "Explore", tool_use_id="t1")
    delegate(place, ROUNDING_TASK, "test-writer", tool_use_id="t2")
    second, first = start(place, "a2", "test-writer"), start(place, "a1", "Explore")
    assert (ROUNDING in second, RATES in second) == (True, False)
    assert (RATES in first, ROUNDING in first) == (True, False)


def test_two_installed_hooks_record_a_delegated_task_once(place: Place) -> None:
    for _ in range(2):
        delegate(place, RATES_TASK, tool_use_id="t1")
    assert RATES in start(place, "a1")
    assert start(place, "a2") == ""


@pytest.mark.parametrize("task", ["", "go on", "Terraform a moon of Jupiter with lasers and mirrors"])
def test_a_sub_agent_with_an_unrelated_task_gets_nothing(place: Place, task: str) -> None:
    delegate(place, task)
    assert start(place, "a1") == ""


def test_a_repository_without_an_index_is_silent(ledgerly: Place) -> None:
    assert delegate(ledgerly, RATES_TASK) == ""
    assert start(ledgerly, "a1") == ""
    assert not (ledgerly.folder / ".git" / "repomem").exists()


def test_a_sub_agent_gets_reminders_that_its_session_already_had(place: Place) -> None:
    rule = "money is summed as Decimal by the bank too"
    assert place.run("remember", rule, "--on", "src/ledgerly/money.py").code == 0
    given = {"file_path": str(place.folder / "src" / "ledgerly" / "money.py")}
    call: dict[str, Any] = {"hook_event_name": "PreToolUse", "tool_name": "Read", "tool_input": given}
    told = [answer(place, "file", **call, agent_id=agent) for agent in ("", "", "a1", "a1")]
    assert [rule in each for each in told] == [True, False, True, False]
