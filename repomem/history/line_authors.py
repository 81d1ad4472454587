"""Which commits wrote the lines of an excerpt, from recorded changes: without `git blame`.

A commit wrote a line if it added the line, or altered another line into it, and no later commit removed that copy.
Reformatted lines keep their author, because a line is identified by its hash without white space, quotes and commas;
a line that a commit altered is that commit's, whatever its message says. These lines get no author:

- comments and imports;
- lines with copies by several commits or with unrecorded copies, unless they are next to a line by a commit that wrote
  a copy, and there are no more such neighbours than copies by it;
- lines that their commit also removed or altered in another file: it only moved them;
- lines of a commit that removed too many lines for all to be recorded.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

from repomem.core.text.symbol_names import last_part
from repomem.history.change_history import ChangeHistory
from repomem.history.lines.copies import LineCopy
from repomem.history.lines.patch_lines import is_meaningful, line_hash, lines_within_imports
from repomem.ranking.excerpts import Excerpt

DULL, MATCH = 0.3, 5.0  # weight of a line without words of the question, and the bonus for all its words


@dataclass(frozen=True, slots=True)
class LineAuthor:
    """A commit that wrote lines of excerpts."""

    commit: str
    lines: Mapping[str, Sequence[int]]  # path to line numbers
    weight: float  # lines of better excerpts weigh more, and lines that match the question


class _Line(NamedTuple):
    hash: int
    copy: LineCopy


def line_authors(
    record: ChangeHistory, excerpts: Sequence[Excerpt], shares: Mapping[tuple[str, int], float]
) -> list[LineAuthor]:
    """The commits that wrote lines of the excerpts (best first), those with the most weight first.

    `shares` of the question, by path and line, add to the weight of a line.
    """
    files = {path: _file_lines(record, path) for path in {each.path for each in excerpts}}
    found = [_lines_by(files[excerpt.path], excerpt) for excerpt in excerpts]
    writers = {line.copy.commit for lines in found for line in lines.values()}
    known = {commit for commit in writers if not record.commits[commit].is_removal_cut}
    before = _lines_before(record, known)
    weights: dict[str, float] = defaultdict(float)
    numbers: dict[str, dict[str, list[int]]] = {}
    for place, (excerpt, lines) in enumerate(zip(excerpts, found, strict=True), start=1):
        own = {
            at: copy for at, (name, copy) in lines.items() if copy.commit in known and name not in before[copy.commit]
        }
        for at, copy in own.items():
            weights[copy.commit] += place**-0.5 * (DULL + MATCH * shares.get((excerpt.path, at), 0.0))
        for at, commit in sorted(_with_copies(files[excerpt.path], excerpt, own, before).items()):
            numbers.setdefault(commit, {}).setdefault(excerpt.path, []).append(at)
    authors = (LineAuthor(commit, numbers[commit], weight) for commit, weight in weights.items())
    return sorted(authors, key=lambda one: (-one.weight, one.commit))


def _file_lines(record: ChangeHistory, path: str) -> "_FileLines":
    lines = record.texts_of(path)
    counts = Counter(map(line_hash, lines))
    within = Counter(map(line_hash, lines_within_imports(lines)))
    imports = {name for name, count in within.items() if count == counts[name]}
    return _FileLines(lines, counts, imports, record.copies_of(record.names_of(path)))


@dataclass(frozen=True)
class _FileLines:
    """The lines of a live file, and what is known of each by its hash."""

    lines: Sequence[str]
    counts: Mapping[int, int]
    imports: Collection[int]  # lines that occur only inside multi-line imports
    copies: Mapping[int, Sequence[LineCopy]]

    def sole_author(self, name: int) -> LineCopy | None:
        """The copy of a line if one recorded commit wrote all copies in the file, else None."""
        own = self.copies.get(name, ())
        is_known = len({one.commit for one in own}) == 1 and len(own) == self.counts[name]
        return own[0] if is_known and own[0].commit and name not in self.imports else None

    @cached_property
    def around(self) -> Mapping[int, Mapping[int, set[LineCopy]]]:
        """For each line, by its hash, the neighbours of each of its copies, by number, if they have a sole author."""
        numbers = [at for at, line in enumerate(self.lines, start=1) if is_meaningful(line)]
        names = [line_hash(self.lines[at - 1]) for at in numbers]
        authors = [self.sole_author(name) for name in names]
        found: dict[int, dict[int, set[LineCopy]]] = defaultdict(dict)
        for at, name, *beside in zip(numbers, names, [None, *authors[:-1]], [*authors[1:], None], strict=True):
            found[name][at] = {one for one in beside if one}
        return found

    def is_copy_of(self, name: int, at: int, near: LineCopy) -> bool:
        """Whether a line next to `near` is a copy by the same commit, with no better candidate for that copy.

        A line that has no other neighbours than lines of the commit is a better candidate than one that has.
        """
        around = self.around.get(name, {})
        is_enclosed = around.get(at) == {near}
        rivals = sum(beside == {near} if is_enclosed else near in beside for beside in around.values())
        return self.copies.get(name, ()).count(near) >= max(1, rivals)


def _lines_by(file: _FileLines, excerpt: Excerpt) -> dict[int, _Line]:
    """The lines of an excerpt, by number, that have a sole author."""
    found = {}
    for at, line in enumerate(excerpt.lines, start=excerpt.start_line):
        name = line_hash(line)
        if is_meaningful(line) and (author := file.sole_author(name)):
            found[at] = _Line(name, author)
    return found


def _with_copies(
    file: _FileLines, excerpt: Excerpt, own: Mapping[int, LineCopy], before: Mapping[str, Collection[int]]
) -> dict[int, str]:
    """The commit of each of the `own` lines, of adjacent copies in the same symbol, and of empty lines in between."""
    lines = dict(enumerate(excerpt.lines, start=excerpt.start_line))
    ways = []
    for numbers in (list(lines), list(reversed(lines))):
        near, found = None, dict(own)
        for at in numbers:
            name = line_hash(lines[at])
            if at not in own and is_meaningful(lines[at]) and name not in file.imports:
                near = near if near and file.is_copy_of(name, at, near) and name not in before[near.commit] else None
                found |= {at: near} if near else {}
            near = found.get(at, near)
            if near and near.symbol and numbers[0] > numbers[-1] and last_part(near.symbol) in lines[at]:
                near = None  # its definition begins here: what is above belongs to another one
        ways.append({at: copy.commit for at, copy in found.items()})
    down, up = ways
    by_line = {at: commit for at, commit in (up | down).items() if up.get(at, commit) == commit}
    for first, last in pairwise(sorted(by_line)):
        between = range(first + 1, last)
        if by_line[first] == by_line[last] and not any(any(map(str.isalnum, lines[at])) for at in between):
            by_line |= dict.fromkeys(between, by_line[first])  # blank or braces
    return by_line


def _lines_before(record: ChangeHistory, commits: Collection[str]) -> Mapping[str, set[int]]:
    """The hashes of the lines that each commit removed or altered anywhere: it only moved or reindented those."""
    before: dict[str, set[int]] = {commit: set() for commit in commits}
    for change in record.snapshot.workspace.catalog.changes.of_commits(commits):
        before[change.commit].update(change.taken_out)
    return before
