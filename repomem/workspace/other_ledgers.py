"""The user's ledgers under another identity that have memories about this clone.

A repository's identity contains the address of its remote. A clone from a new address therefore has an empty ledger,
and a fork has one of its own. Which of both it is only the user knows, so nothing is merged.
"""

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from repomem.adapters.git.ancestry import present
from repomem.adapters.ledger.file import FILE, read_copy
from repomem.adapters.ledger.fold import memories_of
from repomem.adapters.ledger.trusted_writers import is_foreign
from repomem.core.errors import StoreError
from repomem.core.records import unpurged
from repomem.workspace.ledger import ledger_of
from repomem.workspace.user.folders import LEDGERS, data_folder
from repomem.workspace.workspace import Workspace


@dataclass(frozen=True, slots=True)
class OtherLedger:
    """A ledger under another identity, and how many memories on commits of this clone only it has."""

    path: Path
    memories: int


def other_ledgers(workspace: Workspace) -> Iterator[OtherLedger]:
    """The ledgers in the user's data folder with memories on commits of this clone that its own ledger lacks."""
    ledger = ledger_of(workspace)
    known = {record.id: record for record in ledger.records()}
    for path in sorted((data_folder() / LEDGERS).glob(f"*/{FILE}")):
        with suppress(StoreError):
            records = {} if path.parent in ledger.folders else read_copy(path.parent).records
            missing = unpurged({**records, **known}).keys() - known.keys()  # a purged record is never imported again
            found = memories_of(records[name] for name in sorted(records)).values()
            heads = [
                one.origin.head
                for one in found
                if one.id in missing and not one.is_forgotten and not is_foreign(one.origin.writer)
            ]
            here = present(workspace.repository, set(heads))
            if count := sum(head in here for head in heads):
                yield OtherLedger(path, count)
