"""The brief of a sub-agent: what concerns the task that the main agent gives it.

A sub-agent starts with an empty context and has no part in the brief of its session. Hosts announce it twice: before
the call that starts it, with its task and no identity, and when it starts, with its identity and no task.
"""

import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from repomem.agents.deliver import deliver, delivery_of
from repomem.capture.host_sessions import Clone, HostEvent, HostSession, change_host_session, host_session, is_first

if TYPE_CHECKING:
    from repomem.workspace.workspace import Workspace

BUDGET = 400  # tokens, the frame included
LONGEST_TASK = 4_000  # characters that are kept of it


def note_task(site: Clone, event: HostEvent) -> None:
    """Keep the task of a sub-agent that is about to start."""
    if event.prompt and is_first(site, event, f"delegate {event.agent_id or event.prompt}"):
        task = (event.agent, event.prompt[:LONGEST_TASK])
        known = host_session(site, event)
        change_host_session(site, known, lambda now: replace(now, delegated=(*now.delegated, task)))


def brief_for_subagent(workspace: "Workspace", event: HostEvent, catch_up: float) -> Iterator[str]:
    """The brief for a sub-agent's own task: first its memories, then also places. Nothing for one that has it."""
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
    """The task of a sub-agent that starts; empty if it is unknown, or the sub-agent goes on."""
    if not is_first(workspace, event, f"subagent {event.agent_id}"):
        return ""
    mark = f"{event.agent_id} started"
    found = [""]

    def taken(now: HostSession) -> HostSession:
        if event.agent_id and mark in now.shown:
            return now
        at = _announced(now.delegated, event)
        found[0] = event.prompt or (now.delegated[at][1] if at >= 0 else "")
        rest = tuple(each for place, each in enumerate(now.delegated) if place != at)
        return replace(now, delegated=rest, shown=(*now.shown, mark))

    change_host_session(workspace, host_session(workspace, event), taken)
    return found[0]


def _announced(delegated: Sequence[tuple[str, str]], event: HostEvent) -> int:
    """The position of the oldest task for this kind of sub-agent; of any kind if none names it; -1 if there is none."""
    same = (at for at, (kind, _) in enumerate(delegated) if kind.casefold() == event.agent.casefold())
    unnamed = (at for at, (kind, _) in enumerate(delegated) if not (kind and event.agent))
    return next(same, next(unnamed, -1))
