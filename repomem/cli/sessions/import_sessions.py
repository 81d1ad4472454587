"""`repomem session import`: import past sessions of agent hosts from this machine."""

from collections.abc import Iterator, Sequence

from repomem.capture.import_sessions import Imported, import_sessions, known_hosts
from repomem.cli.terminal.console import out
from repomem.cli.terminal.formats import Format, out_json
from repomem.cli.terminal.progress import progress_for_terminal
from repomem.core.text.counts import counted
from repomem.workspace.workspace import Workspace

SCHEMA = "repomem.session-import/1"


def import_command(workspace: Workspace, hosts: Sequence[str], form: Format, *, is_all: bool) -> None:
    """Import the sessions of `hosts` (none: of every known host), and print the counts."""
    progress = progress_for_terminal(is_quiet=form is Format.JSON)
    done = {host: import_sessions(workspace, host, progress, is_all=is_all) for host in hosts or known_hosts()}
    if form is Format.JSON:
        out_json({"schema": SCHEMA, "hosts": done})
        return
    shown = {host: one for host, one in done.items() if hosts or one.read or one.others}
    for host, one in shown.items():
        out(f"{host}: {', '.join(_counts(one))}\n")
    if not shown:
        out("no sessions of a known agent host on this machine\n")


def _counts(done: Imported) -> Iterator[str]:
    yield f"{counted(done.read, 'session')} of this repository"
    if done.read:
        memories = counted(done.statements, "new memory", "new memories")
        yield f"{counted(done.notes, 'new note')} and {memories} (provisional until their code survives)"
    if done.left_to_read:
        yield f"{counted(done.left_to_read, 'older session')} skipped (--all reads them)"
    if done.others:
        yield f"{counted(done.others, 'session')} of other projects skipped"
    if done.unreadable:
        yield f"{counted(done.unreadable, 'session')} without readable content"
