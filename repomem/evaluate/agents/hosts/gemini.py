"""Gemini CLI: `gemini --output-format stream-json`, checked with version 0.61.

One object per line: `init`, `message`, `tool_use`, `tool_result`, `error` and `result` with the totals. Gemini CLI
reports no cost.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from repomem.adapters.transcripts.json_shapes import inner, mapping, records, string
from repomem.evaluate.agents.hosts import events

_PROMPT = frozenset({"-p", "--prompt"})


def command(words: Sequence[str], _: float | None) -> list[str]:
    """The user's command, made to print its stream; a final `-p` is dropped, as the prompt comes from stdin."""
    whole = list(words[:-1]) if words[-1] in _PROMPT else list(words)
    return whole if events.has_any(whole, "-o") else events.with_option(whole, "--output-format", "stream-json")


def missing(words: Sequence[str]) -> str:
    """The option without which it may not edit."""
    is_given = events.has_any(words, "-y", "--yolo", "--approval-mode", "--allowed-tools", "--policy")
    return "" if is_given else "gemini may neither edit nor run commands: add --approval-mode yolo"


def read(lines: Iterable[bytes]) -> Iterator[events.AgentEvent]:
    """The events of a run."""
    was_answer = False
    for record in records(lines):
        kind = record.get("type")
        is_answer = kind == "tool_use" or (kind == "message" and record.get("role") == "assistant")
        if is_answer and not was_answer:
            yield events.Turn()
        was_answer = is_answer
        yield from _event(record)


def _event(record: Mapping[str, object]) -> Iterator[events.AgentEvent]:
    kind, key = record.get("type"), string(record.get("tool_id"))
    if kind == "tool_use":
        yield events.tool_call(key, string(record.get("tool_name")), record.get("parameters"))
    elif kind == "tool_result":
        yield events.tool_result(key, string(record.get("output")))
    elif kind == "result":
        stats = mapping(record.get("stats"))
        yield events.Spent(*(events.number(stats.get(name)) for name in ("input_tokens", "cached", "output_tokens")))
        is_done = record.get("status") == "success"
        yield events.Finished() if is_done else events.failed(string(inner(record, "error", "message")))


GEMINI = events.HostAdapter("gemini", command, read, missing)
