"""`repomem hook`: what an agent host runs by itself. The host's JSON comes in, its dialect goes out.

A hook never stands in its host's way: whatever fails or takes too long ends with code 0 and without a word.
"""

import json
import os
import sys
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from threading import Timer
from typing import TYPE_CHECKING, Any, Never

from repomem.core.errors import RepomemError
from repomem.core.types import Brief
from repomem.interfaces.console import DONE, flush, out, workspace_at
from repomem.interfaces.formats import Host

if TYPE_CHECKING:
    from repomem.operations.workspace import Workspace

SESSION_START = "session-start"
LONGEST = 4.0  # seconds in all: people wait for the first prompt of a session
CATCH_UP_SECONDS = 1.5  # of these for the index; loading the tables and making the map take the rest
INPUT_LIMIT = 1 << 20  # characters; what a host says at the start of a session has a few hundred
MOST_TOKENS = 2_400  # Codex takes 2,500
MOST_BYTES = 10_000  # Claude Code takes 10,000 characters, and no host counts more than bytes


@dataclass(frozen=True, slots=True)
class HookRequest:
    """What the host's configuration says: words that may come from a newer version."""

    directory: Path
    event: str
    host: str


def hook_command(request: HookRequest) -> Never:
    """Answer the host; ends the process, with code 0."""
    alarm = Timer(LONGEST, os._exit, (DONE,))
    alarm.daemon = True
    alarm.start()
    answer = _answer_or_nothing(request)
    alarm.cancel()  # from here on nothing waits, and a half answer would be worse than none
    with suppress(OSError, RepomemError):
        out(answer)
        flush()
    os._exit(DONE)


def _answer_or_nothing(request: HookRequest) -> str:
    try:
        return _answer(request)
    except Exception:  # noqa: BLE001  # fail open: a bug here must not keep anybody from working
        return ""


def _answer(request: HookRequest) -> str:
    from repomem.operations.workspace import is_known, prepare_process

    if request.event != SESSION_START:
        return ""
    host = Host(request.host)
    prepare_process()
    directory = request.directory / _working_directory(_heard())
    if not is_known(directory):
        return ""
    with workspace_at(directory) as workspace:
        brief = _fitting_brief(workspace)
    return in_dialect(brief, host) if brief else ""


def _heard() -> dict[str, Any]:
    """What the host says on stdin; nothing where that is no JSON object."""
    if sys.stdin.isatty():
        return {}
    with suppress(ValueError, RecursionError):
        said = json.loads(sys.stdin.read(INPUT_LIMIT))
        if isinstance(said, dict):
            return said
    return {}


def _working_directory(said: dict[str, Any]) -> str:
    folder = said.get("cwd")
    return folder if isinstance(folder, str) else ""


def _fitting_brief(workspace: "Workspace") -> str:
    """The map of the repository, no longer than hosts take it; empty where nothing fits."""
    brief = _map(workspace, min(workspace.loaded.config.recall.budget, MOST_TOKENS))
    while len(brief.markdown.encode()) > MOST_BYTES:
        brief = _map(workspace, brief.budget // 2)
    return brief.markdown.rstrip("\n")


def _map(workspace: "Workspace", budget: int) -> Brief:
    """The kept map, which loads nothing more, or one made now from what can be indexed in time."""
    from repomem.operations.kept import kept_brief

    return kept_brief(workspace, budget) or _fresh_map(workspace, budget)


def _fresh_map(workspace: "Workspace", budget: int) -> Brief:
    from repomem.operations.workspace import warm_up

    warm_up()
    from repomem.operations.answer import recall_now
    from repomem.operations.recall import Ask
    from repomem.operations.run import Run

    return recall_now(workspace, Ask("", budget), Run(deadline=time.monotonic() + CATCH_UP_SECONDS))


def in_dialect(context: str, host: Host) -> str:
    """What the host reads as context at the start of a session."""
    if host is Host.PLAIN:
        return f"{context}\n"
    # Claude Code, Codex and Gemini CLI agree on this form; Codex refuses any field that it does not know.
    said = {"hookSpecificOutput": {"hookEventName": "SessionStart", "additionalContext": context}}
    return json.dumps(said, ensure_ascii=False) + "\n"
