"""Answers from a fresh index: catch up within a deadline, say what is missing, then search or recall."""

import json
import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any, TypeVar

from repomem.brief import contract
from repomem.core.errors import NotFound, StoreDamaged
from repomem.core.types import Brief, BriefItem, Gate, Hit, RepositoryState
from repomem.operations.index import IndexReport, fingerprint, index
from repomem.operations.maintenance import index_behind_its_back
from repomem.operations.map import map_brief
from repomem.operations.reading import Scope, Snapshot, snapshot
from repomem.operations.recall import Ask, recall
from repomem.operations.run import Run
from repomem.operations.search import search
from repomem.operations.waiting import waiting_root
from repomem.operations.workspace import Workspace
from repomem.sources.worktree import status

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
    if _is_writable(workspace):
        report = index(workspace, replace(run, deadline=run.clock() + CATCH_UP_SECONDS, make_brief=None))
        warnings += _missing(report)
        if report.state == "partial" or (report.state != "waiting" and waiting_root(workspace)):
            index_behind_its_back(workspace)
    elif _is_behind(workspace):
        warnings.append("the index is older than the work tree and cannot be written from here")
    found = snapshot(workspace)
    if found is None:
        raise NotFound("nothing is indexed here yet", "run repomem index where the git directory can be written")
    return Ready(found, tuple(warnings))


def recall_now(workspace: Workspace, ask: Ask, run: Run) -> Brief:
    """The brief for a task, or without one the map; the map of an unchanged work tree was made by the last index."""
    if not ask.text.strip():
        return _healed(
            workspace, run, lambda: _cached(workspace, ask.budget) or _mapped(ready(workspace, run), ask.budget)
        )

    def asked() -> Brief:
        it = ready(workspace, run)
        return recall(it.snapshot, ask, it.warnings)

    return _healed(workspace, run, asked)


def search_now(workspace: Workspace, texts: list[str], scope: Scope, limit: int, run: Run) -> list[list[Hit]]:
    """The best chunks for each question."""

    def asked() -> list[list[Hit]]:
        it = ready(workspace, run)
        return [list(search(it.snapshot, text, scope, limit)) for text in texts]

    return _healed(workspace, run, asked)


def made_brief(workspace: Workspace) -> str:
    """The brief without a query as the catalog keeps it; for `Run.make_brief`."""
    found = snapshot(workspace)
    return json.dumps(asdict(map_brief(found, workspace.loaded.config.recall.budget))) if found else ""


def _healed(workspace: Workspace, run: Run, answer: Callable[[], Answer]) -> Answer:
    """The answer; a store that turns out to be damaged while it is read is rebuilt, and asked once more."""
    try:
        return answer()
    except StoreDamaged as damage:
        if not _is_writable(workspace):
            raise
        workspace.notices.append(f"{damage.message}; it is rebuilt from git, nothing is lost")
        index(workspace, replace(run, deadline=float("inf")), rebuild=True)
        return answer()


def _mapped(it: Ready, budget: int) -> Brief:
    return map_brief(it.snapshot, budget, it.warnings)


def _is_writable(workspace: Workspace) -> bool:
    return os.access(workspace.folder, os.W_OK)


def _is_behind(workspace: Workspace) -> bool:
    known = workspace.catalog.worktree(workspace.root)
    return known is None or known.fingerprint != fingerprint(workspace, status(workspace.repository))


def _missing(report: IndexReport) -> Iterator[str]:
    """What the index lacks, in words."""
    if report.state == "waiting":
        yield "another index run is under way; this shows what was indexed before"
    if report.missing_files or report.missing_commits:
        parts = [f"{report.missing_files} files"] * bool(report.missing_files)
        parts += [f"{report.missing_commits} commits"] * bool(report.missing_commits)
        yield f"{' and '.join(parts)} are not indexed yet; they are being indexed now"


def _cached(workspace: Workspace, budget: int) -> Brief | None:
    """The map that the last index made, if nothing has changed since and it was made for this budget."""
    known = workspace.catalog.worktree(workspace.root)
    if known is None or not known.brief or _is_behind(workspace):
        return None
    brief = brief_from(json.loads(known.brief))
    return brief if brief.budget == budget else None


def brief_json(brief: Brief) -> dict[str, Any]:
    """The brief as plain values, by the contract `repomem.brief/1`."""
    return contract.brief_json(brief)


def brief_from(values: Mapping[str, Any]) -> Brief:
    """A brief from what `dataclasses.asdict` made of it, and JSON kept."""
    items = tuple(BriefItem(**{**item, "why": tuple(item["why"])}) for item in values["items"])
    return Brief(
        repository=RepositoryState(**values["repository"]),
        query=values["query"],
        budget=values["budget"],
        tokens=values["tokens"],
        gate=Gate(**values["gate"]),
        items=items,
        omitted=tuple((kind, count) for kind, count in values["omitted"]),
        markdown=values["markdown"],
    )
