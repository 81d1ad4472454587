"""`repomem hook`, run by agent hosts: reads the host's JSON, prints in the host's format.

A hook never blocks its host: on an error or a timeout it exits with 0, and prints the text that was ready by then, if
any. It may take longer on a busy machine. A late answer to a prompt is delivered with the next one: a detached process
finishes it.
"""

import json
import os
import sys
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock, Thread
from typing import TYPE_CHECKING, Any, Never

from repomem.cli.agents.host_events import DELEGATE, event_in, folder_in, read_payload
from repomem.cli.agents.output_formats import in_host_format
from repomem.cli.terminal.console import DONE, flush, is_terminal, out, tell, workspace_at
from repomem.cli.terminal.formats import HOOK_EVENTS, HostName
from repomem.core.errors import RepomemError
from repomem.workspace.deliveries import is_shadow

if TYPE_CHECKING:
    from repomem.capture.host_sessions import HostEvent
    from repomem.workspace.workspace import Workspace

WAITED_FOR = dict.fromkeys(("session-start", "prompt", "subagent-start"), 4.0)
LONGEST = {**WAITED_FOR, **dict.fromkeys(("file", "command", DELEGATE), 2.0)}  # seconds in total: the host waits
LONGEST_WHEN_BUSY = 13.0  # seconds for those of WAITED_FOR; hosts wait 20
BUSY = 2.0  # runnable processes per core, from which on work takes more than twice its time
BUSY_POLL = 0.25  # seconds
LONGEST_CAPTURE = 60.0  # for the others, which run in the background
CATCH_UP_SECONDS = 1.5  # for the index; the rest is for loading tables and building the brief
OFF = "0"
COPILOT_HOOK = "COPILOT_HOOK_DIR"  # Copilot CLI sets it for hooks alone
TOOL_EVENTS = frozenset(["file", "command", DELEGATE])  # tool hooks: no workspace is opened for them
DETACHED_EVENTS = frozenset(["stop", "pre-compact"])  # a process of our own runs `hook capture` after them
CAPTURE = "capture"  # our event after a turn, and before a compaction
LATE = "late"  # our event after a prompt that took too long


@dataclass(slots=True)
class _Answer:
    """The text to print: the best that is ready when time is up, printed once."""

    host: HostName
    event: str
    ready: str = ""
    host_event: str = ""  # the host's own name for it, if given
    message: str = ""  # for the person, if the host shows one
    payload: Mapping[str, Any] = field(default_factory=dict)  # what the host sent
    turn: Lock = field(default_factory=Lock)

    def finish(self, and_then: Callable[[], None] = lambda: None) -> Never:
        """Print it, finish the remaining work, and end the process."""
        with self.turn:
            with suppress(OSError, RepomemError):
                if self.ready and not is_shadow():
                    out(in_host_format(self.ready, self.host, self.event, self.host_event, self.message))
                flush()
            with suppress(Exception):
                and_then()
            os._exit(DONE)


def hook_command(directory: Path, event: str, host: str) -> Never:
    """Answer the host, and end the process with code 0."""
    if (unknown := _unknown(event, host)) and is_terminal(sys.stderr):  # a host's log needs no warning
        tell(f"warning: {unknown}")
    if unknown or os.environ.get("REPOMEM") == OFF or _is_for_other_host(host):
        os._exit(DONE)
    answer = _Answer(HostName(host), event)
    Thread(target=_end_in_time, args=(directory, answer), daemon=True).start()
    with suppress(Exception):  # fail open: a bug here must not stop the host
        _answer(directory, answer)
    answer.finish()


def _unknown(event: str, host: str) -> str:
    """What is wrong with the command, which may be that of a newer version; empty if nothing."""
    if event not in {*HOOK_EVENTS, CAPTURE, LATE}:
        return f"unknown hook event {event!r}: expected {', '.join(HOOK_EVENTS)}"
    return "" if host in set(HostName) else f"unknown host {host!r}: expected {', '.join(HostName)}"


def _end_in_time(directory: Path, answer: _Answer) -> Never:
    """End the process when time is up and print the ready text; a detached process finishes a prompt."""
    until = time.monotonic() + LONGEST_WHEN_BUSY
    time.sleep(LONGEST.get(answer.event, LONGEST_CAPTURE))
    while answer.event in WAITED_FOR and time.monotonic() < until and _is_busy():
        time.sleep(BUSY_POLL)
    is_prompt = answer.event == "prompt" and bool(answer.payload)
    answer.finish(lambda: _continue_detached(directory, answer, LATE) if is_prompt else None)


def _is_busy() -> bool:
    """Whether many more processes want to run than this machine has cores."""
    return _runnable() > BUSY * (os.cpu_count() or 1)


def _runnable() -> float:
    """The number of runnable processes; if unknown, the load average of the last minute."""
    with suppress(OSError, ValueError, IndexError):
        return float(Path("/proc/loadavg").read_text(encoding="ascii").split()[3].partition("/")[0])
    with suppress(OSError, AttributeError):
        return os.getloadavg()[0]
    return 0.0


def _is_for_other_host(host: str) -> bool:
    """Whether Copilot CLI runs a hook from Claude Code's settings, which it reads too; it has hooks of its own."""
    return host != HostName.COPILOT and COPILOT_HOOK in os.environ


def _answer(directory: Path, answer: _Answer) -> None:
    answer.payload = payload = read_payload()
    if answer.event in TOOL_EVENTS:
        from repomem.cli.agents.tool_hooks import reminders_for

        folder = str(directory / folder_in(payload))
        answer.host_event = str(payload.get("hook_event_name", ""))
        answer.ready = reminders_for(folder, event_in(payload, answer.event, answer.host), payload)
        return
    from repomem.workspace.process import prepare_process
    from repomem.workspace.workspace import was_indexed

    prepare_process()
    if answer.event in DETACHED_EVENTS:
        _continue_detached(directory, answer, CAPTURE)
        return
    worked_in = directory / folder_in(payload)
    if not was_indexed(worked_in):
        return
    with workspace_at(worked_in) as workspace:
        workspace.is_hurried = True
        _run_event(workspace, event_in(payload, answer.event, answer.host), answer)


def _continue_detached(directory: Path, answer: _Answer, event: str) -> None:
    """Continue with an event of ours in a process that the host does not end together with its hooks."""
    from repomem.core.processes.background import start_detached

    words = ("-C", str(directory.absolute()), "hook", event, "--host", answer.host)
    start_detached(Path(os.sep), *words, given=json.dumps(answer.payload))


def _run_event(workspace: "Workspace", event: "HostEvent", answer: _Answer) -> None:
    """Run the action of an event."""
    if event.event == "edit":
        from repomem.capture.host_sessions import note_touched

        note_touched(workspace, event)
        return
    from repomem.agents import hooks
    from repomem.agents.late_answers import find_late
    from repomem.agents.subagents import brief_for_subagent

    briefs = {"session-start": hooks.briefs_at_start, "prompt": hooks.additions, "subagent-start": brief_for_subagent}
    if event.event in briefs:
        for text in briefs[event.event](workspace, event, CATCH_UP_SECONDS):
            answer.ready = text  # each text is more complete than the last
        if event.event == "session-start" and answer.ready:
            answer.message = hooks.message_at_start(workspace, event)
    elif event.event == "post-compact":
        hooks.brief_again_later(workspace, event)
    elif event.event == CAPTURE:
        hooks.capture_at_stop(workspace, event)
    elif event.event == LATE:
        find_late(workspace, event)
