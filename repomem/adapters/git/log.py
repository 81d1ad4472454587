"""The history of a repository: revisions, and each commit's message and files."""

import os
import re
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import IO

from repomem.adapters.git.repository import Repository
from repomem.core.errors import NotFound
from repomem.core.secrets.redact import redact
from repomem.core.types.commits import FileChange, LogRecord

LOG_FORMAT = "%H%x00%P%x00%an%x00%as%x00%ct%x00%B"  # names as committed: .mailmap would change old episodes
LOG_FIELDS = 6
MESSAGE_KEPT = 20_000  # characters; messages with a quoted log of a megabyte have their content at the start
READ_SIZE = 1 << 20
NEUTRAL = (  # the same answer under every configuration
    "--encoding=UTF-8",
    "--no-color",
    "--no-notes",
    "--no-diff-merges",
    "--no-ext-diff",
    "--no-textconv",
    "--no-relative",
    "--submodule=short",
    "-O/dev/null",
)
NO_WALK = ("log", "--no-walk=unsorted", "--stdin", *NEUTRAL)


def resolve(repository: Repository, revision: str) -> str:
    """The hash of the commit that a revision names. Raises NotFound if it names none."""
    commit = None if "\n" in revision else _commit(repository, revision)
    if commit is None and revision == "HEAD":
        raise NotFound("the checked-out branch has no commit yet", hint="commit first")
    if commit is None:
        raise NotFound(f"no commit {revision!r} here", hint="git log --oneline lists the commits, git tag the tags")
    return commit


def head_of(repository: Repository) -> tuple[str | None, str | None]:
    """The checked-out commit (None: none yet) and branch (None: detached HEAD), redacted."""
    return _commit(repository, "HEAD"), branch_of(repository)


def branch_of(repository: Repository) -> str | None:
    """The checked-out branch, redacted; None for a detached HEAD."""
    return redact(os.fsdecode(repository.read("branch", "--show-current").rstrip(b"\n"))) or None


def _commit(repository: Repository, revision: str) -> str | None:
    # cat-file answers a name that it does not know; rev-parse would fail, and take "-x" for an option
    question = os.fsencode(f"{revision}^{{commit}}\n")
    name, _, kind = repository.read("cat-file", "--batch-check", feed=question).strip().partition(b" ")
    return name.decode() if kind.startswith(b"commit ") else None


def first_parent(repository: Repository, commit: str) -> str:
    """The first parent of a commit; empty for one without, or whose parent a shallow clone lacks."""
    return _commit(repository, f"{commit}^") or ""


def revisions(repository: Repository, limit: int, head: str) -> list[str]:
    """The newest `limit` commits reachable from `head`, newest first; all of them if `limit` is 0."""
    count = [f"--max-count={limit}"] if limit else []
    return repository.read("rev-list", *count, resolve(repository, head)).decode().split()


def commits_beyond(repository: Repository, head: str, old: str, limit: int) -> list[str]:
    """The newest `limit` non-merge commits reachable from `head` and not from `old`, if there is one, newest first."""
    listed = repository.read("rev-list", "--no-merges", f"--max-count={limit}", head, *[f"^{old}"] * bool(old))
    return listed.decode().split()


def authors_of(repository: Repository, commits: Iterable[str]) -> dict[str, tuple[str, str]]:
    """The author's name and address of each commit."""
    names = list(commits)
    if not names:  # git would take the head
        return {}
    listed = repository.read(*NO_WALK, "--no-patch", "-z", "--format=%H%x00%an%x00%ae", feed=names)
    fields = listed.decode("utf-8", "replace").rstrip("\0").split("\0")
    return {commit: (name, email) for commit, name, email in zip(*(iter(fields),) * 3, strict=True)}


def commits_touching(repository: Repository, head: str, paths: Iterable[str], limit: int) -> list[str]:
    """The newest `limit` commits reachable from `head` that changed one of these paths, newest first.

    Merges are included only if they changed a path themselves. Empty in a treeless clone.
    """
    named = [f":(top,literal){path}" for path in paths if "\n" not in path]
    if not named or repository.is_treeless:
        return []
    listed = repository.read("rev-list", f"--max-count={limit}", "--stdin", feed=(head, "--", *named))
    return listed.decode().split()


def commit_time(repository: Repository, commit: str) -> int:
    """The committer's time, in seconds since 1970."""
    return int(repository.read("log", "-1", "--format=%ct", commit, "--"))


def commit_before(repository: Repository, head: str, at: str) -> str:
    """The newest commit reachable from `head` at a moment, by committer's time; empty if there was none.

    `at` is YYYY-MM-DDTHH:MM:SSZ.
    """
    found = repository.read("rev-list", "--max-count=1", f"--before={at}", head, "--")
    return found.decode().strip()


def root_commit(repository: Repository) -> str | None:
    """The first commit, by first parents, so that merged subtrees do not change it; None if the clone is shallow."""
    head = _commit(repository, "HEAD")
    if repository.is_shallow or head is None:
        return None
    return repository.read("rev-list", "--first-parent", "--max-parents=0", head).decode().strip()


def remote_url(repository: Repository) -> str | None:
    """The address of origin, else of the first remote by name, without user and password."""
    urls = {
        name.removeprefix("remote.").removesuffix(".url"): url
        for name, url in repository.settings.items()
        if name.startswith("remote.") and name.endswith(".url")
    }
    if not urls:
        return None
    url = urls.get("origin") or urls[min(urls)]
    return re.sub(r"^([a-z][a-z0-9+.-]*://)?[^/]*@", r"\1", url, flags=re.IGNORECASE)


def log(repository: Repository, commits: Iterable[str], *, has_all_bytes: bool = True) -> Iterator[LogRecord]:
    """Each commit's message and files, in the given order.

    Renames are detected within a commit; in a partial clone or without `has_all_bytes` only those with unchanged bytes,
    since others need bytes that may be missing (GitError). A commit at the boundary of a shallow clone, or in a
    treeless clone, has no files, because they are unknown.
    """
    cut_off = cut_off_commits(repository)
    renames = "-M" if has_all_bytes and not repository.is_partial else "-M100%"
    changes = () if repository.is_treeless else ("--raw", "--no-abbrev", renames)
    names = list(commits)
    if not names:  # git would take the head
        return
    with repository.stream(*NO_WALK, "-z", *changes, f"--format={LOG_FORMAT}", feed=names) as output:
        for (commit, parents, author, date, time, message), files in entries_in(output, LOG_FIELDS):
            known = () if commit in cut_off else tuple(files)
            text = message[:MESSAGE_KEPT].strip()
            yield LogRecord(commit, tuple(parents.split()), author, date, int(time or 0), text, known)


def entries_in(output: IO[bytes], count: int) -> Iterator[tuple[list[str], list[FileChange]]]:
    """The fields, `count` of them, and the files of each commit in a NUL-separated log."""
    fields = _fields_of(output)
    field = next(fields, None)
    while field is not None:
        header = [each.decode("utf-8", "replace") for each in (field, *islice(fields, count - 1))]
        files = []
        while (field := next(fields, None)) is not None and field.lstrip(b"\n").startswith(b":"):
            files.append(file_change(field, fields))
        yield header, files


def _fields_of(output: IO[bytes]) -> Iterator[bytes]:
    """The fields of a NUL-separated output, as they arrive."""
    rest = b""
    while data := output.read1(READ_SIZE):  # type: ignore[attr-defined]
        *whole, rest = (rest + data).split(b"\0")
        yield from whole
    if rest:
        yield rest


def file_change(facts: bytes, fields: Iterator[bytes]) -> FileChange:
    """The change in `:mode mode id id STATUS` and its path, or the old and new path of a rename or copy."""
    status = facts.rpartition(b" ")[2][:1].decode()
    path = os.fsdecode(next(fields))
    if status in "RC":
        return FileChange(status, os.fsdecode(next(fields)), old_path=path)
    return FileChange(status, path)


def cut_off_commits(repository: Repository) -> frozenset[str]:
    """The commits at the boundary of a shallow clone, for which git shows all files as added."""
    if not repository.is_shallow:
        return frozenset()
    return frozenset((repository.common_dir / "shallow").read_text().split())
