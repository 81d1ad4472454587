"""`repomem agents`: our entries in the settings of agent hosts, installed, removed and shown."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from repomem.agents.install import FileReport, HostReport, install, project_root, status, uninstall
from repomem.agents.wanted_entries import target_here
from repomem.cli.terminal.console import out_lines, tell
from repomem.cli.terminal.formats import Format, is_rich, non_empty, out_json, out_table
from repomem.core.errors import ForeignError
from repomem.core.text.escape import visible, visible_path

SCHEMA = "repomem.agents/1"


def agents_command(action: str, directory: Path, names: tuple[str, ...], form: Format, *, is_for_user: bool) -> None:
    """Install, uninstall or only show (status) our entries; print actions, remaining steps and refusals."""
    root = None if is_for_user else project_root(directory)
    act = {"install": install, "uninstall": uninstall, "status": status}[action]
    reports = act(target_here(root), names)
    if form is Format.JSON:
        out_json({"schema": SCHEMA, "hosts": [_host_json(report) for report in reports]})
    elif is_rich():
        out_table("", ("host", "entry", "state", "file"), [row for report in reports for row in _rows(report)])
        out_lines(line for report in reports for line in _remarks(report))
    else:
        out_lines(line for report in reports for line in report_lines(report))
    if not reports:
        tell("found no agent on this machine; name one: repomem agents install claude-code")
        tell("for other hosts, add lines to AGENTS.md: repomem agents install agents-md")
    count = sum(file.action == "refused" for report in reports for file in report.files)
    if count:
        files = "a file was" if count == 1 else f"{count} files were"
        raise ForeignError(f"{files} not changed", "the reason and the next step are printed above")


def report_lines(report: HostReport) -> Iterator[str]:
    """A host in lines: the action or state of each file, remaining steps, and notes."""
    found = " (its program is not on this machine)" if report.is_found is False else ""
    yield f"{report.name}, {_scope(report)}{found}"
    yield from (f"  {_path(file, report)}: {_summary(file)}" for file in report.files)
    yield from _remarks(report)


def _rows(report: HostReport) -> Iterator[tuple[str, str, str, str]]:
    name = f"{report.name} (not found)" if report.is_found is False else report.name
    for file in report.files:
        for entry in file.entries:
            yield name, entry.name, _state(entry.state.value, entry.program), _path(file, report)
        if not file.entries:
            yield name, "", file.action, _path(file, report)


def _remarks(report: HostReport) -> Iterator[str]:
    """The details outside the table: reasons, manual steps, notes and next steps."""
    for file in report.files:
        if file.why:
            reason = "; ".join(filter(None, (file.why, file.hint)))
            yield f"  {_path(file, report)} is left alone: {visible(reason)}"
        if file.by_hand:
            is_text = file.by_hand.endswith("\n")
            what = f"add this to {_path(file, report)} yourself" if is_text else "run this yourself"
            yield from (f"  {what}:", *(f"    {visible(line)}" for line in file.by_hand.splitlines()))
    yield from (f"  note: {visible(note)}" for note in report.notes)
    yield from (f"  next: {visible(step)}" for step in report.steps)


_SUMMARIES = {"written": "written", "removed": "removed", "refused": "not changed", "by hand": "left to you"}


def _summary(file: FileReport) -> str:
    """The action, or the state of the entries where nothing was done."""
    if file.is_left:
        return "repomem's entries removed; the rest of the file stays"
    if file.action == "unchanged" and not file.path.exists():
        return "no such file"
    if file.action in _SUMMARIES or not file.entries:
        return _SUMMARIES.get(file.action, file.action)
    names: dict[str, list[str]] = {}
    for entry in file.entries:
        names.setdefault(_state(entry.state.value, entry.program), []).append(entry.name)
    if len(names) == 1:
        return next(iter(names))
    return "; ".join(f"{state}: {', '.join(each)}" for state, each in names.items())


def _state(state: str, program: str) -> str:
    return f"{state} ({visible_path(program)})" if program else state


def _scope(report: HostReport) -> str:
    return "project" if report.root else "user"


def _path(file: FileReport, report: HostReport) -> str:
    """The path as a user writes it: from the top of the worktree, else from home."""
    if report.root and file.path.is_relative_to(report.root):
        return visible_path(file.path.relative_to(report.root).as_posix())
    home = Path.home()
    shown = f"~/{file.path.relative_to(home).as_posix()}" if file.path.is_relative_to(home) else str(file.path)
    return visible_path(shown)


def _host_json(report: HostReport) -> dict[str, Any]:
    return {
        "name": report.name,
        "title": report.title,
        "scope": _scope(report),
        **non_empty({"found": report.is_found}),
        "files": [_file_json(file) for file in report.files],
        **non_empty({"notes": list(report.notes), "next": list(report.steps)}),
    }


def _file_json(file: FileReport) -> dict[str, Any]:
    entries = [
        non_empty({"name": each.name, "state": each.state.value, "program": each.program}) for each in file.entries
    ]
    said = {"action": file.action, "entries": entries, "why": file.why, "hint": file.hint, "by_hand": file.by_hand}
    return non_empty({"path": visible_path(str(file.path)), **said})
