"""What changes in the repository: hot spots, files changed together, reverted changes, owners, and agent sessions."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from repomem.core.text.escape import one_line, visible_path
from repomem.core.times import this_moment
from repomem.core.types.commits import Episode, short_hash
from repomem.history.change_history import change_history_of
from repomem.history.episodes import recent_episodes
from repomem.history.relevant_reverts import reverted_in
from repomem.items.repository_map import recent_history
from repomem.profile.profile import corrections_in, lines_of
from repomem.profile.profile_lines import Slot
from repomem.ranking.co_change import co_changes
from repomem.recall.answer import ready
from repomem.recall.commit_sessions import known_sessions
from repomem.sessions.digest import session_state
from repomem.ui.repository import memories_for_page
from repomem.workspace.run import Run
from repomem.workspace.snapshot import Snapshot
from repomem.workspace.workspace import Workspace

HOT_FILES = 30
REVERTS = 30
SESSIONS = 200  # newest
TEXT_LENGTH = 160


@dataclass(frozen=True, slots=True)
class HotFile:
    """A file that is changed often."""

    path: str
    changes: int  # in the last year
    lines: int
    authors: tuple[tuple[str, int], ...]  # with their commits in the last year, most first


@dataclass(frozen=True, slots=True)
class CoChangePair:
    """Two files that commits change together."""

    path: str
    other: str
    together: int  # commits of both
    commits: int  # of `path`


@dataclass(frozen=True, slots=True)
class RevertRow:
    """A change that was reverted, or a fix whose lines were removed."""

    how: str  # reverted, removed, or fix gone
    path: str
    commit: str
    subject: str
    by: str
    by_subject: str
    date: str  # of the later commit
    lines: int


@dataclass(frozen=True, slots=True)
class SessionRow:
    """An agent session, or a person's."""

    id: str
    goal: str
    outcome: str
    author: str
    start: str
    state: str
    files: int
    commits: int
    memories: int


@dataclass(frozen=True, slots=True)
class RepositoryPage:
    """The page of the repository."""

    since: str  # YYYY-MM-DD: changes are counted from here
    commits: int  # since then, without merges
    hot: tuple[HotFile, ...]
    pairs: tuple[CoChangePair, ...]
    reverts: tuple[RevertRow, ...]
    owners: tuple[str, ...]
    sessions: tuple[SessionRow, ...]  # newest first


def repository_page(workspace: Workspace) -> RepositoryPage:
    """The repository, from a fresh index. Raises NotFound while the first index run is in progress."""
    now = ready(workspace, Run()).snapshot
    recent = recent_history(now)
    busy = sorted(recent.changes, key=lambda path: (-recent.changes[path], path))
    code = [path for path in busy if path in now.tree.paths][:HOT_FILES]
    year = [each for each in recent.episodes if each.date >= recent.since and not each.is_merge]
    known = memories_for_page(workspace)
    owners = [each for each in lines_of(now.worktree, corrections_in(known.events)) if each.slot is Slot.OWNERS]
    return RepositoryPage(
        recent.since,
        recent.commits,
        tuple(
            HotFile(visible_path(path), recent.changes[path], now.tree.versions[path].lines, _authors(year, path))
            for path in code
        ),
        tuple(_pairs(now, code)),
        tuple(_reverts(now)),
        tuple(each.shown for each in owners),
        tuple(_sessions(workspace)),
    )


def _authors(episodes: Sequence[Episode], path: str) -> tuple[tuple[str, int], ...]:
    counts = Counter(each.author for each in episodes if any(file.path == path for file in each.files))
    return tuple(sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:3])


def _pairs(now: Snapshot, paths: Sequence[str]) -> list[CoChangePair]:
    """The pairs of the hot files, each once."""
    newest = recent_episodes(now)
    found: dict[frozenset[str], CoChangePair] = {}
    for path in paths:
        own = [each for each in newest if any(file.path == path for file in each.files)]
        changes = co_changes(path, own, newest, now.tree.paths)
        for other, count in changes.others if changes else ():
            pair = CoChangePair(visible_path(path), visible_path(other), count, changes.commits if changes else 0)
            found.setdefault(frozenset((path, other)), pair)
    return sorted(found.values(), key=lambda pair: (-pair.together, pair.path, pair.other))


def _reverts(now: Snapshot) -> list[RevertRow]:
    """The newest reverted changes in files that exist."""
    history = change_history_of(now)
    changes = reverted_in(history, now.tree.paths)[:REVERTS]
    episodes = now.episodes_by_commit([name for each in changes for name in (each.commit, each.by)])
    return [
        RevertRow(
            each.how.value,
            visible_path(each.path),
            short_hash(each.commit),
            one_line(episodes[each.commit].subject, TEXT_LENGTH),
            short_hash(each.by),
            one_line(episodes[each.by].subject, TEXT_LENGTH),
            episodes[each.by].date,
            each.lines,
        )
        for each in changes
        if each.commit in episodes and each.by in episodes
    ]


def _sessions(workspace: Workspace) -> list[SessionRow]:
    known, now = memories_for_page(workspace), this_moment()
    return [
        SessionRow(
            known.short_id(each.id),
            each.goal,
            each.outcome,
            each.origin.author,
            each.origin.at,
            session_state(each, now),
            len(each.files),
            len(each.commits),
            len(each.decisions) + len(each.threads),
        )
        for each in reversed(known_sessions(known)[-SESSIONS:])
    ]
