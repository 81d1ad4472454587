"""Fits token vectors to a teacher's vectors of whole sentences.

The student's vector of a sentence is the mean of its tokens' vectors, as everywhere; it should lie near the teacher's
vector of that sentence, and nearer to it than to the teacher's vectors of the other sentences of the batch.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch.nn.functional import cross_entropy, normalize

Floats = NDArray[np.float32]
SEED = 1
DECAY = 0.01  # of the weights, in AdamW


@dataclass(frozen=True, slots=True)
class Fit:
    """The choices of a fit."""

    epochs: int = 4
    batch: int = 1024
    rate: float = 5e-3  # of Adam, at the start; it falls to zero in a straight line
    scale: float = 20.0  # of cosines, in the contrastive loss
    contrast: float = 0.1  # share of the contrastive loss beside that of the cosines


@dataclass(frozen=True, slots=True)
class Axes:
    """The teacher's main directions: its mean and an orthogonal basis, (teacher's width, dimensions)."""

    mean: Floats
    basis: Floats

    def of(self, vectors: Floats) -> Floats:
        """Vectors on these axes, at length 1."""
        turned = (vectors - self.mean) @ self.basis
        return np.asarray(turned / np.linalg.norm(turned, axis=1, keepdims=True), np.float32)


def axes_of(vectors: Floats, dimensions: int) -> Axes:
    """The axes along which sentences vary most."""
    mean = vectors.mean(axis=0)
    centred = vectors - mean
    _, basis = np.linalg.eigh(centred.T @ centred)
    return Axes(mean, np.asarray(basis[:, ::-1][:, :dimensions], np.float32))


def fitted(initial: Floats, sentences: Sequence[NDArray[np.int64]], wanted: Floats, fit: Fit) -> Floats:
    """Token vectors after the fit, (tokens, dimensions); `sentences` are token ids, none of them empty."""
    torch.manual_seed(SEED)
    student = torch.nn.EmbeddingBag(*initial.shape, mode="sum", _weight=torch.from_numpy(initial.copy()))
    targets = torch.from_numpy(wanted)
    batches = list(shuffled(len(sentences), epochs=fit.epochs, batch=fit.batch))
    found = ((rows, normalize(student(*bag([sentences[row] for row in rows])), dim=1)) for rows in batches)
    losses = (_loss(each, targets[torch.from_numpy(rows)], fit) for rows, each in found)
    return descended(student, losses, steps=len(batches), rate=fit.rate)


def descended(student: torch.nn.EmbeddingBag, losses: Iterator[torch.Tensor], *, steps: int, rate: float) -> Floats:
    """The vectors after so many steps of Adam, whose rate falls to zero in a straight line.

    Each loss is computed when its step begins.
    """
    optimizer = torch.optim.Adam(student.parameters(), lr=rate)
    schedule = torch.optim.lr_scheduler.LinearLR(optimizer, 1.0, 0.0, total_iters=steps)
    take_steps(losses, optimizer, schedule, steps=steps)
    return np.asarray(student.weight.detach().numpy(), np.float32)


def warm_and_descend(
    model: torch.nn.Module,
    losses: Iterator[torch.Tensor],
    *,
    steps: int,
    rate: float,
    warm: float,
    largest_gradient: float,
) -> None:
    """So many steps of AdamW, whose rate rises in the share `warm` of them and falls to zero in a straight line."""
    optimizer = torch.optim.AdamW(model.parameters(), lr=rate, weight_decay=DECAY)
    rising = max(1.0, warm * steps)
    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda at: min((at + 1) / rising, (steps - at) / steps))
    model.train()
    take_steps(losses, optimizer, schedule, steps=steps, largest_gradient=largest_gradient)
    model.eval()


def take_steps(
    losses: Iterator[torch.Tensor],
    optimizer: torch.optim.Optimizer,
    schedule: torch.optim.lr_scheduler.LRScheduler,
    *,
    steps: int,
    largest_gradient: float | None = None,
) -> None:
    """So many steps down the losses, which may have no end; a gradient with a larger norm is scaled down to it."""
    for step, value in zip(range(steps), losses, strict=False):
        optimizer.zero_grad()
        value.backward()
        if largest_gradient:
            torch.nn.utils.clip_grad_norm_(optimizer.param_groups[0]["params"], largest_gradient)
        optimizer.step()
        schedule.step()
        if step % 100 == 0:
            print(f"step {step} of {steps}: loss {value.item():.3f}", flush=True)


def _loss(found: torch.Tensor, wanted: torch.Tensor, fit: Fit) -> torch.Tensor:
    apart = 1 - (found * wanted).sum(1)
    confused = cross_entropy(fit.scale * found @ wanted.T, torch.arange(len(found)))
    return apart.mean() + fit.contrast * confused


def bag(lists: Sequence[NDArray[np.int64]]) -> tuple[torch.Tensor, torch.Tensor]:
    """Lists of token ids end to end, and where each starts."""
    starts = np.cumsum([0, *map(len, lists[:-1])])
    return torch.from_numpy(np.concatenate(lists)), torch.from_numpy(starts)


def shuffled(rows: int, *, epochs: int, batch: int) -> Iterator[NDArray[np.int64]]:
    """The numbers of the rows in batches, in another order in each epoch; the rest of an epoch is left out."""
    dice = np.random.default_rng(SEED)
    for _ in range(epochs):
        order = dice.permutation(rows)
        for at in range(0, rows - batch + 1, batch):
            yield order[at : at + batch]
