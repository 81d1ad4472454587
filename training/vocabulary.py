"""The vocabulary: the words of code and of what is said about it, counted over the corpus.

The tokenizer cuts camelCase, snake_case, digits and punctuation, then lower-cases; a word that is not in the vocabulary
is cut greedily into pieces, which share their rows with whole words (`keyerror` is `key` and `error`).
"""

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from tokenizers import Regex, Tokenizer, models, normalizers, pre_tokenizers, trainers

from training.pairs import read

UNKNOWN = "[UNK]"
FEWEST_PACKAGES = 2  # a word of one package alone is a name, which its pieces serve well enough
PIECES = 5_000  # learnt on the words that are left out
LEAST_LETTER = 300  # times that a letter beyond ASCII must be seen
LONGEST_WORD = 24  # letters: what is longer is data or several words run together
_BOUNDARY = r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|(?<=[A-Za-z])(?=[0-9])|(?<=[0-9])(?=[a-z])"
_WORD = r"[^\W\d_]+|\d+"
_WORDS = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|[0-9]+|[^\W\d_]+")


@dataclass(frozen=True, slots=True)
class Counts:
    """How often a word is seen, and in how many packages."""

    seen: Counter[str]
    packages: Counter[str]


def counted(files: Iterable[Path]) -> Counts:
    """Count the words of all pairs."""
    seen: Counter[str] = Counter()
    packages: Counter[str] = Counter()
    for path in files:
        mine: Counter[str] = Counter()
        for pair in read(path):
            mine.update(words_of(f"{pair.query} {pair.code}"))
        seen.update(mine)
        packages.update(mine.keys())
    return Counts(seen, packages)


def words_of(text: str) -> list[str]:
    """The words of a text, in lower case, with names cut as the tokenizer cuts them."""
    return [word.lower() for word in _WORDS.findall(text)]


def save_counts(counts: Counts, path: Path) -> None:
    """Keep the counts of all words that more than one package has."""
    kept = {word: [counts.seen[word], times] for word, times in counts.packages.items() if counts.seen[word] > 2}
    path.write_text(json.dumps(kept), encoding="utf-8")


def load_counts(path: Path) -> Counts:
    """Read what `save_counts` wrote."""
    kept = json.loads(path.read_text(encoding="utf-8"))
    return Counts(Counter({w: n for w, (n, _) in kept.items()}), Counter({w: n for w, (_, n) in kept.items()}))


def tokenizer_of(counts: Counts, size: int) -> Tokenizer:
    """The tokenizer with the `size` most useful tokens."""
    letters = _letters(counts.seen)
    words = [word for word in _by_use(counts) if len(word) > 1]
    pieces = _pieces(counts.seen, words[size - PIECES :])
    chosen = dict.fromkeys([UNKNOWN, *letters, *words[: size - PIECES]])
    chosen |= dict.fromkeys(piece for piece in pieces if piece not in chosen)
    return tokenizer_with({token: at for at, token in enumerate(list(chosen)[:size])})


def tokenizer_with(vocabulary: dict[str, int]) -> Tokenizer:
    """A tokenizer with these tokens."""
    model = models.WordPiece(vocabulary, unk_token=UNKNOWN, continuing_subword_prefix="", max_input_chars_per_word=100)
    tokenizer = Tokenizer(model)
    tokenizer.normalizer = normalizers.Sequence([normalizers.Replace(Regex(_BOUNDARY), " "), normalizers.Lowercase()])
    tokenizer.pre_tokenizer = pre_tokenizers.Split(Regex(_WORD), behavior="removed", invert=True)
    return tokenizer


def _by_use(counts: Counts) -> Iterator[str]:
    """Words by the number of packages that have them, then by how often they are seen."""
    usable = (w for w, n in counts.packages.items() if n >= FEWEST_PACKAGES and len(w) <= LONGEST_WORD)
    yield from sorted(usable, key=lambda word: (-counts.packages[word], -counts.seen[word], word))


def _letters(seen: Counter[str]) -> list[str]:
    """Single characters, so that every ASCII word has pieces."""
    letters: Counter[str] = Counter()
    for word, times in seen.items():
        if not word.isascii():
            letters.update(dict.fromkeys(word, times))
    ascii_letters = [*"abcdefghijklmnopqrstuvwxyz0123456789"]
    return ascii_letters + sorted(letter for letter, n in letters.items() if n >= LEAST_LETTER and not letter.isascii())


def _pieces(seen: Counter[str], words: list[str]) -> list[str]:
    """Pieces of rarer words, by byte-pair encoding over them."""
    learner = Tokenizer(models.BPE(unk_token=UNKNOWN))
    learner.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    trainer = trainers.BpeTrainer(vocab_size=PIECES * 2, special_tokens=[UNKNOWN], show_progress=False)
    learner.train_from_iterator((" ".join([word] * min(seen[word], 5)) for word in words), trainer)
    merged = sorted(learner.get_vocab().items(), key=lambda item: item[1])
    return [piece for piece, _ in merged if piece != UNKNOWN and piece.isascii() and len(piece) > 1]
