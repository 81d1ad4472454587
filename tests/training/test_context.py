"""How the model that reads a sentence in its context is trained, and that the program computes what it does."""

from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.numpy import load_file, save_file
from tokenizers import Tokenizer, models
from transformers import BertConfig, BertModel

from repomem.capture.statements.classifier.context_model import CLS, PERSON, SEP, read_model
from training.context import Example, Recipe, tensors_of, trained
from training.encoder_files import save

ALWAYS, TODAY, TESTS = 110, 111, 112
QUICK = Recipe(epochs=40, batch=4, rate=3e-3)
WIDTH = 48


def sentence(*tokens: int, kind: str = "", after: tuple[int, ...] = ()) -> Example:
    return Example([CLS, PERSON, *tokens, SEP, SEP, *after, SEP], len(tokens) + 3, kind)


RULE = sentence(ALWAYS, TESTS, kind="rule")
TASK = sentence(TODAY, TESTS)
FACT = sentence(TESTS, kind="fact", after=(ALWAYS,))
REST = sentence(TESTS, after=(TODAY, TODAY))


@pytest.fixture
def encoder(tmp_path: Path) -> Path:
    """A small encoder with the tokens of the one that ships."""
    torch.manual_seed(1)
    words = {f"[{at}]" if at else "[PAD]": at for at in range(120)}
    tokenizer = Tokenizer(models.WordLevel(words, unk_token="[1]"))
    tokenizer.save(str(tmp_path / "words.json"))
    config = BertConfig(
        vocab_size=len(words),
        hidden_size=WIDTH,
        num_hidden_layers=3,
        num_attention_heads=12,
        intermediate_size=96,
        initializer_range=0.1,
    )
    save(BertModel(config, add_pooling_layer=False).eval(), tmp_path / "words.json", tmp_path / "encoder")
    return tmp_path / "encoder"


def test_it_learns_from_a_sentence_and_from_what_follows(encoder: Path, tmp_path: Path) -> None:
    known = [RULE, TASK, FACT, REST]
    net = trained(load_file(encoder / "model.safetensors"), known, QUICK)
    save_file(tensors_of(net), tmp_path / "context.safetensors")
    model = read_model(encoder, tmp_path / "context.safetensors")

    found = model.log_odds([each.ids for each in known], [each.own for each in known])

    with torch.no_grad():
        assert found == pytest.approx(net(known).numpy(), abs=0.1)  # of weights with eight bits
    assert (found[:, 0] > 0).tolist() == [True, False, True, False]
    assert found[0, 2] > found[0, 3]  # rule, fact
    assert found[2, 3] > found[2, 2]


def test_the_first_layer_and_the_words_stay_those_of_the_encoder(encoder: Path) -> None:
    weights = load_file(encoder / "model.safetensors")
    net = trained(weights, [RULE, TASK, FACT, REST], QUICK)

    first, second = (net.layers[at].widen.weight.numpy(force=True) for at in (0, 1))
    before = [weights[f"{at}.widen"] * weights[f"{at}.widen.scales"][:, None] for at in (0, 1)]
    assert np.array_equal(first, before[0])
    assert not np.allclose(second, before[1], atol=1e-3)
    assert "words" not in tensors_of(net)
