"""Selects the lines of the best files that a question is about.

    lines with a word of the question -> windows -> their share of the question, their definition, their file
    -> the best windows that do not overlap

A window is judged by the different words that its lines have together, as a reader would: one line has the name, the
next the literal. Weights were found on commits of eight repositories (docs/evaluation.md).
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from repomem.core.types.indexed import IndexedChunk, Symbol
from repomem.core.words import stems_of, whole
from repomem.ranking.definitions import ScoredDefinition, WantedWords

WINDOW = 7  # lines
MOST_OF_FILE = 6  # windows
LITERALS = 0.5  # for all identifiers of the question, as it spells them, beside their words
DEFINITION = 0.25  # per point of the best definition that the window is in
FILE = 0.5  # exponent of the file's score as a share of the best one's
COMMENT, IMPORT, TEST = 0.3, 0.2, 0.3  # factors: tasks are about code, and seldom about what is imported or tested
LONGEST_LINE = 400  # characters that are read; the rest of a minified line says no more
LEAST_SHARE = 0.5  # of the best window's score: weaker ones cost more than they tell
READ_DEFINITIONS = 6  # of a file; those among them that the question spells are read from line to line
AGAIN = 0.8  # factor for each better window of the same definition: two functions say more than two parts of one
MOST_WINDOWS = 400  # that are compared; the best of a long question's
GAP = 2  # lines between windows that are shown as one
SHORTEST_START = 2  # characters of a stem that a line must contain to be read
_COMMENT = re.compile(r"\s*(?://|/?\*|#|--|;;|%%|<!--)")
_IMPORT = re.compile(r"\s*(?:import |from .* import|use |require|#\s*include|package |using |extern )")
_TESTS = re.compile(r"(?:^|\.)(?:tests?|specs?)(?:\.|$)")


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

    def end_after(self, line: int) -> int:
        """The last line of the smallest definition that a line is in, or of the file."""
        inner = self._smallest_at(line)
        return inner.end_line if inner else max(self.lines, default=line)

    def definition_at(self, line: int) -> int:
        """Where the smallest definition begins that a line is in; 0 outside of all."""
        inner = self._smallest_at(line)
        return inner.start_line if inner else 0

    def _smallest_at(self, line: int) -> Symbol | None:
        sites = [each.site for each in self.definitions if each.site.start_line <= line <= each.site.end_line]
        return min(sites, key=lambda site: site.end_line - site.start_line, default=None)

    @cached_property
    def of_definitions(self) -> Mapping[int, float]:
        """The score of the best definition that each line is in."""
        best: dict[int, float] = {}
        for each in self.definitions:
            factor = TEST if _TESTS.search(each.site.qualified) else 1.0
            for at in range(each.site.start_line, each.site.end_line + 1):
                best[at] = max(best.get(at, 0.0), factor * each.score)
        return best


class Excerpt(NamedTuple):
    """Some lines of a file, from `start_line` on."""

    path: str
    start_line: int
    lines: tuple[str, ...]
    score: float

    @property
    def end_line(self) -> int:
        """The number of the last line."""
        return self.start_line + len(self.lines) - 1


class _Line(NamedTuple):
    """What a line has of the question."""

    stems: frozenset[str]
    literals: frozenset[str]
    factor: float


def excerpts(wanted: WantedWords, files: Sequence[SearchedFile], *, of_comments: bool = False) -> list[Excerpt]:
    """The windows of the files that match a question, best first; `of_comments`: it is about comments or docs."""
    best = max((each.score for each in files), default=0.0) or 1.0
    windows = [window for each in files for window in _windows(wanted, each, best, of_comments=of_comments)]
    windows.sort(key=lambda one: (-one.score, one.path, one.start_line))
    least = LEAST_SHARE * windows[0].score if windows else 0.0
    chosen = list(_spread([one for one in windows if one.score >= least], {each.path: each for each in files}))
    return [one for one in chosen if one.score >= least]


def merged(chosen: Iterable[Excerpt], files: Iterable[SearchedFile]) -> list[Excerpt]:
    """Excerpts with those of a file that are close to each other as one, by path and line."""
    lines = {each.path: each.lines for each in files}
    found: list[Excerpt] = []
    for one in sorted(chosen, key=lambda each: (each.path, each.start_line)):
        last = found[-1] if found else None
        if last and last.path == one.path and one.start_line - last.end_line <= GAP + 1:
            between = [lines[one.path].get(at, "") for at in range(last.end_line + 1, one.start_line)]
            found[-1] = last._replace(lines=(*last.lines, *between, *one.lines), score=max(last.score, one.score))
        else:
            found.append(one)
    return found


def _windows(wanted: WantedWords, file: SearchedFile, best: float, *, of_comments: bool) -> Iterator[Excerpt]:
    """A window from each line that has a word of the question, and all of the definitions that it spells."""
    marks = _marks(wanted, file, of_comments=of_comments)
    factor = (file.score / best) ** FILE * (1.0 if file.is_code else TEST)
    for start in sorted({*marks, *_spelled_starts(wanted, file)}):
        window = range(start, min(start + WINDOW, file.end_after(start) + 1))
        score = _covered(wanted, [marks[at] for at in window if at in marks])
        score += DEFINITION * max(file.of_definitions.get(at, 0.0) for at in window)
        lines = [file.lines[at] for at in window if at in file.lines]
        while len(lines) > 1 and not any(char.isalnum() for char in lines[-1]):
            lines.pop()
        yield Excerpt(file.path, start, tuple(lines), factor * score)


def _covered(wanted: WantedWords, lines: Sequence[_Line]) -> float:
    """The share of the question that lines cover together; a word counts once, where it weighs most."""
    stems: dict[str, float] = {}
    literals: dict[str, float] = {}
    for line in lines:
        stems |= {each: max(line.factor, stems.get(each, 0.0)) for each in line.stems}
        literals |= {each: max(line.factor, literals.get(each, 0.0)) for each in line.literals}
    share = sum(wanted.weights[each] * factor for each, factor in stems.items()) / wanted.total
    return share + LITERALS * sum(literals.values()) / max(len(wanted.names), 1)


def _marks(wanted: WantedWords, file: SearchedFile, *, of_comments: bool) -> dict[int, _Line]:
    """What each line has of the question; lines without any are left out."""
    begins = _beginnings(wanted)
    if begins is None:
        return {}
    marks: dict[int, _Line] = {}
    is_docstring = False
    for at in sorted(file.lines):
        line = file.lines[at][:LONGEST_LINE]
        quotes = line.count('"""') + line.count("'''")
        if begins.search(line):
            is_comment = is_docstring or quotes > 0 or _COMMENT.match(line) is not None
            factor = 1.0 if is_comment == of_comments else COMMENT
            factor *= IMPORT if _IMPORT.match(line) else 1.0
            stems = frozenset(stems_of(line)).intersection(wanted.weights)
            names = {whole(word) for word in re.findall(r"\w+", line)} if wanted.names else frozenset()
            if stems:
                marks[at] = _Line(stems, wanted.names.intersection(names), factor)
        is_docstring ^= quotes % 2 == 1
    return marks


def _beginnings(wanted: WantedWords) -> re.Pattern[str] | None:
    """A pattern for lines that may have a word of the question: splitting every line into words takes ten times it."""
    starts = {stem.removesuffix("i") for stem in wanted.weights}
    starts = {each for each in starts if len(each) >= SHORTEST_START} or starts
    return re.compile("|".join(map(re.escape, sorted(starts))), re.IGNORECASE) if starts else None


def _spelled_starts(wanted: WantedWords, file: SearchedFile) -> Iterator[int]:
    """The first lines of windows over the definitions that the question spells."""
    for each in file.definitions[:READ_DEFINITIONS]:
        if wanted.spells(each.site.qualified):
            yield from range(each.site.start_line, each.site.end_line + 1, WINDOW)


def _spread(windows: Sequence[Excerpt], files: Mapping[str, SearchedFile]) -> Iterator[Excerpt]:
    """The best windows that do not overlap, at most MOST_OF_FILE of a file; each makes its definition's others less."""
    left = [(one, one.path, files[one.path].definition_at(one.start_line)) for one in windows[:MOST_WINDOWS]]
    taken: Counter[tuple[str, int]] = Counter()
    of_file: Counter[str] = Counter()
    while left:
        scores = [one.score * AGAIN ** taken[path, start] for one, path, start in left]
        at = max(range(len(left)), key=scores.__getitem__)
        best, path, start = left[at]
        yield best._replace(score=scores[at])
        taken[path, start] += 1
        of_file[path] += 1
        is_full = of_file[path] == MOST_OF_FILE
        left = [each for each in left if each[1] != path or not (is_full or _overlap(each[0], best))]


def _overlap(one: Excerpt, other: Excerpt) -> bool:
    return one.start_line <= other.end_line and other.start_line <= one.end_line
