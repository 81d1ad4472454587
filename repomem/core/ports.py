"""Interfaces between layers, and a progress display that shows nothing."""

from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Protocol, Self

from repomem.core.types.indexed import IndexedChunk
from repomem.core.types.text import CleanText

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class Embedder(Protocol):
    """Text to vectors of unit length. Every call may raise EmbeddingError."""

    is_cheap: bool = False  # computing a vector is faster than reading it from the store
    is_quick: bool = False  # it answers a question within a fraction of a second, its loading included

    @property
    def model_id(self) -> str:
        """Identifies the model and every setting that changes its vectors; vectors of two ids are never mixed."""

    @property
    def dimensions(self) -> int:
        """Length of a vector. May load the model."""

    def embed(self, passages: Sequence[CleanText]) -> "NDArray[np.float16]":
        """Vectors of documents, (passages, dimensions); zero for a text without known words."""

    def embed_query(self, query: CleanText) -> "NDArray[np.float32]":
        """The vector of a query, (dimensions,)."""

    def fetch(self) -> None:
        """Download the model if it is missing and may be downloaded."""
        return

    def cost(self, characters: int) -> float | None:  # noqa: ARG002  # a provider's depends on them
        """The price of embedding so many characters, in US dollars; None if unknown."""
        return 0.0


class CodeIndex(Protocol):
    """The live chunks, by file version. A search finds candidates and does not rank them."""

    def candidates_by_parts(self, parts: Sequence[str], limit: int) -> list[int]:
        """Versions of chunks with a word that contains one of `parts`, by version, once per matching chunk."""

    def words(self, versions: Sequence[int]) -> list[tuple[int, int, str]]:
        """(version, ordinal, words) of every chunk of these versions, in that order."""

    def chunks(self, versions: Sequence[int]) -> list[IndexedChunk]:
        """Every chunk of these versions, in order."""


class Stage(Protocol):
    """One stage of a long run."""

    def advance(self, steps: int = 1) -> None:
        """Report that `steps` more units are done."""


class Progress(Protocol):
    """Receives the progress of a long run."""

    def stage(self, name: str, total: int | None, unit: str) -> AbstractContextManager[Stage]:
        """Begin a stage of `total` units (None: unknown)."""


class Silence:
    """Progress that is not shown."""

    def stage(self, name: str, total: int | None, unit: str) -> Self:  # noqa: ARG002  # the port's signature
        return self

    def advance(self, steps: int = 1) -> None:
        """Report that `steps` more units are done."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *failure: object) -> None:
        pass
