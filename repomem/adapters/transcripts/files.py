"""Transcripts of agent hosts on disk: where each host keeps them, which there are, and their lines.

Nothing is ever written, and links are not followed out of a host's folder. A hook that comes back compares `size` and
`changed`, and reads a transcript again from its start where it has grown: see `adapters.transcripts.lines`.
"""

import json
import os
import re
import stat
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path

from repomem.adapters.transcripts.lines import file_lines, opened
from repomem.adapters.transcripts.opencode_files import rows_of, sessions

LONGEST_NAME = 200  # characters of a folder's name, from which on Claude Code cuts it and adds a digest
LONGEST_LIST = 1 << 20  # bytes of a list of projects
_SESSION = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class TranscriptFile:
    """One session as it lies on disk."""

    host: str
    path: Path  # of OpenCode its database, or the session's file in the older storage
    session: str  # the host's own name of it
    changed: float  # seconds since 1970
    size: int  # bytes; 0 of a session that shares its file with others
    folder: str = ""  # that the agent worked in, where a table, a file beside it or its place says so


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a host keeps its transcripts: the folder that they never leave, and patterns below it."""

    root: Path
    patterns: tuple[str, ...] = ()


def transcripts_of(
    host: str, environment: Mapping[str, str], home: Path, folder: Path | None = None
) -> list[TranscriptFile]:
    """The sessions of a host, the newest first; of one folder, where the place says which session is whose.

    Codex and Copilot say it in the transcript alone: of theirs all are given.
    """
    place = _places(environment, home).get(host)
    if place is None:
        return []
    found = _of_opencode(place.root) if host == "opencode" else list(_files(host, place))
    kept = found if folder is None else [ours for each in found if (ours := _of_folder(each, place.root, folder))]
    return sorted(kept, key=lambda each: (-each.changed, str(each.path), each.session))


def transcript_at(
    host: str, path: Path, environment: Mapping[str, str], home: Path, folder: Path | None = None
) -> TranscriptFile | None:
    """The transcript that a hook names; None where it is no regular file that lies in the host's own folder.

    Where its place says that it is of `folder`, the value has it.
    """
    place = _places(environment, home).get(host)
    if place is None or not _is_within(path, place.root):
        return None
    found = _file(host, path)
    return found and ((folder and _of_folder(found, place.root, folder)) or found)


def read_transcript(file: TranscriptFile) -> list[bytes]:
    """Its lines, to be read by `adapters.transcripts.readers`; none where it is gone or cannot be read."""
    return rows_of(file.path, file.session) if file.host == "opencode" else file_lines(file.path)


def _places(environment: Mapping[str, str], home: Path) -> dict[str, _Place]:
    """Each host's place, moved by the variables by which people move it."""

    def folder(variable: str, default: str) -> Path:
        told = Path(environment.get(variable, ""))
        return told if told.is_absolute() else home / default

    codex = ("sessions/*/*/*/rollout-*.jsonl", "archived_sessions/rollout-*.jsonl")
    cursor = ("*/agent-transcripts/*.jsonl", "*/agent-transcripts/*/*.jsonl")
    gemini = ("*/chats/session-*.json", "*/chats/session-*.jsonl")
    return {
        "claude-code": _Place(folder("CLAUDE_CONFIG_DIR", ".claude") / "projects", ("*/*.jsonl",)),
        "codex": _Place(folder("CODEX_HOME", ".codex"), codex),
        "gemini": _Place(folder("GEMINI_CLI_HOME", ".") / ".gemini" / "tmp", gemini),
        "cursor": _Place(home / ".cursor" / "projects", cursor),
        "copilot": _Place(folder("COPILOT_HOME", ".copilot") / "session-state", ("*/events.jsonl",)),
        "opencode": _Place(folder("XDG_DATA_HOME", ".local/share") / "opencode"),
    }


def _of_opencode(root: Path) -> list[TranscriptFile]:
    return [
        TranscriptFile("opencode", each.path, each.session, each.changed, 0, each.folder) for each in sessions(root)
    ]


def _files(host: str, place: _Place) -> Iterator[TranscriptFile]:
    for pattern in place.patterns:
        for path in _matching(place.root, pattern.split("/")):
            if file := _file(host, path):
                yield file


def _file(host: str, path: Path) -> TranscriptFile | None:
    try:
        found = path.lstat()
    except (OSError, ValueError):
        return None
    if not stat.S_ISREG(found.st_mode):
        return None
    folder = _gemini_folder(path.parent.parent) if host == "gemini" else ""
    return TranscriptFile(host, path, _session(path), found.st_mtime, found.st_size, folder)


def _matching(folder: Path, names: Sequence[str]) -> Iterator[Path]:
    """The paths below a folder that match name by name; links within are passed by."""
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
    """The session's name by its file's, of Copilot by its folder's."""
    name = path.parent.name if path.name == "events.jsonl" else path.stem
    found = _SESSION.search(name)
    return found[0] if found else name


def _is_within(path: Path, root: Path) -> bool:
    """Whether a path leads into a folder, and no link in it leads out again."""
    return path.is_absolute() and Path(os.path.realpath(path)).is_relative_to(os.path.realpath(root))


def _of_folder(file: TranscriptFile, root: Path, folder: Path) -> TranscriptFile | None:
    """The session as one of this folder; None where its place says that it is another's."""
    if file.folder or file.host == "opencode":
        return file if Path(file.folder).is_relative_to(folder) else None
    if file.host in {"codex", "copilot"}:
        return file
    parts = Path(os.path.realpath(file.path)).relative_to(os.path.realpath(root)).parts
    is_named = parts[0] == sha256(os.fsencode(folder)).hexdigest() if file.host == "gemini" else False
    return replace(file, folder=str(folder)) if is_named or _is_named_after(parts[0], folder) else None


def _is_named_after(name: str, folder: Path) -> bool:
    """Whether a host made a folder's name of a path, with hyphens for what is no letter or digit."""
    slug = _slug(str(folder))
    return name.startswith(slug[:LONGEST_NAME]) if len(slug) > LONGEST_NAME else _slug(name) == slug


def _slug(path: str) -> str:
    return re.sub(r"[^A-Za-z0-9]", "-", path).strip("-")


def _gemini_folder(folder: Path) -> str:
    """The project that Gemini CLI names beside its chats, or in its list of projects under the folder's name."""
    return _start_of(folder / ".project_root") or _gemini_projects(folder.parent.parent).get(folder.name, "")


def _gemini_projects(home: Path) -> dict[str, str]:
    """The project of each folder that the list names once; some versions had the list one level deeper."""
    try:
        told = json.loads(_start_of(home / "projects.json"))
    except ValueError:
        return {}
    inner = told.get("projects", told) if isinstance(told, dict) else {}
    named = [(name, path) for path, name in inner.items() if isinstance(name, str)] if isinstance(inner, dict) else []
    counted = Counter(name for name, _ in named)
    return {name: path for name, path in named if counted[name] == 1}


def _start_of(path: Path) -> str:
    try:
        with opened(path) as file:
            return os.fsdecode(file.read(LONGEST_LIST)).strip()
    except OSError:
        return ""
