"""The lines of C-like code that only one operating system or compiler reads, by the preprocessor's conditions."""

from repomem.core.text.lazy_pattern import lazy_pattern

_CONDITION = lazy_pattern(r"\s*#\s*(?P<word>if(?:n?def)?|elif|else|endif)\b(?P<test>.*)")
_ONE_SYSTEM = lazy_pattern(
    r"\b_*(?:WIN(?:32|64|NT|DOWS|CE)?|MSC_VER|MSVC|MINGW(?:32|64)?|CYGWIN|MSYS|APPLE|ANDROID)(?:__)?\b"
)
_NEGATED = lazy_pattern(r"!\s*(?:defined\b|\(?\s*_)")


def lines_of_one_system(text: str) -> frozenset[int]:
    """The numbers of the lines between `#ifdef _WIN32` and its end, or after the `#else` of its opposite."""
    found: set[int] = set()
    branches: list[tuple[bool, bool]] = []  # whether this branch, and the one after `#else`, is of one system
    for number, line in enumerate(text.split("\n"), start=1):
        condition = _CONDITION.match(line) if "#" in line else None
        word = condition["word"] if condition else ""
        if condition and word.startswith("if"):
            branches.append(_branches(word, condition["test"]))
        elif condition and branches:
            of_else = branches.pop()[1]
            if word == "elif":
                branches.append(_branches(word, condition["test"]))
            elif word == "else":
                branches.append((of_else, False))
        elif any(is_of_one for is_of_one, _ in branches):
            found.add(number)
    return frozenset(found)


def _branches(word: str, test: str) -> tuple[bool, bool]:
    if not _ONE_SYSTEM.search(test) or "||" in test:
        return False, False
    is_negated = word == "ifndef" or _NEGATED.search(test) is not None
    return not is_negated, is_negated
