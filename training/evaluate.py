"""The figures of the model card, from the bytes that ship.

Every command first compares the sha256 of the model's files with the card, and stops where one differs.
"""

import hashlib
import random
import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from training.development import corpora, scores
from training.distil import teacher_folder
from training.hashed import Hashed
from training.held_out import held_out_pairs, retrieval
from training.pairs import Pair
from training.reduce import FILES
from training.vectors import Vectors

MODEL = Path(__file__).parents[1] / "repomem" / "adapters" / "models" / "builtin"
CARD = Path(__file__).with_name("README.md")
TEACHER_SAMPLE = 300  # pairs of a language that the teacher is asked for: it does a dozen chunks a second
TIMED = 3_000  # chunks for the model's speed; the teacher does TIMED / TEACHER_SHARE of them
TEACHER_SHARE = 25
RUNS = 5
Embed = Callable[[Sequence[str]], NDArray[np.float32]]


def check_against_card() -> None:
    """Stop where a file of the model is not the one that the card is about."""
    card = CARD.read_text(encoding="utf-8")
    for name in FILES:
        digest = hashlib.sha256((MODEL / name).read_bytes()).hexdigest()
        if f"{digest}  {name}" not in card:
            raise SystemExit(f"{name} has the sha256 {digest}, which is not the one in {CARD.name}")


def development(mirror: Path, data: Path, work: Path) -> None:
    """Vectors alone on the development search set: ours beside the teacher's tokens without training."""
    check_against_card()
    sets = corpora(mirror, data, work / "development")
    for name, embed in {"this model": Vectors(MODEL).embed, "model2vec's defaults": distilled(work)}.items():
        for with_path in (False, True):
            found = scores(sets, embed, with_path=with_path)
            figures = "  ".join(f"{key} {value:.4f}" for key, value in found.items())
            print(f"{name}{', path before the text' if with_path else ''}: {figures}", flush=True)


def held_out(pairs: Path, work: Path, *, with_teacher: bool) -> None:
    """MRR and recall at 10 of functions by their documentation, by language, in packages that training never saw."""
    check_against_card()
    models: dict[str, Embed] = {
        "this model": Vectors(MODEL).embed,
        "model2vec's defaults": distilled(work),
        "hashed": hashed(),
    }
    _print_retrieval(models, pairs, 1_000)
    if with_teacher:
        print(f"\nOn {TEACHER_SAMPLE} candidates a language:")
        _print_retrieval({"this model": models["this model"], "all-MiniLM-L6-v2": teacher()}, pairs, TEACHER_SAMPLE)


def speed(pairs: Path) -> None:
    """Chunks a second of one thread beside the teacher's, load time and size."""
    check_against_card()
    every = [pair.code for found in held_out_pairs(pairs).values() for pair in found]
    texts = random.Random(1).sample(every, TIMED)
    loads = []
    for _ in range(RUNS):
        start = time.perf_counter()
        model = Vectors(MODEL)
        loads.append(time.perf_counter() - start)
    ours = _rate(model.embed, texts)
    again = _rate(model.embed, texts)
    theirs = _rate(teacher(), texts[: TIMED // TEACHER_SHARE])
    size = sum((MODEL / name).stat().st_size for name in FILES)
    print(f"load {statistics.median(loads):.3f} s (median of {RUNS}), {size / 1e6:.2f} MB")
    print(f"{ours:.0f} chunks/s with every identifier new, {again:.0f} when they were seen")
    print(f"all-MiniLM-L6-v2: {theirs:.1f} chunks/s; ratio {ours / theirs:.0f} and {again / theirs:.0f}")


def loaders(pairs: Path) -> None:
    """The least cosine between our reader and those of model2vec and sentence-transformers."""
    from model2vec import StaticModel
    from sentence_transformers import SentenceTransformer

    check_against_card()
    texts = [pair.code for found in held_out_pairs(pairs, 300).values() for pair in found]
    own = Vectors(MODEL).embed(texts)
    theirs = StaticModel.from_pretrained(MODEL).encode(texts, use_multiprocessing=False)
    print(f"model2vec: least cosine {float((own * theirs).sum(axis=1).min()):.6f}")
    theirs = SentenceTransformer(str(MODEL), device="cpu").encode(texts)
    print(f"sentence-transformers: least cosine {float((own * theirs).sum(axis=1).min()):.6f}")


def distilled(work: Path) -> Embed:
    """The teacher as `model2vec.distill` makes a static model of it, all choices its defaults."""
    from model2vec import StaticModel
    from model2vec.distill import distill

    folder = work / "model2vec-defaults"
    if not folder.exists():
        distill(str(teacher_folder()), device="cpu").save_pretrained(folder)
    model = StaticModel.from_pretrained(folder)

    def embed(texts: Sequence[str]) -> NDArray[np.float32]:
        return _unit(model.encode(list(texts), max_length=None, use_multiprocessing=False))

    return embed


def teacher() -> Embed:
    """all-MiniLM-L6-v2 itself."""
    from sentence_transformers import SentenceTransformer

    model = SentenceTransformer(str(teacher_folder()), device="cpu")

    def embed(texts: Sequence[str]) -> NDArray[np.float32]:
        return _unit(model.encode(list(texts), batch_size=16))

    return embed


def hashed() -> Embed:
    """Repomem's hashed words and letter groups."""
    return Hashed().embed


def _print_retrieval(models: dict[str, Embed], folder: Path, most: int) -> None:
    for language, pairs in held_out_pairs(folder, most).items():
        cells = list(_cells(models, pairs))
        print(f"{language} ({len(pairs)} candidates): " + "  ".join(cells), flush=True)


def _cells(models: dict[str, Embed], pairs: Sequence[Pair]) -> Iterator[str]:
    for name, embed in models.items():
        rank, recall = retrieval(pairs, embed)
        yield f"{name} MRR {rank:.3f} R@10 {recall:.3f}"


def _unit(vectors: NDArray[np.float32]) -> NDArray[np.float32]:
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.asarray(vectors / np.where(lengths > 0, lengths, 1.0), np.float32)


def _rate(embed: Embed, texts: Sequence[str]) -> float:
    start = time.perf_counter()
    embed(texts)
    return len(texts) / (time.perf_counter() - start)
