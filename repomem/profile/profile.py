"""The profile of the repository, as the index made it and people corrected it. Reads the catalog alone.

What this module imports is all that a profile costs: no parser, no ranking, no LanceDB.
"""

import json
from collections.abc import Iterable
from dataclasses import asdict

from repomem.adapters.sqlite.catalog import Worktree
from repomem.core.errors import NotFound
from repomem.core.escape import one_line
from repomem.core.types import Fact
from repomem.profile.slots import UNCORRECTED, Corrections, Profile, Slot, SlotLine, Voice, corrected, fitted
from repomem.workspace.workspace import Workspace


def profile_of(workspace: Workspace, corrections: Corrections = UNCORRECTED) -> Profile:
    """The profile of this work tree as it was last indexed. Raises NotFound where it never was."""
    known = workspace.catalog.worktree(workspace.root)
    if known is None:
        raise NotFound("nothing is indexed here yet", "run repomem index")
    return fitted(lines_of(known, corrections))


def lines_of(worktree: Worktree, corrections: Corrections = UNCORRECTED) -> list[SlotLine]:
    """Every line that a profile of this work tree may have, those without room among them."""
    return corrected((_line(**values) for values in json.loads(worktree.profile)), corrections)


def lines_text(lines: Iterable[SlotLine]) -> str:
    """The lines as the catalog keeps them."""
    return json.dumps([asdict(line) for line in lines])


def needs(runtime: Fact) -> str:
    """What must be there to build and run, as the slot of how to build has it."""
    return f"needs {one_line(runtime.text, 120)}"


def _line(slot: str, text: str, source: str, voice: str) -> SlotLine:
    return SlotLine(Slot(slot), text, source, Voice(voice))
