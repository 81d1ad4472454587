"""What waits for a person: provisional, drifted, gone and contested memories, and what a person may do with each."""

from collections.abc import Iterable
from dataclasses import dataclass

from repomem.core.errors import RepomemError
from repomem.core.records import Anchor, Event, Record
from repomem.core.types import CleanText
from repomem.core.ulid import new_ulid
from repomem.memories.anchors.place import anchor_at
from repomem.memories.at_head import Remembered
from repomem.memories.status import Seen, Standing, Status
from repomem.workspace.ledger import Speaker, ledger_of, origin_of, plain_told, tell
from repomem.workspace.workspace import Workspace

WAITING = (Status.PROVISIONAL, Status.DRIFTED, Status.GONE)


@dataclass(frozen=True, slots=True)
class Waiting:
    """A memory that waits, and why."""

    standing: Standing
    why: str  # contested, provisional, drifted, gone


def waiting(known: Remembered) -> list[Waiting]:
    """What waits here, the contested first, then by how much it misleads: drifted, gone, provisional; then by id."""
    order = {"contested": 0, "drifted": 1, "gone": 2, "provisional": 3}
    found = [Waiting(one, _why(one)) for one in known.standings.values() if _waits(one)]
    return sorted(found, key=lambda each: (order[each.why], each.standing.memory.id))


def confirm(workspace: Workspace, names: Iterable[str], speaker: Speaker) -> None:
    """A person says that memories are true. Raises RepomemError for an agent: agents may propose, not confirm."""
    _check_is_person(speaker, "confirms")
    tell(workspace, origin_of(workspace, speaker), plain_told(Event.CONFIRM, *names))


def contradict(workspace: Workspace, name: str, why: CleanText, speaker: Speaker) -> None:
    """Somebody says that a memory is not true; of what a person said, an agent's denial is kept and changes nothing."""
    tell(workspace, origin_of(workspace, speaker), plain_told(Event.CONTRADICT, name, text=why))


def anchor_again(workspace: Workspace, one: Standing, speaker: Speaker) -> tuple[Anchor, ...]:
    """A memory now speaks of its code as it is; a person says so, which confirms it. Anchors whose code is gone go."""
    _check_is_person(speaker, "anchors again")
    places = [each for each in one.placed if each.path]
    anchors = tuple(anchor_at(workspace, each.path, each.symbol) for each in places)
    if not anchors:
        raise RepomemError("none of its code is left to anchor it to", "forget it, or say it anew: repomem remember")
    name, origin = one.memory.id, origin_of(workspace, speaker)

    def make(before: list[Record]) -> list[Record]:
        first = Record(new_ulid(before[-1].id), Event.ANCHOR, origin, (name,), anchors=anchors)
        return [first, Record(new_ulid(first.id), Event.CONFIRM, origin, (name,))]

    ledger_of(workspace).append(make)
    return anchors


def _waits(one: Standing) -> bool:
    memory = one.memory
    if memory.archived or memory.grouped_under or one.seen is not Seen.HERE:
        return False
    return bool(one.contested_by) or one.status in WAITING


def _why(one: Standing) -> str:
    return "contested" if one.contested_by else one.status.value


def _check_is_person(speaker: Speaker, deed: str) -> None:
    if not speaker.is_person:
        raise RepomemError(
            f"only a person {deed}: stdin and stderr must be a terminal that no agent opened",
            "leave it to repomem review on a terminal",
        )
