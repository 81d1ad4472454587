"""Histories searched without finding a rewritten commit, so that none is searched twice."""

from collections.abc import Iterable

from repomem.adapters.sqlite import database

KEPT_HEADS = 8  # enough to switch between some branches


class LostCommits(database.Table):
    """The table `unfound` of an open catalog."""

    def looked_at(self, commit: str) -> dict[str, str]:
        """The heads whose history was searched for the commit, each with a digest of the refs then."""
        rows = self._db.execute("SELECT head, refs FROM unfound WHERE commit_id=?", (bytes.fromhex(commit),))
        return {head.hex(): refs for head, refs in rows}

    def keep(self, commits: Iterable[str], head: str, refs: str) -> None:
        """Record that these commits are not in the history of `head`; heads not used recently are dropped."""
        rows = [(bytes.fromhex(commit), bytes.fromhex(head), refs) for commit in commits]
        with database.transaction(self._db):
            self._db.executemany("INSERT OR REPLACE INTO unfound(commit_id, head, refs) VALUES(?,?,?)", rows)
            self._db.execute(
                "DELETE FROM unfound WHERE head NOT IN "
                "(SELECT head FROM unfound GROUP BY head ORDER BY max(id) DESC LIMIT ?)",
                (KEPT_HEADS,),
            )
