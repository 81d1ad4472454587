"""The commit whose message answers a question: one that decided something and says why."""

from itertools import islice

from repomem.brief.reasons import reason_in
from repomem.core.types.commits import Episode
from repomem.core.words import words_of
from repomem.history.episodes import HistoryMatches
from repomem.items.task_context import TaskContext
from repomem.memories.search.likeness import likeness_to_texts
from repomem.ranking.bm25 import Scorer, frequencies_of, scorer_for
from repomem.ranking.memories import ranked_memories
from repomem.ranking.memory_words import MemoryDocument
from repomem.workspace.snapshot import Snapshot

READ = 100  # best commits by words: a reason further down answers something else
COMPARED = 40  # of those, by meaning too
SHARE_OF_BEST = 0.5  # of the question's weight in the best message: with less, another commit is nearer to it
FEWEST_WORDS = 2  # of the question in a message whose subject has none: one in its body is there by chance
LENGTH = 400  # characters of a message that are compared: its start says what and why


def answering_commit(snapshot: Snapshot, past: HistoryMatches, task: TaskContext) -> Episode | None:
    """The commit with a reason whose message is clearly about the question, ranked as memories are."""
    if task.query is None:
        return None
    scorer = scorer_for(task.query.words, snapshot.history.words)
    best = (row.episode for row, _ in past.scored[:READ] if not row.episode.is_merge)
    best = (one for one in best if _is_near(scorer, one, past.coverage))
    episodes = {one.commit: one for one in islice((one for one in best if reason_in(one.body)), COMPARED)}
    if not episodes:
        return None
    texts = {name: " ".join(f"{one.subject}\n{one.body}".split())[:LENGTH] for name, one in episodes.items()}
    documents = [MemoryDocument(name, words_of(text)) for name, text in texts.items()]
    likeness = likeness_to_texts(texts)(task.query)
    first = ranked_memories(task.query, documents, task.code, likeness, chosen_from=len(snapshot.history.episodes))[0]
    return episodes[first.id] if first.is_certain else None


def _is_near(scorer: Scorer, episode: Episode, best: float) -> bool:
    """Whether a message has more of the question than a word by chance, and than a little of what the `best` has."""
    subject, message = (
        frequencies_of(words_of(text).split(), scorer.forms)
        for text in (episode.subject, f"{episode.subject}\n{episode.body}")
    )
    is_shared = bool(subject) or len(scorer.found(message)) >= FEWEST_WORDS
    return is_shared and scorer.coverage(message) >= SHARE_OF_BEST * best
