"""A baseline: words and their letter groups hashed into a small vector (feature hashing, Weinberger 2009).

Deterministic, offline, nothing to load. It knows no meaning; it sees that `Datenbankverbindung` and `Verbindung`, or
`tokeniser` and `tokenizer`, share most of their letters, which words alone do not.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from repomem.core.text.words import DEFINES, STEM, words_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

DIMENSIONS: Final = 128
GROUP_LENGTHS: Final = (3, 4, 5)  # letters per group; shorter ones are in every word
WORD_SHARE: Final = 0.3  # of a word's vector; the rest is shared by its letter groups
LONGEST_COUNTED: Final = 12  # letters: longer words weigh more, for they are rarer, up to here
SCALE: Final = 4096  # word vectors are whole numbers of 1/SCALE: their sum is the same in every order
KEPT_WORDS: Final = 150_000  # vectors of words kept: 77 MB; then begun anew
WORDS_AT_ONCE: Final = 300  # hashed together: enough to keep numpy busy, few enough for the caches
FNV_PRIME: Final = 0x01000193  # of the 32-bit Fowler-Noll-Vo hash; the mixing below is that of lowbias32


class Hashed:
    """Hashed words and letter groups."""

    def __init__(self) -> None:
        self._rows: dict[str, int] = {}
        self._table: NDArray[np.int32] | None = None
        self._filled = 0  # rows of the table in use; the first is that of the words without a vector

    def embed(self, texts: Sequence[str]) -> "NDArray[np.float32]":
        """Unit vectors of texts, (texts, dimensions)."""
        return self._embedded([set(words_of(text).split()) for text in texts])

    def _embedded(self, sets: Sequence[set[str]]) -> "NDArray[np.float32]":
        """Each distinct word counts once: how often it stands in a passage says little about its meaning."""
        import numpy as np

        table = self._learn(set().union(*sets))
        row_of = self._rows.__getitem__
        sums = np.zeros((len(sets), DIMENSIONS), np.float64)
        for row, words in enumerate(sets):
            if words:
                sums[row] = np.add.reduce(table[np.fromiter(map(row_of, words), np.int64, len(words))], axis=0)
        norms = np.linalg.norm(sums, axis=1, keepdims=True)
        return np.asarray(sums / np.where(norms > 0, norms, 1.0), np.float32)

    def _learn(self, words: set[str]) -> "NDArray[np.int32]":
        """The table of word vectors, with the new ones among `words` added; marked words share a row of zeros."""
        import numpy as np

        if self._table is None or len(self._rows) + len(words) > KEPT_WORDS:
            self._rows, self._table, self._filled = {}, np.zeros((1, DIMENSIONS), np.int32), 1
        unknown = words - self._rows.keys()
        new = sorted(word for word in unknown if word[0] not in (STEM, DEFINES))
        known = self._filled
        if known + len(new) > len(self._table):  # twice as large, so that growing costs no more than filling
            spare = np.zeros((known + 2 * len(new), DIMENSIONS), np.int32)
            self._table = np.concatenate([self._table[:known], spare])
        for at in range(0, len(new), WORDS_AT_ONCE):
            batch = new[at : at + WORDS_AT_ONCE]
            self._table[known + at : known + at + len(batch)] = word_vectors(batch)
        self._rows |= dict.fromkeys(unknown, 0) | {word: known + at for at, word in enumerate(new)}
        self._filled += len(new)
        return self._table


def word_vectors(words: Sequence[str]) -> "NDArray[np.int32]":
    """Vectors of words in units of 1/SCALE, (words, dimensions); each depends on its own letters alone."""
    import numpy as np

    letters = np.frombuffer("".join(f"<{word}>" for word in words).encode("utf-32-le", "surrogatepass"), np.uint32)
    lengths = np.fromiter(map(len, words), np.int64, len(words)) + 2
    owners = np.repeat(np.arange(len(words)), lengths)
    left = np.repeat(np.cumsum(lengths), lengths) - np.arange(len(letters))  # letters from here to the word's end
    keys, rows = [_word_keys(letters, owners, lengths)], [np.arange(len(words))]
    rolling = np.zeros(len(letters), np.uint32)
    for size in range(1, max(GROUP_LENGTHS) + 1):
        starts = max(len(letters) - size + 1, 0)
        rolling = rolling[:starts] * np.uint32(FNV_PRIME) + letters[size - 1 :]
        if size in GROUP_LENGTHS:
            fits = left[:starts] >= size
            keys.append(_mixed(rolling[fits] + np.uint32(size)))
            rows.append(owners[:starts][fits])
    return _placed(keys, rows, lengths - 2)


def _word_keys(
    letters: "NDArray[np.uint32]", owners: "NDArray[np.int64]", lengths: "NDArray[np.int64]"
) -> "NDArray[np.uint32]":
    """A key for each word as a whole: the sum of its letters, each mixed with its place."""
    import numpy as np

    places = np.arange(len(letters)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    mixed = _mixed(letters + np.asarray(places, np.uint32) * np.uint32(FNV_PRIME))
    sums = np.zeros(len(lengths), np.uint32)
    np.add.at(sums, owners, mixed)
    return _mixed(sums)


def _placed(
    keys: "list[NDArray[np.uint32]]", rows: "list[NDArray[np.int64]]", lengths: "NDArray[np.int64]"
) -> "NDArray[np.int32]":
    """Signed features summed into their places: the first keys are the words, the others their letter groups."""
    import numpy as np

    groups = np.bincount(np.concatenate(rows[1:]), minlength=len(lengths))
    shares = (1.0 - WORD_SHARE) / np.sqrt(np.maximum(groups, 1))
    row, key = np.concatenate(rows), np.concatenate(keys)
    weights = np.concatenate([np.full(len(lengths), WORD_SHARE), shares[np.concatenate(rows[1:])]])
    signs = np.where(key & 1, 1.0, -1.0)
    flat = np.bincount(row * DIMENSIONS + (key >> 1) % DIMENSIONS, signs * weights, len(lengths) * DIMENSIONS)
    vectors = flat.reshape(len(lengths), DIMENSIONS) * np.minimum(lengths, LONGEST_COUNTED)[:, None]
    return np.rint(vectors * SCALE).astype(np.int32)


def _mixed(keys: "NDArray[np.uint32]") -> "NDArray[np.uint32]":
    """Every bit of a key spread over all of it."""
    import numpy as np

    keys = keys ^ (keys >> np.uint32(16))
    keys = keys * np.uint32(0x7FEB352D)
    keys = keys ^ (keys >> np.uint32(15))
    keys = keys * np.uint32(0x846CA68B)
    return keys ^ (keys >> np.uint32(16))
