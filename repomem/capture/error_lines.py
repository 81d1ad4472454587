"""The line of a failing command's output that tells what went wrong, for the tools that most people use.

What was expected and what came instead tells most, then the compiler's first error, then an exception; a line that
only names the test tells least. Two lines that belong together are joined by two blanks.
"""

import re

LONGEST_LINE = 200  # characters of an error line
_START = r"^[ \t│|>]*"

_PAIRS = tuple(
    re.compile(pattern, re.MULTILINE)
    for pattern in (
        (
            rf"{_START}(?P<one>Expected(?: \w+)?:[ \t]+\S.*)\n{_START}(?P<two>(?:Received|Actual|"
            rf"Got)(?: \w+)?:[ \t]+\S.*)"
        ),  # jest, xunit
        rf"{_START}(?P<one>expected: .+)\n{_START}(?P<two>got: .+)",  # rspec
        rf"{_START}(?P<one>left: .+)\n{_START}(?P<two>right: .+)",  # cargo test
        (
            rf"{_START}(?P<one>Error: (?!.*\bexit).+)\n+(?:{_START}(?:on|with) .+\n+)(?:{_START}\d+: .*\n+)?"
            rf"{_START}(?P<two>[A-Z].+)"
        ),  # terraform: the second says which
    )
)
_LINES = tuple(
    re.compile(pattern, re.MULTILINE)
    for pattern in (
        r"^FAILED \S+ - .+",  # pytest's summary
        r"^E\s{2,}\S*(?:Error|Exception|Warning|Failed)\b.*|^E\s{2,}assert .+",
        r"\bExpected:? .+? (?:Actual|Received|Got): .+|\bAssert\.\w+\(\) Failure:? .+",  # on one line
        r"^[ \t]*Failed asserting that .+",  # phpunit
        r"^[ \t]*expected .{1,120} (?:but|to|not to) .+|^[ \t]*expected `.+",  # rspec; a matcher's own words
        r"^[ \t]*\S+_test\.go:\d+: .+|^[ \t]*Error Trace:.+|^[ \t]*Error:\s{2,}\S.+",  # go test
        r"^\S+\.go:\d+:\d+: .+",
        (
            r"^error(?:\[\w+\])?: (?!could not compile|aborting|command |script |recipe |Failed to push|"
            r"process didn't).+"
            r"|^.{1,160}: (?:fatal )?error(?: [A-Z]+\d+)?: .+|^.{1,120}\(\d+,\d+\): error .+|"
            r"^.{1,120}:\d+:\d+ - error \w+: .+"
        ),
        (
            r"^(?:\S+: )?(?:ERROR|FATAL): {1,2}(?!process |Job |Service |No matching).+|"
            r"^psql:.+ERROR: .+"
        ),  # psql, pip, docker
        (
            r"^\[ERROR\]\s+(?!Tests run|Failures:|Errors:|->|To see|Re-run|For more|Failed to execute|COMPILATION|"
            r"BUILD|"
            r"\s*$)\S.+"
        ),
        r"^[ \t]*[\w.:\\]*(?:Error|Exception|Panic)\b(?: ?\[\w+\])?: .+",
        r"^.{1,60}? (?:Error|\w+Error): .+",  # with the name of a package in front
        r"^(?:thread '.*' )?panicked at .+|^panic: .+|^.*\bfatal(?: error)?: .+",
        r"^.*Received status code \d+.*",
        r"^.*Could not (?:resolve|GET|find) .+",  # gradle
        r"^error: .+|^Error from server .+|^\S+: \*\*\* (?!\[).+",
        r"^npm (?:ERR!|error) (?!code|A complete log|path|errno).+|^make: \*\*\* .+",
        r"^[ \t]*--- FAIL: .+|^[ \t]*(?:●|✕|✗|✘|×|✖) .+|^[ \t]*(?:FAIL|FAILED)\b.+",
        r"^.*\b(?:error|Error|ERROR|cannot|Cannot|not found|No such file|denied|undefined)\b.*",
    )
)
_NO_ERROR = re.compile(
    r"\b(?:0|no) errors?\b|^(?:Exit code|error Command failed with exit|Error: \(none\))|\b0 failed\b", re.IGNORECASE
)


def error_line(output: str) -> str:
    """The line that says what went wrong: the most telling kind that is there, the first of that kind."""
    summary, others = _LINES[0], _LINES[1:]
    found = (
        _summed_up(summary, output)
        or _pair(output)
        or next(filter(None, (_first(each, output) for each in others)), "")
    )
    return (found or _last(output))[:LONGEST_LINE]


def _summed_up(pattern: re.Pattern[str], output: str) -> str:
    """The failed tests of a summary: the first two where both have room."""
    lines = [" ".join(found[0].split()) for found in pattern.finditer(output)][:2]
    both = "  ".join(lines)
    return both if len(both) <= LONGEST_LINE else lines[0]


def _first(pattern: re.Pattern[str], output: str) -> str:
    lines = (" ".join(found[0].split()) for found in pattern.finditer(output) if not _NO_ERROR.search(found[0].strip()))
    return next(lines, "")


def _pair(output: str) -> str:
    """What was expected and what came, from two lines."""
    found = next(filter(None, (pattern.search(output) for pattern in _PAIRS)), None)
    return "  ".join(" ".join(found[name].split()) for name in ("one", "two")) if found else ""


def _last(output: str) -> str:
    last = next((line for line in reversed(output.splitlines()) if line.strip()), "")
    return " ".join(last.split())
