"""Trailers of commit messages that record or revert a decision, stored when a commit is indexed."""

from collections.abc import Iterable

from repomem.adapters.sqlite import database
from repomem.core.mined_decisions import REVERTS, Trailer
from repomem.core.types.text import CleanText


class Trailers(database.Table):
    """The table `trailers` of an open catalog."""

    def record(self, trailers: Iterable[Trailer]) -> None:
        """Store trailers in order; a commit may have several of one name."""
        rows = [
            (bytes.fromhex(each.commit), at, each.name, each.value, each.author, each.date, each.subject)
            for at, each in enumerate(trailers)
        ]
        with database.transaction(self._db):
            self._db.executemany("DELETE FROM trailers WHERE commit_id=?", {(row[0],) for row in rows})
            self._db.executemany("INSERT OR REPLACE INTO trailers VALUES(?,?,?,?,?,?,?)", rows)

    def by_episode(self) -> list[tuple[int, Trailer]]:
        """Every trailer with its episode id, in the order in which they were stored."""
        rows = self._db.execute(
            "SELECT episodes.id, trailers.commit_id, name, value, author, date, subject FROM trailers "
            "JOIN episodes ON episodes.commit_id = trailers.commit_id ORDER BY episodes.id, place"
        )
        return [
            (row[0], Trailer(row[1].hex(), row[2], CleanText(row[3]), row[4], row[5], CleanText(row[6])))
            for row in rows
        ]

    def reverts(self) -> list[tuple[str, str]]:
        """The commits that revert another, each with its hash or subject; of a merge, also with what it brought."""
        ask = "SELECT commit_id, value FROM trailers WHERE name=? ORDER BY commit_id, place"
        return [(commit.hex(), value) for commit, value in self._db.execute(ask, (REVERTS,))]
