"""Claude Code: `claude -p --output-format stream-json --verbose`, checked with version 2.1.

One object per line: `system`, then `assistant` and `user` messages as in the model's interface, then `result` with the
totals. A run that is stopped has no `result`; its tokens are then those of its messages.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from repomem.adapters.transcripts.json_shapes import inner, items, mapping, records, string, words_of
from repomem.evaluate.agents.hosts.events import (
    AgentEvent,
    Finished,
    HostAdapter,
    Spent,
    ToolResult,
    Turn,
    has_any,
    number,
    size_of,
    tool_call,
    with_option,
)

_PERMISSIONS = ("--permission-mode", "--dangerously-skip-permissions", "--allowedTools", "--allowed-tools")


def command(words: Sequence[str], dollars: float | None) -> list[str]:
    """The user's command, made to print its stream and to stop at a limit of money."""
    whole = list(words) if has_any(words, "-p", "--print") else [*words, "-p"]
    whole = with_option(whole, "--output-format", "stream-json")
    whole = with_option(whole, "--verbose")
    return with_option(whole, "--max-budget-usd", f"{dollars:.2f}") if dollars is not None else whole


def missing(words: Sequence[str]) -> str:
    """The option without which it may not edit."""
    if has_any(words, *_PERMISSIONS):
        return ""
    return "claude may neither edit nor run commands: add --permission-mode acceptEdits --allowedTools Bash"


def read(lines: Iterable[bytes]) -> Iterator[AgentEvent]:
    """The events of a run."""
    spent: dict[str, Spent] = {}  # by message, each of which comes in several lines
    for record in records(lines):
        kind, message = string(record.get("type")), mapping(record.get("message"))
        if kind == "assistant":
            name = string(message.get("id")) or f"message {len(spent)}"
            if name not in spent:
                yield Turn()
            spent[name] = _spent(mapping(message.get("usage")))
            for block in _blocks(message, "tool_use"):
                yield tool_call(string(block.get("id")), string(block.get("name")), block.get("input"))
        elif kind == "user":
            for block in _blocks(message, "tool_result"):
                yield ToolResult(string(block.get("tool_use_id")), size_of(words_of(block.get("content"))))
        elif kind == "result":
            yield _spent(mapping(record.get("usage")), record.get("total_cost_usd"))
            yield Finished(_failure(record))
            return
    yield from spent.values()


def _blocks(message: Mapping[str, object], kind: str) -> Iterator[Mapping[str, object]]:
    return (block for block in map(mapping, items(message.get("content"))) if block.get("type") == kind)


def _spent(usage: Mapping[str, object], cost: object = None) -> Spent:
    cached = number(usage.get("cache_read_input_tokens"))
    fresh = number(usage.get("input_tokens")) + number(usage.get("cache_creation_input_tokens"))
    dollars = float(cost) if isinstance(cost, int | float) else None
    return Spent(fresh + cached, cached, number(usage.get("output_tokens")), dollars)


def _failure(record: Mapping[str, object]) -> str:
    if record.get("is_error") is not True and record.get("subtype") in {"success", None}:
        return ""
    errors = [string(each) for each in items(record.get("errors"))]
    reason = string(record.get("result")) or "; ".join(filter(None, errors)) or string(inner(record, "subtype"))
    return reason or "it reported an error"


CLAUDE = HostAdapter("claude-code", command, read, missing)
SCRIPT = HostAdapter("script", lambda words, _: list(words), read)
"""Any other program; it may print the same stream."""
