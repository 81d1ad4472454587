"""What an index run says of itself, kept with the work tree that it published."""

import json
from dataclasses import dataclass, field, fields

from repomem.index.pending_runs import waiting_root
from repomem.index.vectors import are_whole
from repomem.workspace.cached_brief import has_brief
from repomem.workspace.freshness import is_behind
from repomem.workspace.workspace import Workspace


@dataclass(slots=True)
class IndexReport:
    """What a run did and what the index holds now."""

    state: str = "current"  # current: nothing had changed; indexed; partial: time ran out; waiting: another run is on
    head: str = ""
    branch: str = ""
    files: int = 0  # with chunks
    chunks: int = 0
    episodes: int = 0
    parsed: int = 0  # files read by this run
    taken: int = 0  # of them, files of which shared storage told what is in them
    checked: int = 0  # blobs parsed to see what became of the anchors of memories
    missing_files: int = 0  # that time did not suffice for
    missing_commits: int = 0
    is_first: bool = False
    dirty: list[str] = field(default_factory=list)  # paths that differ from the head, the first DIRTY_KEPT
    left_out: dict[str, int] = field(default_factory=dict)  # reason to number of files
    languages: dict[str, int] = field(default_factory=dict)  # language to number of files
    faults: list[str] = field(default_factory=list)  # "path: reason" of files that could not be parsed


def last_report(workspace: Workspace, state: str) -> IndexReport:
    """The report of the run that last published this work tree, under another state; empty where none did."""
    known = workspace.catalog.worktree(workspace.root)
    kept = json.loads(known.report) if known else {}
    names = {each.name for each in fields(IndexReport)}
    values = {name: value for name, value in kept.items() if name in names}  # another version may have kept others
    return IndexReport(**{**values, "state": state, "is_first": False, "parsed": 0, "checked": 0})


def unchanged_report(workspace: Workspace) -> IndexReport | None:
    """The last report, if there is nothing that an index run would do: known without loading any stage."""
    known = workspace.catalog.worktree(workspace.root)
    if known is None or waiting_root(workspace) or is_behind(workspace) or not has_brief(workspace, known):
        return None
    if not are_whole(workspace):
        return None
    return last_report(workspace, "current")
