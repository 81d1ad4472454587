"""The sample repositories with a history of a few commits each, and the verbs as an interface calls them."""

import os
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from repomem.core.options import OPTIONS
from repomem.core.types.brief import Brief
from repomem.core.types.indexed import Hit
from repomem.index.report import IndexReport
from repomem.index.run import index
from repomem.recall.answer import Ready, ready, recall_now, search_now
from repomem.recall.request import BriefRequest
from repomem.workspace.run import Run
from repomem.workspace.snapshot import EVERYWHERE, Scope
from repomem.workspace.workspace import Workspace, opened
from support.repositories import Commit

ROOT = Path(__file__).parents[2]
SAMPLES = ROOT / "fixtures" / "repositories"
NAMES = ("courier", "ledgerly", "tidepool")
BUDGET = 1500


def sample(name: str) -> dict[str, str]:
    """Path to text of a sample repository."""
    root = SAMPLES / name
    return {path.relative_to(root).as_posix(): path.read_text() for path in sorted(root.rglob("*")) if path.is_file()}


def history(name: str) -> list[Commit]:
    """How the sample came about."""
    return {"ledgerly": _ledgerly, "courier": _courier, "tidepool": _tidepool}[name](sample(name))


def _ledgerly(files: dict[str, str]) -> list[Commit]:
    money = "src/ledgerly/money.py"
    loose = files[money].replace("    if len(rest) > digits:\n", "    if False:\n")
    first = {path: text for path, text in files.items() if not path.startswith("tests/")}
    return [
        Commit({**first, "src/ledgerly/currency.py": loose, money: None}, "feat: read and balance journals"),
        Commit(
            {money: loose, "src/ledgerly/currency.py": None},
            "refactor: call the module money\n\nAmounts are more than their currency.",
        ),
        Commit(
            {money: files[money], "tests/test_parser.py": files["tests/test_parser.py"]},
            "fix: refuse an amount with too many digits (#12)\n\nIt was rounded, and the journal did not balance.",
        ),
    ]


def _courier(files: dict[str, str]) -> list[Commit]:
    retry = "src/retry.ts"
    forever = files[retry] + "\nexport const retryForever = (status: number): boolean => status !== 410;\n"
    undone = 'Revert "feat: try a delivery for ever"\n\nThis reverts commit {}.'
    return [
        Commit(files, "feat: deliver webhooks"),
        Commit({retry: forever}, "feat: try a delivery for ever"),
        Commit({retry: files[retry]}, undone),
    ]


def _tidepool(files: dict[str, str]) -> list[Commit]:
    report = "internal/report/report.go"
    first = {path: text for path, text in files.items() if path != report}
    return [
        Commit(first, "Predict tides from harmonic constants"),
        Commit({report: files[report]}, "Print high and low waters\n\nOne line for each turn of the tide."),
    ]


@contextmanager
def workspace_at(folder: Path, overrides: Mapping[str, object] | None = None) -> Iterator[Workspace]:
    """The workspace of a folder."""
    with opened(folder, with_options(overrides or {})) as workspace:
        yield workspace


def with_options(options: Mapping[str, object]) -> dict[str, str]:
    """The environment, with these options by "section.key" as variables."""
    by_name = {option.name: option.variable for option in OPTIONS}
    texts = {
        by_name[name]: ",".join(value) if isinstance(value, list | tuple) else str(value)
        for name, value in options.items()
    }
    return {**os.environ, **texts}


@contextmanager
def ready_at(folder: Path) -> Iterator[Ready]:
    """The worktree of a folder, brought up to date."""
    with workspace_at(folder) as workspace:
        yield ready(workspace, Run())


def indexed(folder: Path, overrides: Mapping[str, object] | None = None) -> IndexReport:
    """One index run."""
    with workspace_at(folder, overrides) as workspace:
        return index(workspace, Run())


def recalled(folder: Path, text: str = "", budget: int = BUDGET, scope: Scope = EVERYWHERE) -> Brief:
    """The brief for a task, or the map."""
    with workspace_at(folder) as workspace:
        return recall_now(workspace, BriefRequest(text, budget, scope), Run())


def searched(folder: Path, text: str, limit: int = 5, scope: Scope = EVERYWHERE) -> list[Hit]:
    """The hits of a search."""
    with workspace_at(folder) as workspace:
        [hits], _ = search_now(workspace, [text], scope, limit, Run())
        return hits


def found(folder: Path, text: str, limit: int = 5, scope: Scope = EVERYWHERE) -> list[tuple[str, str]]:
    """Path and symbol of the hits of a search."""
    return [(hit.file.path, hit.chunk.symbol) for hit in searched(folder, text, limit, scope)]


def without_hashes(markdown: str) -> str:
    """A brief whose commits are called HASH."""
    return re.sub(r"\b[0-9a-f]{8}\b", "HASH", markdown)
