"""The brief of a sub-agent: items relevant to the task that the main agent gives it.

A sub-agent starts with an empty context, without the brief of its session. Hosts announce it twice: before the call
that starts it, with its task but without its id, and when it starts, with its id but without its task. Copilot CLI
announces only the start; its transcript then contains the call.

Imports are lazy: the hooks around all tool calls load this module.
"""

import os
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from repomem.capture.host_sessions import Clone, HostEvent, HostSession, change_host_session, host_session, is_first

if TYPE_CHECKING:
    from repomem.workspace.workspace import Workspace

BUDGET = 400  # tokens, the frame included
RECENT = 4 << 20  # bytes of a transcript that are read: its start and its end
LONGEST_TASK = 4_000  # characters that are kept of it


def note_task(clone: Clone, event: HostEvent) -> None:
    """Keep the task of a sub-agent that is about to start."""
    if event.prompt and is_first(clone, event, f"delegate {event.agent_id or event.prompt}"):
        task = (event.agent, event.prompt[:LONGEST_TASK])
        known = host_session(clone, event)
        change_host_session(clone, known, lambda now: replace(now, delegated=(*now.delegated, task)))


def brief_for_subagent(workspace: "Workspace", event: HostEvent, catch_up: float) -> Iterator[str]:
    """The brief for a sub-agent's own task: first its memories, then also places; nothing if it already has a brief."""
    from repomem.agents.deliver import deliver, delivery_of
    from repomem.recall.prompt_addition import Addition, memories_for, places_and_memories_for
    from repomem.workspace.run import Run

    task = _task_for(workspace, event)
    if not task:
        return
    quick = memories_for(workspace, task, (), BUDGET) or Addition("", ())
    yield quick.text
    run = Run(deadline=time.monotonic() + catch_up)
    whole = places_and_memories_for(workspace, task, (), run, BUDGET) or quick
    ids = tuple(f"{event.agent_id} {name}" for name in whole.ids)
    delivery = delivery_of(event.event, whole.brief, event.agent_id)
    known = host_session(workspace, event)
    deliver(workspace, known, delivery, lambda now: replace(now, shown=(*now.shown, *ids)))
    yield whole.text


def _task_for(workspace: Clone, event: HostEvent) -> str:
    """The task of a sub-agent that starts; empty if it is unknown, or if the sub-agent is resumed."""
    if event.agent_id and not is_first(workspace, event, f"subagent {event.agent_id}"):
        return ""
    mark = f"{event.agent_id} started"
    called = _called(event)
    found = [""]

    def taken(now: HostSession) -> HostSession:
        if event.agent_id and mark in now.shown:
            return now
        new = [(key, kind, task) for key, kind, task in called if f"{key} started" not in now.shown]
        known = [*now.delegated, *((kind, task) for _, kind, task in new)]
        at = _announced(known, event)
        found[0] = event.prompt or (known[at][1] if at >= 0 else "")
        count = len(now.delegated)
        rest = tuple(each for place, each in enumerate(now.delegated) if place != at)
        marks = [mark] * bool(event.agent_id) + [f"{key} started" for key, *_ in new[at - count :][: at >= count]]
        return replace(now, delegated=rest, shown=(*now.shown, *marks))

    change_host_session(workspace, host_session(workspace, event), taken)
    return found[0]


def _called(event: HostEvent) -> list[tuple[str, str, str]]:
    """The calls in a transcript of Copilot CLI that wait for their sub-agents."""
    if event.host != "copilot" or not event.transcript:
        return []
    from repomem.adapters.transcripts.copilot import open_tasks
    from repomem.adapters.transcripts.files import file_lines, transcript_at

    file = transcript_at(event.host, Path(event.transcript), os.environ, Path.home())
    return open_tasks(file_lines(file.path, RECENT)) if file else []


def _announced(delegated: Sequence[tuple[str, str]], event: HostEvent) -> int:
    """The position of the oldest task for this kind of sub-agent; of any kind if none names it; -1 if there is none."""
    same = (at for at, (kind, _) in enumerate(delegated) if kind.casefold() == event.agent.casefold())
    unnamed = (at for at, (kind, _) in enumerate(delegated) if not (kind and event.agent))
    return next(same, next(unnamed, -1))
