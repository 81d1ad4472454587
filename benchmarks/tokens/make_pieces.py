"""Writes repomem/core/text/word_pieces.txt: the pieces of text that both real tokenizers know as one token.

    python benchmarks/tokens/make_pieces.py CLONES_FOLDER [HELD_OUT ...]

A piece is worth its place by how often greedy splitting uses it on briefs from the clones, and by cl100k's own rank,
which stands for text that the clones do not hold. HELD_OUT clones are left out, to measure on them.
"""

import random
import re
import sys
from collections import Counter
from pathlib import Path

from briefs import brief, read_clone
from real_tokenizers import RealTokenizers, load

TARGET = Path(__file__).parents[2] / "repomem" / "core" / "text" / "word_pieces.txt"
WORDS = 10000  # 6000 cost 4 % more tightness on words, 30000 gain 9 %
SIGNS = 400  # runs of punctuation; beyond 400 the gain is under 1 %
BRIEFS_PER_CLONE = 200
DAMPING = 0.6  # a word's weight is its count to this power: no clone's pet names fill the list
PRIOR = 0.2  # share of a rank-0 piece by rank alone, over PRIOR_RANK
PRIOR_RANK = 500

WORD = re.compile(r" ?[A-Za-z]+")
SIGN = re.compile(r" ?[!-/:-@\[-`{-~]+")


def split_greedily(text: str, pieces: set[str]) -> list[str]:
    out = []
    start = 0
    while start < len(text):
        ends = range(min(len(text), start + 16), start, -1)
        end = next((e for e in ends if text[start:e] in pieces), start + 1)
        out.append(text[start:end])
        start = end
    return out


def usage(texts: Counter[str], pieces: set[str], power: float) -> Counter[str]:
    used: Counter[str] = Counter()
    for text, count in texts.items():
        for piece in split_greedily(text, pieces):
            used[piece] += count**power
    return used


def best_words(words: Counter[str], shared: dict[str, int]) -> list[str]:
    """The chosen words, `_` before one that is a token only after a space, `_` after one that is only without."""
    known = {text for text in shared if WORD.fullmatch(text) and len(text.strip()) > 1}
    used = usage(words, known, DAMPING)
    total = sum(used.values())
    score: Counter[str] = Counter()
    for text in known:
        score[text.strip()] += used[text] / total + PRIOR / (shared[text] + PRIOR_RANK)
    chosen = sorted(score, key=lambda word: (-score[word], word))[:WORDS]
    return sorted(
        word if {word, " " + word} <= known else "_" + word if " " + word in known else word + "_" for word in chosen
    )


def best_signs(signs: Counter[str], shared: dict[str, int]) -> list[str]:
    known = {text for text in shared if SIGN.fullmatch(text) and len(text) > 1}
    used = usage(signs, known, 1)
    return sorted(sorted((p for p in used if p in known), key=lambda p: (-used[p], p))[:SIGNS])


def cheap_characters(real: RealTokenizers) -> str:
    """Characters beyond ASCII that cost one token in both."""
    codes = (c for c in range(0x80, 0x10000) if not 0xD800 <= c < 0xE000)
    return "".join(chr(c) for c in codes if real.larger(chr(c)) == 1 and not chr(c).isspace())


def rare_numbers(real: RealTokenizers) -> list[str]:
    """Numbers of three digits that cost more than one token."""
    return [n for n in (f"{i:03}" for i in range(1000)) if real.larger(n) > 1]


def main() -> None:
    folder, held_out = Path(sys.argv[1]), set(sys.argv[2:])
    rng = random.Random(5)
    words: Counter[str] = Counter()
    signs: Counter[str] = Counter()
    for clone in sorted(folder.iterdir()):
        if clone.name in held_out:
            continue
        lines = read_clone(clone)
        for _ in range(BRIEFS_PER_CLONE):
            text = brief(lines, rng)
            words.update(WORD.findall(text))
            signs.update(SIGN.findall(text))
    real = load()
    shared = real.shared_tokens()
    rows = [*best_words(words, shared), "", *best_signs(signs, shared), "", cheap_characters(real)]
    TARGET.write_text("\n".join(rows) + "\n", "utf-8")
    print(len(rows), "rows; three-digit numbers that cost more than one token:", rare_numbers(real))


if __name__ == "__main__":
    main()
