"""The model as the tool reads it: numpy, tokenizers and safetensors alone."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from safetensors.numpy import load_file
from tokenizers import Tokenizer

from repomem.adapters.models.static import Tokens, pooled


def tokens_of(tokenizer: Tokenizer) -> Tokens:
    """The tokens of a tokenizer of ours, which drops all that is no word."""
    return Tokens(tokenizer, drops_signs=True)


class Vectors:
    """A static model that was read from a folder."""

    def __init__(self, folder: Path) -> None:
        tensors = load_file(folder / "model.safetensors")
        self.table: NDArray[np.float32] = tensors["embeddings"].astype(np.float32)
        self.table *= tensors["weights"][:, None]
        self.tokens = tokens_of(Tokenizer.from_file(str(folder / "tokenizer.json")))

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Rows of length 1, (texts, dimensions); a text without a known token gives zeros."""
        return pooled(self.table, [self.tokens.of(text) for text in texts])
