"""python -m training.context: makes the model that classifies a sentence in its context.

The shipped sentence encoder keeps its word vectors and its first layer; its other layers and a new head learn from the
labelled sessions whether a sentence states something lasting, and of which kind. The writers held back are not seen.
Half an hour on one core. Seeds are fixed.
"""

import argparse
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from safetensors.numpy import load_file, save_file
from torch import Tensor, nn
from torch.nn.functional import binary_cross_entropy_with_logits, cross_entropy, gelu, scaled_dot_product_attention

from repomem.adapters.models.bert import EPSILON, HEADS, Linear, Norm
from repomem.adapters.models.sentence_encoder import ENCODER_FOLDER
from repomem.capture.statements.classifier.context_model import (
    FILE,
    FIRST_TUNED,
    KINDS,
    SCORES,
    SPEAKERS,
    in_context,
    tokens_of,
)
from training.encoder_files import LINEAR, NORMS, half, matrix
from training.fit import warm_and_descend
from training.statements import NONE, labelled_sentences

SEED = 1
LARGEST_GRADIENT = 1.0
SORTED = 50  # batches whose sentences are put in order of length together, for less padding

Tensors = Mapping[str, NDArray[Any]]


@dataclass(frozen=True, slots=True)
class Recipe:
    """The choices of the training."""

    epochs: int = 3
    batch: int = 32  # sentences
    rate: float = 2e-4  # of AdamW; it rises at first, then falls to zero in a straight line
    warm: float = 0.06  # share of the steps in which it rises
    dropped: float = 0.1  # share of the numbers left out after each part (Srivastava et al. 2014)


@dataclass(frozen=True, slots=True)
class Example:
    """A labelled sentence in its context."""

    ids: Sequence[int]
    own: int  # tokens up to the first `[SEP]`
    kind: str  # NONE for what is no statement


def examples() -> Iterator[Example]:
    """The labelled sentences, but for those of writers who are held back."""
    for message, at, kind in labelled_sentences():
        yield Example(*tokens_of(in_context(message, at)), kind)


class Layer(nn.Module):
    """As the program computes it, with dropout."""

    def __init__(self, tensors: Tensors, at: str, dropped: float) -> None:
        super().__init__()
        self.attend, self.mix, self.widen, self.narrow = (_linear(tensors, f"{at}.{name}") for name in LINEAR)
        self.mixed, self.narrowed = (_norm(tensors, f"{at}.{name}") for name in NORMS)
        self.drop = nn.Dropout(dropped)

    def forward(self, rows: Tensor, is_seen: Tensor) -> Tensor:
        """The next rows, (sentences, tokens, width)."""
        count, tokens, width = rows.shape
        heads = self.attend(rows).reshape(count, tokens, 3, HEADS, width // HEADS).permute(2, 0, 3, 1, 4)
        queries, keys, values = heads
        attended = scaled_dot_product_attention(queries, keys, values, attn_mask=is_seen[:, None, None, :])
        rows = self.mixed(rows + self.drop(self.mix(attended.transpose(1, 2).reshape(count, tokens, width))))
        return self.narrowed(rows + self.drop(self.narrow(gelu(self.widen(rows), approximate="tanh"))))


class ContextNet(nn.Module):
    """The model while it learns; it begins with the encoder's weights."""

    def __init__(self, encoder: Tensors, dropped: float) -> None:
        super().__init__()
        words = encoder["words"].astype(np.float32) * encoder["words.scales"][:, None]
        width = words.shape[1]
        self.words = nn.Embedding.from_pretrained(torch.from_numpy(words), freeze=True)
        places = torch.from_numpy(encoder["places"].astype(np.float32))
        self.places = nn.Parameter(places, requires_grad=False)
        self.sides = nn.Parameter(torch.zeros(2, width))
        self.speakers = nn.Parameter(torch.zeros(SPEAKERS, width))
        self.first = _norm(encoder, "first")
        count = sum(name.endswith(".attend") for name in encoder)
        self.layers = nn.ModuleList(Layer(encoder, str(at), dropped) for at in range(count))
        for layer in self.layers[:FIRST_TUNED]:
            layer.requires_grad_(requires_grad=False)
        self.head = nn.Linear(2 * width, SCORES)
        self.drop = nn.Dropout(dropped)

    def forward(self, batch: Sequence[Example]) -> Tensor:
        """The log-odds of a statement, then of each kind, (sentences, SCORES)."""
        lengths = torch.tensor([len(each.ids) for each in batch])
        longest = int(lengths.max())
        ids = torch.tensor([[*each.ids, *[0] * (longest - len(each.ids))] for each in batch])
        is_seen = torch.arange(longest) < lengths[:, None]
        is_own = torch.arange(longest) < torch.tensor([each.own for each in batch])[:, None]
        rows = self.words(ids) + self.places[:longest] + self.sides[(~is_own).long()]
        rows[:, 1] = rows[:, 1] + self.speakers[ids[:, 1]]
        rows = self.first(rows)
        for layer in self.layers:
            rows = layer(rows, is_seen)
        means = (rows * is_own[..., None]).sum(1) / is_own.sum(1, keepdim=True)
        found: Tensor = self.head(self.drop(torch.cat([rows[:, 0], means], 1)))
        return found


def trained(encoder: Tensors, known: Sequence[Example], recipe: Recipe) -> ContextNet:
    """The model after training on these sentences."""
    torch.manual_seed(SEED)
    net = ContextNet(encoder, recipe.dropped)
    steps = recipe.epochs * -(-len(known) // recipe.batch)
    losses = (_loss(net, batch) for batch in _batches(known, recipe))
    warm_and_descend(net, losses, steps=steps, rate=recipe.rate, warm=recipe.warm, largest_gradient=LARGEST_GRADIENT)
    return net


def tensors_of(net: ContextNet) -> dict[str, NDArray[Any]]:
    """What the program does not have from the encoder: matrices as bytes with scales, the rest in half precision."""
    found: dict[str, NDArray[Any]] = {"sides": half(_values(net.sides)), "speakers": half(_values(net.speakers))}
    found |= {**_of_linear("head", net.head), **_of_norm("first", net.first)}
    for at in range(FIRST_TUNED, len(net.layers)):
        for name in LINEAR:
            found |= _of_linear(f"{at}.{name}", getattr(net.layers[at], name))
        for name in NORMS:
            found |= _of_norm(f"{at}.{name}", getattr(net.layers[at], name))
    return found


def _batches(known: Sequence[Example], recipe: Recipe) -> Iterator[Sequence[Example]]:
    dice = random.Random(SEED)
    for _ in range(recipe.epochs):
        order = dice.sample(known, len(known))
        several = recipe.batch * SORTED
        groups = (sorted(order[at : at + several], key=_length) for at in range(0, len(order), several))
        every = [each[at : at + recipe.batch] for each in groups for at in range(0, len(each), recipe.batch)]
        dice.shuffle(every)
        yield from every


def _length(example: Example) -> int:
    return len(example.ids)


def _loss(net: ContextNet, batch: Sequence[Example]) -> Tensor:
    """Of whether each sentence is a statement, and of the kinds of those that are."""
    found = net(batch)
    is_statement = torch.tensor([float(each.kind != NONE) for each in batch])
    loss = binary_cross_entropy_with_logits(found[:, 0], is_statement)
    stated = [at for at, each in enumerate(batch) if each.kind != NONE]
    kinds = torch.tensor([KINDS.index(batch[at].kind) for at in stated], dtype=torch.long)
    return loss + cross_entropy(found[stated][:, 1:], kinds, reduction="sum") / len(batch)


def _linear(tensors: Tensors, name: str) -> nn.Linear:
    given = Linear.of(tensors, name)
    linear = nn.Linear(given.weights.shape[1], given.weights.shape[0])
    linear.load_state_dict({"weight": torch.from_numpy(given.weights), "bias": torch.from_numpy(given.bias)})
    return linear


def _norm(tensors: Tensors, name: str) -> nn.LayerNorm:
    given = Norm.of(tensors, name)
    norm = nn.LayerNorm(len(given.scale), eps=EPSILON)
    norm.load_state_dict({"weight": torch.from_numpy(given.scale), "bias": torch.from_numpy(given.shift)})
    return norm


def _of_linear(name: str, linear: nn.Linear) -> dict[str, NDArray[Any]]:
    return {**dict(matrix(name, _values(linear.weight))), f"{name}.bias": half(_values(linear.bias))}


def _of_norm(name: str, norm: nn.LayerNorm) -> dict[str, NDArray[Any]]:
    return {f"{name}.scale": half(_values(norm.weight)), f"{name}.shift": half(_values(norm.bias))}


def _values(tensor: Tensor) -> NDArray[np.float32]:
    return np.asarray(tensor.detach().numpy(), np.float32)


def main() -> None:
    """Make the file that ships."""
    parser = argparse.ArgumentParser(
        prog="python -m training.context", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--out", type=Path, default=FILE)
    asked = parser.parse_args()
    torch.set_num_threads(1)
    known = list(examples())
    print(f"{len(known)} sentences, {sum(each.kind != NONE for each in known)} of them statements", flush=True)
    save_file(tensors_of(trained(load_file(ENCODER_FOLDER / "model.safetensors"), known, Recipe())), asked.out)


if __name__ == "__main__":
    main()
