"""Finds the transcripts of the sub-agents that a session started.

Hosts write a sub-agent's steps between the session's own lines, which their readers mark, or to a separate file:

| host | place |
|---|---|
| claude-code | lines with `isSidechain`; since 2.1 `<session>/subagents/agent-<id>.jsonl` |
| codex | a rollout whose first line names the parent's thread |
| gemini | `<session>/<id>.jsonl` beside the chats |
| cursor | `<session>/subagents/<id>.jsonl` |
| copilot | lines with the id of the call that started it |
| opencode | a session with a parent |
"""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

from repomem.adapters.transcripts.files import LONGEST_LIST, file_of, opened
from repomem.adapters.transcripts.opencode import children_of
from repomem.adapters.transcripts.steps import TranscriptFile
from repomem.core.text.lazy_pattern import lazy_pattern

_INTERNAL = lazy_pattern(r"agent-a(?:compact|prompt_suggestion|side_question)[-_]")  # Claude Code's own, for no task
_PARENT = lazy_pattern(rb'"parent_thread_id" ?: ?"([^"]{1,100})"')


def subagent_files(file: TranscriptFile, session: str) -> list[TranscriptFile]:
    """The transcripts of the sub-agents of a session, which may be started by other sub-agents, oldest first."""
    found = list(_files(file, session))
    if file.host in {"codex", "opencode"}:  # there each names the one that started it
        found += [inner for each in found for inner in subagent_files(each, each.session)]
    return sorted(found, key=lambda each: (each.changed, str(each.path), each.session))


def _files(file: TranscriptFile, session: str) -> Iterator[TranscriptFile]:
    match file.host:
        case "claude-code":
            every = (file.path.with_suffix("") / "subagents").glob("agent-*.jsonl")
            yield from _transcripts(file, file.path.parent, (path for path in every if not _INTERNAL.match(path.name)))
        case "cursor":
            folder = file.path.parent if file.path.parent.name == file.path.stem else file.path.with_suffix("")
            yield from _transcripts(file, folder, (folder / "subagents").glob("*.jsonl"))
        case "gemini":
            folder = file.path.parent / session
            is_name = bool(session) and Path(session).name == session
            paths = [*folder.glob("*.json"), *folder.glob("*.jsonl")] if is_name else []
            yield from _transcripts(file, file.path.parent, paths)
        case "codex":
            days = _days(file.path)
            later = (path for path in _rollouts_since(file.path, days) if _parent_thread(path) == session.encode())
            yield from _transcripts(file, days, later if session else [])
        case "opencode":
            yield from (replace(child, folder=file.folder) for child in children_of(file.path, session))


def _transcripts(parent: TranscriptFile, root: Path, paths: Iterable[Path]) -> Iterator[TranscriptFile]:
    """The regular files among these; no link leads out of `root`."""
    for path in paths:
        found = file_of(parent.host, path)
        if found and path.resolve().is_relative_to(root.resolve()):
            yield replace(found, folder=parent.folder)


def _days(path: Path) -> Path:
    """The folder of Codex with one folder for each day; the archive is one folder."""
    return days if (days := path.parent.parent.parent.parent).name == "sessions" else path.parent


def _rollouts_since(path: Path, days: Path) -> Iterator[Path]:
    """The rollouts of Codex that are later than one; their names start with the time."""
    for day in [path.parent] if days == path.parent else days.glob("*/*/*"):
        if day.parts[-3:] >= path.parent.parts[-3:]:
            yield from (each for each in day.glob("rollout-*.jsonl") if each.name > path.name)


@lru_cache(maxsize=8192)
def _parent_thread(path: Path) -> bytes:
    """The thread that started this one, from the first line; empty for a person's. Rollouts keep their first line."""
    try:
        with opened(path) as file:
            found = _PARENT.search(file.readline(LONGEST_LIST))
    except OSError:
        return b""
    return found[1] if found else b""
