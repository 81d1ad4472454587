"""Contrastive training of the token vectors on the mined pairs.

The model and the loss are those of sentence-transformers (`StaticEmbedding`, `MultipleNegativesRankingLoss`): in a
batch each question should be nearest to its own code among all codes of the batch. Texts are cut into tokens before.
"""

import random
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from sentence_transformers import SentenceTransformer
from sentence_transformers.sentence_transformer.losses import MultipleNegativesRankingLoss
from sentence_transformers.sentence_transformer.modules import Normalize, StaticEmbedding
from tokenizers import Tokenizer

from training.held_out import is_held_out
from training.pairs import Pair, body_key, file_of, read
from training.vectors import tokens_of

LONGEST_QUERY = 256  # tokens
LONGEST_CODE = 400  # tokens: a chunk has 150 in the middle; the longest few would cost half of the time
SEED = 11
# Put before some of the questions, which are sentences from comments: people ask with words that documentation lacks,
# and a model that never sees these takes them for what is looked for.
ASKING = (
    "how",
    "how does",
    "how do",
    "how is",
    "how are",
    "how to",
    "where is",
    "where are",
    "what does",
    "which code",
)


@dataclass(frozen=True, slots=True)
class Recipe:
    """The choices of a training run."""

    epochs: float = 1.0
    batch: int = 1024
    rate: float = 1e-3  # of Adam, at the start; it falls to zero in a straight line
    scale: float = 20.0  # of cosines, in the loss
    asked: float = 0.25  # share of the questions that get words of ASKING before them
    one_language: float = 0.5  # share of batches whose pairs are all of one language: harder negatives
    # how often a pair of each kind is drawn in an epoch
    shares: tuple[tuple[str, float], ...] = (
        ("doc", 1.5),
        ("name", 0.5),
        ("test", 0.3),
        ("comment", 1.0),
        ("section", 1.5),
        ("path", 0.7),
        ("neighbour", 0.5),
    )


@dataclass(frozen=True, slots=True)
class Ragged:
    """Lists of token ids end to end: list `i` is `ids[starts[i]:starts[i + 1]]`."""

    ids: NDArray[np.int32]
    starts: NDArray[np.int64]

    def at(self, row: int) -> NDArray[np.int32]:
        """One of the lists."""
        return self.ids[self.starts[row] : self.starts[row + 1]]

    def __len__(self) -> int:
        return len(self.starts) - 1


@dataclass(frozen=True, slots=True)
class Prepared:
    """The training pairs as tokens, with what batches are drawn by."""

    queries: Ragged
    codes: Ragged
    asking: Ragged  # the words of ASKING
    kinds: list[str]
    languages: list[str]


def prepared(keys: Sequence[str], folder: Path, tokenizer: Tokenizer) -> Prepared:
    """Read and cut the pairs of all packages that are not held out, leaving out every body that a held-out one has."""
    apart = {body_key(pair.code) for key in keys if is_held_out(key) for pair in read(file_of(key, folder))}
    tokens = tokens_of(tokenizer)
    queries, codes = _Gathered(), _Gathered()
    kinds, languages = [], []
    for pair in _distinct(keys, folder, apart):
        asked, answer = tokens.of(pair.query)[:LONGEST_QUERY], tokens.of(pair.code)[:LONGEST_CODE]
        if len(asked) >= 2 and len(answer) >= 8:
            queries.add(asked)
            codes.add(answer)
            kinds.append(pair.kind)
            languages.append(pair.language)
    asking = _Gathered()
    for words in ASKING:
        asking.add(tokens.of(words))
    return Prepared(queries.ragged(), codes.ragged(), asking.ragged(), kinds, languages)


def _distinct(keys: Sequence[str], folder: Path, apart: set[str]) -> Iterator[Pair]:
    seen: set[tuple[str, str]] = set()
    for key in keys:
        if is_held_out(key):
            continue
        for pair in read(file_of(key, folder)):
            body = body_key(pair.code)
            if body not in apart and (pair.kind, body) not in seen:
                seen.add((pair.kind, body))
                yield pair


class _Gathered:
    """Collects lists of token ids without keeping Python's numbers."""

    def __init__(self) -> None:
        self._parts: list[NDArray[np.int32]] = []

    def add(self, ids: list[int]) -> None:
        self._parts.append(np.array(ids, np.int32))

    def ragged(self) -> Ragged:
        return Ragged(np.concatenate(self._parts), np.cumsum([0, *map(len, self._parts)]))


def trained(tokenizer: Tokenizer, vectors: NDArray[np.float32], pairs: Prepared, recipe: Recipe) -> NDArray[np.float32]:
    """The token vectors after training, (tokens, dimensions)."""
    torch.manual_seed(SEED)
    embedding = StaticEmbedding(tokenizer, embedding_weights=vectors.copy())
    dice = np.random.default_rng(SEED)
    model = SentenceTransformer(modules=[embedding, Normalize()], device="cpu")
    loss = MultipleNegativesRankingLoss(model, scale=recipe.scale)
    optimizer = torch.optim.Adam(model.parameters(), lr=recipe.rate)
    batches = list(_batches(pairs, recipe))
    schedule = torch.optim.lr_scheduler.LinearLR(optimizer, 1.0, 0.0, total_iters=len(batches))
    for step, rows in enumerate(batches):
        queries = [_asked(pairs, row, recipe.asked, dice) for row in rows]
        value = loss([_features(queries), _features([pairs.codes.at(row) for row in rows])], torch.empty(0))
        optimizer.zero_grad()
        value.backward()
        optimizer.step()
        schedule.step()
        if step % 100 == 0:
            print(f"step {step} of {len(batches)}: loss {value.item():.3f}", flush=True)
    weights: NDArray[np.float32] = embedding.embedding.weight.detach().numpy()
    return weights


def _asked(pairs: Prepared, row: int, share: float, dice: np.random.Generator) -> NDArray[np.int32]:
    """The question of a pair, at times with words before it that people ask with."""
    query = pairs.queries.at(row)
    if dice.random() >= share:
        return query
    return np.concatenate([pairs.asking.at(int(dice.integers(len(pairs.asking)))), query])


def _features(lists: Sequence[NDArray[np.int32]]) -> dict[str, torch.Tensor]:
    """Lists of token ids as the input of a `StaticEmbedding`."""
    offsets = np.cumsum([0, *map(len, lists[:-1])])
    return {
        "input_ids": torch.from_numpy(np.concatenate(lists).astype(np.int64)),
        "offsets": torch.from_numpy(offsets.astype(np.int64)),
    }


def _batches(pairs: Prepared, recipe: Recipe) -> Iterator[NDArray[np.int64]]:
    """Rows of pairs, a batch at a time, in a fixed random order."""
    dice = np.random.default_rng(SEED)
    shares = dict(recipe.shares)
    weights = np.array([shares.get(kind, 0.0) for kind in pairs.kinds]) * recipe.epochs
    rows = np.repeat(np.arange(len(weights)), (weights + dice.random(len(weights))).astype(np.int64))
    dice.shuffle(rows)
    mixed = int(len(rows) * (1.0 - recipe.one_language))
    groups = defaultdict(list)
    for row in rows[mixed:]:
        groups[pairs.languages[row]].append(row)
    batches = _cut(rows[:mixed], recipe.batch)
    for group in groups.values():
        batches += _cut(np.array(group), recipe.batch)
    random.Random(SEED).shuffle(batches)
    yield from batches


def _cut(rows: NDArray[np.int64], size: int) -> list[NDArray[np.int64]]:
    """Whole batches, and what is left over where it is at least a quarter of one."""
    return [rows[at : at + size] for at in range(0, len(rows), size) if len(rows) - at >= size // 4]
