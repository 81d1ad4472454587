"""The output format of each host: the shape on stdout that adds text to its model's context.

Claude Code, Codex and Gemini CLI share one shape, and Codex rejects unknown fields. Without text, nothing is printed:
every host accepts empty output.
"""

import json

from repomem.cli.terminal.formats import HostName

EVENT_NAMES = {"session-start": "SessionStart", "prompt": "UserPromptSubmit", "subagent-start": "SubagentStart"}
GEMINI_NAMES = {**EVENT_NAMES, "prompt": "BeforeAgent"}


# Names that a host may give its events around tool calls; the answer repeats the one that was given.
TOOL_EVENTS = {
    "file": ("PreToolUse", "PostToolUse", "BeforeTool", "AfterTool"),
    "command": ("PostToolUse", "PostToolUseFailure", "AfterTool"),
}


def in_host_format(context: str, host: HostName, event: str, host_event: str = "", message: str = "") -> str:
    """The context for this event, which the host may have named, in the host's format, with a line break.

    Claude Code, Codex and Gemini CLI show the message to the person; it never reaches the model.
    """
    if host in {HostName.PLAIN, HostName.OPENCODE}:  # OpenCode's plugin is ours, and uses the printed text
        return f"{context}\n"
    if host is HostName.CURSOR:
        return _line({"additional_context": context})
    if host is HostName.COPILOT:
        return _line({"additionalContext": context})
    names = GEMINI_NAMES if host is HostName.GEMINI else EVENT_NAMES
    around_tools = TOOL_EVENTS.get(event, ())
    name = host_event if host_event in around_tools else names.get(event) or around_tools[0]
    told: dict[str, object] = {"systemMessage": message} if message else {}
    return _line({"hookSpecificOutput": {"hookEventName": name, "additionalContext": context}} | told)


def _line(said: dict[str, object]) -> str:
    return json.dumps(said, ensure_ascii=False) + "\n"
