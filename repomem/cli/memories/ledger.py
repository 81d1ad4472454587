"""`repomem ledger export|import|verify`: back up the ledger, restore it, and check its copies."""

import sys
from dataclasses import asdict
from pathlib import Path

from repomem.cli.terminal.console import out
from repomem.cli.terminal.formats import Format, out_json
from repomem.core.errors import RepomemError
from repomem.core.text.counts import counted
from repomem.core.text.escape import one_line, quoted
from repomem.memories.ledger_files import IMPORT_LIMIT, export_lines, import_lines, lost_records, verify_copies
from repomem.workspace.ledger import ledger_of
from repomem.workspace.workspace import Workspace

VERIFY_SCHEMA = "repomem.ledger/1"
LOST_TEXT = 200  # characters
RECORD_AGAIN = "record it again by `repomem remember`, then delete the files ledger.damaged in the folders above"
EXPORTED = "give a file written by repomem ledger export"  # the hint for a file that is none


def export_command(workspace: Workspace, file: Path | None) -> None:
    """Write every record as one line of JSON to a file, or to stdout without one."""
    text = "".join(f"{line}\n" for line in export_lines(workspace))
    if file is None:
        out(text)
        return
    try:
        file.write_text(text, encoding="utf-8", errors="surrogatepass")
    except OSError as error:
        raise RepomemError(f"cannot write {file}: {error.strerror}", "give another file") from error


def import_command(workspace: Workspace, file: Path | None) -> None:
    """Merge exported records from a file, or from stdin without one; known records change nothing."""
    try:
        data = sys.stdin.buffer.read(IMPORT_LIMIT + 1) if file is None else file.read_bytes()
    except OSError as error:
        raise RepomemError(f"cannot read {file}: {error.strerror}", EXPORTED) from error
    if len(data) > IMPORT_LIMIT:
        raise RepomemError("the file is too large for a ledger", EXPORTED)
    result = import_lines(workspace, data.split(b"\n"))
    if result.refused and not (result.added or result.known):
        raise RepomemError("no line of the file is a ledger record", EXPORTED)
    refused = f", {result.refused} refused" if result.refused else ""
    out(f"{counted(result.added, 'record')} added, {result.known} already known{refused}\n")


def verify_command(workspace: Workspace, form: Format) -> None:
    """Read every line of every copy, repair what can be repaired, and report; an error if a copy is incomplete."""
    before = verify_copies(workspace)
    is_settled = ledger_of(workspace).settle()
    after, lost = verify_copies(workspace), lost_records(workspace)
    if form is Format.JSON:
        copies = [{**asdict(copy), "folder": str(copy.folder)} for copy in after]
        answer = {"schema": VERIFY_SCHEMA, "sound": is_settled, "copies": copies, "lost": [asdict(one) for one in lost]}
        out_json(answer)
    else:
        for copy in before or after:
            counts = [counted(copy.records, "record")]
            counts += [f"{copy.missing} missing"] * bool(copy.missing)
            counts += [counted(copy.bad_lines, "damaged line")] * bool(copy.bad_lines)
            counts += [f"{counted(copy.set_aside, 'line')} set aside earlier"] * bool(copy.set_aside)
            out(f"{copy.folder}: {', '.join(counts)}\n")
        is_repaired = any(c.missing or c.bad_lines for c in before)
        holds = f"every copy holds every record{' that is left' if lost else ''}\n"
        out(("repaired: " if is_repaired else "") + holds if is_settled else "")
        for one in lost:
            out(f"lost: {one.id} {quoted(one_line(one.text, LOST_TEXT))}\n")
    if not is_settled:
        raise RepomemError("a copy of the ledger cannot be updated", "check the owner and mode of its folder")
    if lost:
        raise RepomemError(f"{counted(len(lost), 'record')} cannot be repaired: every copy is damaged", RECORD_AGAIN)
