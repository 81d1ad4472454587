"""Where a commit that history lost was looked for and not found, so that nobody looks there twice."""

import sqlite3
from collections.abc import Iterable

from repomem.adapters.sqlite import database

KEPT_HEADS = 8  # branches that a work tree goes back and forth between


class LostCommits:
    """The table `unfound` of an open catalog."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._db = connection

    def looked_at(self, commit: str) -> dict[str, str]:
        """The heads in whose history the commit was looked for, each with a digest of what the refs named then."""
        rows = self._db.execute("SELECT head, refs FROM unfound WHERE commit_id=?", (bytes.fromhex(commit),))
        return {head.hex(): refs for head, refs in rows}

    def keep(self, commits: Iterable[str], head: str, refs: str) -> None:
        """Keep that these commits have no other name in the history of `head`; long unseen heads are dropped."""
        rows = [(bytes.fromhex(commit), bytes.fromhex(head), refs) for commit in commits]
        with database.transaction(self._db):
            self._db.executemany("INSERT OR REPLACE INTO unfound(commit_id, head, refs) VALUES(?,?,?)", rows)
            self._db.execute(
                "DELETE FROM unfound WHERE head NOT IN "
                "(SELECT head FROM unfound GROUP BY head ORDER BY max(id) DESC LIMIT ?)",
                (KEPT_HEADS,),
            )
