"""Leaves out memories about other code than the question names: the same setting of another class is not an answer.

A name counts only if it has several words and the repository's code defines it: such a name is hardly a coincidence.
"""

from collections.abc import Iterable

from repomem.core.text.words import DEFINES
from repomem.ranking.memories import MemoryMatch
from repomem.ranking.memory_signals import RelevantCode, is_compound, names_of_symbols
from repomem.ranking.memory_words import MemoryCorpus, MemoryDocument, names_in, plain_words
from repomem.ranking.query import Query

SUBJECT_SHARE = 0.3  # share of the question's words in such names that makes it about that code: benchmarks/memory
ITS_CODE = frozenset({"symbol", "name"})  # signals that a memory is about code that the question names or finds


def without_other_code(
    query: Query, ranked: list[MemoryMatch], documents: MemoryCorpus, code: RelevantCode
) -> list[MemoryMatch]:
    """The matches; if the question is about named code, without memories that name only other code."""
    asked = frozenset() if query.parts else _defined_names(query, code)
    if not asked or not _is_subject(query, asked):
        return ranked
    return [
        one
        for one in ranked
        if not ITS_CODE.isdisjoint(one.why) or not _is_of_others(documents.with_id(one.id), asked, code)
    ]


def _is_subject(query: Query, names: frozenset[str]) -> bool:
    """Whether much of the question consists of these names."""
    within = sum(any(word in name for name in names) for word in query.words)
    return within >= SUBJECT_SHARE * len(query.words)


def _is_of_others(document: MemoryDocument, asked: frozenset[str], code: RelevantCode) -> bool:
    """Whether a memory names code, but none that the question asks about, or a part of it."""
    if names_in(document.words, asked):  # "the output buffer", where the code that it is on has another name
        return False
    words = frozenset(plain_words(document.words))
    own = names_of_symbols(document.symbols) | _defined(
        (name for name in words if is_compound(name, words - {name})), code
    )
    return bool(own) and not any(one in other or other in one for one in own for other in asked)


def _defined_names(query: Query, code: RelevantCode) -> frozenset[str]:
    """The names of several words in a question that the repository's code defines; "chunk uploader" is one too."""
    words = frozenset(query.words)
    return _defined(
        (name for name in query.possible_names if name not in words or is_compound(name, words - {name})), code
    )


def _defined(names: Iterable[str], code: RelevantCode) -> frozenset[str]:
    """Those of the names that the repository's code defines."""
    if not code.file_words:
        return frozenset()
    counts = code.file_words.frequencies(DEFINES + name for name in names)
    return frozenset(name.removeprefix(DEFINES) for name, count in counts.items() if count)
