"""Whether two error messages are the same error, ignoring numbers, addresses and folders."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from repomem.core.text.lazy_pattern import lazy_pattern

LEAST_SHARE = 0.75  # of the words of a known error that a message must have
FEWEST_WORDS = 2  # other than names of kinds of errors
MOST_LINES = 400  # of a message that are compared: of a longer one its end, where errors are
LONGEST_LINE = 400  # characters

_SUMMARY = lazy_pattern(r"^(?:FAILED|ERROR) (?P<test>\S+)(?: - )?(?P<rest>.*)")  # of pytest
_LEAD = lazy_pattern(r"^(?:E\s+|>\s*|\$\s*|[●✕✗✘×✖]\s*)")
_NAMED = lazy_pattern(r"'([^'\n]{1,80})'|\"([^\"\n]{1,80})\"|`([^`\n]{1,80})`")
_WORD = lazy_pattern(r"[^\W\d_][\w-]*(?:\.\w+)*")
_FOLDERS = lazy_pattern(r"(?:~|\.{1,2})?(?:/?[\w.@+-]+)?/(?:[\w.@+-]+/)*")
_PACKAGE = lazy_pattern(r"(?<![\w./])(?:[a-z][\w-]*\.)+(?:com|org|io|net|dev|in|sh|us)/[\w./-]*\w")  # of Go: an address
_CHANGING = lazy_pattern(r"0x[0-9a-fA-F]+|\b[0-9a-f]{7,40}\b|\d+")
_KINDS = frozenset(  # words that many errors have
    """
    error errors failed failure fail exception traceback warning fatal panic assertionerror assert valueerror typeerror
    keyerror runtimeerror attributeerror oserror exit code status line in at the a an of to is no not and or for on
    with was e expected got received left right true false none make npm err recent call last file
    """.split()  # noqa: SIM905  # a list would take forty lines
)


@dataclass(frozen=True, slots=True)
class ErrorKey:
    """The distinguishing features of an error."""

    named: frozenset[str]  # quoted names
    words: frozenset[str]
    text: str  # folded, for errors that have no words of their own

    def is_in(self, message: "ErrorKey") -> bool:
        """Whether a message states this error: it has all the names and most of the words."""
        if len(self.words - _KINDS) < FEWEST_WORDS and not self.named:
            return self.text == message.text
        if not self.named <= message.named | message.words:
            return False
        return len(self.words & message.words) >= LEAST_SHARE * len(self.words)


def without_runner_prefix(error: str) -> str:
    """An error line without the mark that a test runner puts before it."""
    return _LEAD.sub("", error.strip())


@lru_cache(maxsize=4096)
def error_key(error: str) -> ErrorKey:
    """The key of one error line."""
    line = without_runner_prefix(error)
    summary = _SUMMARY.match(line)
    said = (summary["rest"] or summary["test"]) if summary else line
    packages = {each.casefold() for each in _PACKAGE.findall(said)}
    plain = _FOLDERS.sub("", said)
    quotations = ("".join(groups) for groups in _NAMED.findall(plain))
    named = {_CHANGING.sub("", each).casefold() for each in quotations if _WORD.search(each)}
    words = {word.casefold() for word in _WORD.findall(_CHANGING.sub(" ", plain))}
    return ErrorKey(frozenset(named | packages), frozenset(words), " ".join(plain.casefold().split()))


def is_stated(error: str, stated: Iterable[ErrorKey]) -> bool:
    """Whether the lines of a message (see `keys_in`) state an error."""
    key = error_key(error)
    return any(key.is_in(line) for line in stated)


def keys_in(message: str) -> list[ErrorKey]:
    """The keys of the lines of a message, each once."""
    lines = [line[:LONGEST_LINE] for line in message.splitlines() if line.strip()][-MOST_LINES:]
    return list(dict.fromkeys(map(error_key, lines)))
