"""The built-in embedder: words and their letter groups hashed into a small vector (feature hashing, Weinberger 2009).

Deterministic, offline, nothing to load. It knows no meaning; it sees that `Datenbankverbindung` and `Verbindung`, or
`tokeniser` and `tokenizer`, share most of their letters, which words alone do not.
"""

import zlib
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from repomem.core.ports import Passage
from repomem.core.words import DEFINES, STEM

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

DIMENSIONS: Final = 128
GROUP_LENGTHS: Final = (3, 4, 5)  # letters per group; shorter ones are in every word
GROUPS_SHARE: Final = 0.7  # of a word's vector; the rest is the word as a whole
KEPT_WORDS: Final = 100_000  # vectors of words kept: 50 MB; then begun anew


class HashedEmbedder:
    """Hashed words and letter groups; implements `core.ports.Embedder`."""

    model_id = f"builtin:hashed-1-{DIMENSIONS}"
    dimensions = DIMENSIONS
    is_cheap = True

    def __init__(self) -> None:
        self._vectors: dict[str, NDArray[np.float32]] = {}

    def embed(self, passages: Sequence[Passage]) -> "NDArray[np.float16]":
        """Vectors of documents, (passages, dimensions)."""
        import numpy as np

        vectors = np.zeros((len(passages), DIMENSIONS), np.float16)
        for row, passage in enumerate(passages):
            vectors[row] = self._embedded(passage.words)
        return vectors

    def embed_query(self, query: Passage) -> "NDArray[np.float32]":
        """The vector of a question, (dimensions,)."""
        return self._embedded(query.words)

    def _embedded(self, words: str) -> "NDArray[np.float32]":
        """Each distinct word counts once: how often it stands in a passage says little about its meaning."""
        import numpy as np

        distinct = {word for word in words.split() if word[0] not in (STEM, DEFINES)}
        if not distinct:
            return np.zeros(DIMENSIONS, np.float32)
        if len(self._vectors) > KEPT_WORDS:
            self._vectors.clear()
        total = np.sum([self._vector_of(word) for word in sorted(distinct)], axis=0, dtype=np.float32)
        return np.asarray(total / (np.linalg.norm(total) or 1.0), np.float32)

    def _vector_of(self, word: str) -> "NDArray[np.float32]":
        known = self._vectors.get(word)
        if known is None:
            known = self._vectors[word] = _hashed(word)
        return known


def _hashed(word: str) -> "NDArray[np.float32]":
    """Longer words weigh more: they are rarer, and the embedder knows no frequencies."""
    import numpy as np

    framed = f"<{word}>"
    groups = [framed[i : i + size] for size in GROUP_LENGTHS for i in range(len(framed) - size + 1)]
    keys = np.array([zlib.crc32(group.encode()) for group in [framed, *groups]], np.uint32)
    signs = np.where(keys & 1, 1.0, -1.0)
    weights = np.full(len(keys), GROUPS_SHARE / max(len(groups), 1) ** 0.5)
    weights[0] = 1.0 - GROUPS_SHARE
    hashed = np.bincount((keys >> 1) % DIMENSIONS, weights=signs * weights, minlength=DIMENSIONS)
    return np.asarray(hashed * min(len(word), 12), np.float32)
