"""`repomem check [BASE..HEAD]`: memories that a change breaks, decisions it contradicts, removed code it restores.

For code review, findings are also printed as GitHub's workflow commands, `::warning file=…,title=…::…`,
and as GitLab's report, a JSON array in Code Climate's form. Both hold text of a repository, so nothing in it may end a
command or begin another.
"""

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from typing import Any

from repomem.check.findings import CheckFinding
from repomem.check.run import CheckReport, check
from repomem.cli.terminal.console import flush, out, out_lines, tell
from repomem.cli.terminal.formats import CheckFormat, non_empty, out_json
from repomem.core.errors import RepomemError
from repomem.core.text.counts import counted
from repomem.core.text.escape import one_line, quoted, visible, visible_path
from repomem.core.types.commits import short_hash
from repomem.workspace.workspace import Workspace

LONGEST = 500  # characters of one message
COMMANDS = {"warning": "warning", "note": "notice"}
SEVERITIES = {"warning": "minor", "note": "info"}

SCHEMA = "repomem.check/1"
SAID_LENGTH, LINE_LENGTH, WHY_LENGTH = 160, 110, 240


def check_command(workspace: Workspace, span: str, form: CheckFormat, *, is_strict: bool) -> None:
    """Print the findings. Raises RepomemError if a strict check has warnings."""
    report = check(workspace, span)
    for gap in report.gaps:
        tell(f"note: {gap}")
    _out(report, form)
    if is_strict and report.warnings:
        flush()
        raise RepomemError(
            f"the change has {counted(report.warnings, 'warning')}",
            "fix the change, or retire outdated memories: repomem forget ID, repomem remember --supersedes ID",
        )


def _out(report: CheckReport, form: CheckFormat) -> None:
    match form:
        case CheckFormat.TEXT:
            out_lines(text_lines(report))
        case CheckFormat.JSON:
            out_json(_json(report))
        case CheckFormat.ANNOTATIONS:
            out(annotations(report.findings))
        case CheckFormat.CODE_QUALITY:
            out_json(code_quality(report.findings))


def _json(report: CheckReport) -> dict[str, Any]:
    return {
        "schema": SCHEMA,
        "range": {"told": report.range_text, "base": report.base, "head": report.head},
        "commits": report.commits,
        "files": report.files,
        "memories": report.memories,
        "warnings": report.warnings,
        "notes": len(report.findings) - report.warnings,
        "findings": [_finding_json(one) for one in report.findings],
        "gaps": list(report.gaps),
    }


def _finding_json(one: CheckFinding) -> dict[str, Any]:
    fields = asdict(one)
    return non_empty({"kind": fields.pop("fault"), **fields, "path": visible_path(one.path), "lines": list(one.lines)})


def text_lines(report: CheckReport) -> Iterator[str]:
    """The report for people, grouped by kind of finding; the last line counts them."""
    commits = f"{counted(report.commits, 'commit')}, " if report.commits else ""
    yield f"check {visible(report.range_text)}: {commits}{counted(report.files, 'changed file')}"
    for fault in dict.fromkeys(one.fault for one in report.findings):
        yield ""
        yield fault.value
        for one in report.findings:
            if one.fault is fault:
                yield from _finding_lines(one)
    yield ""
    yield _sum(report)


def _finding_lines(one: CheckFinding) -> Iterator[str]:
    status = f", {one.status}" if one.status else ""
    yield f"  {one.level.value}: {_where(one)} {one_line(one.why, WHY_LENGTH)}"
    yield f"    {one.source} {one.id} of {one.date} by {one_line(one.author, 60)}{status}: {_said(one.said)}"
    if one.reason:
        yield f"    because {_said(one.reason)}"
    yield from (f"    + {one_line(line, LINE_LENGTH)}" for line in one.lines)


def _where(one: CheckFinding) -> str:
    span = f":{one.start_line}" if one.start_line else ""
    end = f"-{one.end_line}" if one.end_line > one.start_line else ""
    return f"{visible_path(one.path)}{span}{end}"


def _said(text: str) -> str:
    return quoted(one_line(text, SAID_LENGTH))


def _sum(report: CheckReport) -> str:
    where = short_hash(report.base) + f" or {short_hash(report.head)}" * bool(report.since)
    looked = f"checked {counted(report.memories, 'memory', 'memories')} that applied at {where}"
    if not report.findings:
        return f"no findings; {looked}"
    faults = Counter(one.fault.value for one in report.findings)
    kinds = ", ".join(f"{fault}: {count}" for fault, count in faults.items())
    notes = len(report.findings) - report.warnings
    return f"{counted(report.warnings, 'warning')}, {counted(notes, 'note')} ({kinds}); {looked}"


def annotations(findings: Iterable[CheckFinding]) -> str:
    """One workflow command for each finding."""
    return "".join(f"{_command(one)}\n" for one in findings)


def _command(one: CheckFinding) -> str:
    fields = {"file": visible_path(one.path)}
    if one.start_line:
        fields |= {"line": str(one.start_line), "endLine": str(one.end_line)}
    fields["title"] = f"repomem: {one.fault.value}"
    listed = ",".join(f"{name}={_property(value)}" for name, value in fields.items())
    return f"::{COMMANDS[one.level.value]} {listed}::{_data(_message_of(one))}"


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
        "description": _message_of(one),
        "check_name": f"repomem {one.fault.value}",
        "fingerprint": hashlib.sha256(name.encode("utf-8", "surrogateescape")).hexdigest(),
        "severity": SEVERITIES[one.level.value],
        "location": {
            "path": visible_path(one.path),
            "lines": {"begin": max(one.start_line, 1), "end": max(one.end_line, 1)},
        },
    }


def _message_of(one: CheckFinding) -> str:
    """A finding on one line."""
    status = f", {one.status}" if one.status else ""
    reason = f", because {one.reason}" if one.reason else ""
    who = f"{one.source} {one.id} of {one.date} by {one.author}{status}"
    return one_line(f"{one.why} ({who}: “{one.said}”{reason})", LONGEST)
