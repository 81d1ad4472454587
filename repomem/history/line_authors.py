"""Which commits wrote the lines of an excerpt, as recorded changes know it: without `git blame`.

A commit wrote a line if it is the last that added it or altered another line to it. Reformatted lines keep their
author, since a line is known by its hash without white space, quotes and commas; comments and imports have none.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from repomem.history.change_history import ChangeHistory
from repomem.history.lines import is_meaningful, line_hash
from repomem.ranking.excerpts import Excerpt


@dataclass(frozen=True, slots=True)
class LineAuthor:
    """A commit that wrote lines of excerpts."""

    commit: str
    lines: Mapping[str, Sequence[int]]  # path to line numbers
    weight: float  # lines of better excerpts weigh more


def line_authors(record: ChangeHistory, excerpts: Sequence[Excerpt]) -> list[LineAuthor]:
    """The commits that wrote lines of the excerpts (best first), those with the most weight first."""
    weights: dict[str, float] = defaultdict(float)
    lines: dict[str, dict[str, list[int]]] = {}
    for place, excerpt in enumerate(excerpts, start=1):
        last = _last_changes(record, excerpt.path)
        for at, line in enumerate(excerpt.lines, start=excerpt.start_line):
            commit = last.get(line_hash(line)) if is_meaningful(line) else None
            if commit:
                weights[commit] += place**-0.5
                lines.setdefault(commit, {}).setdefault(excerpt.path, []).append(at)
    found = (LineAuthor(commit, lines[commit], weight) for commit, weight in weights.items())
    return sorted(found, key=lambda one: (-one.weight, one.commit))


def _last_changes(record: ChangeHistory, path: str) -> dict[int, str]:
    """Each line, by its hash, to the last commit that wrote it in this file."""
    last: dict[int, str] = {}
    for change in record.changes_of(record.names_of(path)):  # oldest first
        last |= dict.fromkeys((*change.added, *(new for _, new in change.altered)), change.commit)
    return last
