"""Transcripts of Cursor's agent: messages with calls of tools, without times and without what came of the calls."""

from collections.abc import Iterable, Iterator, Mapping

from repomem.adapters.transcripts.events import Act, Call, Result, Words, shortened, steps_of
from repomem.adapters.transcripts.json_shapes import first_string, inner, items, mapping, records, string, words_of
from repomem.adapters.transcripts.steps import StepKind, Transcript
from repomem.adapters.transcripts.tool_calls import call_of, result_of

HOST = "cursor"


def read(lines: Iterable[bytes | str]) -> Transcript:
    """The session that the lines tell of; which folder it worked in, its place tells."""
    acts = [act for at, record in enumerate(records(lines)) for act in _acts(record, at)]
    return Transcript(host=HOST, session="", folder="", steps=steps_of(acts))


def _acts(record: Mapping[str, object], line: int) -> Iterator[Act]:
    role = first_string(record, "role", "type")
    content = inner(record, "message", "content") or record.get("content")
    if role == "user":
        yield Words(StepKind.ASKED, words_of(content))
        yield from (_result(mapping(block)) for block in items(content) if inner(block, "type") == "tool_result")
    elif role == "assistant":
        yield from _said(content, line)


def _said(content: object, line: int) -> Iterator[Words | Call]:
    blocks = [content] if isinstance(content, str) else items(content)
    for place, block in enumerate(blocks):
        told = mapping(block)
        if told.get("type") == "tool_use":
            key = string(told.get("id")) or f"call:{line}:{place}"
            yield call_of(key, string(told.get("name")), told.get("input"))
        else:
            yield Words(StepKind.SAID, words_of([block]))


def _result(told: Mapping[str, object]) -> Result:
    output = shortened(words_of(told.get("content")))
    return result_of(string(told.get("tool_use_id")), output, is_error=told.get("is_error") is True)
