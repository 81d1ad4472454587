"""Hides macros that annotate declarations from the C and C++ parsers, whose trees they would break.

Hidden text becomes blanks of the same length, so that positions stay valid. Each pattern is strict: it matches only
where the code would be invalid if the macro were anything else, or it matches names of a standard. Pure.
"""

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from repomem.core.text.lazy_pattern import lazy_pattern

Span = tuple[int, int]

# A macro for export, deprecation, or linkage; shorter names are type parameters and types
_MACRO = rb"[A-Z_][A-Z0-9_]{2,}\b"
_ARGUMENTS = rb"\((?:[^()\n]|\([^()\n]*\)){0,200}\)"
_PARAMETERS = rb"\((?:[^();{}]|\([^();{}]*\)){0,500}\)"
_NAME = rb"[A-Za-z_]\w*(?:::[~A-Za-z_]\w*)*"
_TYPE = _NAME + rb"(?:<[^;{}()]{0,200}>)?"
_QUALIFIER = rb"(?:const|constexpr|extern|inline|static|volatile)\b"

_CALLING_CONVENTION = lazy_pattern(  # `BOOL WINAPI name(`
    rb"(?<!define[ ])(?<!def[ ])\b(?P<hidden>WINAPI|APIENTRY|NTAPI|STDCALL|JNICALL|ZEXPORT|"
    rb"[A-Z][A-Z0-9_]*_(?:CALL|CALLCONV|CALL_CONVENTION|CDECL|STDCALL))(?=\s+" + _NAME + rb"\s*\()"
)
_THREAD_SAFETY = lazy_pattern(  # https://clang.llvm.org/docs/ThreadSafetyAnalysis.html, with a project's prefix
    rb"(?<=[\w)\]>])(?<!define)\s+(?P<hidden>(?:[A-Z]+_)?(?:(?:PT_)?GUARDED_BY|ACQUIRED_(?:BEFORE|AFTER)|"
    rb"(?:EXCLUSIVE|SHARED)_LOCKS_REQUIRED|LOCKS_EXCLUDED|LOCK_RETURNED|(?:EXCLUSIVE_|SHARED_)?(?:UN)?LOCK_FUNCTION|"
    rb"(?:EXCLUSIVE|SHARED)_TRYLOCK_FUNCTION|ASSERT_(?:EXCLUSIVE|SHARED)_LOCK)" + _ARGUMENTS + rb")"
)
_TYPE_HEAD = lazy_pattern(  # `class FOO_API Name final : Base {`
    rb"\b(?:class|struct|union|enum(?:[ ]+(?:class|struct))?)\s+"
    rb"(?P<hidden>(?:" + _MACRO + rb"(?:[ \t]*" + _ARGUMENTS + rb")?\s+){1,6})"
    rb"(?=" + _TYPE + rb"\s*(?:final\b\s*)?(?::[^;{}]{0,1000})?\{)"
)
_TYPE_NAME_END = lazy_pattern(  # `class FOO_API Name FOO_FINAL : Base {`: the name is not in capitals
    rb"\b(?:class|struct|union)\s+(?:" + _MACRO + rb"(?:[ \t]*" + _ARGUMENTS + rb")?\s+){0,6}"
    rb"(?=\w*[a-z])" + _TYPE + rb"\s+(?P<hidden>" + _MACRO + rb")(?=\s*(?::(?!:)[^;{}]{0,1000})?\{)"
)
_DECLARATOR_END = lazy_pattern(  # `void name() const FOO_OVERRIDE;`, `~Type() FOO_DEFAULT;`: no type, so no declaration
    rb"^[ \t]*(?!(?:else|do)\b)(?:(?:" + _TYPE + rb"[\s*&]+){1,6}|(?:virtual[ \t]+)?~)"
    rb"" + _NAME + rb"\s*" + _PARAMETERS + rb"\s*(?:const\b\s*)?(?P<hidden>(?:" + _MACRO + rb"\s*){1,3})(?=[;{])",
    re.MULTILINE,
)
_DECLARATION_HEAD = lazy_pattern(  # `FOO_API Type *name(`, `static FOO_CONST Type name[`: three names in a row
    rb"^(?<!\\\n)(?<!\\\r\n)[ \t]*(?:(?:" + _QUALIFIER + rb"|virtual|friend|extern[ ]\"C\")[ \t]+)*"
    rb"(?P<hidden>(?:" + _MACRO + rb"(?:[ \t]*" + _ARGUMENTS + rb"[ \t]+|\s+)){1,6})"
    rb"(?!(?:" + _QUALIFIER + rb"[\s*&]+)*(?:operator\b|\w+\s*[(;=\[]))"  # else the macro itself is the type
    rb"(?=(?:" + _TYPE + rb"[\s*&]+){1,6}" + _NAME + rb"\s*[(;=\[])",
    re.MULTILINE,
)
_INLINE_MARK = lazy_pattern(  # `void FOO_INLINE Type::name(`: what follows a keyword is not a type
    rb"\b(?:void|bool|char|double|float|auto|size_t|u?int\d*(?:_t)?)[ \t]+(?P<hidden>" + _MACRO + rb")"
    rb"(?=[ \t]+" + _NAME + rb"[ \t]*\()"
)
_CONSTRUCTOR_HEAD = lazy_pattern(  # `FOO_INLINE ns::Type::Type(`, `FOO_INLINE Type::~Type(`: they have no type
    rb"^[ \t]*(?:(?:inline|explicit|constexpr)[ \t]+)*(?P<hidden>" + _MACRO + rb"\s+)"
    rb"(?=(?:\w+::)*(\w+)(?:<[^;{}()]{0,200}>)?::~?\2\s*\("
    rb"|\w+\s*\([^;{}]{0,500}?\)\s*(?:noexcept\b\s*)?:(?!:)\s*[A-Za-z_][\w:]*\s*[({])",  # or with initializers
    re.MULTILINE,
)
_RETURN_TYPE = lazy_pattern(  # `FOO_API(Type *) name(`
    rb"^(?P<hidden>" + _MACRO + rb"\()[\w \t*]+(?P<closing>\))(?=[ \t]+\*?" + _NAME + rb"[ \t]*\()", re.MULTILINE
)
_DECLARED_NAME = lazy_pattern(  # `typedef int FOO_CALLBACK(name)(`, `int PRIVATE(name)(`
    rb"(?<=[\w*])(?<!define)(?:[ \t]+|[ \t]*\r?\n[ \t]*)\*?(?P<hidden>" + _MACRO + rb"\()\w+(?P<closing>\))(?=[ \t]*\()"
)
_BLOCK_MARK = lazy_pattern(  # `FOO_BEGIN_DECLS` alone on its line, which the tree takes for the next declaration's type
    rb"(?:^|[;{}]\s*^[ \t]+)(?P<hidden>(?:[A-Z0-9_]+_|_*)(?:BEGIN|END)(?:_[A-Z0-9_]*)?)[ \t]*\r?$(?!\s*[,=])",
    re.MULTILINE,
)
_BLOCK_HEAD = lazy_pattern(  # `FOO_TRY {` in a function, which the tree takes for a value of that type
    rb"[;{})]\s*(?P<hidden>" + _MACRO + rb"(?:(?<=TRY)|(?=\s)))(?=\s*\{)"
)
_BLOCK_END = lazy_pattern(rb"[;}]\s*^[ \t]*(?P<hidden>" + _MACRO + rb")\s*$(?=\s*\})", re.MULTILINE)
_BRANCHED_INITIALIZERS = lazy_pattern(  # `#if` between the members that a constructor initializes
    rb"\)\s*(?:noexcept\s*)?:(?!:)[^;{}#]{0,500}(?:^[ \t]*#[ \t]*(?:if|el|endif)[^\n]*\n[^;{}#]{0,500})+", re.MULTILINE
)
_BRANCH = lazy_pattern(  # an `#if` of at most 20 lines, without another one in it
    rb"^[ \t]*(?P<start>#[ \t]*if[^\n]*)\n(?P<body>(?:(?![ \t]*#)[^\n]*\n){1,20}?)[ \t]*"
    rb"(?:(?P<other>#[ \t]*el(?:se|if)\b[^\n]*\n(?:(?![ \t]*#[ \t]*(?:if|endif))[^\n]*\n){1,40}[ \t]*#[ \t]*endif\b"
    rb"[^\n]*)|(?P<end>#[ \t]*endif\b[^\n]*))\n",
    re.MULTILINE,
)
_GOES_ON = lazy_pattern(  # at the end of lines: the statement is not complete
    rb"(?:(?<![=/*\-])[=?]|&&|\|\|?|[(+]|\belse|^[ \t]*(?:else[ \t]+)?(?:if|while|for)\b[^;\n]*\))\s*\Z", re.MULTILINE
)
_CONTINUES = lazy_pattern(rb"\s*(?:else\b|&&|\|\||[?+]|:(?!:))")
_NO_CODE = lazy_pattern(rb"[ \t]*(?:#|/[/*]|\*[ \t*/])|.*//")
_DIRECTIVE = lazy_pattern(rb"^[ \t]*(?P<hidden>#[^\n]*)", re.MULTILINE)
# With what a file must contain for a match, which is found faster. In order: a calling convention is not a type, and
# `BOOL name(` is a declaration without a macro.
_PATTERNS: tuple[tuple[re.Pattern[bytes], tuple[bytes, ...]], ...] = (
    (_CALLING_CONVENTION, (b"WINAPI", b"APIENTRY", b"NTAPI", b"STDCALL", b"JNICALL", b"ZEXPORT", b"_CALL", b"_CDECL")),
    (_THREAD_SAFETY, (b"GUARDED_BY", b"_REQUIRED", b"_EXCLUDED", b"LOCK_", b"_LOCK(", b"ACQUIRED_")),
    (_TYPE_NAME_END, (b"{",)),
    (_TYPE_HEAD, (b"",)),
    (_RETURN_TYPE, (b"",)),
    (_INLINE_MARK, (b"",)),
    (_CONSTRUCTOR_HEAD, (b":",)),
    (_BLOCK_HEAD, (b"{",)),
    (_BLOCK_END, (b"}",)),
    (_DECLARED_NAME, (b")(", b") (")),
    (_BLOCK_MARK, (b"BEGIN", b"END")),
    (_DECLARATION_HEAD, (b"",)),
    (_DECLARATOR_END, (b")",)),
)

_MACRO_NAME = lazy_pattern(rb"\b" + _MACRO + rb"(?P<opening>[ \t]*\()?")
_SOLID = lazy_pattern(rb"\S")
_NO_LINE_END = lazy_pattern(rb"[^\r\n]")


class Hidden(NamedTuple):
    """What is hidden from the parser, ordered by start, and the code without it."""

    spans: tuple[Span, ...]
    code: bytes


def hidden_in(data: bytes) -> Hidden:
    """The annotating macros of a file, and the directives within a statement or a list of initializers."""
    spans: list[Span] = []
    for region in _BRANCHED_INITIALIZERS.finditer(data):
        spans += (each.span("hidden") for each in _DIRECTIVE.finditer(data, *region.span()))
    spans += _directives_within_statements(data)
    seen = blanked(data, spans) if spans else data
    for pattern, needed in _PATTERNS:
        if any(text in data for text in needed):
            found = [each.span(group) for each in pattern.finditer(seen) for group in each.groupdict()]
            seen = blanked(seen, found) if found else seen
            spans += found
    return Hidden(tuple(sorted(spans)), seen)


def _directives_within_statements(data: bytes) -> Iterator[Span]:
    """The `#if` and `#endif` lines that split a statement, and the text from `#else` to `#endif`."""
    last = -1  # where the last one that split a statement ended
    for found in _BRANCH.finditer(data) if b"#" in data else ():
        before = data[max(0, data.rfind(b"\n", 0, found.start() - 1)) : found.start()]
        is_open = _GOES_ON.search(before) and not _NO_CODE.match(before.lstrip(b"\n"))
        if is_open or last == found.start() or _is_part(found["body"]):
            last = found.end()
            yield from (found.span(group) for group in ("start", "other", "end") if found[group])


def _is_part(body: bytes) -> bool:
    """Whether lines begin or end in the middle of a statement, or open a block that later lines close."""
    is_open = body[:1] in b" \t" and body.count(b"{") != body.count(b"}")
    return is_open or bool(_GOES_ON.search(body) or _CONTINUES.match(body))


def blanked(data: bytes, spans: Iterable[Span]) -> bytes:
    """The bytes with the spans as blanks; line ends remain."""
    text = bytearray(data)
    for start, end in spans:
        text[start:end] = _NO_LINE_END.sub(b" ", data[start:end])
    return bytes(text)


def declaration_starts(hidden: Hidden) -> dict[int, int]:
    """The starts of declarations with their leading macros, by their starts without."""
    starts: dict[int, int] = {}
    for start, end in hidden.spans:
        if follows := _SOLID.search(hidden.code, end):
            starts.setdefault(follows.start(), start)
    return starts


def macro_uses(data: bytes, spans: Iterable[Span]) -> Iterator[tuple[int, str, str]]:
    """The position, reference kind and name of each macro in the spans."""
    for start, end in spans:
        if data[start : start + 1] != b"#":
            for found in _MACRO_NAME.finditer(data, start, end):
                name = found[0].rstrip(b" \t(").decode()
                yield found.start(), "call" if found["opening"] else "type", name
