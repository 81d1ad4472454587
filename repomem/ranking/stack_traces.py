"""Stack traces and compilers' complaints in a question: where they point to, the place of the error first.

A trace was often taken elsewhere: its paths are those of an installed copy, and its lines may be of another version.
So a file is found by the end of its path, and the name of the function counts before the line.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import takewhile

from repomem.core.types import IndexedFile

MOST_FRAMES = 40  # of one question; an endless recursion says no more than its first round
_FILE = r"(?:[A-Za-z]:|\w+://[^/\s]*)?[^\s\"'():|,;<>]*[^\s\"'():|,;<>/\\]\.[A-Za-z]\w{0,4}"
_FRAMES = tuple(
    re.compile(pattern)
    for pattern in (
        r'File "(?P<path>[^"\n]+)", line (?P<line>\d+)(?:, in (?P<name>[\w<>.]+))?',  # Python
        r"\bat (?P<package>(?:[\w$]+\.)+)(?P<name>[\w$<>]+)\((?P<path>[\w$]+\.\w+):(?P<line>\d+)\)",  # JVM
        r"\bat (?P<name>[\w.<>`\[\]]+)\([^()\n]*\) in (?P<path>[^\n]+?):line (?P<line>\d+)",  # .NET
        rf"\bat (?:async |new )?(?P<name>[\w.$<>]+)(?: \[as [\w.$]+\])? \((?P<path>{_FILE}):(?P<line>\d+)(?::\d+)?\)",
        rf"(?P<path>{_FILE}):(?P<line>\d+):in [`'](?P<name>[^'\n]+)'",  # Ruby
        rf"#\d+ (?P<path>{_FILE})\((?P<line>\d+)\): (?P<name>[\w\\:>-]+)\(",  # PHP
        rf"(?P<path>{_FILE}):(?P<line>\d+): (?P<name>[\w.?!]+)/\d+",  # Elixir
        rf"(?P<path>{_FILE})(?::| on line |\()(?P<line>\d+)(?:[:,]\d+)?\)?",  # Go, Rust, compilers, linters
    )
)
_OPENING = re.compile(r"[^\n]*\(most recent call (?P<end>last|first)\):?[^\n]*|[^\n]*\b[Ss]tack ?trace:?[ \t]*(?=\n|$)")
_COMPLAINT = re.compile(
    r"^\s*(?:[\w.:$\\]*(?:Error|Exception|Panic|Fault|Failure|Warning)\b(?!\()|(?:\w+\.)+[A-Z]\w+: |panic:|fatal:"
    r"|error(?:\[\w+\])?:|FAILED |Caused by:|Uncaught |thread '[^']*' panicked|E   )[^\n]*",
    re.MULTILINE,
)
_INSTALLED = frozenset(["site-packages", "dist-packages", "node_modules", "vendor", "gems", "registry", "lib", "lib64"])


@dataclass(frozen=True, slots=True)
class Frame:
    """A place that a trace names."""

    path: str  # as the trace has it, with slashes
    line: int
    name: str = ""  # of the function, without what it belongs to; empty where the trace does not say


@dataclass(frozen=True, slots=True)
class Traced:
    """The live files that traces lead to."""

    near: Mapping[int, float] = field(default_factory=dict)  # version to nearness: 1 where the error was, then less
    frames: Mapping[int, Sequence[Frame]] = field(default_factory=dict)  # version to its frames, the nearest first


def frames_in(text: str) -> tuple[Frame, ...]:
    """The frames of all traces in a text, those nearest to the error first."""
    found: list[Frame] = []
    is_last = False
    for line in text.split("\n"):
        opening = _OPENING.search(line)
        is_last |= bool(opening and opening["end"] == "last")
        match = next(filter(None, (pattern.search(line) for pattern in _FRAMES)), None)
        if match:
            found.append(_frame(match))
    nearest = list(dict.fromkeys(reversed(found) if is_last else found))
    return tuple(nearest[:MOST_FRAMES])


def _frame(match: re.Match[str]) -> Frame:
    parts = match.groupdict(default="")
    path = re.sub(r"^\w+://[^/]*/", "", parts["path"]).replace("\\", "/").removeprefix("./")
    package = parts.get("package", "").split(".")[:-2]  # the last is the class
    name = re.split(r"[.:\\>#/ ]+", re.sub(r"[\[<`].*", "", parts.get("name", "")))[-1].strip("?!")
    return Frame("/".join([*package, path]), int(parts["line"]), name if name.isidentifier() else "")


def without_frames(text: str) -> str:
    """A text without the places that its traces name: their folders are words of whoever's machine it was.

    What a function is called stays.
    """
    for pattern in _FRAMES:
        text = pattern.sub(lambda match: f" {match.groupdict().get('name') or ''} ", text)
    return _OPENING.sub("", text)


def complaints_in(text: str) -> list[str]:
    """The lines that say what went wrong."""
    return [match[0].strip() for match in _COMPLAINT.finditer(text)]


def traced_files(frames: Sequence[Frame], files: Iterable[IndexedFile]) -> Traced:
    """The files that frames lead to; of several whose paths end alike, all."""
    if not frames:
        return Traced()
    wanted = {_parts(frame.path)[0] for frame in frames}
    by_name: dict[str, list[IndexedFile]] = {}
    for file in files:
        name = _parts(file.path)[0]
        if name in wanted:
            by_name.setdefault(name, []).append(file)
    near: dict[int, float] = {}
    found: dict[int, list[Frame]] = {}
    place = 0
    for frame in frames:
        here = _meant(frame, by_name.get(_parts(frame.path)[0], ()))
        place += bool(here)
        for file in here:
            near.setdefault(file.version, 1 / place)
            found.setdefault(file.version, []).append(frame)
    return Traced(near, found)


def _parts(path: str) -> list[str]:
    """The parts of a path, its name first."""
    return path.lower().split("/")[::-1]


def _meant(frame: Frame, files: Sequence[IndexedFile]) -> list[IndexedFile]:
    """Those of the files with the frame's name that share most of its folders, if it can be they."""
    parts = _parts(frame.path)
    shared = {file.version: _shared(parts, _parts(file.path)) for file in files}
    most = max(shared.values(), default=0)
    best = [file for file in files if shared[file.version] == most]
    if most > 1 or len(parts) == 1:
        return best
    is_installed = not _INSTALLED.isdisjoint(parts)  # the name alone is shared with every other package's
    return [] if is_installed else [file for file in best if "/" not in file.path]


def _shared(one: Sequence[str], other: Sequence[str]) -> int:
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))
