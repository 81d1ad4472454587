"""The shared ledger: the lines of several writers, merged without conflicts.

Lines never change, so a merge is a union, whose order does not matter. A purge applies to all writers. A line that only
a later version can read is passed on unchanged.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Sequence, Set as AbstractSet
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from repomem.adapters.ledger.lines import FIRST_REFUSED_ID, BadLine, json_of, line_of, record_of_line, signed_part
from repomem.core.records import Record, digest_of_id, purged_in, without_purged
from repomem.core.ulid import is_ulid, time_of

Sign = Callable[[bytes], str]  # bytes to a signature
LONGEST_LINE = 1 << 20  # bytes; repomem never writes a longer line


@dataclass(frozen=True, slots=True)
class SharedLine:
    """One line of the shared ledger, with its line feed. `record` is None if only a later version can read it."""

    writer: str
    id: str
    line: bytes
    record: Record | None = None


def shared_line(writer: str, record: Record, sign: Sign | None = None) -> SharedLine:
    """A record as shared: the same bytes whichever machine passes it on. Only its writer signs it."""
    bare = replace(record, is_private=False, origin=replace(record.origin, writer=""))
    if sign:
        bare = replace(bare, signature=sign(signed_bytes(writer, line_of(bare))))
    return SharedLine(writer, bare.id, line_of(bare), bare)


def signed_bytes(writer: str, line: bytes) -> bytes:
    """What the writer of a valid line signs: their id, and all of the line but the signature."""
    return b"repomem record\0" + writer.encode() + b"\0" + signed_part(line)


def lines_in(writer: str, data: bytes) -> Iterator[SharedLine]:
    """The valid lines in a file of this writer; damaged and foreign lines are skipped."""
    for each in data.split(b"\n"):
        line = each + b"\n"
        if len(line) > LONGEST_LINE:
            continue
        try:
            record = record_of_line(line)
        except BadLine:
            if name := _later_id(line):
                yield SharedLine(writer, name, line)
            continue
        if _is_ours(record.id):
            yield SharedLine(writer, record.id, line, record)  # original bytes: they may have fields of later versions


def united(*ledgers: Iterable[SharedLine]) -> list[SharedLine]:
    """The union of the lines, without purged ones, by writer and id; of equal keys the last ledger's line."""
    found: dict[tuple[str, str], SharedLine] = {}
    for lines in ledgers:
        found |= {(each.writer, each.id): each for each in lines}
    return _unpurged([found[key] for key in sorted(found)])


def shared_lines(
    brought: Iterable[Record],
    own: Iterable[Record],
    theirs: Iterable[SharedLine],
    writer: str,
    sign: Sign | None = None,
) -> list[SharedLine]:
    """The new content of a remote: its lines (`theirs`), records synced from others before (`brought`), and this user's
    shareable records (`own`) under the id `writer`, signed.
    """
    others = [shared_line(record.origin.writer, record) for record in brought]
    return united(others, theirs, [shared_line(writer, record, sign) for record in own])


def news_in(theirs: Iterable[SharedLine], records: Sequence[Record], trusted: AbstractSet[str]) -> list[Record]:
    """The remote's records that `records` lacks, by id, each with its writer.

    If two writers use one id, a trusted one wins, then one who signed, else the first.
    """
    known, purged = {record.id for record in records}, purged_in(records)
    found: dict[str, Record] = {}
    for each in sorted(theirs, key=lambda each: _precedence(each, trusted)):
        if each.record and each.id not in known and digest_of_id(each.id) not in purged:
            found.setdefault(each.id, replace(each.record, origin=replace(each.record.origin, writer=each.writer)))
    return [found[name] for name in sorted(found)]


def _precedence(line: SharedLine, trusted: AbstractSet[str]) -> tuple[bool, bool, str, str]:
    is_signed = bool(line.record and line.record.signature)
    return line.writer not in trusted, not is_signed, line.writer, line.id


def month_of(line: SharedLine) -> str:
    """The month in which a line was written, YYYY-MM, from its id; each month has its own file."""
    return datetime.fromtimestamp(time_of(line.id), UTC).strftime("%Y-%m")


def _unpurged(lines: Sequence[SharedLine]) -> list[SharedLine]:
    purged = purged_in(each.record for each in lines if each.record)
    if not purged:
        return list(lines)
    kept = []
    for each in lines:
        if each.record is None:
            kept += [each] * (digest_of_id(each.id) not in purged)
        elif left := without_purged(each.record, purged):
            kept.append(each if left is each.record else shared_line(each.writer, left))
    return kept


def _is_ours(name: str) -> bool:
    return name < FIRST_REFUSED_ID and name == name.upper()


def _later_id(line: bytes) -> str:
    """The id in an intact line of a later version; empty for anything else."""
    try:
        fields = json.loads(json_of(line))
    except (ValueError, RecursionError):  # BadLine is a ValueError
        return ""
    name = fields.get("id") if isinstance(fields, dict) else None
    return name if isinstance(name, str) and is_ulid(name) and _is_ours(name) else ""
