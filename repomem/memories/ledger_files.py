"""The ledger in and out: an export as JSON lines, an import merged by id, and whether every copy is sound."""

import json
import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from repomem.adapters.ledger.lines import BadLine, plain, record_of_json
from repomem.core.escape import visible
from repomem.core.records import Anchor, Origin, Record, Said, redacted
from repomem.core.secrets.redact import redact
from repomem.core.types import CleanText
from repomem.workspace.ledger import ledger_of
from repomem.workspace.workspace import Workspace

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
                records[record.id] = cleaned(record)
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


def cleaned(record: Record) -> Record:
    """A record from elsewhere: what looks like a secret, and what cannot be seen, does not come in with it."""
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


def _cleaned_said(said: Said) -> Said:
    return replace(
        said,
        text=_clean_text(said.text),
        why=_clean_text(said.why),
        rejected=tuple(map(_clean_text, said.rejected)),
        importance=min(max(said.importance, 1), 5),
        scope=tuple(map(visible, said.scope)),
        anchors=_cleaned_anchors(said.anchors),
    )


def _cleaned_anchors(anchors: Iterable[Anchor]) -> tuple[Anchor, ...]:
    """Those on a path that a file can have. The symbol is printed as it is, the path is escaped where it is shown."""
    return tuple(
        replace(each, symbol=visible(each.symbol), blob=visible(each.blob), print=visible(each.print))
        for each in anchors
        if _can_be_path(each.path)
    )


def _can_be_path(path: str) -> bool:
    try:
        return b"\0" not in os.fsencode(path)
    except UnicodeEncodeError:  # half of a pair, which JSON can spell
        return False


def _clean_text(text: str) -> CleanText:
    return redact(visible(text))
