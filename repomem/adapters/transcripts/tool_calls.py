"""Tool calls and results: which tools run commands or write files in each host, and how results are marked."""

import re
from collections.abc import Mapping

from repomem.adapters.transcripts.events import Call, Result
from repomem.adapters.transcripts.json_shapes import inner, items, mapping, parsed, string, text_at
from repomem.core.text.lazy_pattern import lazy_pattern

SEARCHED = 400  # characters at either end of output where hosts write the exit code
UNKNOWN_FAILURE = 1  # for a failure without an exit code

_SHELL_TOOLS = """bash shell shellcommand execcommand localshell localshellcall runshellcommand exec runterminalcmd
    runterminalcommand runinterminal powershell containerexec execute terminal"""
_WRITING_TOOLS = """edit write multiedit notebookedit replace writefile editfile create createfile strreplace
    strreplaceeditor strreplacebasededittool searchreplace applypatch patch inserteditintofile replacestringinfile
    multireplacestringinfile insert deletefile delete filechange editnotebook"""
_SHELLS, _WRITERS = (frozenset(names.split()) for names in (_SHELL_TOOLS, _WRITING_TOOLS))
_READERS = frozenset({"read", "readfile", "readmanyfiles", "view", "viewfile", "viewimage", "openfile", "notebookread"})
_VIEWS = frozenset({"view", "undo_edit"})  # commands of an editor tool that write nothing new
_PATHS = ("file_path", "filePath", "notebook_path", "path", "target_file", "absolute_path", "filename")
_SEVERAL = ("paths", "include", "files")  # of tools that read several files at once
_PATCHES = ("patch", "input", "patchText", "patch_text", "diff")
_HEADER = lazy_pattern(r"(?m)^\*\*\* (?:(?:Update|Add|Delete) File|Move to):[ \t]*(\S.*?)[ \t]*$")
_PATCH = "*** Begin Patch"
_SHELL_NAMES = lazy_pattern(r"(?:.*/)?(?:ba|z|da|k)?sh|(?:.*[/\\])?(?:pwsh|powershell|cmd)(?:\.exe)?")
_CODE = lazy_pattern(
    r"(?m)^\s*(?:Exit code:?|Exit Code:|Process exited with code)\s+(-?\d{1,5})\b|<(?:exited|"
    r"shellId: \S{1,40} completed) with exit code (-?\d{1,5})>"
)
_RUNS_ON = lazy_pattern(r"(?i)\A\s*(?:Command running in background|Process running with session ID|<command started)")
_REFUSED = lazy_pattern(
    r"(?i)(?:the )?user (?:doesn.t|does not) want to|user rejected|rejected by (?:the )?user|aborted by (?:the )?user"
    r"|cancel+ed by (?:the )?user|user (?:declined|denied|cancel+ed|aborted)|permission to use .{1,120} has been denied"
    r"|requires approval|blocked by .{0,40}hook|hook (?:blocking )?error|denied by|permission denied and could not"
)
_SAYS_HOW = lazy_pattern(r"(?is)\bthe user said:\s*(.+)\Z")


def call_of(key: str, tool: str, arguments: object, at: str = "") -> Call:
    """Read a call; its arguments are an object, JSON text, or a bare patch."""
    name = re.sub(r"[^a-z]", "", tool.lower())
    fields = parsed(arguments)
    raw = string(arguments)
    if name in _SHELLS:
        return _ran(key, tool, fields, at)
    if name in _WRITERS and text_at(fields, "command") not in _VIEWS:
        return Call(key, tool, paths=_paths(fields, raw), at=at)
    is_read = name in _READERS or (name in _WRITERS and text_at(fields, "command") == "view")
    return Call(key, tool, at=at, read=_read(fields) if is_read else ())


def patched(patch: str) -> tuple[str, ...]:
    """The files in the headers of a patch."""
    return tuple(dict.fromkeys(_HEADER.findall(patch)))


def exit_code(output: str) -> int | None:
    """The exit code that a host added at the start or end of output."""
    found = list(_CODE.finditer(output[:SEARCHED])) or list(_CODE.finditer(output[-SEARCHED:]))
    return int(found[-1][1] or found[-1][2]) if found else None


def is_running(output: str) -> bool:
    """Whether a command continues in the background."""
    return bool(_RUNS_ON.match(output))


def is_refusal(output: str) -> bool:
    """Whether the person or the host declined the call."""
    return bool(_REFUSED.search(output[:SEARCHED]))


def words_at_refusal(output: str) -> str:
    """The person's words when declining."""
    found = _SAYS_HOW.search(output) if is_refusal(output) else None
    return found[1].strip() if found else ""


def result_of(call: str, output: str, *, is_error: bool) -> Result:
    """Read a result that is marked as error or not, with details in its text."""
    if is_error and is_refusal(output):
        return Result(call, output, is_refused=True)
    if is_error:
        code = exit_code(output)
        return Result(call, output, UNKNOWN_FAILURE if code is None else code)
    return Result(call, output, None if is_running(output) else exit_code(output) or 0)


def _ran(key: str, tool: str, fields: Mapping[str, object], at: str) -> Call:
    command = _command(fields.get("command") or fields.get("cmd") or inner(fields, "action", "command"))
    if _PATCH in command:
        return Call(key, tool, paths=patched(command), at=at)
    return Call(key, tool, command, at=at)


def _command(value: object) -> str:
    """The command line; of a list that starts a shell, the script."""
    if isinstance(value, str):
        return value
    words = [string(word) for word in items(value)]
    if len(words) >= 3 and _SHELL_NAMES.fullmatch(words[0]):
        return words[-1]
    return " ".join(words)


def _read(fields: Mapping[str, object]) -> tuple[str, ...]:
    several = [string(each) for name in _SEVERAL for each in items(fields.get(name))]
    return tuple(dict.fromkeys(path for path in (text_at(fields, *_PATHS), *several) if path))


def _paths(fields: Mapping[str, object], raw: str) -> tuple[str, ...]:
    patch = text_at(fields, *_PATCHES) or raw
    if _PATCH in patch:
        return patched(patch)
    edits = [mapping(each) for each in (*items(fields.get("edits")), *items(fields.get("replacements")))]
    found = (text_at(each, *_PATHS) for each in (fields, *edits))
    changed = mapping(fields.get("changes"))  # a path to its operation
    return tuple(dict.fromkeys(path for path in (*found, *changed) if path))
