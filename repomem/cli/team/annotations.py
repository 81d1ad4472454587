"""Findings of a check for code review: GitHub's workflow commands, and GitLab's report.

The first are lines on stdout of a job, `::warning file=…,line=…,endLine=…,title=…::…`; the second is a JSON array in
Code Climate's form. Both come from text of a repository, so nothing in it may end a command or begin another.
"""

import hashlib
from collections.abc import Iterable
from typing import Any

from repomem.check.findings import CheckFinding
from repomem.core.text.escape import one_line, visible_path

LONGEST = 500  # characters of one message
COMMANDS = {"warning": "warning", "note": "notice"}
SEVERITIES = {"warning": "minor", "note": "info"}


def annotations(findings: Iterable[CheckFinding]) -> str:
    """One workflow command for each finding."""
    return "".join(f"{_command(one)}\n" for one in findings)


def _command(one: CheckFinding) -> str:
    fields = {"file": visible_path(one.path)}
    if one.start_line:
        fields |= {"line": str(one.start_line), "endLine": str(one.end_line)}
    fields["title"] = f"repomem: {one.fault.value}"
    listed = ",".join(f"{name}={_property(value)}" for name, value in fields.items())
    return f"::{COMMANDS[one.level.value]} {listed}::{_data(message_of(one))}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")


def code_quality(findings: Iterable[CheckFinding]) -> list[dict[str, Any]]:
    """The findings as a report of code quality; a fingerprint stays while the same is found in the same file."""
    return [_issue(one) for one in findings]


def _issue(one: CheckFinding) -> dict[str, Any]:
    name = f"{one.fault.value}\0{one.id}\0{one.path}"
    return {
        "description": message_of(one),
        "check_name": f"repomem {one.fault.value}",
        "fingerprint": hashlib.sha256(name.encode("utf-8", "surrogateescape")).hexdigest(),
        "severity": SEVERITIES[one.level.value],
        "location": {
            "path": visible_path(one.path),
            "lines": {"begin": max(one.start_line, 1), "end": max(one.end_line, 1)},
        },
    }


def message_of(one: CheckFinding) -> str:
    """A finding on one line."""
    status = f", {one.status}" if one.status else ""
    reason = f", because {one.reason}" if one.reason else ""
    who = f"{one.source} {one.id} of {one.date} by {one.author}{status}"
    return one_line(f"{one.why} ({who}: “{one.said}”{reason})", LONGEST)
