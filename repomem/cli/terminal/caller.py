"""Who runs this command: a person at a terminal, or an agent, and which.

It is a person only if stdin and stderr are terminals and no variable shows an agent: several hosts run commands on a
terminal of their own. If in doubt, it counts as an agent, whose memories stay provisional.
"""

import os
import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING

from repomem.core.text.lazy_pattern import lazy_pattern

if TYPE_CHECKING:
    from repomem.workspace.ledger import Speaker

SESSION_VARIABLE = "REPOMEM_SESSION"  # the id of the session that a command belongs to

NAMED = ("AI_AGENT", "AGENT")  # hosts that set one give their own name as its value
# What each host sets for the commands that it runs. Variables that users set are not listed: CODEX_HOME,
# CLAUDE_CODE_USE_BEDROCK, COPILOT_MODEL and AIDER_MODEL are set in a person's own shell too.
VARIABLES: Mapping[str, tuple[str, ...]] = {
    "claude-code": (
        "CLAUDECODE",
        "CLAUDE_CODE",
        "CLAUDE_CODE_CHILD_SESSION",
        "CLAUDE_CODE_ENTRYPOINT",
        "CLAUDE_CODE_SESSION_ID",
    ),
    "codex": ("CODEX_CI", "CODEX_SANDBOX", "CODEX_SANDBOX_NETWORK_DISABLED", "CODEX_THREAD_ID"),
    "gemini": ("GEMINI_CLI",),
    "cursor": ("CURSOR_AGENT", "CURSOR_TRACE_ID"),  # the second also in its user's terminal: indistinguishable
    "opencode": ("OPENCODE", "OPENCODE_PID"),
    "copilot": ("COPILOT_AGENT_SESSION_ID", "COPILOT_CLI"),
    "cline": ("CLINE_ACTIVE",),
    "augment": ("AUGMENT_AGENT",),
    "antigravity": ("ANTIGRAVITY_AGENT",),
    "goose": ("GOOSE_TERMINAL",),
    "qwen": ("QWEN_CODE",),
    "crush": ("CRUSH",),
}
UNSET = frozenset(["", "0", "false", "no"])
YES = frozenset(["1", "true", "yes"])  # there is an agent, but which is unknown
NAME = lazy_pattern(r"[a-z][a-z0-9.-]{0,39}")  # of a host: what follows is its version


def speaker(session: str = "") -> "Speaker":
    """The caller of this command; `session` comes from a flag, else from the environment."""
    from repomem.workspace.ledger import Speaker

    host = host_in(os.environ)
    is_person = host is None and sys.stdin.isatty() and sys.stderr.isatty()
    return Speaker(is_person, host or "", session.strip() or os.environ.get(SESSION_VARIABLE, "").strip())


def is_agent() -> bool:
    """Whether the environment shows an agent host."""
    return host_in(os.environ) is not None


def host_in(environ: Mapping[str, str]) -> str | None:
    """The agent host that an environment shows; empty if it is unknown, None if there is none."""
    said = [value for name in NAMED if (value := environ.get(name, "").strip().lower()) not in UNSET]
    for value in said:
        if value not in YES and (name := NAME.match(value)):
            return name.group()
    for host, variables in VARIABLES.items():
        if any(environ.get(variable, "").strip().lower() not in UNSET for variable in variables):
            return host
    return "" if said else None
