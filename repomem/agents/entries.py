"""repomem's entries in the settings of agent hosts: how they start repomem, and how they are recognised.

An entry is ours by what it runs: `… -m repomem hook EVENT` or `…/repomem hook EVENT`, and for an MCP server
`…/repomem mcp`. Nothing found in a settings file is ever run to see whether it works: in a clone, others wrote it.
"""

import os
import shlex
import shutil
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from repomem.core.errors import ForeignError
from repomem.core.text.lazy_pattern import lazy_pattern

SERVER = "repomem"  # no underscore: Gemini CLI joins names with one
SERVER_TABLES = ("mcpServers", "servers", "mcp")  # keys of the object with MCP servers, by host
LINES = ("command", "bash")  # fields with a command line; `powershell` repeats it

GUARD = "[ ! -x "  # before a command line that is skipped if its program is gone

_HOOK = lazy_pattern(r"""(?:-m\s+repomem|(?:^|[/\\'" ])repomem(?:\.exe)?['"]?)\s+hook\s+[a-z-]+(?:\s|$)""")
_PROGRAM_NAME = lazy_pattern(r"(?:^|[/\\])repomem(?:\.exe)?$")

Words = tuple[str, ...]
Place = tuple[str | int, ...]


@dataclass(frozen=True, slots=True)
class Program:
    """The words that start this installation of repomem from anywhere, before its command."""

    words: Words

    def hook_line(self, event: str, host: str) -> str:
        """The command line of a hook, for a POSIX shell."""
        return shlex.join([*self.words, "hook", event, "--host", host])

    def guarded_hook_line(self, event: str, host: str) -> str:
        """The same for a host that blocks prompts when a hook cannot start: succeeds if repomem is gone."""
        return f"{GUARD}{shlex.quote(self.words[0])} ] || {self.hook_line(event, host)}"

    def hook_powershell(self, event: str, host: str) -> str:
        """The same for PowerShell."""
        words = ("'" + word.replace("'", "''") + "'" for word in self.words)
        return f"& {' '.join(words)} hook {event} --host {host}"

    @property
    def server(self) -> Words:
        """The words that start the MCP server."""
        return (*self.words, "mcp")


@dataclass(frozen=True, slots=True)
class Own:
    """An entry of repomem in a JSON file: its path, and the words that it runs."""

    place: Place
    words: Words


def this_program(executable: str = sys.executable) -> Program:
    """The console script next to the interpreter, or the interpreter. Raises ForeignError if its path is not text."""
    script = Path(executable).with_name("repomem.exe" if os.name == "nt" else "repomem")
    words = (str(script),) if script.is_file() else (executable, "-P", "-m", "repomem")
    if any(not word.isprintable() for word in words):
        raise ForeignError(
            f"settings files cannot contain the path of {executable!r}", "install repomem in another folder"
        )
    return Program(words)


def is_there(words: Words) -> bool:
    """Whether the program of an entry still exists and is executable."""
    return bool(words) and shutil.which(words[0]) is not None


def own_entries(value: Any, place: Place = ()) -> Iterator[Own]:
    """Repomem's entries in the value of a JSON file, in order. A group with nothing else is one entry."""
    if isinstance(value, dict):
        if words := _hook_words(value):
            yield Own(place, words)
            return
        if inner := _whole_group(value):
            yield Own(place, inner)
            return
    for key, each in _children(value):
        if key == SERVER and place and place[-1] in SERVER_TABLES and not is_foreign_server(each):
            yield Own((*place, key), server_words(each))
        else:
            yield from own_entries(each, (*place, key))


def words_in(value: Any) -> Words:
    """The words that an entry runs: a hook, a group of hooks, or a server."""
    if isinstance(value, dict):
        return _hook_words(value) or _whole_group(value) or server_words(value)
    return ()


def server_words(value: Any) -> Words:
    """The words of an MCP server's entry; empty if it is none."""
    if not isinstance(value, dict):
        return ()
    command, arguments = value.get("command"), value.get("args", [])
    arguments = arguments if isinstance(arguments, list) else [arguments]
    words = command if isinstance(command, list) else [command, *arguments]
    return tuple(words) if all(isinstance(word, str) for word in words) else ()


def is_foreign_server(value: Any) -> bool:
    """Whether an MCP server with our name is another program's; one that says nothing, such as `{}`, is not."""
    if not isinstance(value, dict) or not any(isinstance(each, str | list) and each for each in value.values()):
        return False
    _, *arguments = words = server_words(value) or ("",)
    return not any(_PROGRAM_NAME.search(word) and "mcp" in arguments[place:] for place, word in enumerate(words))


def line_words(line: str) -> Words:
    """The words of a command line; the whole line if its quotes are broken."""
    try:
        return tuple(shlex.split(line))
    except ValueError:
        return (line,)


def _hook_words(value: dict[str, Any]) -> Words:
    for name in LINES:
        line = value.get(name)
        if isinstance(line, str) and _HOOK.search(line):
            return line_words(line.partition(" ] || ")[2] if line.startswith(GUARD) else line)
    return ()


def _whole_group(value: dict[str, Any]) -> Words:
    """The words that a group (`{"matcher": …, "hooks": […]}`) runs if all its hooks are repomem's."""
    hooks = value.get("hooks")
    if not isinstance(hooks, list) or not hooks:
        return ()
    found = [_hook_words(each) if isinstance(each, dict) else () for each in hooks]
    return found[0] if all(found) else ()


def _children(value: Any) -> Iterator[tuple[str | int, Any]]:
    if isinstance(value, dict):
        yield from value.items()
    elif isinstance(value, list):
        yield from enumerate(value)
