"""The files of the sentence encoder: weights as bytes, by the names that the program reads."""

import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from safetensors.numpy import save_file
from transformers import BertModel

from repomem.adapters.models.sentence_encoder import LONGEST
from training.reduce import quantised

Floats = NDArray[np.float32]
LINEAR = {  # our name of a layer's part, and what it consists of
    "attend": ("attention.self.query", "attention.self.key", "attention.self.value"),
    "mix": ("attention.output.dense",),
    "widen": ("intermediate.dense",),
    "narrow": ("output.dense",),
}
NORMS = {"mixed": "attention.output.LayerNorm", "narrowed": "output.LayerNorm"}


def save(model: BertModel, tokenizer: Path, folder: Path) -> None:
    """Write the encoder's directory."""
    folder.mkdir(parents=True, exist_ok=True)
    weights = {name: value.detach().float().cpu().numpy() for name, value in model.state_dict().items()}
    save_file(dict(_tensors(weights, model.config.num_hidden_layers)), folder / "model.safetensors")
    shutil.copyfile(tokenizer, folder / "tokenizer.json")


def _tensors(weights: Mapping[str, Floats], layers: int) -> Iterator[tuple[str, NDArray[Any]]]:
    """Matrices as bytes with a scale for each row, the rest in half precision."""
    yield from matrix("words", weights["embeddings.word_embeddings.weight"])
    kinds = weights["embeddings.token_type_embeddings.weight"]
    yield "places", half(weights["embeddings.position_embeddings.weight"][:LONGEST] + kinds[0])
    yield from _norm("first", weights, "embeddings.LayerNorm")
    for at in range(layers):
        source = f"encoder.layer.{at}"
        for name, parts in LINEAR.items():
            yield from matrix(f"{at}.{name}", np.concatenate([weights[f"{source}.{each}.weight"] for each in parts]))
            yield f"{at}.{name}.bias", half(np.concatenate([weights[f"{source}.{each}.bias"] for each in parts]))
        for name, part in NORMS.items():
            yield from _norm(f"{at}.{name}", weights, f"{source}.{part}")


def matrix(name: str, values: Floats) -> Iterator[tuple[str, NDArray[Any]]]:
    """A matrix as bytes and the scales of its rows."""
    rows, scales = quantised(values)
    yield name, rows
    yield f"{name}.scales", scales


def _norm(name: str, weights: Mapping[str, Floats], source: str) -> Iterator[tuple[str, NDArray[Any]]]:
    yield f"{name}.scale", half(weights[f"{source}.weight"])
    yield f"{name}.shift", half(weights[f"{source}.bias"])


def half(values: Floats) -> NDArray[np.float16]:
    """In half precision."""
    return values.astype(np.float16)
