"""Static embedding models in model2vec's format: one weighted vector per token, averaged; needs no torch.

Two are built in, one for code and one for sentences; `training/` documents their training and evaluation. The files are
read here because importing model2vec takes longer (0.3 s) than a whole search.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from repomem.adapters.models.model_folder import HubModel, fingerprint_of, quiet, unreadable
from repomem.adapters.models.tokens import Tokens, pooled
from repomem.core.errors import EmbeddingError
from repomem.core.types.text import CleanText

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

FEW = 100  # passages; only the vectors of their tokens are made, instead of all in 0.1 s
BUILT_IN_FOLDER = Path(__file__).resolve().with_name("builtin")  # for code
PROSE_FOLDER = Path(__file__).resolve().with_name("prose")  # for English sentences
_SHIPPED = frozenset({BUILT_IN_FOLDER, PROSE_FOLDER})  # their tokenizers drop everything but words


@dataclass(frozen=True)
class _Model:
    """The content of a model's files."""

    folder: Path
    tokens: Tokens
    stored: "NDArray[Any]"  # (rows, dimensions), often of small integers
    weights: "NDArray[np.float32] | None"  # (tokens,)
    mapping: "NDArray[np.int64] | None"  # (tokens,): several tokens share a row

    def vectors_of(self, ids: "Sequence[int] | slice") -> "NDArray[np.float32]":
        """The weighted vectors of tokens, (tokens, dimensions). One question's are made in no time, all in 0.05 s."""
        import numpy as np

        rows = ids if self.mapping is None else self.mapping[ids]
        vectors: NDArray[np.float32] = self.stored[rows].astype(np.float32)
        if self.weights is not None:
            vectors *= self.weights[ids].astype(np.float32)[:, None]
        if not np.isfinite(vectors).all():
            raise EmbeddingError(
                f"the model in {self.folder} has vectors with NaN or infinite values", "save or download it again"
            )
        return vectors

    @cached_property
    def all_vectors(self) -> "NDArray[np.float32]":
        """The vectors of all tokens."""
        return self.vectors_of(slice(None))


class StaticEmbedder(HubModel):
    """A static model from a folder or the hub; implements `core.ports.Embedder`."""

    author = "minishlab"
    is_cheap = True
    is_quick = True

    @cached_property
    def model_id(self) -> str:
        """The name, and the content of the files."""
        return f"static:{Path(self.name).name}@{fingerprint_of(self.folder)}"

    @property
    def dimensions(self) -> int:
        """Length of a vector."""
        return int(self._model.stored.shape[1])

    def embed(self, passages: Sequence[CleanText]) -> "NDArray[np.float16]":
        """Vectors of documents, (passages, dimensions)."""
        import numpy as np

        model = self._model
        lists = [model.tokens.of(passage) for passage in passages]
        if len(passages) > FEW:
            return pooled(model.all_vectors, lists).astype(np.float16)
        known, placed = _renumbered(lists)
        return pooled(model.vectors_of(known), placed).astype(np.float16)

    def embed_query(self, query: CleanText) -> "NDArray[np.float32]":
        """The vector of a question, (dimensions,); zeros for one without a token that is known."""
        ids = self._model.tokens.of(query)
        vector: NDArray[np.float32] = pooled(self._model.vectors_of(ids), [range(len(ids))])[0]
        return vector

    def closeness(self, query: CleanText, passages: Sequence[CleanText]) -> "NDArray[np.float32]":
        """How close the nearest token of each passage is to each token of the query, in the mean, (passages,), 0 to 1.

        MaxSim (Khattab and Zaharia 2020, ColBERT) over static vectors; the length of a token's vector is its weight.
        """
        import numpy as np

        model = self._model
        lists = [sorted(set(model.tokens.of(passage))) for passage in passages]
        asked = sorted(set(model.tokens.of(query)))
        known, placed = _renumbered(lists)
        if not asked or not known:
            return np.zeros(len(passages), np.float32)
        wanted, weights = _unit(model.vectors_of(asked))
        cosines = np.maximum(wanted @ _unit(model.vectors_of(known))[0].T, 0.0)
        filled = [at for at, each in enumerate(lists) if each]
        columns = [at for each in placed for at in each]
        starts = np.cumsum([0, *(len(lists[at]) for at in filled[:-1])])
        found = np.zeros(len(passages), np.float32)
        found[filled] = weights @ np.maximum.reduceat(cosines[:, columns], starts, axis=1) / weights.sum()
        return found

    @cached_property
    def _model(self) -> _Model:
        return _shipped(self.folder) if self.folder in _SHIPPED else _read(self.folder, drops_signs=False)


def _renumbered(lists: Sequence[Sequence[int]]) -> tuple[list[int], list[list[int]]]:
    """The tokens of several lists, each once, and the lists with each token's place among them."""
    known = sorted({token for each in lists for token in each})
    place = {token: at for at, token in enumerate(known)}
    return known, [[place[token] for token in each] for each in lists]


def _unit(vectors: "NDArray[np.float32]") -> "tuple[NDArray[np.float32], NDArray[np.float32]]":
    """The vectors at length 1, and their lengths; a vector of zeros stays."""
    import numpy as np

    lengths: NDArray[np.float32] = np.sqrt(np.square(vectors).sum(axis=1))
    units: NDArray[np.float32] = np.divide(vectors, np.maximum(lengths, 1e-9)[:, None], dtype=np.float32)
    return units, lengths


def load_shipped() -> None:
    """Read the built-in models, for a process that is forked before it is asked."""
    for folder in _SHIPPED:
        _shipped(folder)


@cache
def _shipped(folder: Path) -> _Model:
    return _read(folder, drops_signs=True)


def _read(folder: Path, *, drops_signs: bool) -> _Model:
    try:
        return _parsed(folder, drops_signs=drops_signs)
    except EmbeddingError:
        raise
    except Exception as error:  # tokenizers raises no other for a file that it cannot read
        raise unreadable(folder, error) from error


def _parsed(folder: Path, *, drops_signs: bool) -> _Model:
    from safetensors.numpy import load_file

    quiet()
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    tensors = load_file(folder / "model.safetensors")
    model = _Model(
        folder,
        Tokens(tokenizer, drops_signs=drops_signs),
        tensors["embeddings"],
        tensors.get("weights"),
        tensors.get("mapping"),
    )
    if len(model.stored if model.mapping is None else model.mapping) < tokenizer.get_vocab_size():
        raise EmbeddingError(f"the model in {folder} has fewer vectors than tokens", "save or download it again")
    return model
