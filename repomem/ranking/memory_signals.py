"""The signals that make a memory relevant to a question: words, meaning, named and shown code, dates, neighbours.

Each signal is an array with one number for each memory, in the order of the corpus. `ranking.memories` adds them up.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set as AbstractSet
from dataclasses import dataclass, field
from itertools import pairwise
from math import exp, log
from typing import TYPE_CHECKING

from repomem.core.text.lazy_pattern import lazy_pattern
from repomem.core.text.stop_words import COMMON
from repomem.core.text.words import DEFINES, whole
from repomem.core.word_statistics import WordStatistics
from repomem.ranking.bm25 import scorer_for
from repomem.ranking.memory_words import MemoryCorpus
from repomem.ranking.named_days import Days, days_in, hours_between
from repomem.ranking.query import Query

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

PRIOR_DOCUMENTS = 100  # assumed memories without the words: among three real ones, every word would seem common
UNRELATED_WORDS = (0.0,) * 17 + (4.0,) * 3  # assumed word scores: three real ones have hardly any spread
NAMED = 2.0  # deviations for a memory about an identifier, file or folder that the question names
FEW_NAMED = 4  # memories or files with one name, always; at most so many files define it
NAMED_SHARE = 0.15  # of the memories or files: a name in more of them does not discriminate
SHOWN_SYMBOL = 0.25  # anchored to a symbol in the brief
SHOWN_FILE = 0.1  # anchored to one of the first files
FIRST_FILES = 5
DATED = 1.0  # recorded in a time that the question names
REACH = 10  # neighbours on each side
SHARE_OF_BEFORE = 0.5  # of a memory's score, added to the next one: an answer follows its question
SHARE_OF_AFTER = 0.1  # the same, added to the one before it
DECAY = 2.5  # both fall by exp(-distance / DECAY); chosen on four conversations (benchmarks/memory)
SAME_THREAD_HOURS = 1.0  # between the recording of neighbours
SHORTEST_THREAD = 10  # a few consecutive memories differ in subject or repeat each other; none completes another
HOUR = len("YYYY-MM-DDTHH")
_SENTENCE_END = lazy_pattern(r"(?<=[.!?…。！？])[\"'”’»)]*(?:\s+|$)|(?<=[。！？])")


@dataclass(frozen=True, slots=True)
class Likeness:
    """How similar the memories are to the question, by id: the cosines of their vectors, and word by word."""

    cosines: Mapping[str, float] = field(default_factory=dict)
    unrelated: tuple[float, ...] = ()  # cosines of the question and texts about nothing in particular
    continuity: float = 0.0  # 0 to 1: how much neighbours resemble each other more than others do
    is_conversation: bool = False  # whether they clearly do
    questions: Mapping[str, float] = field(default_factory=dict)  # of a conversation: how much of the nearest only asks
    closeness: Mapping[str, float] = field(default_factory=dict)  # 0 to 1, word by word; only of the nearest memories
    unrelated_closeness: tuple[float, ...] = ()  # of the same unrelated texts


NO_LIKENESS = Likeness()


@dataclass(frozen=True, slots=True)
class RelevantCode:
    """The code's evidence for a question."""

    files: Sequence[str] = ()  # the paths in the brief, best first
    symbols: AbstractSet[str] = frozenset()  # "path:qualified" of its places
    file_words: WordStatistics | None = None  # of all files: a word in most of them says little about a memory


NO_CODE = RelevantCode()


def words_of_question(query: Query, file_words: WordStatistics | None) -> dict[str, float]:
    """The question's words without common ones and compounds of the others.

    A memory may spell `ChunkUploader` as two words. The memories are too few to show that `error` is common in a
    project, so its files are counted: a word in n of N weighs log(N / n) / log(N), between 0 and 1.
    """
    every = query.subject.words
    kept = {word: weight for word, weight in every.items() if word not in COMMON} or dict(every)
    kept = {word: weight for word, weight in kept.items() if not is_compound(word, kept.keys() - {word})}
    if not file_words:
        return kept
    counts, files = file_words.frequencies(kept), max(file_words.documents, 2)
    return {word: weight * log(files / min(max(counts[word], 1), files)) / log(files) for word, weight in kept.items()}


def is_compound(word: str, parts: AbstractSet[str]) -> bool:
    """Whether a word is a concatenation of others."""
    return any(
        word[:at] in parts and (word[at:] in parts or is_compound(word[at:], parts)) for at in range(2, len(word) - 1)
    )


def standardized(values: "Floats", unrelated: Sequence[float]) -> "Floats":
    """The values as distances from the mean in standard deviations, both taken over them and unrelated ones."""
    import numpy as np

    every = np.concatenate([values, unrelated])
    mean, deviation = float(every.mean()), float(every.std())
    return (values - mean) / (deviation or 1.0)


def place_signals(query: Query, corpus: MemoryCorpus, code: RelevantCode, names: Sequence[str]) -> "dict[str, Floats]":
    """The evidence for a memory besides its words: code that the question names or the brief shows, and dates.

    `names` are the question's telling ones.
    """
    days = days_in(query.text, now=corpus.newest)
    named = set(corpus.naming(names))
    named.update(_with_code(corpus, lambda *own: names_code(query, names, *own)))
    first = frozenset(code.files[:FIRST_FILES])
    found = {
        "name": (NAMED, named),
        "symbol": (SHOWN_SYMBOL, _with_code(corpus, lambda _, own: not code.symbols.isdisjoint(own))),
        "file": (SHOWN_FILE, _with_code(corpus, lambda paths, _: not first.isdisjoint(paths))),
        "date": (DATED, [at for at, (_, when) in enumerate(corpus.origins if days else ()) if _is_within(when, days)]),
    }
    return {name: _at(places, value, len(corpus)) for name, (value, places) in found.items()}


def distinctive_names(query: Query, corpus: MemoryCorpus, file_words: WordStatistics | None) -> list[str]:
    """The names in a question, without those in many memories (such as the project's own) or in many files.

    Those that several files define, as `get`, are left out too: the question may mean any of these definitions.
    Identifiers that do not occur anywhere yet, as in "add `parse_all`", are left out too.
    """
    names = [*query.identifiers, *query.file_names]
    counts = file_words.frequencies(names) if file_words else {}
    defined = file_words.frequencies(DEFINES + name for name in names) if file_words else {}
    files = file_words.documents if file_words else 0

    def is_telling(name: str) -> bool:
        memories, in_files = len(corpus.naming([name])), counts.get(name, 0)
        is_known = bool(memories or in_files or file_words is None or name in query.file_names)
        is_one = defined.get(DEFINES + name, 0) <= FEW_NAMED
        return is_known and is_one and memories <= _most(len(corpus)) and in_files <= _most(files)

    return list(filter(is_telling, names))


def _most(count: int) -> float:
    """The number of texts, of `count`, up to which a name still discriminates."""
    return max(FEW_NAMED, NAMED_SHARE * count)


def _with_code(corpus: MemoryCorpus, test: Callable[[tuple[str, ...], tuple[str, ...]], bool]) -> list[int]:
    """The memories whose paths and symbols pass a test."""
    return [at for code, places in corpus.by_code.items() if test(*code) for at in places]


def _at(places: Iterable[int], value: float, count: int) -> "Floats":
    import numpy as np

    found = np.zeros(count)
    found[list(places)] = value
    return found


def _is_within(at: str, days: Days) -> bool:
    return any(first <= at[:10] <= last for first, last in days)


def names_code(query: Query, names: Iterable[str], paths: Sequence[str], symbols: Sequence[str]) -> bool:
    """Whether the question names a file or folder of a memory, or its symbol: by one of `names`, or with its owner."""
    if any(_is_below(path, named) for path in paths for named in query.paths):
        return True
    return not (names_of_symbols(symbols).isdisjoint(names) and query.qualified_names.isdisjoint(_qualified(symbols)))


def names_of_symbols(symbols: Iterable[str]) -> frozenset[str]:
    """The last parts of symbols, given as "path:qualified", normalized by `core.text.words.whole`."""
    return frozenset(whole(symbol.rpartition(":")[2].rpartition(".")[2]) for symbol in symbols)


def _qualified(symbols: Iterable[str]) -> Iterator[tuple[str, str]]:
    """The owner and last part of symbols, normalized the same way."""
    for symbol in symbols:
        owner, _, last = symbol.rpartition(":")[2].rpartition(".")
        yield whole(owner.rpartition(".")[2]), whole(last)


def _is_below(path: str, named: str) -> bool:
    return path == named or path.endswith(f"/{named}") or path.startswith(f"{named}/")


def with_neighbours(threads: "NDArray[np.int64]", scores: "Floats", continuity: float) -> "Floats":
    """The scores, each with a share of those before and after it in the same thread; `continuity` 0: the scores."""
    if not continuity:
        return scores
    sums = scores.copy()
    for distance in range(1, min(REACH, len(scores) - 1) + 1):
        weight = continuity * exp(-(distance - 1) / DECAY)
        together = (threads[distance:] == threads[:-distance]) * weight
        sums[distance:] += SHARE_OF_BEFORE * together * scores[:-distance]
        sums[:-distance] += SHARE_OF_AFTER * together * scores[distance:]
    return sums


def share_of_questions(text: str) -> float:
    """The share of a text's characters that are in questions, 0 to 1."""
    sentences = list(filter(None, _SENTENCE_END.split(text)))
    asking = sum(len(each) for each in sentences if each.endswith(("?", "？")))
    return asking / max(sum(map(len, sentences)), 1)


def threads_of(origins: Sequence[tuple[str, str]]) -> "NDArray[np.int64]":
    """The number of the thread of each memory, a long session or many memories in a row; unique below 0 without one."""
    import numpy as np

    is_new = [not _is_one_thread(one, following) for one, following in pairwise(origins)]
    numbers = np.cumsum([0] * bool(origins) + is_new, dtype=np.int64)
    is_long = np.bincount(numbers)[numbers] >= SHORTEST_THREAD
    return np.where(is_long, numbers, -1 - np.arange(len(numbers)))


def _is_one_thread(one: tuple[str, str], following: tuple[str, str]) -> bool:
    """Whether two memories, each a session and a time, were recorded in one go."""
    if one[0] or following[0]:
        return one[0] == following[0]
    is_same_hour = bool(one[1]) and one[1][:HOUR] == following[1][:HOUR]  # most are: spares parsing
    return is_same_hour or hours_between(one[1], following[1]) <= SAME_THREAD_HOURS


def word_scores(words: Mapping[str, float], corpus: MemoryCorpus) -> "Floats":
    """The exact BM25 score of each memory, as if there were more memories, without any of the words."""
    forms = scorer_for(words, WordStatistics.empty()).forms
    postings = {form: corpus.postings(form) for form in sorted(forms)}
    length = int(corpus.lengths.sum())
    statistics = WordStatistics.counted(
        {form: len(rows) for form, (rows, _) in postings.items() if len(rows)},
        documents=len(corpus) + PRIOR_DOCUMENTS,
        words=length + round(PRIOR_DOCUMENTS * (length / len(corpus) if len(corpus) else 1.0)),
    )
    return scorer_for(words, statistics).scores(postings, corpus.lengths)
