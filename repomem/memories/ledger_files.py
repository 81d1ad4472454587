"""Export the ledger as JSON lines, import such lines, and verify its copies."""

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from repomem.adapters.ledger.lines import BadLine, plain, record_of_json, record_of_line
from repomem.core.foreign_records import clean_record
from repomem.core.records import Record
from repomem.core.secrets.redact import redact
from repomem.core.text.lazy_pattern import lazy_pattern
from repomem.core.types.text import CleanText
from repomem.workspace.ledger import ledger_of
from repomem.workspace.workspace import Workspace

IMPORT_LIMIT = 1 << 28  # bytes
_TEXT = lazy_pattern(r'"text":"((?:[^"\\]|\\.)*)"')


@dataclass(frozen=True, slots=True)
class ImportResult:
    """The counts of an import."""

    added: int
    known: int
    refused: int  # lines that are not records


@dataclass(frozen=True, slots=True)
class CopyState:
    """One copy of the ledger."""

    folder: Path
    records: int
    bad_lines: int  # the next writer sets them aside
    set_aside: int  # by an earlier writer
    missing: int  # records that another copy has


@dataclass(frozen=True, slots=True)
class LostRecord:
    """A record of which every copy is damaged."""

    id: str
    text: CleanText  # as far as it can be read


def export_lines(workspace: Workspace) -> Iterator[str]:
    """Every record as one line of JSON, ordered by id."""
    for record in ledger_of(workspace).records():
        yield json.dumps(plain(record), ensure_ascii=False, sort_keys=True)


def import_lines(workspace: Workspace, lines: Iterable[bytes]) -> ImportResult:
    """Merge records by id: exported ones, or the lines of a ledger. Repeated and invalid lines change nothing."""
    records: dict[str, Record] = {}
    refused = 0
    for line in lines:
        if line.strip():
            try:
                record = _record(line)
            except BadLine:
                refused += 1
            else:
                records[record.id] = clean_record(record)
    added = ledger_of(workspace).append(lambda _: list(records.values())) if records else []
    return ImportResult(len(added), len(records) - len(added), refused)


def _record(line: bytes) -> Record:
    """The record in a line of an export or of a ledger. Raises BadLine."""
    if line.lstrip().startswith(b"{"):
        return record_of_json(line)
    record_of_line(line)  # verifies the checksum
    return record_of_json(line.partition(b" ")[2])


def verify_copies(workspace: Workspace) -> list[CopyState]:
    """Every copy, compared with all copies together."""
    ledger = ledger_of(workspace)
    every = {record.id for record in ledger.records()}
    return [
        CopyState(copy.folder, len(copy.records), len(copy.bad) + copy.is_torn, aside, len(every - copy.records.keys()))
        for copy, aside in ledger.copies()
    ]


def lost_records(workspace: Workspace) -> list[LostRecord]:
    """The records of which every copy is damaged, with what of them can still be read."""
    return [LostRecord(name, _text_in(line)) for name, line in ledger_of(workspace).lost().items()]


def _text_in(line: bytes) -> CleanText:
    found = _TEXT.search(line.decode("utf-8", "replace"))
    return redact(found[1] if found else "")
