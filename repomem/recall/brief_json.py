"""The brief as JSON: the contract `repomem.brief/1` that other programs read."""

from dataclasses import asdict
from typing import Any

from repomem.core.types.brief import Brief, BriefItem, RepositoryState

SCHEMA = "repomem.brief/1"


def brief_json(brief: Brief) -> dict[str, Any]:
    """The brief as plain values; fields that do not apply are absent, such as `also` without other repositories."""
    also = [{"name": each.name, "path": each.path, **_state(each)} for each in brief.also]
    return {
        "schema": SCHEMA,
        "repository": _state(brief.repository),
        **({"also": also} if also else {}),
        "query": brief.query,
        "budget": brief.budget,
        "tokens": brief.tokens,
        "gate": {"state": brief.gate.state, "why": brief.gate.why},
        "items": [_item(item) for item in brief.items],
        "omitted": dict(brief.omitted),
    }


def _state(repository: RepositoryState) -> dict[str, Any]:
    return {"id": repository.id, "head": repository.head, "branch": repository.branch, "dirty": repository.is_dirty}


def _item(item: BriefItem) -> dict[str, Any]:
    """An item; ledger items have their whole id, and as `short_id` the prefix that the brief prints."""
    fields = asdict(item)
    if whole := fields.pop("whole_id"):
        fields = {"kind": item.kind, "id": whole, "short_id": item.id} | {**fields, "id": whole}
    return {name: list(value) if isinstance(value, tuple) else value for name, value in fields.items() if value}
