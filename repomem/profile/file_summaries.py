"""A file's own summary: the first sentence of its docstring or leading comment. Pure."""

import re
from collections.abc import Iterable, Iterator

from repomem.core.escape import one_line
from repomem.profile.binding_sentences import SENTENCE_END

READ = 6_000  # characters: a licence may come first
LONGEST = 120  # characters of a summary
FEWEST_WORDS = 3  # fewer are a title

_DOCSTRINGS = {
    "python": re.compile(r"(?:\s|#[^\n]*\n)*[rRuU]?(\"{3}|'{3})(?P<text>.*?)\1", re.DOTALL),
    "elixir": re.compile(r"\A.{0,2000}?@moduledoc\s+(?:~[sS])?\"{3}\n(?P<text>.*?)\"{3}", re.DOTALL),
    "rust": re.compile(r"(?:\s|//(?!!)[^\n]*\n)*(?P<text>(?://![^\n]*\n)+)"),
    "go": re.compile(r"\A.*?(?P<text>(?:^//[^\n]*\n)+)package\s", re.DOTALL | re.MULTILINE),
}
_TEXTS = frozenset(["python", "elixir"])  # their documentation is a string, in which `*` begins an item
_HASH = re.compile(r"(?:\s*#[^\n]*\n)+")
_DASHES = re.compile(r"(?:\s*--[^\n]*\n)+")
_SLASHES = re.compile(r"(?:\s*(?:/\*.*?\*/|//[^\n]*\n))+", re.DOTALL)
_COMMENTS = {  # languages that keep the description in the comment before the code
    **dict.fromkeys(["bash", "perl", "ruby", "julia"], _HASH),
    **dict.fromkeys(["lua", "haskell", "sql"], _DASHES),
    **dict.fromkeys(["c", "cpp", "javascript", "typescript", "tsx", "zig", "objc"], _SLASHES),
}
_MARK = re.compile(r"\s*(?:#+|--+\[*|//+!?|/\*+!?|\*+/?)?(?:\s*\*+/)?[ \t]?")
_ITEM = re.compile(r"\s*(?:[-+*•]|\d+[.)])\s")  # of a list in a text without comment marks
_CREDIT = re.compile(
    r"(?i)(?:(?:original|type|initial) )?(?:definitions|written|created|maintained|developed|contributed) by\b"
    r"|(?:authors?|credits|contributors|maintainers?)\s*:"
)
_NOT_ABOUT = re.compile(
    r"(?i)copyright|licen[sc]e|spdx|all rights reserved|\bwarranty\b|redistribut|permission is"
    r"|frozen_string_literal|coding[:=]|^!/|eslint|prettier"
    r"|@ts-|shellcheck|vim?:|-\*-|^[#@\\:.<{\[(]|^https?:|pragma|\bgo:build\b|\+build\b|\bgenerated\b|\btodo\b"
    r"|^(?:disable|suppress|silence|ignore|turn off)\b.*\bwarnings?\b"
    r"|^[\w ]{3,30}::\s|^(?:more information|language:)|[{}]|;$|[=_~*-]{4}"
)


def summary_of(language: str, text: str) -> str:
    """The first sentence that describes the file, on one line; empty if it has none."""
    leading = _leading(language, text[:READ]).splitlines()
    lines = (line.strip() if language in _TEXTS and _ITEM.match(line) else _unmarked(line) for line in leading)
    for paragraph in _paragraphs(lines):
        if summary := first_sentence(paragraph):
            return summary
    return ""


def first_sentence(paragraph: str) -> str:
    """The first sentence of a paragraph that describes something, at most LONGEST characters; else empty."""
    if len(paragraph.split()) < FEWEST_WORDS or _NOT_ABOUT.search(paragraph):
        return ""
    end = SENTENCE_END.search(paragraph)
    return one_line(paragraph[: end.end()].strip() if end else paragraph, LONGEST).removesuffix(":")


def _leading(language: str, text: str) -> str:
    """The documentation before the code, with its comment marks."""
    if pattern := _DOCSTRINGS.get(language):
        found = pattern.match(text)
        return found["text"] if found else ""
    comment = _COMMENTS.get(language)
    found = comment.match(text) if comment else None
    return found[0] if found else ""


def _unmarked(line: str) -> str:
    return _MARK.sub("", line, count=1).removesuffix("*/").strip()


def _paragraphs(lines: Iterable[str]) -> Iterator[str]:
    """The paragraphs, each on one line, without lists and credits."""
    block: list[str] = []
    is_item = False
    for line in [*lines, ""]:
        is_item = bool(line) and (is_item or bool(_ITEM.match(line)))
        if line and not is_item and not _CREDIT.match(line):
            block.append(line)
        elif block:
            yield " ".join(block)
            block = []
