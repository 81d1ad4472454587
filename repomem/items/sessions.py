"""What a brief shows of sessions: the one that runs in this work tree, and the last one that ended in this history.

Only the running one shows notes: they end with it. No clock is asked: the newest record says what time it is, so the
same ledger and the same commit give the same lines.
"""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace

from repomem.adapters.git.ancestry import ancestors_among, reachable_among
from repomem.brief.items import Form, Offer, Section
from repomem.brief.lines import code
from repomem.core.escape import one_line, quoted, visible_path
from repomem.core.types import SHORT_HASH, BriefItem
from repomem.core.ulid import unique_prefix
from repomem.memories.snapshot import MemorySnapshot
from repomem.memories.status import HistoryFacts, names_of_commit
from repomem.sessions.digest import NOT_ENDED, Session, running, sessions_of
from repomem.sessions.lifecycle import tree_of
from repomem.workspace.workspace import Workspace

NOTES = 3  # of the running session
FILES = 3
COMMITS = 3
THREADS = 3
LOOKED_AT = 30  # newest sessions among which the last of this history is sought
GOAL_LENGTH = 160  # characters
OUTCOME_LENGTH = 300
NOTE_LENGTH = 120
AUTHOR_LENGTH = 60
RANK = {"running": 19.0, "last": 24.5}


def session_offers(workspace: Workspace, known: MemorySnapshot, head: str, branch: str) -> Iterator[Offer]:
    """At most two lines, for the commit and the branch that are looked at; either is empty where there is none."""
    sessions = sessions_of(known.records, {name: one.memory for name, one in known.states.items()})
    if not sessions:
        return
    now = max(record.origin.at for record in known.records)
    open_ = None if known.history.is_past else running(sessions, tree_of(workspace), now)
    if open_ and (open_.goal or open_.notes):
        yield Offer(Section.OPEN, RANK["running"], tuple(_running_forms(open_, known)), sources=frozenset([open_.id]))
    last = _last(workspace, sessions, known.history, head, branch)
    if last:
        alive = _alive(workspace, last, known.history, head)
        forms = tuple(_last_forms(last, known, alive))
        yield Offer(Section.OPEN, RANK["last"], forms, sources=frozenset([last.id]))


def _last(
    workspace: Workspace, sessions: Sequence[Session], world: HistoryFacts, head: str, branch: str
) -> Session | None:
    """The session that ended last among those that belong to this history."""
    ended = [each for each in sessions if each.ended and _says_something(each)]
    ended.sort(key=lambda each: (each.ended.at if each.ended else "", each.id), reverse=True)
    newest = ended[:LOOKED_AT]
    names = {name for each in newest for commit in _ends(each) if commit for name in names_of_commit(commit, world)}
    ancestors = ancestors_among(workspace.repository, head or None, names)
    living = reachable_among(workspace.repository, names - ancestors)
    return next((each for each in newest if _is_seen(each, world, branch, ancestors, living)), None)


def _says_something(session: Session) -> bool:
    """Whether anything came of it: a host that starts a session for every window leaves empty ones."""
    has_outcome = session.outcome not in {"", NOT_ENDED}
    return bool(session.goal or has_outcome or session.files or session.commits or session.threads)


def _ends(session: Session) -> tuple[str, str]:
    """The commits that were checked out at its end and at its start; empty before the first."""
    return session.ended.head if session.ended else "", session.origin.head


def _is_seen(
    session: Session, world: HistoryFacts, branch: str, ancestors: Collection[str], living: Collection[str]
) -> bool:
    """Whether its end is part of this history.

    Its start counts where this is the branch that it was started on, or no branch holds its end any more: it was
    squashed or rebased. Else every session of a branch would be told on the one that the branch came from.
    """
    end, start = (set(names_of_commit(commit, world)) if commit else set() for commit in _ends(session))
    if not end or not end.isdisjoint(ancestors):
        return True
    is_ours = not start or not start.isdisjoint(ancestors)
    return is_ours and (session.origin.branch == branch or end.isdisjoint(living))


def _alive(workspace: Workspace, session: Session, world: HistoryFacts, head: str) -> list[str]:
    """The commits made in it as they are called in this history, oldest first; those that left it are not named."""
    names = {commit: list(names_of_commit(commit, world)) for commit in session.commits}
    here = ancestors_among(workspace.repository, head or None, {name for each in names.values() for name in each})
    found = (next((name for name in each if name in here), "") for each in names.values())
    return list(dict.fromkeys(filter(None, found)))


def _running_forms(session: Session, known: MemorySnapshot) -> Iterator[Form]:
    notes = [one_line(note.text, NOTE_LENGTH) for note in session.notes[-NOTES:]]
    item = _item(session, known, text="; ".join(notes), status="current")
    goal = f": {quoted(item.title)}" if item.title else ""
    said = f"- session {code(item.id)} running since {item.date}{goal}"
    who = f" · {item.author}"
    if notes:
        yield Form(f"{said}; noted: {', '.join(map(quoted, notes))}{who}", item)
    yield Form(f"{said}{who}", replace(item, text=""))


def _last_forms(session: Session, known: MemorySnapshot, commits: Sequence[str]) -> Iterator[Form]:
    outcome = one_line(session.outcome, OUTCOME_LENGTH)
    item = _item(session, known, text=outcome)
    goal = quoted(item.title) if item.title else "(no goal)"
    said = f"- last session {code(item.id)} {goal}" + (f" → {quoted(outcome)}" if outcome else "")
    who = f" · {item.author} {item.date}"
    made = [
        _some("files", [code(visible_path(path)) for path in session.files], FILES),
        _some("commits", [code(commit[:SHORT_HASH]) for commit in reversed(commits)], COMMITS),
        _some("open threads", [code(unique_prefix(each.id, known.ids)) for each in session.threads], THREADS),
    ]
    yield Form(f"{said}{''.join(made)}{who}", item)
    if any(made):
        yield Form(f"{said}{who}", item)


def _some(name: str, shown: Sequence[str], limit: int) -> str:
    more = f" and {len(shown) - limit} more" if len(shown) > limit else ""
    return f" · {name} {', '.join(shown[:limit])}{more}" if shown else ""


def _item(session: Session, known: MemorySnapshot, *, text: str, status: str = "") -> BriefItem:
    at = session.ended or session.origin
    return BriefItem(
        kind="session",
        id=unique_prefix(session.id, known.ids),
        title=one_line(session.goal, GOAL_LENGTH),
        text=text,
        commit=at.head,
        date=at.at[:10],
        status=status,
        source=session.origin.source.value,
        author=one_line(session.origin.author, AUTHOR_LENGTH),
        visible_on=session.origin.branch,
    )
