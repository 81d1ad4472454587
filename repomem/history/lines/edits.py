"""Edits: removed lines paired with the added lines that they became, and the differing tokens."""

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from difflib import SequenceMatcher
from typing import NamedTuple

from repomem.core.grouping import shared_start
from repomem.core.text.lazy_pattern import lazy_pattern
from repomem.core.types.commits import Hunk
from repomem.core.types.line_history import LineEdit
from repomem.history.lines.patch_lines import is_meaningful

LONGEST_HUNK = 40  # lines on either side; longer hunks are rewrites
REACH = 8  # added lines that are searched for the new version of a removed one
ALIKE = 0.5  # share of common tokens

TOKEN = lazy_pattern(
    r""""(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|`[^`]*`|[^\W\d]\w*|\d[\w.]*|[=!<>]=+|[-=]>|&&|\|\||::|\?\.|:=|[-+*/|&]=|\S"""
)
_TRAILING_COMMENT = lazy_pattern(r"(?<=\S)\s+(?:#\s|//|--\s|/\*).*$")
_QUOTES = "'\"`"
_CLOSING = {")": "(", "]": "[", "}": "{"}


class EditPart(NamedTuple):
    """A run of tokens: unchanged, or removed and added."""

    old: tuple[str, ...]
    new: tuple[str, ...]
    old_span: tuple[int, int]  # of characters
    new_span: tuple[int, int]

    @property
    def is_kept(self) -> bool:
        """Whether it is unchanged."""
        return self.old == self.new


def code_of(line: str) -> str:
    """A line without surrounding white space and trailing comment."""
    return _TRAILING_COMMENT.sub("", line).strip()


def edits_to(hunks: Iterable[Hunk], wanted: Collection[str]) -> list[LineEdit]:
    """The edits that produced one of these lines, which are as from `code_of`."""
    found = [hunk for hunk in hunks if any(code_of(line) in wanted for line in hunk.added)]
    return [edit for edit in edits_in(found) if edit.after in wanted]


def edits_from(hunks: Iterable[Hunk], gone: Collection[str]) -> list[LineEdit]:
    """The edits that changed one of these lines."""
    found = [hunk for hunk in hunks if any(code_of(line) in gone for line in hunk.removed_lines)]
    return [edit for edit in edits_in(found) if edit.before in gone]


def edits_in(hunks: Iterable[Hunk]) -> Iterator[LineEdit]:
    """The edits between meaningful lines."""
    for hunk in hunks:
        removed, added = hunk.removed_lines, hunk.added
        if 0 < len(removed) <= LONGEST_HUNK and 0 < len(added) <= LONGEST_HUNK:
            for before, after in _paired(list(map(code_of, removed)), list(map(code_of, added))):
                if before != after and is_meaningful(before) and is_meaningful(after):
                    yield LineEdit(hunk.path, before, after)


def _paired(removed: Sequence[str], added: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Each removed line with the added line that it became, in order."""
    after = [frozenset(TOKEN.findall(line)) for line in added]
    start = 0
    for at, line in enumerate(removed):
        words = frozenset(TOKEN.findall(line))
        first = at if len(removed) == len(added) else start
        near = [first, *(place for place in range(start, min(start + REACH, len(added))) if place != first)]
        best = max(near, key=lambda place: _likeness(words, after[place]) if place < len(after) else 0.0)
        if best < len(added) and _likeness(words, after[best]) >= ALIKE:
            yield line, added[best]
            start = best + 1


def _likeness(words: frozenset[str], others: frozenset[str]) -> float:
    return 2 * len(words & others) / (len(words) + len(others) or 1)


def edit_parts(before: str, after: str) -> list[EditPart]:
    """The runs of tokens from the first to the last difference of two lines; brackets are balanced."""
    old, new = list(TOKEN.finditer(before)), list(TOKEN.finditer(after))
    olds, news = [_normalized(token[0]) for token in old], [_normalized(token[0]) for token in new]
    ahead = shared_start(olds, news)
    behind = shared_start(olds[ahead:][::-1], news[ahead:][::-1])
    while behind and (_is_open(olds[ahead : len(olds) - behind]) or _is_open(news[ahead : len(news) - behind])):
        behind -= 1
    olds, news = olds[ahead : len(olds) - behind], news[ahead : len(news) - behind]
    return [
        EditPart(tuple(olds[i:j]), tuple(news[k:m]), _span(old, ahead + i, ahead + j), _span(new, ahead + k, ahead + m))
        for _, i, j, k, m in SequenceMatcher(None, olds, news, autojunk=False).get_opcodes()
    ]


def _span(tokens: Sequence[re.Match[str]], first: int, end: int) -> tuple[int, int]:
    if first == end:
        at = tokens[first - 1].end() if first else 0
        return at, at
    return tokens[first].start(), tokens[end - 1].end()


def _normalized(token: str) -> str:
    """A token; a string literal is normalized to one quote style."""
    return '"' + token[1:-1] if token[0] in _QUOTES and len(token) > 1 else token


def _is_open(tokens: Sequence[str]) -> bool:
    """Whether a bracket among the tokens is not closed."""
    waiting: list[str] = []
    for token in tokens:
        if token in _CLOSING.values():
            waiting.append(token)
        elif token in _CLOSING and waiting and waiting[-1] == _CLOSING[token]:
            waiting.pop()
    return bool(waiting)
