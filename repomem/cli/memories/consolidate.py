"""`repomem consolidate`: what was grouped, archived and distilled, or would be; and the way back."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from repomem.cli.terminal.console import out, tell, workspace_at
from repomem.cli.terminal.formats import Format, out_json
from repomem.core.errors import StoreError
from repomem.core.escape import one_line, quoted

if TYPE_CHECKING:
    from repomem.memories.consolidate.run import Consolidated
    from repomem.workspace.workspace import Workspace

SCHEMA = "repomem.consolidate/1"
TEXT_LENGTH = 100  # characters of a memory
MOST_DISTILLED = 10  # lines; JSON has them all


@dataclass(frozen=True, slots=True)
class ConsolidateRequest:
    """What the command line asks for."""

    directory: Path
    format: Format
    model: str = ""  # that adds prose
    is_dry_run: bool = False


def consolidate_command(request: ConsolidateRequest) -> None:
    """Consolidate, or print what it would do."""
    from repomem.memories.consolidate.run import consolidate

    with workspace_at(request.directory) as workspace:
        _index_at_first(workspace)
        done = consolidate(workspace, is_dry_run=request.is_dry_run)
        if request.format is Format.TEXT:
            out("".join(f"{line}\n" for line in _lines(done)))  # before a model is asked, which may refuse
        written = _prose(workspace, request.model) if request.model and not request.is_dry_run else 0
    if request.format is Format.JSON:
        out_json({"schema": SCHEMA, **_json(done), "summaries": written})
    elif written:
        out(f"summaries written: {written}; repomem show has them\n")
    if done.unread:
        raise StoreError(
            f"recalls were not counted: {done.unread[0]} cannot be read",
            "mend or delete it, then run repomem consolidate again: it says which memories were shown, nothing else",
        )


def restore_command(directory: Path, wanted: str, form: Format) -> None:
    """Bring a memory back that was archived or grouped."""
    from repomem.cli.terminal.caller import speaker
    from repomem.memories.consolidate.run import restore
    from repomem.memories.remember_now import known_now

    with workspace_at(directory) as workspace:
        known = known_now(workspace)
        name = restore(workspace, known, wanted, speaker())
        text = one_line(known.standings[name].memory.said.text, TEXT_LENGTH)
    if form is Format.JSON:
        out_json({"schema": SCHEMA, "restored": name})
    else:
        out(f"restored: {name} {quoted(text)}\n")


def _index_at_first(workspace: "Workspace") -> None:
    """Index what was never indexed; else the state that was published last will do."""
    if workspace.catalog.worktree(workspace.root) is None:
        from repomem.recall.answer import ready
        from repomem.workspace.run import Run

        ready(workspace, Run())


def _prose(workspace: "Workspace", model: str) -> int:
    from repomem.memories.prose import add_prose

    tell(f"asking {one_line(model, TEXT_LENGTH)} for a sentence on each group")
    return add_prose(workspace, model)


def _lines(done: "Consolidated") -> Iterator[str]:
    would = "would be " if done.is_dry_run else ""
    if not (done.groups or done.archived or done.recalled):
        yield "nothing to group, archive or count" + (": another run is on" if _is_blocked(done) else "")
    for group in done.groups:
        yield f"{would}grouped under {group.id} {_shown(group.text)} ({group.likeness:.0%} alike):"
        yield from (f"  {name} {_shown(text)}" for name, text in group.members)
    for each in done.archived:
        yield f"{would}archived: {each.id} {_shown(each.text)} ({each.reason})"
    if done.recalled:
        yield f"recalls {would}counted: {done.recalled} memor{'y' if done.recalled == 1 else 'ies'}"
    yield from (f"distilled: {line}" for line in done.distilled[:MOST_DISTILLED])
    if len(done.distilled) > MOST_DISTILLED:
        yield f"distilled: {len(done.distilled) - MOST_DISTILLED} more (--format json)"
    if (done.groups or done.archived) and not done.is_dry_run:
        yield "bring one back: repomem consolidate --restore ID"


def _is_blocked(done: "Consolidated") -> bool:
    return bool(done.left) and not done.distilled


def _shown(text: str) -> str:
    return quoted(one_line(text, TEXT_LENGTH))


def _json(done: "Consolidated") -> dict[str, object]:
    return {
        "dry_run": done.is_dry_run,
        "groups": [
            {"id": each.id, "members": [name for name, _ in each.members], "likeness": round(each.likeness, 4)}
            for each in done.groups
        ],
        "archived": [{"id": each.id, "reason": each.reason} for each in done.archived],
        "recalled": done.recalled,
        "distilled": list(done.distilled),
        "left": list(done.left),
    }
