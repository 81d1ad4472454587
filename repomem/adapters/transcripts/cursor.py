"""Reads transcripts of Cursor: messages with tool calls, without times; most without results."""

from collections.abc import Iterable, Iterator, Mapping

from repomem.adapters.transcripts.events import Act, Call, Result, Words, shortened, steps_of
from repomem.adapters.transcripts.json_shapes import inner, items, mapping, records, text_at, words_of
from repomem.adapters.transcripts.steps import StepKind, Transcript
from repomem.adapters.transcripts.tool_calls import call_of, result_of

HOST = "cursor"


def read(lines: Iterable[bytes | str]) -> Transcript:
    """Read a session from its lines; its folder is known from the file's path only."""
    acts = [act for at, record in enumerate(records(lines)) for act in _acts(record, at)]
    return Transcript(host=HOST, session="", folder="", steps=steps_of(acts))


def _acts(record: Mapping[str, object], line: int) -> Iterator[Act]:
    role = text_at(record, "role", "type")
    content = inner(record, "message", "content") or record.get("content")
    if role == "user":
        yield Words(StepKind.ASKED, words_of(content))
        yield from (_result(mapping(block)) for block in items(content) if inner(block, "type") == "tool_result")
    elif role == "assistant":
        yield from _said(content, line)


def _said(content: object, line: int) -> Iterator[Words | Call]:
    blocks = [content] if isinstance(content, str) else items(content)
    for place, block in enumerate(blocks):
        call = mapping(block)
        if call.get("type") == "tool_use":
            key = text_at(call, "id") or f"call:{line}:{place}"
            yield call_of(key, text_at(call, "name"), call.get("input"))
        else:
            yield Words(StepKind.SAID, words_of([block]))


def _result(result: Mapping[str, object]) -> Result:
    output = shortened(words_of(result.get("content")))
    return result_of(text_at(result, "tool_use_id"), output, is_error=result.get("is_error") is True)
