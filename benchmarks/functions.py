"""The functions that a commit changed, and those that a list of chunks shows: is the right place in a file told?"""

import re
from collections.abc import Iterable, Sequence
from pathlib import Path

from benchmarks.inputs import git
from repomem.core.tokens import count_tokens
from repomem.core.types import IndexedChunk, Outline
from repomem.parse.grammar import language_of
from repomem.parse.outline import outline_of
from repomem.retrieve.replay import Task

FUNCTIONS = frozenset({"function", "method", "constructor", "macro"})
_HUNK = re.compile(r"^@@ -(\d+)(?:,(\d+))? ", re.MULTILINE)
Function = tuple[str, str]  # path, qualified name


def changed_functions(top: Path, task: Task) -> frozenset[Function]:
    """The innermost functions around the lines that the commit removed, or put others behind, at its parent."""
    found: set[Function] = set()
    for path in task.answers:
        language = language_of(path)
        file = top / path
        if language and file.is_file() and not file.is_symlink():
            diff = git(
                top, "diff", "--unified=0", "--no-renames", "--no-ext-diff", task.parent, task.commit, "--", path
            )
            outline = outline_of(file.read_bytes(), language)
            found |= {(path, name) for line in _old_lines(diff) for name in _innermost(outline, line)}
    return frozenset(found)


def _old_lines(diff: str) -> Iterable[int]:
    for first, count in _HUNK.findall(diff):
        yield from range(int(first), int(first) + max(int(count or 1), 1))


def _innermost(outline: Outline, line: int) -> list[str]:
    around = [each for each in outline.definitions if each.start_line <= line <= each.end_line]
    functions = [each for each in around if each.kind in FUNCTIONS]
    return [functions[-1].qualified] if functions else []


def functions_in(path: str, chunk: IndexedChunk) -> set[Function]:
    """What the text of a chunk shows: the functions that begin in it, and the one that it is a part of."""
    return {(path, site.qualified) for site in chunk.sites if site.kind in FUNCTIONS} | {(path, chunk.symbol)}


def printed(chunks: Iterable[tuple[str, IndexedChunk]], budget: int) -> set[Function]:
    """The functions in the first chunks, printed with their path and lines while they keep within `budget` tokens."""
    found: set[Function] = set()
    for path, chunk in chunks:
        budget -= count_tokens(f"{path}:{chunk.start_line}-{chunk.end_line}\n{chunk.text}\n")
        if budget < 0:
            break
        found |= functions_in(path, chunk)
    return found


def share(functions: frozenset[Function], named: Iterable[Function] | Sequence[Function]) -> float:
    """The share of them that is named."""
    return len(functions & set(named)) / len(functions)
