"""Replaces what a session tells of one machine: its paths, home directories, and values of secret variables.

Pure: the files may no longer exist. Known secret formats are redacted by `core.secrets.redact`.
"""

import os
import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import replace
from pathlib import PurePath

from repomem.adapters.transcripts.steps import Step
from repomem.core.text.lazy_pattern import lazy_pattern

_HOME = lazy_pattern(r"(?<![\w./~-])(?:/home/|/Users/)[\w.-]+|(?<![\w./~-])/root(?=/)")
_SECRET = lazy_pattern(
    r"(?i)(?P<name>\b\w*(?:PASS(?:WORD|WD)?|SECRET|TOKEN|API_?KEY|PRIVATE_?KEY|ACCESS_?KEY|CREDENTIALS?|PWD)=(?=\S)"
    r"|--(?:password|passwd|token|secret|api-?key)[= ](?!-))"
    r"(?:'[^']*'|\"[^\"]*\"|[^\s;&|]+)"
)


def relative_paths(roots: Collection[str], folder: str, paths: Iterable[str]) -> Iterator[str]:
    """Paths relative to the repository, each once, without files outside it; `folder` is the session's."""
    for path in dict.fromkeys(paths):
        whole = os.path.normpath(os.path.join(folder or ".", path))  # noqa: PTH118  # pure: the file may be gone
        root = next((each for each in roots if PurePath(whole).is_relative_to(each)), "")
        if root and len(whole) > len(root):
            yield PurePath(whole).relative_to(root).as_posix()


def anonymous(step: Step, roots: Iterable[str]) -> Step:
    """A command with its output, with paths below `roots` relative and the values of secret variables masked."""
    text, output = step.text, step.output
    for root in roots:
        at_root = re.compile(rf"(?<![\w./~-]){re.escape(root)}(?:/(?=[\w.])|/?(?![\w.-]))")
        text, output = (at_root.sub(_own_place, each) for each in (text, output))
    text, output = (_HOME.sub("~", _SECRET.sub(r"\g<name>***", each)) for each in (text, output))
    return replace(step, text=text, output=output)


def _own_place(found: re.Match[str]) -> str:
    """The replacement for the repository's folder: empty in front of a path below it."""
    rest = found.string[found.end() : found.end() + 1]
    return "" if found[0].endswith("/") and (rest.isalnum() or rest in {"_", "."}) else "."
