"""The meaningful lines of a patch, and which removed and added lines are the same line, altered.

A line is identified by a 32-bit hash that ignores white space, quotes, commas and semicolons, except in text literals
without a word. A removed line that is added again with most of its words is altered, neither removed nor added; so is
one that was split or joined.
"""

import codecs
import re
import zlib
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import accumulate, groupby
from typing import NamedTuple

from repomem.adapters.languages.definition_lines import defined_name, is_inside
from repomem.adapters.sqlite.changes import SymbolChange
from repomem.core.text.lazy_pattern import lazy_pattern
from repomem.core.types.commits import Hunk

SHORTEST = 8  # characters; `x = 1` and `end if` are everywhere
ALIKE = 0.75  # share of common words that makes two lines one altered line
TOUCHED = 0.4  # the same if one line replaced exactly one other
ENOUGH_PARTS = 4  # of a line that may have moved: `x = y` is similar to many
COMPARED = 4_000  # pairs of lines per file; more is a rewrite
REACH = 25  # lines up and down that are compared; a hunk of 400 lines would need 40,000 comparisons otherwise
LEAST_WORDS = 2  # of a run of words within another line

_IGNORED = b" \t\r\f\v'\"`,;\\"
_WORDLESS = lazy_pattern(r"(['\"`])[^\w'\"`]+\1")  # a literal, or what is between two
_LITERAL = lazy_pattern(r"(['\"`])((?:\\.?|(?!\1)[^\\])*)(\1|\Z)")  # one without an end is read once, to the line's end
_ESCAPED_QUOTE = lazy_pattern(r"\\['\"`]")  # other quotes around the literal need no escape
_MARKS = str.maketrans(" \t,;\\", "\1\2\3\4\5")
_WORD = lazy_pattern(r"\w+")
_PART = lazy_pattern(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+|[^\W\d_A-Za-z]+")  # of a name: a renamed one keeps some
_GUARD = lazy_pattern(
    r"\W*(?:else\s+)?(?P<keyword>if|elif|elsif|elseif|unless|while|when|case|match|except|catch|rescue|guard|assert)\b"
)
_BRACKETED = lazy_pattern(r"\w+\s*\(")  # a keyword with its condition in brackets
_COMMENT = lazy_pattern(  # not `#  define NAME`
    r"(?:#(?![ \t]*(?:define|undef|ifn?def)[ \t]+[a-z\d]*[A-Z_]\w*|[ \t]*endif\b)(?:[\s!#:=-]|$)|//|/\*|\*(?:[\s/*]|$)"
    r"|--(?:\s|$|\[)|<!--|;;|%%|\"\"\"|''')"
)
_IMPORT = lazy_pattern(
    r"(?:import|from\s+\S+\s+import|export\s.*\sfrom\s|(?:pub(?:\([^)]*\))?\s+)?use\s|using\s|#\s*include|require|"
    r"require_relative|package|alias\s|namespace\s|extern\s+crate|(?:const|let|var|local)\s.*[=\s]require\b)"
)
_LONG_IMPORT = lazy_pattern(  # the first of several lines
    r"(?:import\b[^;'\"({]*|from\s+\S+\s+import\s*|(?:pub(?:\([^)]*\))?\s+)?use\s+[\w:\\]*)"
    r"[({](?:[^)}]*,)?$"
)
_VERSION = lazy_pattern(r"\W*(?:\w+\W+)*?\w*(?:version|build)\w*\W+(?:[\d.x]|rc|dev|alpha|beta)+\W*", re.IGNORECASE)
_ENDS_OF_VERSION = frozenset("0123456789'\"`,;")
_KEYWORD_TEXT = """begin break case catch class continue const def default do else elif end except false False
    final finally fn for func function if in is let nil none None not null Nothing override Override pass private
    protected public pub raise return self Self static super switch then this throw true True try undefined unless until
    val var void when while with yield"""
_KEYWORDS = frozenset(_KEYWORD_TEXT.split())


def line_hash(line: str) -> int:
    """The hash that identifies a line."""
    return zlib.crc32(compact(line))


def compact(line: str) -> bytes:
    """The line without what formatters change: white space, quotes, commas, semicolons and a byte order mark.

    A text literal without a word, such as a separator, keeps its characters, since no formatter changes those.
    """
    marked = with_marked_separators(line)
    return marked.encode("utf-8", "surrogatepass").translate(None, _IGNORED).removeprefix(codecs.BOM_UTF8)


def with_marked_separators(line: str) -> str:
    """The line with marks instead of the spaces, commas, semicolons and backslashes of text literals without a word."""
    return _LITERAL.sub(_marked, line) if _WORDLESS.search(line) else line


def _marked(literal: re.Match[str]) -> str:
    quote, text, end = literal.groups()
    is_kept = not end or _WORD.search(text)
    return literal[0] if is_kept else f"{quote}{_ESCAPED_QUOTE.sub('', text).translate(_MARKS)}{quote}"


def has_names(line: str) -> bool:
    """Whether the line has a word that is neither a keyword nor a number: `}`, `else:` and `return 0;` have none."""
    return any(not is_keyword(word[0]) and not word[0].isdigit() for word in _WORD.finditer(line))


def is_meaningful(line: str) -> bool:
    """Whether finding the line again proves anything: not a comment, import or version, and more than keywords."""
    line = line.strip()
    if len(compact(line).decode("utf-8", "surrogatepass")) < SHORTEST or _COMMENT.match(line) or _IMPORT.match(line):
        return False
    return not is_version(line) and has_names(line)


def lines_within_imports(lines: Iterable[str]) -> Iterator[str]:
    """The stripped lines of a file that continue an import, up to the one that closes its bracket."""
    depth = 0
    for line in lines:
        is_next = _IMPORT.match(line) is not None  # closes the previous one, whose line may have been cut
        if depth and not is_next:
            yield line
        if is_next:
            depth = 1 if _LONG_IMPORT.match(line) else 0
        elif depth:
            depth = max(0, depth + sum(map(line.count, "({")) - sum(map(line.count, ")}")))


def is_version(line: str) -> bool:
    """Whether a stripped line only sets a version, which the next release sets again."""
    return line[-1:] in _ENDS_OF_VERSION and _VERSION.fullmatch(line) is not None


def is_comment(line: str) -> bool:
    """Whether the line alone looks like a comment."""
    return _COMMENT.match(line.strip()) is not None


def is_guard(line: str) -> bool:
    """Whether a line is a condition: changing or removing one changes what the code allows."""
    return _GUARD.match(line) is not None


def condition_of(guard: str) -> bytes:
    """A guard from its keyword to the end of its condition, as `compact` gives it: without a body on the same line."""
    found = _GUARD.match(guard)
    text = guard[found.start("keyword") if found else 0 :]
    bracket = _BRACKETED.match(text)
    if not bracket:
        return compact(text).rstrip(b"{:")
    depths = accumulate((char == "(") - (char == ")") for char in text[bracket.end() :])
    end = next((at for at, depth in enumerate(depths, start=bracket.end()) if depth < 0), len(text))
    return compact(text[: end + 1])


def is_keyword(word: str) -> bool:
    """Whether a word is a keyword of a common language."""
    return word in _KEYWORDS


@dataclass(slots=True)
class _SymbolLines:
    """The line hashes of one symbol."""

    added: list[int] = field(default_factory=list)
    removed: list[int] = field(default_factory=list)
    altered: list[tuple[int, int]] = field(default_factory=list)


_BySymbol = defaultdict[tuple[str, str], _SymbolLines]  # by path and symbol
_Placed = tuple[str, str]  # a line and its symbol
_Pairing = Callable[[Sequence[str], Sequence[str]], Sequence[tuple[str, str]]]


def changes_of(hunks: Iterable[Hunk]) -> list[SymbolChange]:
    """The changes in the hunks of one commit, by path and symbol."""
    found: _BySymbol = defaultdict(_SymbolLines)
    for path, group in groupby(hunks, key=lambda hunk: hunk.path):
        removed: list[_Placed] = []
        added: list[_Placed] = []
        for hunk in group:
            if _is_wrapped(hunk):
                continue
            above = (defined_name(path, hunk.heading) if is_inside(path, hunk.heading, hunk.lines) else None) or ""
            before = _in_symbols(path, hunk.removed_lines, above)
            after = _in_symbols(path, hunk.added, above)
            lost, gained = _without_pairs(found, path, before, after, altered)
            removed += lost
            added += gained
        removed, added = _without_pairs(found, path, removed, added, moved)
        for line, symbol in removed:
            found[path, symbol].removed.append(line_hash(line))
        for line, symbol in added:
            found[path, symbol].added.append(line_hash(line))
    return [
        SymbolChange("", path, symbol, tuple(kept.added), tuple(kept.removed), tuple(kept.altered))
        for (path, symbol), kept in found.items()
    ]


def _is_wrapped(hunk: Hunk) -> bool:
    """Whether a hunk only breaks, joins or shifts lines: it wrote none of them."""
    before, after = ([*map(compact, lines)] for lines in (hunk.removed_lines, hunk.added))
    return bool(before) and before != after and b"".join(before) == b"".join(after)


def _without_pairs(
    found: _BySymbol, path: str, removed: Sequence[_Placed], added: Sequence[_Placed], paired: _Pairing
) -> tuple[list[_Placed], list[_Placed]]:
    """The removed and the added lines without a pair; the pairs are recorded as altered."""
    symbols = dict(removed)
    pairs = paired([line for line, _ in removed], [line for line, _ in added])
    for before, after in pairs:
        found[path, symbols[before]].altered.append((line_hash(before), line_hash(after)))
    lost, gained = {before for before, _ in pairs}, {after for _, after in pairs}
    return [one for one in removed if one[0] not in lost], [one for one in added if one[0] not in gained]


def _in_symbols(path: str, lines: Sequence[str], above: str) -> list[_Placed]:
    """The meaningful lines, each with its definition as far as the hunk shows it."""
    found, symbol = [], above
    for line in lines:
        symbol = defined_name(path, line) or symbol
        if is_meaningful(line):
            found.append((line, symbol))
    return found


class _SplitLine(NamedTuple):
    """A line split once for many comparisons."""

    line: str
    parts: list[str]
    distinct: frozenset[str]
    joined: str
    hash: int


def _words(line: str) -> _SplitLine:
    text = " ".join(_PART.findall(line)).lower()
    parts = text.split()
    return _SplitLine(line, parts, frozenset(parts), f" {text} ", line_hash(line))


def altered(removed: Sequence[str], added: Sequence[str]) -> list[tuple[str, str]]:
    """Each removed line of a hunk with the added lines that it became."""
    if not removed or not added:
        return []
    after = list(map(_words, added))
    pairs = []
    for at, words in enumerate(map(_words, removed)):
        middle = at * len(added) // len(removed)
        near = after[max(middle - REACH, 0) : middle + REACH]
        alike = [other for other in near if other.hash == words.hash]
        alike = alike or [other for other in near if _is_run_in(words, other) or _shares(words, other, ALIKE)]
        if not alike and len(removed) == len(added) and not is_guard(words.line) and _shares(words, after[at], TOUCHED):
            alike = [after[at]]  # the same statement; conditions never are: changing one is a fix
        pairs += [(words.line, other.line) for other in alike]
    return pairs


def moved(removed: Sequence[str], added: Sequence[str]) -> list[tuple[str, str]]:
    """Each removed line with the lines elsewhere in the file that share most of its words: moved and altered."""
    if len(removed) * len(added) > COMPARED:
        return []
    after = list(map(_words, added))
    return [
        (words.line, other.line)
        for words in map(_words, removed)
        if len(words.parts) >= ENOUGH_PARTS
        for other in after
        if words.hash != other.hash and _shares(words, other, ALIKE)
    ]


def _shares(words: _SplitLine, other: _SplitLine, share: float) -> bool:
    """Whether two lines have at least that share of their words in common."""
    parts, others = len(words.parts), len(other.parts)
    wanted = share * (parts + others) / 2
    if not 0 < wanted <= min(parts, others):  # most pairs end here or at the next line
        return False
    common = len(words.distinct & other.distinct)
    repeated, repeated_there = parts - len(words.distinct), others - len(other.distinct)
    if common < wanted - repeated or not (repeated and repeated_there):
        return common >= wanted
    return (Counter(words.parts) & Counter(other.parts)).total() >= wanted


def _is_run_in(words: _SplitLine, other: _SplitLine) -> bool:
    """Whether the words of one line are a run in the other: the line was split or joined."""
    fewer, more = (words, other) if len(words.parts) <= len(other.parts) else (other, words)
    return len(fewer.parts) >= LEAST_WORDS and fewer.joined in more.joined
