"""Counts a question's words in many texts at once with arrays, four times as fast as splitting each text.

Texts are space-joined words, as from `core.words`. A word is identified by its first and last eight bytes and its
length; longer words are compared in full.
"""

from collections.abc import Collection, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from repomem.ranking.bm25 import frequencies_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

KEY = 8  # bytes compared as one number
WHOLE = 2 * KEY  # bytes that the first and last KEY bytes cover
SPREAD = 0x9E3779B97F4A7C15  # 2^64 over the golden ratio: similar keys get distant hashes
_SPACES = bytes([*range(9, 14), *range(28, 33)])  # what `str.split` splits ASCII at


class WordCounts(NamedTuple):
    """The counts of the forms in one text, in order of first occurrence, and its length."""

    frequencies: dict[str, int]
    length: int  # words


def word_counts(texts: Sequence[str], forms: Collection[str]) -> list[WordCounts]:
    """The counts of the forms in each text."""
    wanted = _distinct(forms)
    plain = [text for text in texts if wanted and text.isascii()]
    by_array = iter(_counted(plain, wanted) if plain else ())
    every = frozenset(forms)
    return [next(by_array) if wanted and text.isascii() else _counted_alone(text, every) for text in texts]


def _distinct(forms: Collection[str]) -> list[str]:
    """The ASCII forms; none if two of them have the same key."""
    plain = [form for form in forms if form and form.isascii()]
    return plain if len({(form[:KEY], form[-KEY:], len(form)) for form in plain}) == len(plain) else []


def _counted_alone(text: str, forms: frozenset[str]) -> WordCounts:
    split = text.split()
    return WordCounts(frequencies_of(split, forms), len(split))


def _counted(texts: Sequence[str], forms: Sequence[str]) -> list[WordCounts]:
    import numpy as np

    words = _WordArrays(" ".join(texts).encode())
    wanted = _WordArrays(" ".join(forms).encode())
    firsts = np.cumsum([0, *(len(text) + 1 for text in texts)])  # where each text starts
    at, form = _matches(words, wanted, forms)
    text_of = np.searchsorted(firsts, words.starts[at] - 1, side="right") - 1
    pairs, first, counts = np.unique(text_of * len(forms) + form, return_index=True, return_counts=True)
    order = np.argsort(first)  # text by text
    ends = np.searchsorted(text_of[first[order]], np.arange(len(texts) + 1)).tolist()
    names = [forms[number] for number in (pairs[order] % len(forms)).tolist()]
    often = counts[order].tolist()
    lengths = np.diff(np.searchsorted(words.starts - 1, firsts)).tolist()
    return [
        WordCounts(dict(zip(names[start:end], often[start:end], strict=True)), length)
        for (start, end), length in zip(pairwise(ends), lengths, strict=True)
    ]


class _WordArrays:
    """The words of a text as arrays of starts, lengths and keys."""

    def __init__(self, text: bytes) -> None:
        import numpy as np

        self.data = b" " + text + b" " + bytes(KEY)
        read = np.frombuffer(self.data, np.uint8)[:-KEY]
        spaces = np.flatnonzero(read <= _SPACES[-1])
        if (read[spaces] != _SPACES[-1]).any():
            spaces = spaces[np.isin(read[spaces], np.frombuffer(_SPACES, np.uint8))]
        starts, lengths = spaces[:-1] + 1, np.diff(spaces) - 1
        if not lengths.all():  # two spaces in a row
            starts, lengths = starts[lengths > 0], lengths[lengths > 0]
        self.starts, self.lengths = starts, lengths

    @property
    def pairs(self) -> "NDArray[np.uint16]":
        """The first two bytes of each word; of a single letter, with the following space."""
        import numpy as np

        every: NDArray[np.uint16] = np.ndarray((len(self.data) - 1,), "<u2", self.data, strides=(1,))
        return every[self.starts]

    def heads(self, at: "NDArray[np.int64]") -> "NDArray[np.uint64]":
        """The first bytes of some words."""
        return self._keys(self.starts[at], at)

    def tails(self, at: "NDArray[np.int64]") -> "NDArray[np.uint64]":
        """The last bytes of some words; of short words, all bytes."""
        import numpy as np

        return self._keys(self.starts[at] + np.maximum(self.lengths[at] - KEY, 0), at)

    def _keys(self, starts: "NDArray[np.int64]", at: "NDArray[np.int64]") -> "NDArray[np.uint64]":
        import numpy as np

        lengths = self.lengths[at]
        every: NDArray[np.uint64] = np.ndarray((len(self.data) - KEY + 1,), "<u8", self.data, strides=(1,))
        masks = np.array([(1 << 8 * length) - 1 for length in range(KEY + 1)], np.uint64)
        keys: NDArray[np.uint64] = every[starts] & masks[np.minimum(lengths, KEY)]
        return keys


def _matches(
    words: _WordArrays, wanted: _WordArrays, forms: Sequence[str]
) -> "tuple[NDArray[np.int64], NDArray[np.int64]]":
    """The indexes of the words that are forms, and the form of each."""
    import numpy as np

    near = np.flatnonzero(_beginnings(wanted)[words.pairs])
    every = np.arange(len(forms))
    by_hash = np.argsort(hashes := _hashes(wanted, every))
    place = np.minimum(np.searchsorted(hashes[by_hash], _hashes(words, near)), len(forms) - 1)
    form = by_hash[place]
    same = (
        (words.heads(near) == wanted.heads(every)[form])
        & (words.lengths[near] == wanted.lengths[form])
        & (words.tails(near) == wanted.tails(every)[form])
    )
    at, form = near[same], form[same]
    long = np.flatnonzero(words.lengths[at] > WHOLE)
    other = [one for one in long.tolist() if not _is_same(words, int(at[one]), forms[int(form[one])])]
    return np.delete(at, other), np.delete(form, other)


def _beginnings(wanted: _WordArrays) -> "NDArray[np.bool_]":
    """A table of the first two bytes that a wanted word may have: it excludes most words."""
    import numpy as np

    table = np.zeros(1 << 16, np.bool_)
    table[wanted.pairs] = True
    single = wanted.pairs[wanted.lengths == 1] & 0xFF
    for space in _SPACES:
        table[single | (space << 8)] = True
    return table


def _is_same(words: _WordArrays, at: int, form: str) -> bool:
    start = int(words.starts[at])
    return words.data[start : start + int(words.lengths[at])] == form.encode()


def _hashes(words: _WordArrays, at: "NDArray[np.int64]") -> "NDArray[np.uint64]":
    import numpy as np

    spread = np.uint64(SPREAD)
    return (words.heads(at) * spread ^ words.tails(at)) * spread ^ words.lengths[at].astype(np.uint64)
