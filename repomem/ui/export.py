"""The page as one file to send around: memories, repository, evaluation and health, read-only, with the scripts inside.

The file loads nothing: a policy in it allows only its own scripts and style, by their hashes. Texts are data of a JSON
block, never markup. It holds what the commands print, redacted, and no path of this machine.
"""

import base64
import hashlib
import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from repomem.core.errors import RepomemError
from repomem.core.files import replace_file
from repomem.core.text.escape import visible
from repomem.core.text.lazy_pattern import lazy_pattern
from repomem.memories.listing import MemoryFilter
from repomem.memories.memory_report import MemoryReport, memory_report
from repomem.memories.show import show_memories
from repomem.memories.snapshots.snapshot import memories_now
from repomem.setup.doctor import HealthCheck, health_checks
from repomem.ui.assets import LIBRARY, MODULES, STYLE, asset
from repomem.ui.pages.about import About, about
from repomem.ui.pages.evaluation import EvaluationPage, evaluation_page
from repomem.ui.pages.health import HealthPage, health_page
from repomem.ui.pages.memories import MemoryList, memory_list
from repomem.ui.pages.memory import MemoryPage, commits_of, page_of
from repomem.ui.pages.repository import RepositoryPage, repository_page
from repomem.ui.pages.rows import commit_rows
from repomem.ui.pages.sessions import recorded_sessions
from repomem.ui.pages.tree import TreeEntry, TreePage, tree_page
from repomem.ui.repository import json_text
from repomem.workspace.workspace import Workspace

LEVELS = (4, 3, 2)  # of folders in the treemap, the most that fit in MOST_ENTRIES
MOST_ENTRIES = 5_000  # of the treemap: a megabyte
SHORTEST_PATH = 4  # characters: replacing "/" would change every path
IMPORT = lazy_pattern(r"^import [^;]*;\n", re.MULTILINE)
EXPORT = lazy_pattern(r"^export ", re.MULTILINE)
PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>repomem</title>
<link rel="icon" href="data:,">
<style>{style}</style>
</head>
<body>
<div id="page"></div>
<noscript>This page needs JavaScript.</noscript>
<script type="application/json" id="report">{data}</script>
<script>{library}</script>
<script>{script}</script>
</body>
</html>
"""


@dataclass(frozen=True, slots=True)
class Report:
    """What the scripts of the page read from the file, by the names of the questions that they ask."""

    about: About
    memories: MemoryList
    pages: dict[str, MemoryPage]
    tree: TreePage
    repository: RepositoryPage
    evaluation: EvaluationPage
    health: HealthPage
    figures: MemoryReport
    checks: list[HealthCheck]


def export(workspace: Workspace, target: Path) -> int:
    """Write the file and give its size in bytes. Raises RepomemError if it cannot be written."""
    page = page_with(json_text(_report(workspace), _without_places(workspace))).encode()
    try:
        replace_file(target, page)
    except OSError as error:
        hint = "choose another file" if target.parent.is_dir() else f"the folder {target.parent} does not exist"
        raise RepomemError(f"cannot write {target}: {error.strerror}", hint) from error
    return len(page)


def page_with(data: str) -> str:
    """The page around a report in JSON."""
    style, library, script = asset(STYLE).decode(), asset(LIBRARY).decode(), one_script()
    policy = (
        f"default-src 'none'; script-src {_hash(library)} {_hash(script)}; style-src {_hash(style)}; "
        "img-src data:; base-uri 'none'; form-action 'none'"
    )
    inert = data.replace("&", r"\u0026").replace("<", r"\u003c").replace(">", r"\u003e")
    return PAGE.format(policy=policy, style=style, data=inert, library=library, script=script)


def one_script() -> str:
    """The modules of the page as one script, in a scope of their own."""
    texts = (EXPORT.sub("", IMPORT.sub("", asset(name).decode())) for name in MODULES)
    return '"use strict";\n(() => {\n' + "".join(texts) + "})();\n"


def _report(workspace: Workspace) -> Report:
    known, sessions = memories_now(workspace), recorded_sessions(workspace)
    shown = list(show_memories(known))
    rows = commit_rows(workspace, commits_of(shown))
    return Report(
        about(workspace, is_person=False),
        memory_list(workspace, "", MemoryFilter(has_hidden=True), 0, len(known.states)),
        {one.memory.id: page_of(known, one, sessions, rows) for one in shown},
        _tree(workspace),
        repository_page(workspace),
        evaluation_page(workspace),
        _without_folders(health_page(workspace)),
        memory_report(workspace),
        list(health_checks(workspace)),
    )


def _tree(workspace: Workspace) -> TreePage:
    pages = (tree_page(workspace, "", levels) for levels in LEVELS)
    return next((page for page in pages if _entries(page.folder) <= MOST_ENTRIES), tree_page(workspace, "", LEVELS[-1]))


def _entries(folder: TreeEntry) -> int:
    return 1 + sum(map(_entries, folder.entries))


def _without_folders(page: HealthPage) -> HealthPage:
    return replace(page, status=replace(page.status, root="", folder="", worktrees=()))


def _without_places(workspace: Workspace) -> Callable[[str], str]:
    """Makes texts visible, and replaces the folders of this machine in them."""
    repository = workspace.repository
    folders = [(str(repository.top or ""), "."), (str(repository.common_dir), ".git"), (str(Path.home()), "~")]
    known = [(folder, name) for folder, name in folders if len(folder) >= SHORTEST_PATH]

    def shown(text: str) -> str:
        for folder, name in known:
            text = text.replace(folder, name)
        return visible(text)

    return shown


def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
