"""Models that the tests make: small, and read by the libraries that users' models are read by."""

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from safetensors.numpy import save_file
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.normalizers import Lowercase
from tokenizers.pre_tokenizers import Whitespace

TOPICS = (
    ("session", "token", "refresh", "expire", "alive", "login"),
    ("money", "amount", "round", "cent", "balance", "ledger"),
    ("retry", "deliver", "queue", "worker", "timeout", "webhook"),
)


def tokenizer_of(words: Sequence[str]) -> Tokenizer:
    """A tokenizer that knows these words."""
    made = Tokenizer(WordLevel({"[PAD]": 0, "[UNK]": 1} | {word: at + 2 for at, word in enumerate(words)}, "[UNK]"))
    made.normalizer = Lowercase()
    made.pre_tokenizer = Whitespace()
    return made


def static_model(folder: Path, *, turned: float = 0.0, dimensions: int = 8) -> Path:
    """A model2vec folder in which the words of a topic lie close together; `turned` makes another model of it."""
    words = [word for topic in TOPICS for word in topic]
    chance = np.random.default_rng(3)
    vectors = chance.normal(size=(len(words) + 2, dimensions)).astype(np.float32) * 0.1
    vectors[:2] = 0
    for at, topic in enumerate(TOPICS):
        rows = [2 + words.index(word) for word in topic]
        vectors[rows, at] += np.cos(turned)
        vectors[rows, at + 3] += np.sin(turned)
    folder.mkdir(parents=True)
    save_file({"embeddings": vectors}, folder / "model.safetensors")
    tokenizer_of(words).save(str(folder / "tokenizer.json"))
    config = {"model_type": "model2vec", "architectures": ["StaticModel"], "normalize": True}
    (folder / "config.json").write_text(json.dumps(config))
    return folder


def bert_model(folder: Path, *, seed: int = 0) -> Path:
    """A sentence-transformers folder with a transformer of one layer, its weights drawn by chance."""
    import torch
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.models import Normalize, Pooling, Transformer
    from transformers import BertConfig, BertModel, PreTrainedTokenizerFast

    torch.manual_seed(seed)
    words = [word for topic in TOPICS for word in topic]
    made = tokenizer_of(words)
    plain = folder.with_name(folder.name + "-plain")
    sizes = {"hidden_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 16}
    BertModel(BertConfig(vocab_size=made.get_vocab_size(), **sizes)).save_pretrained(plain)
    PreTrainedTokenizerFast(tokenizer_object=made, pad_token="[PAD]", unk_token="[UNK]").save_pretrained(plain)
    transformer = Transformer(str(plain), max_seq_length=64)
    prompts = {"query": "session ", "document": ""}
    model = SentenceTransformer(modules=[transformer, Pooling(16), Normalize()], device="cpu", prompts=prompts)
    model.save(str(folder))
    return folder
