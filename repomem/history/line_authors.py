"""Which commits wrote the lines of an excerpt, from recorded changes: without `git blame`.

A commit wrote a line if it added it or altered another line to it, and no later one took that copy out. Reformatted
lines keep their author, since a line is known by its hash without white space, quotes and commas; so do lines that a
commit of renames or layout altered. Comments and imports get no author, nor do lines of which several commits wrote
copies, or of which the records do not have all, unless they are next to a line of a commit that wrote a copy. Neither
does a line that its commit also removed or altered in another file, since that commit moved it, and no line of a commit
whose removed lines were too many to be recorded.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

from repomem.history.change_history import ChangeHistory
from repomem.history.line_copies import LineCopy
from repomem.history.patch_lines import is_meaningful, line_hash, lines_within_imports
from repomem.ranking.excerpts import Excerpt

DULL, MATCH = 0.3, 5.0  # the weight of a line without any of the question, and what is added for all of it


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
    texts = {path: record.texts_of(path) for path in {each.path for each in excerpts}}
    counts = {path: Counter(map(line_hash, lines)) for path, lines in texts.items()}
    imports = {path: _only_within_imports(lines, counts[path]) for path, lines in texts.items()}
    found = [_lines_by(record, excerpt, counts[excerpt.path], imports[excerpt.path]) for excerpt in excerpts]
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
        skipped = imports[excerpt.path]
        for at, commit in sorted(_with_copies(record, excerpt, own, before, skipped).items()):
            numbers.setdefault(commit, {}).setdefault(excerpt.path, []).append(at)
    authors = (LineAuthor(commit, numbers[commit], weight) for commit, weight in weights.items())
    return sorted(authors, key=lambda one: (-one.weight, one.commit))


def _only_within_imports(lines: Sequence[str], counts: Mapping[int, int]) -> set[int]:
    """The hashes of the lines that a file has only within imports of several lines."""
    own = Counter(map(line_hash, lines_within_imports(lines)))
    return {name for name, count in own.items() if count == counts[name]}


def _lines_by(
    record: ChangeHistory, excerpt: Excerpt, counts: Mapping[int, int], imports: Collection[int]
) -> dict[int, _Line]:
    """The lines of an excerpt, by number, of which one recorded commit wrote all copies that the file has.

    `counts` are those of the lines in the file, by their hash; `imports` are the hashes of lines within imports.
    """
    copies = record.copies_of(record.names_of(excerpt.path))
    found = {}
    for at, line in enumerate(excerpt.lines, start=excerpt.start_line):
        name = line_hash(line)
        own = copies.get(name, ())
        is_known = len({one.commit for one in own}) == 1 and len(own) == counts[name]
        if is_known and own[0].commit and is_meaningful(line) and name not in imports:
            found[at] = _Line(name, own[0])
    return found


def _with_copies(
    record: ChangeHistory,
    excerpt: Excerpt,
    own: Mapping[int, LineCopy],
    before: Mapping[str, Collection[int]],
    imports: Collection[int],
) -> dict[int, str]:
    """The commit of each of its `own` lines, of copies next to them in the same symbol, and of empty lines between."""
    copies = record.copies_of(record.names_of(excerpt.path))
    lines = dict(enumerate(excerpt.lines, start=excerpt.start_line))
    ways = []
    for numbers in (list(lines), list(reversed(lines))):
        near, found = None, dict(own)
        for at in numbers:
            if at not in own and is_meaningful(lines[at]) and line_hash(lines[at]) not in imports:
                name = line_hash(lines[at])
                is_copy = near in copies.get(name, ())
                near = near if near and is_copy and name not in before[near.commit] else None
                found |= {at: near} if near else {}
            near = found.get(at, near)
        ways.append({at: copy.commit for at, copy in found.items()})
    down, up = ways
    by_line = {at: commit for at, commit in (up | down).items() if up.get(at, commit) == commit}
    for first, last in pairwise(sorted(by_line)):
        between = range(first + 1, last)
        if by_line[first] == by_line[last] and not any(any(map(str.isalnum, lines[at])) for at in between):
            by_line |= dict.fromkeys(between, by_line[first])  # blank or braces
    return by_line


def _lines_before(record: ChangeHistory, commits: Collection[str]) -> Mapping[str, set[int]]:
    """The lines that each commit removed or altered somewhere, by their hash: it moved or reindented them."""
    before: dict[str, set[int]] = {commit: set() for commit in commits}
    for change in record.snapshot.workspace.catalog.changes.of_commits(commits):
        before[change.commit].update(change.taken_out)
    return before
