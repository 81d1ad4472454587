"""Start sessions, add notes, end them, and list them.

The current session is the one that was named, else the newest open one of this worktree with activity within a day:
an abandoned session must not collect all later work.
"""

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace

from repomem.adapters.ledger.fold import memories_of
from repomem.core.digests import short_digest
from repomem.core.errors import NotFound, RepomemError, ambiguous
from repomem.core.records import Event, Origin, Record, next_id
from repomem.core.secrets.redact import redact
from repomem.core.text.escape import one_line, quoted, visible
from repomem.core.times import this_moment
from repomem.core.types.text import NOTHING, CleanText
from repomem.core.ulid import unique_prefix
from repomem.sessions.digest import (
    Digest,
    Note,
    Session,
    digest_of_sessions,
    is_lost,
    last_moment,
    running_session,
    sessions_named,
    sessions_of,
)
from repomem.sessions.session_changes import SessionChanges, changes_in
from repomem.workspace.ledger import Speaker, append_records, ledger_of, origin_of, record_draft, records_here
from repomem.workspace.workspace import Workspace

LONGEST_NOTE = 2_000  # characters; a goal too
LONGEST_OUTCOME = 4_000  # a longer one is cut: the agent that could shorten it is gone
SHOWN_ID = 10  # characters of an id in a message
GOAL_IN_ERRORS = 60  # characters
_HOW_TO_START = 'start one: repomem session start "the goal"'


@dataclass(frozen=True, slots=True)
class Listing:
    """The sessions of a repository: the newest in full, the older ones as a digest."""

    digest: Digest
    count: int  # of all sessions
    here: str  # id of the current session of this worktree; empty: none
    now: str  # YYYY-MM-DDTHH:MM:SSZ
    ids: list[str]  # every id that a prefix could mean, sorted

    def short(self, name: str) -> str:
        """The shortest prefix that only this id has."""
        return unique_prefix(name, self.ids)


def start(workspace: Workspace, speaker: Speaker, goal: str) -> tuple[Session, list[Session]]:
    """Start a session, and end those that the same speaker left open in this worktree; returns both.

    Raises RepomemError for a goal that is too long, StoreError if nothing can be written.
    """
    text = _clean(goal, "the goal")
    tree, origin = tree_of(workspace), origin_of(workspace, speaker)
    alike = tree, origin.source, origin.tool
    left = [
        each
        for each in sessions_in(workspace)
        if each.is_open and (each.tree, each.origin.source, each.origin.tool) == alike
    ]
    works = {each.id: changes_in(workspace, each, origin.head, tree, last_moment(each)) for each in left}

    def make(before: list[Record]) -> list[Record]:
        ended = {record.origin.session for record in before if record.event is Event.SESSION_END}
        made: list[Record] = []
        for name in (each.id for each in left if each.id not in ended):
            made.append(_end_record([*before, *made], replace(origin, session=name), NOTHING, works[name]))
        name = next_id([*before, *made])
        return [*made, Record(name, Event.SESSION_START, replace(origin, session=name), other=tree, text=text)]

    started = ledger_of(workspace).append(make)[-1]
    now = {each.id: each for each in sessions_in(workspace)}
    return now[started.id], [now[each.id] for each in left if each.id in now]


def note(workspace: Workspace, speaker: Speaker, text: str) -> tuple[Session, Note]:
    """Add a note to the current session. Raises RepomemError without a session, or for a text that cannot be stored."""
    session = _open_session(workspace, speaker)
    clean = _clean(text, "the note")
    if not clean:
        raise RepomemError("the note is empty", 'give it as words: repomem session note "the queue is empty"')
    origin = origin_of(workspace, speaker, session.id)
    [record] = append_records(workspace, origin, record_draft(Event.SESSION_NOTE, text=clean))
    return session, Note(record.id, origin.at, clean, author=origin.author)


def end(workspace: Workspace, speaker: Speaker, outcome: str) -> Session:
    """End the current session with its outcome, files and commits. Raises RepomemError without a session."""
    session = _open_session(workspace, speaker)
    text = _cut(workspace, outcome)
    origin = origin_of(workspace, speaker, session.id)
    work = changes_in(workspace, session, origin.head, tree_of(workspace))
    ledger_of(workspace).append(lambda before: [_end_record(before, origin, text, work)])
    return session_named(sessions_in(workspace), session.id)


def listing(workspace: Workspace, last: int) -> Listing:
    """The newest `last` sessions in full, and a digest of the older ones."""
    records = records_here(workspace)
    sessions = sessions_of(records, memories_of(records))
    now = this_moment()
    here = running_session(sessions, tree_of(workspace), now)
    ids = [record.id for record in records]
    return Listing(digest_of_sessions(sessions, last), len(sessions), here.id if here else "", now, ids)


def current_session(workspace: Workspace, speaker: Speaker, records: Sequence[Record] | None = None) -> Session | None:
    """The session that the speaker names, else the current one of this worktree; None without one.

    Raises NotFound if the name matches no session, or several.
    """
    sessions = sessions_in(workspace, records)
    if speaker.session:
        return session_named(sessions, speaker.session)
    return running_session(sessions, tree_of(workspace), this_moment(), speaker.tool)


def session_for(workspace: Workspace, records: Sequence[Record], speaker: Speaker) -> str:
    """The id of the current session; empty without one, with a notice about a lost one."""
    session = current_session(workspace, speaker, records)
    if session:
        return session.id
    if lost := _lost_here(workspace, records):
        workspace.notices.append(f"session {lost.id} has had no activity since {lost.last_sign} and counts as lost")
    return ""


def short_id(workspace: Workspace, name: str) -> str:
    """The shortest prefix that only this id of the ledger has."""
    return unique_prefix(name, [record.id for record in records_here(workspace)])


def sessions_in(workspace: Workspace, records: Sequence[Record] | None = None) -> list[Session]:
    """Every session of the repository, oldest first."""
    known = records_here(workspace) if records is None else records
    of_sessions = (record for record in known if record.event is not Event.REMEMBER or record.origin.session)
    return sessions_of(known, memories_of(of_sessions))  # 10,000 memories without a session would take 0.1 s


def last_session(workspace: Workspace) -> str:
    """The id of the newest session with memories, or of the newest one. Raises NotFound without any."""
    sessions = sessions_in(workspace)
    if not sessions:
        raise NotFound("no sessions are recorded yet", _HOW_TO_START)
    telling = [each for each in sessions if each.decisions or each.threads]
    return (telling or sessions)[-1].id


def session_named(sessions: Sequence[Session], wanted: str) -> Session:
    """The session with this id or prefix. Raises NotFound if it matches no session, or several."""
    matching = sessions_named(sessions, wanted)
    if len(matching) > 1:
        named = [f"{one.id} {quoted(one_line(one.goal, GOAL_IN_ERRORS))}" if one.goal else one.id for one in matching]
        raise ambiguous(f"{wanted} matches {len(matching)} sessions", named)
    if not matching:
        raise NotFound(f"no session has the id {one_line(wanted, 40)!r} here", "repomem session list prints the ids")
    return matching[0]


def tree_of(workspace: Workspace) -> str:
    """The name of this worktree in the ledger: 16 hex digits, because the ledger stores no local paths."""
    return short_digest(os.fsencode(workspace.root))


def _open_session(workspace: Workspace, speaker: Speaker) -> Session:
    """The current session. Raises RepomemError if there is none, or if it has ended."""
    session = current_session(workspace, speaker)
    if session and session.ended:
        raise RepomemError(f"session {session.id[:SHOWN_ID]} ended at {session.ended.at}", _HOW_TO_START)
    if session:
        return session
    if gone := _lost_here(workspace):
        raise RepomemError(
            f"no session is open in this worktree: {gone.id} has had no activity since {gone.last_sign}",
            f"{_HOW_TO_START}; --session {gone.id} continues the old one",
        )
    raise RepomemError("no session is open in this worktree", _HOW_TO_START)


def _lost_here(workspace: Workspace, records: Sequence[Record] | None = None) -> Session | None:
    """The newest open session of this worktree that counts as lost."""
    tree, now = tree_of(workspace), this_moment()
    return next((s for s in reversed(sessions_in(workspace, records)) if s.tree == tree and is_lost(s, now)), None)


def _end_record(before: Sequence[Record], origin: Origin, text: CleanText, work: SessionChanges) -> Record:
    return Record(next_id(before), Event.SESSION_END, origin, text=text, files=work.files, commits=work.commits)


def _clean(text: str, what: str) -> CleanText:
    shown = visible(text).strip()
    if len(shown) > LONGEST_NOTE:
        raise RepomemError(f"{what} is longer than {LONGEST_NOTE:,} characters", "shorten it to a few sentences")
    return redact(shown)


def _cut(workspace: Workspace, outcome: str) -> CleanText:
    """The redacted outcome, cut at its limit; cutting first could split a secret."""
    text = redact(visible(outcome).strip())
    if len(text) <= LONGEST_OUTCOME:
        return text
    workspace.notices.append(f"the outcome was cut to {LONGEST_OUTCOME:,} characters")
    return redact(text[: LONGEST_OUTCOME - 1].rstrip() + "…")
