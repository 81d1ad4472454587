"""What a model said about the sentences of sessions, so that it reads each once although transcripts are read anew."""

import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice

from repomem.adapters.sqlite import database

AT_ONCE = 500  # keys in a query: SQLite allows 999 in old versions
MOST = 20_000  # sentences; the oldest are dropped


class SentenceScores:
    """The table `sentence_scores` of an open catalog; its keys are digests."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._db = connection

    def get(self, keys: Iterable[bytes]) -> dict[bytes, bytes]:
        """The scores of these sentences, of those that have them."""
        return dict(self._of(keys))

    def keep(self, scores: Mapping[bytes, bytes]) -> None:
        """Store scores."""
        with database.transaction(self._db):
            self._db.executemany("INSERT OR REPLACE INTO sentence_scores(sentence, scores) VALUES(?,?)", scores.items())
            self._db.execute(
                "DELETE FROM sentence_scores WHERE id <= (SELECT max(id) FROM sentence_scores) - ?", (MOST,)
            )

    def _of(self, keys: Iterable[bytes]) -> Iterator[tuple[bytes, bytes]]:
        waiting = iter(keys)
        while some := list(islice(waiting, AT_ONCE)):
            marks = ",".join("?" * len(some))
            select = f"SELECT sentence, scores FROM sentence_scores WHERE sentence IN ({marks})"  # noqa: S608  # marks
            yield from self._db.execute(select, some)
