"""`repomem review` and `repomem confirm`: what waits for a person, one key each; agents see the list."""

import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from repomem.cli.memories.remember import known_prefix
from repomem.cli.terminal.caller import speaker
from repomem.cli.terminal.console import out, tell, workspace_at
from repomem.cli.terminal.formats import Format, out_json, present
from repomem.core.errors import RepomemError
from repomem.core.escape import one_line, quoted, visible_path
from repomem.core.secrets.redact import redact
from repomem.core.types import SHORT_HASH

if TYPE_CHECKING:
    from repomem.memories.at_head import Remembered
    from repomem.memories.review import Waiting
    from repomem.workspace.workspace import Workspace

SCHEMA = "repomem.review/1"
TEXT_LENGTH = 300
KEYS = "[c]onfirm  [a]nchor again  [t]ake the proposal  [f]orget  [s]kip  [q]uit"

Pressed = Callable[[], str]


@dataclass(frozen=True, slots=True)
class ReviewRequest:
    """What the command line asks for."""

    directory: Path
    format: Format


def review_command(request: ReviewRequest, pressed: Pressed) -> None:
    """List what waits; a person at a terminal goes through it, one key each (`pressed` gives the next)."""
    from repomem.memories.remember_now import known_now
    from repomem.memories.review import waiting

    with workspace_at(request.directory) as workspace:
        known = known_now(workspace)
        found = waiting(known)
        if request.format is Format.JSON:
            out_json({"schema": SCHEMA, "waiting": [_json(each) for each in found]})
        elif not found:
            out("nothing waits for a person\n")
        elif not (speaker().is_person and sys.stdout.isatty()):
            out("".join(f"{_line(each, known)}\n" for each in found))
        else:
            _go_through(workspace, found, known, pressed)


def confirm_command(directory: Path, wanted: list[str], denied: str) -> None:
    """A person confirms memories; with `denied`, somebody says why one is not true."""
    from repomem.memories.remember import resolve_id
    from repomem.memories.remember_now import known_now
    from repomem.memories.review import confirm, contradict

    with workspace_at(directory) as workspace:
        known = known_now(workspace)
        names = [resolve_id(known, each) for each in wanted]
        if denied:
            for name in names:
                contradict(workspace, name, redact(one_line(denied, TEXT_LENGTH)), speaker())
        else:
            confirm(workspace, names, speaker())
        deed = "denied" if denied else "confirmed"
        out("".join(f"{deed}: {known_prefix(known, name)}\n" for name in names))


def _go_through(workspace: "Workspace", found: "list[Waiting]", known: "Remembered", pressed: Pressed) -> None:
    tell(KEYS)
    for each in found:
        out(f"{_line(each, known)}\n")
        sys.stdout.flush()
        if not _settled(workspace, each, known, pressed):
            return


def _settled(workspace: "Workspace", each: "Waiting", known: "Remembered", pressed: Pressed) -> bool:
    """Do what the key says; False to leave. A key that cannot do its work says why, and another may be pressed."""
    while True:
        key = pressed()
        if key in {"q", ""}:
            return False
        if key == "s":
            return True
        try:
            deed = _deeds(workspace, each, known).get(key)
            if deed is not None:
                tell(deed())
                return True
            tell(KEYS)
        except RepomemError as error:
            tell(f"{error.message}; {error.hint}" if error.hint else error.message)


def _deeds(workspace: "Workspace", each: "Waiting", known: "Remembered") -> dict[str, Callable[[], str]]:
    from repomem.memories.forget import forget
    from repomem.memories.remember import supersede
    from repomem.memories.review import anchor_again, confirm

    one = each.standing
    name = one.memory.id

    def confirmed() -> str:
        confirm(workspace, [name], speaker())
        return "confirmed"

    def anchored() -> str:
        anchors = anchor_again(workspace, one, speaker())
        return f"anchored to {', '.join(visible_path(a.path) + (a.symbol and ':' + a.symbol) for a in anchors)}"

    def taken() -> str:
        if not one.contested_by:
            raise RepomemError("nothing is proposed in its place")
        confirm(workspace, [one.contested_by], speaker())
        supersede(workspace, speaker(), name, one.contested_by)
        return f"superseded by {known_prefix(known, one.contested_by)}"

    def forgotten() -> str:
        forget(workspace, known, name, speaker(), is_purge=False)
        return "forgotten"

    return {"c": confirmed, "a": anchored, "t": taken, "f": forgotten}


def _line(each: "Waiting", known: "Remembered") -> str:
    one = each.standing
    memory = one.memory
    by = f" by {one.commit[:SHORT_HASH]}" if one.commit else ""
    why = one.why or {"provisional": "not confirmed", "gone": "its code is gone"}.get(each.why, "")
    if one.contested_by:
        other = known.standings[one.contested_by].memory
        why = f"proposed instead: {known_prefix(known, other.id)} {quoted(one_line(other.said.text, TEXT_LENGTH))}"
    text = quoted(one_line(memory.said.text, TEXT_LENGTH))
    who = f"{one_line(memory.origin.author, 60)} {memory.origin.at[:10]}"
    places = ", ".join(visible_path(a.path) + (a.symbol and f":{a.symbol}") for a in memory.said.anchors)
    parts = [f"{each.why}{by}" + (f" ({why})" if why else ""), who, places and f"on {places}"]
    return f"{known_prefix(known, memory.id)} {memory.said.kind.value} {text} · {' · '.join(filter(None, parts))}"


def _json(each: "Waiting") -> dict[str, Any]:
    one = each.standing
    memory = one.memory
    return present(
        {
            "id": memory.id,
            "kind": memory.said.kind.value,
            "text": memory.said.text,
            "waits": each.why,
            "status": one.status.value,
            "status_commit": one.commit,
            "why": one.why,
            "proposed": one.contested_by,
            "author": memory.origin.author,
            "source": memory.origin.source.value,
            "date": memory.origin.at[:10],
            "anchors": [present({"path": a.path, "symbol": a.symbol}) for a in memory.said.anchors],
        }
    )
