"""What recall has to beat: word search over the code, votes of earlier commits, and the two fused by rank.

Plain on purpose and independent of `repomem.retrieve`; only the splitting of identifiers into words is shared.
"""

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from benchmarks.commits import is_code, question_of
from repomem.core.types import LogRecord
from repomem.core.words import STEM, words_of

K1, B = 1.2, 0.75
PATH_REPEATS = 3  # a word of the path counts as often as three in the file
VOTERS = 50  # commits
FUSED = 100  # places of each ranking
RANK_CONSTANT = 60  # of reciprocal rank fusion (Cormack et al. 2009)


@dataclass(frozen=True, slots=True)
class Document:
    """A file or a commit message, as its words."""

    name: str
    counts: Counter[str]
    length: int


def document(name: str, text: str) -> Document:
    """A document of the words in a text."""
    counts = Counter(word for word in words_of(text).split() if not word.startswith(STEM))
    return Document(name, counts, counts.total())


def file_document(path: str, text: str) -> Document:
    """A document of a file's words and, several times over, those of its path."""
    return document(path, " ".join([text, *[path] * PATH_REPEATS]))


def by_words(question: str, documents: Sequence[Document]) -> list[str]:
    """The names of the documents that hold a word of the question, by BM25, best first."""
    words = document("", question).counts
    mean = sum(found.length for found in documents) / max(len(documents), 1) or 1.0
    rarity = {}
    for word in words:
        holding = sum(1 for found in documents if word in found.counts)
        rarity[word] = math.log(1 + (len(documents) - holding + 0.5) / (holding + 0.5))
    scores = {found.name: _score(found, rarity, mean) for found in documents}
    return sorted((name for name, score in scores.items() if score > 0), key=lambda name: (-scores[name], name))


def _score(found: Document, rarity: Mapping[str, float], mean: float) -> float:
    floor = K1 * (1 - B + B * found.length / mean)
    counts = ((weight, found.counts.get(word, 0)) for word, weight in rarity.items())
    return sum(weight * count * (K1 + 1) / (count + floor) for weight, count in counts if count)


def by_votes(question: str, earlier: Iterable[LogRecord], messages: dict[str, Document]) -> list[str]:
    """Code files by the votes of the earlier commits whose messages are most like the question.

    A vote is worth one over the commit's rank and the root of how many files it touched. `messages` keeps what was
    read, from one question to the next.
    """
    records = {record.commit: record for record in earlier}
    for commit, record in records.items():
        if commit not in messages:
            messages[commit] = document(commit, question_of(record.message))
    votes: Counter[str] = Counter()
    for rank, commit in enumerate(by_words(question, [messages[commit] for commit in records])[:VOTERS], start=1):
        paths = [file.path for file in records[commit].files]
        for path in filter(is_code, paths):
            votes[path] += 1 / (rank + 1) / math.sqrt(len(paths))  # type: ignore[assignment]  # Counter is of int
    return sorted(votes, key=lambda path: (-votes[path], path))


def fused(*rankings: Sequence[str]) -> list[str]:
    """Reciprocal rank fusion."""
    scores: dict[str, float] = {}
    for ranking in rankings:
        for rank, name in enumerate(ranking[:FUSED], start=1):
            scores[name] = scores.get(name, 0.0) + 1 / (RANK_CONSTANT + rank)
    return sorted(scores, key=lambda name: (-scores[name], name))
