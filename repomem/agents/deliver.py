"""Records what hooks print: in the state of the session, so that each item is shown once, and for use figures.

With REPOMEM=shadow the record is marked as silent and the session's state stays as it was, so that hooks show the
items once shadow mode is off.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from repomem.capture.host_sessions import Clone, HostEvent, HostSession, change_host_session, host_session
from repomem.workspace.deliveries import Delivery, deliveries_of, is_shadow, record_delivery

if TYPE_CHECKING:
    from repomem.core.types.brief import Brief

PLACE_KINDS = frozenset(["code", "file", "map"])  # kinds of items that are places
TRIED = "tried"  # kind of item for a memory of a deleted branch
COMPACTED = "post-compact"  # event of an empty delivery: earlier deliveries are no longer in the session's context


def session_of(clone: Clone, event: HostEvent) -> HostSession:
    """The session of an event; in shadow mode as if the recorded deliveries had been shown."""
    known = host_session(clone, event)
    if not is_shadow():
        return known
    silent = [each for each in deliveries_of(clone.folder, event.host, event.session) if each.is_silent]
    since = max((at + 1 for at, each in enumerate(silent) if each.event == COMPACTED), default=0)
    starts = [at for at, each in enumerate(silent) if each.event == "session-start"]
    return replace(
        known,
        shown=(*known.shown, *(name for each in silent[since:] for name in _names(each))),
        briefed=max([known.briefed, *(silent[at].at for at in starts)]),
        has_places=known.has_places or any(each.event == "prompt" and each.paths for each in silent),
        is_brief_due=known.is_brief_due and not any(at >= since for at in starts),
    )


def forget_shown(clone: Clone, known: HostSession) -> None:
    """Record that a session's context was compacted: earlier deliveries are gone, and the brief is due again."""
    change_host_session(clone, known, lambda now: replace(now, is_brief_due=True, shown=()))
    if is_shadow():
        record_delivery(clone.folder, known.host, known.session, Delivery(COMPACTED, (), is_silent=True))


def deliver(clone: Clone, known: HostSession, delivery: Delivery, change: Callable[[HostSession], HostSession]) -> None:
    """Record a delivery, and change the session by it unless it is silent."""
    if is_shadow():
        record_delivery(clone.folder, known.host, known.session, replace(delivery, is_silent=True))
        return
    change_host_session(clone, known, change)
    record_delivery(clone.folder, known.host, known.session, delivery)


def delivery_of(event: str, brief: "Brief | None", agent: str = "") -> Delivery:
    """The memories and files of this repository that a brief shows."""
    from repomem.core.records import MemoryKind

    if brief is None:
        return Delivery(event, (), agent=agent)
    own = [item for item in brief.items if not item.repository]
    ids = (item.id for item in own if item.kind in {*MemoryKind, TRIED} and item.id)
    paths = (item.path for item in own if item.kind in PLACE_KINDS and item.path)
    return Delivery(event, tuple(dict.fromkeys(ids)), tuple(dict.fromkeys(paths)), brief.tokens, agent=agent)


def _names(silent: Delivery) -> Iterator[str]:
    """The entries to record as shown to the session."""
    own = f"{silent.agent} " if silent.agent else ""
    yield from (f"{own}{name}" for name in (*silent.ids, *silent.paths))
