"""`repomem restore`: show a forgotten, archived or grouped memory again; without an id, list the forgotten ones."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from repomem.cli.terminal.caller import speaker
from repomem.cli.terminal.console import out, tell, workspace_at
from repomem.cli.terminal.formats import Format, out_json
from repomem.core.escape import one_line, quoted

if TYPE_CHECKING:
    from repomem.core.records import Memory

SCHEMA = "repomem.restore/1"
TEXT_LENGTH = 100  # characters of a memory


def restore_command(directory: Path, wanted: str, form: Format) -> None:
    """Restore a memory."""
    from repomem.memories.restore import restore
    from repomem.memories.snapshots.snapshot import memories_now

    with workspace_at(directory) as workspace:
        known = memories_now(workspace)
        memory = restore(workspace, known, wanted, speaker())
        if form is Format.JSON:
            out_json({"schema": SCHEMA, "restored": memory.id})
        else:
            out(f"restored: {known.short_id(memory.id)} {_text(memory)}\n")


def forgotten_command(directory: Path, form: Format) -> None:
    """List the forgotten memories, last forgotten first."""
    from repomem.memories.snapshots.snapshot import memories_now

    with workspace_at(directory) as workspace:
        known = memories_now(workspace)
        found = known.forgotten
        if form is Format.JSON:
            out_json({"schema": SCHEMA, "forgotten": [_json(each, known.short_id(each.id)) for each in found]})
            return
        out("".join(f"{known.short_id(each.id)} {each.said.kind.value} {_text(each)}\n" for each in found))
        if not found:
            tell("nothing is forgotten; repomem memories --all lists archived and grouped memories")


def _json(memory: "Memory", short_id: str) -> dict[str, Any]:
    kind, text = memory.said.kind.value, memory.said.text
    return {"id": memory.id, "short_id": short_id, "kind": kind, "text": text}


def _text(memory: "Memory") -> str:
    return quoted(one_line(memory.said.text, TEXT_LENGTH))
