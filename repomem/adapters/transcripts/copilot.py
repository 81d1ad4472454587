"""Reads events of GitHub Copilot CLI: messages, tool requests, tool starts and tool results."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from repomem.adapters.transcripts.events import Act, Call, Result, Words, shortened, steps_of
from repomem.adapters.transcripts.json_shapes import (
    inner,
    items,
    mapping,
    parsed,
    records,
    string,
    text_at,
    time_of,
    words_of,
)
from repomem.adapters.transcripts.steps import StepKind, Transcript, of_subagent, with_subagents
from repomem.adapters.transcripts.tool_calls import UNKNOWN_FAILURE, call_of, exit_code, is_refusal, is_running

HOST = "copilot"
TASK_TOOL = "task"
_REFUSED = frozenset({"denied", "rejected"})


def read(lines: Iterable[bytes | str]) -> Transcript:
    start: Mapping[str, object] = {}
    every: dict[str, list[Act]] = {"": []}  # of the main agent, and of each sub-agent
    for record in records(lines):
        data = mapping(record.get("data"))
        if text_at(record, "type") in {"session.start", "session.resume"}:
            start = {**data, **start}  # a transcript without its start has a resume
        else:
            acts = every.setdefault(_agent(record, data), [])
            acts += _acts(record, data)
            acts += _edits(data, acts) if record.get("type") == "tool.execution_complete" else []
    context = mapping(start.get("context"))
    others = [of_subagent(steps_of(acts), agent) for agent, acts in every.items() if agent]
    return Transcript(
        host=HOST,
        session=text_at(start, "sessionId"),
        folder=text_at(context, "cwd", "gitRoot"),
        steps=with_subagents(steps_of(every[""]), others),
        started=time_of(start.get("startTime")),
        branch=text_at(context, "branch"),
    )


def open_tasks(lines: Iterable[bytes | str]) -> list[tuple[str, str, str]]:
    """List the calls that start sub-agents and have no result yet, oldest first: id, kind of sub-agent, and prompt."""
    found: dict[str, tuple[str, str, str]] = {}
    for record in records(lines):
        data = mapping(record.get("data"))
        if record.get("type") == "assistant.message":
            for call in map(mapping, items(data.get("toolRequests"))):
                given = parsed(call.get("arguments"))
                key, prompt = text_at(call, "toolCallId"), text_at(given, "prompt")
                if call.get("name") == TASK_TOOL and key and prompt:
                    found[key] = (key, text_at(given, "agent_type"), prompt)
        elif record.get("type") == "tool.execution_complete":
            found.pop(text_at(data, "toolCallId"), None)
    return list(found.values())


def _agent(record: Mapping[str, object], data: Mapping[str, object]) -> str:
    """The sub-agent that an event is of: the call that started it, in later versions its id."""
    return text_at(data, "parentToolCallId") or text_at(record, "agentId")


def _acts(record: Mapping[str, object], data: Mapping[str, object]) -> Iterator[Act]:
    kind, key = text_at(record, "type"), text_at(record, "id")
    at = time_of(record.get("timestamp"))
    if kind == "user.message":
        yield Words(StepKind.ASKED, words_of(data.get("content")), at, key)
    elif kind == "assistant.message":
        yield Words(StepKind.SAID, words_of(data.get("content")), at, key)
        for request in items(data.get("toolRequests")):
            call = mapping(request)
            yield call_of(text_at(call, "toolCallId"), text_at(call, "name"), call.get("arguments"), at)
    elif kind == "tool.execution_start":
        yield call_of(text_at(data, "toolCallId"), text_at(data, "toolName"), data.get("arguments"), at)
    elif kind == "tool.execution_complete":
        yield _result(data)


def _edits(data: Mapping[str, object], acts: Sequence[Act]) -> list[Act]:
    """The edited files that only the result names."""
    call = text_at(data, "toolCallId")
    asked = next((act for act in acts if isinstance(act, Call) and act.key == call), None)
    paths = tuple(path for edit in items(data.get("fileEdits")) if (path := text_at(edit, "path")))
    is_new = paths and asked is not None and not asked.paths
    return [Call(f"{call}/files", asked.tool, paths=paths, at=asked.at)] if is_new and asked else []


def _result(data: Mapping[str, object]) -> Result:
    """A tool result, in either of two formats."""
    call, result = text_at(data, "toolCallId"), data.get("result")
    kind = text_at(result, "result_type", "resultType") or text_at(data.get("error"), "code")
    output = string(result) or text_at(result, "content", "text_result_for_llm", "textResultForLlm")
    output = output or words_of(inner(result, "contents")) or text_at(data.get("error"), "message")
    is_failed = data.get("success") is False or kind in {"failure", "error", *_REFUSED}
    if kind in _REFUSED or (is_failed and is_refusal(output)):
        return Result(call, is_refused=True)
    exit_status = inner(data, "shellExecution", "exitCode")
    code = exit_status if isinstance(exit_status, int) else exit_code(output)
    if code is None and not is_running(output):
        code = UNKNOWN_FAILURE if is_failed else 0
    return Result(call, shortened(output), code)
