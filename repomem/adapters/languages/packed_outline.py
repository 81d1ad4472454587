"""A file's parsed outline, packed without text and words, so that other machines need not parse the file again.

An entry has the positions, symbols, definitions and uses of a file's chunks. The text of a chunk is cut from the
reader's own file, so no foreign text can enter. The writer of an entry is untrusted: every claim is checked against the
file, and one false claim refuses the whole entry. A new entry is checked the same way before it is used.
"""

import json
import zlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import accumulate
from typing import Any

from repomem.adapters.languages.chunks import LIMIT_BYTES
from repomem.adapters.languages.doc_comments import without_comments, without_markup
from repomem.adapters.languages.grammar import LANGUAGES
from repomem.core.text.lazy_pattern import lazy_pattern
from repomem.core.text.words import whole, words_of
from repomem.core.types.indexed import IndexedChunk, Symbol
from repomem.core.types.text import CleanText

ENTRY_FORMAT = 1  # raised when the same chunks give another entry
MOST_UNPACKED = 8 << 20  # bytes: the uses of a file of 1 MB take less
MOST_SITES = 32  # definitions that begin on a line; of a file that has more nothing is taken
MOST_CLAIM = 300  # characters of a signature or docstring; the contract of `Definition`
BLANK = " \t\n\r\v\f"
KINDS = frozenset({
    "text", "class", "interface", "struct", "enum", "trait", "module", "type", "function", "method", "constructor",
    "property", "field", "constant", "variable", "macro", "section", "key", "selector",
})  # fmt: skip
OUR_WORDS = frozenset({"self", "super", "default"})  # of uses and imports, whatever the language calls it

_WORD = lazy_pattern(r"\w+")
_SIGNS = lazy_pattern(r"\W+")
_USED = lazy_pattern(r"[cCnNtT][0-9]{1,7}(?:,[0-9]{1,7})*")


class EntryRefused(ValueError):  # noqa: N818  # reads as what happened
    """An entry contradicts the file."""


class OtherLanguage(EntryRefused):
    """An entry is for the same bytes with a file name of another language; it is not false."""


def entry_of(chunks: Sequence[IndexedChunk], text: CleanText, language: str) -> bytes:
    """The entry of a file with this redacted text; empty if none can represent it."""
    rows = [_row(chunk) for chunk in chunks]
    packed = json.dumps([language, rows], ensure_ascii=True, separators=(",", ":")).encode()
    entry = zlib.compress(packed)
    try:
        return entry if chunks and chunks_from(entry, text, language) == tuple(chunks) else b""
    except EntryRefused:  # a line split into several chunks, or a name that is not in the text
        return b""


def chunks_from(entry: bytes, text: CleanText, language: str) -> tuple[IndexedChunk, ...]:
    """The chunks of a file with that redacted text. Raises EntryRefused."""
    told_language, rows = _unpacked(entry)
    if told_language != language:
        raise OtherLanguage("another language")
    source = _Source.of(text, language)
    chunks = tuple(_chunk(ordinal, row, source) for ordinal, row in enumerate(rows))
    source.end()
    return chunks


def _row(chunk: IndexedChunk) -> tuple[object, ...]:
    made = _words_before(chunk.symbol, chunk.text)
    defined = chunk.words.removeprefix(made).removeprefix(" ")
    head = (chunk.start_line, chunk.end_line, chunk.symbol, chunk.kind, chunk.signature, chunk.docstring)
    return (*head, chunk.sites, defined, chunk.uses)


def _words_before(symbol: str, text: str) -> str:
    """The words of a chunk without those of the names that it defines."""
    return " ".join(filter(None, (words_of(symbol), words_of(text))))


def _unpacked(entry: bytes) -> tuple[str, list[Any]]:
    try:
        language, rows = json.loads(zlib.decompressobj().decompress(entry, MOST_UNPACKED))
    except (zlib.error, ValueError, TypeError, RecursionError) as error:
        raise EntryRefused("no entry") from error
    if not isinstance(language, str) or not isinstance(rows, list):
        raise EntryRefused("no entry")
    return language, rows


def _chunk(ordinal: int, row: object, source: "_Source") -> IndexedChunk:
    start, end, symbol, kind, signature, docstring, sites, defined, uses = _fields(row, "iisssslss")
    text = source.next_lines(start, end)
    _require(kind in KINDS)
    source.require_name(symbol)
    source.require_signature(signature, 1, len(source.lines))
    source.require_anywhere(docstring)
    _require(len(sites) <= MOST_SITES * (end - start + 1) and len(defined) <= 2 * MOST_CLAIM * (len(sites) + 1))
    source.require_defined(defined)
    source.require_used(uses)
    words = " ".join(filter(None, (_words_before(symbol, text), defined)))
    found = tuple(_site(each, end, source) for each in sites)
    return IndexedChunk(0, ordinal, start, end, symbol, kind, signature, docstring, found, text, words, uses)


def _site(row: object, last: int, source: "_Source") -> Symbol:
    qualified, kind, start, end, signature = _fields(row, "ssiis")
    _require(kind in KINDS and 1 <= start <= min(last, end) and end <= len(source.lines))
    source.require_name(qualified)
    source.require_signature(signature, start, end)
    return Symbol(qualified, kind, start, end, signature)


def _fields(row: object, types: str) -> list[Any]:
    """The fields of a row, one per type: i integer, s string, l list."""
    wanted = [{"i": int, "s": str, "l": list}[each] for each in types]
    _require(isinstance(row, list) and list(map(type, row)) == wanted)
    return row  # type: ignore[return-value]  # a list, as was just required


def _require(is_borne_out: bool) -> None:
    if not is_borne_out:
        raise EntryRefused("the file does not bear it out")


@dataclass
class _Source:
    """The reader's own file, which claims are compared with, as letters and digits in order."""

    text: str
    language: str
    lines: list[str]
    letters: str  # of all lines, joined
    starts: list[int]  # of each line in it, and its end
    words: frozenset[str]
    signs: frozenset[str]  # every character of the file, and the space
    done: int = 0  # lines that chunks have
    known: set[str] = field(default_factory=set)  # claims that the file confirms

    @cached_property
    def folded(self) -> str:
        """The letters as `whole` normalizes them."""
        return whole(self.letters)

    @cached_property
    def code(self) -> str:
        """The letters outside of comments."""
        return _SIGNS.sub("", without_comments(self.text, LANGUAGES[self.language]))

    @cached_property
    def said(self) -> str:
        """The letters outside of markup, as in docstrings and headings."""
        return _SIGNS.sub("", without_markup(self.text))

    @classmethod
    def of(cls, text: str, language: str) -> "_Source":
        lines = text.split("\n")
        by_line = [_WORD.findall(line) for line in lines]
        letters = ["".join(words) for words in by_line]
        starts = list(accumulate(map(len, letters), initial=0))
        words = OUR_WORDS.union(*by_line)
        return cls(text, language, lines, "".join(letters), starts, words, frozenset(text) | {" "})

    def next_lines(self, start: int, end: int) -> CleanText:
        """The text of the next chunk; only blank lines may precede it."""
        _require(self.done < start <= end <= len(self.lines))
        self._require_blank(start - 1)
        self.done = end
        text = "\n".join(self.lines[start - 1 : end])
        _require(len(text) <= LIMIT_BYTES)
        return CleanText(text)

    def end(self) -> None:
        """Require only blank lines after the last chunk."""
        self._require_blank(len(self.lines))

    def _require_blank(self, last: int) -> None:
        _require(not any(line.strip(BLANK) for line in self.lines[self.done : last]))

    def require_name(self, qualified: str) -> None:
        """Require each part of a qualified name in the file."""
        if qualified not in self.known:
            _require(len(qualified) <= MOST_CLAIM and qualified.isprintable())
            for part in qualified.split("."):
                self.require_anywhere(part)
            self.known.add(qualified)

    def require_anywhere(self, claim: str) -> None:
        """Require the text in the file, ignoring markup, punctuation and white space."""
        if claim not in self.known:
            letters = self._letters_of(claim)
            _require(letters in self.letters or letters in self.said)
            self.known.add(claim)

    def require_signature(self, claim: str, start: int, end: int) -> None:
        """Require the text in these lines, which may have additional comments."""
        if claim not in self.known:
            letters = self._letters_of(claim)
            is_there = self.letters.find(letters, self.starts[start - 1], self.starts[end]) >= 0
            _require(is_there or letters in self.code)
            self.known.add(claim)

    def _letters_of(self, claim: str) -> str:
        _require(len(claim) <= MOST_CLAIM and self.signs.issuperset(claim))
        return _SIGNS.sub("", claim)

    def require_defined(self, words: str) -> None:
        """Require the defined names in the file."""
        if not words:
            return
        _require(words.isprintable())
        _require(all(_SIGNS.sub("", word) in self.folded for word in words.split()))

    def require_used(self, uses: str) -> None:
        """Require the imported and used names in the file, on existing lines."""
        _require(not uses or uses.endswith("\n"))
        for line in uses.split("\n")[:-1]:
            head, *names = line.split("\t")
            _require(len(names) <= 3 and (head in {"i", "@"} or _USED.fullmatch(head) is not None))
            _require(all(map(str.isprintable, names)) and self.words.issuperset(_WORD.findall("\n".join(names))))
            if head not in {"i", "@"}:
                _require(max(map(int, head[1:].split(","))) <= len(self.lines))
