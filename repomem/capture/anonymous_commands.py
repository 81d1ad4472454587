"""Removes local folders, home directories and values of secret variables from commands and their output.

Known secret formats are redacted by `core.secrets.redact`.
"""

import re
from collections.abc import Iterable
from dataclasses import replace

from repomem.adapters.transcripts.steps import Step
from repomem.core.lazy_pattern import lazy_pattern

_HOME = lazy_pattern(r"(?<![\w./~-])(?:/home/|/Users/)[\w.-]+|(?<![\w./~-])/root(?=/)")
_SECRET = lazy_pattern(
    r"(?i)(?P<name>\b\w*(?:PASS(?:WORD|WD)?|SECRET|TOKEN|API_?KEY|PRIVATE_?KEY|ACCESS_?KEY|CREDENTIALS?|PWD)=(?=\S)"
    r"|--(?:password|passwd|token|secret|api-?key)[= ](?!-))"
    r"(?:'[^']*'|\"[^\"]*\"|[^\s;&|]+)"
)


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
