"""Claude Code: `claude -p --output-format stream-json --verbose`, checked with version 2.1.

One object per line: `system`, then `assistant` and `user` messages as in the model's interface, then `result` with the
totals. A run that is stopped has no `result`; its tokens are then those of its messages.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from repomem.adapters.transcripts.json_shapes import items, mapping, records, string, words_of
from repomem.evaluate.agents.hosts import events

_PERMISSIONS = ("--permission-mode", "--dangerously-skip-permissions", "--allowedTools", "--allowed-tools")


def command(words: Sequence[str], limit: float | None) -> list[str]:
    """The user's command, made to print its stream and to stop at a limit of money."""
    whole = list(words) if events.has_any(words, "-p", "--print") else [*words, "-p"]
    whole = events.with_option(whole, "--output-format", "stream-json")
    whole = events.with_option(whole, "--verbose")
    return events.with_option(whole, "--max-budget-usd", f"{limit:.2f}") if limit is not None else whole


def missing(words: Sequence[str]) -> str:
    """The option without which it may not edit."""
    if events.has_any(words, *_PERMISSIONS):
        return ""
    return "claude may neither edit nor run commands: add --permission-mode acceptEdits --allowedTools Bash"


def read(lines: Iterable[bytes]) -> Iterator[events.AgentEvent]:
    """The events of a run."""
    spent: dict[str, events.Spent] = {}  # by message, each of which comes in several lines
    for record in records(lines):
        kind, message = string(record.get("type")), mapping(record.get("message"))
        if kind == "assistant":
            name = string(message.get("id")) or f"message {len(spent)}"
            if name not in spent:
                yield events.Turn()
            spent[name] = _spent(mapping(message.get("usage")))
            for block in _blocks(message, "tool_use"):
                yield events.tool_call(string(block.get("id")), string(block.get("name")), block.get("input"))
        elif kind == "user":
            for block in _blocks(message, "tool_result"):
                yield events.tool_result(string(block.get("tool_use_id")), words_of(block.get("content")))
        elif kind == "result":
            yield _spent(mapping(record.get("usage")), record.get("total_cost_usd"))
            yield _end(record)
            return
    yield from spent.values()


def _blocks(message: Mapping[str, object], kind: str) -> Iterator[Mapping[str, object]]:
    return (block for block in map(mapping, items(message.get("content"))) if block.get("type") == kind)


def _spent(usage: Mapping[str, object], cost: object = None) -> events.Spent:
    cached = events.number(usage.get("cache_read_input_tokens"))
    fresh = events.number(usage.get("input_tokens")) + events.number(usage.get("cache_creation_input_tokens"))
    return events.Spent(fresh + cached, cached, events.number(usage.get("output_tokens")), events.dollars(cost))


def _end(record: Mapping[str, object]) -> events.Finished:
    if record.get("is_error") is not True and record.get("subtype") in {"success", None}:
        return events.Finished()
    errors = [string(each) for each in items(record.get("errors"))]
    return events.failed(
        string(record.get("result")) or "; ".join(filter(None, errors)) or string(record.get("subtype"))
    )


CLAUDE = events.HostAdapter("claude-code", command, read, missing)
SCRIPT = events.HostAdapter("script", lambda words, _: list(words), read)
"""Any other program; it may print the same stream."""
