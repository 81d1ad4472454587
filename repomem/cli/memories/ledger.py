"""`repomem ledger export|import|verify`: what cannot be rebuilt, out, in, and looked over."""

import sys
from dataclasses import dataclass
from pathlib import Path

from repomem.cli.terminal.console import out, workspace_at
from repomem.cli.terminal.formats import Format, out_json
from repomem.core.errors import RepomemError

VERIFY_SCHEMA = "repomem.ledger/1"


@dataclass(frozen=True, slots=True)
class LedgerRequest:
    """What the command line asks for; `file` is None for stdin and stdout."""

    directory: Path
    file: Path | None = None
    format: Format = Format.TEXT


def export_command(request: LedgerRequest) -> None:
    """Print every record as a line of JSON, or write them to a file."""
    from repomem.memories.ledger_files import exported

    with workspace_at(request.directory) as workspace:
        text = "".join(f"{line}\n" for line in exported(workspace))
    if request.file is None:
        out(text)
        return
    try:
        request.file.write_text(text, encoding="utf-8", errors="surrogatepass")
    except OSError as error:
        raise RepomemError(f"cannot write {request.file}: {error.strerror}", "give another file") from error


def import_command(request: LedgerRequest) -> None:
    """Merge exported records; one that is known changes nothing."""
    from repomem.memories.ledger_files import IMPORT_LIMIT, import_lines

    try:
        data = sys.stdin.buffer.read(IMPORT_LIMIT + 1) if request.file is None else request.file.read_bytes()
    except OSError as error:
        raise RepomemError(
            f"cannot read {request.file}: {error.strerror}", "give a file of repomem ledger export"
        ) from error
    if len(data) > IMPORT_LIMIT:
        raise RepomemError("that is larger than a ledger can be", "give a file of repomem ledger export")
    with workspace_at(request.directory) as workspace:
        done = import_lines(workspace, data.split(b"\n"))
    if done.refused and not (done.added or done.known):
        raise RepomemError("none of its lines is a record", "give a file of repomem ledger export")
    out(f"added {done.added}, known before {done.known}" + (f", refused {done.refused}" if done.refused else "") + "\n")


def verify_command(request: LedgerRequest) -> None:
    """Read every line of every copy, mend what can be mended, and say what was found; an error where a copy lags."""
    from repomem.memories.ledger_files import settle, verified

    with workspace_at(request.directory) as workspace:
        found = verified(workspace)
        is_settled = settle(workspace)
        after = verified(workspace)
    if request.format is Format.JSON:
        copies = [
            {
                "folder": str(c.folder),
                "records": c.records,
                "bad_lines": c.bad_lines,
                "set_aside": c.set_aside,
                "missing": c.missing,
            }
            for c in after
        ]
        out_json({"schema": VERIFY_SCHEMA, "sound": is_settled, "copies": copies})
    else:
        for copy in found or after:
            said = [f"{copy.records} records"]
            said += [f"{copy.missing} missing"] * bool(copy.missing)
            said += [f"{copy.bad_lines} damaged lines"] * bool(copy.bad_lines)
            said += [f"{copy.set_aside} lines set aside before"] * bool(copy.set_aside)
            out(f"{copy.folder}: {', '.join(said)}\n")
        mended = any(c.missing or c.bad_lines for c in found)
        out(("mended: " if mended else "") + "every copy holds every record\n" if is_settled else "")
    if not is_settled:
        raise RepomemError(
            "a copy of the ledger could not be brought up to date", "check the owner and mode of its folder"
        )
