"""The JSON that a host writes to its hook's stdin. Field names differ between hosts, and change.

A field that is missing or of another type is empty; no input raises.
"""

import json
import re
import sys
from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from repomem.core.text.lazy_pattern import lazy_pattern

if TYPE_CHECKING:
    from repomem.capture.host_sessions import HostEvent

DELEGATE = "delegate"  # our event before a tool that starts a sub-agent
CALL = ("tool_use_id", "tool_call_id")
INPUT_LIMIT = 1 << 24  # characters: after an edit a host may send the whole file
LONGEST_PROMPT = 100_000
SESSION = ("session_id", "sessionId", "conversation_id", "conversationId", "thread_id", "thread-id", "sessionID")
PROMPT = ("prompt", "user_prompt", "initialPrompt")
TASK = ("prompt", "message", "task", "description")  # of a tool that starts a sub-agent
AGENT = ("agent_type", "subagent_type", "agentName")
AGENT_ID = ("agent_id", "agentId")
TRANSCRIPT = ("transcript_path", "transcriptPath")
REPLY = ("last_assistant_message", "last-assistant-message", "prompt_response", "text")
FOLDER = ("cwd", "workingDirectory")
TOOL_INPUT = ("tool_input", "toolArgs", "toolInput", "args")
PATHS = ("file_path", "filePath", "path", "notebook_path", "file")
PATCH = ("patch", "input", "patchText", "command")
PATCH_HEAD = lazy_pattern(r"^\*\*\* (?:Update File|Add File|Delete File|Move to): (.*)", re.MULTILINE)
HALF = lazy_pattern(r"[\ud800-\udc7f\udd00-\udfff]")  # the others may be bytes of a path that is not UTF-8
HOOK_CONTEXT = lazy_pattern(r"\A(?:<hook_context>.*?</hook_context>\s*)+", re.DOTALL)  # Gemini CLI's, before a prompt
STARTS = {"new": "startup", "": "startup"}  # Copilot's word, and hosts that give none


def read_payload() -> Mapping[str, Any]:
    """The JSON object on stdin; empty if there is none."""
    if sys.stdin.isatty():
        return {}
    with suppress(ValueError, RecursionError):
        payload = json.loads(sys.stdin.read(INPUT_LIMIT))
        if isinstance(payload, dict):
            return {name: _without_halves(value) for name, value in payload.items()}
    return {}


def _without_halves(value: Any) -> Any:
    """A value without halves of characters: hosts in JavaScript send one where they cut a text within an emoji."""
    if isinstance(value, str):
        return HALF.sub("\ufffd", value)
    if isinstance(value, dict):
        return {name: _without_halves(each) for name, each in value.items()}
    return [_without_halves(each) for each in value] if isinstance(value, list) else value


def folder_in(payload: Mapping[str, Any]) -> str:
    """The session's folder."""
    roots = payload.get("workspace_roots")
    first = roots[0] if isinstance(roots, list) and roots and isinstance(roots[0], str) else ""
    return text_in(payload, FOLDER) or first


def event_in(payload: Mapping[str, Any], event: str, host: str) -> "HostEvent":
    """The event, with repomem's field names."""
    from repomem.capture.host_sessions import HostEvent

    source = text_in(payload, ("source",))
    given = next(inputs_of(payload), {}) if event == DELEGATE else {}
    return HostEvent(
        host=host,
        event=event,
        session=text_in(payload, SESSION)[:200],
        source=STARTS.get(source, source),
        prompt=HOOK_CONTEXT.sub("", text_in(given, TASK) if given else text_in(payload, PROMPT))[:LONGEST_PROMPT],
        transcript=text_in(payload, TRANSCRIPT),
        said=text_in(payload, REPLY)[:LONGEST_PROMPT],
        paths=tuple(dict.fromkeys(_paths(payload))),
        agent=text_in(given or payload, AGENT)[:200],
        agent_id=text_in(payload, CALL if given else AGENT_ID)[:200],
    )


def text_in(payload: Mapping[str, Any], names: tuple[str, ...]) -> str:
    """The first of these fields that holds words."""
    return next((value for name in names if isinstance(value := payload.get(name), str) and value), "")


def parsed(value: Any) -> Any:
    """A value, decoded if it is JSON text."""
    if isinstance(value, str) and value.lstrip().startswith("{"):
        with suppress(ValueError, RecursionError):
            return json.loads(value)
    return value


def _paths(payload: Mapping[str, Any]) -> Iterator[str]:
    """The files that a tool wrote."""
    for given in inputs_of(payload):
        yield from filter(None, [text_in(given, PATHS)])
        yield from (found.strip() for found in PATCH_HEAD.findall(text_in(given, PATCH)))


def inputs_of(payload: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """The arguments of a tool, which some hosts give as text."""
    for name in TOOL_INPUT:
        given = parsed(payload.get(name))
        if isinstance(given, Mapping):
            yield given
