"""What a model said about the sentences of sessions, so that it reads each once although transcripts are read anew."""

from collections.abc import Iterable, Mapping

from repomem.adapters.sqlite import database

MOST = 20_000  # sentences; the oldest are dropped


class SentenceScores(database.Table):
    """The table `sentence_scores` of an open catalog; its keys are digests."""

    def get(self, keys: Iterable[bytes]) -> dict[bytes, bytes]:
        """The scores of these sentences, of those that have them."""
        return dict(
            database.rows_of(self._db, "SELECT sentence, scores FROM sentence_scores WHERE sentence IN {}", keys)
        )

    def keep(self, scores: Mapping[bytes, bytes]) -> None:
        """Store scores."""
        with database.transaction(self._db):
            self._db.executemany("INSERT OR REPLACE INTO sentence_scores(sentence, scores) VALUES(?,?)", scores.items())
            self._db.execute(
                "DELETE FROM sentence_scores WHERE id <= (SELECT max(id) FROM sentence_scores) - ?", (MOST,)
            )
