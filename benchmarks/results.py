"""Figures to a JSON file under `results`, with the machine that they come from, and to a Markdown table."""

import json
import os
import platform
from collections.abc import Iterable, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

from benchmarks.inputs import git

RESULTS = Path(__file__).with_name("results")
LIBRARIES = ("lancedb", "tree-sitter", "numpy")


def machine() -> dict[str, Any]:
    """Where and with what was measured; the load says how far wall times can be trusted."""
    project = RESULTS.parent
    return {
        "repomem": git(project, "rev-parse", "HEAD").strip(),
        "has_local_changes": bool(git(project, "status", "--porcelain", "--untracked-files=no", ":/repomem").strip()),
        "python": platform.python_version(),
        "system": f"{platform.system()} {platform.machine()}",
        "processors": os.cpu_count(),
        "load": round(os.getloadavg()[0], 2),
        "libraries": {name: version(name) for name in LIBRARIES},
    }


def save(name: str, where: dict[str, Any], figures: dict[str, Any]) -> None:
    """Keep the raw figures; one line for each entry of a list, so that they can be read and compared."""
    RESULTS.mkdir(exist_ok=True)
    parts = [f"{json.dumps(key)}: {_entries(value)}" for key, value in {"machine": where, **figures}.items()]
    (RESULTS / f"{name}.json").write_text("{\n" + ",\n".join(parts) + "\n}\n", encoding="utf-8")


def _entries(value: Any) -> str:
    if not isinstance(value, list):
        return json.dumps(value)
    return "[\n" + ",\n".join(json.dumps(entry) for entry in value) + "\n]"


def table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A Markdown table; floats with three digits behind the point."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(map(_cell, line))} |" for line in lines)


def _cell(value: object) -> str:
    return f"{value:.3f}" if isinstance(value, float) else str(value)
