"""Texts that a question quotes, such as an error's message: found where the code writes them, word for word.

What was filled into a message when it was written is no hindrance: a quotation may be found in parts.
"""

import re
from collections.abc import Mapping, Sequence

from repomem.core.statistics import WordStatistics, inverse_frequency
from repomem.core.words import words_of

SHORTEST = 3  # words of a quotation, and of a part of it that counts whole; of a pair each counts half
PAIR_SHARE = 0.5
ABSENT_SHARE = 0.25  # of the weight of a word that stands nowhere
LEAST = 0.5  # share of a quotation, by weight, that a place must hold
MOST = 6  # quotations of one question
LONGEST = 40  # words of one
_QUOTED = re.compile(r"\"([^\"\n]{8,400})\"|'([^'\n]{8,400})'(?!\w)|`([^`\n]{8,400})`|“([^”\n]{8,400})”")
_WHAT = re.compile(r"^\s*(?:E\s+)?(?:[\w.$\\]+(?:\[\w+\])?:\s+|Caused by:\s+|Uncaught\s+)+")

Quotation = tuple[str, ...]  # each word as the index has it


def quotations_in(text: str, complaints: Sequence[str]) -> list[Quotation]:
    """What a question quotes: what went wrong, without the error's name, and what stands between quotation marks."""
    texts = [_WHAT.sub("", complaint) for complaint in complaints]
    texts += ["".join(groups) for groups in _QUOTED.findall(text)]
    found = dict.fromkeys(_quotation(each) for each in texts if len(each.split()) >= SHORTEST)  # no qualified name
    return [each for each in found if len(each) >= SHORTEST][:MOST]


def _quotation(text: str) -> Quotation:
    return tuple(filter(None, map(words_of, re.findall(r"\w+", text)[:LONGEST])))


def held(quotation: Quotation, words: str, weights: Mapping[str, float]) -> float:
    """The share of a quotation, by weight, that stands in a text in the same order and without gaps."""
    text = f" {words} "
    total = sum(weights[word] for word in quotation) or 1.0
    found, start = 0.0, 0
    while start < len(quotation) - 1:
        end = start + 1
        while end < len(quotation) and f" {' '.join(quotation[start : end + 1])} " in text:
            end += 1
        if end - start > 1:
            share = 1.0 if end - start >= SHORTEST else PAIR_SHARE
            found += share * sum(weights[word] for word in quotation[start:end])
        start = max(end, start + 1)
    return found / total


def weights_of(quotations: Sequence[Quotation], chunk_words: WordStatistics) -> dict[str, float]:
    """What each word of quotations says: the rarer, the more; what stands nowhere was filled in, and says little."""
    words = {each for quotation in quotations for each in quotation}
    frequencies = chunk_words.frequencies(word for each in words for word in each.split())
    return {each: max(_weight(chunk_words.documents, frequencies[word]) for word in each.split()) for each in words}


def _weight(documents: int, frequency: int) -> float:
    return inverse_frequency(documents, frequency) * (1.0 if frequency else ABSENT_SHARE)
