"""Selects the lines of the best files that a question is about.

    lines with a word of the question -> windows -> their share of the question, their definition, their file
    -> the functions that it names, whole, then the best windows that do not overlap

A window is scored by the distinct words of its lines together: one line has the name, the next the literal. Weights
were found on commits of eight repositories (docs/evaluation.md).
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import fsum  # exact in any order: the order of a set differs between processes
from typing import NamedTuple

from repomem.core.text.lazy_pattern import lazy_pattern
from repomem.core.types.code import FUNCTIONS
from repomem.ranking.definitions import WantedWords
from repomem.ranking.matching_lines import MatchingLine, SearchedFile, continues, is_unfinished

WINDOW = 7  # lines
MOST_OF_FILE = 6  # windows
MOST_ASIDE = 1  # of a test or text
LITERALS = 0.5  # for all identifiers of the question, as spelled, in addition to their words
CODE_SPAN = 0.5  # for each piece of code of the question, word for word
DEFINITION = 0.25  # per point of the best definition that the window is in
LEAST_SHARE = 0.4  # of the best window's score: weaker ones cost more than they show
LEAST_ELSEWHERE = 0.4  # score in a file after the first: of 159 weaker windows, two were near a change
READ_DEFINITIONS = 6  # of a file; those that the question spells are searched line by line
AGAIN = 0.7  # factor per better window of the same definition: two functions are more useful than two parts of one
TINY = 4  # lines
TINY_TEXT = 200  # characters
FILES_OF_TINY = 2
FILES_OF_BODIES = 3  # first files; in a later file, a definition of the same name is another one
LONGEST_BODY = 80  # lines
MOST_WINDOWS = 400  # compared at most; for a long question, the best ones
MOST_MORE = 3  # lines at either end of a window, so that a statement is whole
MOST_OPEN = 10  # lines at its end, so that a call or list is
_BRACKETS = lazy_pattern(r"[()\[\]]")
GAP = 2  # lines between windows that are shown as one
GAP_WITHIN = 5  # in one function


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


def excerpts(
    wanted: WantedWords, files: Sequence[SearchedFile], matches: Mapping[str, Mapping[int, MatchingLine]]
) -> list[Excerpt]:
    """The excerpts of the files that match a question, best first; `matches` has the matching lines of each path.

    First the whole definitions that the question names, then windows, which may overlap those.
    """
    best = max((each.score for each in files), default=0.0) or 1.0
    every = [window for each in files for window in _windows(wanted, each, matches[each.path], best)]
    top = max((one.score for one in every), default=0.0)
    least = LEAST_SHARE * top
    windows = [_excerpt(one) for one in every if one.score >= least]
    windows.sort(key=lambda one: (-one.score, one.path, one.start_line))
    chosen = list(_spread(wanted, windows, {each.path: each for each in files}))
    first = files[0].path if files else ""
    kept = (one for one in chosen if one.score >= (least if one.path == first else max(least, LEAST_ELSEWHERE)))
    return [*_tiny(files, top), *_bodies(wanted, files, top), *kept]


def _tiny(files: Sequence[SearchedFile], top: float) -> Iterator[Excerpt]:
    """The first files that have only a few short lines, such as the version, as a whole: opening them costs more."""
    for file in files[:FILES_OF_TINY]:
        end = max(file.lines, default=0)
        if file.is_code and 0 < end <= TINY:
            lines = file.lines_at(range(1, end + 1))
            if sum(map(len, lines)) <= TINY_TEXT:
                yield Excerpt(file.path, 1, lines, top + file.score)


def _bodies(wanted: WantedWords, files: Sequence[SearchedFile], top: float) -> Iterator[Excerpt]:
    """The best definition of each of the first files, whole, if it is a short function that the question names.

    If it has a docstring, a second version comes without it, which may fit where the whole does not.
    """
    for file in files[:FILES_OF_BODIES]:
        site = file.definitions[0].site if file.definitions and file.is_code else None
        if site and site.kind in FUNCTIONS and wanted.spells(site.qualified):
            lines = file.lines_at(range(site.start_line, site.end_line + 1))
            if len(lines) <= LONGEST_BODY:
                whole = Excerpt(file.path, site.start_line, lines, top + file.score)
                yield whole
                if head := _docstring_end(lines):
                    yield whole._replace(start_line=site.start_line + head, lines=lines[head:])


def _docstring_end(lines: Sequence[str]) -> int:
    """How many lines a definition has up to the end of its docstring, as in Python; 0 without one."""
    starts = (at for at, line in enumerate(lines) if line.lstrip().startswith(('"""', "'''")))
    start = next(starts, 0)
    if not start or not lines[start - 1].rstrip().endswith(":"):  # a string within the body
        return 0
    quotes = lines[start].lstrip()[:3]
    ends = (at for at, line in enumerate(lines) if at >= start and line.rstrip().endswith(quotes))
    first = next((at for at in ends if at > start or lines[at].count(quotes) > 1), None)
    return first + 1 if first is not None and first + 1 < len(lines) else 0


def with_definition(one: Excerpt, file: SearchedFile, longest: int) -> Excerpt:
    """An excerpt widened to the definition around its middle, or below that comment, of at most `longest` lines."""
    middle = one.start_line + len(one.lines) // 2
    site = (file.smallest.get(middle) or file.documented_by(middle, middle)) if file.is_code else None
    if site is None or site.end_line - site.start_line >= longest:
        return one
    start, end = min(site.start_line, one.start_line), max(site.end_line, one.end_line)
    return one._replace(start_line=start, lines=file.lines_at(range(start, end + 1)))


def merged(chosen: Iterable[Excerpt], files: Iterable[SearchedFile]) -> list[Excerpt]:
    """Excerpts with those of a file that are close to each other as one, by path and line."""
    by_path = {each.path: each for each in files}
    found: list[Excerpt] = []
    for one in sorted(chosen, key=lambda each: (each.path, each.start_line)):
        last = found[-1] if found else None
        if last and last.path == one.path and _is_near(by_path[one.path], last, one):
            between = by_path[one.path].lines_at(range(last.end_line + 1, one.start_line))
            found[-1] = last._replace(lines=(*last.lines, *between, *one.lines), score=max(last.score, one.score))
        else:
            found.append(one)
    return found


def _is_near(file: SearchedFile, one: Excerpt, next_one: Excerpt) -> bool:
    """Whether the lines between two excerpts are so few that they are shown too."""
    gap = next_one.start_line - one.end_line - 1
    return gap <= GAP or (gap <= GAP_WITHIN and file.is_one_function(one.start_line, next_one.end_line))


class _Window(NamedTuple):
    """Some lines of a file around the line `start`, for which they were chosen."""

    file: SearchedFile
    lines: range
    start: int
    score: float


def _windows(
    wanted: WantedWords, file: SearchedFile, matches: Mapping[int, MatchingLine], best: float
) -> Iterator[_Window]:
    """A window around each line that has a word of the question, and all of the definitions that it spells."""
    factor = file.share_of(best)
    for start in sorted({*matches, *_spelled_starts(wanted, file)}):
        lines = _window_at(start, file, matches)
        score = _covered(wanted, [matches[at] for at in lines if at in matches])
        score += DEFINITION * max(file.of_definitions.get(at, 0.0) for at in lines)
        yield _Window(file, lines, start, factor * score)


def _excerpt(window: _Window) -> Excerpt:
    """The lines of a window from its first to its last informative line, with the whole of these two statements."""
    file, lines = window.file, window.lines
    telling = [at for at in lines if any(map(str.isalnum, file.lines.get(at, "")))] or [lines[0]]
    first, end = _statement_start(file, telling[0]), file.end_after(window.start)
    last = _closed_end(file, first, _statement_end(file, telling[-1], end), end)
    return Excerpt(file.path, first, file.lines_at(range(first, last + 1)), window.score)


def _statement_start(file: SearchedFile, first: int) -> int:
    """The line that the statement in line `first` begins in; just `first` if that is more than MOST_MORE lines away."""
    above = range(first, max(first - MOST_MORE, 1) - 1, -1)
    return next((at for at in above if not continues(file.lines.get(at, ""))), first)


def _statement_end(file: SearchedFile, last: int, end: int) -> int:
    """The last line of what begins in line `last`: a statement of several lines, or a comment with its code.

    Just `last` if that is more than MOST_MORE lines away, or after the line `end`.
    """
    following = range(last, min(last + MOST_MORE, end) + 1)
    return next((at for at in following if not is_unfinished(file.lines.get(at, ""))), last)


def _closed_end(file: SearchedFile, first: int, last: int, end: int) -> int:
    """The line that closes the parentheses and square brackets that the lines from `first` to `last` leave open.

    Just `last` if that is more than MOST_OPEN lines away, or after the line `end`.
    """
    depth = 0
    for at in range(first, min(last + MOST_OPEN, end) + 1):
        for sign in _BRACKETS.findall(file.lines.get(at, "")):
            depth = max(depth + (1 if sign in "([" else -1), 0)
        if at >= last and not depth:
            return at
    return last


def _window_at(start: int, file: SearchedFile, matches: Mapping[int, MatchingLine]) -> range:
    """The lines of a window from `start` on, moved up to centre its matching lines.

    It stays within the definition that `start` is in.
    """
    window = range(start, min(start + WINDOW, file.end_after(start) + 1))
    last = max((at for at in window if at in matches), default=window[-1])
    up = min((window[-1] - last) // 2, start - max(file.definition_at(start), 1))
    return range(start - up, window.stop - up)


def _covered(wanted: WantedWords, lines: Sequence[MatchingLine]) -> float:
    """The share of the question that lines cover together; a word counts once, where it weighs most."""
    stems: dict[str, float] = {}
    literals: dict[str, float] = {}
    for line in lines:
        stems |= {each: max(line.factor, stems.get(each, 0.0)) for each in line.stems}
        literals |= {each: max(line.factor, literals.get(each, 0.0)) for each in line.literals}
    spans = frozenset[str]().union(*(line.code_spans for line in lines))
    share = fsum(wanted.weights[each] * factor for each, factor in stems.items()) / wanted.total
    share += CODE_SPAN * len(spans)
    return share + LITERALS * fsum(literals.values()) / max(len(wanted.names), 1)


def _spelled_starts(wanted: WantedWords, file: SearchedFile) -> Iterator[int]:
    """The first lines of windows over the definitions that the question spells."""
    for each in file.definitions[:READ_DEFINITIONS]:
        if wanted.spells(each.site.qualified):
            yield from range(each.site.start_line, each.site.end_line + 1, WINDOW)


def _spread(wanted: WantedWords, windows: Sequence[Excerpt], files: Mapping[str, SearchedFile]) -> Iterator[Excerpt]:
    """The best windows that do not overlap, at most MOST_OF_FILE per file.

    Each lowers the scores of the other windows in its definition, unless the question spells the definition's name.
    """
    sites = [(path, each.site) for path, file in files.items() for each in file.definitions]
    spelled = {(path, site.start_line) for path, site in sites if wanted.spells(site.qualified)}
    left = [(one, one.path, files[one.path].definition_at(one.start_line)) for one in windows[:MOST_WINDOWS]]
    taken: Counter[tuple[str, int]] = Counter()
    of_file: Counter[str] = Counter()
    while left:
        scores = [one.score * AGAIN ** taken[path, start] for one, path, start in left]
        at = max(range(len(left)), key=scores.__getitem__)
        best, path, start = left[at]
        yield best._replace(score=scores[at])
        taken[path, start] += (path, start) not in spelled
        of_file[path] += 1
        is_full = of_file[path] == (MOST_OF_FILE if files[path].is_code else MOST_ASIDE)
        left = [each for each in left if each[1] != path or not (is_full or overlap(each[0], best))]


def overlap(one: Excerpt, other: Excerpt) -> bool:
    """Whether two excerpts have a line in common."""
    return one.path == other.path and one.start_line <= other.end_line and other.start_line <= one.end_line
