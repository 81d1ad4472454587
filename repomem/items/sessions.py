"""Candidate items for sessions: the running one, those about the task, and the last one that ended in this history.

Only the running session shows notes: they end with it. The newest record serves as the clock, so that the same ledger
and commit give the same lines.
"""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace

from repomem.adapters.git.ancestry import ancestors_among, reachable_among
from repomem.brief import order
from repomem.brief.items import CandidateItem, Rendering
from repomem.core.text.counts import listed
from repomem.core.text.escape import code, one_line, quoted, visible_path
from repomem.core.text.words import words_of
from repomem.core.types.brief import BriefItem
from repomem.core.types.commits import short_hash
from repomem.memories.history_facts import HistoryFacts, names_of_commit
from repomem.memories.search.likeness import likeness_to_texts
from repomem.memories.snapshots.snapshot import MemorySnapshot
from repomem.ranking.memories import matching_memories
from repomem.ranking.memory_words import MemoryDocument
from repomem.ranking.query import Query
from repomem.sessions.command_notes import SAID
from repomem.sessions.digest import Session, running_session, sessions_of
from repomem.sessions.lifecycle import tree_of
from repomem.workspace.workspace import Workspace

NOTES = 3  # of the running session
FILES = 3
COMMITS = 3
THREADS = 3
PAST_SESSIONS = 2  # about the task
LOOKED_AT = 30  # sessions among which those of this history are sought
GOAL_LENGTH = 160  # characters
OUTCOME_LENGTH = 300
NOTE_LENGTH = 120
AUTHOR_LENGTH = 60


def session_items(
    workspace: Workspace, known: MemorySnapshot, head: str, branch: str, query: Query | None = None
) -> Iterator[CandidateItem]:
    """At most four, for a head, a branch and a question; each is empty if there is none."""
    written = known.outlines.where(session=bool)
    sessions = sessions_of(known.events, {name: known.states[name].memory for name in written})
    if not sessions:
        return
    current = None if known.history.is_past else running_session(sessions, tree_of(workspace), known.newest)
    if current and (current.goal or current.notes):
        renderings = tuple(_running_renderings(current, known))
        yield CandidateItem(*order.RUNNING_SESSION.nth(0), renderings, sources=frozenset([current.id]))
    ended = sorted((each for each in sessions if each.ended and _has_content(each)), key=_end, reverse=True)
    about_task = _here(workspace, _matching(ended, query), known.history, head, branch) if query else []
    last = _here(workspace, ended, known.history, head, branch)[:1]
    for row, label, shown in (
        (order.PAST_SESSION, "session", about_task[:PAST_SESSIONS]),
        (order.LAST_SESSION, "latest session", last),
    ):
        for at, session in enumerate(shown):
            commits = _commits_here(workspace, session, known.history, head)
            renderings = tuple(_ended_renderings(session, known, commits, label))
            yield CandidateItem(*row.nth(at), renderings, sources=frozenset([session.id]))


def _end(session: Session) -> tuple[str, str]:
    return session.ended.at if session.ended else "", session.id


def _matching(sessions: Sequence[Session], query: Query) -> list[Session]:
    """The sessions that are clearly about a question, best first."""
    by_id = {each.id: each for each in sessions}
    texts = {name: f"{each.goal} {each.outcome}" for name, each in by_id.items()}
    documents = [MemoryDocument(name, words_of(text), by_id[name].files) for name, text in texts.items()]
    matches = matching_memories(query, documents, likeness=likeness_to_texts(texts)(query))
    return [by_id[one.id] for one in matches if one.is_certain]


def _here(
    workspace: Workspace, sessions: Sequence[Session], history: HistoryFacts, head: str, branch: str
) -> list[Session]:
    """The first of these sessions that belong to this history, in their order."""
    newest = sessions[:LOOKED_AT]
    names = {name for each in newest for commit in _ends(each) if commit for name in names_of_commit(commit, history)}
    ancestors = ancestors_among(workspace.repository, head, names)
    living = reachable_among(workspace.repository, names - ancestors)
    return [each for each in newest if _is_seen(each, history, branch, ancestors, living)]


def _has_content(session: Session) -> bool:
    """Whether there is anything to show: a host that starts a session for every window leaves empty ones."""
    return bool(session.goal or session.outcome or session.files or session.commits or session.threads)


def _ends(session: Session) -> tuple[str, str]:
    """The commits checked out at its end and at its start; empty before the first commit."""
    return session.ended.head if session.ended else "", session.origin.head


def _is_seen(
    session: Session, history: HistoryFacts, branch: str, ancestors: Collection[str], living: Collection[str]
) -> bool:
    """Whether a session belongs to this history: its end does.

    Its start is enough on the branch that it was started on, or if no branch contains its end any more (after a squash
    or rebase). Otherwise the base branch would show the sessions of every branch.
    """
    end, start = (set(names_of_commit(commit, history)) if commit else set() for commit in _ends(session))
    if not end or not end.isdisjoint(ancestors):
        return True
    is_ours = not start or not start.isdisjoint(ancestors)
    return is_ours and (session.origin.branch == branch or end.isdisjoint(living))


def _commits_here(workspace: Workspace, session: Session, history: HistoryFacts, head: str) -> list[str]:
    """The commits made in it, by their names in this history, oldest first; those not in it are left out."""
    names = {commit: list(names_of_commit(commit, history)) for commit in session.commits}
    here = ancestors_among(workspace.repository, head, {name for each in names.values() for name in each})
    reachable = (next((name for name in each if name in here), "") for each in names.values())
    return list(dict.fromkeys(filter(None, reachable)))


def _running_renderings(session: Session, known: MemorySnapshot) -> Iterator[Rendering]:
    work = [note for note in session.notes if not note.text.startswith(SAID)]
    notes = [one_line(note.text, NOTE_LENGTH) for note in work[-NOTES:]]
    item = _item(session, known, text="; ".join(notes), status="current")
    goal = f": {quoted(item.title)}" if item.title else ""
    line = f"- session {code(item.id)} running since {item.date}{goal}"
    who = f" · {item.author}"
    if notes:
        yield Rendering(f"{line}; notes: {', '.join(map(quoted, notes))}{who}", item)
    yield Rendering(f"{line}{who}", replace(item, text=""))


def _ended_renderings(
    session: Session, known: MemorySnapshot, commits: Sequence[str], label: str
) -> Iterator[Rendering]:
    outcome = one_line(session.outcome, OUTCOME_LENGTH)
    item = _item(session, known, text=outcome)
    goal = quoted(item.title) if item.title else "(no goal)"
    line = f"- {label} {code(item.id)} {goal}" + (f" → {quoted(outcome)}" if outcome else "")
    who = f" · {item.author} {item.date}"
    made = [
        _listed("files", [code(visible_path(path)) for path in session.files], FILES),
        _listed("commits", [code(short_hash(commit)) for commit in reversed(commits)], COMMITS),
        _listed("open threads", [code(known.short_id(each.id)) for each in session.threads], THREADS),
    ]
    yield Rendering(f"{line}{''.join(made)}{who}", item)
    if any(made):
        yield Rendering(f"{line}{who}", item)


def _listed(name: str, shown: Sequence[str], limit: int) -> str:
    return f" · {name} {listed(shown, limit)}" if shown else ""


def _item(session: Session, known: MemorySnapshot, *, text: str, status: str = "") -> BriefItem:
    at = session.ended or session.origin
    return BriefItem(
        kind="session",
        id=known.short_id(session.id),
        whole_id=session.id,
        title=one_line(session.goal, GOAL_LENGTH),
        text=text,
        commit=at.head,
        date=at.at[:10],
        status=status,
        source=session.origin.source.value,
        author=one_line(session.origin.author, AUTHOR_LENGTH),
        visible_on=session.origin.branch,
    )
