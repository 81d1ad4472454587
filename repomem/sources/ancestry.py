"""Which commits are part of which histories, and which are the same change written anew."""

import os
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass

from repomem.core.errors import GitError
from repomem.sources.git import Repository

NAME_FORMAT = "%H%x00%P%x00%an%x00%at%x00%s"
NAME_FIELDS = 5
MOST_CANDIDATES = 500  # commits that are compared with one that vanished


@dataclass(frozen=True, slots=True)
class CommitName:
    """What stays of a commit when it is rebased, amended or picked: mostly its author and the time it was written."""

    commit: str
    parents: tuple[str, ...]
    author: str
    time: int  # the author's, seconds since 1970
    subject: str


def present(repository: Repository, commits: Collection[str]) -> set[str]:
    """Those of the commits whose objects are in this clone."""
    if not commits:
        return set()
    feed = "".join(f"{commit}\n" for commit in sorted(commits)).encode()
    answers = repository.read("cat-file", "--batch-check", feed=feed).decode().splitlines()
    return {name for name, kind, *_ in map(str.split, answers) if kind == "commit"}


def ancestors_among(repository: Repository, head: str | None, commits: Collection[str]) -> set[str]:
    """Those of the commits that `head` descends from, itself included."""
    here = present(repository, commits)
    if head is None or not here:
        return set()
    return here - _beyond(repository, here, [head])


def reachable_among(repository: Repository, commits: Collection[str]) -> set[str]:
    """Those of the commits that some branch, tag, remote branch or work tree still holds."""
    here = present(repository, commits)
    return here - _beyond(repository, here, [*_refs(repository), *worktree_heads(repository)]) if here else set()


def _refs(repository: Repository) -> list[str]:
    """What branches, tags and remote branches name, as far as it is or leads to a commit."""
    listed = repository.read("for-each-ref", "--format=%(objecttype) %(objectname) %(*objecttype) %(*objectname)")
    names = (line.split() for line in listed.decode().splitlines())
    return sorted({fields[-1] for fields in names if fields[-2] == "commit"})


def _beyond(repository: Repository, commits: Collection[str], tips: Iterable[str]) -> set[str]:
    """Commits that `commits` reach and `tips` do not, both included: one walk for all of them."""
    feed = "".join(f"{each}\n" for each in (*sorted(commits), *(f"^{tip}" for tip in tips))).encode()
    return set(repository.read("rev-list", "--stdin", feed=feed).decode().split())


def worktree_heads(repository: Repository) -> list[str]:
    """What each work tree of the clone has checked out."""
    listed = os.fsdecode(repository.read("worktree", "list", "--porcelain"))
    heads = {line.removeprefix("HEAD ") for line in listed.splitlines() if line.startswith("HEAD ")}
    return sorted(head for head in heads if head.strip("0"))


def count_between(repository: Repository, base: str, head: str) -> int:
    """How many commits `head` has on top of `base`."""
    return int(repository.read("rev-list", "--count", f"{base}..{head}"))


def fork_point(repository: Repository, commit: str, head: str) -> str:
    """The commit where two histories parted; empty where they never met."""
    try:
        return repository.read("merge-base", commit, head).decode().split()[0]
    except GitError:
        return ""


def names_between(repository: Repository, base: str, head: str) -> list[CommitName]:
    """The commits of `head` that `base` does not have, newest first, merges left out; at most MOST_CANDIDATES."""
    limits = [f"--max-count={MOST_CANDIDATES}", "--no-merges"]
    return list(_names(repository, [*limits, head, "--not", *([base] if base else [])]))


def names_of(repository: Repository, commits: Iterable[str]) -> list[CommitName]:
    """The names of these commits."""
    wanted = list(commits)
    return list(_names(repository, ["--no-walk=unsorted", *wanted])) if wanted else []


def dangling_after(repository: Repository, commit: str, head: str) -> list[str]:
    """Commits that descend from `commit`, `head` has not, and a branch or the memory of one still names, nearest first.

    The tip of a branch that was squashed is among them until git forgets it.
    """
    listed = repository.read("rev-list", "--all", "--reflog", "--parents", "--topo-order", "--reverse", "--not", head)
    below = {commit}
    found = [commit]
    for line in listed.decode().splitlines():
        name, *parents = line.split()
        if name not in below and not below.isdisjoint(parents):
            below.add(name)
            found.append(name)
    return found


def branches_with(repository: Repository, commit: str) -> list[str]:
    """The names of the local branches that hold a commit."""
    listed = repository.read("for-each-ref", "--format=%(refname:short)", f"--contains={commit}", "refs/heads")
    return os.fsdecode(listed).split()


def _names(repository: Repository, arguments: list[str]) -> Iterator[CommitName]:
    output = repository.read("log", "-z", "--no-color", f"--format={NAME_FORMAT}", *arguments, "--")
    fields = output.decode("utf-8", "replace").rstrip("\0").split("\0")
    for at in range(0, len(fields) - NAME_FIELDS + 1, NAME_FIELDS):
        commit, parents, author, time, subject = fields[at : at + NAME_FIELDS]
        yield CommitName(commit.strip(), tuple(parents.split()), author, int(time or 0), subject)
