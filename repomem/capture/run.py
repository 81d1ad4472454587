"""Save what happened in an agent session, from its host's transcript, without a model and without tokens.

A transcript is read again whenever it has grown. What was kept before is known by its key, so nothing is kept twice,
and what was forgotten or purged does not come back. A session of another repository is left alone.
"""

import hashlib
import os
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from repomem.adapters.git.log import commit_before
from repomem.adapters.git.repository import Repository
from repomem.adapters.ledger.fold import memories_of
from repomem.adapters.transcripts.steps import Step, StepKind, Transcript
from repomem.capture.anonymous_commands import anonymous
from repomem.capture.host_sessions import HostEvent, HostSession, change_host_session, host_sessions, touched
from repomem.capture.own_paths import relative_paths
from repomem.capture.record_use import record_use
from repomem.capture.session_findings import Captured, Noted, Stated, captured_from
from repomem.capture.session_transcripts import read_session, stamp_of, transcript_file
from repomem.core.errors import GitError, NotFound, RepomemError
from repomem.core.escape import visible
from repomem.core.records import Event, Origin, Record, Source, digest_of_id, next_id, purged_in
from repomem.core.secrets.redact import redact
from repomem.core.types.text import CleanText
from repomem.memories.remember import NewMemory, remember_as
from repomem.memories.snapshot import memories_now
from repomem.sessions.command_notes import touched_in, touched_text
from repomem.sessions.digest import sessions_of
from repomem.sessions.lifecycle import tree_of
from repomem.sessions.session_changes import SessionChanges, changes_in
from repomem.workspace.identity import identity_in, identity_of
from repomem.workspace.ledger import (
    Speaker,
    append_records,
    author_name,
    ledger_of,
    origin_of,
    record_draft,
    records_here,
)
from repomem.workspace.workspace import Workspace

MISSED = 3  # sessions without an end event, read when another starts
LONGEST_NOTE = 400  # characters
LONGEST_GOAL = 600
KEY_BYTES = 8
SUBAGENT = "sub-agent"  # behind the host's name, for what a sub-agent said or did
UNDONE = ":undone"  # after the key of a statement: the note about its retraction


@dataclass(frozen=True, slots=True)
class Kept:
    """What a transcript added to the ledger."""

    session: str  # our id; empty if nothing was worth keeping
    notes: int = 0
    statements: int = 0


def capture(workspace: Workspace, known: HostSession, said: str = "") -> None:
    """Save what is new in a session that a hook reported; `said` is the agent's final message.

    Where its transcript is not there to be read, the words and the files that hooks told of are all that is kept.
    """
    file = transcript_file(workspace, known)
    stamp = stamp_of(file, known) if file else ""
    if stamp and stamp == known.captured:
        return
    transcript = read_session(file) if file else Transcript(known.host, "", "", ())
    transcript = replace(transcript, folder=transcript.folder or workspace.root)  # the folder of the hook call
    found = captured_from(own_steps(workspace, transcript))
    found = replace(found, files=(*found.files, *touched(workspace, known)), outcome=found.outcome or said)
    if is_ours(workspace, transcript.folder):
        origin = origin_now(workspace, known.host)
        kept = keep(workspace, replace(transcript, session=known.session), found, origin)
        _record_use(workspace, known, transcript, replace(origin, session=kept.session))
    change_host_session(workspace, known, lambda now: replace(now, captured=stamp))


def _record_use(workspace: Workspace, known: HostSession, transcript: Transcript, origin: Origin) -> None:
    relative = partial(relative_paths, _roots(workspace, transcript.folder), transcript.folder)
    record_use(workspace, known, transcript, relative, origin, key_of(f"{known.host}:{known.session}", "use"))


def capture_missed(workspace: Workspace, event: HostEvent) -> None:
    """Save sessions without an end event, except the one that starts now."""
    others = [each for each in host_sessions(workspace) if (each.host, each.session) != (event.host, event.session)]
    for known in others[:MISSED]:
        with suppress(RepomemError):  # a bad transcript never stops a session from starting
            capture(workspace, known)


def is_ours(workspace: Workspace, folder: str) -> bool:
    """Whether a folder belongs to this repository: one of its worktrees, or another clone."""
    if not folder:
        return False
    try:
        other = Repository.open(Path(folder))
        is_here = other.common_dir == workspace.repository.common_dir
        return is_here or identity_in(other) in {identity_of(workspace), identity_in(workspace.repository)}
    except GitError:  # deleted: it may have been a known worktree
        roots = [each.root for each in workspace.catalog.worktrees()]
        return any(folder == root or folder.startswith(f"{root}{os.sep}") for root in roots)


def origin_now(workspace: Workspace, host: str) -> Origin:
    """The state of the repository now, for a session in progress."""
    return replace(origin_of(workspace, Speaker(tool=host)), source=Source.TRANSCRIPT)


def origin_then(workspace: Workspace, transcript: Transcript) -> Origin:
    """The state of the repository when a past session ended, as far as this history shows."""
    now = origin_now(workspace, transcript.host)
    at = next((step.at for step in reversed(transcript.steps) if step.at), transcript.started) or now.at
    head = commit_before(workspace.repository, now.head, at) if now.head else ""
    return replace(now, at=at, head=head, branch=redact(transcript.branch) or now.branch)


def keep(workspace: Workspace, transcript: Transcript, found: Captured, origin: Origin) -> Kept:
    """Write what is new in a session. Raises StoreError if nothing can be written."""
    name = f"{transcript.host}:{transcript.session}"
    roots = _roots(workspace, transcript.folder)
    told = replace(
        found,
        files=tuple(relative_paths(roots, transcript.folder, found.files)),
        notes=tuple(_with_own_paths(roots, transcript.folder, found.notes)),
    )
    if not (told.notes or told.stated or told.files or (told.goal and told.outcome)):
        return Kept("")
    session, notes = _kept_session(workspace, name, transcript, told, origin)
    own = replace(origin, session=session)
    statements = _kept_statements(workspace, name, told.stated, own)
    _take_back(workspace, name, told.notes, own)
    return Kept(session, notes, statements)


def _kept_session(
    workspace: Workspace, name: str, transcript: Transcript, found: Captured, origin: Origin
) -> tuple[str, int]:
    """Record the session's start, notes and end so far; returns its id and the number of new notes."""
    tree = tree_of(workspace)
    known = _session_named(records_here(workspace), name)
    started = replace(origin, at=min(transcript.started or origin.at, origin.at))
    work = _work(workspace, known, origin, tree)
    count = 0

    def make(before: list[Record]) -> list[Record]:
        nonlocal count
        purged = purged_in(before, is_own=True)
        start = _session_named(before, name)
        made: list[Record] = []
        if start is None:
            goal = _clean(found.goal, LONGEST_GOAL)
            start = Record(next_id(before), Event.SESSION_START, started, (name,), tree, goal)
            made.append(start)
        own = replace(origin, session=start.id)
        seen = {each.other for each in before if each.origin.session == start.id}
        for noted in found.notes:
            key = key_of(name, noted.key)
            text = _clean(noted.text, LONGEST_NOTE)
            if key not in seen and digest_of_id(key) not in purged and text:
                by = _by_subagent(own) if noted.is_subagents else own
                made.append(Record(next_id([*before, *made]), Event.SESSION_NOTE, by, other=key, text=text))
        count = sum(each.event is Event.SESSION_NOTE for each in made)
        end = _end(start, [*before, *made], own, found, work)
        return [*made, end] if end else made

    made = ledger_of(workspace).append(make)
    start = known or next(each for each in made if each.event is Event.SESSION_START)
    return start.id, count


def _end(
    start: Record, before: Sequence[Record], origin: Origin, found: Captured, work: SessionChanges
) -> Record | None:
    """The session's end record as of now; None if it is recorded already."""
    ends = [each for each in before if each.event is Event.SESSION_END and each.origin.session == start.id]
    text = redact(visible(found.outcome).strip())
    files = tuple(sorted({*found.files, *work.files}))
    now = Record(next_id(before), Event.SESSION_END, origin, text=text, files=files, commits=work.commits)
    is_known = bool(ends) and (ends[-1].text, ends[-1].files, ends[-1].commits) == (text, files, work.commits)
    return None if is_known else now


def _work(workspace: Workspace, start: Record | None, origin: Origin, tree: str) -> SessionChanges:
    """The commits made in it, if it was known before; files that others changed meanwhile do not count."""
    if start is None:
        return SessionChanges()
    [session] = sessions_of([start], {})
    return SessionChanges(changes_in(workspace, session, origin.head, tree).commits)


def _kept_statements(workspace: Workspace, name: str, stated: Sequence[Stated], origin: Origin) -> int:
    """Save decisions, findings and open threads, each once; returns how many are new."""
    records = records_here(workspace)
    seen = {each.other for each in records if each.event is Event.REMEMBER and each.other}
    purged = purged_in(records, is_own=True)
    count = 0
    for one in stated:
        key = key_of(name, one.key)
        if key in seen or digest_of_id(key) in purged:
            continue
        by = _by_subagent(origin) if one.is_subagents else origin
        if one.is_persons:
            by = replace(origin, author=author_name(workspace, Speaker(is_person=True)))
        statement = NewMemory(one.text, one.kind, one.why, one.rejected, key=key)
        with suppress(NotFound):
            outcome = remember_as(workspace, memories_now(workspace), statement, by)
            count += outcome.outcome != "duplicate"
    return count


def _by_subagent(origin: Origin) -> Origin:
    """The origin with a sub-agent of the host as its author and tool: where both are equal, no person spoke."""
    name = f"{origin.tool} {SUBAGENT}".strip()
    return replace(origin, author=name, tool=name)


def _take_back(workspace: Workspace, session: str, notes: Sequence[Noted], origin: Origin) -> None:
    """Forget saved statements that the session has retracted since, unless a person confirmed them."""
    undone = {key_of(session, note.key.removesuffix(UNDONE)) for note in notes if note.key.endswith(UNDONE)}
    if undone:
        records = records_here(workspace)
        named = {each.id for each in records if each.event is Event.REMEMBER and each.other in undone}
        known = memories_of(records)
        gone = [name for name in sorted(named) if not (known[name].is_forgotten or known[name].confirmed)]
        if gone:
            append_records(workspace, origin, *(record_draft(Event.FORGET, name) for name in gone))


def key_of(session: str, step: str) -> str:
    """The key of one statement of a session: 16 hex digits."""
    return hashlib.blake2b(f"{session} {step}".encode("utf-8", "surrogateescape"), digest_size=KEY_BYTES).hexdigest()


def _session_named(records: Sequence[Record], name: str) -> Record | None:
    return next((each for each in records if each.event is Event.SESSION_START and name in each.targets), None)


def _roots(workspace: Workspace, folder: str) -> set[str]:
    """The folders of the repository's files: its worktrees, and the clone of the session."""
    roots = {str(workspace.repository.top or ""), *(each.root for each in workspace.catalog.worktrees())}
    with suppress(GitError):
        roots.add(str(Repository.open(Path(folder)).top or ""))
    return roots - {""}


def own_steps(workspace: Workspace, transcript: Transcript) -> list[Step]:
    """The steps, with the paths in commands and their output relative to the repository, and without names of homes."""
    roots = sorted({*_roots(workspace, transcript.folder), transcript.folder} - {""}, key=len, reverse=True)
    return [anonymous(step, roots) if step.kind is StepKind.RAN else step for step in transcript.steps]


def _with_own_paths(roots: Collection[str], folder: str, notes: Iterable[Noted]) -> Iterator[Noted]:
    """The notes with paths relative to the repository, without notes about files outside it."""
    for note in notes:
        path = touched_in(note.text)
        if not path:
            yield note
        yield from (
            replace(note, text=touched_text(own)) for own in relative_paths(roots, folder, [path] if path else [])
        )


def _clean(text: str, longest: int) -> CleanText:
    """Visible text without secrets, shortened."""
    clean = redact(visible(text).strip())
    return clean if len(clean) <= longest else redact(f"{clean[: longest - 1].rstrip()}…")
