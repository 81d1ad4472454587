"""Checks a model's tool arguments: accepts an argument under another tool's name for it; errors are one sentence."""

import re
from collections.abc import Collection, Mapping
from difflib import get_close_matches
from typing import Any

from mcp.server.mcpserver.exceptions import ToolError
from pydantic import ValidationError

from repomem.core.text.escape import one_line

SAME = (("task", "query"), ("id", "target"))  # names that different tools give to the same argument
LONGEST_VALUE = 60  # characters


def with_own_names(tool: str, arguments: Mapping[str, Any], known: Collection[str]) -> dict[str, Any]:
    """The arguments under the tool's own names. Raises ToolError for an unknown or repeated argument."""
    found: dict[str, Any] = {}
    for name, value in arguments.items():
        own = name if name in known else _same(name, known)
        if own is None or (own != name and own in arguments):
            near = get_close_matches(name, known, n=1)
            hint = f"did you mean {near[0]!r}?" if near else f"it takes {', '.join(known)}"
            raise ToolError(f"{tool} has no argument {one_line(name, LONGEST_VALUE)!r}: {hint}")
        found[own] = value
    return found


def _same(name: str, known: Collection[str]) -> str | None:
    others = {other for names in SAME if name in names for other in names}
    return next((other for other in known if other in others), None)


def in_one_sentence(tool: str, error: ToolError) -> ToolError:
    """The error for arguments of the wrong type, without pydantic's lines; any other as it is."""
    cause = error.__cause__
    if not isinstance(cause, ValidationError):
        return error
    first = cause.errors(include_url=False)[0]
    name = ".".join(map(str, first["loc"]))
    if first["type"] == "missing":
        return ToolError(f"{tool} needs the argument {name!r}")
    given = one_line(repr(first["input"]), LONGEST_VALUE)
    details = r", [a-z].*"  # of a failed conversion; the values of a list are quoted
    wanted = re.sub(rf"^\w+ should |{details}", "", first["msg"]).replace("a valid tuple", "a list")
    return ToolError(f"the argument {name!r} of {tool} must {wanted}, not {given}")
