"""A snapshot of an earlier commit: its tree, its history, and the memories recorded by then.

Nothing is published: the view and its statistics serve one question. Unindexed files of the commit are counted, or
indexed on request.
"""

import json
from dataclasses import asdict, replace
from datetime import UTC, datetime

from repomem.adapters.git.log import commit_before, commit_time, head_of, resolve
from repomem.adapters.git.repository import Repository
from repomem.adapters.git.worktree import tracked
from repomem.adapters.sqlite.catalog_rows import Worktree
from repomem.core.errors import NotFound
from repomem.core.times import is_calendar_day, looks_like_day
from repomem.index import code as index_code, history as index_history
from repomem.index.report import IndexReport, missing_parts
from repomem.index.run import history_of, view_of, with_profile
from repomem.workspace.run import Run
from repomem.workspace.snapshot import EarlierCommit, Snapshot
from repomem.workspace.workspace import Workspace

END_OF_DAY = "T23:59:59Z"


def snapshot_at(workspace: Workspace, revision: str, run: Run, *, is_indexed: bool) -> tuple[Snapshot, tuple[str, ...]]:
    """The snapshot of a commit, tag, branch or day (YYYY-MM-DD), and warnings about its unindexed parts.

    It has the records made by the end of that day, or of the commit's. With `is_indexed` its files are indexed first.
    Raises NotFound for an unknown revision, and for a day before the first commit.
    """
    commit, day = _commit_and_day(workspace, revision)
    run = run if is_indexed else replace(run, deadline=float("-inf"))
    code = index_code.index_tree(workspace, commit, run)
    past = index_history.index_history(workspace, commit, run)
    if not past.episodes and not code.versions:
        raise NotFound(f"{revision} is not indexed", f"repomem recall --at {revision} --index")
    view, history = view_of(workspace, code), history_of(workspace, commit, past)
    report = IndexReport(state="indexed", head=commit)
    shown = Worktree(workspace.root, view.id, history.head, "", json.dumps(asdict(report)))
    blobs = {file.path: file.blob for file in tracked(workspace.repository, commit)}
    bare = Snapshot(workspace, shown, view, history, EarlierCommit(commit, f"{day}{END_OF_DAY}", blobs))
    missing = missing_parts(code.missing, past.missing)
    warning = f"{missing} not indexed at {revision}: run repomem recall --at {revision} --index"
    found = replace(bare, worktree=with_profile(bare, code.paths))
    return found, (warning,) if code.missing or past.missing else ()


def _commit_and_day(workspace: Workspace, revision: str) -> tuple[str, str]:
    """The commit that a revision or day means, and the day up to which its memories were known, in UTC."""
    repository = workspace.repository
    try:
        commit = resolve(repository, revision)
    except NotFound:
        if not looks_like_day(revision):
            raise
        return _commit_of_day(repository, revision), revision
    return commit, datetime.fromtimestamp(commit_time(repository, commit), UTC).strftime("%Y-%m-%d")


def _commit_of_day(repository: Repository, day: str) -> str:
    """The newest commit on or before a day."""
    if not is_calendar_day(day):
        raise NotFound(f"{day} is not a valid date", "expected YYYY-MM-DD: --at 2026-01-31")
    head = head_of(repository)[0]
    commit = commit_before(repository, head, f"{day}{END_OF_DAY}") if head else ""
    if not commit:
        raise NotFound(f"no commit on or before {day}", "choose a later day: git log --reverse shows the first commit")
    return commit
