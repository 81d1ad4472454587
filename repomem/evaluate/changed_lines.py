"""How much a text shows of the lines that a commit changed: their place, text, authors and companion files.

It measures a brief and the output of three commands alike, so the text's format does not matter.
"""

import re
from collections.abc import Iterable, Sequence, Set as AbstractSet
from dataclasses import dataclass, fields
from pathlib import PurePosixPath
from statistics import fmean

from repomem.adapters.git.blame import writers_of
from repomem.adapters.git.hunks import old_lines
from repomem.adapters.languages.file_roles import role_of
from repomem.core.text.lazy_pattern import lazy_pattern
from repomem.core.types.code import Role
from repomem.core.types.commits import short_hash
from repomem.evaluate.commands import CHARACTERS_PER_TOKEN
from repomem.evaluate.tasks import ReplayTask
from repomem.workspace.snapshot import Snapshot

LONGEST_SPAN = 120  # lines of a place that locates a change
AROUND = 3  # lines around a changed one that show it as well
TELLING = 12  # characters of a distinctive line
MOST_BLAMED = 12  # changes of a commit whose writers are looked for
LONGEST_BLAMED = 40  # lines of each
MASS_COMMIT = 60  # files; such a commit says nothing about a line
LARGEST = 1 << 20  # bytes of a file that is read
SHORTEST_NAME = 7  # characters of a file's name that may replace its path
_SPAN = lazy_pattern(r"([\w@./+-]+\.\w+):(\d+)(?:-(\d+))?")
_GREP_PREFIX = lazy_pattern(r"^[\w./-]+\.\w+[:-]\d+[:-]")
_NUMBER = lazy_pattern(r"^\d+[:|\t ]\s?")


@dataclass(frozen=True, slots=True)
class ChangedLines:
    """One hunk of a commit, as it was before."""

    path: str
    lines: range
    telling: frozenset[str]  # the changed lines and those around, without white space at the ends


@dataclass(frozen=True, slots=True)
class Change:
    """The changes of a commit in source files, and its other files."""

    hunks: Sequence[ChangedLines]
    writers: AbstractSet[str]  # commits that wrote the changed lines, without mass commits
    beside: AbstractSet[str]  # changed tests, documents and other files


@dataclass(frozen=True, slots=True)
class LineShares:
    """The shares of a change that a text shows, from 0 to 1."""

    places: float  # hunks in a named span
    shown: float  # hunks of which a line is printed
    any_shown: float  # 1 if there is one
    writer: float | None  # 1 if a commit that wrote a changed line is named; None if none is known
    beside: float | None  # named files other than sources; None without such files
    tokens: float


def change_of(snapshot: Snapshot, task: ReplayTask) -> Change | None:
    """The change of a task at its parent; None if it changed no existing source file."""
    repository = snapshot.workspace.repository
    hunks: list[ChangedLines] = []
    writers: set[str] = set()
    sources: set[str] = set()
    for path, parts in old_lines(repository, task.parent, task.commit).items():
        data = snapshot.data(path, LARGEST) if path in task.answers else None
        text = data.decode("utf-8", "replace") if data is not None else ""
        if not text or role_of(path, text[:400], {}) is not Role.SOURCE:
            continue
        sources.add(path)
        lines = text.splitlines()
        hunks += [ChangedLines(path, part, _telling(lines, part)) for part in parts]
        blamed = [_within(part, len(lines)) for part in parts[:MOST_BLAMED]]
        writers |= writers_of(repository, path, blamed, task.parent)
    if not hunks:
        return None
    known = {commit for commit in writers if _files_of(snapshot, commit) <= MASS_COMMIT}
    return Change(hunks, known, task.changed - sources)


def line_shares(text: str, change: Change) -> LineShares:
    """How much of a change a text shows."""
    printed = {_plain(_NUMBER.sub("", _GREP_PREFIX.sub("", line.strip()))) for line in text.splitlines()}
    spans = [(match[1], int(match[2]), int(match[3] or match[2])) for match in _SPAN.finditer(text)]
    placed = [any(_holds(span, hunk) for span in spans) for hunk in change.hunks]
    shown = [_is_named(hunk.path, text) and not hunk.telling.isdisjoint(printed) for hunk in change.hunks]
    writer = float(any(short_hash(commit)[:7] in text for commit in change.writers)) if change.writers else None
    beside = [_is_named(path, text) for path in change.beside]
    return LineShares(
        sum(placed) / len(placed),
        sum(shown) / len(shown),
        float(any(shown)),
        writer,
        sum(beside) / len(beside) if beside else None,
        len(text) / CHARACTERS_PER_TOKEN,
    )


def mean_shares(several: Iterable[LineShares]) -> LineShares | None:
    """The means over tasks, each over those that have the figure; None without tasks."""
    rows = list(several)
    means = {each.name: _mean([getattr(row, each.name) for row in rows]) for each in fields(LineShares)}
    return LineShares(**means) if rows else None  # type: ignore[arg-type]  # None only where a row has None too


def _mean(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return fmean(known) if known else None


def _telling(lines: Sequence[str], part: range) -> frozenset[str]:
    around = {_plain(line) for line in lines[max(0, part.start - 1 - AROUND) : part.stop - 1 + AROUND]}
    long = {line for line in around if len(line) >= TELLING}
    return frozenset(long or {line for line in around if len(line) >= TELLING // 3})


def _within(part: range, last: int) -> range:
    """The lines to blame: those that were changed, at most LONGEST_BLAMED."""
    return range(max(1, part.start), min(part.stop, part.start + LONGEST_BLAMED, last + 1))


def _files_of(snapshot: Snapshot, commit: str) -> int:
    found = snapshot.workspace.repository.read("diff-tree", "-r", "--root", "--no-commit-id", "--name-only", commit)
    return found.count(b"\n")


def _holds(span: tuple[str, int, int], hunk: ChangedLines) -> bool:
    path, first, last = span
    is_path = hunk.path.endswith(path) and last - first <= LONGEST_SPAN
    return is_path and first < hunk.lines.stop and hunk.lines.start <= last


def _is_named(path: str, text: str) -> bool:
    name = PurePosixPath(path).name
    is_short = len(name) < SHORTEST_NAME
    return path in text or (not is_short and bool(re.search(rf"(?<![\w.-]){re.escape(name)}(?!\w)", text)))


def _plain(line: str) -> str:
    return " ".join(line.split())
