"""Answers from a fresh index.

    catch up within a deadline -> snapshot and warnings -> recall, map, search or another question

A damaged store is rebuilt, and the question is answered again.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from typing import TypeVar

from repomem.brief.other_repositories import NO_OTHERS, OtherAnswers
from repomem.core.errors import GitTimeout, NotFound, StoreDamaged, StoreError
from repomem.core.types.brief import Brief
from repomem.core.types.indexed import Hit
from repomem.index.maintenance import index_in_background
from repomem.index.pending_runs import pending_root
from repomem.index.report import IndexReport, missing_parts
from repomem.recall.request import BriefRequest
from repomem.recall.search import search
from repomem.workspace.cached_brief import cache_brief, cached_brief
from repomem.workspace.freshness import is_behind, one_status
from repomem.workspace.ledger import stamp_here
from repomem.workspace.repairs import repaired
from repomem.workspace.run import Run
from repomem.workspace.snapshot import Scope, Snapshot, snapshot
from repomem.workspace.workspace import Workspace

Answer = TypeVar("Answer")
NO_STATUS = "git status took too long: uncommitted changes and commits since the last index run are not included"
CATCH_UP_SECONDS = 5.0  # the longest that an answer waits for the index; the rest is indexed in the background


@dataclass(frozen=True, slots=True)
class Ready:
    """A worktree ready to answer, and what its index lacks."""

    snapshot: Snapshot
    warnings: tuple[str, ...]


def recall_now(workspace: Workspace, ask: BriefRequest, run: Run, others: OtherAnswers = NO_OTHERS) -> Brief:
    """The brief for a task, or without one the map, which the last index run has cached."""
    with one_status(workspace):
        if not (ask.at or ask.kinds or ask.text.strip()) and (cached := ready_map(workspace, ask.budget)):
            return cached
        return repaired(workspace, lambda: _recalled(workspace, ask, run, others), lambda: _rebuild(workspace, run))


def ready_map(workspace: Workspace, budget: int) -> Brief | None:
    """The cached map, with memories written since; None if code has changed since it was cached."""
    with suppress(StoreDamaged, GitTimeout):  # who makes the map from the index repairs it, or says what it lacks
        if (cached := cached_brief(workspace, budget)) or is_behind(workspace):
            return cached
        from repomem.items.repository_map import map_after_ledger_write

        is_kept = workspace.is_writable and budget == workspace.loaded.config.recall.budget
        return map_after_ledger_write(workspace, budget, is_kept=is_kept)
    return None


def search_now(
    workspace: Workspace, texts: Sequence[str], scope: Scope, limit: int, run: Run
) -> tuple[list[list[Hit]], tuple[str, ...]]:
    """The best chunks for each question, and warnings about what is not indexed."""
    return answered(workspace, run, lambda now: [search(now, text, scope, limit) for text in texts])


def answered(workspace: Workspace, run: Run, question: Callable[[Snapshot], Answer]) -> tuple[Answer, tuple[str, ...]]:
    """The answer to a question from the fresh index, and warnings about what is not indexed."""

    def answer() -> tuple[Answer, tuple[str, ...]]:
        now = ready(workspace, run)
        with _gaps_in_hint(now.warnings):
            return question(now.snapshot), now.warnings

    with one_status(workspace):
        return repaired(workspace, answer, lambda: _rebuild(workspace, run))


def ready(workspace: Workspace, run: Run) -> Ready:
    """The published state, brought up to date as far as the run's deadline allows."""
    warnings = tuple(_warnings(workspace, run))
    now = snapshot(workspace)
    if now is None and warnings and workspace.is_writable:
        raise NotFound(
            "nothing is indexed here yet: the first index run is in progress", "repomem index --wait waits for it"
        )
    if now is None:
        raise NotFound("nothing is indexed here yet", "run repomem index where the git directory is writable")
    return Ready(now, warnings)


def _recalled(workspace: Workspace, ask: BriefRequest, run: Run, others: OtherAnswers) -> Brief:
    if ask.at:
        return _recalled_at(workspace, ask, run)
    if not ask.text.strip():
        return _mapped(workspace, ask, run)
    from repomem.recall.brief import recall  # a cached map, a search or one symbol needs none of it

    now = ready(workspace, run)
    with _gaps_in_hint(now.warnings):
        return recall(now.snapshot, ask, now.warnings, others)


def _recalled_at(workspace: Workspace, ask: BriefRequest, run: Run) -> Brief:
    """The brief as it would have been at an earlier commit; nothing of it is cached."""
    from repomem.index.at_commit import snapshot_at
    from repomem.items.repository_map import map_brief
    from repomem.recall.brief import recall

    workspace.refresh_store()
    then, warnings = snapshot_at(workspace, ask.at, run, is_indexed=ask.is_indexed)
    return recall(then, ask, warnings) if ask.text.strip() else map_brief(then, ask.budget, warnings, ask.kinds)


def _mapped(workspace: Workspace, ask: BriefRequest, run: Run) -> Brief:
    """The map, made now; cached if the next plain recall would ask for the same."""
    from repomem.items.repository_map import cached_map, map_brief

    stamp = stamp_here(workspace)
    now = ready(workspace, run)
    is_plain = ask.budget == workspace.loaded.config.recall.budget and not ask.kinds
    if not is_plain or now.warnings or not workspace.is_writable:
        return map_brief(now.snapshot, ask.budget, now.warnings, ask.kinds)
    brief, text = cached_map(now.snapshot, ask.budget, stamp)
    cache_brief(workspace, now.snapshot.worktree, text)
    return brief


@contextmanager
def _gaps_in_hint(warnings: Sequence[str]) -> Iterator[None]:
    """Add the unindexed parts to the hint of a NotFound: the item may be there."""
    try:
        yield
    except NotFound as error:
        raise NotFound(error.message, "; ".join(filter(None, (*warnings, error.hint)))) from error


def _caught_up(workspace: Workspace, run: Run) -> IndexReport:
    """Index changes as far as time allows; the rest is indexed in the background."""
    from repomem.index.run import index  # it imports the parsers, which an unchanged worktree does not need

    limited = replace(run, deadline=min(run.deadline, run.clock() + CATCH_UP_SECONDS))
    report = index(workspace, limited)
    while report.state == "waiting" and snapshot(workspace) is None and not limited.is_late:  # the first run of all
        report = index(workspace, limited)
    if report.state == "partial" or (report.state != "waiting" and pending_root(workspace)):
        index_in_background(workspace)
    return report


def _warnings(workspace: Workspace, run: Run) -> Iterator[str]:
    """What the index lacks after it was brought up to date as far as possible."""
    is_writable = workspace.is_writable
    try:
        is_old = is_behind(workspace)
    except GitTimeout:
        yield NO_STATUS
        if is_writable:
            index_in_background(workspace)
        return
    if not is_writable:
        if is_old:
            yield "the index is older than the worktree, and its folder is not writable"
    elif is_old or pending_root(workspace):
        try:
            report = _caught_up(workspace, run)
        except StoreError as error:  # such as a full disk; a damaged store is rebuilt by the caller
            if isinstance(error, StoreDamaged) or snapshot(workspace) is None:
                raise
            yield f"the index is older than the worktree: {error.message}"
        else:
            yield from _missing(report)


def _missing(report: IndexReport) -> Iterator[str]:
    """Warnings about what is not indexed."""
    if report.state == "waiting":
        yield "another index run is still in progress; this shows what was indexed before"
    if report.missing_files or report.missing_commits:
        parts = missing_parts(report.missing_files, report.missing_commits)
        yield f"{parts} not indexed yet; this continues in the background"


def _rebuild(workspace: Workspace, run: Run) -> None:
    """Rebuild from git the data that was set aside."""
    from repomem.index.run import index

    index(workspace, replace(run, deadline=float("inf")))
