"""Reads transcripts of Claude Code: one line per block of a message, joined to a tree by `parentUuid`.

Going back to an earlier prompt leaves a dead branch; only the path from the last line up counts. Summaries, and text
from hooks and commands are ignored. Lines of sub-agents are trees of their own.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from repomem.adapters.transcripts.events import Act, Call, Result, Words, shortened, steps_of
from repomem.adapters.transcripts.json_shapes import inner, items, mapping, records, text_at, time_of, words_of
from repomem.adapters.transcripts.steps import StepKind, Transcript, of_subagent, with_subagents
from repomem.adapters.transcripts.tool_calls import call_of, is_refusal, result_of, words_at_refusal

HOST = "claude-code"
_NOT_SAID = ("isMeta", "isCompactSummary", "isVisibleInTranscriptOnly", "isApiErrorMessage")
_VOID = "<tool_use_error>"


@dataclass(frozen=True, slots=True)
class _Line:
    uuid: str
    parent: str
    message: str  # that it is a block of
    goes_on: bool  # without a known parent, and yet it follows the line before
    agent: str  # the sub-agent whose result it holds
    acts: tuple[Act, ...]


def read(lines: Iterable[bytes | str]) -> Transcript:
    first: dict[str, str] = {}
    branch = ""  # the last one: imports belong to the end of the session
    kept: list[_Line] = []
    side: dict[str, list[_Line]] = {}
    agents: dict[str, str] = {}  # a line of a sub-agent to the sub-agent
    for record in records(lines):
        is_side = record.get("isSidechain") is True
        chain = side.setdefault(_agent(record, agents), []) if is_side else kept
        chain.append(_line(record))
        for name in ("sessionId", "cwd", "timestamp"):
            first[name] = first.get(name) or text_at(record, name)
        branch = text_at(record, "gitBranch") or branch
    left = _left(kept)
    others = [of_subagent(steps_of(list(_acts(chain))), agent) for agent, chain in side.items() if agent not in left]
    return Transcript(
        host=HOST,
        session=first.get("sessionId", ""),
        folder=first.get("cwd", ""),
        steps=with_subagents(steps_of(list(_acts(kept))), others),
        started=time_of(first.get("timestamp")),
        branch=branch,
        left=left,
    )


def _agent(record: Mapping[str, object], agents: dict[str, str]) -> str:
    """The sub-agent of a line: its id, in older versions the first line of its tree."""
    uuid = text_at(record, "uuid")
    agent = text_at(record, "agentId") or agents.get(text_at(record, "parentUuid")) or uuid or "sub-agent"
    agents[uuid] = agent
    return agent


def _line(record: Mapping[str, object]) -> _Line:
    is_summary = record.get("isCompactSummary") is True or record.get("subtype") == "compact_boundary"
    return _Line(
        uuid=text_at(record, "uuid"),
        parent=text_at(record, "parentUuid") or text_at(record, "logicalParentUuid"),
        message=text_at(record.get("message"), "id"),
        goes_on=is_summary,
        agent=text_at(record.get("toolUseResult"), "agentId"),
        acts=tuple(_acts_of(record)),
    )


def _acts(lines: Sequence[_Line]) -> Iterator[Act]:
    """The acts of living lines, and all results: of parallel calls all but one are on side branches."""
    alive = _alive(lines)
    for line in lines:
        is_alive = line.uuid in alive or not line.uuid
        yield from (act for act in line.acts if is_alive or isinstance(act, Result))


def _left(lines: Sequence[_Line]) -> frozenset[str]:
    """Give the sub-agents whose results are on dead branches alone."""
    alive = _alive(lines)
    named = {line.agent for line in lines if line.uuid in alive}
    return frozenset(line.agent for line in lines) - named - {""}


def _alive(lines: Sequence[_Line]) -> set[str]:
    """The uuids on the path from the last line to the root, with other blocks of the same messages."""
    places = {line.uuid: at for at, line in reversed(list(enumerate(lines))) if line.uuid}
    alive: set[str] = set()
    at = max(places.values(), default=-1)
    while at >= 0 and lines[at].uuid not in alive:
        alive.add(lines[at].uuid)
        at = _above(lines, at, places)
    messages = {line.message for line in lines if line.uuid in alive} - {""}
    return alive | {line.uuid for line in lines if line.message in messages}


def _above(lines: Sequence[_Line], at: int, places: Mapping[str, int]) -> int:
    """The position of the parent line; -1 at the root. A missing parent is replaced by the line before."""
    line = lines[at]
    if line.parent in places:
        return places[line.parent]
    if not line.parent and not line.goes_on:
        return -1
    return next((above for above in range(at - 1, -1, -1) if lines[above].uuid), -1)


def _acts_of(record: Mapping[str, object]) -> Iterator[Act]:
    if any(record.get(name) is True for name in _NOT_SAID):
        return
    at = time_of(record.get("timestamp"))
    uuid = text_at(record, "uuid")
    kind = text_at(record, "type")
    content = inner(record, "message", "content")
    if kind == "assistant":
        yield from _said(uuid, content, at)
    elif kind == "user":
        yield from _asked(uuid, content, at)
    elif kind == "attachment" and inner(record, "attachment", "type") == "queued_command":
        yield Words(StepKind.ASKED, words_of(inner(record, "attachment", "prompt")), at, uuid)


def _said(uuid: str, content: object, at: str) -> Iterator[Words | Call]:
    blocks = [content] if isinstance(content, str) else items(content)
    for place, block in enumerate(blocks):
        if isinstance(block, str) or inner(block, "type") == "text":
            yield Words(StepKind.SAID, words_of([block]), at, _key(uuid, place))
        elif inner(block, "type") == "tool_use":
            call = mapping(block)
            key = text_at(call, "id") or _key(uuid, place)
            yield call_of(key, text_at(call, "name"), call.get("input"), at)


def _asked(uuid: str, content: object, at: str) -> Iterator[Words | Result]:
    results = [mapping(block) for block in items(content) if inner(block, "type") == "tool_result"]
    for result in results:
        output = words_of(result.get("content"))
        yield _result(text_at(result, "tool_use_id"), output, is_error=result.get("is_error") is True)
        if result.get("is_error") is True and (words := words_at_refusal(output)):
            yield Words(StepKind.ASKED, words, at, uuid)
    if not results:
        yield Words(StepKind.ASKED, words_of(content), at, uuid)


def _result(call: str, output: str, *, is_error: bool) -> Result:
    if output.lstrip().startswith(_VOID) and not is_refusal(output):
        return Result(call, is_void=True)
    return result_of(call, shortened(output), is_error=is_error)


def _key(uuid: str, place: int) -> str:
    return f"{uuid}:{place}" if place and uuid else uuid
