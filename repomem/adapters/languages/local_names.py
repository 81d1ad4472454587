"""The names that are local to a function, which a fingerprint ignores.

Renaming a parameter or variable has no effect outside its function. `queries/locals` has the patterns that bind such
names; a language without a file there has none, and each rename counts as a change.
"""

from bisect import bisect_left
from collections.abc import Iterator, Sequence, Set as AbstractSet
from dataclasses import dataclass

from tree_sitter import QueryCursor, Tree

from repomem.adapters.languages.parsers import locals_query_of
from repomem.core.text.lazy_pattern import lazy_pattern

_OPENING = lazy_pattern(rb"\((\w+)")  # the mark of a node
_ACCESS = frozenset({b".", b"->", b"::", b"?.", b"&."})  # a name after one is another object's
# The first leaf of these names a key or a parameter of another function; of the last two each leaf may be a key.
_KEYED = frozenset(
    b"keyword_argument pair pair_pattern keyed_element field_initializer value_argument argument named_argument".split()
)
_KEYS = frozenset(b"object object_pattern".split())


@dataclass(frozen=True, slots=True)
class LocalNames:
    """Where names are bound in a file, ordered by position."""

    starts: Sequence[int]
    names: Sequence[bytes]

    def within(self, start: int, end: int) -> AbstractSet[bytes]:
        """The names that are bound between two positions."""
        return frozenset(self.names[bisect_left(self.starts, start) : bisect_left(self.starts, end)])


def local_names(tree: Tree, language: str) -> LocalNames:
    """The places of a file that bind a local name."""
    query = locals_query_of(language)
    nodes = QueryCursor(query).captures(tree.root_node).get("local", []) if query else []
    bound = sorted((node.start_byte, node.text or b"") for node in nodes)
    return LocalNames([at for at, _ in bound], [name for _, name in bound])


def without_local_names(tokens: Sequence[bytes], names: AbstractSet[bytes]) -> Iterator[bytes]:
    """The tokens of a definition with each local name replaced by the number of its first use."""
    numbers: dict[bytes, int] = {}
    opened: list[bytes] = []
    before = b""
    for token in tokens:
        if mark := _OPENING.fullmatch(token):
            opened.append(mark[1])
        elif token == b")" and opened:
            opened.pop()
        elif token in names and before not in _ACCESS and not _is_key(opened, before):
            before = token
            yield b"\0%d" % numbers.setdefault(token, len(numbers))
            continue
        before = token
        yield token


def _is_key(opened: Sequence[bytes], before: bytes) -> bool:
    """Whether a name at this place is not a variable: `key: value`, `f(key=value)`, `{key}`."""
    inner = opened[-1] if opened else b""
    return inner in _KEYS or (inner in _KEYED and before == b"(" + inner)
