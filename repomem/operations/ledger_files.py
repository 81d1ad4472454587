"""The ledger in and out: an export as JSON lines, an import merged by id, and whether every copy is sound."""

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from repomem.core.escape import visible
from repomem.core.records import Record, redacted
from repomem.core.redact import redact
from repomem.core.types import CleanText
from repomem.operations.ledgers import ledger_of
from repomem.operations.workspace import Workspace
from repomem.sources.ledger_lines import BadLine, plain, record_of_json

IMPORT_LIMIT = 1 << 28  # bytes


@dataclass(frozen=True, slots=True)
class Imported:
    """What an import did."""

    added: int
    known: int
    refused: int  # lines that are no records


@dataclass(frozen=True, slots=True)
class CopyState:
    """One copy of the ledger."""

    folder: Path
    records: int
    bad_lines: int  # in the file: the next writer sets them aside
    set_aside: int  # by an earlier writer
    missing: int  # records that another copy has


def exported(workspace: Workspace) -> Iterator[str]:
    """Every record as a line of JSON, in the order of ids."""
    for record in ledger_of(workspace).records():
        yield json.dumps(plain(record), ensure_ascii=False, sort_keys=True)


def import_lines(workspace: Workspace, lines: Iterable[bytes]) -> Imported:
    """Merge exported records by id: twice is once. Lines that are no records are counted, and change nothing."""
    records: dict[str, Record] = {}
    refused = 0
    for line in lines:
        if line.strip():
            try:
                record = record_of_json(line)
            except BadLine:
                refused += 1
            else:
                records[record.id] = _clean(record)
    added = ledger_of(workspace).append(lambda _: list(records.values())) if records else []
    return Imported(len(added), len(records) - len(added), refused)


def verified(workspace: Workspace) -> list[CopyState]:
    """Every copy that there is, compared with all of them together."""
    ledger = ledger_of(workspace)
    every = {record.id for record in ledger.records()}
    return [
        CopyState(copy.folder, len(copy.records), len(copy.bad) + copy.is_torn, aside, len(every - copy.records.keys()))
        for copy, aside in ledger.copies()
    ]


def settle(workspace: Workspace) -> bool:
    """Bring the copies up to date; whether all of them now agree."""
    return ledger_of(workspace).settle()


def _clean(record: Record) -> Record:
    """A record from elsewhere: what looks like a secret, and what cannot be seen, does not come in with it."""
    said = record.said and replace(
        record.said,
        text=_clean_text(record.said.text),
        why=_clean_text(record.said.why),
        rejected=tuple(map(_clean_text, record.said.rejected)),
    )
    return redacted(replace(record, said=said, text=_clean_text(record.text)))


def _clean_text(text: str) -> CleanText:
    return redact(visible(text))
