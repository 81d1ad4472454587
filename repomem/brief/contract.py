"""The brief as JSON: the contract `repomem.brief/1` that other programs read."""

from dataclasses import asdict
from typing import Any

from repomem.core.types import Brief

SCHEMA = "repomem.brief/1"


def brief_json(brief: Brief) -> dict[str, Any]:
    """The brief as plain values; fields that do not apply are absent."""
    repository = brief.repository
    return {
        "schema": SCHEMA,
        "repository": {
            "id": repository.id,
            "head": repository.head,
            "branch": repository.branch,
            "dirty": repository.is_dirty,
        },
        "query": brief.query,
        "budget": brief.budget,
        "tokens": brief.tokens,
        "gate": {"state": brief.gate.state, "why": brief.gate.why},
        "items": [_present(asdict(item)) for item in brief.items],
        "omitted": dict(brief.omitted),
    }


def _present(fields: dict[str, Any]) -> dict[str, Any]:
    return {name: list(value) if isinstance(value, tuple) else value for name, value in fields.items() if value}
