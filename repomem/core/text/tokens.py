"""An upper estimate of the number of tokens in a text, without a model's tokenizer.

Tested against two real tokenizers (cl100k_base and Anthropic's published one): neither counts more for a text of
several lines; for one or two of 1,000 single lines one of them counts one token more. The estimate uses what both
share: where they split a text before merging bytes, and a list of words, runs of signs and characters that are one
token in both (`word_pieces.txt`, written by `benchmarks/tokens/make_pieces.py`). Everything else is counted in letters
and UTF-8 bytes, which no byte-level tokenizer exceeds. For measurements and a known exception, see
benchmarks/tokens/README.md.
"""

import re
import string
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib import resources

from repomem.core.text.lazy_pattern import lazy_pattern

# Both tokenizers split here: contractions, a word or a run of signs with the space before it, digits, white space
# (its last character belongs to the next piece). The limits keep a minified line from becoming one piece.
_CUT = lazy_pattern(
    r"'(?:[sdmt]|ll|ve|re)| ?[A-Za-z]{1,48}| ?[0-9]{1,48}| ?[!-/:-@\[-`{-~]{1,48}"
    r"|\s{1,256}(?!\S)|\s{1,256}|[^\x21-\x7e\s]{1,48}"
)
_SPACES_PER_TOKEN = 16  # up to 16 spaces are one token in both, and most longer runs
_TABS_PER_TOKEN = 4  # up to 6 tabs are one token in both
# Numbers of three digits that are two tokens in Anthropic's.
_COSTLY_NUMBERS = frozenset(("531", "573", "721", "791", "793", "819", "837", "849", "863", "872", "893"))

# Prices are in quarters of a token; a text is rounded up. A real tokenizer merges the most frequent pairs first, so it
# sometimes splits a word into more pieces than the longest known ones (0.4 % of the words of code and prose). Each
# seam in a word therefore costs one quarter, and every third in a run of signs.
_TOKEN = 4
_SEAM = 1
# `sdksdksdk…`: every repetition is split badly, up to 0.65 tokens per character instead of 0.4.
_PERIOD = lazy_pattern(r"(.{2,8}?)\1{2,}")
_PERIODIC = 3
_FEWEST_PERIODIC = 4  # pieces


def count_tokens(text: str) -> int:
    r"""An upper estimate of the tokens of `text`: its lines, and one for each line break.

    Only the sum is rounded up, so `count_tokens(a + "\n" + b)` is at most `count_tokens(a) + 1 + count_tokens(b)`: a
    budget can be kept line by line. A line that NFKC normalization changes is priced in both forms, since Anthropic's
    tokenizer normalizes first.
    """
    price = sum(map(_line_price, text.split("\n"))) + _TOKEN * text.count("\n")
    return -(-price // _TOKEN)


def _line_price(line: str) -> int:
    price = sum(map(_price, _CUT.findall(line)))
    if line.isascii() or unicodedata.is_normalized("NFKC", line):
        return price
    compatible = unicodedata.normalize("NFKC", line)
    return max(price, sum(map(_price, _CUT.findall(compatible))))


@lru_cache(maxsize=1 << 16)
def _price(piece: str) -> int:
    """Quarters of a token for one piece of a line."""
    body = piece.lstrip(" ")
    if not body or body.isspace():
        return _TOKEN * _blank_tokens(piece)
    if not body.isascii() or body[0] < " " or body[0] == "\x7f":
        return _TOKEN * sum(map(_character_tokens, body))
    if body.isdigit():
        return _TOKEN * _number_tokens(body, is_spaced=body is not piece)
    if body[0] == "'" and len(body) > 1 and body[1].isalpha():
        return _TOKEN  # a contraction
    return _run_price(piece, body)


def _run_price(piece: str, body: str) -> int:
    """The price of a word or a run of signs, with the space before it."""
    count = _known_pieces(piece)
    if count > 1 and len(set(body)) == 1:
        count = max(count, -(-len(body) // 2))  # real tokenizers pair equal characters first
    seams = count - 1 if body.isalpha() else count // 3
    price = _TOKEN * count + _SEAM * seams
    if count >= _FEWEST_PERIODIC:
        price = max(price, _PERIODIC * sum(map(_periodic_length, _PERIOD.finditer(body))))
    return min(price, _TOKEN * len(piece))


def _periodic_length(match: re.Match[str]) -> int:
    return len(match.group()) if len(set(match.group(1))) > 1 else 0


def _known_pieces(piece: str) -> int:
    """The number of pieces when the longest known prefix is removed repeatedly; an unknown character is one piece."""
    known = _vocabulary()
    count = 0
    start = 0
    while start < len(piece):
        longest = known.longest.get(piece[start : start + 2], 1)
        end = start + longest
        while longest > 1 and piece[start:end] not in known.pieces:
            longest -= 1
            end -= 1
        start += longest
        count += 1
    return count


def _number_tokens(digits: str, *, is_spaced: bool) -> int:
    """The tokens of a number: cl100k splits into three digits and the space, Anthropic's into two or three digits."""
    size = len(digits)
    by_three = -(-size // 3) + is_spaced
    if size <= 3:
        return max(by_three, 2 if digits in _COSTLY_NUMBERS else 1)
    return max(by_three, -(-size // 2))


def _blank_tokens(blank: str) -> int:
    spaces = sum(-(-len(run) // _SPACES_PER_TOKEN) for run in re.findall(" +", blank))
    tabs = sum(-(-len(run) // _TABS_PER_TOKEN) for run in re.findall("\t+", blank))
    return spaces + tabs + sum(_character_tokens(char) for char in blank if char not in " \t")


def _character_tokens(char: str) -> int:
    """1 for a character that is one token in both tokenizers, else its number of UTF-8 bytes."""
    return 1 if char in _vocabulary().characters else len(char.encode("utf-8", "surrogatepass"))


@dataclass(frozen=True, slots=True)
class _Vocabulary:
    """The strings that are one token in both tokenizers."""

    pieces: frozenset[str]  # words and runs of signs, also with a leading space if that is one token too
    longest: dict[str, int]  # the first two characters of a piece to the length of the longest such piece
    characters: frozenset[str]  # beyond ASCII


@cache
def _vocabulary() -> _Vocabulary:
    text = resources.files("repomem.core.text").joinpath("word_pieces.txt").read_text("utf-8")
    words, signs, characters = text.rstrip("\n").split("\n\n")
    pieces = frozenset((*_word_forms(words.split("\n")), *signs.split("\n")))
    longest = {piece[:2]: len(piece) for piece in sorted(pieces, key=len)}
    return _Vocabulary(pieces, longest, frozenset(characters))


def _word_forms(words: list[str]) -> Iterator[str]:
    """The words of the list as pieces: `_word` is one only after a space, `word_` only without one, `word` in both."""
    for word in (*string.ascii_letters, *words):
        if not word.startswith("_"):
            yield word.rstrip("_")
        if not word.endswith("_"):
            yield " " + word.lstrip("_")
