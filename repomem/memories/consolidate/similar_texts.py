"""Whether two memories say the same: equal words except fillers, and at most one added word.

Never if they differ in a number, a name, a negation or a limit.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Set as AbstractSet
from typing import NamedTuple

from repomem.core.records import MemoryContent
from repomem.core.text.lazy_pattern import lazy_pattern

LEAST_OVERLAP = 0.9  # share of common words, for memories without anchors and scope
MOST_ALIKE = 200  # memories compared because of one word: more than a ledger written by people has
_FILLERS = "a an the is are be we our us this that these those it its there very really just simply also please"
FILLERS = frozenset(_FILLERS.split())
# Words that negate or limit a sentence.
_LIMITS = """no not never none neither nor nothing nobody nowhere cannot without hardly only except unless until
    till if when while whenever before after but instead rather than always sometimes usually mostly often rarely
    all any every each some most least more less first last old new must should may might can could shall will would
    again yet still already both either"""
LIMITS = frozenset(_LIMITS.split())
_TOKEN = lazy_pattern(r"`[^`\n]*`|\S+")
_OPENING, _CLOSING = "\"'([{“‘<", ".,;:!?\"')]}”’…>"
_DASHES = frozenset("-–—·•*")


class MemoryText(NamedTuple):
    """A memory's text for comparison; only texts with equal `meaning` can say the same."""

    meaning: tuple[object, ...]  # kind, anchors, scope, reasons, and the meaning-changing words in order
    words: tuple[str, ...]  # without fillers
    known: frozenset[str]


def cosine(one: AbstractSet[str], other: AbstractSet[str]) -> float:
    """The cosine of two sets of words."""
    return len(one & other) / math.sqrt(len(one) * len(other)) if one and other else 0.0


def candidate_pairs(texts: Mapping[str, MemoryText]) -> Iterator[tuple[str, str]]:
    """Pairs that may share LEAST_OVERLAP of their words: they share a rare one (prefix filter, Chaudhuri 2006)."""
    counts = Counter(word for text in texts.values() for word in text.known)
    seen: dict[str, list[str]] = defaultdict(list)
    for name in sorted(texts):
        words = sorted(texts[name].known, key=lambda word: (counts[word], word))
        rarest = words[: len(words) - math.ceil(LEAST_OVERLAP * len(words)) + 1]
        others = {other for word in rarest for other in seen[word][:MOST_ALIKE]}
        yield from ((other, name) for other in sorted(others))
        for word in rarest:
            seen[word].append(name)


def says_same(one: MemoryText, other: MemoryText) -> bool:
    """Whether one text is the other with words added; a replaced word may change the meaning."""
    shorter, longer = sorted((one.words, other.words), key=len)
    rest = iter(longer)
    if not all(word in rest for word in shorter):  # consumes `rest` up to each word: in the same order
        return False
    has_address = one.meaning[1] != ((), ())
    return has_address or overlap(one, other)


def overlap(one: MemoryText, other: MemoryText) -> bool:
    """Whether LEAST_OVERLAP of the words of two texts are in both."""
    return len(one.known & other.known) >= LEAST_OVERLAP * len(one.known | other.known)


def memory_text(said: MemoryContent) -> MemoryText:
    tokens = [token for token in _tokens(said.text) if token[0] not in FILLERS]
    address = tuple(sorted({(each.path, each.symbol) for each in said.given})), tuple(sorted(said.scope))
    reasons = tuple(tuple(_tokens(text)) for text in (said.why, *said.rejected))
    exact = tuple(word for word, is_exact in tokens if is_exact)
    words = tuple(word for word, _ in tokens)
    return MemoryText((said.kind, address, reasons, exact), words, frozenset(words))


def _tokens(text: str) -> Iterator[tuple[str, bool]]:
    """The words of a text, and whether each is a number, name, sign, negation or limit: those must be equal."""
    for token in _TOKEN.findall(text.replace("’", "'")):
        if token.startswith("`") and token.endswith("`") and len(token) > 2:
            yield token.strip("`"), True
            continue
        bare = token.lstrip(_OPENING).rstrip(_CLOSING) or token
        if set(bare) <= _DASHES:
            continue
        plain = bare.casefold()
        is_word = bare.replace("'", "").isalpha() and bare[1:] == bare[1:].lower()
        if not is_word:
            yield bare, True
        else:
            yield plain, plain in LIMITS or plain.endswith("n't")
