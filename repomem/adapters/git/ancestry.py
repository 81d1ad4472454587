"""Which commits are part of which histories, and where histories parted."""

import os
import re
from collections.abc import Collection, Iterable, Mapping

from repomem.adapters.git.repository import Repository
from repomem.core.errors import GitError

HOLDING = ("refs/heads", "refs/tags", "refs/remotes")  # a stash, a bisection or a backup of a rewrite is no branch
_HASH = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")
MOST_COMPARED = 8  # histories whose common start is looked for: each costs a walk


def present(repository: Repository, commits: Collection[str]) -> set[str]:
    """Those of the commits whose objects are in this clone. What is no whole hash is none: others may have said it."""
    names = sorted(filter(_HASH.fullmatch, commits))
    if not names:
        return set()
    feed = "".join(f"{name}\n" for name in names).encode()
    answers = repository.read("cat-file", "--batch-check", feed=feed).decode().splitlines()
    return {name for name, kind, *_ in map(str.split, answers) if kind == "commit"}


def ancestors_among(repository: Repository, head: str | None, commits: Collection[str]) -> set[str]:
    """Those of the commits that `head` descends from, itself included."""
    return descended_among(repository, head, present(repository, commits)) if head else set()


def descended_among(repository: Repository, head: str, here: Collection[str]) -> set[str]:
    """The same of commits that are known to be in this clone."""
    return set(here) - _beyond(repository, here, [head]) if here else set()


def reachable_among(repository: Repository, commits: Collection[str]) -> set[str]:
    """Those of the commits that some branch, tag, remote branch or work tree still holds."""
    here = present(repository, commits)
    return here - _beyond(repository, here, tips(repository)) if here else set()


def held_among(repository: Repository, commits: Collection[str], tips: Collection[str]) -> set[str]:
    """Those of the commits that one of the tips leads to, as far as tips and commits are in this clone."""
    here, starts = present(repository, commits), present(repository, tips)
    return here - _beyond(repository, here, starts) if here and starts else set()


def remote_tips(repository: Repository, remote: str, branches: Collection[str]) -> set[str]:
    """What these branches of a remote named when it was fetched last."""
    folder = f"refs/remotes/{remote}/"
    listed = os.fsdecode(repository.read("for-each-ref", "--format=%(objectname) %(refname)", folder)).splitlines()
    named = (line.split(" ", 1) for line in listed)
    return {commit for commit, name in named if name.removeprefix(folder) in branches}


def tips(repository: Repository) -> list[str]:
    """The commits that branches, tags, remote branches and work trees name."""
    return sorted({*_refs(repository), *worktree_heads(repository)})


def _refs(repository: Repository) -> list[str]:
    """What branches, tags and remote branches name, as far as it is or leads to a commit."""
    fields = "--format=%(objecttype) %(objectname) %(*objecttype) %(*objectname)"
    listed = repository.read("for-each-ref", fields, *HOLDING)
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


def fork_point(repository: Repository, commit: str, head: str) -> str:
    """The commit where two histories parted; empty where they never met."""
    try:
        return repository.read("merge-base", commit, head).decode().split()[0]
    except GitError:
        return ""


def fork_points(repository: Repository, commits: Collection[str], head: str) -> dict[str, str]:
    """Where the history of each commit, which this clone has, parted from that of `head`: mostly by a single walk."""
    feed = "".join(f"{each}\n" for each in (*sorted(commits), f"^{head}")).encode()
    parents = _parents(repository.read("rev-list", "--parents", "--stdin", feed=feed)) if commits else {}
    found = {}
    for commit in commits:
        met = _met(commit, parents)
        found[commit] = met[0] if len(met) == 1 else fork_point(repository, commit, head) if met else ""
    return found


def common_base(repository: Repository, commits: Collection[str]) -> str:
    """A commit that all of these descend from, themselves included; empty where there is none, or they are many."""
    if len(commits) > MOST_COMPARED:
        return ""
    try:
        return repository.read("merge-base", "--octopus", *commits).decode().strip() if commits else ""
    except GitError:
        return ""


def _met(commit: str, parents: Mapping[str, tuple[str, ...]]) -> list[str]:
    """The commits at which a walk down from `commit` leaves `parents`."""
    waiting, known, met = [commit], {commit}, []
    while waiting:
        name = waiting.pop()
        if name not in parents:
            met.append(name)
        later = [each for each in parents.get(name, ()) if each not in known]
        known.update(later)
        waiting += later
    return met


def known_beyond(repository: Repository, commits: Collection[str], head: str) -> dict[str, tuple[str, ...]]:
    """Every commit that `head` does not have, with its parents, newest first: all that a ref, the memory of one, a
    work tree or one of `commits` leads to.

    The tip of a branch that was squashed and deleted is among them until git forgets it.
    """
    feed = "".join(f"{each}\n" for each in (*sorted(commits), f"^{head}")).encode()
    return _parents(repository.read("rev-list", "--all", "--reflog", "--parents", "--topo-order", "--stdin", feed=feed))


def _parents(listed: bytes) -> dict[str, tuple[str, ...]]:
    lines = (line.split() for line in listed.decode().splitlines())
    return {commit: tuple(parents) for commit, *parents in lines}
