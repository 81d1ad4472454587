"""Streams recorded from real hosts, read as events: the same three steps in each."""

from pathlib import Path

import pytest
from support.command_line import ROOT

from repomem.evaluate.agents.hosts.events import AgentEvent, Finished, HostAdapter, Spent, ToolCall, ToolResult, Turn
from repomem.evaluate.agents.hosts.registry import PROGRAMS, host_of

RECORDED = ROOT / "fixtures" / "hosts"
HOSTS = {adapter.name: adapter for adapter in PROGRAMS.values()}
FILE = "port/winds.py"
USAGE = (  # input tokens, output tokens and cost of the recorded runs
    ("claude-code", 9526, 100, 0.05013),
    ("codex", 17674, 90, None),
    ("gemini", 4304, 80, None),
    ("opencode", 3010, 100, 0.01053),
)


def events(host: str) -> list[AgentEvent]:
    return list(HOSTS[host].read((RECORDED / host / "stream.jsonl").read_bytes().splitlines(keepends=True)))


@pytest.mark.parametrize("host", HOSTS)
def test_a_recorded_run_reads_a_file_edits_it_and_finishes(host: str) -> None:
    found = events(host)
    calls = [event for event in found if isinstance(event, ToolCall)]
    reads = [call for call in calls if call.reads or call.command.startswith("cat ")]
    edits = [path for call in calls for path in call.edits]
    assert (len(reads), [Path(path).name for path in edits]) == (1, ["winds.py"])
    assert all(call.reads[0].endswith(FILE) for call in reads if call.reads)
    assert found[-1] == Finished()
    assert sum(isinstance(event, Turn) for event in found) in {3, 4}
    keys = {event.key for event in found if isinstance(event, ToolResult)}
    assert keys == {call.key for call in calls if call.key in keys}
    assert keys


@pytest.mark.parametrize(("host", "tokens_in", "tokens_out", "cost"), USAGE)
def test_a_recorded_run_has_the_tokens_and_cost_that_its_host_reported(
    host: str, tokens_in: int, tokens_out: int, cost: float | None
) -> None:
    spent = [event for event in events(host) if isinstance(event, Spent)]
    assert (sum(one.input for one in spent), sum(one.output for one in spent)) == (tokens_in, tokens_out)
    costs = [one.cost for one in spent if one.cost is not None]
    assert (sum(costs) if costs else None) == (cost if cost is None else pytest.approx(cost))


def test_commands_and_the_bytes_that_they_print_are_read() -> None:
    commands = [event.command for event in events("codex") if isinstance(event, ToolCall) and event.command]
    sizes = [event.size for event in events("codex") if isinstance(event, ToolResult)]
    assert (commands, sizes) == (["cat port/winds.py"], [665])


def test_a_stopped_run_of_claude_has_the_tokens_of_its_messages() -> None:
    lines = (RECORDED / "claude-code" / "stream.jsonl").read_bytes().splitlines()[:-1]
    spent = [event for event in HOSTS["claude-code"].read(lines) if isinstance(event, Spent)]
    assert len(spent) == 4
    assert all(one.cost is None and one.input for one in spent)


@pytest.mark.parametrize(
    ("host", "line", "failure"),
    [
        (
            "claude-code",
            '{"type":"result","subtype":"error_max_budget_usd","is_error":true,"errors":["Reached maximum budget"]}',
            "Reached maximum budget",
        ),
        ("claude-code", '{"type":"result","subtype":"error_max_turns","is_error":false}', "error_max_turns"),
        ("codex", '{"type":"turn.failed","error":{"message":"stream disconnected"}}', "stream disconnected"),
        (
            "gemini",
            '{"type":"result","status":"error","error":{"type":"Error","message":"quota"},"stats":{"input_tokens":1}}',
            "quota",
        ),
        (
            "opencode",
            '{"type":"error","error":{"name":"APIError","data":{"message":"no key"}}}',
            "no key",
        ),
    ],
)
def test_a_failure_has_the_hosts_reason(host: str, line: str, failure: str) -> None:
    assert list(HOSTS[host].read([line.encode()]))[-1] == Finished(failure)


@pytest.mark.parametrize("host", HOSTS)
def test_lines_that_are_no_events_are_ignored(host: str) -> None:
    assert (
        list(HOSTS[host].read([b"\xff\xfe\n", b"[1, 2]\n", b'{"type": 7}\n', b"null\n", b'{"type":"new event"}'])) == []
    )


@pytest.mark.parametrize(
    ("given", "made"),
    [
        ("claude -p", "claude -p --output-format stream-json --verbose --max-budget-usd 1.50"),
        (
            "claude --print --output-format=stream-json --verbose --max-budget-usd 9",
            "claude --print --output-format=stream-json --verbose --max-budget-usd 9",
        ),
        ("/opt/codex exec -m x", "/opt/codex exec -m x --json"),
        ("codex", "codex exec --json"),
        ("gemini -y -p", "gemini -y --output-format stream-json"),
        ("gemini -o stream-json", "gemini -o stream-json"),
        ("opencode run", "opencode run --format json"),
        ("./agent.sh --fast", "./agent.sh --fast"),
    ],
)
def test_a_command_is_made_to_print_its_stream(given: str, made: str) -> None:
    words = tuple(given.split())
    assert host_of(words).command(words, 1.5) == made.split()


@pytest.mark.parametrize(
    ("command", "is_missing"),
    [
        ("claude -p", True),
        ("claude -p --permission-mode acceptEdits", False),
        ("codex exec", True),
        ("codex exec --sandbox workspace-write", False),
        ("gemini", True),
        ("gemini --yolo", False),
        ("opencode run", False),
    ],
)
def test_a_missing_permission_to_edit_is_noticed(command: str, is_missing: bool) -> None:  # a parameter
    words = tuple(command.split())
    adapter: HostAdapter = host_of(words)
    assert bool(adapter.missing(words)) is is_missing
