"""Sessions of OpenCode: rows of its tables, one to a line, and the document that `opencode export` gives.

A row is `{"table": "session" | "message" | "part", "id": …, "message_id": …, "data": {…}}`, as
`adapters.transcripts.opencode_files` writes it, in order. Reverted messages are not part of the session.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from repomem.adapters.transcripts.events import Act, Result, Words, shortened, steps_of
from repomem.adapters.transcripts.json_shapes import (
    first_string,
    inner,
    items,
    mapping,
    parsed,
    records,
    string,
    time_of,
)
from repomem.adapters.transcripts.steps import StepKind, Transcript
from repomem.adapters.transcripts.tool_calls import UNKNOWN_FAILURE, call_of, exit_code, is_refusal

HOST = "opencode"


class _Told(NamedTuple):
    session: Mapping[str, object]
    messages: Mapping[str, Mapping[str, object]]
    parts: Mapping[str, list[Mapping[str, object]]]  # by the message that they belong to


def read(lines: Iterable[bytes | str]) -> Transcript:
    """The session that the rows, or the exported document, tell of."""
    told = _of_rows(_document(list(lines)))
    acts = [act for name, message in told.messages.items() for act in _acts(message, told.parts.get(name, []))]
    return Transcript(
        host=HOST,
        session=string(told.session.get("id")),
        folder=string(told.session.get("directory")),
        steps=steps_of(_living(acts, told.session)),
        started=time_of(inner(told.session, "time", "created") or told.session.get("time_created")),
        version=string(told.session.get("version")),
    )


def _document(lines: list[bytes | str]) -> Iterable[Mapping[str, object]]:
    """The rows, also of an exported document, which is one text over many lines."""
    whole = b"\n".join(line.encode(errors="surrogatepass") if isinstance(line, str) else line for line in lines)
    start = whole.find(b"{")  # the command tells what it does before it
    document = parsed(whole[start:]) if start >= 0 else {}
    return _rows(document) if "messages" in document else records(lines)


def _rows(document: Mapping[str, object]) -> Iterator[Mapping[str, object]]:
    yield {"table": "session", "data": document.get("info")}
    for message in items(document.get("messages")):
        info = mapping(inner(message, "info"))
        yield {"table": "message", "id": info.get("id"), "data": info}
        for part in items(inner(message, "parts")):
            yield {"table": "part", "id": inner(part, "id"), "message_id": info.get("id"), "data": part}


def _of_rows(rows: Iterable[Mapping[str, object]]) -> _Told:
    session: Mapping[str, object] = {}
    messages: dict[str, Mapping[str, object]] = {}
    parts: dict[str, list[Mapping[str, object]]] = defaultdict(list)
    for row in rows:
        data = {"id": row.get("id"), **(mapping(row.get("data")) or parsed(string(row.get("data"))))}
        if row.get("table") == "session":
            session = data
        elif row.get("table") == "message":
            messages[string(row.get("id"))] = data
        elif row.get("table") == "part":
            parts[first_string(row, "message_id") or first_string(data, "messageID")].append(data)
    return _Told(session, messages, parts)


def _living(acts: list[Act], session: Mapping[str, object]) -> list[Act]:
    """Those before the message or part that the session was reverted to."""
    target = string(inner(session, "revert", "partID")) or string(inner(session, "revert", "messageID"))
    at = next((at for at, act in enumerate(acts) if target and _starts(act, target)), len(acts))
    return acts[:at]


def _starts(act: Act, target: str) -> bool:
    return isinstance(act, Words) and target in act.key.split("/")


def _acts(message: Mapping[str, object], parts: Iterable[Mapping[str, object]]) -> Iterator[Act]:
    if message.get("summary") is True:  # of what was compacted
        return
    at, name = time_of(inner(message, "time", "created")), string(message.get("id"))
    kind = StepKind.ASKED if message.get("role") == "user" else StepKind.SAID
    for part in parts:
        key = string(part.get("id"))
        if part.get("type") == "text" and not (part.get("synthetic") is True or part.get("ignored") is True):
            text = string(part.get("text"))
            yield Words(kind, _unquoted(text) if kind is StepKind.ASKED else text, at, f"{name}/{key}")
        elif part.get("type") == "tool":
            state = mapping(part.get("state"))
            call = string(part.get("callID")) or key
            yield call_of(
                call, string(part.get("tool")), state.get("input"), time_of(inner(state, "time", "start")) or at
            )
            yield from _result(call, state)


def _unquoted(prompt: str) -> str:
    """A prompt without the quotation marks that `opencode run` puts around it."""
    inside = prompt.strip()[1:-1]
    is_quoted = prompt.strip() == f'"{inside}"' and '"' not in inside.replace('\\"', "")
    return inside.replace('\\"', '"') if is_quoted else prompt


def _result(call: str, state: Mapping[str, object]) -> Iterator[Result]:
    output = first_string(state, "output", "error")
    code = inner(state, "metadata", "exit")
    found = code if isinstance(code, int) else exit_code(output)
    if state.get("status") == "completed":
        yield Result(call, shortened(output), found or 0)
    elif state.get("status") == "error":
        is_edit = not isinstance(inner(state, "input", "command"), str)
        is_refused = is_refusal(output) or "rejected permission" in output
        failure = UNKNOWN_FAILURE if found is None else found
        yield Result(call, shortened(output), failure, is_refused, is_void=is_edit and not is_refused)
