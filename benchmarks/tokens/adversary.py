"""Texts made to break the estimate: what tokenizers were not trained on, and what joins in unexpected ways."""

import base64
import random
import string
from collections.abc import Callable
from itertools import pairwise

LINES = 400  # of each kind
Draw = Callable[[random.Random], str]

SIGNS = string.punctuation
MARKS = "".join(map(chr, range(0x300, 0x340)))
EXPANDING = "".join(map(chr, [*range(0xFB00, 0xFB07), 0xFDFA, 0x337F, 0x3300, 0xBC, 0x1D400, 0x2460, 0x33A5, 0xF77]))
WORDS = [
    "the",
    "of",
    "request",
    "parser",
    "Value",
    "error",
    "index",
    "config_file",
    "getName",
    "HTTPServer",
    "fn",
    "impl",
    "default",
    "null",
    "x",
    "i",
]
SCRIPTS = {
    "chinese": (0x4E00, 0x9FFF),
    "kana": (0x3041, 0x30FF),
    "hangul": (0xAC00, 0xD7A3),
    "cyrillic": (0x400, 0x4FF),
    "greek": (0x370, 0x3FF),
    "arabic": (0x600, 0x6FF),
    "devanagari": (0x900, 0x97F),
    "thai": (0xE01, 0xE5B),
    "latin beyond ASCII": (0xA1, 0x24F),
    "symbols": (0x2000, 0x2BFF),
    "emoji": (0x1F300, 0x1FAFF),
    "any plane": (0x10000, 0x2FFFF),
    "low controls": (0x1, 0x9),
    "high controls": (0x7F, 0x9F),
    "any of the first plane": (0xA0, 0xD7FF),
    "full width": (0xFF01, 0xFFEF),
    "compatibility": (0xF900, 0xFDFF),
}


def from_alphabet(alphabet: str, size: int) -> Draw:
    return lambda rng: "".join(rng.choices(alphabet, k=size))


def from_range(low: int, high: int) -> Draw:
    return lambda rng: "".join(chr(rng.randint(low, high)) for _ in range(60))


def encoded(rng: random.Random) -> str:
    return base64.b64encode(rng.randbytes(60)).decode()


def spaced(draw: Draw) -> Draw:
    """The same letters, cut by single spaces at random places."""

    def drawn(rng: random.Random) -> str:
        text = draw(rng)
        cuts = sorted(rng.sample(range(len(text) + 1), min(len(text), 12)))
        return " ".join(text[a:b] for a, b in pairwise([0, *cuts, len(text)]))

    return drawn


def accented(rng: random.Random) -> str:
    return "".join(c + rng.choice(MARKS) for c in rng.choices(string.ascii_letters, k=40))


def minified(rng: random.Random) -> str:
    parts = [rng.choice(string.ascii_letters) + rng.choice("=(){},;.[]!?:&|+-") for _ in range(50)]
    return "".join(parts)


def glued(rng: random.Random) -> str:
    return "".join(rng.choice([w, w.capitalize(), w.upper()]) for w in rng.choices(WORDS, k=15))


def glued_by_signs(rng: random.Random) -> str:
    return "".join(w + rng.choice(SIGNS) for w in rng.choices(WORDS, k=15))


def repeated(rng: random.Random) -> str:
    return "".join(rng.choices(string.printable[:94], k=rng.randint(1, 3))) * 20


def periodic(alphabet: str) -> Draw:
    """Three lines' worth of one period of two to eight characters."""
    return lambda rng: "".join(rng.choices(alphabet, k=rng.randint(2, 8))) * 25


def indented(rng: random.Random) -> str:
    return (
        "".join(rng.choice([" ", "  ", "\t", "\r", "\x0b", "    "]) for _ in range(20)) + "x" + " " * rng.randint(0, 90)
    )


def numbers(rng: random.Random) -> str:
    return rng.choice(["", " ", "-", ", "]).join(str(rng.randrange(10 ** rng.randint(1, 9))) for _ in range(15))


KINDS: dict[str, Draw] = {
    "lower-case letters": from_alphabet(string.ascii_lowercase, 60),
    "upper-case letters": from_alphabet(string.ascii_uppercase, 60),
    "letters": from_alphabet(string.ascii_letters, 60),
    "letters and digits": from_alphabet(string.ascii_letters + string.digits, 60),
    "printable": from_alphabet(string.printable[:95], 60),
    "signs": from_alphabet(SIGNS, 60),
    "brackets and quotes": from_alphabet("()[]{}'\"`<>,;:=", 60),
    "hex": from_alphabet("0123456789abcdef", 40),
    "upper hex": from_alphabet("0123456789ABCDEF", 40),
    "base64": encoded,
    "digits": from_alphabet(string.digits, 60),
    "vowels": from_alphabet("aeiou ", 60),
    "expanding by NFKC": from_alphabet(EXPANDING + "abc ", 40),
    "combining marks": accented,
    "minified": minified,
    "glued words": glued,
    "words glued by signs": glued_by_signs,
    "repeated": repeated,
    "periodic letters": periodic(string.ascii_lowercase),
    "periodic capitals": periodic(string.ascii_uppercase),
    "periodic signs": periodic(SIGNS),
    "periodic letters and digits": periodic(string.ascii_letters + string.digits),
    "white space": indented,
    "numbers": numbers,
    **{name: from_range(low, high) for name, (low, high) in SCRIPTS.items()},
}


def adversarial_lines(rng: random.Random) -> dict[str, list[str]]:
    """Lines of every kind, bare and cut by spaces."""
    kinds = KINDS | {f"{name}, spaced": spaced(draw) for name, draw in KINDS.items()}
    return {name: [draw(rng) for _ in range(LINES)] for name, draw in kinds.items()}
