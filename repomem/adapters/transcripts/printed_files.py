"""The files that a shell command prints: `cat`, `head`, `sed -n` and the like. Pure."""

import shlex
from collections.abc import Iterator
from contextlib import suppress

from repomem.core.text.lazy_pattern import lazy_pattern

LONGEST_COMMAND = 2_000  # characters; longer ones are programs of their own
_JOINTS = lazy_pattern(r"[;&|\n]+")
_PRINTERS = frozenset(["cat", "head", "tail", "less", "more", "nl", "bat", "batcat"])
_NUMBER = lazy_pattern(r"[+-]?\d+[kKmM]?")


def printed_files(command: str) -> Iterator[str]:
    """The files that a command prints, as written."""
    if len(command) > LONGEST_COMMAND:
        return
    for part in _JOINTS.split(command):
        if "<" in part or ">" in part:  # writes a file, or reads none
            continue
        with suppress(ValueError):  # an open quotation
            program, *words = shlex.split(part) or [""]
            words = [word for word in words if not word.startswith("-") and not _NUMBER.fullmatch(word)]
            if program == "sed" and "-n" in part.split():
                yield from words[1:]
            elif program in _PRINTERS:
                yield from words
