"""Expands one id of a brief: code with its definitions and calls, a commit with its current state, or a symbol.

A symbol is shown with its definitions and callers, and with its code if that is in one place.
"""

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from repomem.adapters.git.log import resolve
from repomem.adapters.git.worktree import read_file
from repomem.adapters.languages.classify import text_of
from repomem.adapters.languages.grammar import language_of
from repomem.brief.short_paths import ELLIPSIS
from repomem.core.errors import NotFound, ambiguous
from repomem.core.records import Memory
from repomem.core.secrets.redact import redact
from repomem.core.text.counts import counted
from repomem.core.text.escape import ends_path
from repomem.core.text.lazy_pattern import lazy_pattern
from repomem.core.times import this_moment
from repomem.core.types.commits import short_hash
from repomem.core.types.text import CleanText
from repomem.core.types.worktree import UnreadReason
from repomem.core.ulid import unique_prefix
from repomem.history.episodes import episodes_with_state
from repomem.recall.callers import CalledDefinition, definitions_named
from repomem.recall.file_symbols import DECLARING, LARGEST_FILE, NAMESAKES_NAMED, has_body, outline_in
from repomem.sessions.digest import Session, note_window, notes_named, session_state, sessions_named
from repomem.sessions.lifecycle import sessions_in
from repomem.workspace.ledger import records_here
from repomem.workspace.snapshot import Snapshot
from repomem.workspace.workspace import Workspace

MOST_READ = 3  # files that define a symbol, in search of the one with a body
LONGEST_BODY = 200  # lines of a symbol whose code is shown although no lines were asked for
APART = 20  # lines between a getter and its setter: the comment above the second one
_SPAN = lazy_pattern(r"(?P<path>.+?):(?P<start>\d+)(?:-(?P<end>\d+))?", re.DOTALL)
_HEAD = lazy_pattern(r"(?:HEAD|@)(?:[~^]\d*)*")  # also the name of constants, which `FILE:HEAD` shows
_OVERLOAD = lazy_pattern(r"(?:\s*@[^\n]*\n)*?\s*@(?:\w+\.)?overload\b")  # of Python: a signature without a body
_COMMIT = lazy_pattern(r"[0-9a-f]{4,64}")


@dataclass(frozen=True, slots=True)
class Shown:
    """The item with an id. `kind` is code, symbol, session, note or episode; fields that do not apply are empty."""

    id: str
    kind: str
    title: str
    text: str
    language: str = ""
    path: str = ""
    start_line: int = 0
    end_line: int = 0
    commit: str = ""
    author: str = ""
    date: str = ""
    state: str = ""
    defines: tuple[str, ...] = ()
    calls: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    symbols: tuple[str, ...] = ()
    definitions: tuple[CalledDefinition, ...] = ()


def show(snapshot: Snapshot, wanted: str) -> Shown:
    """What `wanted` refers to: `path`, `path:12-40`, a hash, `HEAD~1`, `Session.send`, `path:send`, or NotFound."""
    workspace, span = snapshot.workspace, _SPAN.fullmatch(wanted)
    lines = (int(span["start"]), int(span["end"] or span["start"])) if span else (1, 0)
    path = path_meant(snapshot, span["path"], wanted.removeprefix(span["path"])) if span else wanted
    if span and 0 in lines and snapshot.has(path):
        raise NotFound(f"line 0 does not exist in {path}", "lines start at 1")
    if snapshot.has(path):
        return _code(workspace, wanted, path, *lines)
    if of_session := session_shown(workspace, wanted) or note_shown(workspace, wanted):
        return of_session
    named = resolve(workspace.repository, wanted) if _HEAD.fullmatch(wanted) else wanted
    is_hash = _COMMIT.fullmatch(named)
    if is_hash and any(commit.startswith(named) for commit in workspace.catalog.known_episodes()):
        return _episode(snapshot, named)
    of_symbol, _, symbol = wanted.rpartition(":")
    within = of_symbol if snapshot.has(of_symbol) else ""
    definitions = definitions_named(snapshot, symbol if within else wanted, within)
    if definitions:
        return _symbol(workspace, wanted, definitions)
    if is_hash:
        return _episode(snapshot, named)
    path = path_meant(snapshot, path)
    if snapshot.has(path):
        return _code(workspace, wanted, path, *lines)
    if is_locked(workspace, path):
        raise unread(path, UnreadReason.UNREADABLE)
    folder = wanted.rstrip("/")
    if folder and any(file.path.startswith(f"{folder}/") for file in snapshot.tree.files):
        raise NotFound(f"{wanted} is a folder", f"repomem log {folder}, or show one of its files")
    raise NotFound(
        f"no id, indexed file or symbol matches {wanted!r}",
        "give lines such as src/a.py:12-40, at least 4 characters of an id, or a symbol such as parse or Session.send",
    )


def _symbol(workspace: Workspace, wanted: str, definitions: Sequence[CalledDefinition]) -> Shown:
    """The definitions of a symbol, with its code if that is short and in one place."""
    shown = Shown(wanted, "symbol", definitions[0].site.qualified, "", definitions=tuple(definitions))
    if len({each.file.path for each in definitions}) > MOST_READ:
        return shown
    bodies = [each for each in definitions if _body_of(workspace, each)]
    if not bodies or not _are_together(bodies):
        return shown
    first, start, end = bodies[0].file, bodies[0].site.start_line, max(each.site.end_line for each in bodies)
    code = "\n".join(_text_of(workspace, first.path).split("\n")[start - 1 : end])
    return replace(shown, text=code, language=first.language, path=first.path, start_line=start, end_line=end)


def _are_together(bodies: Sequence[CalledDefinition]) -> bool:
    """Whether bodies, in order, follow each other in one file, as those of getter and setter do, and are not long."""
    first, last = bodies[0], bodies[-1]
    is_one = len({(each.file.path, each.site.qualified) for each in bodies}) == 1
    gaps = (after.site.start_line - before.site.end_line for before, after in pairwise(bodies))
    return is_one and last.site.end_line - first.site.start_line < LONGEST_BODY and all(gap <= APART for gap in gaps)


def _body_of(workspace: Workspace, called: CalledDefinition) -> str:
    """The lines of a definition; empty for a mere declaration or stub, and for a file that cannot be read."""
    try:
        lines = _text_of(workspace, called.file.path).split("\n")
    except NotFound:
        return ""
    code = "\n".join(lines[called.site.start_line - 1 : called.site.end_line])
    if called.file.language == "python" and _OVERLOAD.match(code):
        return ""
    return code if called.file.language not in DECLARING or has_body(code.rstrip("; \n")) else ""


def path_meant(snapshot: Snapshot, path: str, lines: str = "") -> str:
    """The live file with this path, or the only one whose path ends with it: briefs leave out folders.

    If several match, NotFound lists them in its hint, each followed by `lines`.
    """
    path = path.removeprefix(f"{ELLIPSIS}/")
    if snapshot.has(path):
        return path
    named = [each for each in snapshot.tree.namesakes([path]) or snapshot.tree.paths if ends_path(each, path)]
    if len(named) > 1:
        several = ", ".join(f"{each}{lines}" for each in named[:NAMESAKES_NAMED])
        raise NotFound(f"{len(named)} files are called {path}", f"give the path: {several}")
    return named[0] if named else path


def is_locked(workspace: Workspace, path: str) -> bool:
    """Whether the worktree has a file at this path that the user may not read."""
    whole = (workspace.repository.top or workspace.folder) / path
    return os.path.isfile(whole) and not os.access(whole, os.R_OK)  # noqa: PTH113  # False for "\0"


def unread(path: str, data: bytes | UnreadReason) -> NotFound:
    """The error for a file of the worktree that has no text to show."""
    reason = data.value if isinstance(data, UnreadReason) else "not a text file"
    return NotFound(f"cannot show {path}: {reason}", "open it in an editor")


def _text_of(workspace: Workspace, path: str) -> CleanText:
    """The redacted text of a file of the worktree. NotFound if it cannot be read."""
    data = read_file(workspace.repository, path, LARGEST_FILE)
    text = text_of(data) if not isinstance(data, UnreadReason) else None
    if text is None:
        raise unread(path, data)
    return redact(text)


def _code(workspace: Workspace, wanted: str, path: str, start: int, end: int) -> Shown:
    text = _text_of(workspace, path)
    lines = text.removesuffix("\n").split("\n") if text else []
    if end and start > len(lines):
        raise NotFound(f"{path} has only {counted(len(lines), 'line')}, not {start}", f"repomem show {path}")
    if 0 < end < start:
        raise NotFound(f"{start}-{end} ends before it begins", f"repomem show {path}:{end}-{start}")
    start, end = min(start, len(lines)), min(end or len(lines), len(lines))
    language = language_of(path, text)
    outline = outline_in(text, language)
    inside = [d for d in outline.definitions if start <= d.start_line <= end]
    around = [d for d in outline.definitions if d.start_line <= start and d.end_line >= end]
    calls = dict.fromkeys(r.name for r in outline.references if start <= r.line <= end)
    return Shown(
        id=wanted,
        kind="code",
        title=around[-1].qualified if around else path,
        text="\n".join(lines[start - 1 : end]),
        language=language,
        path=path,
        start_line=start,
        end_line=end,
        defines=tuple(definition.qualified for definition in inside),
        calls=tuple(calls),
    )


def _episode(snapshot: Snapshot, prefix: str) -> Shown:
    known = snapshot.workspace.catalog.known_episodes()
    reachable = set(snapshot.history.episodes)
    matching = sorted(c for c, number in known.items() if c.startswith(prefix) and number in reachable)
    if not matching:
        raise NotFound(f"no indexed commit starts with {prefix}", "repomem log lists the commits")
    if len(matching) > 1:
        raise ambiguous(f"{len(matching)} commits start with {prefix}", [commit[:12] for commit in matching])
    [row] = snapshot.workspace.store.episodes([known[matching[0]]])
    [with_state] = episodes_with_state(snapshot, [row.episode])
    episode = row.episode
    return Shown(
        id=prefix,
        kind="episode",
        title=episode.subject,
        text=episode.body,
        commit=episode.commit,
        author=episode.author,
        date=episode.date,
        state=with_state.state,
        files=tuple(f"{file.status} {file.path}" for file in episode.files),
        symbols=episode.symbols,
    )


def session_shown(workspace: Workspace, wanted: str) -> Shown | None:
    """One session in full, by its id or a prefix; None unless that matches just one."""
    records = records_here(workspace)
    matching = sessions_named(sessions_in(workspace, records), wanted)
    return _session(matching[0], [record.id for record in records]) if len(matching) == 1 else None


def note_shown(workspace: Workspace, wanted: str) -> Shown | None:
    """One note of a session in full, by its id or a prefix; None unless that matches just one."""
    matching = notes_named(sessions_in(workspace), wanted)
    if len(matching) != 1:
        return None
    (session, note), ids = matching[0], [record.id for record in records_here(workspace)]
    became = f", now the memory {unique_prefix(note.memory, ids)}" if note.memory else ""
    return Shown(
        id=unique_prefix(note.id, ids),
        kind="note",
        title=session.goal or "(no goal)",
        text=note.text,
        commit=session.origin.head,
        author=note.author or session.origin.author,
        date=note.at[:10],
        state=f"a note of session {unique_prefix(session.id, ids)}{became}",
    )


def _session(session: Session, ids: list[str]) -> Shown:
    return Shown(
        id=unique_prefix(session.id, ids),
        kind="session",
        title=session.goal or "(no goal)",
        text="\n".join(_lines_of(session, ids)),
        commit=session.origin.head,
        author=session.origin.author,
        date=session.origin.at[:10],
        state=session_state(session, this_moment()),
        files=session.files,
    )


def _lines_of(session: Session, ids: list[str]) -> list[str]:
    """The outcome, notes, memories and commits of a session, a line each."""
    shown = note_window(session.notes)
    lines = [f"outcome: {session.outcome}"] if session.outcome else []
    lines += [
        f"earlier notes, {line.topic}: {line.text} ({', '.join(unique_prefix(each, ids) for each in line.ids)})"
        for line in shown.digest
    ]
    lines += [f"note {unique_prefix(each.id, ids)}: {each.text}" for each in shown.newest]
    lines += [line for each in (*session.decisions, *session.threads) for line in _memory_lines(each, ids)]
    return lines + [f"commit {short_hash(each)}" for each in session.commits]


def _memory_lines(memory: Memory, ids: list[str]) -> list[str]:
    """A memory, with the sentence that it comes from."""
    said = memory.said
    line = f"{said.kind.value} {unique_prefix(memory.id, ids)}: {said.text}"
    return [line, f"  sentence: {said.sentence}"] if said.sentence else [line]
