"""The cached map: made when the worktree was indexed, stored in the catalog, printed at once.

What this module imports is all that such a recall costs: no parser, no ranking, no LanceDB.
"""

import json
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict
from typing import Any

from repomem.adapters.sqlite.catalog_rows import Worktree
from repomem.core.errors import StoreDamaged
from repomem.core.locks import write_lock
from repomem.core.types.brief import Brief, BriefItem, Gate, RepositoryState
from repomem.workspace.freshness import content_stamp, is_behind
from repomem.workspace.identity import state_of
from repomem.workspace.ledger import stamp_here
from repomem.workspace.workspace import Workspace


def kept_brief(workspace: Workspace, budget: int) -> Brief | None:
    """The cached brief, if nothing has changed since and the budget is the same.

    None in a damaged catalog too: who then makes the brief repairs it.
    """
    with suppress(StoreDamaged):
        known = workspace.catalog.worktree(workspace.root)
        if known is not None and has_brief(workspace, known) and not is_behind(workspace):
            brief = _brief_from(json.loads(known.brief)["brief"])
            return brief if brief.budget == budget else None
    return None


def stale_brief(workspace: Workspace) -> Brief | None:
    """The cached brief, even if outdated; None after redaction rules changed, since it may contain secrets."""
    with suppress(StoreDamaged):
        if workspace.catalog.meta("content") != content_stamp():
            return None
        known = workspace.catalog.worktree(workspace.root)
        return _brief_from(json.loads(known.brief)["brief"]) if known and known.brief else None
    return None


def has_brief(workspace: Workspace, known: Worktree) -> bool:
    """Whether the cached brief includes all memories."""
    return bool(known.brief) and json.loads(known.brief)["ledger"] == stamp_here(workspace)


def keep_brief(workspace: Workspace, text: str) -> None:
    """Cache the brief of the published state, as `brief_text` writes it."""
    if text:
        with write_lock(workspace.folder):
            workspace.catalog.set_brief(workspace.root, text)


def twin_brief(workspace: Workspace) -> str:
    """The cached brief of another worktree in the same state, under this one's name; empty if there is none."""
    from repomem.brief.render import reframed

    own = workspace.catalog.worktree(workspace.root)
    for other in workspace.catalog.worktrees():
        if own and other.root != own.root and has_brief(workspace, other) and _shown(own) == _shown(other):
            brief = reframed(_brief_from(json.loads(other.brief)["brief"]), state_of(workspace, own))
            return brief_text(brief, json.loads(other.brief)["ledger"]) if brief else ""
    return ""


def _shown(worktree: Worktree) -> tuple[str, str, str, list[str]]:
    """Everything that the map depends on, except the names in its first line."""
    return worktree.view, worktree.history, worktree.facts, json.loads(worktree.report).get("dirty", [])


def brief_text(brief: Brief, ledger: str) -> str:
    """A brief as stored in the catalog; `ledger` is the ledger's stamp from before it was made."""
    return json.dumps({"brief": asdict(brief), "ledger": ledger})


def _brief_from(values: Mapping[str, Any]) -> Brief:
    items = tuple(BriefItem(**{**item, "why": tuple(item["why"])}) for item in values["items"])
    omitted = tuple((kind, count) for kind, count in values["omitted"])
    gate, repository = Gate(**values["gate"]), RepositoryState(**values["repository"])
    return Brief(**{**values, "items": items, "omitted": omitted, "gate": gate, "repository": repository, "also": ()})
