"""Baselines for recall: word search over the code, searches of the log, and the most edited files.

Simple by design and independent of the ranking; they share only the splitting of identifiers into words.
"""

import math
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from repomem.core.text.words import STEM, words_of

K1, B = 1.2, 0.75
PATH_REPEATS = 3  # a word of the path counts as three in the file
VOTERS = 50  # commits
FUSED = 100  # first ranks of each ranking
RANK_CONSTANT = 60  # of reciprocal rank fusion (Cormack et al. 2009)


@dataclass(frozen=True, slots=True)
class BaselineDocument:
    """A file or a commit message, as its words."""

    name: str
    counts: Counter[str]
    length: int


@dataclass(frozen=True, slots=True)
class EarlierCommit:
    message: BaselineDocument  # its name is the commit
    paths: tuple[str, ...]  # code files that it changed
    touched: int  # number of changed files


def document(name: str, text: str, asked: Collection[str] | None = None) -> BaselineDocument:
    """A document of the words in a text; if `asked` is given, only those words are counted."""
    counts = Counter(word for word in words_of(text).split() if not word.startswith(STEM))
    length = counts.total()
    if asked is not None:
        counts = Counter({word: count for word, count in counts.items() if word in asked})
    return BaselineDocument(name, counts, length)


def file_document(path: str, text: str, asked: Collection[str] | None = None) -> BaselineDocument:
    """A document of a file's words and, repeated, those of its path."""
    return document(path, " ".join([text, *[path] * PATH_REPEATS]), asked)


def baselines(
    question: str, files: Sequence[BaselineDocument], earlier: Sequence[EarlierCommit]
) -> dict[str, list[str]]:
    """The ranking of the live code files by each baseline; `earlier` is newest first."""
    live = {file.name for file in files}
    words, commits = by_words(question, files), matching_commits(question, earlier)
    votes = [path for path in by_votes(commits) if path in live]
    return {
        "words and history": fused(words, votes),
        "words": words,
        "history": votes,
        "git log": [path for path in by_log(commits) if path in live],
        "most edited": [path for path in by_edits(earlier) if path in live],
    }


def by_words(question: str, documents: Sequence[BaselineDocument]) -> list[str]:
    """The names of the documents that match the question, by BM25, best first."""
    scores = word_scores(question, documents)
    return sorted((name for name, score in scores.items() if score > 0), key=lambda name: (-scores[name], name))


def word_scores(question: str, documents: Sequence[BaselineDocument]) -> dict[str, float]:
    """The BM25 score of every document."""
    words = document("", question).counts
    mean = sum(found.length for found in documents) / max(len(documents), 1) or 1.0
    holding = {word: sum(word in found.counts for found in documents) for word in words}
    rarity = {word: math.log(1 + (len(documents) - count + 0.5) / (count + 0.5)) for word, count in holding.items()}
    return {found.name: _score(found, rarity, mean) for found in documents}


def _score(found: BaselineDocument, rarity: Mapping[str, float], mean: float) -> float:
    floor = K1 * (1 - B + B * found.length / mean)
    counts = ((weight, found.counts.get(word, 0)) for word, weight in rarity.items())
    return sum(weight * count * (K1 + 1) / (count + floor) for weight, count in counts if count)


def matching_commits(question: str, earlier: Sequence[EarlierCommit]) -> list[EarlierCommit]:
    """The commits whose messages match the question, by BM25, best first."""
    commits = {one.message.name: one for one in earlier}
    return [commits[name] for name in by_words(question, [one.message for one in earlier])]


def by_votes(commits: Sequence[EarlierCommit]) -> list[str]:
    """Code files by the votes of commits, best commit first.

    A vote is weighted by the commit's rank and the square root of its number of files.
    """
    votes: dict[str, float] = {}
    for rank, one in enumerate(commits[:VOTERS], start=1):
        for path in one.paths:
            votes[path] = votes.get(path, 0.0) + 1 / (rank + 1) / math.sqrt(one.touched)
    return sorted(votes, key=lambda path: (-votes[path], path))


def by_log(commits: Sequence[EarlierCommit]) -> list[str]:
    """The code files of the best commit, then those of the next, as a search of the log shows them."""
    return list(dict.fromkeys(path for one in commits for path in one.paths))


def by_edits(earlier: Sequence[EarlierCommit]) -> list[str]:
    """Code files by the number of commits that changed them, whatever the question."""
    edits = Counter(path for one in earlier for path in one.paths)
    return sorted(edits, key=lambda path: (-edits[path], path))


def fused(*rankings: Sequence[str]) -> list[str]:
    """Reciprocal rank fusion."""
    scores: dict[str, float] = {}
    for ranking in rankings:
        for rank, name in enumerate(ranking[:FUSED], start=1):
            scores[name] = scores.get(name, 0.0) + 1 / (RANK_CONSTANT + rank)
    return sorted(scores, key=lambda name: (-scores[name], name))
