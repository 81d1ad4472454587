"""The words of memories as postings: a question reads only the memories that have its words, however many there are.

A corpus may come in several segments, such as one that was stored and one with the memories written since.
"""

from bisect import bisect_left
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, chain
from typing import TYPE_CHECKING, Self, overload

from repomem.core.grouping import grouped_by
from repomem.core.text.words import STEM

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Rows = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class MemoryDocument:
    """A memory as the ranking reads it."""

    id: str
    words: str  # space-joined, see core.text.words
    paths: tuple[str, ...] = ()  # current paths of its anchors
    symbols: tuple[str, ...] = ()  # "path:qualified" of its anchors
    session: str = ""
    at: str = ""  # YYYY-MM-DDTHH:MM:SSZ


@dataclass(frozen=True, slots=True, eq=False)
class Postings:
    """Which texts have a word, and how often: those of `terms[i]` are at `starts[i]` to `starts[i + 1]`."""

    terms: Sequence[str]  # sorted
    starts: "Rows"
    rows: "Rows"
    counts: "Rows"
    lengths: "Rows"  # words of each text

    @classmethod
    def counted(cls, texts: Sequence[str]) -> Self:
        """The postings of space-joined words."""
        import numpy as np

        split = [text.split() for text in texts]
        number: dict[str, int] = {}
        found = [number.setdefault(word, len(number)) for word in chain.from_iterable(split)]
        terms = sorted(number)
        place = np.empty(len(terms), np.int64)
        place[[number[term] for term in terms]] = np.arange(len(terms))
        width = max(len(texts), 1)
        rows = np.repeat(np.arange(len(texts)), [len(words) for words in split])
        keys, counts = np.unique(place[found] * width + rows if found else rows, return_counts=True)
        starts = np.searchsorted(keys, np.arange(len(terms) + 1) * width)
        lengths = np.array([text.count(" ") + 1 for text in texts], np.int64)
        return cls(terms, starts.astype(np.int64), keys % width, counts.astype(np.int64), lengths)

    def of(self, term: str) -> "tuple[Rows, Rows]":
        """The texts that have a word, and how often each has it."""
        at = bisect_left(self.terms, term)
        is_found = at < len(self.terms) and self.terms[at] == term
        part = slice(self.starts[at], self.starts[at + 1]) if is_found else slice(0)
        return self.rows[part], self.counts[part]


@dataclass(frozen=True, slots=True, eq=False)
class Segment:
    """Texts with their postings; `places` are their documents in the corpus, -1 for a text that is not in it."""

    texts: Sequence[str]
    postings: Postings
    places: "Rows"
    joined: str | None = None  # see `joined_lines`; None: made when it is needed

    def naming(self, names: Collection[str]) -> Iterator[int]:
        """The documents of the corpus that spell one of the names, in no order, some perhaps twice."""
        import numpy as np

        lines = joined_lines(self.texts) if self.joined is None else self.joined
        hits = [at for name in names for at in _positions(lines, name)]
        if not hits:
            return
        ends = np.cumsum([len(line) + 1 for line in lines.split("\n")]) - 1
        for row in np.unique(np.searchsorted(ends, hits)).tolist():
            if self.places[row] >= 0 and names_in(self.texts[row], names):
                yield int(self.places[row])


class MemoryCorpus(Sequence[MemoryDocument]):
    """Memories in the order of their ids, with their words as postings."""

    def __init__(
        self,
        ids: Sequence[str],
        segments: Sequence[Segment],
        code: Sequence[tuple[tuple[str, ...], tuple[str, ...]]],  # paths and symbols of each
        origins: Sequence[tuple[str, str]],  # session and time of each
    ) -> None:
        import numpy as np

        self.ids = ids
        self.code = code
        self.origins = origins
        self._segments = segments
        self.lengths = np.ones(len(ids), np.int64)
        self._sources = np.zeros((len(ids), 2), np.int64)  # the segment of each text, and its number there
        for number, each in enumerate(segments):
            rows = np.flatnonzero(each.places >= 0)
            self.lengths[each.places[rows]] = each.postings.lengths[rows]
            self._sources[each.places[rows], 0] = number
            self._sources[each.places[rows], 1] = rows

    @classmethod
    def of(cls, documents: Sequence[MemoryDocument]) -> "MemoryCorpus":
        """A corpus of these documents; the same object if it is one already."""
        import numpy as np

        if isinstance(documents, MemoryCorpus):
            return documents
        ordered = sorted(documents, key=lambda one: one.id)
        texts = [one.words for one in ordered]
        return cls(
            [one.id for one in ordered],
            [Segment(texts, Postings.counted(texts), np.arange(len(texts)))],
            [(one.paths, one.symbols) for one in ordered],
            [(one.session, one.at) for one in ordered],
        )

    def plus(self, words: str) -> "MemoryCorpus":
        """The corpus with one more text at its end, without an id."""
        import numpy as np

        last = Segment([words], Postings.counted([words]), np.array([len(self.ids)]))
        every = [*self._segments, last]
        return MemoryCorpus([*self.ids, ""], every, [*self.code, ((), ())], [*self.origins, ("", "")])

    def postings(self, term: str) -> "tuple[Rows, Rows]":
        """The documents that have a word, by their place, and how often each has it."""
        import numpy as np

        found = [_placed(each, term) for each in self._segments]
        return np.concatenate([rows for rows, _ in found]), np.concatenate([counts for _, counts in found])

    def count(self, *terms: str) -> int:
        """How many documents have one of the words."""
        return len({at for each in self._segments for term in terms for at in _placed(each, term)[0].tolist()})

    def naming(self, names: Collection[str]) -> list[int]:
        """The documents that spell one of the names (see `core.text.words.whole`), by their place."""
        return sorted({at for each in self._segments for at in each.naming(names)})

    def with_id(self, name: str) -> MemoryDocument:
        """The document of a memory. KeyError if it is not in the corpus."""
        at = bisect_left(self.ids, name)
        if self.ids[at : at + 1] != [name]:
            raise KeyError(name)
        return self[at]

    @cached_property
    def by_code(self) -> Mapping[tuple[tuple[str, ...], tuple[str, ...]], Sequence[int]]:
        """The documents by their paths and symbols: many are about the same code."""
        return grouped_by(range(len(self.code)), self.code.__getitem__)

    @cached_property
    def newest(self) -> str:
        """The time of the newest; empty if there is none."""
        return max((at for _, at in self.origins), default="")

    def __len__(self) -> int:
        return len(self.ids)

    @overload
    def __getitem__(self, at: int) -> MemoryDocument: ...
    @overload
    def __getitem__(self, at: slice) -> list[MemoryDocument]: ...
    def __getitem__(self, at: int | slice) -> MemoryDocument | list[MemoryDocument]:
        if isinstance(at, slice):
            return [self[each] for each in range(*at.indices(len(self)))]
        segment, row = self._sources[at].tolist()
        return MemoryDocument(self.ids[at], self._segments[segment].texts[row], *self.code[at], *self.origins[at])


def _placed(segment: Segment, term: str) -> "tuple[Rows, Rows]":
    rows, counts = segment.postings.of(term)
    places = segment.places[rows]
    known = places >= 0
    return places[known], counts[known]


def joined_lines(texts: Iterable[str]) -> str:
    """The words of each text without spaces and stems, a line each."""
    return "".join("".join(plain_words(text)) + "\n" for text in texts)


def plain_words(words: str) -> list[str]:
    """Space-joined words (see `core.text.words`) without the stems among them."""
    return [word for word in words.split() if not word.startswith(STEM)]


def names_in(words: str, names: Iterable[str]) -> list[str]:
    """The names (see `core.text.words.whole`) that the words contain, as one word or several: "chunk uploader" too."""
    plain = plain_words(words)
    joined = "".join(plain)
    near = [name for name in names if name in joined]
    if not near:
        return []
    borders = {0, *accumulate(map(len, plain))}
    return [
        name for name in near if any(at in borders and at + len(name) in borders for at in _positions(joined, name))
    ]


def _positions(text: str, part: str) -> Iterator[int]:
    at = text.find(part)
    while at >= 0:
        yield at
        at = text.find(part, at + 1)
