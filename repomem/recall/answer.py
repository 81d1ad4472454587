"""Answers from a fresh index: catch up within a deadline, say what is missing, then search or recall."""

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import TypeVar

from repomem.brief.other_repositories import NOBODY, Also
from repomem.core.errors import NotFound, StoreDamaged
from repomem.core.types import Brief, Hit
from repomem.index.maintenance import index_behind_its_back
from repomem.index.pending_runs import waiting_root
from repomem.index.report import IndexReport
from repomem.recall.brief import Ask, recall
from repomem.recall.search import search
from repomem.workspace.cached_brief import brief_text, keep_brief, kept_brief
from repomem.workspace.freshness import is_behind
from repomem.workspace.ledger import stamp_here
from repomem.workspace.run import Run
from repomem.workspace.snapshot import Scope, Snapshot, snapshot
from repomem.workspace.workspace import Workspace

Answer = TypeVar("Answer")
CATCH_UP_SECONDS = 5.0  # what an answer waits for the index at most; the rest is indexed behind its back


@dataclass(frozen=True, slots=True)
class Ready:
    """A work tree that can be asked, and what the answer must own up to."""

    snapshot: Snapshot
    warnings: tuple[str, ...]


def ready(workspace: Workspace, run: Run) -> Ready:
    """The published state, brought up to date as far as the run's deadline allows."""
    warnings: list[str] = []
    if not _is_writable(workspace):
        if is_behind(workspace):
            warnings.append("the index is older than the work tree and cannot be written from here")
    elif waiting_root(workspace) or is_behind(workspace):
        warnings += _caught_up(workspace, run)
    found = snapshot(workspace)
    if found is None and warnings:
        raise NotFound("nothing is indexed here yet: another run is at it", "ask again when it has ended")
    if found is None:
        raise NotFound("nothing is indexed here yet", "run repomem index where the git directory can be written")
    return Ready(found, tuple(warnings))


def _caught_up(workspace: Workspace, run: Run) -> Iterator[str]:
    """Index what has changed, as far as there is time, and tell what is missing then."""
    from repomem.index.run import index  # with all of parsing: an unchanged work tree is spared that

    deadline = min(run.deadline, run.clock() + CATCH_UP_SECONDS)
    report = index(workspace, replace(run, deadline=deadline))
    while report.state == "waiting" and snapshot(workspace) is None and run.clock() < deadline:  # the first run of all
        report = index(workspace, replace(run, deadline=deadline))
    if report.state == "partial" or (report.state != "waiting" and waiting_root(workspace)):
        index_behind_its_back(workspace)
    yield from _missing(report)


def recall_now(workspace: Workspace, ask: Ask, run: Run, also: Also = NOBODY) -> Brief:
    """The brief for a task, or without one the map; the map of an unchanged work tree was made by the last index.

    `also` is what other repositories say of the task.
    """
    if ask.at:
        return _healed(workspace, run, lambda: _recalled_at(workspace, ask, run))
    if not ask.text.strip():
        kept = None if ask.kinds else kept_brief(workspace, ask.budget)
        return kept or _healed(workspace, run, lambda: _mapped(workspace, ask, run))
    return answered(workspace, run, lambda it: _recalled(it, ask, also))


def _recalled(it: Ready, ask: Ask, also: Also) -> Brief:
    return recall(it.snapshot, ask, (*it.warnings, *also.warnings), also.told)


def _recalled_at(workspace: Workspace, ask: Ask, run: Run) -> Brief:
    """The brief as it would have been at an earlier commit; nothing of it is kept."""
    from repomem.index.at_commit import snapshot_at
    from repomem.items.repository_map import map_brief

    workspace.refresh_store()
    found, warnings = snapshot_at(workspace, ask.at, run, is_indexed=ask.is_indexed)
    return recall(found, ask, warnings) if ask.text.strip() else map_brief(found, ask.budget, warnings, ask.kinds)


def search_now(
    workspace: Workspace, texts: list[str], scope: Scope, limit: int, run: Run
) -> tuple[list[list[Hit]], tuple[str, ...]]:
    """The best chunks for each question, and what the index lacks, in words."""

    def hits(it: Ready) -> tuple[list[list[Hit]], tuple[str, ...]]:
        return [list(search(it.snapshot, text, scope, limit)) for text in texts], it.warnings

    return answered(workspace, run, hits)


def answered(workspace: Workspace, run: Run, answer: Callable[[Ready], Answer]) -> Answer:
    """What `answer` finds in the work tree, brought up to date; a damaged store is rebuilt on the way."""
    return _healed(workspace, run, lambda: _answer_or_what_is_missing(answer, ready(workspace, run)))


def _answer_or_what_is_missing(answer: Callable[[Ready], Answer], it: Ready) -> Answer:
    """The answer; that something is not found says what the index lacks: it may be there."""
    try:
        return answer(it)
    except NotFound as error:
        if not it.warnings:
            raise
        raise NotFound(error.message, "; ".join(filter(None, (*it.warnings, error.hint)))) from error


def _healed(workspace: Workspace, run: Run, answer: Callable[[], Answer]) -> Answer:
    """The answer; a store that turns out to be damaged while it is read is rebuilt, and asked once more."""
    try:
        return answer()
    except StoreDamaged as damage:
        if not _is_writable(workspace):
            raise
        from repomem.index.run import index

        workspace.discard(damage)
        workspace.notices.append(f"{damage.message}; it is rebuilt from git, nothing is lost")
        index(workspace, replace(run, deadline=float("inf")))
        return answer()


def _mapped(workspace: Workspace, ask: Ask, run: Run) -> Brief:
    """The map, made now; one that anybody will ask for again is kept."""
    from repomem.items.repository_map import map_brief

    told = stamp_here(workspace)
    it = ready(workspace, run)
    brief = map_brief(it.snapshot, ask.budget, it.warnings, ask.kinds)
    is_usual = ask.budget == workspace.loaded.config.recall.budget and not ask.kinds
    if is_usual and not it.warnings and _is_writable(workspace):
        keep_brief(workspace, brief_text(brief, told))
    return brief


def _is_writable(workspace: Workspace) -> bool:
    return os.access(workspace.folder, os.W_OK)


def _missing(report: IndexReport) -> Iterator[str]:
    """What the index lacks, in words."""
    if report.state == "waiting":
        yield "another index run is under way; this shows what was indexed before"
    if report.missing_files or report.missing_commits:
        parts = [f"{report.missing_files} files"] * bool(report.missing_files)
        parts += [f"{report.missing_commits} commits"] * bool(report.missing_commits)
        yield f"{' and '.join(parts)} are not indexed yet; they are being indexed now"
