"""Finds the commit of memories recorded before their work was committed, while git's reflogs still name it.

A memory of a new branch, or of a worktree with uncommitted changes, belongs to the first commit made after it. Git
deletes a branch's reflog with the branch, so that commit is recorded as soon as it is known.
"""

from collections.abc import Iterator, Sequence

from repomem.adapters.git.ancestry import ancestors_among
from repomem.adapters.git.branches import LogEntry, log_of, tip_of
from repomem.core.records import FIRST_COMMIT, Event, Record
from repomem.core.times import time_of_moment
from repomem.workspace.workspace import Workspace

MOST_BRANCHES = 50  # newest ones whose logs are read, 3 ms each
_FROM, _TO = "checkout: moving from ", " to "


def first_commits(workspace: Workspace, known: Sequence[Record]) -> Iterator[tuple[str, str]]:
    """The records whose commit was not known, each with the first commit that was made after it."""
    found = {target for record in known if record.text == FIRST_COMMIT for target in record.targets}
    open_ = [each for each in known if has_open_work(each) and each.id not in found]
    if not open_:
        return
    heads = log_of(workspace.repository, "HEAD")
    branches = list(dict.fromkeys(each.origin.branch for each in reversed(open_)))[:MOST_BRANCHES]
    for branch in branches:
        log = log_of(workspace.repository, f"refs/heads/{branch}") if branch else []
        tip = tip_of(workspace.repository, branch) if log else ""
        for record in open_:
            if record.origin.branch == branch:
                commit = _in_checkouts(record, heads) if record.origin.is_dirty or not log else ""
                commit = commit or _in_branch(workspace, record, log, tip)
                if commit:
                    yield record.id, commit


def has_open_work(record: Record) -> bool:
    """Whether a memory or closed thread of this user was recorded before its work was committed."""
    is_own = not record.origin.writer
    is_tied = record.event in {Event.REMEMBER, Event.DONE}
    return is_own and is_tied and (record.origin.is_new_branch or record.origin.is_dirty)


def _in_branch(workspace: Workspace, record: Record, log: Sequence[LogEntry], tip: str) -> str:
    """The first commit on the branch after the record; empty: none, or the record was made in another clone.

    Without one by the clock, the last that the branch still has on top of the commit that was checked out.
    """
    start = next((at for at, each in enumerate(log) if record.origin.head in {each.commit, each.before}), len(log))
    made = [each for each in log[start:] if each.is_commit]
    at = _seconds(record.origin.at)
    later = next((each.commit for each in made if each.at >= at and each.commit != record.origin.head), "")
    on_top = [each.commit for each in made if each.before == record.origin.head]
    if later or not on_top:
        return later
    here = ancestors_among(workspace.repository, tip, set(on_top))
    return next((commit for commit in reversed(on_top) if commit in here), "")


def _in_checkouts(record: Record, log: Sequence[LogEntry]) -> str:
    """The first commit after the record in this worktree, if it was the one with the record's branch checked out.

    Uncommitted changes may be carried to another branch; a new branch's work stays there.
    """
    at, origin = _seconds(record.origin.at), record.origin
    branch, was_there = _branch_before(log), False
    for entry in log:
        if was_there and entry.at >= at and entry.is_commit and entry.commit != origin.head:
            is_carried = origin.is_dirty and entry.before == origin.head
            if branch == origin.branch or is_carried:
                return entry.commit
        branch = _branch_after(entry, branch)
        if entry.at <= at:
            was_there = (branch, entry.commit) == (origin.branch, origin.head)
    return ""


def _branch_before(log: Sequence[LogEntry]) -> str:
    """The branch that was checked out at the start of the log."""
    first = next((each.what for each in log if each.what.startswith(_FROM)), "")
    return first.removeprefix(_FROM).partition(_TO)[0]


def _branch_after(entry: LogEntry, before: str) -> str:
    """The branch that is checked out after an entry; empty for a detached HEAD."""
    if not entry.what.startswith(_FROM):
        return before
    reached = entry.what.removeprefix(_FROM).partition(_TO)[2]
    return "" if entry.commit.startswith(reached) else reached


def _seconds(at: str) -> int:
    return int(time_of_moment(at).timestamp())
