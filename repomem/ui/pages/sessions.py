"""The agent sessions that hooks showed something to, as far as it is recorded."""

from dataclasses import dataclass

from repomem.capture.host_sessions import host_sessions
from repomem.workspace.deliveries import Delivery, SessionUse, deliveries_of, uses_in
from repomem.workspace.workspace import Workspace


@dataclass(frozen=True, slots=True)
class RecordedSession:
    """What a session of the last 30 days was shown, and what it did with that."""

    host: str
    name: str  # by its host
    deliveries: tuple[Delivery, ...]  # in order, at least one
    use: SessionUse | None  # None: its transcript was not read yet


def recorded_sessions(workspace: Workspace) -> list[RecordedSession]:
    """The sessions with deliveries, in no order."""
    uses = {(each.host, each.session): each for each in uses_in(workspace.folder)}
    names = dict.fromkeys([*uses, *((each.host, each.session) for each in host_sessions(workspace))])
    found = ((*name, tuple(deliveries_of(workspace.folder, *name)), uses.get(name)) for name in names)
    return [RecordedSession(*each) for each in found if each[2]]
