"""Ruby: which methods belong to the class itself because `class << self` holds them; their own lines do not tell."""

import re
from collections.abc import Mapping

_OPENS = re.compile(r"\s*class\s*<<\s*self\b")
_METHOD = re.compile(r"(def\s+)(?!\w+\.)")


def with_receiver(signature: str, start_line: int, lines: Mapping[int, str]) -> str:
    """The signature of a method as `def self.name` if the nearest line with less indent above it opens that class."""
    indent = _indent(lines.get(start_line, ""))
    above = (lines[at] for at in sorted(lines, reverse=True) if at < start_line)
    outer = next((line for line in above if line.strip() and _indent(line) < indent), "")
    return _METHOD.sub(r"\1self.", signature, count=1) if _OPENS.match(outer) else signature


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())
