"""Remotes: the only place where git uses a network, and only for a requested sync.

Only the shared ledger is fetched and pushed. Nothing else is changed, no hook of the clone runs, and git never asks for
input. If the clone's own configuration makes git run a program, the sync is refused unless the user allows it: the
configuration may have come with an archive.
"""

import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass

from repomem.adapters.git.repository import Repository
from repomem.adapters.git.run import NO_VARIABLES
from repomem.adapters.ledger.ref import REF, Scratch
from repomem.core.errors import GitError, NotFound
from repomem.core.secrets.redact import redact
from repomem.core.text.lazy_pattern import lazy_pattern

BRANCHES = "refs/heads/"
LIMIT = 120.0  # seconds for one command: a ledger is a few megabytes
TRANSPORTS = ("file", "http", "https", "ssh")
_REACHING = tuple(
    part
    for name in (*(f"{each}.allow=always" for each in TRANSPORTS), "ext.allow=never")
    for part in ("-c", f"protocol.{name}")
)
_UNWANTED = tuple(
    f"--no-{each}"
    for each in (
        *("tags", "prune", "prune-tags", "filter", "recurse-submodules"),
        *("write-fetch-head", "write-commit-graph", "auto-maintenance"),
    )
)  # side effects of a fetch, by default or by settings, switched off
_ADDRESS = lazy_pattern(rf"(?i)(?:{'|'.join(TRANSPORTS)}|git\+ssh|ssh\+git)://")
_SCHEME = lazy_pattern(r"[A-Za-z][A-Za-z0-9+.-]*://|[^/]*::")
SSH_SETTINGS = ("GIT_SSH_COMMAND", "GIT_SSH")  # variables by which the user configures ssh
_PROGRAMS = lazy_pattern(
    r"core\.(?:sshcommand|askpass|gitproxy|alternaterefscommand)|credential\.(?:.*\.)?helper"
    r"|remote\..*\.(?:uploadpack|receivepack|vcs)"
)
_OF_CLONE = ("local", "worktree")  # scopes stored in the clone's folder


@dataclass(frozen=True, slots=True)
class Tips:
    """The refs of a remote."""

    ledger: str  # empty if it has none
    named: Mapping[str, str]  # commits by branch and tag

    @property
    def commits(self) -> frozenset[str]:
        """The commits of branches and tags."""
        return frozenset(self.named.values())

    @property
    def branches(self) -> frozenset[str]:
        """The names of the branches."""
        return frozenset(name.removeprefix(BRANCHES) for name in self.named if name.startswith(BRANCHES))


def remote_named(repository: Repository, wanted: str) -> str:
    """The named remote or address, else origin, else the only one. Raises NotFound if there is none."""
    names = sorted(
        name.removeprefix("remote.").removesuffix(".url")
        for name in repository.settings
        if name.startswith("remote.") and name.endswith(".url")
    )
    if wanted in names or (wanted and (_ADDRESS.match(wanted) or ":" in wanted or os.sep in wanted)):
        return wanted
    if wanted or not names:
        listed = f"this clone has: {', '.join(names)}" if names else "add one: git remote add origin ADDRESS"
        raise NotFound(f"there is no remote {wanted!r}" if wanted else "this repository has no remote", listed)
    if "origin" in names or len(names) == 1:
        return "origin" if "origin" in names else names[0]
    raise NotFound("there are several remotes, and none is called origin", f"name one: {', '.join(names)}")


def check_reachable(repository: Repository, remote: str, *, is_config_trusted: bool) -> None:
    """Raise GitError if git would run a program of the clone's configuration or use an unknown transport."""
    for address in (*_addresses(repository, remote, is_push=False), *_addresses(repository, remote, is_push=True)):
        if _SCHEME.match(address) and not _ADDRESS.match(address):
            raise GitError(
                f"repomem sync does not support the address {redact(address)}",
                "use https, ssh or a path on this machine",
            )
    named = [] if is_config_trusted else _programs(repository)
    if named:
        raise GitError(
            f"the configuration of this clone tells git to run programs: {', '.join(named)}",
            "if you set them yourself, run repomem sync --trust-git-config, or move them to git config --global",
        )


def tips_of(repository: Repository, remote: str) -> Tips:
    """The remote's branches, tags and shared ledger. Raises GitError if it cannot be reached."""
    listed = _asked(repository, "ls-remote", "--quiet", "--", remote, f"{BRANCHES}*", "refs/tags/*", REF)
    refs = {name: commit for commit, _, name in (line.partition("\t") for line in os.fsdecode(listed).splitlines())}
    ledger = refs.pop(REF, "")
    return Tips(ledger, refs)


def fetch_ledger(scratch: Scratch, remote: str) -> None:
    """Fetch only the remote's shared ledger, only into the scratch repository."""
    _asked(scratch.around, "fetch", "--quiet", *_UNWANTED, "--refmap=", "--", remote, REF, environ=scratch.variables)


def push_ledger(scratch: Scratch, remote: str, old: str, new: str) -> str:
    """Move the remote's ref from `old` to `new`, if it still is `old`; returns git's refusal, or nothing.

    It pushes to addresses: after a push to a named remote, git may update refs of the clone that follow this one, and
    the clone does not have its objects.
    """
    for address in _addresses(scratch.around, remote, is_push=True):
        if refused := _pushed(scratch, remote, address, f"--force-with-lease={REF}:{old}", f"{new}:{REF}"):
            return refused
    return ""


def _pushed(scratch: Scratch, remote: str, address: str, lease: str, ref: str) -> str:
    quiet = ("--quiet", "--porcelain", "--no-verify", "--no-follow-tags", "--no-signed", "--recurse-submodules=no")
    environ = {**_silent(scratch.around), **scratch.variables}
    arguments = (*_REACHING, "push", *quiet, lease, "--", address, ref)
    answer = b""
    try:
        with scratch.around.stream(*arguments, environ=environ, limit=LIMIT) as output:
            answer = output.read()
    except GitError as error:
        refused = [line for line in os.fsdecode(answer).splitlines() if line.startswith("!")]
        if refused:
            return redact(refused[0].rpartition("\t")[2])
        raise _unreachable(remote, error) from error
    return ""


def _asked(repository: Repository, *arguments: str, environ: Mapping[str, str] = NO_VARIABLES) -> bytes:
    try:
        variables = {**_silent(repository), **environ}
        with repository.stream(*_REACHING, *arguments, environ=variables, limit=LIMIT) as output:
            return output.read()
    except GitError as error:
        raise _unreachable(arguments[arguments.index("--") + 1], error) from error


def _silent(repository: Repository) -> dict[str, str]:
    """Without a terminal, let ssh fail instead of asking for a password or a host key."""
    is_set = "core.sshcommand" in repository.settings or any(name in os.environ for name in SSH_SETTINGS)
    return {} if is_set or sys.stdin.isatty() else {"GIT_SSH_COMMAND": "ssh -o BatchMode=yes"}


def _unreachable(remote: str, error: GitError) -> GitError:
    reason = redact(error.message.removeprefix("git refuses: "))
    hint = "nothing was changed; check that `git ls-remote` reaches it without asking for a password"
    return GitError(f"cannot reach {redact(remote)}: {reason}", hint)


def _addresses(repository: Repository, remote: str, *, is_push: bool) -> list[str]:
    """The addresses for fetch and push."""
    if f"remote.{remote}.url" not in repository.settings:
        return [remote] if is_push else [os.fsdecode(repository.read("ls-remote", "--get-url", "--", remote)).strip()]
    way = ("--push",) if is_push else ()
    return os.fsdecode(repository.read("remote", "get-url", *way, "--all", "--", remote)).splitlines()


def _programs(repository: Repository) -> list[str]:
    """The settings in the clone's own configuration that name a program."""
    listed = os.fsdecode(repository.read("config", "--list", "--show-scope", "-z")).split("\0")
    scoped = zip(listed[::2], listed[1::2], strict=False)
    return sorted(
        {
            name
            for scope, entry in scoped
            if scope in _OF_CLONE and _PROGRAMS.fullmatch(name := entry.partition("\n")[0])
        }
    )
