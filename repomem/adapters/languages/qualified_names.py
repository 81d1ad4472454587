"""Splits qualified names in the syntax of each language, and finds the receiver of a name."""

from repomem.adapters.languages.doc_comments import decoded, folded
from repomem.adapters.languages.grammar import Grammar
from repomem.core.text.lazy_pattern import lazy_pattern

_NO_RECEIVERS = frozenset({"exports", "module.exports", "this", "self"})  # they name no definition
MAX_RECEIVER = 100  # bytes before a name that are read for its qualifier
# The qualifier of a name, read backwards from its start
_REVERSED_RECEIVER = lazy_pattern(
    rb"(?:\s*[?!&]?\.(?!\.)\??\s*|>-\??\s*|(?P<joint>::|\\))"
    rb"(?P<names>[\w$@]+(?:(?:\.\??|::|>-\??|\\)[\w$@]+)*)?\s*(?P<before>\S{1,3})?"
)
_BEFORE_NAMES = frozenset(b" \t\n\r\f\v?!&.>:\\")  # that a receiver's end matches; most calls follow a bracket
_GENERICS = lazy_pattern(r"<[^<>]*>")
_JOINTS = lazy_pattern(r"::|\??->|\?\.|\\")
_ABSOLUTE = frozenset({b"::", b"\\"})  # begin a name of the outermost scope
UNKNOWN_RECEIVER = "?"
_QUOTES = frozenset("\"'`")


def name_parts(name: str, grammar: Grammar) -> list[str]:
    """Split a qualified name as its language writes it; the last part is the name itself."""
    if name.isidentifier() or not any(map(str.isalnum, name)):  # the latter is an operator
        return [name]
    if name[0] in _QUOTES and name.find(name[0], 1) == len(name) - 1:
        return [name[1:-1]]  # whatever it holds is one name
    if grammar.separators:
        name = name.lstrip(":")  # of a symbol
    if "<" in name:
        name = _without_generics(name)
    for separator in grammar.separators:
        name = name.replace(separator, ".")
    parts = name.split(".") if grammar.separators else [name]
    return [folded(part) for part in parts if part.strip()] or [""]


def _without_generics(name: str) -> str:
    """The name without its type arguments; those of an operator's name are kept."""
    owner, operator, symbol = name.partition("operator")
    while (bare := _GENERICS.sub("", owner)) != owner:
        owner = bare
    return owner + operator + symbol


def receiver_parts(receiver: str) -> list[str]:
    if receiver in _NO_RECEIVERS:
        return []
    return receiver.removesuffix(".prototype").replace('"', "").split(".")  # SQL quotes the names of schemas


def receiver_of(data: bytes, start: int, grammar: Grammar) -> str:
    """The receiver of the name at an offset, as in `Reference`."""
    if not start or data[start - 1] not in _BEFORE_NAMES:
        return ""
    before = data[max(0, start - MAX_RECEIVER) : start]
    if ":" in grammar.separators and before.endswith(b":") and not before.endswith(b"::"):
        before = before[:-1] + b"."
    found = _REVERSED_RECEIVER.match(before[::-1])
    if found is None:
        return ""
    names, joint, before = ((found[part] or b"")[::-1] for part in ("names", "joint", "before"))
    if not names and data[max(0, start - MAX_RECEIVER) : start].rstrip(b". \t\r\n").endswith(b"super()"):
        return "super"
    if not names:
        is_of_all = joint in _ABSOLUTE and not before.endswith((b">", b")"))
        return "" if is_of_all else UNKNOWN_RECEIVER
    is_more = before.endswith((b".", b"->", b">::", b")::")) and not before.endswith(b"..")
    return UNKNOWN_RECEIVER if is_more else _JOINTS.sub(".", decoded(names))
