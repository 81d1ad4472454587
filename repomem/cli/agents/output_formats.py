"""The output format of each host: the shape on stdout that adds text to its model's context.

Claude Code, Codex and Gemini CLI share one shape, and Codex rejects unknown fields. Where there is
no text, nothing is printed: every host accepts empty output.
"""

import json

from repomem.cli.terminal.formats import HostName

EVENT_NAMES = {"session-start": "SessionStart", "prompt": "UserPromptSubmit"}
GEMINI_NAMES = {**EVENT_NAMES, "prompt": "BeforeAgent"}


def in_host_format(context: str, host: HostName, event: str) -> str:
    """The context for this event, in the host's format, with a line break."""
    if host in {HostName.PLAIN, HostName.OPENCODE}:  # OpenCode's plugin is ours, and takes what is printed
        return f"{context}\n"
    if host is HostName.CURSOR:
        return _line({"additional_context": context})
    if host is HostName.COPILOT:
        return _line({"additionalContext": context})
    names = GEMINI_NAMES if host is HostName.GEMINI else EVENT_NAMES
    return _line({"hookSpecificOutput": {"hookEventName": names[event], "additionalContext": context}})


def _line(said: dict[str, object]) -> str:
    return json.dumps(said, ensure_ascii=False) + "\n"
