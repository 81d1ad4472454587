"""The analyser that splits text into words, for the index and for queries.

An identifier becomes its parts, itself as one word if it has several (`refresh_token` and `refreshToken` both become
`refresh token refreshtoken`), and a stem, marked by STEM, for each part that differs from its light stem. Scripts
without spaces become pairs of characters. Words are in Unicode form NFC and case folded.
"""

import unicodedata
from collections.abc import Iterable, Set as AbstractSet
from functools import lru_cache

from repomem.core.text.lazy_pattern import lazy_pattern

STEM = "~"  # prefix of a stem, which never counts as the word itself
DEFINES = "="  # prefix of a defined name: `=parse_config` finds its definition
FEWEST_LETTERS = 3  # of a telling stem
LONGEST_WORD = 64  # longer runs are data (base64, hashes)

# Combining marks, which \w does not match: accents, vowel points and signs, tones (of the Latin, Cyrillic, Hebrew,
# Arabic, Indic, Thai, Lao, Burmese and Khmer scripts)
_MARKS = (
    r"\u0300-\u036f\u0483-\u0487\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06ed\u0900-\u0963"
    r"\u0981-\u0df3\u0e31-\u0e3a\u0e47-\u0e4e\u0eb1-\u0ecd\u102b-\u103e\u1056-\u109d\u17b4-\u17d3"
)
_TOKEN = lazy_pattern(rf"[\w{_MARKS}]+")
_ASCII_TOKENS = "".join(chr(code) if _TOKEN.match(chr(code)) else " " for code in range(128))
_PARTS = lazy_pattern(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|[0-9]+")
# kana, Han, Hangul (spaced, but its words carry their particles), Thai, Lao, Burmese, Khmer
_UNSPACED = "぀-ヿ㐀-䶿一-鿿豈-﫿가-힯ｦ-ﾟ฀-๿຀-໿က-႟ក-៿"
_RUNS = lazy_pattern(  # of characters without spaces between words, or of others
    rf"(?P<unspaced>[{_UNSPACED}]+)|(?:[^\W_{_UNSPACED}]|[{_MARKS}])+"
)
_CACHED_WORDS = 200_000  # cached expansions per process, about 40 MB; the cache is cleared when full
_CACHED_STEMS = 20_000  # about 3 MB: an answer reads the same words in many lines


@lru_cache(_CACHED_STEMS)
def stem(word: str) -> str:
    """The light stem of a lower-case word: English plurals, -ing, -ed, -er, -ion and a final -e are removed.

    A stem need not be a word, but is equal for the forms of one: parse, parsing, parsed and parser become `pars`. Long
    words in other alphabets lose two letters, which unites most of their forms.
    """
    if not word.isascii():
        return word[:-2] if len(word) > 5 else word
    if len(word) < 4:
        return word
    word = _singular(word)
    for suffix, least in (("ing", 6), ("ed", 5), ("er", 5), ("or", 5), ("ion", 6), ("ment", 8), ("ly", 6)):
        if word.endswith(suffix) and len(word) >= least:
            return _without_suffix(word[: -len(suffix)], suffix)
    return _without_suffix(word[:-1], "e") if word.endswith("e") and len(word) > 4 else word


def _singular(word: str) -> str:
    if word.endswith("ies") and len(word) > 4:
        return word[:-2]
    if word.endswith("y") and word[-2] not in "aeiou":
        return word[:-1] + "i"
    if word.endswith(("sses", "xes", "ches", "shes")):
        return word[:-2]
    if word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return word[:-1]
    return word


def _without_suffix(word: str, suffix: str) -> str:
    if suffix in ("ing", "ed", "er") and len(word) > 3 and word[-1] == word[-2] and word[-1] not in "lsz":
        return word[:-1]
    if word.endswith("at") and not word.endswith("eat") and len(word) > 5:  # validate, not repeat
        return word[:-2]
    return word


class _Expansions(dict[str, str]):
    """A cache from identifiers to their space-joined words; a `dict`, so that a hit is one look-up in C."""

    def __missing__(self, token: str) -> str:
        if len(self) > _CACHED_WORDS:
            self.clear()
        words = _ascii_words(token) if token.isascii() else _unicode_words(token)
        expansion = self[token] = " ".join(words)
        return expansion


def _ascii_words(token: str) -> list[str]:
    if len(token) > LONGEST_WORD:
        return []
    parts = [part.lower() for part in _PARTS.findall(token)]
    words = [part for part in parts if len(part) > 1 and not (part.isdigit() and len(part) < 3)]
    if len(parts) > 1:
        words.append("".join(parts))
    elif not words and len(token) == 1 and token.isalpha():
        words.append(token.lower())
    return words + _stems(words)


def _stems(words: list[str]) -> list[str]:
    return [STEM + short for word in words if (short := stem(word)) != word]


def _unicode_words(token: str) -> list[str]:
    words: list[str] = []
    for run in _RUNS.finditer(token.casefold()):
        if unspaced := run["unspaced"]:
            words += [unspaced[i : i + 2] for i in range(len(unspaced) - 1)] or [unspaced]
        elif len(run[0]) <= LONGEST_WORD:
            words += [run[0], *_stems([run[0]])]
    return words


_expansions = _Expansions()


def words_of(text: str) -> str:
    """The words of a text in order, joined by single spaces."""
    # most code is ASCII, for which a translation table is twice as fast as a pattern
    is_ascii = text.isascii()
    tokens = text.translate(_ASCII_TOKENS).split() if is_ascii else _TOKEN.findall(unicodedata.normalize("NFC", text))
    return " ".join(filter(None, map(_expansions.__getitem__, tokens)))


def stems_of(text: str) -> frozenset[str]:
    """The stems of a text's words, unmarked."""
    return frozenset(stem(word) for word in words_of(text).split() if not word.startswith(STEM))


def distinctive_stems(text: str, common: AbstractSet[str]) -> frozenset[str]:
    """The stems of a text's words that have at least FEWEST_LETTERS and are not among the common ones."""
    return frozenset(word for word in stems_of(text) if len(word) >= FEWEST_LETTERS) - common


def whole(identifier: str) -> str:
    """An identifier as one word in any style: `parseConfig`, `parse_config` and `PARSE_CONFIG` are equal."""
    return unicodedata.normalize("NFC", identifier).casefold().replace("_", "").replace("-", "")


def definition_words(names: Iterable[str]) -> str:
    """The names as words with the prefix DEFINES, space-joined."""
    return " ".join(DEFINES + whole(name) for name in names if name and len(name) <= LONGEST_WORD)
