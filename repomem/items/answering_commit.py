"""The commit whose message answers a question or explains a task: one that decided something and says why."""

import re
from itertools import islice

from repomem.brief.reasons import reason_in
from repomem.core.text.lazy_pattern import lazy_pattern
from repomem.core.text.words import words_of
from repomem.core.times import years_between
from repomem.core.types.commits import Episode
from repomem.history.episodes import OLD, HistoryMatches, newest_day
from repomem.items.task_context import TaskContext
from repomem.memories.search.likeness import likeness_to_texts
from repomem.ranking.bm25 import frequencies_of, scorer_for
from repomem.ranking.memories import ranked_memories
from repomem.ranking.memory_words import MemoryDocument
from repomem.ranking.query import Query
from repomem.workspace.snapshot import Snapshot

READ = 100  # best commits by words: a reason further down answers something else
COMPARED = 40  # of those, by meaning too
SHARE_OF_BEST = 0.5  # of the best message's share of the question: with less, another commit is nearer to it
FEWEST_WORDS = 2  # of the question in a message whose subject has none: a single one in its body is chance
LENGTH = 400  # characters of a message that are compared: its start says what and why

_ASKS = lazy_pattern(r"[?？]|^\s*(?:why|how|what|when|where|which|who|can|may|should|do|does|is|are)\b", re.IGNORECASE)


def answering_commit(snapshot: Snapshot, past: HistoryMatches, task: TaskContext) -> Episode | None:
    """The commit that gives a reason and whose message is clearly about the question, ranked like memories.

    An old commit answers only a question: where code is to be changed, the code has mostly moved on since.
    """
    if task.query is None:
        return None
    best = [row.episode for row, _ in past.scored[:READ] if not row.episode.is_merge]
    if best and not _ASKS.search(task.query.text):
        today = newest_day(snapshot)
        best = [one for one in best if years_between(one.date, today) <= OLD]
    episodes = {one.commit: one for one in islice((one for one in best if reason_in(one.body)), COMPARED)}
    if not episodes:
        return None
    texts = {name: " ".join(f"{one.subject}\n{one.body}".split())[:LENGTH] for name, one in episodes.items()}
    documents = [MemoryDocument(name, words_of(text)) for name, text in texts.items()]
    likeness = likeness_to_texts(texts)(task.query)
    first = ranked_memories(task.query, documents, task.code, likeness, chosen_from=len(snapshot.history.episodes))[0]
    is_answer = first.is_certain and _is_near(snapshot, past, task.query, episodes[first.id])
    return episodes[first.id] if is_answer else None


def _is_near(snapshot: Snapshot, past: HistoryMatches, query: Query, episode: Episode) -> bool:
    """Whether a message has more of the question than a chance word, and enough compared with the best message."""
    scorer = scorer_for(query.words, snapshot.history.words)
    subject, message = (
        frequencies_of(words_of(text).split(), scorer.forms)
        for text in (episode.subject, f"{episode.subject}\n{episode.body}")
    )
    is_shared = bool(subject) or len(scorer.found(message)) >= FEWEST_WORDS
    return is_shared and scorer.coverage(message) >= SHARE_OF_BEST * past.coverage
