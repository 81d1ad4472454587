"""Similar edits: lines that one commit changed in the same way, found from its hunks alone.

The shape of an edit is what differs between the two lines, whatever is between the differences. Edits of one shape are
similar. A shape that a commit applied to many lines is a mass edit and not evidence.
"""

from collections.abc import Collection, Sequence
from itertools import groupby, pairwise

from repomem.adapters.languages.definition_lines import defined_name
from repomem.core.text.lazy_pattern import lazy_pattern
from repomem.core.types.commits import Hunk
from repomem.core.types.line_history import LineEdit, SimilarEdits
from repomem.history.lines.edits import TOKEN, EditPart, code_of, edit_parts, edits_in
from repomem.history.lines.patch_lines import is_keyword

MOST_SITES = 12  # more of one shape is a mass edit
LEAST_PUT_IN = 2  # words, if nothing was removed: a single one is a qualifier or modifier
LONGEST_SHOWN = 90  # characters of the removed or the added code
PROSE = 3  # words in a row: a docstring or message
HOLE = "…"

_IS_WORD = lazy_pattern(r"[^\W\d]\w*")
_IS_STRING = lazy_pattern(r'"[^\W\d]')
_IS_TYPE = lazy_pattern(r"_*[A-Z]\w*[a-z]\w*$|_?[A-Z]{1,3}\d?$")
_BASIC_TYPES = """_t abc any bool boolean bytes cabc char collections dict double float frozenset i32 i64 int
    interface list long none null number object set str string struct t tuple typing u8 u32 u64 undefined unit unknown
    usize void"""
_TYPES = frozenset(_BASIC_TYPES.split())


_Shape = tuple[tuple[tuple[str, ...], tuple[str, ...]], ...]


def similar_edits_to(edit: LineEdit, hunks: Sequence[Hunk]) -> SimilarEdits | None:
    """All edits of the same shape in the hunks of the commit; None if there is no other or the shape is trivial.

    Lines that start a definition are not similar to statements.
    """
    shape = _shape(edit_parts(edit.before, edit.after))
    if not _is_significant(shape):
        return None
    old, new = ({token.lstrip('"') for pair in shape for token in pair[side]} for side in (0, 1))
    near = [hunk for hunk in hunks if _has(hunk.removed_lines, old) and _has(hunk.added, new)]
    moved = {code_of(line) for hunk in hunks for line in hunk.added}  # lines that are still in the code: not replaced
    group = [
        (each, parts)
        for each in edits_in(near)
        if each.before not in moved
        and _shape(parts := edit_parts(each.before, each.after)) == shape
        and not defined_name(each.path, each.after)
    ]
    if edit not in [each for each, _ in group] or not 2 <= len(group) <= MOST_SITES:
        return None
    found = _summary(group)
    return found if _is_code(found) else None


def _shape(parts: Sequence[EditPart]) -> _Shape:
    return tuple(((), ()) if part.is_kept else (part.old, part.new) for part in parts)


def _has(lines: Sequence[str], tokens: Collection[str]) -> bool:
    """Whether the lines contain these tokens; faster than tokenizing."""
    text = "\n".join(lines)
    return all(token in text for token in tokens)


def _is_significant(shape: _Shape) -> bool:
    """Whether the edit changes behavior: not formatting, types or a renamed identifier alone."""
    changes = {pair for pair in shape if pair != ((), ())}
    words = [token for _, new in changes for token in new if _IS_WORD.match(token) or _IS_STRING.match(token)]
    if not any(old for old, _ in changes) and len(words) < LEAST_PUT_IN:
        return False
    if all(is_keyword(word) or word == "from" for word in words) or all(
        _is_of_types(side) for pair in changes for side in pair
    ):
        return False
    old, new = next(iter(changes))
    return len(changes) > 1 or len(old) != 1 or len(new) != 1


def _is_of_types(tokens: Sequence[str]) -> bool:
    """Whether the tokens may be only a type annotation: names of types, perhaps qualified."""
    owners = [token for token, following in pairwise(tokens) if following in (".", "::")]
    names = [part for token in tokens if token not in owners for part in TOKEN.findall(token.removeprefix('"'))]
    if "(" in tokens or (owners and not any(map(_IS_WORD.match, names))):
        return False
    return all(map(_may_be_type, names))


def _may_be_type(token: str) -> bool:
    return not _IS_WORD.match(token) or token.lower() in _TYPES or _IS_TYPE.match(token) is not None


def _is_code(one: SimilarEdits) -> bool:
    """Whether the edit fits on a line and is neither prose nor a new name."""
    return (
        not _IS_WORD.fullmatch(one.added)
        and max(len(one.removed), len(one.added)) <= LONGEST_SHOWN
        and not any(map(_is_prose, (one.removed, one.added)))
    )


def _is_prose(text: str) -> bool:
    are_words = (bool(_IS_WORD.match(token)) and not is_keyword(token) for token in TOKEN.findall(text))
    return any(is_word and len(list(row)) >= PROSE for is_word, row in groupby(are_words))


def _summary(group: Sequence[tuple[LineEdit, list[EditPart]]]) -> SimilarEdits:
    first, parts = group[0]
    kept = [_kept([others[at] for _, others in group]) for at in range(len(parts))]
    removed = _text(first.before, [(part.old_span, hole) for part, hole in zip(parts, kept, strict=True)])
    added = _text(first.after, [(part.new_span, hole) for part, hole in zip(parts, kept, strict=True)])
    return SimilarEdits(removed, added, tuple(edit for edit, _ in group))


def _kept(parts: Sequence[EditPart]) -> tuple[int, int] | None:
    """The number of tokens at both ends of an unchanged run that all lines share; None if the runs are equal."""
    runs = [part.old for part in parts]
    if not parts[0].is_kept or len(set(runs)) == 1:
        return None
    least = min(map(len, runs))
    ahead = next((at for at in range(least) if len({run[at] for run in runs}) > 1), least)
    behind = next((at for at in range(least - ahead) if len({run[-1 - at] for run in runs}) > 1), least - ahead)
    return ahead, behind


def _text(line: str, parts: Sequence[tuple[tuple[int, int], tuple[int, int] | None]]) -> str:
    """The line from the first part to the last, with a hole where the lines differ."""
    found, last = "", parts[0][0][0]
    for (start, end), hole in parts:
        run = line[start:end]
        found += line[last:start] + (run if hole is None else _with_hole(run, *hole))
        last = end
    return found.strip()


def _with_hole(run: str, ahead: int, behind: int) -> str:
    tokens = list(TOKEN.finditer(run))
    start = tokens[ahead - 1].end() if ahead else 0
    end = tokens[len(tokens) - behind].start() if behind else len(run)
    return run[:start] + HOLE + run[end:]
