"""An upper estimate of how many tokens a model makes of a text, without a model's tokenizer.

The promise, tested against two real tokenizers (cl100k_base and Anthropic's published one): neither counts more for a
text of several lines; a line on its own falls short by a token once or twice in a thousand. What the two have in
common is known here: how both cut a text before they merge bytes, and a list of words, runs of signs and characters
that both know as one token (`word_pieces.txt`, written by `benchmarks/tokens/make_pieces.py`). All else falls back to
letters and UTF-8 bytes, which no byte-level tokenizer exceeds. benchmarks/tokens/README.md has the measured tightness
and the one known hole.
"""

import re
import string
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib import resources

# Both tokenizers cut here: contractions, a word or a run of signs with the space before it, digits, white space
# (its last character belongs to what follows). The limits keep a minified line from becoming one piece of megabytes.
_CUT = re.compile(
    r"'(?:[sdmt]|ll|ve|re)| ?[A-Za-z]{1,48}| ?[0-9]{1,48}| ?[!-/:-@\[-`{-~]{1,48}"
    r"|\s{1,256}(?!\S)|\s{1,256}|[^\x21-\x7e\s]{1,48}"
)
_SPACES_PER_TOKEN = 16  # both know runs of up to 16 spaces, and most longer ones
_TABS_PER_TOKEN = 4  # both know runs of up to 6 tabs
# Three digits, yet two tokens in Anthropic's.
_COSTLY_NUMBERS = frozenset(("531", "573", "721", "791", "793", "819", "837", "849", "863", "872", "893"))

# Prices are in quarters of a token; a text is rounded up. Where a word falls into several known pieces a real
# tokenizer, which merges from the most frequent pair up, sometimes cuts it less well than the longest pieces do
# (0.4 % of the words of code and prose): each seam in a word pays one, and every third in a run of signs.
_TOKEN = 4
_SEAM = 1
# `sdksdksdk…`: every repetition meets the same bad cut, up to 0.65 tokens per character where pieces promise 0.4.
_PERIOD = re.compile(r"(.{2,8}?)\1{2,}")
_PERIODIC = 3
_FEWEST_PERIODIC = 4  # pieces


def count_tokens(text: str) -> int:
    r"""An upper estimate of the tokens of `text`: its lines, and one for each line break.

    Only the sum is rounded up, so `count_tokens(a + "\n" + b)` is at most
    `count_tokens(a) + 1 + count_tokens(b)` for any texts a and b: a budget can be kept line by line. A line that
    Unicode's NFKC form would change is priced in both forms, since Anthropic's tokenizer applies it first.
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
        count = max(count, -(-len(body) // 2))  # real ones pair equal characters before they see a longer run
    seams = count - 1 if body.isalpha() else count // 3
    price = _TOKEN * count + _SEAM * seams
    if count >= _FEWEST_PERIODIC:
        price = max(price, _PERIODIC * sum(map(_periodic_length, _PERIOD.finditer(body))))
    return min(price, _TOKEN * len(piece))


def _periodic_length(match: re.Match[str]) -> int:
    return len(match.group()) if len(set(match.group(1))) > 1 else 0


def _known_pieces(piece: str) -> int:
    """Cuts off the longest known start again and again; a lone character is one token."""
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
    """cl100k takes three digits at a time and the space alone; Anthropic's two or three and may join the space."""
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
    """One for a character that both know, else its bytes in UTF-8."""
    code = ord(char)
    if code < 0x80 or char in _vocabulary().characters:
        return 1
    return 2 if code < 0x800 else 3 if code < 0x10000 else 4


@dataclass(frozen=True, slots=True)
class _Vocabulary:
    """What both real tokenizers know as one token."""

    pieces: frozenset[str]  # words and runs of signs, with the space before them where that is one token too
    longest: dict[str, int]  # the first two characters of a piece: length of the longest piece with this start
    characters: frozenset[str]  # beyond ASCII


@cache
def _vocabulary() -> _Vocabulary:
    text = resources.files("repomem.core").joinpath("word_pieces.txt").read_text("utf-8")
    words, signs, characters = text.rstrip("\n").split("\n\n")
    pieces = frozenset((*_word_forms(words.split("\n")), *signs.split("\n")))
    longest: dict[str, int] = {}
    for piece in pieces:
        start = piece[:2]
        longest[start] = max(longest.get(start, 1), len(piece))
    return _Vocabulary(pieces, longest, frozenset(characters))


def _word_forms(words: list[str]) -> Iterator[str]:
    """`_word` is one token only after a space, `word_` only without one, `word` both ways; so is every letter."""
    for word in (*string.ascii_letters, *words):
        if not word.startswith("_"):
            yield word.rstrip("_")
        if not word.endswith("_"):
            yield " " + word.lstrip("_")
