"""OpenCode: `opencode run --format json`, checked with version 1.18.

One object per line with a part of a message: `step_start`, `text`, `tool_use` once a tool has ended, `step_finish` with
tokens and cost of the step, and `error`.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from repomem.adapters.transcripts.json_shapes import inner, mapping, records, string, text_at
from repomem.evaluate.agents.hosts import events


def command(words: Sequence[str], _: float | None) -> list[str]:
    """The user's command, made to print its events; the prompt comes from stdin."""
    whole = list(words) if "run" in words else [words[0], "run", *words[1:]]
    return events.with_option(whole, "--format", "json")


def read(lines: Iterable[bytes]) -> Iterator[events.AgentEvent]:
    """The events of a run."""
    for record in records(lines):
        kind, part = string(record.get("type")), mapping(record.get("part"))
        if kind == "tool_use":
            yield from _tool(part)
        elif kind == "step_finish":
            yield events.Turn()
            yield _spent(part)
            if part.get("reason") == "stop":
                yield events.Finished()
        elif kind == "error":
            error = mapping(record.get("error"))
            yield events.failed(string(inner(error, "data", "message")) or text_at(error, "message", "name"))


def _tool(part: Mapping[str, object]) -> Iterator[events.AgentEvent]:
    key = string(part.get("callID"))
    yield events.tool_call(key, string(part.get("tool")), inner(part, "state", "input"))
    output = string(inner(part, "state", "output")) or string(inner(part, "state", "error"))
    yield events.tool_result(key, output)


def _spent(part: Mapping[str, object]) -> events.Spent:
    tokens = mapping(part.get("tokens"))
    cached = events.number(inner(tokens, "cache", "read"))
    fresh = events.number(tokens.get("input")) + events.number(inner(tokens, "cache", "write"))
    written = events.number(tokens.get("output")) + events.number(tokens.get("reasoning"))
    return events.Spent(fresh + cached, cached, written, events.dollars(part.get("cost")))


OPENCODE = events.HostAdapter("opencode", command, read)
