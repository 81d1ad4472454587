"""How each host wants to be told something: the shape on stdout that puts text into its model's context.

Claude Code, Codex and Gemini CLI agree on one shape, and Codex refuses any field that it does not know. Where there is
nothing to say, nothing is printed: every host takes that for an empty answer.
"""

import json

from repomem.cli.terminal.formats import Host

EVENT_NAMES = {"session-start": "SessionStart", "prompt": "UserPromptSubmit"}
GEMINI_NAMES = {**EVENT_NAMES, "prompt": "BeforeAgent"}


def in_dialect(context: str, host: Host, event: str) -> str:
    """What the host reads as context for this event, with its line break."""
    if host in {Host.PLAIN, Host.OPENCODE}:  # OpenCode's plugin is ours, and takes what is printed
        return f"{context}\n"
    if host is Host.CURSOR:
        return _line({"additional_context": context})
    if host is Host.COPILOT:
        return _line({"additionalContext": context})
    names = GEMINI_NAMES if host is Host.GEMINI else EVENT_NAMES
    return _line({"hookSpecificOutput": {"hookEventName": names[event], "additionalContext": context}})


def _line(said: dict[str, object]) -> str:
    return json.dumps(said, ensure_ascii=False) + "\n"
