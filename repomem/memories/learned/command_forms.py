"""Which commands are one way of running something: `pytest -q` and `pytest tests/test_a.py::test_b -x` are.

A form keeps the parts that decide whether a command works (folder, variables, runner, program, unknown options), and
omits those that select tests or change only the output.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from repomem.core.text.lazy_pattern import lazy_pattern
from repomem.profile.manifests.commands import slot_of_command

_WORDS = lazy_pattern(r"(?:[^\s'\"]|'[^']*'|\"(?:\\.|[^\"\\])*\")+")
_VARIABLE = lazy_pattern(r"(?s)\w+=.*")
_FOLDER_OF_PROGRAM = lazy_pattern(r"(?<!\S)(?:[\w.~-]*/)+(?=(?:python[\d.]*|pypy3?|[a-z][\w-]*)(?:\s|$))")
_COMPOSE = lazy_pattern(r"^docker-compose ")
_CONTAINER = lazy_pattern(r"(?<!\S)docker[ -]compose (?:exec|run)(?: -\S+)* [\w.-]+ (?=\S)")
_TEST_SCRIPT = lazy_pattern(
    r"(?:^|.*/)(?:run[-_]?)?(?:tests?|specs?)(?:[-_.]\w+)*\.(?:py|sh|bash|js|mjs|cjs|ts|rb|pl|php)"
)
_DJANGO = lazy_pattern(r"(?:^|[\s/])manage\.py test(?:\s|$)")
_INTERPRETERS = lazy_pattern(r"(?:\S*/)?(?:python[\d.]*|pypy3?|node|ruby|php|perl|bash|sh|zsh|bun|deno|tsx|ts-node)")
_SELECTS = lazy_pattern(  # options that take one test or a few, with the value in the same word or the next
    r"(?:-k|-m|-t|-run|--run|--filter|--grep|-g|--tests?|--testNamePattern|--testPathPattern|--only|-Dtest|--example|-e"
    r"|--deselect|--ignore|--lf|--ff|--last-failed|--failed-first)(?:=.*)?"
)
_TAKES_NO_VALUE = frozenset(["--lf", "--ff", "--last-failed", "--failed-first", "--run"])
_LOOKS = lazy_pattern(  # options that change the output, the order or the speed
    r"-[qvsxl]+|-r\w+|-j\d*|-n\d*|--|--(?:quiet|verbose|silent|color|colour|no-color|tb|maxfail|durations|exitfirst|no-header"
    r"|no-summary|showlocals|disable-warnings|bail|watch|reporter|ci|jobs|workers|nocapture|no-fail-fast|failfast|fail-fast"
    r"|stop-on-failure|numprocesses|capture|no-cov|stacktrace|info|runInBand|coverage)(?:=.*)?|-count=\d+|-p|-o"
)
_VALUE_FOLLOWS = frozenset(
    ["-n", "-p", "-o", "-j", "--tb", "--maxfail", "--durations", "--color", "--jobs", "--workers"]
)
_ONE_TEST = lazy_pattern(r".*(?:::|#)\w.*|(?:\S*/)?[\w\[\]-]+(?:\.\w+)+(?::\d+)*")
_PLACES = lazy_pattern(
    r"\.{1,3}|(?:\.{0,2}/)?(?:[\w-]+/)+[\w-]+|(?:\.{0,2}/)?(?:[\w.-]+/)*(?:[\w.-]+/|\.\.\.|tests?|specs?|src|lib|app|pkg|__tests__)"
)


@dataclass(frozen=True, slots=True)
class CommandForm:
    """One way of running something."""

    slot: str  # build, test, lint, or empty
    base: str  # the command without what selects tests or changes only the output
    is_partial: bool  # whether it runs chosen tests only


@lru_cache(maxsize=4096)
def form_of(command: str) -> CommandForm:
    """The form of a command of a session or a file."""
    parts = [part.strip() for part in command.split(" && ")]
    slot = slot_of(parts[-1])
    if slot != "test":
        return CommandForm(slot, command, is_partial=False)
    kept, is_partial = _without_choice(parts[-1])
    return CommandForm(slot, " && ".join([*parts[:-1], kept]), is_partial)


def core_of(command: str) -> str:
    """A command without the variables before it and the folder of its program."""
    words = _WORDS.findall(command.rpartition(" && ")[2])
    start = next((at for at, word in enumerate(words) if not _VARIABLE.fullmatch(word)), len(words))
    return _COMPOSE.sub("docker compose ", _FOLDER_OF_PROGRAM.sub("", " ".join(words[start:])))


def slot_of(command: str) -> str:
    """Give build, test or lint if a command does one of them, else nothing; regardless of its programs' folders."""
    words = _WORDS.findall(command)
    if _DJANGO.search(command):
        return "test"
    program = next((word for word in words if not _VARIABLE.fullmatch(word)), "")
    if _TEST_SCRIPT.fullmatch(program) or (
        _INTERPRETERS.fullmatch(program) and any(map(_TEST_SCRIPT.fullmatch, words))
    ):
        return "test"
    return slot_of_command(_FOLDER_OF_PROGRAM.sub("", _CONTAINER.sub("", " ".join(words))))


def _without_choice(command: str) -> tuple[str, bool]:
    """A test command without the tests that it selects, and whether it selects any."""
    words = _WORDS.findall(command)
    start = next(at for at in range(1, len(words) + 1) if slot_of(" ".join(words[:at])) == "test")  # all of it does
    arguments = list(_arguments(words[start:]))
    kept = [*words[:start], *(word for word, is_choice in arguments if not is_choice)]
    return " ".join(kept), any(is_choice for _, is_choice in arguments)


def _arguments(words: Sequence[str]) -> Iterator[tuple[str, bool]]:
    """Each argument that counts, and whether it selects tests; those that only change the output are left out."""
    at = 0
    while at < len(words):
        word = words[at]
        at += 1
        if _SELECTS.fullmatch(word):
            at += "=" not in word and word not in _TAKES_NO_VALUE
            yield word, True
        elif _LOOKS.fullmatch(word):
            at += word in _VALUE_FOLLOWS
        elif not _PLACES.fullmatch(word):
            yield word, not word.startswith("-") and _ONE_TEST.fullmatch(word) is not None
