"""Reads chats of Gemini CLI: one message per line, or one JSON document in older versions.

A later message replaces the earlier one with its id; `$rewindTo` removes a message and all after it; `$set` repeats
messages after a resume or a compression.
"""

from collections.abc import Iterable, Iterator, Mapping
from itertools import takewhile

from repomem.adapters.transcripts.events import Act, Call, Result, Words, shortened, steps_of
from repomem.adapters.transcripts.json_shapes import (
    inner,
    items,
    joined,
    mapping,
    parsed,
    records,
    text_at,
    time_of,
    words_of,
)
from repomem.adapters.transcripts.steps import StepKind, Transcript, of_subagent
from repomem.adapters.transcripts.tool_calls import UNKNOWN_FAILURE, call_of, exit_code

HOST = "gemini"
_VOID = frozenset({"replace", "write_file", "edit"})  # an error of these leaves the file as it was


def read(lines: Iterable[bytes | str]) -> Transcript:
    everything = list(lines)
    meta: dict[str, object] = {}
    messages: dict[str, Mapping[str, object]] = {}
    for record in list(_document(everything)) or records(everything):
        if target := text_at(record, "$rewindTo"):
            messages = dict(takewhile(lambda message: message[0] != target, messages.items()))
        elif "$set" in record:
            messages |= _set(record, messages)
        elif text_at(record, "type") in {"user", "gemini"}:
            messages[text_at(record, "id") or f"#{len(messages)}"] = record
        else:
            meta |= {name: value for name, value in record.items() if name not in meta}
    acts = [act for message in messages.values() for act in _acts(message)]
    steps = steps_of(acts)
    session = text_at(meta, "sessionId")
    return Transcript(
        host=HOST,
        session=session,
        folder=text_at(meta, "cwd") or text_at(meta, "projectRoot"),
        steps=of_subagent(steps, session or HOST) if meta.get("kind") == "subagent" else steps,
        started=time_of(meta.get("startTime")) or next((act.at for act in acts if not isinstance(act, Result)), ""),
    )


def _document(lines: list[bytes | str]) -> Iterator[Mapping[str, object]]:
    """The records of a session stored as one document."""
    whole = joined(lines)
    document = parsed(whole) if whole.lstrip().startswith(b"{") else {}
    if "messages" in document:
        yield {name: value for name, value in document.items() if name not in {"messages", "type"}}
        yield from (mapping(message) for message in items(document.get("messages")))


def _set(record: Mapping[str, object], known: Mapping[str, object]) -> dict[str, Mapping[str, object]]:
    """The messages that `$set` adds; none if it only repeats known ones, shortened."""
    listed = {text_at(each, "id"): mapping(each) for each in items(inner(record, "$set", "messages"))}
    return {} if any(name not in listed for name in known) else {name: each for name, each in listed.items() if name}


def _acts(message: Mapping[str, object]) -> Iterator[Act]:
    at = time_of(message.get("timestamp"))
    kind = StepKind.ASKED if message.get("type") == "user" else StepKind.SAID
    yield Words(kind, words_of(message.get("content")), at, text_at(message, "id"))
    for call in items(message.get("toolCalls")):
        yield from _called(mapping(call), at)


def _called(call: Mapping[str, object], at: str) -> Iterator[Call | Result]:
    name, key = text_at(call, "name"), text_at(call, "id")
    yield call_of(key, name, call.get("args"), time_of(call.get("timestamp")) or at)
    output = next((_output(mapping(part)) for part in items(call.get("result"))), "")
    output = output or text_at(call, "resultDisplay")
    status = text_at(call, "status")
    code = exit_code(output)
    if status in {"cancelled", "canceled"}:
        yield Result(key, is_refused=True)
    elif status == "error":
        found = UNKNOWN_FAILURE if code is None else code
        yield Result(key, shortened(output), found, is_void=name in _VOID)
    elif status == "success":
        yield Result(key, shortened(output), code or 0)


def _output(part: Mapping[str, object]) -> str:
    response = mapping(inner(part, "functionResponse", "response"))
    return text_at(response, "output", "error") or text_at(part, "text")
