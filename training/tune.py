"""Tunes the vectors of a fitted model to what was written by hand: memories near their questions, words near like ones.

A loss over batches (InfoNCE, van den Oord et al. 2018): each question is nearest to its own memory among those of the
batch, and the other way round. Half of the passes keep projects together, so that the others are of the same project.
"""

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch.nn.functional import cross_entropy, normalize

from training.fit import bag, descended
from training.written import Project

Floats = NDArray[np.float32]
Pair = tuple[str, str]
Batch = list[tuple[float, list[Pair]]]  # each kind of pairs with its share of the loss
Ids = Callable[[str], NDArray[np.int64]]
SEED = 1
MIXED = 0.5  # share of the passes that mix the memories of all projects


@dataclass(frozen=True, slots=True)
class Tune:
    """The choices of a tuning."""

    epochs: int = 12  # over all questions
    batch: int = 960  # pairs; as many groups of words beside them
    rate: float = 3e-3  # of Adam, at the start; it falls to zero in a straight line
    scale: float = 8.0  # of cosines
    words: float = 0.25  # share of each loss of words beside that of memories
    drawn: int = 3  # words of an association that stand for it at once
    dropped: float = 0.15  # share of a text's tokens that a step does not see (Iyyer et al. 2015, word dropout)


@dataclass(frozen=True, slots=True)
class Written:
    """What the vectors are tuned to."""

    projects: Sequence[Project]
    thesaurus: Sequence[Sequence[str]]
    associations: Sequence[tuple[str, Sequence[str]]]


def tuned(vectors: Floats, ids: Ids, written: Written, tune: Tune) -> Floats:
    """Token vectors after the tuning, (tokens, dimensions); `ids` gives the tokens of a text."""
    torch.manual_seed(SEED)
    dice = random.Random(SEED)
    student = torch.nn.EmbeddingBag(*vectors.shape, mode="sum", _weight=torch.from_numpy(vectors.copy()))
    steps = tune.epochs * sum(len(one.questions) for each in written.projects for one in each) // tune.batch
    seen = _with_dropout(ids, tune.dropped)
    losses = (_loss(student, seen, batch, tune) for batch in batches(written, tune, dice))
    return descended(student, losses, steps=steps, rate=tune.rate)


def _with_dropout(ids: Ids, share: float) -> Ids:
    """The tokens of a text without a random share of them, but never without all."""
    dice = np.random.default_rng(SEED)

    def seen(text: str) -> NDArray[np.int64]:
        tokens = ids(text)
        kept = tokens[dice.random(len(tokens)) >= share]
        return kept if len(kept) else tokens

    return seen


def _loss(student: torch.nn.EmbeddingBag, ids: Ids, batch: Batch, tune: Tune) -> torch.Tensor:
    value = torch.zeros(())
    for share, pairs in batch:
        one, other = (_embedded(student, ids, side) for side in zip(*pairs, strict=True))
        value = value + share * confusion(tune.scale * one @ other.T)
    return value


def _embedded(student: torch.nn.EmbeddingBag, ids: Ids, texts: Sequence[str]) -> torch.Tensor:
    return normalize(student(*bag([ids(text) for text in texts])), dim=1)


def confusion(similar: torch.Tensor) -> torch.Tensor:
    """The loss of finding the other one of each pair, in both directions."""
    own = torch.arange(len(similar), device=similar.device)
    return cross_entropy(similar, own) + cross_entropy(similar.T, own)


def batches(written: Written, tune: Tune, dice: random.Random) -> Iterator[Batch]:
    """Without end: a batch of questions with their memories, and one of each kind of words, with their shares."""
    while True:
        pairs = _pass(written.projects, dice)
        if len(pairs) < tune.batch:
            raise ValueError(f"{len(pairs)} memories are fewer than one batch of {tune.batch}")
        for at in range(0, len(pairs) - tune.batch + 1, tune.batch):
            groups = dice.sample(written.thesaurus, min(tune.batch, len(written.thesaurus)))
            terms = dice.sample(written.associations, min(tune.batch, len(written.associations)))
            alike = [(one, other) for one, other in (dice.sample(list(group), 2) for group in groups)]
            said = [(term, " ".join(dice.sample(list(of), min(len(of), tune.drawn)))) for term, of in terms]
            yield [(1.0, pairs[at : at + tune.batch]), (tune.words, alike), (tune.words, said)]


def _pass(projects: Sequence[Project], dice: random.Random) -> list[Pair]:
    """Each memory once, with one of its questions, in random order, by project or not."""
    order = dice.sample(projects, len(projects))
    memories = [memory for project in order for memory in project]
    if dice.random() < MIXED:
        dice.shuffle(memories)
    first = dice.randrange(len(memories[0].questions))
    return [(memory.questions[(first + at) % len(memory.questions)], memory.text) for at, memory in enumerate(memories)]
