"""Matches added lines of a hunk with the removed lines that they replace, and detects changes of layout only.

Words and punctuation are aligned in order, so that lines which a formatter split or joined are matched. A change of
quotes is layout, unless only one kind may interpolate; adding or removing quotes is not: in PHP, `<<<'EOF'` differs
from `<<<EOF`. Nor is a change of a text literal without a word, such as `', '`.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from difflib import Match, SequenceMatcher
from itertools import count

from repomem.core.text.lazy_pattern import lazy_pattern
from repomem.history.lines.patch_lines import SHORTEST, is_comment, is_keyword, line_hash, with_marked_separators

REACH = 60  # lines between two equal ones that are aligned word by word; more is a rewrite
LIKE = 0.5  # of a line's words: the share in common with the removed line that it replaces
KEPT = 3  # distinct names of a removed line that prove it, however much was added to it

_TOKEN = lazy_pattern(r"\w+|[^\w\s]")
_LAYOUT = frozenset(",;\\")  # what formatters add and remove
_QUOTES = lazy_pattern("['\"`]")
_INTERPOLATED = lazy_pattern(r"\$|#\{")  # within some quotes, in PHP, Ruby, shells and JavaScript
_BRACKETS = frozenset("()")  # the same, where they split or join lines


@dataclass(frozen=True, slots=True)
class FormerLine:
    """The removed line that an added line was before."""

    index: int  # among the removed lines
    is_layout: bool  # only layout changed: white space, quotes, trailing commas, line breaks


@dataclass(frozen=True, slots=True)
class _Token:
    text: str
    line: int


def former_line(removed: Sequence[str], added: Sequence[str], at: int) -> FormerLine | None:
    """The removed line that the added line at index `at` replaces; None if the line is new."""
    old, new = range(len(removed)), range(len(added))
    for same in _equal_lines(removed, added):
        if same.b <= at < same.b + same.size:
            return FormerLine(same.a + at - same.b, is_layout=True)
        if same.b > at:
            old, new = range(old.start, same.a), range(new.start, same.b)
            break
        old, new = range(same.a + same.size, old.stop), range(same.b + same.size, new.stop)
    if not old or max(len(old), len(new)) > REACH:
        return None
    ignored = _LAYOUT if len(old) == len(new) else _LAYOUT | _BRACKETS
    kind = is_comment(added[at])  # code is no former comment, nor the reverse
    before = _tokens(removed, [number for number in old if is_comment(removed[number]) == kind], ignored)
    return _aligned(
        before, _tokens(added, [number for number in new if is_comment(added[number]) == kind], ignored), at
    )


def _equal_lines(removed: Sequence[str], added: Sequence[str]) -> list[Match]:
    """Runs of lines that differ in layout only; short lines are everywhere and prove nothing."""
    unlike = count()
    old, new = (
        [line_identity(line) if len(line.strip()) >= SHORTEST else (next(unlike),) for line in lines]
        for lines in (removed, added)
    )
    blocks = SequenceMatcher(None, old, new, autojunk=False).get_matching_blocks()
    return [block for block in blocks if block.size]


def line_identity(line: str) -> tuple[int | str, ...]:
    """Equal for lines that differ in layout only."""
    return line_hash(line), *_quotes(line)


def _quotes(line: str) -> list[str]:
    """The quotes of a line, all alike if the line would be the same in others."""
    quotes = _QUOTES.findall(line)
    return quotes if _INTERPOLATED.search(line) else ['"'] * len(quotes)


def _tokens(lines: Sequence[str], within: Iterable[int], ignored: frozenset[str]) -> list[_Token]:
    found = []
    for at in within:
        line = with_marked_separators(lines[at])
        quotes = iter(_quotes(line))
        texts = (next(quotes) if _QUOTES.match(text) else text for text in _TOKEN.findall(line))
        found += [_Token(text, at) for text in texts if text not in ignored]
    return found


def _aligned(old: Sequence[_Token], new: Sequence[_Token], at: int) -> FormerLine | None:
    pairs = _pairs(old, new)
    weights = _weights([token.text for token in new if token.line == at])
    by_line: dict[int, int] = defaultdict(int)
    for place, before in pairs.items():
        if new[place].line == at:
            by_line[old[before].line] += weights[new[place].text]
    total = sum(weights[token.text] for token in new if token.line == at)
    best = max(by_line, key=lambda line: (by_line[line], -line), default=0)
    if not by_line or (sum(by_line.values()) < LIKE * total and not _is_kept(old, pairs, best)):
        return None
    is_layout = _is_relaid(old, new, pairs, at)
    is_telling = any(weight > 1 for weight in weights.values())  # else it has keywords and punctuation only
    return FormerLine(best, is_layout) if is_layout or (is_telling and _is_proven(old, new, pairs, at, best)) else None


def _is_proven(old: Sequence[_Token], new: Sequence[_Token], pairs: Mapping[int, int], at: int, line: int) -> bool:
    """Whether a new line shares several names with removed ones, or one and half of all tokens of the best."""
    shared = [place for place in pairs if new[place].line == at]
    if len({new[place].text for place in shared if _is_name(new[place].text)}) > 1:
        return True
    return 2 * len(shared) >= max(sum(each.line == at for each in new), sum(each.line == line for each in old))


def _is_kept(old: Sequence[_Token], pairs: Mapping[int, int], line: int) -> bool:
    """Whether all names of a removed line are in the new one, as if an argument had been added to it."""
    places = [at for at, token in enumerate(old) if token.line == line and _is_name(token.text)]
    return len({old[at].text for at in places}) >= KEPT and set(pairs.values()).issuperset(places)


def _is_relaid(old: Sequence[_Token], new: Sequence[_Token], pairs: Mapping[int, int], at: int) -> bool:
    """Whether a new line and all lines connected with it by shared tokens have only shared tokens."""
    fresh, gone, size = {at}, set[int](), 0
    while size < len(fresh) + len(gone):
        size = len(fresh) + len(gone)
        gone |= {old[before].line for place, before in pairs.items() if new[place].line in fresh}
        fresh |= {new[place].line for place, before in pairs.items() if old[before].line in gone}
    kept = set(pairs.values())
    is_whole = all(place in pairs for place, token in enumerate(new) if token.line in fresh)
    return is_whole and all(place in kept for place, token in enumerate(old) if token.line in gone)


def _pairs(old: Sequence[_Token], new: Sequence[_Token]) -> dict[int, int]:
    """Maps the position of each token of the new lines that is also in the old ones to its position there."""
    blocks = SequenceMatcher(
        None, [token.text for token in old], [token.text for token in new], autojunk=False
    ).get_matching_blocks()
    return {block.b + step: block.a + step for block in blocks for step in range(block.size)}


def _weights(texts: Sequence[str]) -> Mapping[str, int]:
    """How much each token of a line counts: names by their length; keywords and punctuation only in a line without."""
    names = {text: len(text) for text in filter(_is_name, texts)}
    return Counter(names) if names else Counter(dict.fromkeys(texts, 1))


def _is_name(text: str) -> bool:
    return (text[0].isalnum() or text[0] == "_") and not is_keyword(text)
