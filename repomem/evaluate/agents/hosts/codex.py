"""Codex: `codex exec --json`, checked with version 0.169.

One object per line: `thread.started`, `turn.started`, items with their kinds, and `turn.completed` with the tokens of
the turn. Codex reports no cost. A turn of Codex is the whole answer to a prompt, so items of the agent count as turns.
"""

import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence

from repomem.adapters.transcripts.json_shapes import inner, items, mapping, records, string
from repomem.evaluate.agents.hosts import events

_PERMISSIONS = ("-s", "--sandbox", "--full-auto", "--approve-for-me", "--dangerously-bypass-approvals-and-sandbox")
_CALLS = frozenset({"command_execution", "file_change", "mcp_tool_call", "web_search"})
_TOTALS = ("input_tokens", "cached_input_tokens", "output_tokens")


def command(words: Sequence[str], _: float | None) -> list[str]:
    """The user's command, made to print its events; the prompt comes from stdin."""
    whole = list(words) if "exec" in words or "e" in words else [words[0], "exec", *words[1:]]
    return events.with_option(whole, "--json")


def missing(words: Sequence[str]) -> str:
    """The option without which it may not edit."""
    is_given = events.has_any(words, *_PERMISSIONS) or any("sandbox_mode" in word for word in words)
    return "" if is_given else "codex exec may only read: add --sandbox workspace-write"


def read(lines: Iterable[bytes]) -> Iterator[events.AgentEvent]:
    """The events of a run."""
    for record in records(lines):
        kind, item = string(record.get("type")), mapping(record.get("item"))
        if kind == "item.completed":
            yield from _item(item)
        elif kind == "turn.completed":
            yield events.Spent(*(events.number(inner(record, "usage", name)) for name in _TOTALS))
            yield events.Finished()
        elif kind == "turn.failed":
            yield events.failed(string(inner(record, "error", "message")))


def _item(item: Mapping[str, object]) -> Iterator[events.AgentEvent]:
    kind, key = string(item.get("type")), string(item.get("id"))
    if kind in {"agent_message", *_CALLS}:
        yield events.Turn()
    if kind == "command_execution":
        yield events.tool_call(key, "shell", {"command": _script(string(item.get("command")))})
        yield events.tool_result(key, string(item.get("aggregated_output")))
    elif kind == "file_change":
        paths = (string(inner(each, "path")) for each in items(item.get("changes")))
        yield events.ToolCall(key, edits=tuple(filter(None, paths)))
    elif kind in _CALLS:
        yield events.ToolCall(key)
        blocks = items(inner(item, "result", "content"))
        yield events.tool_result(key, "".join(string(inner(block, "text")) for block in blocks))


def _script(command: str) -> str:
    """The script of a command line such as `/bin/bash -lc 'cat a.py'`."""
    try:
        words = shlex.split(command)
    except ValueError:
        return command
    is_shell = len(words) == 3 and words[0].endswith("sh") and words[1] in {"-c", "-lc"}
    return words[2] if is_shell else command


CODEX = events.HostAdapter("codex", command, read, missing)
