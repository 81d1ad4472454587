"""python -m training.encoder: makes the sentence encoder from all-MiniLM-L6-v2 and what was written by hand.

1. The six layers of all-MiniLM-L6-v2 are tuned to what was written: questions near their memories, words near words.
2. Three of them learn to give the vectors of all six, on the sentences of `training.prose` and on what was written.
3. These are tuned as in 1, and stay near the six.

It takes some minutes on a GPU; two CPU cores would take days.
"""

import argparse
import copy
import json
import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import numpy as np
import torch
from tokenizers import Tokenizer
from torch import Tensor, nn
from torch.nn.functional import kl_div, normalize
from transformers import BertModel

from repomem.adapters.models.sentence_encoder import ENCODER_FOLDER
from training import written
from training.distil import teacher_folder
from training.encoder_files import save
from training.fit import shuffled, warm_and_descend
from training.tune import Batch, Tune, Written, batches, confusion

SEED = 1
LONGEST = 64  # tokens of a text; what follows is not read in training
LAYERS = (1, 3, 5)  # of the six, from 0
LARGEST_GRADIENT = 5.0
WARM = 0.05  # share of the steps in which the rate rises
TUNE = Tune(epochs=12, rate=1.5e-4, scale=20.0)
TUNE_SHORT = replace(TUNE, epochs=4, rate=1e-4)
NEAR = 0.5  # share of the six layers' opinion in the loss of the last step

Encode = Callable[[Sequence[str]], Tensor]


@dataclass(frozen=True, slots=True)
class Shorten:
    """The choices for the second step."""

    epochs: int = 4
    batch: int = 1024
    rate: float = 4e-4
    contrast: float = 0.1  # share of the contrastive loss beside that of the cosines


def encoder_of(model: BertModel, tokenizer: Tokenizer) -> Encode:
    """Gives texts their vectors: the mean of the last layer, of length 1, (texts, width)."""
    ids = cache(lambda text: tokenizer.encode(text).ids)
    device = next(model.parameters()).device

    def encode(texts: Sequence[str]) -> Tensor:
        lists = [ids(text) for text in texts]
        longest = -(-max(map(len, lists)) // 8) * 8
        table = np.zeros((len(lists), longest), np.int64)
        seen_table = np.arange(longest) < np.array([[len(each)] for each in lists])
        table[seen_table] = np.concatenate(lists)  # row by row
        padded, seen = torch.from_numpy(table).to(device), torch.from_numpy(seen_table).to(device)
        with torch.autocast(device.type, torch.bfloat16, enabled=device.type == "cuda"):
            rows = model(input_ids=padded, attention_mask=seen.long()).last_hidden_state
        return normalize((rows.float() * seen[..., None]).sum(1), dim=1)

    return encode


def tuned(model: BertModel, encode: Encode, known: Written, tune: Tune, teacher: Encode | None = None) -> None:
    """Tune a model to what was written, and to what a teacher finds similar."""
    steps = tune.epochs * sum(len(one.questions) for each in known.projects for one in each) // tune.batch
    every = batches(known, tune, random.Random(SEED))
    _descend(model, (_loss(encode, batch, tune, teacher) for batch in every), steps=steps, rate=tune.rate)


def shortened(model: BertModel) -> BertModel:
    """A copy that has only LAYERS."""
    short = copy.deepcopy(model)
    short.config.num_hidden_layers = len(LAYERS)  # a new configuration would lose how attention is masked
    short.encoder.layer = nn.ModuleList(short.encoder.layer[at] for at in LAYERS)
    return short


def taught(model: BertModel, encode: Encode, texts: Sequence[str], wanted: Tensor, choices: Shorten) -> None:
    """Teach a model the vectors of texts, (texts, width)."""
    steps = choices.epochs * (len(texts) // choices.batch)

    def losses() -> Iterator[Tensor]:
        for places in shuffled(len(texts), epochs=choices.epochs, batch=choices.batch):
            found, right = encode([texts[at] for at in places]), wanted[torch.from_numpy(places).to(wanted.device)]
            yield (1 - (found * right).sum(1)).mean() + choices.contrast * confusion(TUNE.scale * found @ right.T) / 2

    _descend(model, losses(), steps=steps, rate=choices.rate)


def vectors_of(encode: Encode, texts: Sequence[str], batch: int = 2048) -> Tensor:
    """The vectors of many texts, without gradients."""
    order = sorted(range(len(texts)), key=lambda at: len(texts[at]))
    with torch.no_grad():
        found = torch.cat([encode([texts[at] for at in order[i : i + batch]]) for i in range(0, len(order), batch)])
    back = torch.empty(len(order), dtype=torch.long)
    back[torch.tensor(order)] = torch.arange(len(order))
    return found[back.to(found.device)]


def _loss(encode: Encode, batch: Batch, tune: Tune, teacher: Encode | None) -> Tensor:
    value = torch.zeros(())
    for share, pairs in batch:
        one, other = ([*side] for side in zip(*pairs, strict=True))
        similar = tune.scale * encode(one) @ encode(other).T
        loss = confusion(similar)
        if teacher and share == 1:  # single words are too few to differ about
            with torch.no_grad():
                wanted = tune.scale * teacher(one) @ teacher(other).T
            loss = (1 - NEAR) * loss + NEAR * (_apart(similar, wanted) + _apart(similar.T, wanted.T))
        value = value.to(loss.device) + share * loss
    return value


def _apart(found: Tensor, wanted: Tensor) -> Tensor:
    """How far the shares that each row gives to the others are from those wanted (Kullback and Leibler 1951)."""
    return kl_div(found.log_softmax(1), wanted.log_softmax(1), log_target=True, reduction="batchmean")


def _descend(model: BertModel, losses: Iterator[Tensor], *, steps: int, rate: float) -> None:
    torch.manual_seed(SEED)
    warm_and_descend(model, losses, steps=steps, rate=rate, warm=WARM, largest_gradient=LARGEST_GRADIENT)


def made(folder: Path, drawn: Sequence[str], known: Written, choices: Shorten) -> BertModel:
    """All three steps; `folder` has the files of all-MiniLM-L6-v2."""
    device = "cuda" if torch.cuda.is_available() else "cpu"
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.enable_truncation(LONGEST)
    large = BertModel.from_pretrained(str(folder), add_pooling_layer=False).to(device)
    encode = encoder_of(large, tokenizer)
    tuned(large, encode, known, TUNE)
    small = shortened(large)
    encode_small = encoder_of(small, tokenizer)
    texts = [*drawn, *[text for each in known.projects for one in each for text in (one.text, *one.questions)] * 2]
    taught(small, encode_small, texts, vectors_of(encode, texts), choices)
    tuned(small, encode_small, known, TUNE_SHORT, teacher=encode)
    return small


def main() -> None:
    """Make the files that ship."""
    parser = argparse.ArgumentParser(
        prog="python -m training.encoder", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--work", type=Path, default=Path("build/prose"), help="where training.prose wrote drawn.json")
    parser.add_argument("--out", type=Path, default=ENCODER_FOLDER)
    asked = parser.parse_args()
    drawn = json.loads((asked.work / "drawn.json").read_text(encoding="utf-8"))
    known = Written(written.training_projects(), written.thesaurus(), written.associations())
    save(made(teacher_folder(), drawn, known, Shorten()), teacher_folder() / "tokenizer.json", asked.out)


if __name__ == "__main__":
    main()
