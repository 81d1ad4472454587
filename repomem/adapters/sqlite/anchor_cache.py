"""What was found of the anchors of memories, and the words that memories are found by: kept so as to be done once.

An anchor is named by a digest of the code that it stands for, so that it can be looked up on every branch: a placing
holds for one blob of the file that the anchor names.
"""

import hashlib
import os
import sqlite3
from collections.abc import Iterable, Mapping

from repomem.adapters.sqlite import database
from repomem.core.records import Anchor


class AnchorCache:
    """The tables `placings` and `memory_words` of an open catalog."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._db = connection

    def get(self, anchor: Anchor, blob: str) -> str:
        """What was found where the anchor's file had these bytes (empty: was not there); empty where nobody looked."""
        row = self._db.execute(
            "SELECT placed FROM placings WHERE anchor=? AND blob=?", (_name(anchor), blob)
        ).fetchone()
        return str(row[0]) if row else ""

    def keep(self, found: Iterable[tuple[Anchor, str, str]]) -> None:
        """Keep (anchor, blob, what was found)."""
        rows = [(_name(anchor), blob, placed) for anchor, blob, placed in found]
        with database.transaction(self._db):
            self._db.executemany("INSERT OR REPLACE INTO placings VALUES(?,?,?)", rows)

    def reverts(self) -> list[tuple[str, str]]:
        """Commits that say that they revert another, with what they call it: a hash or a subject."""
        rows = self._db.execute("SELECT commit_id, reverts FROM commits WHERE reverts != ''")
        return [(commit.hex(), named) for commit, named in rows]

    def words(self) -> dict[str, str]:
        """Memory to its words, space-joined, of all that were kept."""
        return dict(self._db.execute("SELECT memory, words FROM memory_words"))

    def keep_words(self, words: Mapping[str, str]) -> None:
        """Keep the words of memories."""
        with database.transaction(self._db):
            self._db.executemany("INSERT OR REPLACE INTO memory_words VALUES(?,?)", words.items())

    def forget_all(self) -> None:
        """Drop every word and placing, and overwrite where they stood: something was purged."""
        self._db.execute("PRAGMA secure_delete=ON")
        with database.transaction(self._db):
            self._db.execute("DELETE FROM placings")
            self._db.execute("DELETE FROM memory_words")
            self._db.execute("UPDATE worktrees SET brief='', fingerprint=''")
        self._db.execute("VACUUM")  # pages that were free before this


def _name(anchor: Anchor) -> bytes:
    text = f"{anchor.path}\0{anchor.symbol}\0{anchor.print or anchor.blob}"
    return hashlib.blake2b(os.fsencode(text), digest_size=16).digest()
