"""Static embedding models in model2vec's format: one weighted vector per token, averaged; needs no torch.

Two are built in, one for code and one for sentences; `training/` documents their training and evaluation. The files are
read here because importing model2vec takes longer (0.3 s) than a whole search.
"""

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from repomem.adapters.models.model_folder import fetch_model, fingerprint_of, found_model, quiet
from repomem.adapters.models.tokens import Tokens, pooled
from repomem.core.errors import EmbeddingError
from repomem.core.ports import Passage

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

AUTHOR = "minishlab"  # the default author on the hub
BUILT_IN_FOLDER = Path(__file__).resolve().with_name("builtin")  # for code
PROSE_FOLDER = Path(__file__).resolve().with_name("prose")  # for English sentences
_SHIPPED = frozenset({BUILT_IN_FOLDER, PROSE_FOLDER})  # their tokenizers drop everything but words


class _Tables(NamedTuple):
    tokens: Tokens
    vectors: "NDArray[np.float32]"  # (tokens, dimensions), each weighed already


class StaticEmbedder:
    """A static model from a folder or the hub; implements `core.ports.Embedder`."""

    is_cheap = True

    def __init__(self, name: str, *, is_offline: bool = False) -> None:
        self._name = name
        self._is_offline = is_offline

    @cached_property
    def _folder(self) -> Path:
        return found_model(self._name, AUTHOR)

    @cached_property
    def model_id(self) -> str:
        """The name, and the content of the files."""
        return f"static:{Path(self._name).name}@{fingerprint_of(self._folder)}"

    @property
    def dimensions(self) -> int:
        """Length of a vector."""
        return int(self._tables.vectors.shape[1])

    def fetch(self) -> None:
        """Download the model unless it is on this machine."""
        fetch_model(self._name, AUTHOR, is_offline=self._is_offline)

    def cost(self, characters: int) -> float:  # noqa: ARG002  # the port's signature
        """Nothing."""
        return 0.0

    def embed(self, passages: Sequence[Passage]) -> "NDArray[np.float16]":
        """Vectors of documents, (passages, dimensions)."""
        import numpy as np

        return self._encoded([passage.text for passage in passages]).astype(np.float16)

    def embed_query(self, query: Passage) -> "NDArray[np.float32]":
        """The vector of a question, (dimensions,)."""
        vector: NDArray[np.float32] = self._encoded([query.text])[0]
        return vector

    def _encoded(self, texts: Sequence[str]) -> "NDArray[np.float32]":
        """Unit vectors; zeros for a text without a token that is known."""
        tokens, vectors = self._tables
        return pooled(vectors, [tokens.of(text) for text in texts])

    @cached_property
    def _tables(self) -> _Tables:
        try:
            return _read(self._folder, drops_signs=self._folder in _SHIPPED)
        except EmbeddingError:
            raise
        except Exception as error:  # tokenizers raises no other for a file that it cannot read
            first = (str(error) or type(error).__name__).splitlines()[0]
            raise EmbeddingError(f"cannot read the model {self._folder}: {first[:200]}", "check its files") from error


def _read(folder: Path, *, drops_signs: bool) -> _Tables:
    import numpy as np
    from safetensors.numpy import load_file

    quiet()
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    tensors = load_file(folder / "model.safetensors")
    vectors = tensors["embeddings"].astype(np.float32)
    if "mapping" in tensors:  # several tokens share a row
        vectors = vectors[tensors["mapping"]]
    if "weights" in tensors:
        vectors *= tensors["weights"].astype(np.float32)[:, None]
    if len(vectors) < tokenizer.get_vocab_size():
        raise EmbeddingError(f"the model in {folder} has fewer vectors than tokens", "save or download it again")
    if not np.isfinite(vectors).all():
        raise EmbeddingError(
            f"the model in {folder} has vectors with NaN or infinite values", "save or download it again"
        )
    return _Tables(Tokens(tokenizer, drops_signs=drops_signs), vectors)
