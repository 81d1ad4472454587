"""The name that a single line defines, for history, which has lines but no files to parse.

Only clear starts of definitions match: a missed definition costs little, but a wrong one would assign a commit to
unchanged code.
"""

import re
from collections.abc import Sequence
from functools import lru_cache
from pathlib import PurePosixPath

from repomem.adapters.languages.file_roles import is_test
from repomem.core.text.lazy_pattern import lazy_pattern

C_FAMILY = (".c", ".cc", ".cpp", ".cxx", ".h", ".hh", ".hpp", ".hxx")
C_LIKE = (*C_FAMILY, ".cs", ".dart", ".java", ".kt", ".kts", ".php")
SCRIPT_LIKE = (".cjs", ".cts", ".js", ".jsx", ".mjs", ".mts", ".ts", ".tsx")
SHELL_LIKE = (".bash", ".sh")
RUBY_LIKE = (".gemspec", ".rake", ".rb")
OTHERS = (".ex", ".exs", ".go", ".py", ".pyi", ".sbt", ".scala", *RUBY_LIKE)

MODIFIERS = (
    "abstract|actual|annotation|async|case|companion|const|constexpr|convenience|data|declare|default|expect|export|"
    "extern|external|fileprivate|final|friend|implicit|indirect|infix|inline|inner|internal|lazy|local|mutating|new|"
    "nonisolated|open|operator|opaque|override|partial|private|protected|pub|public|readonly|required|sealed|static|"
    "suspend|tailrec|typedef|unsafe|value|virtual"
)
KEYWORDS = (
    "actor|class|data|def|defimpl|defmacro|defmacrop|defmodule|defp|defprotocol|enum|extension|fn|fun|func|function|"
    "given|instance|interface|macro_rules!|mixin|mod|module|namespace|newtype|object|protocol|record|struct|trait|type|"
    "union"
)
FOLLOWERS = "as|derives|do|extends|final|for|func|implements|interface|is|permits|struct|throws|where|with"
NAME = r"(?P<name>[A-Za-z_$~][\w$']*(?:(?:\.|::|:)[A-Za-z_~][\w$]*)*[?!]?)"
BY_KEYWORD = lazy_pattern(
    rf"\s*(?:(?:{MODIFIERS})(?:[(\[][\w ]*[)\]])?\s+|@[\w.]+(?:\([^)]*\))?\s+)*"
    rf"(?:enum class|enum struct|{KEYWORDS})\*?\s+"
    r"(?:\([^)]*\)\s*)?(?:<[^>]*>\s*)?"  # Go's receiver; type parameters
    rf"{NAME}(?=\s*(?:$|[(:{{<\[=;,])|\s+(?:(?:{FOLLOWERS})\b)|(?:\s+[a-z]\w*)+\s+(?:=|where\b))"
)
IMPLEMENTATION = lazy_pattern(r"\s*(?:unsafe\s+)?impl(?:<.*?>)?\s+(?:.*\s+for\s+)?&?(?:\w+::)*(?P<name>\w+)")
NAMED_FUNCTION = lazy_pattern(r".*\bfunction\*?\s+(?P<name>[A-Za-z_$][\w$]*)\s*\(")
ASSIGNED = lazy_pattern(
    r"\s*(?:export\s+)?(?:pub\s+)?(?:(?:const|let|var|val|local)\s+)?(?P<name>[A-Za-z_$][\w$.]*)\s*"
    r"(?:=|:\s*(?=(?:async\s+)?function)|:[^=]*=)\s*(?:async\s*)?"
    r"(?:function\b|\([^()]*\)[^=()]*=>|\w+\s*=>|class\b|(?:packed\s+|extern\s+)?(?:struct|enum|union|opaque)\b)"
)
SIGNATURE = lazy_pattern(r"(?P<name>[a-z_][\w']*)\s*::")
TYPED_CALLABLE = lazy_pattern(
    r"\s*(?:(?:[A-Za-z_@\[]|<[A-Za-z])[\w$<>\[\],.:*&?@]*\s+[*&]*)+"
    r"(?P<name>[A-Za-z_~][\w$]*(?:::~?\w+)*)\s*(?:<[\w ,.?\[\]]*>)?\s*\((?!\s*[*^])"
    r"(?:(?!.*;\s*$)|(?=.*\)\s*=>))"  # C#: `int Size() => 1;`
)
OF_MACRO = lazy_pattern(  # `FOO_API(Type *) name(`, `int FOO_CALLBACK(name)(`, `TEST_F(Suite, name) {`
    r"\s*(?:\w+\s+)*[A-Z][A-Z0-9_]+\([\w\s*&:]+\)\s*[*&]*(?P<name>[A-Za-z_]\w*)\s*\("
    r"|\s*(?:[A-Za-z_]\w*\s+[*&]*)+[A-Z][A-Z0-9_]+\((?P<inner>\w+)\)\s*\("
    r"|[A-Z][A-Z0-9_]+\((?:\w+,\s*)?(?P<second>[A-Za-z_]\w*)\)\s*\{\s*$"
)
FUNCTION_POINTER = lazy_pattern(r"\s*typedef\b.*\(\s*(?:\w+\s+)?\*\s*(?P<name>\w+)\)\s*\(")
METHOD = lazy_pattern(
    r"\s*(?:(?:static|async|public|private|protected|override|get|set)\s+)*"
    r"(?P<name>[#A-Za-z_$][\w$-]*)(?:<[^()]*>)?\s*\((?!['\"`])(?!.*(?:\bfunction\b|=>)).*\)[^()]*\{\s*$"
)
OPEN_METHOD = lazy_pattern(  # a method whose parameters are on the following lines
    r"\s*(?:(?:static|async|public|private|protected|override|get|set)\s+)+"
    r"(?P<name>[#A-Za-z_$][\w$-]*)(?:<[^()]*>)?\s*\([^()]*$"
)
INITIALIZER = lazy_pattern(r"\s*(?:@[\w.]+\s+|[a-z]+\s+)*(?P<name>(?:init|subscript)(?=[?!]?\s*[<(])|deinit(?=\s*\{))")
SHELL_FUNCTION = lazy_pattern(r"\s*(?P<name>[\w:.-]+)\s*\(\s*\)")
FIRST_WORD = lazy_pattern(r"[\s}]*(\w+)")
NO_DEFINITION = lazy_pattern(r"\s*(?:[*#/;]|--|\"|')(?!\w)|\s*//")  # comments; but JavaScript's #private
ATTRIBUTES = r"\[[A-Z].*\]\s*$"  # of C#, on a line of their own
ASIDE = lazy_pattern(rf"\s*(?:[@*#/}}\])]|--|\"\"\"|'''|{ATTRIBUTES})")  # what may precede or end a definition
ONLY_ATTRIBUTES = lazy_pattern(rf"\s*(?:{ATTRIBUTES})?$")
CONTROL_WORDS = (
    "assert await case catch defined delete do elif else elsif except for foreach goto if in lock new not print return "
    "sizeof super switch synchronized this throw try typeof unless until using when while with yield"
)
CONTROL = frozenset(CONTROL_WORDS.split())
FUNCTION_KEYWORDS = frozenset(["def", "defmacro", "defp", "fn", "fun", "func", "function"])
OF_MODULE = frozenset({"exports"})  # `module.exports = function (x) {` names no function

TAB = 8  # columns; only lines of one file are compared
FLAT = (".hs", *SHELL_LIKE)  # a definition's lines may begin in its own column

CALL_LIKE = (TYPED_CALLABLE, METHOD, INITIALIZER)  # a call or a condition may look like these
RULES = {
    **dict.fromkeys(OTHERS, (BY_KEYWORD,)),
    **dict.fromkeys(C_LIKE, (BY_KEYWORD, TYPED_CALLABLE)),
    **dict.fromkeys(C_FAMILY, (FUNCTION_POINTER, OF_MACRO, BY_KEYWORD, TYPED_CALLABLE)),
    **dict.fromkeys(SCRIPT_LIKE, (BY_KEYWORD, NAMED_FUNCTION, ASSIGNED, METHOD, OPEN_METHOD)),
    **dict.fromkeys(SHELL_LIKE, (BY_KEYWORD, SHELL_FUNCTION)),
    ".hs": (BY_KEYWORD, SIGNATURE),
    ".lua": (BY_KEYWORD, ASSIGNED),
    ".swift": (BY_KEYWORD, INITIALIZER),
    ".rs": (BY_KEYWORD, IMPLEMENTATION),
    ".zig": (BY_KEYWORD, ASSIGNED),
}
_IS_WHOLE = lazy_pattern(r"[;)]\s.*\bend\s*$|\{[^{}]*\}\s*$")  # all in one line: `def empty?; size == 0 end`


def changed_names(path: str, heading: str, lines: Sequence[str]) -> list[str]:
    """The definitions that a hunk changes: those that its lines define, and the enclosing one above them.

    Lines that begin with a definition do not change the one above.
    """
    suffix = _suffix_of(path)
    names = [_name_in(suffix, line) for line in lines]
    begun = (at for at, line in enumerate(lines) if line.strip() and (names[at] or not ASIDE.match(line)))
    first = next(begun, None)  # `@Test void opens() {` on one line is an annotation and a definition
    if all(map(ONLY_ATTRIBUTES.match, lines)):
        return []
    if first is None or names[first] is None:
        names.insert(0, defined_name(path, heading) if is_inside(path, heading, lines) else None)
    return [name for name in names if name]


def is_inside(path: str, heading: str, lines: Sequence[str]) -> bool:
    """Whether a hunk begins inside of what its heading starts and does not end: its first code is indented deeper."""
    if _IS_WHOLE.search(heading):
        return False
    written = filter(str.strip, lines)
    first = above = next(written, None)
    while first is not None and ASIDE.match(first):
        first = next(written, None)
    first = first or above
    return first is not None and (_suffix_of(path) in FLAT or _indentation(first) > _indentation(heading))


def _indentation(line: str) -> int:
    """The column where a line begins; of a line within a block comment, the column of the comment."""
    line = line.expandtabs(TAB)
    begins = line.lstrip()
    return len(line) - len(begins) - begins.startswith("*")


@lru_cache(maxsize=1024)  # a patch asks for each of its lines
def _suffix_of(path: str) -> str:
    return PurePosixPath(path).suffix.lower()


def is_source_code(path: str) -> bool:
    """Whether definitions are recognised in a file of this name, and it is no test."""
    return _suffix_of(path) in RULES and not is_test(path)


def defined_name(path: str, line: str) -> str | None:
    """The unqualified name of the definition that starts in this line; None without one."""
    return _name_in(_suffix_of(path), line)


@lru_cache(maxsize=1 << 15)  # a commit's lines are asked for twice: for its symbols and for its line changes
def _name_in(suffix: str, line: str) -> str | None:
    rules = RULES.get(suffix, ())
    if not rules or NO_DEFINITION.match(line):
        return None
    first = FIRST_WORD.match(line)
    is_statement = first is not None and first[1] in CONTROL
    for rule in rules:
        if is_statement and rule in CALL_LIKE:
            continue
        found = rule.match(line)
        group = (found and found.lastgroup) or "name"
        if found and (found[group] not in CONTROL or _is_after_keyword(line, found.start(group))):
            last = re.split(r"[.:]+", found[group])[-1]
            return None if last in OF_MODULE else last
    return None


def _is_after_keyword(line: str, start: int) -> bool:
    """Whether the word at `start` is a function's name, whatever it means in other languages: Rust's `fn new()`."""
    before = line[:start].split()
    return bool(before) and before[-1] in FUNCTION_KEYWORDS
