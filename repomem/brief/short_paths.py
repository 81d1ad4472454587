"""Paths as short as they can be among those of a repository."""

from collections.abc import Collection, Iterable

ELLIPSIS = "…"  # for the first folders of a path


def shortest_paths(wanted: Iterable[str], paths: Iterable[str]) -> dict[str, str]:
    """Each wanted path as the shortest end of it that no other path has."""
    namesakes: dict[str, list[str]] = {path.rpartition("/")[2]: [] for path in wanted}
    for path in paths:
        if (name := path.rpartition("/")[2]) in namesakes:
            namesakes[name].append(path)
    return {path: shortest_path(path, namesakes[path.rpartition("/")[2]]) for path in wanted}


def shortest_path(path: str, others: Collection[str]) -> str:
    """The name of the file or, if another of `others` has it, as much of the end of its path as tells them apart.

    An ellipsis marks missing folders, so that the rest is not taken for a path from the root. A path that would lose
    only one folder is given whole.
    """
    parts = path.split("/")
    for count in range(1, max(len(parts) - 1, 2)):
        end = "/".join(parts[-count:])
        if not any(other != path and f"/{other}".endswith(f"/{end}") for other in others):
            return end if count == 1 else f"{ELLIPSIS}/{end}"
    return path
