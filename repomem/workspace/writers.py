"""Writers of synced memories: the names they give, and whether they are trusted here."""

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass

from repomem.adapters.ledger.trusted_writers import is_untrusted
from repomem.core.errors import NotFound, ambiguous
from repomem.core.grouping import grouped_by
from repomem.core.records import Event, Record
from repomem.core.text.escape import one_line, visible
from repomem.workspace.ledger import ledger_of
from repomem.workspace.workspace import Workspace
from repomem.workspace.writer_trust import known_keys, trusted_writers

SHORTEST_START = 4  # characters of an abbreviated id


@dataclass(frozen=True, slots=True)
class Writer:
    """A writer whose memories came by sync."""

    id: str
    names: tuple[str, ...]  # of the authors in their records
    memories: int
    is_trusted: bool
    key: str  # the public key by which they sign; empty: they do not sign

    @property
    def fingerprint(self) -> str:
        """A short name of the key, 12 hex digits."""
        return hashlib.sha256(self.key.encode()).hexdigest()[:12]


def writers_in(workspace: Workspace, records: Iterable[Record]) -> tuple[Writer, ...]:
    """The other writers of these records, by id."""
    trusted, keys = trusted_writers(workspace), known_keys(workspace)
    origins = (record.origin for record in records if record.origin.writer and record.event is Event.REMEMBER)
    by_writer = grouped_by(origins, lambda origin: origin.writer)
    names = {writer: tuple(sorted({one.author for one in own})) for writer, own in by_writer.items()}
    return tuple(
        Writer(each, names[each], len(by_writer[each]), not is_untrusted(each, trusted), keys.get(each, ""))
        for each in sorted(by_writer)
    )


def writer_named(workspace: Workspace, wanted: str) -> Writer:
    """The writer with this id or prefix. Raises NotFound for none or several."""
    known = writers_in(workspace, ledger_of(workspace).records())
    start = wanted.strip().lower()
    named = [each for each in known if each.id.startswith(start)] if len(start) >= SHORTEST_START else []
    if len(named) > 1:
        raise ambiguous(f"{start} matches {len(named)} writers", [each.id for each in named])
    if not named:
        raise NotFound(f"no writer has the id {one_line(visible(wanted), 40)!r} here", "repomem sync lists them")
    return named[0]
