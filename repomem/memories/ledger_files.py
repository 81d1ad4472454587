"""Export the ledger as JSON lines, import such lines, and verify its copies."""

import json
import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from repomem.adapters.ledger.lines import BadLine, plain, record_of_json
from repomem.core.escape import visible
from repomem.core.records import Anchor, MemoryContent, Origin, Record, redacted
from repomem.core.secrets.redact import redact
from repomem.core.types.text import CleanText
from repomem.workspace.ledger import ledger_of
from repomem.workspace.workspace import Workspace

IMPORT_LIMIT = 1 << 28  # bytes


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


def export_lines(workspace: Workspace) -> Iterator[str]:
    """Every record as one line of JSON, ordered by id."""
    for record in ledger_of(workspace).records():
        yield json.dumps(plain(record), ensure_ascii=False, sort_keys=True)


def import_lines(workspace: Workspace, lines: Iterable[bytes]) -> ImportResult:
    """Merge exported records by id. Repeated records and invalid lines change nothing."""
    records: dict[str, Record] = {}
    refused = 0
    for line in lines:
        if line.strip():
            try:
                record = record_of_json(line)
            except BadLine:
                refused += 1
            else:
                records[record.id] = clean_record(record)
    added = ledger_of(workspace).append(lambda _: list(records.values())) if records else []
    return ImportResult(len(added), len(records) - len(added), refused)


def verify_copies(workspace: Workspace) -> list[CopyState]:
    """Every copy, compared with all copies together."""
    ledger = ledger_of(workspace)
    every = {record.id for record in ledger.records()}
    return [
        CopyState(copy.folder, len(copy.records), len(copy.bad) + copy.is_torn, aside, len(every - copy.records.keys()))
        for copy, aside in ledger.copies()
    ]


def clean_record(record: Record) -> Record:
    """A record from elsewhere, without secrets and invisible characters."""
    return redacted(
        replace(
            record,
            origin=_cleaned_origin(record.origin),
            said=record.said and _cleaned_said(record.said),
            text=_clean_text(record.text),
            other=visible(record.other),
            targets=tuple(map(visible, record.targets)),
            anchors=_cleaned_anchors(record.anchors),
        )
    )


def _cleaned_origin(origin: Origin) -> Origin:
    return replace(
        origin,
        at=visible(origin.at),
        author=visible(origin.author),
        tool=visible(origin.tool),
        head=visible(origin.head),
        branch=visible(origin.branch),
        session=visible(origin.session),
    )


def _cleaned_said(said: MemoryContent) -> MemoryContent:
    return replace(
        said,
        text=_clean_text(said.text),
        why=_clean_text(said.why),
        rejected=tuple(map(_clean_text, said.rejected)),
        importance=min(max(said.importance, 1), 5),
        scope=tuple(map(visible, said.scope)),
        anchors=_cleaned_anchors(said.anchors),
        sentence=_clean_text(said.sentence),
    )


def _cleaned_anchors(anchors: Iterable[Anchor]) -> tuple[Anchor, ...]:
    """The anchors with a possible path. Symbols are cleaned, because they are printed raw."""
    return tuple(
        replace(each, symbol=visible(each.symbol), blob=visible(each.blob), print=visible(each.print))
        for each in anchors
        if _can_be_path(each.path)
    )


def _can_be_path(path: str) -> bool:
    try:
        return b"\0" not in os.fsencode(path)
    except UnicodeEncodeError:  # a lone surrogate, which JSON can contain
        return False


def _clean_text(text: str) -> CleanText:
    return redact(visible(text))
