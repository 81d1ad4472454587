"""CMake's `if`: which lines of a CMakeLists.txt apply when it is configured without options.

Options with a literal default are known. No language standard was given, and the project is not part of another one.
Other conditions may hold or not.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate, islice

from repomem.core.text.lazy_pattern import lazy_pattern

_COMMAND = lazy_pattern(
    r"^[ \t]*(if|elseif|else|endif|(?:cmake_dependent_)?option)[ \t]*\(", re.MULTILINE | re.IGNORECASE
)
_FUNCTION = lazy_pattern(
    r"^[ \t]*(function|macro)[ \t]*\([^\n]*\n(?:(?![ \t]*end\1\b)[^\n]*\n){0,400}", re.MULTILINE | re.IGNORECASE
)
_COMMENT = lazy_pattern(r"#[^\n]*")
_OPTION = lazy_pattern(  # of a dependent option: with its condition, and what it is without that
    r"\s*(\w+)\s+(?:\"[^\"]*\"|\S+)\s+(ON|OFF|TRUE|FALSE|YES|NO|1|0)\s*(?:\"[^\"]*\"\s+\S+\s*)?", re.IGNORECASE
)
_BRACKET = lazy_pattern(r"[()]")
_TOKEN = lazy_pattern(r"\"[^\"]*\"|[()]|[^\s()\"]+")
_STANDARD = lazy_pattern(r"(?:defined )?cmake_c(?:xx)?_standard")  # `if(NOT CMAKE_CXX_STANDARD)` sets the default
_IS_WHOLE = lazy_pattern(  # this project is not part of another one
    r"project_is_top_level|\S*cmake_c\w+_dir\S* strequal \S*cmake_s\w+_dir\S*"
    r"|\S*\w+_source_dir\S* strequal \S*\w+_source_dir\S*|cmake_c(?:xx)?_standard strequal"
)
_TESTS = lazy_pattern(r"^[ \t]*(?:enable_testing|include[ \t]*\([ \t]*CTest|add_test)\b", re.MULTILINE | re.IGNORECASE)
_TEST_FOLDER = lazy_pattern(r"^[ \t]*add_subdirectory[ \t]*\([ \t]*(?:unit)?tests?\b", re.MULTILINE | re.IGNORECASE)
_PROGRAM = lazy_pattern(r"\badd_executable[ \t]*\([ \t]*([\w.+-]+)", re.IGNORECASE)
_WORD = lazy_pattern(r"[\w.+-]+")
_USES = (  # of a program, by CTest or a user
    lazy_pattern(r"\badd_test\s*\(([^)]{0,600})", re.IGNORECASE),
    lazy_pattern(r"\binstall\s*\(\s*TARGETS\b([^)]{0,600})", re.IGNORECASE),
)
_LONGEST = 600  # characters of a command; bounds matching time
_MOST_TOKENS = 40  # of a condition; bounds recursion
_DEEPEST = 20  # nested blocks that are read; bounds time
_ON = frozenset({"on", "true", "yes", "1"})

Options = Mapping[str, bool]
"""The options with a literal default, and this default."""
Condition = tuple[str, bool]
"""The text between the parentheses of an `if`, and whether it must hold (after `else`, it must not)."""


def applied(text: str) -> str:
    """The lines under conditions that hold, without functions, which may not be called; they keep their numbers."""
    text = _FUNCTION.sub(lambda function: "\n" * function[0].count("\n"), text)
    return _applied(text, _options(text), maybe=False)


def applied_without_tests(text: str) -> str:
    """The lines that may hold, without those behind options of tests; they keep their numbers.

    Without programs that CTest runs, unless they are installed.
    """
    conditions = {inside for _, around in _lines_with_conditions(text) for inside, _ in around}
    of_tests = {
        name.strip('"${}') for inside in conditions for name in _TOKEN.findall(inside) if "TEST" in name.upper()
    }
    kept = _applied(text, _options(text) | dict.fromkeys(of_tests, False), maybe=True)
    run, installed = ({word for found in each.findall(kept) for word in _WORD.findall(found)} for each in _USES)
    return _PROGRAM.sub(lambda program: "" if program[1] in run - installed else program[0], kept)


def tests_of(text: str) -> tuple[int, str] | None:
    """The line that registers tests with CTest, and the option without which it does not apply, empty without one.

    None if no line registers tests, or no single option switches them on.
    """
    options, has_folder = _options(text), _TEST_FOLDER.search(text)
    telling = (conditions for line, conditions in _lines_with_conditions(text) if _tells_of_tests(line))
    named = {name for conditions in telling for inside, _ in conditions for name in _TOKEN.findall(inside)}
    off = sorted((name for name in named if options.get(name) is False), key=lambda name: ("TEST" not in name, name))
    for switched in ("", *off):
        kept = _applied(text, {**options, switched: True}, maybe=True)
        found = _TESTS.search(kept)
        if found and (not has_folder or _TEST_FOLDER.search(kept)):
            return kept.count("\n", 0, found.end()) + 1, switched
    return None


def _tells_of_tests(line: str) -> bool:
    return bool(_TESTS.match(line) or _TEST_FOLDER.match(line))


def _applied(text: str, options: Options, *, maybe: bool) -> str:
    accepted = (True, None) if maybe else (True,)
    known: dict[Condition, bool | None] = {}
    kept = []
    for line, conditions in _lines_with_conditions(text):
        for condition in conditions:
            if condition not in known:
                known[condition] = _holds(condition, options)
        kept.append(line if all(known[condition] in accepted for condition in conditions) else "")
    return "\n".join(kept)


def _options(text: str) -> dict[str, bool]:
    found = (_OPTION.fullmatch(inside) for name, _, inside in _commands(text) if name.endswith("option"))
    return {option[1]: option[2].lower() in _ON for option in found if option}


def _commands(text: str) -> Iterator[tuple[str, int, str]]:
    """The name of each `if`, `else`, `endif` and `option`, its offset, and the text between its parentheses."""
    plain = _COMMENT.sub(lambda comment: " " * len(comment[0]), text)
    for command in _COMMAND.finditer(plain):
        inside = plain[command.end() : command.end() + _LONGEST]
        brackets = list(_BRACKET.finditer(inside))
        depths = accumulate((1 if bracket[0] == "(" else -1 for bracket in brackets), initial=1)
        ends = (bracket.start() for bracket, depth in zip(brackets, islice(depths, 1, None), strict=True) if depth == 0)
        yield command[1].lower(), command.start(), inside[: next(ends, 0)]


def _lines_with_conditions(text: str) -> Iterator[tuple[str, list[Condition]]]:
    """Each line with the conditions of the outermost blocks around it."""
    at = {
        text.count("\n", 0, start): (name, inside)
        for name, start, inside in _commands(text)
        if not name.endswith("option")
    }
    blocks: list[list[Condition]] = []
    for number, line in enumerate(text.split("\n")):
        name, inside = at.get(number, ("", ""))
        if name == "if":
            blocks.append([(inside, True)])
        elif name == "endif" and blocks:
            blocks.pop()
        elif name and blocks:
            blocks[-1] = [(condition, False) for condition, _ in blocks[-1]]
            blocks[-1] += [(inside, True)] if name == "elseif" else []
        yield line, [condition for block in blocks[:_DEEPEST] for condition in block]


def _holds(condition: Condition, options: Options) -> bool | None:
    """Whether a condition holds as it must; None if that is unknown."""
    text, is_wanted = condition
    tokens = _TOKEN.findall(text)
    value = _any_of(tokens, options) if len(tokens) <= _MOST_TOKENS else None
    return None if value is None else value is is_wanted


def _any_of(tokens: Sequence[str], options: Options) -> bool | None:
    values = [_all_of(part, options) for part in _split(tokens, "or")]
    return True if True in values else None if None in values else False


def _all_of(tokens: Sequence[str], options: Options) -> bool | None:
    values = [_value(part, options) for part in _split(tokens, "and")]
    return False if False in values else None if None in values else True


def _value(tokens: Sequence[str], options: Options) -> bool | None:
    words = [token.strip('"${}').lower() for token in tokens]
    whole = " ".join(words).strip()
    if _STANDARD.fullmatch(whole) or _IS_WHOLE.fullmatch(whole):
        return not _STANDARD.fullmatch(whole)
    match words:
        case ["not", *_]:
            value = _value(tokens[1:], options)
            return None if value is None else not value
        case ["(", *_, ")"]:
            return _any_of(tokens[1:-1], options)
        case [_]:
            return options.get(tokens[0].strip('"${}'))
    return None


def _split(tokens: Sequence[str], operator: str) -> Iterator[Sequence[str]]:
    """The tokens between an operator, outside parentheses."""
    depth = start = 0
    for at, token in enumerate(tokens):
        depth += {"(": 1, ")": -1}.get(token, 0)
        if depth == 0 and token.lower() == operator:
            yield tokens[start:at]
            start = at + 1
    yield tokens[start:]
