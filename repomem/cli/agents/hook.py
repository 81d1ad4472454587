"""`repomem hook`: what an agent host runs by itself. The host's JSON comes in, its dialect goes out.

A hook never stands in its host's way: whatever fails or takes too long ends with code 0, and with the answer that was
ready by then, or without a word.
"""

import json
import os
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock, Timer
from typing import TYPE_CHECKING, Any, Never

from repomem.cli.agents.host_events import event_in, folder_in, heard
from repomem.cli.agents.output_formats import in_dialect
from repomem.cli.terminal.console import DONE, flush, out, workspace_at
from repomem.cli.terminal.formats import Host
from repomem.core.errors import RepomemError

if TYPE_CHECKING:
    from repomem.capture.host_sessions import HostEvent
    from repomem.workspace.workspace import Workspace

LONGEST = {"session-start": 4.0, "prompt": 4.0}  # seconds in all: a person waits for these
LONGEST_CAPTURE = 60.0  # for the others: nobody waits for them
CATCH_UP_SECONDS = 1.5  # for the index; loading the tables and making the brief take the rest
OFF = "0"
COPILOT_HOOK = "COPILOT_HOOK_DIR"  # Copilot CLI sets it for hooks alone
CAPTURE = "capture"  # what a process of our own does after these events
BEHIND_ITS_BACK = frozenset(["stop", "pre-compact"])


@dataclass(slots=True)
class _Answer:
    """What is to be said: the best that is ready when the time is up, and said once."""

    host: Host
    event: str
    ready: str = ""
    turn: Lock = field(default_factory=Lock)

    def say(self) -> Never:
        """Say it and end the process."""
        with self.turn:
            with suppress(OSError, RepomemError):
                if self.ready:
                    out(in_dialect(self.ready, self.host, self.event))
                flush()
            os._exit(DONE)


def hook_command(directory: Path, event: str, host: str) -> Never:
    """Answer the host; ends the process, with code 0."""
    if host not in set(Host) or os.environ.get("REPOMEM") == OFF or _is_anothers(host):
        os._exit(DONE)
    answer = _Answer(Host(host), event)
    alarm = Timer(LONGEST.get(event, LONGEST_CAPTURE), answer.say)
    alarm.daemon = True
    alarm.start()
    with suppress(Exception):  # fail open: a bug here must not keep anybody from working
        _answer(directory, answer)
    answer.say()


def _is_anothers(host: str) -> bool:
    """Whether Copilot CLI runs a hook of Claude Code's settings, which it reads too: its own hooks answer it."""
    return host != Host.COPILOT and COPILOT_HOOK in os.environ


def _answer(directory: Path, answer: _Answer) -> None:
    from repomem.workspace.workspace import is_known, prepare_process

    said = heard()
    prepare_process()
    if answer.event in BEHIND_ITS_BACK:
        _go_on_alone(directory, answer.host, said)
        return
    worked_in = directory / folder_in(said)
    if not is_known(worked_in):
        return
    with workspace_at(worked_in) as workspace:
        workspace.is_hurried = True
        EVENTS.get(answer.event, _nothing)(workspace, event_in(said, answer.event, answer.host), answer)


def _go_on_alone(directory: Path, host: Host, said: Mapping[str, Any]) -> None:
    """Let a process of its own do the rest: a host that ends takes its hooks with it, and writes its last line late."""
    from repomem.index.maintenance import start_alone

    words = ("-C", str(directory.absolute()), "hook", CAPTURE, "--host", host)
    start_alone(Path(os.sep), *words, said=json.dumps(said))


def _nothing(_workspace: "Workspace", _event: "HostEvent", _answer: _Answer) -> None:
    """An event of a newer version."""


def _at_start(workspace: "Workspace", event: "HostEvent", answer: _Answer) -> None:
    from repomem.agents.hooks import briefs_at_start

    for text in briefs_at_start(workspace, event, CATCH_UP_SECONDS):
        answer.ready = text


def _at_prompt(workspace: "Workspace", event: "HostEvent", answer: _Answer) -> None:
    from repomem.agents.hooks import additions

    for text in additions(workspace, event, CATCH_UP_SECONDS):
        answer.ready = text


def _at_edit(workspace: "Workspace", event: "HostEvent", _answer: _Answer) -> None:
    from repomem.capture.host_sessions import note_touched

    note_touched(workspace, event)


def _at_compaction(workspace: "Workspace", event: "HostEvent", _answer: _Answer) -> None:
    from repomem.agents.hooks import brief_again_later

    brief_again_later(workspace, event)


def _capture(workspace: "Workspace", event: "HostEvent", _answer: _Answer) -> None:
    from repomem.agents.hooks import capture_at_stop

    capture_at_stop(workspace, event)


EVENTS = {
    "session-start": _at_start,
    "prompt": _at_prompt,
    "edit": _at_edit,
    "post-compact": _at_compaction,
    CAPTURE: _capture,
}
