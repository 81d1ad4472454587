"""The code of a memory's anchors: as it was when the memory was recorded, and as it is now."""

from dataclasses import dataclass
from difflib import unified_diff

from repomem.core.records import BEHIND
from repomem.core.secrets.redact import redact
from repomem.core.text.escape import visible
from repomem.memories.anchors.fingerprints import Fingerprints
from repomem.memories.anchors.live_files import stored_files
from repomem.memories.status import AnchorLocation, MemoryState
from repomem.workspace.workspace import Workspace


@dataclass(frozen=True, slots=True)
class CodeLines:
    """The lines of a file, or of a symbol in it, without secrets and invisible characters."""

    start: int = 1  # number of the first line in its file
    lines: tuple[str, ...] = ()  # empty where it does not exist or cannot be read


@dataclass(frozen=True, slots=True)
class AnchoredCode:
    """The code of one anchor."""

    location: AnchorLocation
    then: CodeLines
    now: CodeLines

    @property
    def path(self) -> str:
        """The file now, or the last one that had it."""
        return self.location.path or self.location.anchor.path

    @property
    def symbol(self) -> str:
        """The symbol now, or its last name; empty for a file as a whole."""
        return self.location.symbol or self.location.anchor.symbol

    @property
    def is_own_symbol(self) -> bool:
        """Whether it is a symbol that the memory is about, not a file as a whole or called code."""
        return bool(self.symbol) and self.location.anchor.derived not in BEHIND

    def diff(self, most: int) -> list[str]:
        """The changed lines with one line of context, the first `most` of them; empty if one side is missing."""
        then, now = self.then.lines, self.now.lines
        if not then or not now:
            return []
        lines = [line for line in unified_diff(then, now, n=1, lineterm="") if line[:3] not in {"---", "+++"}]
        return lines if len(lines) <= most else [*lines[:most], f"… {len(lines) - most} more lines"]


def anchored_code(workspace: Workspace, one: MemoryState) -> list[AnchoredCode]:
    """The code of each located anchor, then and now; none for a memory without anchors, or an archived one."""
    prints = Fingerprints(workspace)
    paths = list({each.path for each in one.locations if each.path})
    present = {path: blob for path, blob, _ in stored_files(workspace, paths)}
    prints.learn([(each.anchor.blob, each.anchor.path) for each in one.locations])
    prints.learn([(blob, path) for path, blob in present.items()])
    return [
        AnchoredCode(
            each,
            _lines(prints, each.anchor.blob, each.anchor.path, each.anchor.symbol, each.anchor.print),
            _lines(prints, present.get(each.path, ""), each.path, each.symbol),
        )
        for each in one.locations
    ]


def _lines(prints: Fingerprints, blob: str, path: str, symbol: str, wanted: str = "") -> CodeLines:
    """A version of a file or symbol; of several symbols of one name the one with the fingerprint, else the largest."""
    data = dict(prints.contents([(blob, path)])).get(blob) if blob else None
    if data is None:
        return CodeLines()
    lines = tuple(map(visible, redact(data.decode("utf-8", "replace")).splitlines()))
    if not symbol:
        return CodeLines(1, lines)
    named = [each for each in prints.of(blob) if each.qualified == symbol]
    if not named:
        return CodeLines()
    best = max(named, key=lambda each: (each.print == wanted, each.tokens))
    return CodeLines(best.start_line, lines[best.start_line - 1 : best.end_line])
