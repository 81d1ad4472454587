"""Records how a session used the output of hooks, and supports the memories that it acted on."""

from collections.abc import Callable, Iterable, Iterator

from repomem.adapters.transcripts.steps import Transcript
from repomem.capture.host_sessions import HostSession
from repomem.capture.session_use import Traces, commands_named, use_of
from repomem.core.records import USED, Event, Origin
from repomem.core.types.text import CleanText
from repomem.memories.snapshots.snapshot import MemorySnapshot, memories_now
from repomem.workspace.deliveries import SessionUse, deliveries_of, record_session_use
from repomem.workspace.ledger import append_records, record_draft, records_here
from repomem.workspace.workspace import Workspace


def record_use(
    workspace: Workspace,
    known: HostSession,
    transcript: Transcript,
    relative: Callable[[Iterable[str]], Iterator[str]],
    origin: Origin,
    key: str,
) -> None:
    """Record the use of a session so far; `relative` gives the repository's own paths, `key` names the session.

    A session that was shown something before deliveries were recorded has no figures.
    """
    deliveries = deliveries_of(workspace.folder, known.host, known.session)
    if known.shown and not deliveries:
        return
    shown = [each for each in deliveries if not each.is_silent]
    counted = shown or deliveries
    traces = _traces(memories_now(workspace)) if any(each.ids for each in counted) else {}
    is_silent, tokens = bool(deliveries) and not shown, sum(each.tokens for each in counted)
    blank = SessionUse(known.host, known.session, is_silent=is_silent, tokens=tokens)
    use = use_of(blank, transcript.steps, counted, traces, relative)
    record_session_use(workspace.folder, use)
    if shown:
        acted_on = [name for name, each in use.memories.items() if each.is_edited or each.is_run]
        _support(workspace, acted_on, origin, CleanText(key))


def _traces(known: MemorySnapshot) -> dict[str, Traces]:
    """The traces of each memory that a transcript can show."""
    return {
        name: Traces(
            tuple(dict.fromkeys(each.path for each in one.locations if each.path)),
            commands_named(f"{one.memory.said.text}\n{one.memory.said.why}"),
        )
        for name, one in known.states.items()
    }


def _support(workspace: Workspace, names: Iterable[str], origin: Origin, key: CleanText) -> None:
    """Count a use of these memories, once for each session."""
    known = {
        target
        for record in records_here(workspace)
        if record.event is Event.ACCESS and record.other == USED and record.text == key
        for target in record.targets
    }
    if new := sorted(set(names) - known):
        append_records(workspace, origin, record_draft(Event.ACCESS, *new, other=USED, text=key))
