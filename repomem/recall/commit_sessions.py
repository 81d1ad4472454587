"""The agent sessions that commits were made in and memories were written in."""

from collections.abc import Collection
from dataclasses import dataclass

from repomem.core.types.text import NOTHING, CleanText
from repomem.memories.history_facts import names_of_commit
from repomem.memories.snapshots.snapshot import MemorySnapshot
from repomem.sessions.digest import Session, sessions_of

DECISIONS = 2  # newest ones of a session


@dataclass(frozen=True, slots=True)
class CommitSession:
    """The session that made a commit or that a memory was written in; empty if there was none, or it was forgotten."""

    id: str = ""
    goal: CleanText = NOTHING
    decisions: tuple[tuple[str, str], ...] = ()  # as short id and text; only of a session that made a commit


def known_sessions(known: MemorySnapshot) -> list[Session]:
    """Every session that was not forgotten, oldest first."""
    return sessions_of(known.records, {name: one.memory for name, one in known.states.items()})


def sessions_by_commit(known: MemorySnapshot, commits: Collection[str]) -> dict[str, CommitSession]:
    """The sessions that made these commits, also under the names that rewrites gave them."""
    found: dict[str, CommitSession] = {}
    for session in known_sessions(known):
        names = {name for commit in session.commits for name in names_of_commit(commit, known.history)}
        shown = [each for each in session.decisions if known.states[each.id].is_shown]
        decided = tuple((known.short_id(each.id), each.said.text) for each in shown[-DECISIONS:])
        own = CommitSession(known.short_id(session.id), session.goal, decided)
        found |= dict.fromkeys(names.intersection(commits), own)
    return found


def source_sessions(known: MemorySnapshot) -> dict[str, CommitSession]:
    """Every session by its whole id, as the source of a memory."""
    return {each.id: CommitSession(known.short_id(each.id), each.goal) for each in known_sessions(known)}
