"""The report of an index run, kept with the worktree that it published."""

import json
from dataclasses import dataclass, field, fields

from repomem.core.text.counts import are, counted
from repomem.index.pending_runs import pending_root
from repomem.workspace.cached_brief import has_brief
from repomem.workspace.freshness import is_behind
from repomem.workspace.workspace import Workspace, are_vectors_complete


@dataclass(slots=True)
class IndexReport:
    """The work of a run, and the content of the index afterwards."""

    # current: nothing changed; indexed; partial: out of time; waiting: another run is in progress
    state: str = "current"
    head: str = ""
    branch: str = ""
    files: int = 0  # with chunks
    chunks: int = 0
    episodes: int = 0
    parsed: int = 0  # files read by this run
    taken: int = 0  # of them, files whose outline came from shared storage
    checked: int = 0  # blobs parsed to check the anchors of memories
    missing_files: int = 0  # not reached in time
    missing_commits: int = 0
    dirty: list[str] = field(default_factory=list)  # paths that differ from the head, the first DIRTY_KEPT
    renamed: dict[str, str] = field(default_factory=dict)  # paths of uncommitted renames to those at the head
    left_out: dict[str, int] = field(default_factory=dict)  # reason to number of files
    languages: dict[str, int] = field(default_factory=dict)  # language to number of files
    faults: list[str] = field(default_factory=list)  # "path: reason" of files that could not be parsed


def last_report(workspace: Workspace, state: str) -> IndexReport:
    """The report of the run that last published this worktree, with this state; empty if there is none."""
    known = workspace.catalog.worktree(workspace.root)
    stored = json.loads(known.report) if known else {}
    names = {each.name for each in fields(IndexReport)}
    values = {name: value for name, value in stored.items() if name in names}  # another version may have stored others
    return IndexReport(**{**values, "state": state, "parsed": 0, "checked": 0})


def unchanged_report(workspace: Workspace) -> IndexReport | None:
    """The last report if an index run would change nothing. Loads no parser and no LanceDB."""
    known = workspace.catalog.worktree(workspace.root)
    if known is None or pending_root(workspace) or is_behind(workspace) or not has_brief(workspace, known):
        return None
    return last_report(workspace, "current") if are_vectors_complete(workspace) else None


def missing_parts(files: int, commits: int) -> str:
    """The missing parts of an index, as the subject and verb of a sentence: `1 file is`, `2 files and 1 commit are`."""
    parts = [counted(number, noun) for number, noun in ((files, "file"), (commits, "commit")) if number]
    return f"{' and '.join(parts)} {are(files + commits)}"
