"""The hooks around tool calls: `file`, `command` and `delegate`.

`file` runs before a file is read or edited, `command` after a shell command, and `delegate`, which prints nothing,
before a tool that starts a sub-agent. They run for each such call, so nothing else of the command line is loaded.
Names of fields differ between hosts, and change: unreadable fields are empty, and no input raises.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from repomem.agents.subagents import note_task
from repomem.agents.tool_reminders import path_in, reminders_for_failure, reminders_for_files
from repomem.cli.agents.host_events import DELEGATE, PATCH, PATHS, inputs_of, parsed, text_in
from repomem.core.text.lazy_pattern import lazy_pattern
from repomem.recall.select_reminders import FailedCommand, FileUse, Lines, Replacement
from repomem.workspace.reminder_cache import worktree_at

if TYPE_CHECKING:
    from repomem.capture.host_sessions import HostEvent

TOOL = ("tool_name", "toolName", "tool")
READ_TOOLS = frozenset(["read", "read_file", "readfile", "view", "view_image", "notebookread"])
OLD = ("old_string", "old_str", "oldString", "old_text")
NEW = ("new_string", "new_str", "newString", "new_text")
WHOLE = ("content", "file_text", "contents")
RESULT = ("tool_response", "tool_result", "toolResult", "tool_output", "output", "error")
OUTPUT = ("stdout", "stderr", "llmContent", "textResultForLlm", "text_result_for_llm", "output", "error")
CODE = ("exitCode", "exit_code", "exit")
EXIT_CODE = lazy_pattern(r"\bexit(?:ed with)?(?: code| status):? (-?\d+)", re.IGNORECASE)
FAILURES = frozenset(["posttoolusefailure"])  # events that say by their name that the tool failed
PATCH_START = "*** Begin Patch"
HEAD = lazy_pattern(r"\*\*\* (?:Update|Add|Delete) File: (.+)")
LONGEST_COMMAND = 300  # characters that are compared
LONGEST_TEXT = 1 << 20  # characters of one side of an edit, or of an output


def reminders_for(folder: str, event: "HostEvent", payload: Mapping[str, Any]) -> str:
    """The text to show for a tool call; empty, as for most, where nothing is tied to it."""
    worktree = worktree_at(folder)
    if worktree is None or not worktree.is_indexed:
        return ""
    if event.event == DELEGATE:
        note_task(worktree, event)
        return ""
    if event.event == "file":
        uses = [(each, path_in(worktree, folder, each.path)) for each in _files_in(payload)]
        return reminders_for_files(worktree, event, [replace(each, path=path) for each, path in uses if path])
    failed = _failed_command_in(payload)
    return reminders_for_failure(worktree, event, failed) if failed else ""


def _files_in(payload: Mapping[str, Any]) -> list[FileUse]:
    """The files that a tool call is about, with their paths as the host names them."""
    given = next(inputs_of(payload), {})
    patch = next((value for name in PATCH if isinstance(value := given.get(name), str) and PATCH_START in value), "")
    if patch:
        return list(_patched(patch))
    path = text_in(given, PATHS)
    if not path:
        return []
    if text_in(payload, TOOL).casefold() in READ_TOOLS:
        return [FileUse(path, lines=_lines(given), is_edit=False)]
    return [FileUse(path, replacements=tuple(_replacements(given)))]


def _failed_command_in(payload: Mapping[str, Any]) -> FailedCommand | None:
    """The command of a shell tool that failed; None if it passed."""
    command = text_in(next(inputs_of(payload), {}), ("command", "cmd", "script"))
    if not command or PATCH_START in command:
        return None
    results = [value for name in RESULT if (value := parsed(payload.get(name))) is not None]
    output = "\n".join(text for each in results for text in _outputs(each))[-LONGEST_TEXT:]
    code = next((code for each in results if (code := _code(each)) is not None), None)
    if code is None and (said := EXIT_CODE.findall(output)):
        code = int(said[-1])
    if text_in(payload, ("hook_event_name",)).casefold() in FAILURES:
        code = code or 1
    if code == 0 or payload.get("is_interrupt") is True:
        return None
    from repomem.capture.command_outcomes import error_line, has_failed, telling_command

    if code is None and not has_failed(output):
        return None
    told = telling_command(command)[0] or command
    return FailedCommand(told[:LONGEST_COMMAND], error_line(output), output)


def _replacements(given: Mapping[str, Any]) -> Iterator[Replacement]:
    edits = given.get("edits")
    for each in [given, *(edits if isinstance(edits, list) else [])]:
        if isinstance(each, Mapping) and (old := text_in(each, OLD)):
            yield Replacement(old[:LONGEST_TEXT], text_in(each, NEW)[:LONGEST_TEXT])
    if whole := text_in(given, WHOLE):
        yield Replacement("", whole[:LONGEST_TEXT])


def _lines(given: Mapping[str, Any]) -> Lines | None:
    """The lines that are read, from 0; None for the whole file."""
    span = given.get("view_range")
    if isinstance(span, list) and len(span) == 2 and all(isinstance(each, int) for each in span):
        return (span[0] - 1, span[1] - 1) if span[1] >= span[0] else None
    first, count, last = (_number(given, names) for names in (("offset", "start_line"), ("limit",), ("end_line",)))
    if first is None and count is None:
        return None
    start = max((first or 1) - 1, 0)
    end = last - 1 if last is not None else start + count - 1 if count else None
    return (start, end) if end is not None else None


def _number(given: Mapping[str, Any], names: tuple[str, ...]) -> int | None:
    return next((value for name in names if isinstance(value := given.get(name), int)), None)


def _patched(patch: str) -> Iterator[FileUse]:
    """The files of a patch in Codex's format, each part of a file as one replacement."""
    path, parts = "", [Replacement("", "")]
    for line in [*patch[:LONGEST_TEXT].splitlines(), "*** End Patch"]:
        if line.startswith("***"):
            if path:
                made = tuple(each for each in parts if each.old or each.new)
                yield FileUse(path, replacements=made)
            found = HEAD.match(line)
            path, parts = (found[1].strip() if found else ""), [Replacement("", "")]
        elif line.startswith("@@"):
            parts.append(Replacement("", ""))
        else:
            parts[-1] = _with_line(parts[-1], line)


def _with_line(part: Replacement, line: str) -> Replacement:
    sign, text = line[:1], line[1:]
    old = f"{part.old}\n{text}" if part.old else text
    new = f"{part.new}\n{text}" if part.new else text
    return Replacement(part.old if sign == "+" else old, part.new if sign == "-" else new)


def _outputs(result: Any) -> Iterator[str]:
    if isinstance(result, str):
        yield result
    if isinstance(result, Mapping):
        yield from (value for name in OUTPUT if isinstance(value := result.get(name), str) and value)


def _code(result: Any) -> int | None:
    return _number(result, CODE) if isinstance(result, Mapping) else None
