"""From trained vectors to the files that ship: fewer dimensions, whole numbers of one byte, and what the loaders need.

Each token keeps its own scale (`weights`), so that a byte for each number costs next to nothing: model2vec and
sentence-transformers both multiply the rows by it.
"""

import json
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from safetensors.numpy import save_file
from tokenizers import Tokenizer

from training.vocabulary import UNKNOWN, Counts

LARGEST = 127  # of a signed byte, with as much room below zero
FILES = ("config.json", "model.safetensors", "modules.json", "tokenizer.json")


def seen_of(tokenizer: Tokenizer, counts: Counts) -> NDArray[np.float64]:
    """How often each token stands in the corpus as a word, (tokens,); at least once."""
    tokens = sorted(tokenizer.get_vocab().items(), key=lambda item: item[1])
    return np.array([max(counts.seen[token], 1) for token, _ in tokens], np.float64)


def rotated(vectors: NDArray[np.float32], seen: NDArray[np.float64], dimensions: int) -> NDArray[np.float32]:
    """The vectors on their main axes, (tokens, dimensions); `seen`, how often each token occurs, weighs them.

    Cosines keep what the axes keep: nothing is lost where `dimensions` is the whole width.
    """
    weighted = vectors * np.sqrt(seen / seen.sum())[:, None].astype(np.float32)
    _, axes = np.linalg.eigh(weighted.T @ weighted)
    return np.asarray(vectors @ axes[:, ::-1][:, :dimensions], np.float32)


def quantised(vectors: NDArray[np.float32]) -> tuple[NDArray[np.int8], NDArray[np.float32]]:
    """Rows of bytes and the scale of each: vectors are about `rows * scales[:, None]`."""
    scales = np.abs(vectors).max(axis=1) / LARGEST
    rows = np.rint(vectors / np.where(scales > 0, scales, 1.0)[:, None])
    return rows.astype(np.int8), scales.astype(np.float32)


def save(vectors: NDArray[np.float32], tokenizer: Tokenizer, folder: Path) -> None:
    """Write the model's directory."""
    folder.mkdir(parents=True, exist_ok=True)
    rows, scales = quantised(vectors)
    scales[tokenizer.token_to_id(UNKNOWN)] = 0.0  # one loader leaves it out, the other adds it up
    save_file({"embeddings": rows, "weights": scales}, folder / "model.safetensors")
    tokenizer.save(str(folder / "tokenizer.json"), pretty=False)
    config = {
        "model_type": "model2vec",
        "architectures": ["StaticModel"],
        "tokenizer_name": "tokenizer.json",
        "hidden_dim": vectors.shape[1],
        "embedding_dtype": "int8",
        "normalize": True,
        "max_length": None,
    }
    modules = [
        {"idx": 0, "name": "0", "path": "", "type": "sentence_transformers.models.StaticEmbedding"},
        {"idx": 1, "name": "1", "path": "1_Normalize", "type": "sentence_transformers.models.Normalize"},
    ]
    _write(config, folder / "config.json")
    _write(modules, folder / "modules.json")


def _write(value: object, path: Path) -> None:
    path.write_text(json.dumps(value, indent=1) + "\n", encoding="utf-8")
