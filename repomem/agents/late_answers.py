"""Answers found too late for their prompt, delivered with the session's next prompt.

A hook that runs out of time passes its prompt to a detached process, which stores the answer in a file next to the
record of what the session was shown. The next prompt reads it.
"""

import json
import time
from collections.abc import Collection
from contextlib import suppress

from repomem.agents.deliver import delivery_of, session_of
from repomem.capture.host_sessions import HostEvent, session_file
from repomem.core.files import replace_file
from repomem.core.processes.locks import try_lock
from repomem.recall.prompt_addition import Addition, places_and_memories_for
from repomem.workspace.deliveries import Delivery, late_answer_file
from repomem.workspace.run import Run
from repomem.workspace.workspace import Workspace

LONGEST_KEPT = 600.0  # seconds; the session has gone on since
FOR_EARLIER_PROMPT = "For your previous prompt:"


def find_late(workspace: Workspace, event: HostEvent) -> None:
    """Find what a prompt adds, without a time limit, and store it. One process at a time runs for a session."""
    path = late_answer_file(workspace.folder, event.host, event.session)
    with try_lock(session_file(workspace, event.host, event.session).with_suffix(".late-lock")) as is_held:
        known = session_of(workspace, event)
        if not is_held or not event.session or known.has_places:
            return
        found = places_and_memories_for(workspace, event.prompt, known.shown, Run())
        if found is None:
            return
        delivery = delivery_of("prompt", found.brief)
        values = {
            "text": f"{FOR_EARLIER_PROMPT}\n{found.text}",
            "shown": found.ids,
            "memories": delivery.ids,
            "paths": delivery.paths,
            "tokens": delivery.tokens,
        }
        path.parent.mkdir(mode=0o700, exist_ok=True)
        replace_file(path, json.dumps(values).encode("utf-8", "surrogatepass"), is_synced=False)
        if not _are_shown(workspace, delivery.ids):  # a memory purged meanwhile must not stay in the file
            path.unlink(missing_ok=True)


def take_late(workspace: Workspace, event: HostEvent) -> tuple[Addition, Delivery] | None:
    """The undelivered answer to an earlier prompt of the session, and its record; None if it may be outdated."""
    path = late_answer_file(workspace.folder, event.host, event.session)
    with suppress(OSError, ValueError, TypeError, KeyError):
        values = json.loads(path.read_text(encoding="utf-8", errors="surrogatepass"))
        age = abs(time.time() - path.stat().st_mtime)  # the clock may have been set back
        path.unlink()
        found = Addition(str(values["text"]), tuple(values["shown"]))
        delivery = Delivery("prompt", tuple(values["memories"]), tuple(values["paths"]), int(values["tokens"]))
        return (found, delivery) if age <= LONGEST_KEPT and _are_shown(workspace, delivery.ids) else None
    return None


def _are_shown(workspace: Workspace, memories: Collection[str]) -> bool:
    """Whether none of the memories was forgotten or replaced meanwhile."""
    if not memories:
        return True
    from repomem.memories.snapshots.snapshot import memories_now

    shown = memories_now(workspace).outlines.where(is_shown=bool)
    return all(any(name.startswith(short) for name in shown) for short in memories)
