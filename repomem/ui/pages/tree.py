"""The files of a repository as a treemap: one folder at a time, small entries summed up."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass

from repomem.core.text.escape import visible_path
from repomem.items.repository_map import recent_history
from repomem.recall.answer import ready
from repomem.workspace.cache import CacheKey
from repomem.workspace.run import Run
from repomem.workspace.snapshot import Snapshot
from repomem.workspace.workspace import Workspace

MOST_ENTRIES = 60  # drawn in a folder; the rest is one entry
REST = "…"


@dataclass(frozen=True, slots=True)
class TreeEntry:
    """A file, a folder with all below it, or the sum of the smallest entries."""

    name: str
    path: str  # empty for the sum of the smallest entries
    size: int  # bytes
    files: int
    changes: int  # of its files, in the last year
    is_folder: bool
    entries: tuple["TreeEntry", ...] = ()


@dataclass(frozen=True, slots=True)
class TreePage:
    """A folder with its entries."""

    path: str
    since: str  # YYYY-MM-DD: changes are counted from here
    folder: TreeEntry


@dataclass(frozen=True, slots=True)
class TreeFile:
    """The size of a file in bytes, and its changes in the last year."""

    size: int
    changes: int


def tree_page(workspace: Workspace, path: str, levels: int = 2) -> TreePage:
    """A folder with so many levels of entries, from a fresh index; empty for one that does not exist."""
    files, since = _files(ready(workspace, Run()).snapshot)
    folder = path.strip("/")
    return TreePage(visible_path(folder), since, folder_entry(files, folder, levels))


FILES = CacheKey[tuple[Mapping[str, TreeFile], str]]("files of the treemap")


def _files(now: Snapshot) -> tuple[Mapping[str, TreeFile], str]:
    """Every live file by its path."""

    def read() -> tuple[Mapping[str, TreeFile], str]:
        recent = recent_history(now)
        versions = now.tree.versions.items()
        return {path: TreeFile(each.bytes, recent.changes.get(path, 0)) for path, each in versions}, recent.since

    return now.workspace.cache.get(FILES, (now.worktree.view, now.worktree.history), read)


def folder_entry(files: Mapping[str, TreeFile], folder: str, levels: int) -> TreeEntry:
    """A folder with its entries, largest first."""
    prefix = f"{folder}/" if folder else ""
    here = {path.removeprefix(prefix): each for path, each in files.items() if path.startswith(prefix)}
    return _entry(folder.rpartition("/")[2], folder, here, levels)


def _entry(name: str, path: str, files: Mapping[str, TreeFile], levels: int) -> TreeEntry:
    """A folder with `files` by their paths within it."""
    children: dict[str, dict[str, TreeFile]] = defaultdict(dict)
    for inner, each in files.items() if levels else ():
        first, slash, rest = inner.partition("/")
        children[first + slash][rest] = each
    found = [_child(path, child, below, levels - 1) for child, below in children.items()]
    found.sort(key=lambda entry: (-entry.size, entry.name))
    entries = found if len(found) <= MOST_ENTRIES else [*found[: MOST_ENTRIES - 1], _rest(found[MOST_ENTRIES - 1 :])]
    return TreeEntry(
        visible_path(name),
        visible_path(path),
        sum(each.size for each in files.values()),
        len(files),
        sum(each.changes for each in files.values()),
        is_folder=True,
        entries=tuple(entries),
    )


def _child(path: str, child: str, below: Mapping[str, TreeFile], levels: int) -> TreeEntry:
    while child.endswith("/") and (only := _only_folder(below)):
        child, below = child + only, {inner.removeprefix(only): each for inner, each in below.items()}
    name = child.removesuffix("/")
    whole = f"{path}/{name}" if path else name
    if child.endswith("/"):
        return _entry(name, whole, below, levels)
    one = below[""]
    return TreeEntry(visible_path(name), visible_path(whole), one.size, 1, one.changes, is_folder=False)


def _only_folder(below: Mapping[str, TreeFile]) -> str:
    """The folder that holds all of these files, with a slash; empty if there are several, or files beside it."""
    first, slash, _ = next(iter(below)).partition("/")
    only = first + slash
    return only if slash and all(inner.startswith(only) for inner in below) else ""


def _rest(entries: list[TreeEntry]) -> TreeEntry:
    return TreeEntry(
        f"{REST} {len(entries)} more",
        "",
        sum(each.size for each in entries),
        sum(each.files for each in entries),
        sum(each.changes for each in entries),
        is_folder=False,
    )
