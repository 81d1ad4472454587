"""The hooks around tool calls: `file`, `command` and `delegate`.

`file` runs before a file is read or edited, `command` after a shell command, and `delegate`, which prints nothing,
before a tool that starts a sub-agent. They run for each such call, so nothing else of the command line is loaded.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from repomem.agents.subagents import note_task
from repomem.agents.tool_reminders import path_in, reminders_for_failure, reminders_for_files
from repomem.cli.agents.host_events import DELEGATE
from repomem.cli.agents.tool_payloads import failed_command_in, files_in
from repomem.workspace.reminder_cache import worktree_at

if TYPE_CHECKING:
    from repomem.capture.host_sessions import HostEvent


def reminders_for(folder: str, event: "HostEvent", payload: Mapping[str, Any]) -> str:
    """The text to show for a tool call; empty, as for most, where nothing is tied to it."""
    worktree = worktree_at(folder)
    if worktree is None or not worktree.is_indexed:
        return ""
    if event.event == DELEGATE:
        note_task(worktree, event)
        return ""
    if event.event == "file":
        uses = [(each, path_in(worktree, folder, each.path)) for each in files_in(payload)]
        return reminders_for_files(worktree, event, [replace(each, path=path) for each, path in uses if path])
    failed = failed_command_in(payload)
    return reminders_for_failure(worktree, event, failed) if failed else ""
