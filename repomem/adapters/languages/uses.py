"""The references of a file, each with its enclosing definition and whether the name is a local variable.

Variables are recognised by the text of a line, in all languages: a wrong match makes an answer less certain, but not
wrong. Pure.
"""

from collections.abc import Iterator, Sequence

from repomem.core.text.lazy_pattern import lazy_pattern
from repomem.core.types.code import CALLABLES, Definition, Outline, Reference, Use

_METHODS = frozenset({"method", "constructor"})
_SELF = frozenset({"self", "this", "cls", "Self", "$this", "static", "@self", "__MODULE__"})
_TYPE_FIRST = frozenset({"java", "c", "cpp", "objc", "c_sharp", "php", "dart"})  # `String name`, not `name: String`
_GO_RECEIVER = lazy_pattern(r"func \((\w+) ")
_PARAMETERS = lazy_pattern(r"[(,]\s*(?:mut\s+)?[*&$.]*(\w+)")
_PARAMETERS_LAST = lazy_pattern(r"(\w+)\s*(?=[,)=])")
_BEFORE = 80  # bytes that are read for what makes a name a variable
_SET = lazy_pattern(rb"[ \t]*(?:,[\w \t,$]*)?(?::[^=\n(){}]*)?=(?![=>~])")  # at the start of its line: `a, b: int =`
_BOUND = lazy_pattern(rb"[ \t]*(?:,[\w \t,$]*)?:=|[\w$, \t]*\)?[ \t]*=>")  # anywhere: `a, b :=`, `(a, b) =>`
_LINE_TO_SET = lazy_pattern(rb"[ \t]*[\w$, \t]*\Z")
_OTHERS = rb"(?:[\w$]+[ \t]*,[ \t]*)*"  # names that are given a value along with it
_BINDER = lazy_pattern(
    rb"(?:\b(?:(?:let|const|var|val|mut|auto|as)[ \t]+)+[({\[]?[ \t]*" + _OTHERS
    + rb"|\b(?:for|foreach)[ \t(]+(?:(?:let|const|var|val|auto)[ \t]+)?\(?" + _OTHERS
    + rb"|(?<=[ \t(,=:])func(?:tion)?[ ]*\((?:[^()]*,[ \t]*)?|\blambda[ ](?:[^:\n]*,[ ]*)?\*{0,2}"
    rb"|(?<!\|)\|(?:\w[^|\n]*,[ ]*)?&?(?:mut[ ])?)\Z"
)  # fmt: skip


_DECLARES_TYPE = lazy_pattern(rb"\s*@(?:spec|type|typep|opaque|callback|macrocallback)\b")


def uses_of(data: bytes, outline: Outline, language: str) -> Iterator[Use]:
    """The references of a file except its imports, in order."""
    around: list[Definition] = []
    waiting = iter(outline.definitions)
    upcoming = next(waiting, None)
    scopes = _Scopes(data, language)
    declares = _lines_of_types(data) if language == "elixir" else frozenset()
    for reference in outline.references:
        while upcoming and upcoming.start_line <= reference.line:
            around.append(upcoming)
            upcoming = next(waiting, None)
        around = [each for each in around if each.end_line >= reference.line]
        if reference.kind != "import" and reference.line not in declares:
            yield _use(reference, around, scopes)


def _lines_of_types(data: bytes) -> frozenset[int]:
    """The lines of Elixir's `@spec build(t) :: t` and similar: declarations that look like calls."""
    lines = enumerate(data.split(b"\n"), start=1)
    return frozenset(number for number, line in lines if _DECLARES_TYPE.match(line))


def _use(reference: Reference, around: Sequence[Definition], scopes: "_Scopes") -> Use:
    method = next((each for each in reversed(around) if each.kind in _METHODS), None)
    receiver, is_local = reference.receiver, False
    if receiver in _SELF or (receiver and method and receiver == _own_name(method, scopes.language)):
        receiver = "self"
    elif not receiver:
        is_local = scopes.binds([each for each in around if each.kind in CALLABLES], reference.name)
    within = around[-1].qualified if around else ""
    owner = method.qualified.rpartition(".")[0] if method else ""
    return Use(reference.name, reference.kind, reference.line, receiver, within, owner, is_local)


def _own_name(method: Definition, language: str) -> str:
    """The name of a Go method's receiver; empty in other languages, whose keyword is known."""
    found = _GO_RECEIVER.match(method.signature) if language == "go" else None
    return found[1] if found else ""


class _Scopes:
    """The local names of a file's functions, cached per query."""

    def __init__(self, data: bytes, language: str) -> None:
        self.language = language
        self._data = data
        self._pattern = _PARAMETERS_LAST if language in _TYPE_FIRST else _PARAMETERS
        self._parameters: dict[int, frozenset[str]] = {}  # by the start of the function
        self._answers: dict[tuple[int, str], bool] = {}

    def binds(self, functions: Sequence[Definition], name: str) -> bool:
        """Whether one of these nested functions has a parameter or variable with this name."""
        if not functions:
            return False
        if any(name in self._parameters_of(each) for each in functions):
            return True
        outermost = functions[0]
        key = outermost.start_byte, name
        if key not in self._answers:
            self._answers[key] = self._sets(name.encode(), outermost.start_byte, outermost.end_byte)
        return self._answers[key]

    def _parameters_of(self, function: Definition) -> frozenset[str]:
        if function.start_byte not in self._parameters:
            signature = function.signature.partition(") (")[0]  # Go's results are not parameters
            opening = signature.find(f"{function.name}(")
            found = self._pattern.findall(signature[opening:]) if opening >= 0 else ()
            self._parameters[function.start_byte] = frozenset(found)
        return self._parameters[function.start_byte]

    def _sets(self, name: bytes, start: int, end: int) -> bool:
        data = self._data
        at = data.find(name, start, end)
        while at >= 0:
            after = at + len(name)
            if not _is_word(data[at - 1 : at]) and not _is_word(data[after : after + 1]) and self._is_set(at, after):
                return True
            at = data.find(name, after, end)
        return False

    def _is_set(self, start: int, end: int) -> bool:
        """Whether the name is assigned there."""
        before = self._data[max(0, start - _BEFORE) : start]
        if _BOUND.match(self._data, end) or _BINDER.search(before):
            return True
        line = before[before.rfind(b"\n") + 1 :]
        return bool(_SET.match(self._data, end) and _LINE_TO_SET.match(line))


def _is_word(character: bytes) -> bool:
    return character.isalnum() or character == b"_"
