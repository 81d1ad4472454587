"""`repomem recall`: the brief, in the requested format."""

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from repomem.cli.terminal.console import from_top, out, workspace_at
from repomem.cli.terminal.dates import window_of
from repomem.cli.terminal.formats import BriefFormat, is_rich, out_json, out_rich
from repomem.cli.terminal.progress import progress_for_terminal
from repomem.core.errors import RepomemError
from repomem.core.text.escape import visible, visible_values
from repomem.core.text.lazy_pattern import lazy_pattern
from repomem.core.types.brief import Brief

if TYPE_CHECKING:
    from repomem.recall.other_repositories import OtherRepositories
    from repomem.workspace.workspace import Workspace


LEAST_USEFUL = 300  # tokens: the head and a few lines
_EMPHASIS = lazy_pattern(r"(?P<code>(?P<ticks>`+).*?(?P=ticks))|[_*<]")  # outside of code


@dataclass(frozen=True, slots=True)
class RecallRequest:
    """The request of the command line; a missing budget or format is None."""

    directory: Path
    query: str = ""
    budget: int | None = None
    path: str = ""
    format: BriefFormat | None = None
    since: str = ""
    until: str = ""
    at: str = ""
    is_indexed: bool = False
    kinds: tuple[str, ...] = ()
    also: tuple[Path, ...] = ()  # other repositories to search, besides those of the user's groups
    is_alone: bool = False  # without those of the groups
    is_explained: bool = False  # why each item is included

    @property
    def is_plain(self) -> bool:
        """Whether it asks only for the map that the index keeps ready."""
        return not (self.query or self.at or self.since or self.until or self.kinds or self.also)


def recall_command(request: RecallRequest) -> None:
    """Print the brief for a task, or without one the map of the repository."""
    from repomem.workspace.process import warm_up

    if not request.is_plain:
        warm_up()
    with workspace_at(request.directory) as workspace:
        out_brief(workspace, request)


def since_me_command(request: RecallRequest) -> None:
    """Print what others changed in the user's code since the last session."""
    from repomem.recall.since_last_session import BUDGET, brief_since_last_session

    others = request.path or request.is_indexed or request.is_alone or request.is_explained
    if not request.is_plain or others:
        raise RepomemError("--since-me takes no task and only --budget and --format", "repomem recall --since-me")
    with workspace_at(request.directory) as workspace:
        brief, nothing = brief_since_last_session(workspace, BUDGET if request.budget is None else request.budget)
    form = request.format or (BriefFormat.TEXT if is_rich() else BriefFormat.MARKDOWN)
    if nothing and form in {BriefFormat.TEXT, BriefFormat.MARKDOWN}:
        out(f"{nothing}\n")
    else:
        _out_in_form(brief, form)


def out_brief(workspace: "Workspace", request: RecallRequest) -> None:
    """Print the requested brief, on a terminal as text unless another format was given."""
    brief = brief_for(workspace, request)
    _out_in_form(brief, request.format or (BriefFormat.TEXT if is_rich() else BriefFormat.MARKDOWN))


def brief_for(workspace: "Workspace", request: RecallRequest, others: "OtherRepositories | None" = None) -> Brief:
    """The requested brief; a cached one loads nothing more. `others` are open repositories of a server."""
    from repomem.workspace.cached_brief import cached_brief

    _refuse_what_does_not_combine(request)
    budget = workspace.loaded.config.recall.budget if request.budget is None else request.budget
    brief = cached_brief(workspace, budget) if request.is_plain else None
    brief = brief or _recalled(workspace, request, budget, others)
    if not brief.markdown:
        workspace.notices.append(_nothing_fits(budget))
    return brief


def brief_result(brief: Brief) -> dict[str, Any]:
    """A brief as the result of a tool; an empty one says why it is."""
    from repomem.recall.brief_json import brief_json

    return tool_result(brief.markdown or _nothing_fits(brief.budget), brief_json(brief))


def _nothing_fits(budget: int) -> str:
    return f"no brief fits {budget} tokens; use a budget of {LEAST_USEFUL} or more"


def _refuse_what_does_not_combine(request: RecallRequest) -> None:
    """An error for options that have no effect without another option, or without words to search for."""
    for option, value in (("--path", request.path), ("--since", request.since), ("--until", request.until)):
        if value and not request.query.strip():
            raise RepomemError(f"{option} needs a task", f'give the task: repomem recall {option} {value} "TASK"')
    if request.is_indexed and not request.at:
        raise RepomemError("--index needs --at", "to update the index: repomem index")
    if request.is_explained and not request.query.strip():
        raise RepomemError("--why needs a task", 'give the task: repomem recall --why "TASK"')
    if request.is_explained and request.format in {BriefFormat.JSON, BriefFormat.MCP}:
        raise RepomemError(
            f"--why adds lines to text, and --format is {request.format}",
            "leave out --why: the items have the fields why and score",
        )


def _recalled(workspace: "Workspace", request: RecallRequest, budget: int, others: "OtherRepositories | None") -> Brief:
    from repomem.recall.answer import recall_now
    from repomem.recall.request import BriefRequest
    from repomem.workspace.run import Run
    from repomem.workspace.snapshot import Scope

    window = window_of(request.since, request.until)
    kinds = frozenset(request.kinds)
    scope = Scope(path=from_top(workspace, request.directory, request.path))
    ask = BriefRequest(
        request.query, budget, scope, window, request.at, request.is_indexed, kinds, request.is_explained
    )
    run = Run(progress=progress_for_terminal())
    folders = _folders(workspace, request)
    if not folders:
        return recall_now(workspace, ask, run)
    from repomem.recall.other_repositories import OtherRepositories

    others = others or OtherRepositories(os.environ)
    return recall_now(workspace, ask, run, others.answers(workspace, folders, ask, run))


def _folders(workspace: "Workspace", request: RecallRequest) -> "list[Path]":
    """The folders of the other repositories to search; none with --at or for the map."""
    if request.also and not request.query:
        raise RepomemError("--also needs a task", 'give the task: repomem recall --also DIR "TASK"')
    if request.also and request.at:
        raise RepomemError("--also cannot be combined with --at", "leave out one of them")
    has_groups = bool(workspace.loaded.config.workspaces.groups) and not request.is_alone
    if request.at or not request.query or not (request.also or has_groups):
        return []
    from repomem.recall.other_repositories import folders_of_groups, resolved

    folders = [resolved(request.directory / each) for each in request.also]
    return folders + (folders_of_groups(workspace) if has_groups else [])


def _out_in_form(brief: Brief, form: BriefFormat) -> None:
    from repomem.recall.brief_json import brief_json

    match form:
        case BriefFormat.JSON:
            out_json(brief_json(brief))
        case BriefFormat.MCP:
            out_json(brief_result(brief))
        case BriefFormat.TEXT:
            from rich.markdown import Markdown

            out_rich(Markdown(as_markdown(brief.markdown), code_theme="ansi_dark", hyperlinks=False))
        case BriefFormat.MARKDOWN:
            out(brief.markdown)


def as_markdown(brief: str) -> str:
    """A brief's text for a renderer of Markdown: without emphasis, and with the lines below an item on their own."""
    lines, is_code = brief.split("\n"), False
    for at, (line, below) in enumerate(zip(lines, [*lines[1:], ""], strict=True)):
        is_fence = line.lstrip().startswith("```")
        is_code ^= is_fence
        if not (is_code or is_fence):
            has_more = line.strip() and below.startswith("  ") and below.strip()
            lines[at] = _EMPHASIS.sub(lambda match: match["code"] or f"\\{match[0]}", line) + "  " * bool(has_more)
    return "\n".join(lines)


def out_failed_tool(text: str) -> None:
    """Report a failure to a reader of tool results."""
    out_json(tool_result(text, is_error=True))


def tool_result(text: str, structured: dict[str, Any] | None = None, *, is_error: bool = False) -> dict[str, Any]:
    """One result of a tool, as the Model Context Protocol has it."""
    result: dict[str, Any] = {"content": [{"type": "text", "text": visible(text)}], "isError": is_error}
    return result if structured is None else {**result, "structuredContent": visible_values(structured)}
