"""The branches of a clone, and their reflogs."""

import os
from collections.abc import Sequence
from dataclasses import dataclass

from repomem.adapters.git.ancestry import ancestors_among, ref_lines
from repomem.adapters.git.repository import Repository
from repomem.core.errors import GitError

TRUNKS = ("main", "master", "trunk", "develop")  # besides the remote's default branch and git's own setting
ORIGIN_HEAD = "refs/remotes/origin/HEAD"
MOST_ENTRIES = 2_000  # of one log; git drops entries after 90 days
COMMITTED = ("commit", "cherry-pick", "revert", "am")  # how the entry of a new commit starts
_CREATED = "branch: Created from "


@dataclass(frozen=True, slots=True)
class LogEntry:
    """One change of a ref in this clone."""

    commit: str
    before: str  # the commit before; empty if the log does not say
    at: int  # Unix time, by the clock of the committer
    what: str  # "commit: …", "checkout: moving from … to …", "branch: Created from …"

    @property
    def is_commit(self) -> bool:
        return self.what.startswith(COMMITTED)


def log_of(repository: Repository, ref: str) -> list[LogEntry]:
    """The changes of a ref that this clone recorded, oldest first; empty without a log."""
    fields = "--format=%H%x00%gd%x00%gs"
    try:
        listed = repository.read(
            "log", "--walk-reflogs", "--date=unix", f"--max-count={MOST_ENTRIES}", fields, ref, "--"
        )
    except GitError:  # no such ref, or no log of it
        return []
    rows = [line.split("\0", 2) for line in os.fsdecode(listed).splitlines() if line.count("\0") >= 2]
    rows.reverse()
    before = ["", *(row[0] for row in rows)]
    return [
        LogEntry(commit, old, int(when) if (when := place.rpartition("@{")[2].rstrip("}")).isdigit() else 0, what)
        for (commit, place, what), old in zip(rows, before, strict=False)
    ]


@dataclass(frozen=True, slots=True)
class OpenBranch:
    """A branch with commits that are not in the current history."""

    name: str  # as git abbreviates it: `fix`, `origin/fix`
    commit: str
    author: str  # of its last commit
    date: str  # of its last commit, YYYY-MM-DD


def open_branches(repository: Repository, head: str, most: int) -> list[OpenBranch]:
    """The branches, here and on remotes, that are not merged into `head`, the last changed first.

    Of several names for one commit, the first by name counts.
    """
    fields = "%(objectname)%00%(refname:short)%00%(authorname)%00%(committerdate:short)%00%(symref)"
    order = ("--sort=refname", "--sort=-committerdate")
    listed = repository.read(
        *("for-each-ref", f"--format={fields}", *order, f"--no-merged={head}", "refs/heads", "refs/remotes")
    )
    found: dict[str, OpenBranch] = {}
    for line in listed.decode("utf-8", "replace").splitlines():
        commit, name, author, date, symref = line.split("\0")
        if not symref and len(found) < most:
            found.setdefault(commit, OpenBranch(name, commit, author, date))
    return list(found.values())


def tip_of(repository: Repository, branch: str) -> str:
    """The commit of a local branch, else of the remote's branch; empty if there is neither."""
    return next((commit for commit, _ in _refs(repository, f"refs/heads/{branch}", f"refs/remotes/*/{branch}")), "")


def is_new_branch(repository: Repository, branch: str, head: str) -> bool:
    """Whether a branch other than the main one has no new commit: its `head` is the one it was created at."""
    if not branch:
        return False
    trunks = _trunks(repository)
    if branch in {name for _, name in trunks}:
        return False
    log = log_of(repository, f"refs/heads/{branch}")
    if log and _is_created(log, branch) and {each.commit for each in log} == {head}:
        return True
    return any(ancestors_among(repository, tip, {head}) for tip in sorted({tip for tip, _ in trunks}))


def _is_created(log: Sequence[LogEntry], branch: str) -> bool:
    """Whether it was created here, and not as a copy of the remote's branch."""
    return log[0].what.startswith(_CREATED) and not log[0].what.endswith(f"/{branch}")


def _trunks(repository: Repository) -> list[tuple[str, str]]:
    """The tips of the main branch, here and on the remote, with its name."""
    names = {*TRUNKS, repository.settings.get("init.defaultbranch", "")} - {""}
    default = "".join(ref_lines(repository, "%(symref)", ORIGIN_HEAD)).removeprefix("refs/remotes/origin/")
    wanted = [default] if default else sorted(names)
    return _refs(
        repository, *(f"{folder}/{name}" for name in wanted for folder in ("refs/heads", "refs/remotes/origin"))
    )


def _refs(repository: Repository, *patterns: str) -> list[tuple[str, str]]:
    """The commits of refs, each with the short name of its branch."""
    rows = [line.split(" ", 1) for line in ref_lines(repository, "%(objectname) %(refname)", *patterns)]
    return [
        (commit, ref.removeprefix("refs/heads/") if ref.startswith("refs/heads/") else ref.split("/", 3)[3])
        for commit, ref in rows
    ]
