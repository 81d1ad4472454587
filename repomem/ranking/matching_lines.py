"""Scores each line of the best files for a question, and finds the best single lines.

A rare word of the task is often outside the most relevant functions, in a call, a constant or a comment, where an
agent's first search would find it.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import takewhile
from math import fsum  # exact in any order: the order of a set differs between processes
from typing import NamedTuple

from repomem.core.text.lazy_pattern import lazy_pattern
from repomem.core.text.words import stems_of, whole
from repomem.core.types.code import FUNCTIONS, TYPES
from repomem.core.types.indexed import IndexedChunk, Symbol
from repomem.ranking.definitions import TEST, ScoredDefinition, WantedWords, outer_definitions

LONGEST_LINE = 400  # characters read of a line; the rest of a minified line adds nothing
LONGEST_COMMENT = 50  # lines of a definition's comment that are named with it
SHORTEST_LINE = 6  # characters; a shorter one says nothing alone
FILE = 0.5  # exponent of the file's score as a share of the best one's
COMMENT = 0.3  # factor: tasks are about code, seldom about comments
MOST_ALIKE = 2  # lines of a file that match by the same words: more of them tell no more
MOST_COPIES = 8  # of a line in a file: each costs only a number, and an incomplete list would look complete
LEAST_LINE = 0.45  # of the best line's score: weaker ones cost more than they show
LEAST_STEMS = 2  # of the question in a line: lines with one are seldom near a change
LEAST_STEMS_ASIDE = 3  # in a comment or docstring
SHORTEST_START = 2  # characters of a stem that a line must contain to be read
_COMMENT = lazy_pattern(  # not preprocessor directives
    r"\s*(?://|/?\*|#(?!(?:if|ifdef|ifndef|elif|else|endif|define|undef|include|pragma)\b)|--|;;|%%|<!--)"
)
_OPERATOR = lazy_pattern(r"\s*(?:&&|\|\||[)\]]|\?(?!\?)|[.:+](?!\w+\s*[:=])|[=!<>]=|<<|>>|(?:and|or)\b)")
_OPEN_ENDS = ("{", "(", "[", ":", "=", "\\")


def is_unfinished(line: str) -> bool:
    """Whether a line says little without the next: it is empty, a comment, or ends with an opening bracket, : or =."""
    return not line.strip() or _COMMENT.match(line) is not None or line.rstrip().endswith(_OPEN_ENDS)


def continues(line: str) -> bool:
    """Whether a line continues the statement of the line above: it begins with an operator or a closing bracket."""
    return _OPERATOR.match(line) is not None


@dataclass(frozen=True)
class SearchedFile:
    """A file whose lines may be shown."""

    path: str
    score: float  # of the file, comparable within one question
    chunks: Sequence[IndexedChunk]
    definitions: Sequence[ScoredDefinition]
    is_code: bool  # neither test nor text

    @cached_property
    def lines(self) -> Mapping[int, str]:
        """The lines of the chunks by their number."""
        return {
            at: line for each in self.chunks for at, line in enumerate(each.text.split("\n"), start=each.start_line)
        }

    def lines_at(self, numbers: range) -> tuple[str, ...]:
        """The lines with these numbers; no chunk has the empty ones between two."""
        return tuple(self.lines.get(at, "") for at in numbers)

    def end_after(self, line: int) -> int:
        """The last line of the smallest definition that a line is in, or of the file."""
        inner = self.smallest.get(line)
        return inner.end_line if inner else max(self.lines, default=line)

    def definition_at(self, line: int) -> int:
        """The first line of the smallest definition around a line; 0 outside of all."""
        inner = self.smallest.get(line)
        return inner.start_line if inner else 0

    @cached_property
    def smallest(self) -> Mapping[int, Symbol]:
        """The smallest scored definition around each line; of equally small ones the better."""
        found: dict[int, Symbol] = {}
        sites = [each.site for each in reversed(self.definitions)]
        for site in sorted(sites, key=lambda site: site.start_line - site.end_line):  # stable: the best comes last
            found |= dict.fromkeys(range(site.start_line, site.end_line + 1), site)
        return found

    def share_of(self, best: float) -> float:
        """The weight of a line by its file's score and its kind."""
        share: float = (self.score / best) ** FILE
        return share * (1.0 if self.is_code else TEST)

    def owner_of(self, first_line: int, last_line: int) -> Symbol | None:
        """The smallest definition that contains lines, which may reach one line beyond it; None for a whole field.

        Lines that are not all in one function belong to the function with most of them (its leading comment included),
        unless several functions begin in them.
        """
        sites = [site for chunk in self.chunks for site in outer_definitions(chunk.sites)]
        functions = [site for site in sites if site.kind in FUNCTIONS]
        if sum(first_line <= site.start_line <= last_line for site in functions) > 1:
            return None  # the lines show their names
        own = [self._own_lines(site, first_line, last_line) for site in functions]
        most = max(own, default=0)
        if 2 * most > last_line - first_line + 1:
            near = [site for site, lines in zip(functions, own, strict=True) if lines == most]
            return min(near, key=lambda site: site.end_line - site.start_line)
        holding = [site for site in sites if site.start_line <= first_line <= site.end_line >= last_line - 1]
        inner = min(holding, key=lambda site: site.end_line - site.start_line, default=None)
        is_whole = inner is not None and first_line == inner.start_line and inner.end_line <= last_line
        return None if inner and is_whole and inner.kind not in FUNCTIONS | TYPES else inner

    def documented_by(self, first_line: int, last_line: int) -> Symbol | None:
        """The function or type below a comment that contains the lines; None if the lines are not in a comment."""
        sites = (site for chunk in self.chunks for site in chunk.sites if site.kind in FUNCTIONS | TYPES)
        below = min(
            (site for site in sites if site.start_line > last_line), key=lambda site: site.start_line, default=None
        )
        above = range(first_line, below.start_line) if below else range(0)
        return below if all(_COMMENT.match(self.lines.get(at, "")) for at in above) else None

    def is_one_function(self, first_line: int, last_line: int) -> bool:
        """Whether lines are all in one function."""
        functions = (site for chunk in self.chunks for site in chunk.sites if site.kind in FUNCTIONS)
        return any(site.start_line <= first_line and last_line <= site.end_line for site in functions)

    def _own_lines(self, site: Symbol, first_line: int, last_line: int) -> int:
        """How many of the lines are in a function or, if they show its first line, in the comment above it."""
        start, end = max(site.start_line, first_line), min(site.end_line, last_line)
        if start > end:
            return 0
        if start == site.start_line:
            start = max(first_line, self._start_of_comment(start))
        return end - start + 1

    def with_comment(self, site: Symbol) -> Symbol:
        """A definition from the first line of the comment above it, which tasks change together with the code."""
        start = self._start_of_comment(site.start_line)
        return site._replace(start_line=start) if site.start_line - start <= LONGEST_COMMENT else site

    def _start_of_comment(self, line: int) -> int:
        """The first line of the comment that ends directly above a line, or the line itself."""
        above = range(line - 1, 0, -1)
        return line - sum(1 for _ in takewhile(lambda at: _COMMENT.match(self.lines.get(at, "")), above))

    @cached_property
    def of_definitions(self) -> Mapping[int, float]:
        """The score of the best definition that each line is in."""
        best: dict[int, float] = {}
        for each in self.definitions:
            for at in range(each.site.start_line, each.site.end_line + 1):
                best[at] = max(best.get(at, 0.0), each.score)
        return best


class MatchingLine(NamedTuple):
    """The matches of a line."""

    stems: frozenset[str]
    literals: frozenset[str]
    factor: float  # their score in a window
    code_spans: frozenset[str]

    def share_of(self, wanted: WantedWords) -> float:
        """The share of the question that the line has, from 0 to 1."""
        return self.factor * fsum(wanted.weights[stem] for stem in self.stems) / wanted.total


class FoundLine(NamedTuple):
    """A line to show alone."""

    path: str
    line: int
    text: str
    score: float


def matching_lines(wanted: WantedWords, file: SearchedFile, *, of_comments: bool) -> dict[int, MatchingLine]:
    """The parts of the question that each line of a file has, by line number, without lines that have none."""
    begins = _beginnings(wanted)
    if begins is None:
        return {}
    found: dict[int, MatchingLine] = {}
    is_docstring = False
    for at in sorted(file.lines):
        line = file.lines[at][:LONGEST_LINE]
        quotes = line.count('"""') + line.count("'''")
        if begins.search(line):
            is_comment = is_docstring or quotes > 0 or _COMMENT.match(line) is not None
            stems = frozenset(stems_of(line)).intersection(wanted.weights)
            names = {whole(word) for word in re.findall(r"\w+", line)} if wanted.names else frozenset()
            is_sought = is_comment == of_comments or not wanted.quoted.isdisjoint(names)
            factor = 1.0 if is_sought else COMMENT
            if stems:
                solid = "".join(line.split()) if wanted.code_spans else ""
                spans = frozenset(each for each in wanted.code_spans if each in solid)
                found[at] = MatchingLine(stems, wanted.names.intersection(names), factor, spans)
        is_docstring ^= quotes % 2 == 1
    return found


def best_lines(
    wanted: WantedWords,
    files: Sequence[SearchedFile],
    matches: Mapping[str, Mapping[int, MatchingLine]],
    shown: Collection[tuple[str, int]],
    excerpted: Collection[str],
) -> list[FoundLine]:
    """The lines with the largest share of the question, best first, without those that are `shown` already.

    `matches` has the matching lines of each path. A line needs LEAST_STEMS of the question, or all of a shorter one; a
    comment needs more, and then counts like code, since it alone shows the place. In a file that is not
    `excerpted` it needs an identifier of the question: of 120 others, none was near a change.
    """
    best = max((each.score for each in files), default=0.0) or 1.0
    found = [
        FoundLine(file.path, at, text, file.share_of(best) * fsum(wanted.weights[stem] for stem in match.stems))
        for file in files
        for at, match in matches[file.path].items()
        if len(text := file.lines[at].strip()) >= SHORTEST_LINE and _is_distinctive(wanted, match)
    ]
    top = max((one.score for one in found), default=0.0)
    telling = [
        one
        for one in found
        if one.score >= LEAST_LINE * top
        and (one.path, one.line) not in shown
        and (one.path in excerpted or matches[one.path][one.line].literals)
    ]
    alike: defaultdict[tuple[str, MatchingLine], Counter[str]] = defaultdict(Counter)  # by match: lines by text
    best_first: list[FoundLine] = []
    for one in sorted(telling, key=lambda one: (-one.score, one.path, one.line)):
        texts = alike[one.path, matches[one.path][one.line]]
        if one.text in texts or len(texts) < MOST_ALIKE:
            texts[one.text] += 1
            if texts[one.text] <= MOST_COPIES:
                best_first.append(one)
    return best_first


def _is_distinctive(wanted: WantedWords, match: MatchingLine) -> bool:
    """Whether a line has enough of the question to be shown alone."""
    if not wanted.quoted.isdisjoint(match.literals):
        return True
    least = LEAST_STEMS if match.factor == 1 else LEAST_STEMS_ASIDE
    return len(match.stems) >= min(least, len(wanted.weights))


def _beginnings(wanted: WantedWords) -> re.Pattern[str] | None:
    """A pattern for lines that may have a word of the question: splitting every line into words is ten times slower."""
    starts = {stem.removesuffix("i") for stem in wanted.weights}
    starts = {each for each in starts if len(each) >= SHORTEST_START} or starts
    return re.compile("|".join(map(re.escape, sorted(starts))), re.IGNORECASE) if starts else None
