"""The wanted entries in the settings of an agent host: files with their entries, and their places."""

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

from repomem.agents.entries import SERVER, Program, this_program

STRICT = frozenset(["gemini"])  # hosts that block prompts if a hook's program is gone


class Form(StrEnum):
    """The format of a file, which decides how it is edited."""

    JSON = "json"
    TOML = "toml"
    MARKDOWN = "markdown"
    WHOLE = "whole"  # a file that only repomem writes


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry in a host's settings. In JSON: a member, or an element of the array, at `path`."""

    name: str
    path: tuple[str, ...] = ()
    value: Any = None
    is_element: bool = False


@dataclass(frozen=True, slots=True)
class Target:
    """One file with all entries it should contain and, in JSON, the plain values that they need.

    `text` is the file, or the inside of its block. A file with a `command` is the host's alone: it is read, and its
    user runs the command.
    """

    path: Path
    form: Form
    entries: tuple[Entry, ...]
    needs: tuple[tuple[str, Any], ...] = ()
    text: str = ""
    command: str = ""
    undo_command: str = ""

    @property
    def is_local(self) -> bool:
        """Whether it contains this machine's paths."""
        return not self.command and any(entry.value is not None for entry in self.entries)

    @property
    def wanted(self) -> dict[str, Any]:
        """All of it as one value, for JSON."""
        value: dict[str, Any] = dict(self.needs)
        for entry in self.entries:
            inner = value
            for name in entry.path[:-1]:
                inner = inner.setdefault(name, {})
            if entry.is_element:
                inner.setdefault(entry.path[-1], []).append(entry.value)
            else:
                inner[entry.path[-1]] = entry.value
        return value

    @property
    def by_hand(self) -> str:
        """What the owner of the file can add to it; empty for a whole file."""
        if self.form is Form.JSON:
            return json.dumps(self.wanted, ensure_ascii=False, indent=2) + "\n"
        return "" if self.form is Form.WHOLE else self.text


@dataclass(frozen=True, slots=True)
class InstallTarget:
    """Where to install: in a worktree, or for a user if `root` is None; and the program to start."""

    root: Path | None
    home: Path
    environ: Mapping[str, str]
    program: Program

    def folder(self, variable: str, default: Path) -> Path:
        """A host's folder, from a variable if that is an absolute path."""
        said = self.environ.get(variable, "").strip()
        return Path(said) if said and Path(said).is_absolute() else default


def target_here(root: Path | None) -> InstallTarget:
    """Where this installation of repomem adds its entries: in a worktree, or for the user without one."""
    return InstallTarget(root, Path.home(), os.environ, this_program())


def grouped(
    where: InstallTarget, host: str, key: str, event: str, matcher: str = "", *, is_async: bool = False, **more: Any
) -> Entry:
    """A hook in Claude Code's format, which other hosts share."""
    line = where.program.guarded_hook_line if host in STRICT else where.program.hook_line
    hook = {"type": "command", "command": line(event, host), **more}
    hook |= {"async": True} if is_async else {}
    group: dict[str, Any] = {"matcher": matcher} if matcher else {}
    return Entry(f"{event} hook", ("hooks", key), {**group, "hooks": [hook]}, is_element=True)


def cursor_hook(where: InstallTarget, key: str, event: str, **more: Any) -> Entry:
    """A hook of Cursor: one command, without a group."""
    hook = {"command": where.program.hook_line(event, "cursor"), **more}
    return Entry(f"{event} hook", ("hooks", key), hook, is_element=True)


def copilot_hook(where: InstallTarget, key: str, event: str, **more: Any) -> Entry:
    """A hook of Copilot, with a command line for each kind of shell."""
    program = where.program
    lines = {"bash": program.hook_line(event, "copilot"), "powershell": program.hook_powershell(event, "copilot")}
    hook = {"type": "command", **lines, **more, "timeoutSec": 30}
    return Entry(f"{event} hook", ("hooks", key), hook, is_element=True)


def server_entry(where: InstallTarget, *path: str, type: str = "", **more: Any) -> Entry:  # noqa: A002  # the field's own name
    """The MCP server at a path of keys."""
    command, *arguments = where.program.server
    value: dict[str, Any] = {"type": type} if type else {}
    return Entry("MCP server", (*path, SERVER), {**value, "command": command, "args": arguments, **more})
