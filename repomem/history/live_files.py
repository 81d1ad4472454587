"""Where the files of past commits are today, and their lines.

Paths missing from the index are looked up in git's tree at HEAD: the index omits some files, and may be incomplete.
"""

from collections.abc import Iterable, Mapping
from contextlib import suppress

from repomem.adapters.git.file_history import blobs_at
from repomem.adapters.git.hunks import LINE_LENGTH
from repomem.adapters.git.objects import blob_sizes, blobs_of
from repomem.adapters.git.worktree import tracked
from repomem.adapters.languages.classify import text_of
from repomem.core.errors import GitError
from repomem.core.grouping import grouped_by
from repomem.workspace.cache import CacheKey
from repomem.workspace.snapshot import Snapshot

NAMESAKES = 5  # files of the same name that are searched for the lines of a moved file
LARGEST_FILE = 4 << 20  # bytes
AT_HEAD = CacheKey[Mapping[str, list[str]]]("files at the head by name")
BLOBS_AT_HEAD = CacheKey[dict[str, str]]("blobs at the head by path")


def live_paths_of(snapshot: Snapshot, paths: Iterable[str]) -> dict[str, list[str]]:
    """Each path to itself if it is live, else to the live files of the same name: it may have moved."""
    wanted = list(paths)
    live = set(existing(snapshot, wanted))
    by_name = _names_at_head(snapshot) if snapshot.lacks_files else snapshot.tree.by_name
    return {
        path: [path] if path in live else [*by_name.get(path.rpartition("/")[2], ())[:NAMESAKES]] for path in wanted
    }


def existing(snapshot: Snapshot, paths: Iterable[str]) -> list[str]:
    """Those of the paths that are indexed, or in git's tree at the head."""
    wanted = list(dict.fromkeys(paths))
    unknown = [path for path in wanted if path not in snapshot.tree.paths]
    blobs = dict(zip(unknown, _blobs(snapshot, unknown), strict=True))
    return [path for path in wanted if blobs.get(path, path)]


def live_text(snapshot: Snapshot, path: str) -> str | None:
    """A live file's text from the worktree, which is faster than the store, else as committed; None if unreadable."""
    data = snapshot.data(path, LARGEST_FILE)
    return committed_text(snapshot, path) if data is None else text_of(data)


def committed_text(snapshot: Snapshot, path: str) -> str | None:
    """A file's text at the head; None if it cannot be read."""
    return _text_of_blob(snapshot, _blobs(snapshot, [path])[0])


def text_at(snapshot: Snapshot, commit: str, path: str) -> str | None:
    """A file's text at a commit; None if it cannot be read."""
    return _text_of_blob(snapshot, blobs_at(snapshot.workspace.repository, [(commit, path)])[0])


def _text_of_blob(snapshot: Snapshot, blob: str) -> str | None:
    repository = snapshot.workspace.repository
    blobs = [blob] * bool(blob)
    small = [blob for blob, size in blob_sizes(repository, blobs).items() if size is not None and size <= LARGEST_FILE]
    return next((text_of(data) for _, data in blobs_of(repository, small)), None)


def live_lines(snapshot: Snapshot, path: str) -> tuple[str, ...] | None:
    """The stripped lines of a live file in order, cut as those of patches are; None if it cannot be read."""
    text = live_text(snapshot, path)
    return None if text is None else tuple(line.rstrip()[:LINE_LENGTH].strip() for line in text.split("\n"))


def _blobs(snapshot: Snapshot, paths: list[str]) -> list[str]:
    """The blob of each path at the head; empty if there is none."""
    if snapshot.past:
        return [snapshot.past.blobs.get(path, "") for path in paths]
    known = snapshot.workspace.cache.get(BLOBS_AT_HEAD, snapshot.head, dict)
    unknown = [path for path in paths if path not in known]
    with suppress(GitError):  # a shallow or pruned clone
        if snapshot.head and unknown:
            places = [(snapshot.head, path) for path in unknown]
            known |= zip(unknown, blobs_at(snapshot.workspace.repository, places), strict=True)
    return [known.get(path, "") for path in paths]


def _names_at_head(snapshot: Snapshot) -> Mapping[str, list[str]]:
    """The paths at the head by the name of the file."""
    head = snapshot.head

    def read() -> dict[str, list[str]]:
        files = tracked(snapshot.workspace.repository, head) if head else ()
        return grouped_by((file.path for file in files), lambda path: path.rpartition("/")[2])

    return snapshot.workspace.cache.get(AT_HEAD, head, read)
