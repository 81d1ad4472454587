"""The changes of a session, read from git when it ends: its commits, and the files touched."""

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass

from repomem.adapters.git.ancestry import present
from repomem.adapters.git.log import log
from repomem.adapters.git.worktree import status
from repomem.core.errors import GitError
from repomem.core.text.lazy_pattern import lazy_pattern
from repomem.sessions.digest import Session, started_at
from repomem.workspace.workspace import Workspace

MOST_COMMITS = 200  # of one session
MOST_FILES = 500  # a folder of build output that git does not ignore has thousands
MOST_MOVES = 5_000  # of HEAD in the reflog that are read
# Reflog entries that moved HEAD to commits made elsewhere. Every other entry made the commit that it names.
_BROUGHT = lazy_pattern(
    r"(?i)(?:checkout|clone|reset|branch)\b"
    r"|(?:rebase|pull)\b[^:]*\((?:start|finish|abort|reset)\)"
    r"|rebase(?: finished)?:"
    r"|(?:merge|pull|fetch)\b(?!.*: Merge made by)(?![^:]*\()"
)


@dataclass(frozen=True, slots=True)
class SessionChanges:
    """The commits, oldest first, and the sorted paths of files."""

    commits: tuple[str, ...] = ()
    files: tuple[str, ...] = ()


def changes_in(
    workspace: Workspace, session: Session, head: str, tree: str, until: float = float("inf")
) -> SessionChanges:
    """The changes of a session until now, or until `until` (seconds since 1970).

    `head` is the current commit. `tree` names this worktree: dirty files of another one cannot be read.
    """
    commits = commits_made(workspace, session, head, until)
    files = set(_files_of(workspace, commits))
    if session.tree == tree:
        files.update(_dirty(workspace, started_at(session), until))
    return SessionChanges(tuple(commits), tuple(sorted(files)[:MOST_FILES]))


def commits_made(workspace: Workspace, session: Session, head: str, until: float = float("inf")) -> list[str]:
    """The commits of this history that are new since the start and, by the reflog, were made here; oldest first."""
    if not head:
        return []
    before = sorted(present(workspace.repository, [session.origin.head])) if session.origin.head else []
    listed = workspace.repository.read(
        "rev-list", "--topo-order", "--reverse", "--timestamp", head, *(f"^{each}" for each in before), "--"
    )
    pairs = (line.split() for line in listed.decode().splitlines())
    since = started_at(session)
    fresh = [commit for time, commit in pairs if since <= int(time) <= until]
    made = _made_here(workspace, head) if fresh else None
    return [commit for commit in fresh if made is None or commit in made][:MOST_COMMITS]


def _made_here(workspace: Workspace, head: str) -> set[str] | None:
    """The commits that the reflog of this worktree lists as made here; None without a reflog.

    A pull can bring commits that others wrote during the session.
    """
    try:
        listed = workspace.repository.read(
            "log", "--walk-reflogs", "--no-color", f"--max-count={MOST_MOVES}", "--format=%H %gs", "HEAD", "--"
        )
    except GitError:
        return None
    moves = [line.partition(" ") for line in listed.decode("utf-8", "replace").splitlines()]
    if all(commit != head for commit, _, _ in moves):
        return None
    return {commit for commit, _, how in moves if not _BROUGHT.match(how)}


def _files_of(workspace: Workspace, commits: list[str]) -> Iterator[str]:
    with suppress(GitError):  # a partial clone lacks the objects
        for record in log(workspace.repository, commits, has_all_bytes=False):
            yield from (file.path for file in record.files)


def _dirty(workspace: Workspace, since: float, until: float) -> Iterator[str]:
    """Uncommitted files that were written during the session; a deleted file has no time and always counts."""
    found = status(workspace.repository)
    yield from found.deleted
    if workspace.repository.top is None:
        return
    for path in (*found.changed, *found.untracked):
        with suppress(OSError):
            if since <= (workspace.repository.top / path).lstat().st_mtime <= until:
                yield path
