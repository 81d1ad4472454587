"""Document frequencies for exact BM25, independent of the order in which files were indexed.

The documents are one view's chunks, one view's files, or one history's episodes. Words are stored as sorted 32-bit
checksums: two words in 100,000 share one, which changes their weights a little.
"""

import math
import zlib
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


COMMON = 0.2  # share of documents: a word in more of them adds no candidates


def checksum(word: str) -> int:
    """The 32-bit key under which a word is counted."""
    return zlib.crc32(word.encode("utf-8", "surrogatepass"))


@dataclass(frozen=True, slots=True, eq=False)
class WordStatistics:
    """Document frequencies: `counts[i]` documents contain the word with checksum `keys[i]`; keys ascend."""

    keys: "NDArray[np.uint32]"
    counts: "NDArray[np.uint32]"
    documents: int
    words: int  # total length of all documents

    @classmethod
    def empty(cls) -> Self:
        return cls.counted({}, documents=0, words=0)

    @classmethod
    def counted(cls, frequencies: Mapping[str, int], *, documents: int, words: int) -> Self:
        """Statistics from a mapping of each word to the number of documents that contain it."""
        import numpy as np

        keys = np.fromiter((checksum(word) for word in frequencies), np.uint32, len(frequencies))
        counts = np.fromiter(frequencies.values(), np.int64, len(frequencies))
        return cls(*_summed(keys, counts), documents, words)

    def plus(self, other: "WordStatistics") -> "WordStatistics":
        """The statistics of both sets of documents."""
        return self._combined(other, 1)

    def minus(self, other: "WordStatistics") -> "WordStatistics":
        """The statistics without the documents in `other`, which must be among these."""
        return self._combined(other, -1)

    def _combined(self, other: "WordStatistics", sign: int) -> "WordStatistics":
        import numpy as np

        keys = np.concatenate([self.keys, other.keys])
        counts = np.concatenate([self.counts.astype(np.int64), sign * other.counts.astype(np.int64)])
        documents = self.documents + sign * other.documents
        return WordStatistics(*_summed(keys, counts), documents, self.words + sign * other.words)

    def frequencies(self, words: Iterable[str]) -> dict[str, int]:
        """The number of documents that contain each word."""
        import numpy as np

        asked = list(words)
        if not len(self.keys) or not asked:
            return dict.fromkeys(asked, 0)
        keys = np.array([checksum(word) for word in asked], np.uint32)
        at = np.minimum(np.searchsorted(self.keys, keys), len(self.keys) - 1)
        found = np.where(self.keys[at] == keys, self.counts[at], 0)
        return dict(zip(asked, found.tolist(), strict=True))

    def distinctive(self, words: Iterable[str]) -> list[str]:
        """The words in at most a share COMMON of the documents, else all that occur; common words slow a search."""
        frequencies = {word: count for word, count in self.frequencies(words).items() if count}
        return [word for word, count in frequencies.items() if count <= COMMON * self.documents] or list(frequencies)

    @property
    def mean_length(self) -> float:
        """Words per document; 1 if there are no documents."""
        return self.words / self.documents if self.documents else 1.0

    def to_bytes(self) -> bytes:
        """The statistics as the catalog stores them."""
        header = f"{self.documents} {self.words} {len(self.keys)}\n".encode()
        return zlib.compress(header + self.keys.tobytes() + self.counts.tobytes(), 1)

    @classmethod
    def from_bytes(cls, data: bytes) -> Self:
        """The inverse of `to_bytes`."""
        import numpy as np

        header, _, arrays = zlib.decompress(data).partition(b"\n")
        documents, words, size = map(int, header.split())
        keys = np.frombuffer(arrays, np.uint32, size)
        return cls(keys, np.frombuffer(arrays, np.uint32, size, offset=4 * size), documents, words)


def _summed(keys: "NDArray[np.uint32]", counts: "NDArray[np.int64]") -> "tuple[NDArray[np.uint32], NDArray[np.uint32]]":
    """Sum the counts of equal keys and drop zero counts; keys ascend."""
    import numpy as np

    unique, position = np.unique(keys, return_inverse=True)
    total = np.bincount(position, weights=counts, minlength=len(unique)).astype(np.int64)
    kept = total > 0
    return unique[kept], total[kept].astype(np.uint32)


class Tally:
    """Counts files one by one into statistics of chunks and of files."""

    def __init__(self) -> None:
        self._in_chunks: Counter[str] = Counter()
        self._in_files: Counter[str] = Counter()
        self._chunks = self._files = self._words = 0

    def add_file(self, chunks: Iterable[str]) -> None:
        """Count one file, given the space-joined words of each chunk."""
        in_file: set[str] = set()
        for words in chunks:
            split = words.split()
            distinct = set(split)
            self._in_chunks.update(distinct)
            in_file |= distinct
            self._words += len(split)
            self._chunks += 1
        self._in_files.update(in_file)
        self._files += 1

    def of_chunks(self) -> WordStatistics:
        """Statistics with each chunk as a document."""
        return WordStatistics.counted(self._in_chunks, documents=self._chunks, words=self._words)

    def of_files(self) -> WordStatistics:
        """Statistics with each file as a document."""
        return WordStatistics.counted(self._in_files, documents=self._files, words=self._words)


def inverse_frequency(documents: int, frequency: int) -> float:
    """The weight of a word in `frequency` of `documents` (BM25 as in Lucene: never negative)."""
    return math.log(1 + (documents - frequency + 0.5) / (frequency + 0.5))
