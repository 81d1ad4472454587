"""How the sentence encoder is trained, and that the program computes what the trained model does."""

from pathlib import Path

import numpy as np
import pytest
import torch
from tokenizers import Tokenizer, models, pre_tokenizers
from transformers import BertConfig, BertModel

from repomem.adapters.models.sentence_encoder import SentenceEncoder
from repomem.core.types.text import CleanText
from training.encoder import Shorten, encoder_of, shortened, taught, tuned, vectors_of
from training.encoder_files import save
from training.tune import Tune, Written
from training.written import WrittenMemory

WORDS = ["[PAD]", "[UNK]", "money", "cents", "price", "clock", "zone", "hour", "login", "token", "password", "queue"]
MEMORIES = [WrittenMemory("money", ("cents",)), WrittenMemory("clock", ("zone",)), WrittenMemory("login", ("token",))]
KNOWN = Written([MEMORIES], [("price", "money"), ("hour", "zone")], [("password", ["login"])])
QUICK = Tune(epochs=40, batch=3, rate=3e-3, scale=20.0)


def tokenizer() -> Tokenizer:
    found = Tokenizer(models.WordLevel({word: at for at, word in enumerate(WORDS)}, unk_token="[UNK]"))
    found.pre_tokenizer = pre_tokenizers.Whitespace()
    return found


def model() -> BertModel:
    torch.manual_seed(1)
    config = BertConfig(
        vocab_size=len(WORDS),
        hidden_size=48,
        num_hidden_layers=6,
        num_attention_heads=12,
        intermediate_size=96,
        initializer_range=0.1,  # else all texts are nearly alike at first
    )
    return BertModel(config, add_pooling_layer=False).eval()


def test_the_program_gives_the_vectors_of_the_trained_model(tmp_path: Path) -> None:
    tokenizer().save(str(tmp_path / "words.json"))
    small = shortened(model())
    save(small, tmp_path / "words.json", tmp_path / "encoder")
    texts = ["money in cents", "clock", "login with a token or a password " * 12, "queue price"]
    wanted = vectors_of(encoder_of(small, tokenizer()), texts).numpy()
    encoder = SentenceEncoder(tmp_path / "encoder")
    found = encoder.embed([CleanText(text) for text in texts]).astype(np.float32)
    assert encoder.dimensions == 48
    assert (found * wanted).sum(axis=1) == pytest.approx(1.0, abs=3e-3)
    assert abs(float(wanted[0] @ wanted[1])) < 0.99
    assert encoder.embed_query(CleanText(texts[0])) == pytest.approx(found[0], abs=2e-3)


@pytest.mark.slow
def test_a_question_ends_nearest_to_its_memory() -> None:
    large = model()
    encode = encoder_of(large, tokenizer())
    tuned(large, encode, KNOWN, QUICK)
    similar = vectors_of(encode, ["cents", "zone", "token"]) @ vectors_of(encode, ["money", "clock", "login"]).T
    assert similar.argmax(dim=1).tolist() == [0, 1, 2]


@pytest.mark.slow
def test_fewer_layers_learn_the_vectors_of_all() -> None:
    large = model()
    texts = [f"{one} {other}" for one in WORDS[2:] for other in WORDS[2:]]
    wanted = vectors_of(encoder_of(large, tokenizer()), texts)
    small = shortened(large)
    encode = encoder_of(small, tokenizer())
    before = float((vectors_of(encode, texts) * wanted).sum(1).mean())
    taught(small, encode, texts, wanted, Shorten(epochs=25, batch=20, rate=2e-3))
    assert len(small.encoder.layer) == 3
    assert len(large.encoder.layer) == 6
    assert before < 0.95
    assert float((vectors_of(encode, texts) * wanted).sum(1).mean()) > max(before, 0.97)
