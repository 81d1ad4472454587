"""`repomem session import`: what past sessions of agent hosts have shown, brought in from this machine."""

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from repomem.cli.terminal.console import out, workspace_at
from repomem.cli.terminal.formats import Format, out_json
from repomem.cli.terminal.progress import progress_for_terminal

if TYPE_CHECKING:
    from repomem.capture.import_sessions import Imported

SCHEMA = "repomem.session-import/1"


@dataclass(frozen=True, slots=True)
class ImportRequest:
    """What the command line asks for; without hosts, all that can be read."""

    directory: Path
    hosts: tuple[str, ...]
    format: Format
    is_all: bool


def import_command(request: ImportRequest) -> None:
    """Bring the sessions in, and say what they showed."""
    from repomem.capture.import_sessions import import_sessions, known_hosts

    progress = progress_for_terminal(is_quiet=request.format is Format.JSON)
    with workspace_at(request.directory) as workspace:
        done = {
            host: import_sessions(workspace, host, progress, is_all=request.is_all)
            for host in request.hosts or known_hosts()
        }
    if request.format is Format.JSON:
        out_json({"schema": SCHEMA, "hosts": {host: asdict(one) for host, one in done.items()}})
        return
    found = {host: one for host, one in done.items() if request.hosts or one.read or one.others}
    for host, one in found.items():
        out(f"{host}: {', '.join(_told(one))}\n")
    if not found:
        out("no session of a known host was found on this machine\n")


def _told(done: "Imported") -> Iterator[str]:
    yield f"{done.read} sessions of this repository"
    yield f"{done.notes} new notes and {done.statements} new memories, provisional until their code lives"
    if done.left_to_read:
        yield f"{done.left_to_read} older ones not read (--all reads them)"
    if done.others:
        yield f"{done.others} of other projects left out"
    if done.unreadable:
        yield f"{done.unreadable} without anything to read"
