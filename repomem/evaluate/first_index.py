"""What the first index learned: on the newest commits, would a brief have named the files that they changed?

Each commit's message is the question, and only the commits before it vote. The code is as it is now, so the figures
flatter a little, a brief and plain word search alike.
"""

from collections.abc import Collection
from dataclasses import dataclass

from repomem.core.types import Episode
from repomem.evaluate.tasks import recall_at
from repomem.history.episodes import past_from
from repomem.ranking.history_votes import scored_episodes
from repomem.ranking.query import Query
from repomem.ranking.rank import ranked_files
from repomem.ranking.signals import RECALL, Weights
from repomem.recall.search import evidence_for
from repomem.workspace.run import Run
from repomem.workspace.snapshot import EVERYWHERE, Snapshot

COMMITS = 30
SCANNED = 300  # newest episodes looked through for commits that qualify
DEPTH = 10  # files that a brief names first
FEWEST_WORDS, MOST_FILES = 4, 5  # of a commit that says and does one thing
WITH_MEMORY = RECALL.without("here")  # a commit says nothing of the folder in which the index run was started
WORDS_ALONE = Weights({"words": 1.0}, {})


@dataclass(frozen=True, slots=True)
class Lessons:
    """Shares of the changed files that are among the first DEPTH named, over some commits."""

    commits: int
    with_memory: float
    by_words: float


def lessons(snapshot: Snapshot, run: Run) -> Lessons | None:
    """Replay the newest commits until the run's deadline; None where too few qualify."""
    live = snapshot.tree.paths
    place = {number: at for at, number in enumerate(snapshot.history.episodes)}
    kept = [row for row in snapshot.newest_episodes(SCANNED) if _qualifies(row.episode, live)][:COMMITS]
    shares: list[tuple[float, float]] = []
    for row in kept:
        if run.is_late:
            break
        query = Query(f"{row.episode.subject}\n{row.episode.body}")
        scored = scored_episodes(query, snapshot.episodes(), snapshot.history.words)
        earlier = [one for one in scored if place[one[0].id] > place[row.id]]
        evidence = evidence_for(snapshot, query, EVERYWHERE, past_from(snapshot, query, earlier))
        changed = {file.path for file in row.episode.files if file.path in live}
        both = [
            [one.file.path for one in ranked_files(query, evidence, weights)[:DEPTH]]
            for weights in (WITH_MEMORY, WORDS_ALONE)
        ]
        shares.append((recall_at(DEPTH, both[0], changed), recall_at(DEPTH, both[1], changed)))
    if not shares:
        return None
    count = len(shares)
    return Lessons(count, sum(a for a, _ in shares) / count, sum(b for _, b in shares) / count)


def _qualifies(episode: Episode, live: Collection[str]) -> bool:
    changed = [file for file in episode.files if file.path in live and file.status == "M"]
    said = len(f"{episode.subject} {episode.body}".split())
    return not episode.is_merge and 1 <= len(changed) <= MOST_FILES and said >= FEWEST_WORDS
