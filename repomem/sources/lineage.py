"""What one file was at each commit that touched it, and what else such a commit changed."""

import os
from collections.abc import Sequence
from dataclasses import dataclass

from repomem.core.types import FileChange
from repomem.sources.git import Repository

MOST_STEPS = 300  # commits of one file that are looked at; a file that changed more often is followed no further


@dataclass(frozen=True, slots=True)
class Step:
    """A commit, and the blob that a path had then; empty where it was not there."""

    commit: str
    blob: str


@dataclass(frozen=True, slots=True)
class Change:
    """One file that a commit changed, with its new bytes' blob; empty where it was deleted."""

    file: FileChange
    blob: str


def steps(repository: Repository, path: str, base: str, head: str) -> list[Step]:
    """The commits of `head` beyond `base` that touched a path, oldest first, with what it was then."""
    listed = repository.read("rev-list", "--reverse", "--topo-order", head, *_without(base), "--", _literal(path))
    commits = listed.decode().split()[:MOST_STEPS]
    blobs = blobs_at(repository, [(commit, path) for commit in commits])
    return [Step(commit, blob) for commit, blob in zip(commits, blobs, strict=True)]


def blobs_at(repository: Repository, places: Sequence[tuple[str, str]]) -> list[str]:
    """The blob of each (commit, path); empty where there is none."""
    askable = [(commit, path) for commit, path in places if "\n" not in path]
    if not askable:
        return [""] * len(places)
    feed = b"".join(b"%s:%s\n" % (commit.encode(), os.fsencode(path)) for commit, path in askable)
    answers = repository.read("cat-file", "--batch-check=%(objectname) %(objecttype)", feed=feed).splitlines()
    blobs = (answer.split()[0].decode() if answer.endswith(b" blob") else "" for answer in answers)
    known = dict(zip(askable, blobs, strict=True))
    return [known.get(place, "") for place in places]


def changes(repository: Repository, commit: str) -> list[Change]:
    """The files that a commit changed against its first parent, renames followed."""
    arguments = [
        "diff-tree",
        "-r",
        "-z",
        "--raw",
        "--no-abbrev",
        "-M",
        "--no-commit-id",
        "--root",
        "-m",
        "--first-parent",
    ]
    fields = iter(repository.read(*arguments, commit).split(b"\0"))
    found = []
    for facts in fields:
        if facts.startswith(b":"):
            _, _, _, blob, status = facts.decode().split(" ")
            old = os.fsdecode(next(fields))
            path = os.fsdecode(next(fields)) if status[0] in "RC" else old
            file = FileChange(status[0], path, old if status[0] in "RC" else "")
            found.append(Change(file, "" if status[0] == "D" else blob))
    return found


def _without(base: str) -> list[str]:
    return ["--not", base] if base else []


def _literal(path: str) -> str:
    return f":(top,literal){path}"
