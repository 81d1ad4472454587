"""Facts distilled from commits and sessions, stored until the next consolidation.

They refer to commits, paths and records and contain none of their text, so a purge leaves no trace here.
"""

import json
import os
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from repomem.adapters.sqlite import database
from repomem.core.errors import StoreDamaged


class DistilledKind(StrEnum):
    TOGETHER = "together"  # two files that change together
    CURE = "cure"  # an error, and the change after which its command passed


@dataclass(frozen=True, slots=True)
class DistilledFact:
    """One distilled fact; its text is read from its records when it is shown."""

    sort: DistilledKind
    paths: tuple[str, ...]  # that it is about
    commits: tuple[str, ...] = ()  # its evidence, newest first
    records: tuple[str, ...] = ()  # ids of its notes; of a cure: failed, passed, then files touched
    count: int = 0  # commits that changed both files
    of: int = 0  # commits that changed either
    counted_at: str = ""  # the newest commit that was counted


class DistilledTable(database.Table):
    """The table `distilled` of an open catalog."""

    def all(self) -> list[DistilledFact]:
        """All distilled facts, in stored order."""
        rows = self._db.execute("SELECT sort, support FROM distilled ORDER BY place").fetchall()
        return list(map(_distilled, rows))

    def keep(self, distilled: Iterable[DistilledFact]) -> None:
        """Replace all distilled facts."""
        rows = [(place, each.sort.value, _support(each)) for place, each in enumerate(distilled)]
        with database.transaction(self._db):
            self._db.execute("DELETE FROM distilled")
            self._db.executemany("INSERT INTO distilled VALUES(?,?,?)", rows)


def _support(each: DistilledFact) -> str:
    paths = [os.fsencode(path).hex() for path in each.paths]  # a path may not be valid UTF-8
    return json.dumps([paths, each.commits, each.records, each.count, each.of, each.counted_at])


def _distilled(row: tuple[str, str]) -> DistilledFact:
    try:
        paths, commits, records, *numbers = json.loads(row[1])
        names = tuple(os.fsdecode(bytes.fromhex(path)) for path in paths)
        return DistilledFact(DistilledKind(row[0]), names, tuple(commits), tuple(records), *numbers)
    except (ValueError, TypeError) as error:
        raise StoreDamaged("the catalog is damaged: a learnt fact cannot be read", "run repomem index") from error
