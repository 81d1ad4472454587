"""Finds the transcripts of agent hosts on disk and reads their lines.

Writes nothing, and follows no link out of a host's folder. Files above 64 MB are read at their start, which names the
session and its goal, and their end, which has the latest work: single pieces would miss results and dead branches.
"""

import json
import os
import re
import stat
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import BinaryIO, NamedTuple

from repomem.adapters.transcripts.json_shapes import LONGEST_LINE
from repomem.adapters.transcripts.opencode import rows_of, sessions
from repomem.adapters.transcripts.steps import TranscriptFile
from repomem.core.files import NO_LINK, NO_WAIT, bytes_of
from repomem.core.text.lazy_pattern import lazy_pattern

WHOLE = 64 << 20  # bytes: many days of work
HEAD = 1 << 20  # bytes read at the start of a larger file
LONGEST_NAME = 200  # characters of a folder's name that Claude Code keeps before its digest
LONGEST_LIST = 1 << 20  # bytes of a list of projects
_SESSION = lazy_pattern(r"(?i)[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")


class _Place(NamedTuple):
    """Where a host keeps its transcripts."""

    variable: str  # of the environment: moves `home`
    home: str  # relative to the user's
    folder: str  # within it
    patterns: tuple[str, ...]  # below that


_PLACES = {
    "claude-code": _Place("CLAUDE_CONFIG_DIR", ".claude", "projects", ("*/*.jsonl",)),
    "codex": _Place(
        "CODEX_HOME", ".codex", "", ("sessions/*/*/*/rollout-*.jsonl", "archived_sessions/rollout-*.jsonl")
    ),
    "gemini": _Place("GEMINI_CLI_HOME", "", ".gemini/tmp", ("*/chats/session-*.json", "*/chats/session-*.jsonl")),
    "cursor": _Place("", ".cursor", "projects", ("*/agent-transcripts/*.jsonl", "*/agent-transcripts/*/*.jsonl")),
    "copilot": _Place("COPILOT_HOME", ".copilot", "session-state", ("*/events.jsonl",)),
    "opencode": _Place("XDG_DATA_HOME", ".local/share", "opencode", ()),
}


def transcripts_of(
    host: str, environment: Mapping[str, str], home: Path, folder: Path | None = None
) -> list[TranscriptFile]:
    """List the sessions of a host, newest first; with `folder`, those of that folder.

    Codex and Copilot name the folder inside the transcript only, so all of theirs are listed.
    """
    if host not in _PLACES:
        return []
    root = _root_of(_PLACES[host], environment, home)
    paths = (path for pattern in _PLACES[host].patterns for path in _matching(root, pattern.split("/")))
    found = sessions(root) if host == "opencode" else list(filter(None, (file_of(host, path) for path in paths)))
    kept = found if folder is None else [ours for each in found if (ours := _of_folder(each, root, folder))]
    return sorted(kept, key=lambda each: (-each.changed, str(each.path), each.session))


def transcript_at(host: str, path: Path, environment: Mapping[str, str], home: Path) -> TranscriptFile | None:
    """The transcript that a hook names; None unless it is a regular file in the host's folder."""
    place = _PLACES.get(host)
    return file_of(host, path) if place and _is_within(path, _root_of(place, environment, home)) else None


def read_transcript(file: TranscriptFile) -> list[bytes]:
    """The lines of a transcript; none if it cannot be read."""
    return rows_of(file.path, file.session) if file.host == "opencode" else file_lines(file.path)


def file_lines(path: Path, most: int = WHOLE) -> list[bytes]:
    """The lines of a regular file; none if it cannot be read."""
    try:
        with opened(path) as file:
            size = os.fstat(file.fileno()).st_size
            if size <= most:
                return _between(file, 0, size)
            head = min(HEAD, most // 2)
            return [*_between(file, 0, head)[:-1], *_between(file, size - (most - head), size)[1:]]
    except OSError:
        return []


def opened(path: Path) -> BinaryIO:
    """Open a regular file, not a link; OSError for anything else."""
    descriptor = os.open(path, os.O_RDONLY | NO_LINK | NO_WAIT)
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise OSError(f"{path} is not a regular file")
    return os.fdopen(descriptor, "rb")


def _between(file: BinaryIO, first: int, end: int) -> list[bytes]:
    """The lines between two offsets; a line above the limit becomes empty."""
    file.seek(first)
    lines = file.read(end - first).split(b"\n")
    return [b"" if len(line) > LONGEST_LINE else line for line in lines]


def _root_of(place: _Place, environment: Mapping[str, str], home: Path) -> Path:
    moved = Path(environment.get(place.variable, ""))
    return (moved if moved.is_absolute() else home / place.home) / place.folder


def file_of(host: str, path: Path) -> TranscriptFile | None:
    """A transcript at a path; None unless it is a regular file."""
    try:
        found = path.lstat()
    except (OSError, ValueError):
        return None
    if not stat.S_ISREG(found.st_mode):
        return None
    folder = _gemini_folder(path.parent.parent) if host == "gemini" else ""
    return TranscriptFile(host, path, _session(path), found.st_mtime, found.st_size, folder)


def _matching(folder: Path, names: Sequence[str]) -> Iterator[Path]:
    """The paths below a folder that match name by name; skip links."""
    try:
        entries = [entry for entry in os.scandir(folder) if not entry.is_symlink()]
    except OSError:
        return
    for entry in entries:
        path = folder / entry.name
        if len(names) == 1 and path.match(names[0]):
            yield path
        elif len(names) > 1 and path.match(names[0]) and entry.is_dir(follow_symlinks=False):
            yield from _matching(path, names[1:])


def _session(path: Path) -> str:
    """The session's identifier from the file's name, for Copilot from the folder's."""
    name = path.parent.name if path.name == "events.jsonl" else path.stem
    found = _SESSION.search(name)
    return found[0] if found else name


def _is_within(path: Path, root: Path) -> bool:
    """Whether a path is in a folder, links resolved."""
    return path.is_absolute() and Path(os.path.realpath(path)).is_relative_to(os.path.realpath(root))


def _of_folder(file: TranscriptFile, root: Path, folder: Path) -> TranscriptFile | None:
    """The session with its folder; None if its path shows another folder."""
    if file.folder or file.host == "opencode":
        return file if Path(file.folder).is_relative_to(folder) else None
    if file.host in {"codex", "copilot"}:
        return file
    parts = Path(os.path.realpath(file.path)).relative_to(os.path.realpath(root)).parts
    is_named = parts[0] == sha256(os.fsencode(folder)).hexdigest() if file.host == "gemini" else False
    return replace(file, folder=str(folder)) if is_named or _is_named_after(parts[0], folder) else None


def _is_named_after(name: str, folder: Path) -> bool:
    """Whether a host made this name from the path, with hyphens for other characters."""
    slug = _slug(str(folder))
    return name.startswith(slug[:LONGEST_NAME]) if len(slug) > LONGEST_NAME else _slug(name) == slug


def _slug(path: str) -> str:
    return re.sub(r"[^A-Za-z0-9]", "-", path).strip("-")


def _gemini_folder(folder: Path) -> str:
    """The project in `.project_root`, or in Gemini CLI's list of projects."""
    return _text_of(folder / ".project_root") or _gemini_projects(folder.parent.parent).get(folder.name, "")


def _gemini_projects(home: Path) -> dict[str, str]:
    """The project of each folder listed once; some versions nest the list one level deeper."""
    try:
        listed = json.loads(_text_of(home / "projects.json"))
    except ValueError:
        return {}
    inner = listed.get("projects", listed) if isinstance(listed, dict) else {}
    named = [(name, path) for path, name in inner.items() if isinstance(name, str)] if isinstance(inner, dict) else []
    counted = Counter(name for name, _ in named)
    return {name: path for name, path in named if counted[name] == 1}


def _text_of(path: Path) -> str:
    return os.fsdecode(bytes_of(path, LONGEST_LIST)).strip()
