"""Static embedding models in model2vec's format: one weighted vector per token, averaged; needs no torch.

Two are built in, one for code and one for sentences; `training/` documents their training and evaluation. The files are
read here because importing model2vec takes longer (0.3 s) than a whole search.
"""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

from repomem.adapters.models.model_folder import HubModel, fingerprint_of, read_tokenizer, readable, unreadable
from repomem.core.errors import EmbeddingError
from repomem.core.text.lazy_pattern import lazy_pattern
from repomem.core.types.text import CleanText

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from tokenizers import Tokenizer

KEPT_IDENTIFIERS = 200_000  # about 40 MB; then cleared
KEPT_LENGTH = 64  # characters; longer runs, such as a sentence without spaces, rarely occur twice
_IDENTIFIERS = "".join(chr(code) if chr(code).isalnum() or chr(code) == "_" else " " for code in range(128))
_PIECES = lazy_pattern(rf"[^{re.escape(''.join(chr(code) for code in range(128) if _IDENTIFIERS[code] == ' '))}]+")
FEW = 100  # passages; only the vectors of their tokens are made, instead of all in 0.1 s
BUILT_IN_FOLDER = Path(__file__).resolve().with_name("builtin")  # for code
PROSE_FOLDER = Path(__file__).resolve().with_name("prose")  # for English sentences
_SHIPPED = frozenset({BUILT_IN_FOLDER, PROSE_FOLDER})  # their tokenizers drop everything but words


class Tokens(dict[str, list[int]]):
    """A cache from identifiers to their token ids, without the id of unknown tokens.

    If the tokenizer drops everything but words (`drops_signs`), a text is split at ASCII signs first, and known pieces
    are looked up: seven times as fast as the tokenizer, with the same result.
    """

    def __init__(self, tokenizer: "Tokenizer", *, drops_signs: bool) -> None:
        super().__init__()
        self._tokenizer = tokenizer
        self._drops_signs = drops_signs
        self._unknown = _unknown(tokenizer)

    def __missing__(self, text: str) -> list[int]:
        found = self._encoded(text)
        if len(text) <= KEPT_LENGTH:
            if len(self) > KEPT_IDENTIFIERS:
                self.clear()
            self[text] = found
        return found

    def of(self, text: str) -> list[int]:
        """The token ids of a text, in order."""
        if not self._drops_signs:
            return self._encoded(text)
        # most code is ASCII, for which a translation table is faster than a pattern
        pieces = text.translate(_IDENTIFIERS).split() if text.isascii() else _PIECES.findall(text)
        return list(chain.from_iterable(map(self.__getitem__, pieces)))

    def _encoded(self, text: str) -> list[int]:
        ids = self._tokenizer.encode(readable(text), add_special_tokens=False).ids
        return [token for token in ids if token != self._unknown]


@dataclass(frozen=True)
class _Model:
    """The content of a model's files."""

    folder: Path
    tokens: Tokens
    stored: "NDArray[Any]"  # (rows, dimensions), often of small integers
    weights: "NDArray[np.float32] | None"  # (tokens,)
    mapping: "NDArray[np.int64] | None"  # (tokens,): several tokens share a row

    def vectors_of(self, ids: "Sequence[int] | slice") -> "NDArray[np.float32]":
        """The weighted vectors of tokens, (tokens, dimensions): instant for one question, 0.05 s for all tokens."""
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
        return self.vectors_of(slice(None))


class StaticEmbedder(HubModel):
    """A static model from a folder or the hub."""

    author = "minishlab"
    is_cheap = True
    is_quick = True

    @cached_property
    def model_id(self) -> str:
        return f"static:{Path(self.name).name}@{fingerprint_of(self.folder)}"

    @property
    def dimensions(self) -> int:
        return int(self._model.stored.shape[1])

    def embed(self, passages: Sequence[CleanText]) -> "NDArray[np.float16]":
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
        """The mean closeness, 0 to 1, of the query's tokens to the nearest token of each passage, (passages,).

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


def pooled(table: "NDArray[np.float32]", lists: Sequence[Sequence[int]]) -> "NDArray[np.float32]":
    """The mean of each list of rows, as unit vectors, (lists, dimensions); zeros for an empty list."""
    import numpy as np

    sums = np.zeros((len(lists), table.shape[1]), np.float32)
    for at, ids in enumerate(lists):
        if ids:
            sums[at] = np.add.reduce(table.take(ids, axis=0), axis=0)
    lengths = np.linalg.norm(sums, axis=1, keepdims=True)
    return np.asarray(sums / np.where(lengths > 0, lengths, 1.0), np.float32)


def _unknown(tokenizer: "Tokenizer") -> int:
    """The id of the token for unknown input; -1 without one. Unigram tokenizers give the id, others the name."""
    if hasattr(tokenizer.model, "unk_token"):
        name = tokenizer.model.unk_token
        found = tokenizer.token_to_id(name) if name else None
    else:
        found = json.loads(tokenizer.to_str())["model"].get("unk_id")
    return -1 if found is None else int(found)


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

    tokenizer = read_tokenizer(folder)
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
