"""The code of a memory's anchors: as it was when the memory was recorded, and as it is now."""

from collections.abc import Iterator
from dataclasses import dataclass
from difflib import unified_diff

from repomem.core.escape import visible
from repomem.core.records import CALLED
from repomem.core.secrets.redact import redact
from repomem.memories.anchors.fingerprints import Fingerprints
from repomem.memories.anchors.live_files import stored_bytes
from repomem.memories.status import AnchorLocation, MemoryState
from repomem.workspace.workspace import Workspace


@dataclass(frozen=True, slots=True)
class AnchoredCode:
    """The lines of one anchor's code, without secrets and invisible characters; empty where it cannot be read."""

    path: str  # now, else then
    symbol: str
    then: tuple[str, ...]
    now: tuple[str, ...]

    def diff(self, most: int) -> list[str]:
        """The changed lines with one line of context, the first `most` of them; empty if one side is missing."""
        if not self.then or not self.now:
            return []
        lines = [line for line in unified_diff(self.then, self.now, n=1, lineterm="") if line[:3] not in {"---", "+++"}]
        return lines if len(lines) <= most else [*lines[:most], f"… {len(lines) - most} more lines"]


def anchored_code(workspace: Workspace, one: MemoryState) -> list[AnchoredCode]:
    """The code of each anchor on a symbol, then and now."""
    prints = Fingerprints(workspace)
    places = [place for place in one.locations if place.anchor.symbol and place.anchor.derived != CALLED]
    prints.learn((place.anchor.blob, place.anchor.path) for place in places)
    return [
        AnchoredCode(
            place.path or place.anchor.path,
            place.symbol or place.anchor.symbol,
            tuple(_then(prints, place)),
            tuple(_now(workspace, place)),
        )
        for place in places
    ]


def _then(prints: Fingerprints, place: AnchorLocation) -> Iterator[str]:
    anchor = place.anchor
    named = [one for one in prints.of(anchor.blob) if one.qualified == anchor.symbol]
    same = next((one for one in named if one.print == anchor.print), None) or next(iter(named), None)
    return _lines(prints.text_of(anchor.blob, anchor.path, same)) if same else iter(())


def _now(workspace: Workspace, place: AnchorLocation) -> Iterator[str]:
    found = stored_bytes(workspace, place.path) if place.path and place.start_line else None
    lines = found[1].splitlines()[place.start_line - 1 : place.end_line] if found else []
    return _lines(b"\n".join(lines))


def _lines(code: bytes) -> Iterator[str]:
    return iter([visible(line) for line in redact(code.decode("utf-8", "replace")).split("\n")] if code else [])
