"""Commits reachable from HEAD, stored as episodes."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from repomem.adapters.git.log import commits_beyond, log, revisions
from repomem.adapters.git.repository import Repository
from repomem.adapters.sqlite.catalog_rows import TableStamp
from repomem.core.errors import GitError
from repomem.core.grouping import batches
from repomem.core.mined_decisions import DECIDING, REVERTS, Trailer
from repomem.core.ports import Stage
from repomem.core.processes.locks import write_lock
from repomem.core.text.words import words_of
from repomem.core.types.commits import FILES_KEPT, Episode, LogRecord
from repomem.core.types.indexed import IndexedEpisode
from repomem.core.types.text import CleanText
from repomem.history.changes import ReadCommits, read_changes
from repomem.history.log_parsing import also_reverted, reverted_range
from repomem.workspace.run import Run
from repomem.workspace.workspace import Workspace

COMMITS_PER_BATCH = 4_000  # read, then stored in one transaction
COMMITS_PER_STEP = 250  # read by one git process; a third of a second, so that the progress bar moves
COMMITS_IN_HASTE = 500  # under a deadline: less than half a second
BODY_KEPT = 4_000  # characters of a message's body; a longer one is a pasted log
TRAILER_KEPT = 400  # characters; longer is not a sentence
TRAILERS_KEPT = 8  # per commit, about decisions
MERGED_KEPT = 200  # commits of a reverted merge; a larger one is a branch of its own
FILES_IN_WORDS = 12  # a larger commit is not found by its paths


@dataclass(slots=True)
class HistoryRun:
    """The result of indexing commits."""

    episodes: tuple[int, ...] = ()  # newest first
    words: dict[int, str] = field(default_factory=dict)  # of episodes stored by this run
    touched: Counter[str] = field(default_factory=Counter)  # path to the number of those that changed it
    missing: int = 0  # commits not reached in time


def index_history(workspace: Workspace, head: str | None, run: Run) -> HistoryRun:
    """Index new commits, newest first."""
    if head is None:
        return HistoryRun()
    stored = workspace.catalog.history(history_name(workspace, head, is_whole=True))
    if stored:  # another worktree, or an earlier visit to this commit
        return HistoryRun(stored.episodes)
    done = HistoryRun()
    config = workspace.loaded.config.history
    commits = revisions(workspace.repository, config.max_commits, head)
    known = workspace.catalog.known_episodes()
    new = [commit for commit in commits if commit not in known]
    newest = set(commits[: config.symbol_commits])
    _record_older(workspace, [commit for commit in commits[: config.symbol_commits] if commit in known], run)
    with run.progress.stage("Reading history", len(new), "commits") as stage:
        size = COMMITS_PER_BATCH if run.is_background else COMMITS_IN_HASTE
        for start in range(0, len(new), size):
            if run.is_late:
                done.missing = len(new) - start
                break
            batch = new[start : start + size]
            _store(workspace, _read(workspace, batch, newest, stage), known, done)
    done.episodes = tuple(known[commit] for commit in commits if commit in known)
    return done


def _read(workspace: Workspace, commits: Sequence[str], newest: set[str], stage: Stage) -> ReadCommits:
    """The changes of these commits; `stage` advances as they are read."""
    read = ReadCommits()
    for step in batches(commits, COMMITS_PER_STEP):
        part = read_changes(workspace, records_of(workspace.repository, step), newest)
        read.episodes += part.episodes
        read.commits += part.commits
        read.changes += part.changes
        stage.advance(len(step))
    return read


def history_name(workspace: Workspace, head: str | None, *, is_whole: bool) -> str:
    """The key of a history. A partial one gets its own key, so that no other run uses it."""
    limit = workspace.loaded.config.history.max_commits
    return f"{head or ''} {limit}" if is_whole else f"{head or ''} {limit} in part"


def _record_older(workspace: Workspace, commits: Sequence[str], run: Run) -> None:
    """Record line changes of known commits that are among the newest only on this HEAD."""
    recorded = workspace.catalog.changes.recorded()
    left = [commit for commit in commits if commit not in recorded]
    if left and not run.is_late:
        read = read_changes(workspace, records_of(workspace.repository, left), set(left))
        with write_lock(workspace.folder):
            workspace.catalog.changes.record(read.commits, read.changes)


def records_of(repository: Repository, commits: Sequence[str]) -> list[LogRecord]:
    """The log records of commits, in the order given."""
    try:
        return list(log(repository, commits))
    except GitError:  # a clone with silently missing objects fails to compare contents
        return list(log(repository, commits, has_all_bytes=False))


def episode_words(episode: Episode) -> str:
    """The search words of an episode: subject, body, and the paths of a small commit."""
    paths = [file.path for file in episode.files] if len(episode.files) <= FILES_IN_WORDS else []
    return " ".join(filter(None, map(words_of, (episode.subject, episode.body, *paths))))


def decision_trailers(repository: Repository, episodes: Iterable[Episode]) -> Iterator[Trailer]:
    """Decision trailers and reverts of these episodes, whose texts are redacted.

    The revert of a merge also reverts the commits that the merge brought: one git call for each such revert.
    """
    for episode in episodes:
        said = [(name.lower(), value) for name, value in episode.trailers if name.lower() in DECIDING][:TRAILERS_KEPT]
        own = [*filter(None, [episode.reverts]), *also_reverted(episode)]
        reverted = [*own, *_merged_by(repository, reverted_range(episode))]
        for name, value in [*said, *((REVERTS, each) for each in reverted)]:
            text = CleanText(value[:TRAILER_KEPT])
            yield Trailer(episode.commit, name, text, episode.author, episode.date, CleanText(episode.subject))


def _merged_by(repository: Repository, merge: tuple[str, str] | None) -> list[str]:
    """The commits that a merge brought; none if they are not in this clone."""
    try:
        return commits_beyond(repository, *merge, MERGED_KEPT) if merge else []
    except GitError:
        return []


def _store(workspace: Workspace, read: ReadCommits, known: dict[str, int], done: HistoryRun) -> None:
    episodes = [replace(one, body=one.body[:BODY_KEPT], files=one.files[:FILES_KEPT]) for one in read.episodes]
    words = [episode_words(episode) for episode in episodes]
    trailers = list(decision_trailers(workspace.repository, episodes))
    store = workspace.store  # opened before locking: importing LanceDB takes seconds
    with write_lock(workspace.folder):
        first = workspace.catalog.reserve_episodes(len(episodes))
        rows = [IndexedEpisode(first + at, *each) for at, each in enumerate(zip(episodes, words, strict=True))]
        store.add_episodes(rows)
        stamp = TableStamp(*store.stamp("episodes"))
        workspace.catalog.trailers.record(trailers)
        workspace.catalog.record_episodes(((row.id, row.episode.commit) for row in rows), stamp)
        workspace.catalog.changes.record(read.commits, read.changes)
    known |= {row.episode.commit: row.id for row in rows}
    done.words |= {row.id: row.words for row in rows}
    done.touched.update(file.path for row in rows if not row.episode.is_bulk for file in row.episode.files)
