"""What is derived and may be lost: locations, words and vectors of memories, searched histories, scores of sentences.

The key of a location is a digest of the anchor and the blob of its file, so it is valid on every branch.
"""

import hashlib
import os
from collections.abc import Callable, Collection, Iterable, Mapping

from repomem.adapters.sqlite import database
from repomem.core.records import Anchor

COMPARISON = 4  # raise it when the comparison of code changes: all anchors are then located again
KEPT_HEADS = 8  # histories that were searched for lost commits: enough to switch between some branches
MOST_SENTENCES = 20_000  # with scores; the oldest are dropped


class MemoryCache(database.Table):
    """The tables `placings`, `memory_words` and `memory_vectors` of an open catalog."""

    def get(self, anchor: Anchor, blob: str) -> str:
        """The location of the anchor if its file has this blob (empty: no such file); empty if not cached."""
        row = self._db.execute(
            "SELECT placed FROM placings WHERE anchor=? AND blob=?", (_name(anchor), blob)
        ).fetchone()
        return str(row[0]) if row else ""

    def keep(self, found: Iterable[tuple[Anchor, str, str]]) -> None:
        """Store (anchor, blob, location)."""
        rows = [(_name(anchor), blob, placed) for anchor, blob, placed in found]
        with database.transaction(self._db):
            self._db.executemany("INSERT OR REPLACE INTO placings VALUES(?,?,?)", rows)

    def words(self, names: Collection[str]) -> dict[str, str]:
        """The space-joined words of these memories, of those that have them."""
        return dict(database.rows_of(self._db, "SELECT memory, words FROM memory_words WHERE memory IN {}", names))

    def keep_words(self, words: Mapping[str, str], is_current: Callable[[], bool]) -> None:
        """Store the words of memories, unless the ledger has changed since they were read.

        That is asked within the transaction: a purge changes the ledger first and then erases what is stored here.
        """
        with database.transaction(self._db):
            if is_current():
                self._db.executemany("INSERT OR REPLACE INTO memory_words VALUES(?,?)", words.items())

    def vectors(self, model: str, names: Collection[str]) -> dict[str, bytes]:
        """The vectors of these memories by a model, of those that have one: 16-bit floating-point numbers."""
        select = "SELECT memory, vector FROM memory_vectors WHERE model=? AND memory IN {}"
        return dict(database.rows_of(self._db, select, names, model))

    def count_vectors(self, model: str, names: Collection[str]) -> int:
        """How many of these memories have a vector by a model; reads none of them."""
        select = "SELECT memory FROM memory_vectors WHERE model=? AND memory IN {}"
        return sum(1 for _ in database.rows_of(self._db, select, names, model))

    def count_all_vectors(self) -> int:
        """How many vectors of memories there are, by any model."""
        count: int = self._db.execute("SELECT count(*) FROM memory_vectors").fetchone()[0]
        return count

    def store_vectors(self, model: str, vectors: Mapping[str, bytes], is_current: Callable[[], bool]) -> None:
        """Store the vectors of memories by a model, on the same condition."""
        with database.transaction(self._db):
            rows = [(name, model, vector) for name, vector in vectors.items()]
            if is_current():
                self._db.executemany("INSERT OR REPLACE INTO memory_vectors VALUES(?,?,?)", rows)


class LostCommits(database.Table):
    """The table `unfound` of an open catalog: histories without a rewritten commit, so that none is searched twice."""

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


class SentenceScores(database.Table):
    """The table `sentence_scores` of an open catalog: what a model said about sentences, by their digests.

    Transcripts are read anew, but the model reads each sentence once.
    """

    def get(self, keys: Iterable[bytes]) -> dict[bytes, bytes]:
        """The scores of these sentences, of those that have them."""
        return dict(
            database.rows_of(self._db, "SELECT sentence, scores FROM sentence_scores WHERE sentence IN {}", keys)
        )

    def keep(self, scores: Mapping[bytes, bytes]) -> None:
        with database.transaction(self._db):
            self._db.executemany("INSERT OR REPLACE INTO sentence_scores(sentence, scores) VALUES(?,?)", scores.items())
            self._db.execute(
                "DELETE FROM sentence_scores WHERE id <= (SELECT max(id) FROM sentence_scores) - ?", (MOST_SENTENCES,)
            )


def _name(anchor: Anchor) -> bytes:
    text = f"{COMPARISON}\0{anchor.path}\0{anchor.symbol}\0{anchor.print or anchor.blob}"
    return hashlib.blake2b(os.fsencode(text), digest_size=16).digest()
