"""python -m training COMMAND …

add REGISTRY NAME …       put packages on the list of the corpus (pypi, npm, debian, debian-source)
fetch                     download the corpus and check every sha256
mine                      the pairs of every package
vocabulary                count words, make the tokenizer
distil                    first token vectors, from the teacher
train                     contrastive training on the pairs
reduce                    write the model's files
all                       fetch to reduce: some two hours on two cores
statements                train the classifier of statements that capture uses: some seconds
replacements              fit how likely a later memory changes an earlier one: some seconds
relevance                 fit what says that a memory is about a task: a minute
evaluate development --mirror DIR --data DIR
evaluate pairs [--teacher]
evaluate speed
evaluate loaders          the figures of the model card, from the bytes that ship

Everything that is made on the way lies under --work (build/training). Each command takes up what the one before left.
"""

import argparse
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from training import corpus, evaluate, pairs, vocabulary

TOKENS = 32_768
WIDTH = 256  # dimensions in training
DIMENSIONS = 192  # of what ships: as good as 256 on every measure


@dataclass(frozen=True, slots=True)
class Places:
    """Where everything that is made on the way lies."""

    work: Path

    @property
    def downloads(self) -> Path:
        """The packages."""
        return self.work / "corpus"

    @property
    def pairs(self) -> Path:
        """A file for each package."""
        return self.work / "pairs"

    @property
    def counts(self) -> Path:
        """How often each word is seen."""
        return self.work / "counts.json"

    @property
    def tokenizer(self) -> Path:
        """The vocabulary, as it ships."""
        return self.work / "tokenizer.json"

    @property
    def initial(self) -> Path:
        """Token vectors before training."""
        return self.work / "initial.npy"

    @property
    def trained(self) -> Path:
        """Token vectors after it."""
        return self.work / "trained.npy"


def fetch(places: Places) -> None:
    """Download the corpus."""
    for line in corpus.fetch(places.downloads):
        print(line)


def mine(places: Places) -> None:
    """Write the pairs."""
    print(dict(pairs.mine(places.downloads, places.pairs)))


def make_vocabulary(places: Places) -> None:
    """Count the words of the packages that are trained on, and make the tokenizer."""
    from training.held_out import is_held_out

    files = [pairs.file_of(package.key, places.pairs) for package in corpus.packages() if not is_held_out(package.key)]
    vocabulary.save_counts(vocabulary.counted([path for path in files if path.exists()]), places.counts)
    vocabulary.tokenizer_of(vocabulary.load_counts(places.counts), TOKENS).save(str(places.tokenizer))


def distil(places: Places) -> None:
    """Make the first token vectors."""
    import numpy as np
    from tokenizers import Tokenizer

    from training.distil import initial

    tokenizer, counts = Tokenizer.from_file(str(places.tokenizer)), vocabulary.load_counts(places.counts)
    np.save(places.initial, initial(tokenizer, counts, WIDTH, places.work / "teacher.npz"))


def train(places: Places) -> None:
    """Train the token vectors."""
    import numpy as np
    import torch
    from tokenizers import Tokenizer

    from training.train import Recipe, prepared, trained

    torch.set_num_threads(1)
    tokenizer = Tokenizer.from_file(str(places.tokenizer))
    keys = [package.key for package in corpus.packages() if pairs.file_of(package.key, places.pairs).exists()]
    ready = prepared(keys, places.pairs, tokenizer)
    np.save(places.trained, trained(tokenizer, np.load(places.initial), ready, Recipe()))


def reduce(places: Places) -> None:
    """Write the files that ship."""
    import numpy as np
    from tokenizers import Tokenizer

    from training.reduce import rotated, save, seen_of

    tokenizer, counts = Tokenizer.from_file(str(places.tokenizer)), vocabulary.load_counts(places.counts)
    vectors = rotated(np.load(places.trained), seen_of(tokenizer, counts), DIMENSIONS)
    save(vectors, tokenizer, evaluate.MODEL)


STEPS: dict[str, Callable[[Places], None]] = {
    "fetch": fetch,
    "mine": mine,
    "vocabulary": make_vocabulary,
    "distil": distil,
    "train": train,
    "reduce": reduce,
}


def main() -> None:
    """Run one command, or all steps."""
    parser = argparse.ArgumentParser(
        prog="python -m training", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "command", choices=[*STEPS, "all", "add", "statements", "replacements", "relevance", "evaluate"]
    )
    parser.add_argument("what", nargs="*")
    parser.add_argument("--work", type=Path, default=Path("build/training"))
    parser.add_argument("--mirror", type=Path)
    parser.add_argument("--data", type=Path)
    parser.add_argument("--teacher", action="store_true", help="ask the teacher itself too, on a sample")
    asked = parser.parse_args()
    places = Places(asked.work.resolve())  # steps run programs in other folders
    if asked.command == "add":
        registry, *names = asked.what
        print("\n".join(corpus.add([(registry, name) for name in names], places.downloads)))
    elif asked.command == "statements":
        from training import statements

        statements.train()
    elif asked.command == "replacements":
        from training import replacements

        replacements.train()
    elif asked.command == "relevance":
        from training import relevance

        relevance.train()
    elif asked.command == "evaluate":
        _evaluate(asked, places)
    else:
        for name, step in STEPS.items():
            if asked.command in {name, "all"}:
                step(places)


def _evaluate(asked: argparse.Namespace, places: Places) -> None:
    for what in asked.what or ["pairs", "speed", "loaders"]:
        if what == "development":
            evaluate.development(asked.mirror, asked.data, places.work)
        elif what == "pairs":
            evaluate.held_out(places.pairs, places.work, with_teacher=asked.teacher)
        else:
            {"speed": evaluate.speed, "loaders": evaluate.loaders}[what](places.pairs)


if __name__ == "__main__":
    main()
