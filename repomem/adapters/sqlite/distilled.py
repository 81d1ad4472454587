"""What was distilled from commits and sessions, as the catalog keeps it until the next consolidation.

It names commits, paths and records, and holds no word of theirs: what is purged has left no trace here.
"""

import json
import os
import sqlite3
from collections.abc import Iterable

from repomem.adapters.sqlite import database
from repomem.core.distilled import Distilled, Sort
from repomem.core.errors import StoreDamaged


class DistilledTable:
    """The table `distilled` of an open catalog."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._db = connection

    def all(self) -> list[Distilled]:
        """Everything that was distilled, in the order in which it was kept."""
        return [_distilled(row) for row in self._db.execute("SELECT sort, support FROM distilled ORDER BY place")]

    def keep(self, distilled: Iterable[Distilled]) -> None:
        """Put these in the place of what was kept before."""
        rows = [(place, each.sort.value, _support(each)) for place, each in enumerate(distilled)]
        with database.transaction(self._db):
            self._db.execute("DELETE FROM distilled")
            self._db.executemany("INSERT INTO distilled VALUES(?,?,?)", rows)


def _support(each: Distilled) -> str:
    paths = [os.fsencode(path).hex() for path in each.paths]  # a path may be no UTF-8
    return json.dumps([paths, each.commits, each.records, each.count, each.of, each.counted_at])


def _distilled(row: tuple[str, str]) -> Distilled:
    try:
        paths, commits, records, *numbers = json.loads(row[1])
        names = tuple(os.fsdecode(bytes.fromhex(path)) for path in paths)
        return Distilled(Sort(row[0]), names, tuple(commits), tuple(records), *numbers)
    except (ValueError, TypeError) as error:
        raise StoreDamaged("the catalog is damaged: what was distilled cannot be read", "run repomem index") from error
