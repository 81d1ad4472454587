"""Ranges of commits: start, end and name of a change."""

import os
from dataclasses import dataclass

from repomem.adapters.git.ancestry import fork_point, ref_lines
from repomem.adapters.git.log import head_of, resolve
from repomem.adapters.git.repository import Repository
from repomem.core.errors import GitError, NotFound

DEFAULTS = ("refs/remotes/origin/HEAD", "refs/remotes/origin/main", "refs/remotes/origin/master")
BRANCHES = ("main", "master")  # of a clone without a remote


@dataclass(frozen=True, slots=True)
class Range:
    """A change from the commit `base` to `head`, with uncommitted changes if it `has_worktree`.

    `target` is the commit to merge into: with a named BASE that commit, of which `base` is the merge base.
    """

    base: str
    head: str
    target: str
    label: str
    has_worktree: bool


def range_of(repository: Repository, asked: str) -> Range:
    """The range of `BASE..HEAD`, `BASE...HEAD` or `BASE`; without a name, from the upstream branch to HEAD.

    It starts at the merge base, as in a review. Raises NotFound if a side names no commit, and GitError, with what to
    fetch, if the two have no common history.
    """
    if ".." not in asked:
        base = asked or _upstream(repository)
        head = _resolved(repository, "HEAD")
        has_worktree = not repository.is_bare
        beyond = ", with uncommitted changes" if has_worktree else ""
        label = f"{base}..HEAD{beyond}" if base else "uncommitted changes"
        return _between(repository, (base or "HEAD", head), label, has_worktree=has_worktree)
    left, _, right = asked.partition("...") if "..." in asked else asked.partition("..")
    return _between(repository, (left or "HEAD", _resolved(repository, right or "HEAD")), asked, has_worktree=False)


def commits_in(repository: Repository, span: Range) -> list[str]:
    """The commits of a range, newest first."""
    return repository.read("rev-list", span.head, f"^{span.target}").decode().split()


def _between(repository: Repository, sides: tuple[str, str], label: str, *, has_worktree: bool) -> Range:
    name, head = sides
    target = _resolved(repository, name)
    base = fork_point(repository, target, head)
    if not base:
        if repository.is_shallow:
            raise _too_shallow(f"the merge base of {name} and HEAD")
        raise GitError(f"{name} and HEAD have no common history", "choose a base that HEAD descends from")
    return Range(base, head, target, label, has_worktree)


def _resolved(repository: Repository, name: str) -> str:
    try:
        return resolve(repository, name)
    except NotFound as error:
        if repository.is_shallow:
            raise _too_shallow(f"the commit {name}") from error
        if "/" in name:
            raise NotFound(error.message, f"git fetch {name.partition('/')[0]}, or name another commit") from error
        raise


def _too_shallow(lacking: str) -> GitError:
    return GitError(
        f"this clone is shallow and lacks {lacking}",
        "git fetch --deepen=200, or git fetch --unshallow; in a CI job check out with fetch-depth: 0",
    )


def _upstream(repository: Repository) -> str:
    """The branch to merge into, as of the last fetch: its upstream, else the remote's default branch.

    Empty without one: then only uncommitted changes count.
    """
    branch = head_of(repository)[1]
    found = list(filter(None, ref_lines(repository, "%(upstream)", f"refs/heads/{branch}"))) if branch else []
    names = [*found, *DEFAULTS, *(f"refs/heads/{name}" for name in BRANCHES if name != branch)]
    known = dict(line.split(" ") for line in ref_lines(repository, "%(refname) %(symref)", *names))
    wanted = [known[name] or name for name in names if name in known]
    return wanted[0].removeprefix("refs/remotes/").removeprefix("refs/heads/") if wanted else ""


def renames_between(repository: Repository, base: str, head: str) -> dict[str, str]:
    """Each renamed path at `head`, or in the worktree if that is empty, to its old path."""
    arguments = ("--raw", "-z", "--no-abbrev", "-M", "--diff-filter=R", "--no-ext-diff", "--no-relative")
    fields = os.fsdecode(repository.read("diff", *arguments, base, *[head] * bool(head), "--")).split("\0")
    return dict(zip(fields[2::3], fields[1::3], strict=False))
