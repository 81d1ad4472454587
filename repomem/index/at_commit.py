"""A snapshot of an earlier commit: its tree, its history, and the memories recorded by then.

Nothing is published: the view and its statistics serve one question. Unindexed files of the commit are counted, or
indexed on request.
"""

import json
from dataclasses import asdict, replace
from datetime import UTC, datetime

from repomem.adapters.git.log import commit_time, resolve
from repomem.adapters.git.worktree import tracked
from repomem.adapters.sqlite.catalog_rows import Worktree
from repomem.core.errors import NotFound
from repomem.index import code as index_code
from repomem.index import history as index_history
from repomem.index.report import IndexReport
from repomem.index.run import history_of, view_of, with_profile
from repomem.workspace.run import Run
from repomem.workspace.snapshot import Past, Snapshot
from repomem.workspace.workspace import Workspace


def snapshot_at(workspace: Workspace, revision: str, run: Run, *, is_indexed: bool) -> tuple[Snapshot, tuple[str, ...]]:
    """The snapshot of a revision, and what the index lacks of it. Raises NotFound for an unknown revision.

    With `is_indexed` its files are indexed first.
    """
    commit = resolve(workspace.repository, revision)
    run = run if is_indexed else replace(run, deadline=float("-inf"))
    code = index_code.index_tree(workspace, commit, run)
    past = index_history.index_history(workspace, commit, run)
    if not past.episodes and not code.versions:
        raise NotFound(f"{revision} is not indexed", f"repomem recall --at {revision} --index")
    view, history = view_of(workspace, code), history_of(workspace, commit, past)
    report = IndexReport(state="indexed", head=commit)
    shown = Worktree(workspace.root, view.id, history.head, "", json.dumps(asdict(report)))
    until = datetime.fromtimestamp(commit_time(workspace.repository, commit), UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    blobs = {file.path: file.blob for file in tracked(workspace.repository, commit)}
    bare = Snapshot(workspace, shown, view, history, Past(commit, until, blobs))
    return replace(bare, worktree=with_profile(bare, code.paths)), tuple(_missing(code.missing, past.missing, revision))


def _missing(files: int, commits: int, revision: str) -> list[str]:
    parts = [f"{files} files"] * bool(files) + [f"{commits} commits"] * bool(commits)
    if not parts:
        return []
    return [f"{' and '.join(parts)} of {revision} are not indexed: repomem recall --at {revision} --index reads them"]
