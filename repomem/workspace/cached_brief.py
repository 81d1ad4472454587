"""The cached map: made when the worktree was indexed, stored in the catalog, printed at once.

Such a recall imports only this module: no parser, no ranking, no LanceDB. The cache also has the items that depend only
on the index: from them `items.repository_map` rebuilds the map after a ledger write.
"""

import json
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, fields
from typing import Any

from repomem.adapters.git.log import head_of
from repomem.adapters.sqlite.catalog_rows import Worktree
from repomem.brief.items import CandidateItem, Rendering
from repomem.brief.sections import Section
from repomem.core.errors import StoreDamaged
from repomem.core.processes.locks import write_lock
from repomem.core.types.brief import Brief, BriefItem, Gate, RepositoryState
from repomem.workspace.freshness import content_stamp, is_behind
from repomem.workspace.identity import state_of
from repomem.workspace.ledger import stamp_here
from repomem.workspace.workspace import Workspace

NEVER_CACHED: Mapping[str, tuple[()]] = {"also": (), "explained": ()}  # fields of briefs for tasks


@dataclass(frozen=True, slots=True)
class IndexedItems:
    """The parts of the map that depend only on the index: no ledger write changes them."""

    candidates: tuple[CandidateItem, ...]
    uncommitted: str  # the closing line about the worktree


def cached_brief(workspace: Workspace, budget: int) -> Brief | None:
    """The cached brief, if nothing has changed since and the budget is the same.

    None for a damaged catalog too: making a new brief then repairs it.
    """
    with suppress(StoreDamaged):
        known = workspace.catalog.worktree(workspace.root)
        if known is not None and has_brief(workspace, known) and not is_behind(workspace):
            brief = _brief_from(json.loads(known.brief)["brief"])
            return brief if brief.budget == budget else None
    return None


def outdated_brief(workspace: Workspace) -> Brief | None:
    """The cached brief, even if code has changed since; None if memories have, or others are visible at this head."""
    with suppress(StoreDamaged):
        known = _readable(workspace)
        if known is None or not has_brief(workspace, known) or _head_of(known) != head_of(workspace.repository):
            return None
        return _brief_from(json.loads(known.brief)["brief"])
    return None


def indexed_items(workspace: Workspace) -> tuple[Worktree, IndexedItems] | None:
    """The last indexed state and its items of the map, even if outdated; None if there are none."""
    with suppress(StoreDamaged):
        known = _readable(workspace)
        stored = json.loads(known.brief).get("indexed") if known and known.brief else None
        if known is not None and stored is not None:
            return known, IndexedItems(tuple(map(_candidate_from, stored["candidates"])), stored["uncommitted"])
    return None


def _readable(workspace: Workspace) -> Worktree | None:
    """The published worktree; None after redaction rules changed, since the cache may contain secrets."""
    is_clean = workspace.catalog.meta("content") == content_stamp()
    return workspace.catalog.worktree(workspace.root) if is_clean else None


def _head_of(known: Worktree) -> tuple[str | None, str | None]:
    report = json.loads(known.report)
    return report.get("head") or None, report.get("branch") or None


def has_brief(workspace: Workspace, known: Worktree) -> bool:
    """Whether the cached brief includes all memories, compared by all their vectors."""
    if not known.brief:
        return False
    stored = json.loads(known.brief)
    is_current: bool = stored["ledger"] == stamp_here(workspace)
    return is_current and stored.get("vectors") == workspace.catalog.memory_cache.count_all_vectors()


def cache_brief(workspace: Workspace, made_of: Worktree, text: str) -> None:
    """Cache the brief of a published state, as `brief_text` writes it, unless another state was published since.

    If the ledger has changed since, the brief is left out: purged memories must not be stored again.
    """
    if not text:
        return
    with write_lock(workspace.folder):
        stored = {**json.loads(text), "vectors": workspace.catalog.memory_cache.count_all_vectors()}
        if stored["ledger"] != stamp_here(workspace):
            stored["brief"] = None
        workspace.catalog.set_brief(made_of, json.dumps(stored))


def brief_of_equal_worktree(workspace: Workspace) -> str:
    """The cached brief of another worktree in the same state, under this one's name; empty if there is none."""
    from repomem.brief.render import reframed

    own = workspace.catalog.worktree(workspace.root)
    for other in workspace.catalog.worktrees():
        if own and other.root != own.root and has_brief(workspace, other) and _shown(own) == _shown(other):
            brief = reframed(_brief_from(json.loads(other.brief)["brief"]), state_of(workspace, own))
            return json.dumps({**json.loads(other.brief), "brief": asdict(brief)}) if brief else ""
    return ""


def _shown(worktree: Worktree) -> tuple[str, str, str, list[str]]:
    """Everything that the map depends on, except the names in its first line."""
    return worktree.view, worktree.history, worktree.facts, json.loads(worktree.report).get("dirty", [])


def brief_text(brief: Brief, ledger: str, indexed: IndexedItems) -> str:
    """A brief as stored in the catalog; `ledger` is the ledger's stamp from before it was made."""
    stored = {"candidates": [_stored(each) for each in indexed.candidates], "uncommitted": indexed.uncommitted}
    return json.dumps({"brief": asdict(brief), "ledger": ledger, "indexed": stored})


def _stored(candidate: CandidateItem) -> Mapping[str, Any]:
    renderings = [{"markdown": each.markdown, "item": asdict(each.item)} for each in candidate.renderings]
    return {**asdict(candidate), "sources": sorted(candidate.sources), "renderings": renderings}


def _candidate_from(values: Mapping[str, Any]) -> CandidateItem:
    renderings = tuple(Rendering(each["markdown"], _item_from(each["item"])) for each in values["renderings"])
    known = {
        each.name: values[each.name] for each in fields(CandidateItem) if each.name in values
    }  # an earlier version may have stored others
    special = {"section": Section(values["section"]), "renderings": renderings, "sources": frozenset(values["sources"])}
    return CandidateItem(**{**known, **special})


def _item_from(values: Mapping[str, Any]) -> BriefItem:
    return BriefItem(**{**values, "why": tuple(values["why"])})


def _brief_from(values: Mapping[str, Any]) -> Brief:
    items = tuple(map(_item_from, values["items"]))
    omitted = tuple((kind, count) for kind, count in values["omitted"])
    gate, repository = Gate(**values["gate"]), RepositoryState(**values["repository"])
    return Brief(
        **{**values, "items": items, "omitted": omitted, "gate": gate, "repository": repository, **NEVER_CACHED}
    )
