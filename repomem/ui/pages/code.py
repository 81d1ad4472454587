"""The code of a memory then and now, line by line."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from repomem.core.text.escape import visible_place
from repomem.core.types.commits import short_hash
from repomem.memories.anchors.anchored_code import AnchoredCode, CodeLines, anchored_code
from repomem.memories.status import INTACT, MemoryState
from repomem.workspace.workspace import Workspace

MOST_LINES = 400  # of a version: more is a file to open in an editor
CONTEXT = 3  # equal lines around a change
LINE_LENGTH = 500  # characters; longer lines are data


@dataclass(frozen=True, slots=True)
class LinePair:
    """A line then and now. `kind` is same, changed, removed, added, or skipped, with the number of lines."""

    kind: str
    then_line: int = 0  # 0: none
    then: str = ""
    now_line: int = 0
    now: str = ""
    skipped: int = 0


@dataclass(frozen=True, slots=True)
class CodeComparison:
    """The code of one anchor."""

    then_place: str
    now_place: str  # empty: deleted
    status: str
    commit: str  # that changed or deleted it; empty: none, or the worktree
    is_uncommitted: bool
    relation: str  # member or called, for code near the memory's own; else empty
    lines: tuple[LinePair, ...]
    is_cut: bool


def comparisons_of(workspace: Workspace, one: MemoryState) -> list[CodeComparison]:
    """The code of each anchor of a memory, then and now; what has changed comes first."""
    found = anchored_code(workspace, one)
    return [_comparison(each) for each in sorted(found, key=lambda code: code.location.status in INTACT)]


def _comparison(each: AnchoredCode) -> CodeComparison:
    placed = each.location
    then, now = _lines(each.then), _lines(each.now)
    pairs = paired_lines(then, now, each.then.start, each.now.start)
    return CodeComparison(
        then_place=visible_place(placed.anchor.path, placed.anchor.symbol),
        now_place=visible_place(placed.path, placed.symbol) if placed.path else "",
        status=placed.status.value,
        commit=short_hash(placed.commit),
        is_uncommitted=placed.is_uncommitted,
        relation=placed.anchor.derived,
        lines=tuple(pairs),
        is_cut=max(len(each.then.lines), len(each.now.lines)) > MOST_LINES,
    )


def _lines(version: CodeLines) -> list[str]:
    return [line[:LINE_LENGTH] for line in version.lines[:MOST_LINES]]


def paired_lines(then: Sequence[str], now: Sequence[str], first: int, first_now: int) -> Iterator[LinePair]:
    """Two versions side by side, from these lines of their files; equal lines far from a change are left out."""
    if then == now:
        yield from (LinePair("same", first + at, line, first_now + at, line) for at, line in enumerate(then))
        return
    matcher = SequenceMatcher(None, then, now, autojunk=False)
    seen = 0  # lines of `then`
    for group in matcher.get_grouped_opcodes(CONTEXT):
        if skipped := group[0][1] - seen:
            yield LinePair("skipped", skipped=skipped)
        seen = group[-1][2]
        for tag, start, end, start_now, end_now in group:
            for at in range(max(end - start, end_now - start_now)):
                left, right = start + at, start_now + at
                has_then, has_now = left < end, right < end_now
                kind = "same" if tag == "equal" else "changed" if has_then and has_now else ""
                yield LinePair(
                    kind or ("removed" if has_then else "added"),
                    first + left if has_then else 0,
                    then[left] if has_then else "",
                    first_now + right if has_now else 0,
                    now[right] if has_now else "",
                )
