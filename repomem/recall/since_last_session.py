"""What others changed since the user's last session, in the code that the user worked on or remembered something about.

Own work is recognised by git's user name and address. Reads git, the ledger and the catalog; needs no index.
"""

import os
from collections.abc import Iterable, Sequence, Set as AbstractSet
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import islice
from operator import itemgetter

from repomem.adapters.git.ancestry import fork_point, present
from repomem.adapters.git.branches import OpenBranch, open_branches
from repomem.adapters.git.hunks import between, touched
from repomem.adapters.git.log import authors_of, commit_time, commits_beyond, head_of, log, revisions
from repomem.adapters.git.repository import Repository
from repomem.adapters.languages.definition_lines import changed_names
from repomem.brief.items import Draft
from repomem.brief.render import brief_of
from repomem.brief.sections import TITLES, Section
from repomem.core.records import MemoryKind, Origin
from repomem.core.secrets.redact import redact
from repomem.core.text.counts import counted
from repomem.core.types.brief import Brief, Gate, RepositoryState
from repomem.core.types.commits import Episode
from repomem.history.log_parsing import episode_of, symbols_of
from repomem.items.since_last_session import BranchWork, ChangesByOthers, items_since
from repomem.memories.snapshots.snapshot import MemorySnapshot, memories_now, memories_unfollowed
from repomem.memories.status import CHANGED, MemoryState, Visibility
from repomem.sessions.digest import Session, sessions_of
from repomem.workspace.identity import identity_of, name_in
from repomem.workspace.workspace import Workspace

BUDGET = 400  # tokens
SESSIONS = 10  # the newest ones, whose files are the user's code
OWN_COMMITS = 100  # newest commits among which the user's own are sought
NEW_COMMITS = 500  # commits since the session
BRANCHES = 10  # the last changed ones
BRANCH_DAYS = 90  # before the head's commit; an older branch is left, or a release
BRANCH_PATHS = 500  # files with functions of the user that are compared
BRANCH_HUNKS = 2_000  # of one branch; a larger one changes more than a few functions
NO_SESSION = "no earlier session is recorded here; agents' sessions are recorded once repomem is set up for them"
TITLES_SINCE = {
    **TITLES,
    Section.FACTS: "## Memories",
    Section.HISTORY: "## Changes by others in your code",
    Section.OPEN: "## Work on other branches",
}
BINDING_KINDS = frozenset({MemoryKind.DECISION, MemoryKind.RULE})  # of others, that bind this user too


def brief_since_last_session(workspace: Workspace, budget: int) -> tuple[Brief, str]:
    """The brief, and a plain line that replaces it if there is nothing to show."""
    known = memories_now(workspace)
    last = last_session(known)
    found = _changes(workspace, known, last, has_branches=True) if last else ChangesByOthers()
    head, branch = head_of(workspace.repository)
    title = f"## Since your last session, {_moment(last.at)}" if last else "## Since your last session"
    draft = Draft(title, tuple(items_since(known, found)), titles=TITLES_SINCE)
    repository = RepositoryState(name_in(workspace.repository), identity_of(workspace), head or "", branch or "", False)
    brief = brief_of(draft, repository, "", budget, Gate("use", "what changed since the last session"))
    if last is None:
        return brief, NO_SESSION
    if found.is_empty:
        return brief, f"no changes by others to your code since your last session, {_moment(last.at)}"
    return brief, ""


def line_since_last_session(workspace: Workspace) -> str:
    """One line for the first brief of a session; empty if there is nothing. Looks at no other branch."""
    known = memories_unfollowed(workspace)
    last = last_session(known)
    found = _changes(workspace, known, last, has_branches=False) if last else ChangesByOthers()
    if last is None or found.is_empty:
        return ""
    parts = [
        f"{counted(len(found.commits), 'commit')} by others in your code" * bool(found.commits),
        f"{counted(len(found.drifted), 'memory', 'memories')} drifted" * bool(found.drifted),
        f"{counted(len(found.decisions), 'decision')} by sync" * bool(found.decisions),
    ]
    what = ", ".join(filter(None, parts))
    return f"Since your last session, {_moment(last.at)}: {what}; `repomem recall --since-me` shows them."


def last_session(known: MemorySnapshot) -> Origin | None:
    """The end of the session that ended last; None if none has ended."""
    ended = [(session.ended.at, session.id, session.ended) for session in _sessions(known) if session.ended]
    return max(ended, key=itemgetter(0, 1))[2] if ended else None


def _changes(workspace: Workspace, known: MemorySnapshot, last: Origin, *, has_branches: bool) -> ChangesByOthers:
    repository = workspace.repository
    head = head_of(repository)[0]
    if head is None:
        return ChangesByOthers()
    files, functions = _own_code(workspace, known, head, has_functions=has_branches)
    commits = _commits_by_others(workspace, head, last, files)
    names = {commit.commit for commit in commits}
    here = [one for _, one in sorted(known.states.items()) if one.visibility is Visibility.HERE]
    return ChangesByOthers(
        commits=tuple(commits),
        drifted=tuple(one for one in here if one.status in CHANGED and one.commit in names),
        decisions=tuple(one for one in here if _is_decision_since(one, last)),
        branches=tuple(_branch_work(repository, head, functions)) if has_branches else (),
    )


def _sessions(known: MemorySnapshot) -> list[Session]:
    return sessions_of(known.events, {})


def _own_code(
    workspace: Workspace, known: MemorySnapshot, head: str, *, has_functions: bool
) -> tuple[set[str], set[str]]:
    """The files of the newest sessions, of own commits, and of own memories, and the functions as "path:name"."""
    repository = workspace.repository
    sessions = sorted(_sessions(known), key=lambda session: session.last_sign)[-SESSIONS:]
    newest = revisions(repository, OWN_COMMITS, head)
    authors = authors_of(repository, newest)
    own = [commit for commit in newest if _is_own(repository, authors[commit])]
    made = [*own, *present(repository, {commit for session in sessions for commit in session.commits} - {*own})]
    episodes = [episode_of(record) for record in log(repository, sorted(made))]
    symbols = symbols_of(touched(repository, sorted(made))) if has_functions else {}
    anchors = [
        anchor
        for one in known.states.values()
        if not one.memory.origin.writer
        for anchor in (*one.memory.said.anchors, *(place.anchor for place in one.locations))
    ]
    files = {path for session in sessions for path in session.files}
    files |= {file.path for episode in episodes if not episode.is_bulk for file in episode.files}
    files |= {anchor.path for anchor in anchors}
    functions = {name for names in symbols.values() for name in names}
    functions |= {f"{anchor.path}:{anchor.symbol.rpartition('.')[2]}" for anchor in anchors if anchor.symbol}
    return files, functions


def _commits_by_others(workspace: Workspace, head: str, last: Origin, files: AbstractSet[str]) -> list[Episode]:
    """The commits of others since the session that change one of these files, newest first, without secrets."""
    repository = workspace.repository
    is_known = bool(last.head) and bool(present(repository, [last.head]))
    listed = commits_beyond(repository, head, last.head if is_known else "", NEW_COMMITS)
    authors = authors_of(repository, listed)
    records = log(repository, [commit for commit in listed if not _is_own(repository, authors[commit])])
    clean = (replace(each, author=redact(each.author), message=redact(each.message)) for each in records)
    since = datetime.fromisoformat(last.at).timestamp()
    new = (episode_of(each) for each in clean if is_known or each.time > since)  # git deleted the commit of a rebase
    return [each for each in new if not each.is_bulk and any(file.path in files for file in each.files)]


def _is_own(repository: Repository, author: tuple[str, str]) -> bool:
    """Whether a commit's author is this user: by address, or by name if git knows no address."""
    settings = repository.settings
    email = os.environ.get("GIT_AUTHOR_EMAIL") or settings.get("user.email", "")
    name = os.environ.get("GIT_AUTHOR_NAME") or settings.get("user.name", "")
    if email:
        return author[1].casefold() == email.casefold()
    return bool(name) and author[0].casefold() == name.casefold()


def _is_decision_since(one: MemoryState, last: Origin) -> bool:
    """Whether a sync brought it, recorded since the session. When it arrived is not recorded."""
    memory = one.memory
    return (
        bool(memory.origin.writer)
        and memory.said.kind in BINDING_KINDS
        and memory.origin.at >= last.at
        and one.is_shown
    )


def _branch_work(repository: Repository, head: str, functions: AbstractSet[str]) -> Iterable[BranchWork]:
    """The open branches that change one of these functions, the last changed first."""
    if not functions or repository.is_partial:
        return
    oldest = (datetime.fromtimestamp(commit_time(repository, head), UTC) - timedelta(days=BRANCH_DAYS)).isoformat()
    for branch in open_branches(repository, head, BRANCHES):
        if branch.date < oldest[:10]:
            break
        base = fork_point(repository, branch.commit, head)
        found = _functions_changed(repository, base, branch, functions) if base else {}
        if found:
            yield BranchWork(replace(branch, name=redact(branch.name), author=redact(branch.author)), found)


def _functions_changed(
    repository: Repository, base: str, branch: OpenBranch, functions: AbstractSet[str]
) -> dict[str, tuple[int, int]]:
    """These functions that a branch changes, to the first and last changed line there, in the order of the diff."""
    paths = sorted({name.rpartition(":")[0] for name in functions})[:BRANCH_PATHS]
    found: dict[str, tuple[int, int]] = {}
    for hunk in islice(between(repository, base, branch.commit, paths), BRANCH_HUNKS):
        names: Sequence[str] = changed_names(hunk.path, hunk.heading, hunk.lines)
        last = hunk.start + max(len(hunk.added), 1) - 1
        for name in (f"{hunk.path}:{each}" for each in names):
            if name in functions:
                first, end = found.get(name, (hunk.start, last))
                found[name] = min(first, hunk.start), max(end, last)
    return found


def _moment(at: str) -> str:
    return f"{at[:10]} {at[11:16]} UTC"
