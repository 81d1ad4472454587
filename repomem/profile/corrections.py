"""What people say of the repository's profile: kept in the ledger like all that people say."""

from collections.abc import Iterable

from repomem.core.errors import RepomemError
from repomem.core.escape import visible
from repomem.core.records import Event, Record
from repomem.core.secrets.redact import redact
from repomem.profile.slots import Action, Correction, Corrections, Slot
from repomem.workspace.ledger import Speaker, origin_of, plain_told, records_here, tell
from repomem.workspace.workspace import Workspace


def corrections_in(records: Iterable[Record]) -> Corrections:
    """The corrections of each slot, oldest first."""
    found: dict[Slot, list[Correction]] = {}
    for record in records:
        if record.event is Event.PROFILE and record.other in set(Slot) and record.targets[:1]:
            slot, origin = Slot(record.other), record.origin
            action = Action(record.targets[0])
            found.setdefault(slot, []).append(Correction(slot, action, record.text, origin.author, origin.at[:10]))
    return found


def corrections_of(workspace: Workspace) -> Corrections:
    """Those that the ledger holds."""
    return corrections_in(records_here(workspace))


def correct(workspace: Workspace, slot: Slot, action: Action, text: str, speaker: Speaker) -> None:
    """A person corrects a slot. Raises RepomemError for an agent, whose word would stand before what files say."""
    if not speaker.is_person:
        raise RepomemError(
            "only a person corrects the profile: stdin and stderr must be a terminal that no agent opened",
            "an agent may remember it instead: repomem remember --kind fact TEXT",
        )
    clean = redact(visible(text).strip())
    if action is not Action.CLEAR and not clean:
        raise RepomemError(f"there is nothing to say of {slot}", f'repomem profile {slot} "make check"')
    told = plain_told(Event.PROFILE, action.value, other=slot.value, text=clean)
    tell(workspace, origin_of(workspace, speaker), told)
