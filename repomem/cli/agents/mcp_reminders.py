"""The answer of `recall` over MCP for files and errors: the hooks' output at an edit or after a failed command."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from repomem.agents.tool_reminders import text_of
from repomem.cli.recall.recall import RecallRequest, brief_for, brief_result, tool_result
from repomem.core.text.escape import visible
from repomem.core.text.lazy_pattern import lazy_pattern
from repomem.core.text.symbol_names import path_and_symbol
from repomem.recall.select_reminders import (
    BUDGET,
    FailedCommand,
    FileUse,
    answer_of,
    chosen,
    for_failure,
    for_file,
    on_path,
)

if TYPE_CHECKING:
    from repomem.recall.other_repositories import OtherRepositories
    from repomem.workspace.reminder_cache import Reminder, Reminders
    from repomem.workspace.workspace import Workspace

SPAN = lazy_pattern(r"(?P<path>.+?):(?P<first>\d+)(?:-(?P<last>\d+))?")


def recalled(
    workspace: "Workspace", request: RecallRequest, others: "OtherRepositories", paths: tuple[str, ...], error: str
) -> dict[str, Any]:
    """The result of `recall`: the brief of a task or the map; then what is recorded about files and an error."""
    if not (paths or error):
        return brief_result(brief_for(workspace, request, others))
    found = _answer(workspace, paths, error, None if request.query else request.budget)
    if not request.query:
        missing = ", ".join(path for path in paths if not _is_there(workspace, path))
        return tool_result(
            found or "nothing is recorded about this" + (f"; not in the worktree: {missing}" * bool(missing))
        )
    result = brief_result(brief_for(workspace, request, others))
    result["content"][0]["text"] += visible(f"\n{found}" if found else "")
    return result


def _is_there(workspace: "Workspace", wanted: str) -> bool:
    """Whether the worktree has the file or folder of `path`, `path:symbol` or `path:12`."""
    top = workspace.repository.top or Path()
    return any((top / path).exists() for path in (wanted, wanted.rpartition(":")[0]) if path)


def _answer(workspace: "Workspace", paths: tuple[str, ...], error: str, budget: int | None) -> str:
    """What is recorded about these files and an error message; empty if nothing is."""
    from repomem.capture.command_outcomes import error_line
    from repomem.items.reminders import reminders_now

    known = reminders_now(workspace)
    found = [each for path in paths for each in _of_path(workspace, known, path)]
    if error.strip():
        found += for_failure(known, FailedCommand("", error_line(error), error))
    return answer_of(line for _, line in chosen(found, (), budget or BUDGET))


def _of_path(workspace: "Workspace", known: "Reminders", wanted: str) -> Iterator["Reminder"]:
    """What is recorded about `path`, `path:symbol`, `path:12` or `path:12-40`."""
    top = workspace.repository.top or Path()
    if span := SPAN.fullmatch(wanted):
        first, last = int(span["first"]), int(span["last"] or span["first"])
        use = FileUse(span["path"], text_of(top / span["path"]), lines=(first - 1, last - 1), is_edit=False)
        yield from for_file(known, use)
        return
    path, symbol = path_and_symbol(wanted.removeprefix("./"), lambda path: (top / path).is_file())
    yield from on_path(known, path, symbol)
