"""Which commits are reachable from which, and the merge bases of histories."""

import os
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path

from repomem.adapters.git.repository import Repository
from repomem.core.errors import GitError
from repomem.core.text.lazy_pattern import lazy_pattern

HOLDING = ("refs/heads", "refs/tags", "refs/remotes")  # without stashes, bisections and backups of rewrites
_HASH = lazy_pattern(r"[0-9a-f]{40}|[0-9a-f]{64}")
MOST_COMPARED = 8  # histories whose common start is looked for: each costs a walk


def present(repository: Repository, commits: Collection[str]) -> set[str]:
    """The commits whose objects are in this clone; names that are not full hashes are ignored as untrusted."""
    names = sorted(filter(_HASH.fullmatch, commits))
    if not names:
        return set()
    answers = repository.read("cat-file", "--batch-check", feed=names).decode().splitlines()
    return {name for name, kind, *_ in map(str.split, answers) if kind == "commit"}


def ancestors_among(repository: Repository, head: str | None, commits: Collection[str]) -> set[str]:
    """The given commits that are reachable from `head`, which counts as reachable."""
    return descended_among(repository, head, present(repository, commits)) if head else set()


def descended_among(repository: Repository, head: str, here: Collection[str]) -> set[str]:
    """As `ancestors_among`, for commits that are known to be in this clone."""
    return set(here) - _beyond(repository, here, [head]) if here else set()


def reachable_among(repository: Repository, commits: Collection[str]) -> set[str]:
    """The given commits that are reachable from a branch, tag, remote branch or worktree."""
    here = present(repository, commits)
    return here - _beyond(repository, here, tips(repository)) if here else set()


def reachable_from_tips(repository: Repository, commits: Collection[str], tips: Collection[str]) -> set[str]:
    """The given commits that are reachable from one of the tips, ignoring missing tips and commits."""
    here, starts = present(repository, commits), present(repository, tips)
    return here - _beyond(repository, here, starts) if here and starts else set()


def remote_tips(repository: Repository, remote: str, branches: Collection[str]) -> set[str]:
    """The commits that these branches of a remote named at the last fetch."""
    folder = f"refs/remotes/{remote}/"
    named = (line.split(" ", 1) for line in ref_lines(repository, "%(objectname) %(refname)", folder))
    return {commit for commit, name in named if name.removeprefix(folder) in branches}


def ref_lines(repository: Repository, form: str, *patterns: str) -> list[str]:
    """A line in this form for each ref that matches a pattern."""
    return os.fsdecode(repository.read("for-each-ref", f"--format={form}", *patterns)).splitlines()


def tips(repository: Repository) -> list[str]:
    """The commits that branches, tags, remote branches and worktrees name."""
    form = "%(objecttype) %(objectname) %(*objecttype) %(*objectname)"
    rows = (line.split() for line in ref_lines(repository, form, *HOLDING))
    return sorted({*(row[-1] for row in rows if row[-2] == "commit"), *worktree_heads(repository)})


def _beyond(repository: Repository, commits: Collection[str], tips: Iterable[str]) -> set[str]:
    """The commits reachable from `commits` but not from `tips`, in one walk."""
    feed = (*sorted(commits), *(f"^{tip}" for tip in tips))
    return set(repository.read("rev-list", "--stdin", feed=feed).decode().split())


def worktree_heads(repository: Repository) -> list[str]:
    """The checked-out commit of each worktree of the clone."""
    heads = {line.removeprefix("HEAD ") for line in _worktree_lines(repository) if line.startswith("HEAD ")}
    return sorted(head for head in heads if head.strip("0"))


def other_worktrees(repository: Repository) -> list[Path]:
    """The tops of the clone's other worktrees that exist."""
    lines = _worktree_lines(repository)
    tops = [Path(line.removeprefix("worktree ")) for line in lines if line.startswith("worktree ")]
    return [top for top in tops if top != repository.top and (top / ".git").exists()]  # a bare one has none


def _worktree_lines(repository: Repository) -> list[str]:
    return os.fsdecode(repository.read("worktree", "list", "--porcelain")).splitlines()


def fork_point(repository: Repository, commit: str, head: str) -> str:
    """The merge base of two commits; empty without one."""
    try:
        return repository.read("merge-base", commit, head).decode().split()[0]
    except GitError:
        return ""


def fork_points(repository: Repository, commits: Collection[str], head: str) -> dict[str, str]:
    """The merge base of each commit, which this clone has, with `head`; mostly in a single walk."""
    feed = (*sorted(commits), f"^{head}")
    parents = _parents(repository.read("rev-list", "--parents", "--stdin", feed=feed)) if commits else {}
    found = {}
    for commit in commits:
        met = _met(commit, parents)
        found[commit] = met[0] if len(met) == 1 else fork_point(repository, commit, head) if met else ""
    return found


def common_base(repository: Repository, commits: Collection[str]) -> str:
    """A commit that all of these descend from or are; empty without one, or if there are too many."""
    if len(commits) > MOST_COMPARED:
        return ""
    try:
        return repository.read("merge-base", "--octopus", *commits).decode().strip() if commits else ""
    except GitError:
        return ""


def _met(commit: str, parents: Mapping[str, tuple[str, ...]]) -> list[str]:
    """The commits at which a walk from `commit` leaves `parents`."""
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
    """Every known commit not reachable from `head`, with its parents, newest first.

    A commit is known if refs, reflogs, worktrees or `commits` reach it, such as the tip of a squashed and deleted
    branch until git deletes it.
    """
    feed = (*sorted(commits), f"^{head}")
    return _parents(repository.read("rev-list", "--all", "--reflog", "--parents", "--topo-order", "--stdin", feed=feed))


def _parents(listed: bytes) -> dict[str, tuple[str, ...]]:
    lines = (line.split() for line in listed.decode().splitlines())
    return {commit: tuple(parents) for commit, *parents in lines}
