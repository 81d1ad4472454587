"""OpenCode: `opencode run --format json`, checked with version 1.18.

One object per line with a part of a message: `step_start`, `text`, `tool_use` once a tool has ended, `step_finish` with
tokens and cost of the step, and `error`.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from repomem.adapters.transcripts.json_shapes import inner, mapping, records, string, text_at
from repomem.evaluate.agents.hosts.events import (
    AgentEvent,
    Finished,
    HostAdapter,
    Spent,
    ToolResult,
    Turn,
    number,
    size_of,
    tool_call,
    with_option,
)


def command(words: Sequence[str], _: float | None) -> list[str]:
    """The user's command, made to print its events; the prompt comes from stdin."""
    whole = list(words) if "run" in words else [words[0], "run", *words[1:]]
    return with_option(whole, "--format", "json")


def read(lines: Iterable[bytes]) -> Iterator[AgentEvent]:
    """The events of a run."""
    for record in records(lines):
        kind, part = string(record.get("type")), mapping(record.get("part"))
        if kind == "tool_use":
            yield from _tool(part)
        elif kind == "step_finish":
            yield Turn()
            yield _spent(part)
            if part.get("reason") == "stop":
                yield Finished()
        elif kind == "error":
            error = mapping(record.get("error"))
            said = string(inner(error, "data", "message")) or text_at(error, "message", "name")
            yield Finished(said or "it reported an error")


def _tool(part: Mapping[str, object]) -> Iterator[AgentEvent]:
    key = string(part.get("callID"))
    yield tool_call(key, string(part.get("tool")), inner(part, "state", "input"))
    output = string(inner(part, "state", "output")) or string(inner(part, "state", "error"))
    yield ToolResult(key, size_of(output))


def _spent(part: Mapping[str, object]) -> Spent:
    tokens = mapping(part.get("tokens"))
    cached = number(inner(tokens, "cache", "read"))
    fresh = number(tokens.get("input")) + number(inner(tokens, "cache", "write"))
    cost = part.get("cost")
    written = number(tokens.get("output")) + number(tokens.get("reasoning"))
    return Spent(fresh + cached, cached, written, float(cost) if isinstance(cost, int | float) else None)


OPENCODE = HostAdapter("opencode", command, read)
