"""What a stage needs from another without knowing it."""

from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, Self

from repomem.core.types.indexed import IndexedChunk, IndexedEpisode
from repomem.core.types.text import CleanText

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Passage:
    """A text to embed."""

    text: CleanText


class Embedder(Protocol):
    """Text to vectors of unit length. Every call may raise EmbeddingError."""

    @property
    def model_id(self) -> str:
        """Names the model and everything that changes its vectors; vectors of two ids never mix."""

    @property
    def dimensions(self) -> int:
        """Length of a vector. A model may have to be loaded or asked to tell."""

    @property
    def is_cheap(self) -> bool:
        """Whether a vector costs less to compute than to look up."""

    def embed(self, passages: Sequence[Passage]) -> "NDArray[np.float16]":
        """Vectors of documents, (passages, dimensions); one without a known word may be a zero vector."""

    def embed_query(self, query: Passage) -> "NDArray[np.float32]":
        """The vector of a question, (dimensions,)."""

    def fetch(self) -> None:
        """Bring the model onto this machine, where it is not yet and may be downloaded."""

    def cost(self, characters: int) -> float | None:
        """What so many characters of documents cost in US dollars; None where nobody told a price."""


class CodeIndex(Protocol):
    """The live chunks, by file version. Searching finds candidates; it does not rank them."""

    def candidates_by_words(self, words: Sequence[str], limit: int) -> list[int]:
        """Versions of the chunks that match best, best first, a version as often as it has such chunks."""

    def candidates_by_parts(self, parts: Sequence[str], limit: int) -> list[int]:
        """Versions of chunks with a word that holds one of `parts`, by version, as often as it has such chunks."""

    def candidates_by_vector(self, vector: "NDArray[np.float32]", limit: int) -> list[tuple[int, float]]:
        """Versions and cosine similarities of the nearest chunks, nearest first."""

    def words(self, versions: Sequence[int]) -> list[tuple[int, int, str]]:
        """(version, ordinal, words) of every chunk of these versions, in that order."""

    def chunks(self, versions: Sequence[int]) -> list[IndexedChunk]:
        """Every chunk of these versions, by version and place."""


class EpisodeIndex(Protocol):
    """The episodes that the head can reach."""

    def candidates_by_words(self, words: Sequence[str], limit: int) -> list[int]:
        """Ids of the episodes that match best, best first."""

    def episodes(self, ids: Sequence[int]) -> list[IndexedEpisode]:
        """The episodes with these ids, by id."""


class Stage(Protocol):
    """One stage of a long run."""

    def advance(self, steps: int = 1) -> None:
        """So many more units are done."""


class Progress(Protocol):
    """Who watches a long run. Operations report to it; what it shows is its own business."""

    def stage(self, name: str, total: int | None, unit: str) -> AbstractContextManager[Stage]:
        """Begin a stage of `total` units (None: not known beforehand)."""


class Silence:
    """A progress that nobody watches."""

    def stage(self, name: str, total: int | None, unit: str) -> Self:  # noqa: ARG002  # the port's signature
        """Begin a stage."""
        return self

    def advance(self, steps: int = 1) -> None:
        """So many more units are done."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *failure: object) -> None:
        pass
