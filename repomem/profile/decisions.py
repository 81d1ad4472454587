"""Decisions from a repository's decision records (ADRs), read at index time."""

from collections.abc import Iterable, Iterator, Sequence

from repomem.brief.lines import place_id
from repomem.core.mined_decisions import MinedDecision
from repomem.core.records import MemoryKind, Source
from repomem.core.types.text import CleanText
from repomem.profile.adr import Adr, AdrStatus, adr_of, adr_paths
from repomem.profile.facts import text_at
from repomem.workspace.snapshot import Snapshot

SHOWN = frozenset({AdrStatus.ACCEPTED, AdrStatus.REJECTED})
MOST_FILES = 300  # the last by name, which have the highest numbers


def read_decisions(now: Snapshot, paths: Iterable[str]) -> list[MinedDecision]:
    """The accepted and rejected decisions of the records among these paths, without superseded ones."""
    read = [(path, adr) for path in adr_paths(paths)[-MOST_FILES:] if (adr := _adr_at(now, path))]
    replaced = set(_replaced(read))
    return [_mined(path, adr) for path, adr in read if path not in replaced and adr.status in SHOWN]


def _adr_at(now: Snapshot, path: str) -> Adr | None:
    text = text_at(now, path)
    return None if text is None else adr_of(path, text)


def _replaced(read: Sequence[tuple[str, Adr]]) -> Iterator[str]:
    """The paths of records that an accepted record in the same folder supersedes."""
    by_number = {(_folder(path), adr.number): path for path, adr in read}
    for path, adr in read:
        if adr.status is AdrStatus.ACCEPTED:
            yield from (by_number.get((_folder(path), number), "") for number in adr.supersedes)


def _folder(path: str) -> str:
    return path.rpartition("/")[0]


def _mined(path: str, adr: Adr) -> MinedDecision:
    """A record as a decision; a rejected one is quoted by its title, which names the rejected proposal."""
    is_rejected = adr.status is AdrStatus.REJECTED
    start, end = (adr.title_line, adr.title_line) if is_rejected else (adr.start_line, adr.end_line)
    return MinedDecision(
        id=place_id(path, start, end),
        kind=MemoryKind.GOTCHA if is_rejected else MemoryKind.DECISION,
        text=CleanText(adr.title if is_rejected else adr.text),  # of clean text
        source=Source.FILE,
        title=CleanText(adr.title),
        rejected=() if is_rejected else tuple(map(CleanText, adr.rejected)),
        date=adr.date,
        path=path,
        start_line=start,
        end_line=end,
    )
