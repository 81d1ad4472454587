"""Calls of tools: which of them run a command and which write files, under the names that hosts give them."""

import re
from collections.abc import Mapping

from repomem.adapters.transcripts.events import Call, Result
from repomem.adapters.transcripts.json_shapes import first_string, inner, items, mapping, parsed, string

LOOKED_AT = 400  # characters at either end of an output in which a host tells how it ended
UNKNOWN_FAILURE = 1  # where a host tells that a command failed, and no more

_SHELLS = frozenset(
    {
        *("bash", "shell", "shellcommand", "execcommand", "localshell", "localshellcall", "runshellcommand", "exec"),
        *(
            "runterminalcmd",
            "runterminalcommand",
            "runinterminal",
            "powershell",
            "containerexec",
            "execute",
            "terminal",
        ),
    }
)
_WRITERS = frozenset(
    {
        *("edit", "write", "multiedit", "notebookedit", "replace", "writefile", "editfile", "create", "createfile"),
        *("strreplace", "strreplaceeditor", "strreplacebasededittool", "searchreplace", "applypatch", "patch"),
        *("inserteditintofile", "replacestringinfile", "multireplacestringinfile", "insert", "deletefile", "delete"),
        *("filechange", "editnotebook"),
    }
)
_VIEWS = frozenset({"view", "undo_edit"})  # what an editor tool can be told that writes nothing new
_PATHS = ("file_path", "filePath", "notebook_path", "path", "target_file", "absolute_path", "filename")
_PATCHES = ("patch", "input", "patchText", "patch_text", "diff")
_HEADER = re.compile(r"^\*\*\* (?:(?:Update|Add|Delete) File|Move to):[ \t]*(\S.*?)[ \t]*$", re.MULTILINE)
_PATCH = "*** Begin Patch"
_SHELL_NAMES = re.compile(r"(?:.*/)?(?:ba|z|da|k)?sh|(?:.*[/\\])?(?:pwsh|powershell|cmd)(?:\.exe)?")
_CODE = re.compile(
    r"^\s*(?:Exit code:?|Exit Code:|Process exited with code)\s+(-?\d{1,5})\b|<(?:exited|"
    r"shellId: \S{1,40} completed) with exit code (-?\d{1,5})>",
    re.MULTILINE,
)
_RUNS_ON = re.compile(
    r"\A\s*(?:Command running in background|Process running with session ID|<command started)", re.IGNORECASE
)
_REFUSED = re.compile(
    r"(?:the )?user (?:doesn.t|does not) want to|user rejected|rejected by (?:the )?user|aborted by (?:the )?user"
    r"|cancel+ed by (?:the )?user|user (?:declined|denied|cancel+ed|aborted)|permission to use .{1,120} has been denied"
    r"|requires approval|blocked by .{0,40}hook|hook (?:blocking )?error|denied by|permission denied and could not",
    re.IGNORECASE,
)
_SAYS_HOW = re.compile(r"\bthe user said:\s*(.+)\Z", re.DOTALL | re.IGNORECASE)


def call_of(key: str, tool: str, arguments: object, at: str = "") -> Call:
    """The call as hosts write it down: arguments are an object, or text that holds one, or a patch as it is."""
    name = re.sub(r"[^a-z]", "", tool.lower())
    told = mapping(arguments) or parsed(string(arguments))
    raw = string(arguments)
    if name in _SHELLS:
        return _ran(key, tool, told, at)
    if name in _WRITERS and string(told.get("command")) not in _VIEWS:
        return Call(key, tool, paths=_paths(told, raw), at=at)
    return Call(key, tool, at=at)


def patched(patch: str) -> tuple[str, ...]:
    """The files that the headers of a patch name."""
    return tuple(dict.fromkeys(_HEADER.findall(patch)))


def exit_code(output: str) -> int | None:
    """The exit code that a host wrote to what a command printed, at its start or end."""
    found = list(_CODE.finditer(output[:LOOKED_AT])) or list(_CODE.finditer(output[-LOOKED_AT:]))
    return int(found[-1][1] or found[-1][2]) if found else None


def is_running(output: str) -> bool:
    """Whether a host tells that a command runs on in the background."""
    return bool(_RUNS_ON.match(output))


def is_refusal(output: str) -> bool:
    """Whether a host's error tells that a person, or the host in their name, did not let the tool be used."""
    return bool(_REFUSED.search(output[:LOOKED_AT]))


def said_at_refusal(output: str) -> str:
    """What the person said to do instead."""
    found = _SAYS_HOW.search(output) if is_refusal(output) else None
    return found[1].strip() if found else ""


def result_of(call: str, output: str, *, is_error: bool) -> Result:
    """The result where the host tells whether it is an error and the rest is in its text."""
    if is_error and is_refusal(output):
        return Result(call, output, is_refused=True)
    if is_error:
        code = exit_code(output)
        return Result(call, output, UNKNOWN_FAILURE if code is None else code)
    return Result(call, output, None if is_running(output) else exit_code(output) or 0)


def _ran(key: str, tool: str, told: Mapping[str, object], at: str) -> Call:
    command = _command(told.get("command") or told.get("cmd") or inner(told, "action", "command"))
    if _PATCH in command:
        return Call(key, tool, paths=patched(command), at=at)
    return Call(key, tool, command, at=at)


def _command(value: object) -> str:
    """The command line; of a list that starts a shell it is what the shell is told."""
    if isinstance(value, str):
        return value
    words = [string(word) for word in items(value)]
    if len(words) >= 3 and _SHELL_NAMES.fullmatch(words[0]):
        return words[-1]
    return " ".join(words)


def _paths(told: Mapping[str, object], raw: str) -> tuple[str, ...]:
    patch = first_string(told, *_PATCHES) or raw
    if _PATCH in patch:
        return patched(patch)
    edits = [mapping(each) for each in (*items(told.get("edits")), *items(told.get("replacements")))]
    found = (first_string(each, *_PATHS) for each in (told, *edits))
    changed = mapping(told.get("changes"))  # a path to what is done to it
    return tuple(dict.fromkeys(path for path in (*found, *changed) if path))
