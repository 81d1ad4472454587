"""Saves what happened in an agent session, from its host's transcript, without an LLM and without tokens.

A transcript is read again whenever it has grown. Each saved item has a key, so nothing is saved twice, and forgotten
or purged items do not come back. Sessions of other repositories are skipped.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path, PurePath

from repomem.adapters.git.log import commit_before
from repomem.adapters.git.repository import Repository
from repomem.adapters.ledger.fold import memories_of
from repomem.adapters.transcripts.steps import Step, StepKind, Transcript
from repomem.capture.cached_scores import log_odds_in
from repomem.capture.dialogue_state import Noted, Stated
from repomem.capture.edited_code import edited_code
from repomem.capture.host_sessions import HostEvent, HostSession, change_host_session, host_sessions, touched
from repomem.capture.origins import origin_now, origin_then
from repomem.capture.own_memories import remembered_by, said_since
from repomem.capture.own_paths import anonymous, relative_paths
from repomem.capture.record_use import record_use
from repomem.capture.session_findings import Captured, captured_from
from repomem.capture.session_transcripts import read_session, stamp_of, transcript_file
from repomem.core.digests import short_digest
from repomem.core.errors import GitError, NotFound, RepomemError
from repomem.core.records import PROPOSED, Event, Origin, Record, digest_of_id, next_id, purged_in
from repomem.core.secrets.redact import redact
from repomem.core.text.escape import visible
from repomem.core.types.text import CleanText
from repomem.memories.new_memory import NewMemory
from repomem.memories.noise import noise_here
from repomem.memories.remember import remember_as
from repomem.memories.snapshots.snapshot import memories_now
from repomem.sessions.command_notes import SAID, notes_by_session, touched_in, touched_text
from repomem.sessions.digest import sessions_of
from repomem.sessions.lifecycle import tree_of
from repomem.sessions.session_changes import commits_made
from repomem.workspace.identity import identity_in, identity_of
from repomem.workspace.ledger import Speaker, append_records, author_name, ledger_of, record_draft, records_here
from repomem.workspace.workspace import Workspace

MISSED = 3  # sessions without an end event that are read when another starts
LONGEST_NOTE = 400  # characters
LONGEST_GOAL = 600
SUBAGENT = "sub-agent"  # suffix of the host's name for a sub-agent's statements and actions
UNDONE = ":undone"  # suffix of a statement's key, for the note about its retraction


@dataclass(frozen=True, slots=True)
class Kept:
    """The records that a transcript added to the ledger."""

    session: str  # its ledger id; empty if nothing was saved
    notes: int = 0
    statements: int = 0


def capture(workspace: Workspace, known: HostSession, final: str = "", *, is_past: bool = False) -> None:
    """Save the new findings of a session that a hook reported; `final` is the agent's final message.

    With `is_past` it belongs to the branch that the transcript names: another may be checked out by now.
    Without a readable transcript, only the final message and the files that hooks reported are saved.
    """
    file = transcript_file(workspace, known)
    stamp = stamp_of(file, known)
    if stamp and stamp == known.captured:
        return
    transcript = read_session(file) if file else Transcript(known.host, "", "", ())
    transcript = replace(transcript, folder=transcript.folder or workspace.root)  # the folder of the hook call
    found = findings_in(workspace, transcript)
    found = replace(found, files=(*found.files, *touched(workspace, known)), outcome=found.outcome or final)
    said: tuple[str, ...] = ()
    if is_ours(workspace, transcript.folder):
        origin = origin_then(workspace, transcript) if is_past else origin_now(workspace, known.host)
        newest = next((record.id for record in reversed(records_here(workspace))), "")
        kept = keep(workspace, replace(transcript, session=known.session), found, origin)
        records = records_here(workspace)
        said = (*said_since(records, newest, kept.session), *remembered_by(transcript, records, known.briefed))
        if transcript.steps:  # it asks git, and a host waits at a session start
            relative = partial(relative_paths, _roots(workspace, transcript.folder), transcript.folder)
            key = key_of(f"{known.host}:{known.session}", "use")
            record_use(workspace, known, transcript, relative, replace(origin, session=kept.session), key)
    change_host_session(workspace, known, lambda now: replace(now, captured=stamp, shown=(*now.shown, *said)))


def findings_in(workspace: Workspace, transcript: Transcript) -> Captured:
    """The findings of a session, without texts similar to forgotten noise."""
    noise = noise_here(workspace)
    return captured_from(own_steps(workspace, transcript), list(noise.values()), partial(log_odds_in, workspace))


def capture_missed(workspace: Workspace, event: HostEvent) -> None:
    """Save sessions without an end event, except the one that starts now."""
    others = [one for one in host_sessions(workspace) if (one.host, one.session) != (event.host, event.session)]
    for known in others[:MISSED]:
        with suppress(RepomemError):  # a bad transcript never stops a session from starting
            capture(workspace, known, is_past=True)


def is_ours(workspace: Workspace, folder: str) -> bool:
    """Whether a folder belongs to this repository: one of its worktrees, or another clone."""
    if not folder:
        return False
    try:
        other = Repository.open(Path(folder))
        is_here = other.common_dir == workspace.repository.common_dir
        return is_here or identity_in(other) in {identity_of(workspace), identity_in(workspace.repository)}
    except GitError:  # deleted: it may have been a known worktree
        roots = [worktree.root for worktree in workspace.catalog.worktrees()]
        return any(PurePath(folder).is_relative_to(root) for root in roots)


def keep(workspace: Workspace, transcript: Transcript, found: Captured, origin: Origin) -> Kept:
    """Save the new findings of a session. Raises StoreError if nothing can be written."""
    name = f"{transcript.host}:{transcript.session}"
    relative = partial(relative_paths, _roots(workspace, transcript.folder), transcript.folder)
    own_findings = replace(
        found,
        files=tuple(relative(found.files)),
        notes=tuple(_with_own_paths(found.notes, relative)),
        stated=tuple(replace(one, edited=tuple(relative(one.edited))) for one in found.stated),
    )
    is_known = _session_named(records_here(workspace), name) is not None  # all that was saved may have been retracted
    has_findings = own_findings.notes or own_findings.stated or own_findings.files or (found.goal and found.outcome)
    if not (has_findings or is_known):
        return Kept("")
    session, notes = _kept_session(workspace, name, transcript, own_findings, origin)
    own = replace(origin, session=session)
    statements = _kept_statements(workspace, name, own_findings.stated, own, transcript.started)
    records = records_here(workspace)
    retracted = _retracted_statements(records, name, own_findings.notes)
    retracted += _retracted_notes(records, name, own_findings.notes, session)
    if retracted:
        append_records(workspace, own, *(record_draft(Event.FORGET, each) for each in retracted))
    return Kept(session, notes, statements)


def _kept_session(
    workspace: Workspace, name: str, transcript: Transcript, found: Captured, origin: Origin
) -> tuple[str, int]:
    """Record the session's start, notes and end so far; returns its id and the number of new notes."""
    known = _session_named(records_here(workspace), name)
    begun = known or _start(workspace, name, transcript, found, origin)
    commits = tuple(commits_made(workspace, sessions_of([begun], {})[0], origin.head))  # dirty files may be others'
    session = ""

    def make(before: list[Record]) -> list[Record]:
        nonlocal session  # another process may have recorded its start since
        purged = purged_in(before, is_own=True)
        start = _session_named(before, name)
        made: list[Record] = []
        if start is None:
            start = replace(begun, id=next_id(before))
            made.append(start)
        session = start.id
        own = replace(origin, session=session)
        seen = {record.other for record in before if record.origin.session == session}
        for noted in found.notes:
            key = key_of(name, noted.key)
            text = _clean(noted.text, LONGEST_NOTE)
            if key not in seen and digest_of_id(key) not in purged and text:
                by = _speaker(workspace, noted, own)
                made.append(Record(next_id([*before, *made]), Event.SESSION_NOTE, by, other=key, text=text))
        end = _end(start, [*before, *made], own, found, commits)
        return [*made, end] if end else made

    made = ledger_of(workspace).append(make)
    return session, sum(record.event is Event.SESSION_NOTE for record in made)


def _end(
    start: Record, before: Sequence[Record], origin: Origin, found: Captured, commits: tuple[str, ...]
) -> Record | None:
    """The session's end record so far; None if the last one is equal."""
    ends = [one for one in before if one.event is Event.SESSION_END and one.origin.session == start.id]
    text = redact(visible(found.outcome).strip())
    files = tuple(sorted(set(found.files)))
    now = Record(next_id(before), Event.SESSION_END, origin, text=text, files=files, commits=commits)
    is_known = bool(ends) and (ends[-1].text, ends[-1].files, ends[-1].commits) == (text, files, commits)
    return None if is_known else now


def _start(workspace: Workspace, name: str, transcript: Transcript, found: Captured, origin: Origin) -> Record:
    """The session's start, on the commit that was checked out then: a session may commit before it is read first."""
    at = min(transcript.started or origin.at, origin.at)
    head = commit_before(workspace.repository, origin.head, at) if origin.head else ""
    goal = _clean(found.goal, LONGEST_GOAL)
    return Record("", Event.SESSION_START, replace(origin, at=at, head=head), (name,), tree_of(workspace), goal)


def _kept_statements(workspace: Workspace, name: str, stated: Sequence[Stated], origin: Origin, started: str) -> int:
    """Save decisions, findings and open threads, each once; returns the number of new ones."""
    records = records_here(workspace)
    seen = {record.other for record in records if record.event is Event.REMEMBER and record.other}
    purged = purged_in(records, is_own=True)
    count = 0
    for one in stated:
        key = key_of(name, one.key)
        if key in seen or digest_of_id(key) in purged:
            continue
        by = _speaker(workspace, one, origin)
        code = edited_code(workspace, origin, started, one)
        statement = NewMemory(one.text, one.kind, one.why, one.rejected, edited=code, key=key, sentence=one.sentence)
        with suppress(NotFound):
            outcome = remember_as(workspace, memories_now(workspace), statement, by)
            count += outcome.outcome != "duplicate"
    return count


def _speaker(workspace: Workspace, one: Stated | Noted, origin: Origin) -> Origin:
    """The origin with the speaker of a statement or note."""
    if one.is_persons:
        return replace(origin, author=author_name(workspace, Speaker(is_person=True)))
    if isinstance(one, Stated) and one.is_models:
        return _by_other(origin, f"{PROPOSED}{workspace.loaded.config.capture.llm})")
    return _by_other(origin, SUBAGENT) if one.is_subagents else origin


def _by_other(origin: Origin, suffix: str) -> Origin:
    """The origin with another author and tool than the main agent; equal values mean that no person spoke."""
    name = f"{origin.tool} {suffix}".strip()
    return replace(origin, author=name, tool=name)


def _retracted_statements(records: Sequence[Record], name: str, notes: Sequence[Noted]) -> list[str]:
    """The saved statements that the session retracted later, unless a person confirmed them."""
    undone = {key_of(name, note.key.removesuffix(UNDONE)) for note in notes if note.key.endswith(UNDONE)}
    saved = {record.id for record in records if record.event is Event.REMEMBER and record.other in undone}
    restored = {each for record in records if record.event is Event.UNDO for each in record.targets}
    known = memories_of(records) if saved else {}
    left = sorted(saved - restored)  # not restored ones: each turn would forget them again
    return [each for each in left if not (known[each].is_forgotten or known[each].confirmed)]


def _retracted_notes(records: Sequence[Record], name: str, notes: Sequence[Noted], session: str) -> list[str]:
    """The saved sentences of a session, by the host's name for it and its id, that it retracted or that were kept."""
    found = {key_of(name, note.key) for note in notes}
    saved = notes_by_session(records).get(session, [])
    return [one.id for one in saved if one.text.startswith(SAID) and one.other and one.other not in found]


def key_of(session: str, step: str) -> str:
    """The key of one statement of a session: 16 hex digits."""
    return short_digest(f"{session} {step}")


def _session_named(records: Sequence[Record], name: str) -> Record | None:
    return next((one for one in records if one.event is Event.SESSION_START and name in one.targets), None)


def _roots(workspace: Workspace, folder: str) -> set[str]:
    """The folders of the repository's files: its worktrees, and the clone of the session."""
    roots = {str(workspace.repository.top or ""), *(worktree.root for worktree in workspace.catalog.worktrees())}
    with suppress(GitError):
        roots.add(str(Repository.open(Path(folder)).top or ""))
    return roots - {""}


def own_steps(workspace: Workspace, transcript: Transcript) -> list[Step]:
    """The steps, with paths in commands and output relative to the repository, and without home directories."""
    roots = sorted({*_roots(workspace, transcript.folder), transcript.folder} - {""}, key=len, reverse=True)
    return [anonymous(step, roots) if step.kind is StepKind.RAN else step for step in transcript.steps]


def _with_own_paths(notes: Iterable[Noted], relative: Callable[[Iterable[str]], Iterator[str]]) -> Iterator[Noted]:
    """The notes with paths relative to the repository, without notes about files outside it."""
    for note in notes:
        path = touched_in(note.text)
        if path:
            yield from (replace(note, text=touched_text(own)) for own in relative([path]))
        else:
            yield note


def _clean(text: str, longest: int) -> CleanText:
    """The text without secrets and invisible characters, cut to `longest` characters."""
    clean = redact(visible(text).strip())
    return clean if len(clean) <= longest else redact(f"{clean[: longest - 1].rstrip()}…")
