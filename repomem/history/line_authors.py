"""Which commits wrote the lines of an excerpt, from recorded changes: without `git blame`.

A commit wrote a line if it added it or altered another line to it, and no later one took that copy out. Reformatted
lines keep their author, since a line is known by its hash without white space, quotes and commas. Comments, imports and
lines of which the file or the records have more than one copy get no author. Neither does a line that its commit also
removed or altered in another file, since that commit moved it, and no line of a commit whose removed lines were too
many to be recorded.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from repomem.history.change_history import ChangeHistory
from repomem.history.patch_lines import is_meaningful, line_hash
from repomem.ranking.excerpts import Excerpt


@dataclass(frozen=True, slots=True)
class LineAuthor:
    """A commit that wrote lines of excerpts."""

    commit: str
    lines: Mapping[str, Sequence[int]]  # path to line numbers
    weight: float  # lines of better excerpts weigh more


class _Line(NamedTuple):
    path: str
    number: int
    hash: int
    weight: float
    commit: str  # that wrote it


def line_authors(record: ChangeHistory, excerpts: Sequence[Excerpt]) -> list[LineAuthor]:
    """The commits that wrote lines of the excerpts (best first), those with the most weight first."""
    weights: dict[str, float] = defaultdict(float)
    lines: dict[str, dict[str, list[int]]] = {}
    known = [one for one in _lines(record, excerpts) if not record.commits[one.commit].is_removal_cut]
    before = _lines_before(record, {one.commit for one in known})
    for one in known:
        if one.hash not in before[one.commit]:
            weights[one.commit] += one.weight
            lines.setdefault(one.commit, {}).setdefault(one.path, []).append(one.number)
    found = (LineAuthor(commit, lines[commit], weight) for commit, weight in weights.items())
    return sorted(found, key=lambda one: (-one.weight, one.commit))


def _lines(record: ChangeHistory, excerpts: Sequence[Excerpt]) -> Iterator[_Line]:
    """The lines of the excerpts that a recorded commit may have written, and that occur once in their file."""
    alone = {path: _single_lines(record, path) for path in {each.path for each in excerpts}}
    writers = {path: _writers(record, path) for path in alone}
    for place, excerpt in enumerate(excerpts, start=1):
        for at, line in enumerate(excerpt.lines, start=excerpt.start_line):
            name = line_hash(line)
            commit = writers[excerpt.path].get(name)
            if commit and is_meaningful(line) and name in alone[excerpt.path]:
                yield _Line(excerpt.path, at, name, place**-0.5, commit)


def _single_lines(record: ChangeHistory, path: str) -> set[int]:
    """The hashes of the lines that occur once in a file."""
    counts = Counter(map(line_hash, record.texts_of(path)))
    return {name for name, count in counts.items() if count == 1}


def _lines_before(record: ChangeHistory, commits: Collection[str]) -> Mapping[str, set[int]]:
    """The lines that each commit removed or altered somewhere, by their hash: it moved or reindented them."""
    before: dict[str, set[int]] = {commit: set() for commit in commits}
    for change in record.snapshot.workspace.catalog.changes.of_commits(commits):
        before[change.commit].update(change.taken_out)
    return before


def _writers(record: ChangeHistory, path: str) -> dict[int, str]:
    """Each line, by its hash, to the commit that wrote its only copy in this file."""
    copies = record.copies_of(record.names_of(path))
    return {line: own[0].commit for line, own in copies.items() if len(own) == 1}
