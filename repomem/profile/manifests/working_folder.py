"""The folder in which the commands of a code block or CI step run, which `cd` changes.

A command for another folder fails at the root, so it is given with its `cd`, or left out if the folder is unknown.
"""

import posixpath
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace

from repomem.core.text.lazy_pattern import lazy_pattern
from repomem.profile.manifests.commands import is_runnable, slot_of_command
from repomem.profile.manifests.manifest import MAX_FACT_CHARS, Excerpt

_CHANGE = lazy_pattern(r"(?:cd|pushd)\s+(?:--\s+)?[\"']?([^\s\"']+)[\"']?")
_MAKE = lazy_pattern(r"mkdir\s+(?:-p\s+)?[\"']?([^\s\"'-][^\s\"']*)[\"']?")
_CLONE = lazy_pattern(r"git\s+clone\s.*?([\w.-]+?)(?:\.git)?/?(?:\s+([\w./-]+))?\s*")
_ADDRESS = lazy_pattern(r"\b(?:github|gitlab|bitbucket|codeberg)\.\w+[/:][\w.-]+/([\w-]+(?:\.(?!git\b)[\w-]+)*)")
GENERATED = lazy_pattern(r"(?i)(?:.*/)?(?:[\w.-]*build[\w.-]*|out|bin|dist|target|obj|release|debug)")  # not in git
_ABOVE = lazy_pattern(r"(?:^|[\s='\"])\.\.(?:/|[\s'\"]|$)")  # `cmake ..` runs in a folder that another block entered
_OF_A_BUILD = lazy_pattern(r"ctest\b(?!.*\s(?:--test-dir|--preset|-S)\b)")  # finds no tests at the root
_SEPARATOR = lazy_pattern(r"\s*(?:&&|;)\s*")
_UNKNOWN = lazy_pattern(r"[$~<>*{}]|^/|^-$")


@dataclass(frozen=True, slots=True)
class _Shell:
    """A shell that runs a block."""

    folder: str | None = ""  # relative to the root; None if unknown
    made: frozenset[str] = frozenset()  # folders that the block creates
    clones: frozenset[str] = frozenset()  # names of the repository's own clones
    steps: tuple[str, ...] = ()  # commands run since the block entered a folder that it made
    since: int = 0  # the line on which it left the root


def clones_in(text: str) -> frozenset[str]:
    """The folders that `git clone` commands of a document create, or would create with the addresses in it."""
    named = frozenset(_ADDRESS.findall(text))
    found = (_CLONE.fullmatch(line.strip(" \t$`")) for line in text.split("\n") if "git clone" in line)
    return named | {clone[2] or clone[1] for clone in found if clone}


def from_root(
    block: Sequence[Excerpt],
    paths: Collection[str],
    folder: str = "",
    clones: frozenset[str] = frozenset(),
    *,
    is_guide: bool = False,
) -> Iterator[Excerpt]:
    """The commands of a block as they work from the repository's root; `folder` is where the block starts.

    A guide lists commands to choose from: there a `cd a && make` ends at the next blank line or comment.
    """
    start = _Shell(clones=clones)
    shell = _entered(start, folder, 0, paths) if folder else start
    outside: _Shell | None = None  # before a `cd` on the line of its command
    last = 0
    for line in block:
        if is_guide and outside and line.line > last + 1:
            shell, outside = outside, None
        before, last = shell, max(line.line, line.end_line)
        shell, rest = _led(shell, line, paths)
        if shell.folder != before.folder:
            outside = (outside or before) if rest else None
        if rest:
            yield from _command(shell, replace(line, text=rest), paths)
            shell = replace(shell, steps=(*shell.steps, rest)) if shell.folder in shell.made else shell
        for piece in _SEPARATOR.split(rest):
            shell = _after(shell, piece, line.line, paths) or shell


def _led(shell: _Shell, line: Excerpt, paths: Collection[str]) -> tuple[_Shell, str]:
    """The shell after the folder changes that begin a line, and the rest of the line."""
    rest = line.text.strip()
    while rest:
        command, *others = _SEPARATOR.split(rest, maxsplit=1)
        moved = _after(shell, command, line.line, paths)
        if moved is None:
            break
        shell, rest = moved, "".join(others)
    return shell, rest


def _after(shell: _Shell, command: str, line: int, paths: Collection[str]) -> _Shell | None:
    """The shell after a command that enters or creates a folder; None for other commands."""
    if made := _MAKE.fullmatch(command):
        return replace(shell, made=shell.made | {posixpath.normpath(posixpath.join(shell.folder or "", made[1]))})
    if cloned := _CLONE.fullmatch(command):
        return replace(shell, clones=shell.clones | {cloned[2] or cloned[1]})
    change = _CHANGE.fullmatch(command)
    return _entered(shell, change[1], line, paths) if change else None


def _entered(shell: _Shell, folder: str, line: int, paths: Collection[str]) -> _Shell:
    if shell.folder is None or _UNKNOWN.search(folder):
        return replace(shell, folder=None)
    target = posixpath.normpath(posixpath.join(shell.folder, folder))
    if target == "." or (not shell.folder and target in shell.clones):
        return replace(shell, folder="", steps=(), since=0)
    if target.startswith(".."):
        return replace(shell, folder=None)
    is_here = target in shell.made or GENERATED.fullmatch(target) or _is_folder(target, paths)
    if not is_here and not shell.folder:
        return shell  # the clone, under a name that no command gave it
    return replace(shell, folder=target if is_here else None, steps=(), since=shell.since or line)


def _is_folder(path: str, paths: Collection[str]) -> bool:
    return any(each.startswith(f"{path}/") for each in paths)


def _command(shell: _Shell, command: Excerpt, paths: Collection[str]) -> Iterator[Excerpt]:
    """A command with what must run before it; none if that is unknown."""
    if shell.folder is None:
        return
    if not shell.folder:
        if not (_ABOVE.search(command.text) or _OF_A_BUILD.match(command.text)):
            yield command
        return
    before = [f"cd {shell.folder}"]
    if slot_of_command(command.text) == "build" and not _is_folder(shell.folder, paths):
        if shell.folder not in shell.made or not all(map(is_runnable, shell.steps)):
            return
        before = [f"mkdir -p {shell.folder}", *before, *shell.steps]
    text = " && ".join([*before, command.text])
    if len(text) <= MAX_FACT_CHARS:
        yield Excerpt(text, shell.since or command.line, max(command.line, command.end_line))
