"""Gemini CLI: `gemini --output-format stream-json`, or `json`, checked with version 0.61.

The stream has one object per line: `init`, `message`, `tool_use`, `tool_result`, `error` and `result` with the totals.
As `json` it prints one object over several lines, with totals alone. Gemini CLI reports no cost.
"""

from collections.abc import Iterator, Mapping, Sequence

from repomem.adapters.transcripts.json_shapes import inner, mapping, parsed, string
from repomem.evaluate.agents.hosts.events import (
    Finished,
    HostAdapter,
    HostEvent,
    Lines,
    Spent,
    ToolResult,
    Turn,
    has_any,
    number,
    size_of,
    tool_call,
    with_option,
)

LONGEST = 16 << 20  # bytes kept of output that is not a stream
_PROMPT = frozenset({"-p", "--prompt"})


def command(words: Sequence[str], _: float | None) -> list[str]:
    """The user's command, made to print its stream; a final `-p` is dropped, as the prompt comes from stdin."""
    whole = list(words[:-1]) if words[-1] in _PROMPT else list(words)
    return whole if has_any(whole, "-o") else with_option(whole, "--output-format", "stream-json")


def missing(words: Sequence[str]) -> str:
    """The option without which it may not edit."""
    is_given = has_any(words, "-y", "--yolo", "--approval-mode", "--allowed-tools", "--policy")
    return "" if is_given else "gemini may neither edit nor run commands: add --approval-mode yolo"


def read(lines: Lines) -> Iterator[HostEvent]:
    """The events of a run."""
    rest = bytearray()
    is_answering = False
    for line in lines:
        record = parsed(line)
        if not record.get("type"):
            rest += line[: max(LONGEST - len(rest), 0)]
            continue
        is_answer = record["type"] == "message" and record.get("role") == "assistant"
        if (is_answer or record["type"] == "tool_use") and not is_answering:
            yield Turn()
        is_answering = is_answer or record["type"] == "tool_use"
        yield from _event(record)
    whole = parsed(bytes(rest))
    if whole.get("stats") or whole.get("error"):
        yield from _totals(whole)


def _event(record: Mapping[str, object]) -> Iterator[HostEvent]:
    kind, key = record["type"], string(record.get("tool_id"))
    if kind == "tool_use":
        yield tool_call(key, string(record.get("tool_name")), record.get("parameters"))
    elif kind == "tool_result":
        yield ToolResult(key, size_of(string(record.get("output"))))
    elif kind == "result":
        stats = mapping(record.get("stats"))
        yield Spent(*(number(stats.get(name)) for name in ("input_tokens", "cached", "output_tokens")))
        is_done = record.get("status") == "success"
        yield Finished("" if is_done else string(inner(record, "error", "message")) or "it reported an error")


def _totals(whole: Mapping[str, object]) -> Iterator[HostEvent]:
    """Of the `json` format."""
    for model in mapping(inner(whole, "stats", "models")).values():
        tokens = mapping(inner(model, "tokens"))
        yield Spent(*(number(tokens.get(name)) for name in ("prompt", "cached", "candidates")))
    yield Finished(string(inner(whole, "error", "message")))


GEMINI = HostAdapter("gemini", command, read, missing)
