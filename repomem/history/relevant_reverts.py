"""Reverted changes and lost fixes that are relevant to a task, in the files that the task is about.

Indexing stores only the hashes of the lines that each commit added and removed. Their current state is computed for a
few files at a time, against the current worktree.
"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace

from repomem.adapters.languages.definition_lines import defined_name
from repomem.brief.commit_lines import revert_text
from repomem.core.grouping import grouped_by
from repomem.core.text.words import DEFINES, FEWEST_LETTERS, stem, stems_of, whole
from repomem.core.types.commits import Episode
from repomem.core.types.line_history import RevertedChange, RevertKind
from repomem.history.change_history import ChangeHistory
from repomem.history.changes import is_followed
from repomem.history.episodes import RelatedEpisode
from repomem.history.landed_again import landed_again
from repomem.history.lines.lost import LostLines, plausible_losses
from repomem.history.messages import reason_of
from repomem.history.reverted_changes import (
    RevertContext,
    first_parent_positions,
    neighbours,
    reverted_changes,
    touches_same_files,
)
from repomem.ranking.query import Query
from repomem.workspace.snapshot import Snapshot

LOCATIONS_USED = 4  # of a brief, from the first: further ones are less relevant
FILES_OF_EPISODE = 4  # source files of a shown episode; the files of larger ones are not searched
SHOWN = 3  # lines of a brief, besides the episodes that are shown anyway
CONSTRUCTORS = frozenset({"__init__", "__new__", "constructor", "initialize", "new", "init"})  # any class may have one
SHARED_WORDS = 2  # with the question, for a lost fix, or an attempt in the same file but in none of its symbols


@dataclass(frozen=True, slots=True)
class FailedAttempt:
    """A reverted change or lost fix with both commits."""

    change: RevertedChange
    before: Episode
    after: Episode


def reverted_in(history: ChangeHistory, paths: Iterable[str]) -> list[RevertedChange]:
    """The reverted changes and lost fixes in these files, the newest revert first."""
    losses: dict[tuple[str, str, str, str], LostLines] = {}
    for names in dict.fromkeys(map(history.names_of, filter(is_followed, paths))):
        changes = history.changes_of(names)
        for loss in plausible_losses(history.losses_of(names), changes, history.commits):
            if not loss.left_as <= history.now(loss.path):
                losses[loss.commit, loss.by, loss.path, loss.symbol] = loss
    known = list(losses.values())
    reverted = reverted_changes(known, _context(history, known)) if known else []
    return [each for each in reverted if each.how is not RevertKind.REMOVED or not _is_defined_elsewhere(history, each)]


def _context(history: ChangeHistory, losses: Sequence[LostLines]) -> RevertContext:
    near = neighbours(list(history.commits), {loss.by for loss in losses})
    wanted = {loss.commit for loss in losses}.union(*near.values())
    changes = history.snapshot.workspace.catalog.changes.of_commits(sorted(wanted))
    by_commit = grouped_by(changes, lambda change: change.commit)
    along = first_parent_positions(list(history.commits.values()))
    return RevertContext(history.commits, by_commit, history.now, near, along)


def _is_defined_elsewhere(history: ChangeHistory, change: RevertedChange) -> bool:
    """Whether a symbol that left its file is, or in an unread file may be, defined elsewhere today: then it moved."""
    if history.snapshot.lacks_files:
        return True
    here = {defined_name(path, line) for path in history.live_names_of(change.path) for line in history.texts_of(path)}
    gone = {symbol.rpartition(":")[2] for symbol in change.symbols} - here
    counted = history.snapshot.view.file_words.frequencies(DEFINES + whole(name) for name in gone)
    return any(counted.values())


def failed_attempts_for(
    history: ChangeHistory, query: Query, places: Sequence[tuple[str, str]], shown: Sequence[RelatedEpisode]
) -> list[FailedAttempt]:
    """The failed attempts at a brief's first locations (path and symbol), and of the episodes that it shows."""
    first = places[:LOCATIONS_USED]
    sources = [[file.path for file in one.episode.files if is_followed(file.path)] for one in shown]
    of_shown = [path for paths in sources if len(paths) <= FILES_OF_EPISODE for path in paths]
    found = reverted_in(history, [*(path for path, _ in first), *of_shown])
    commits = {one.episode.commit for one in shown}
    symbols = {(name, symbol.rpartition(".")[2]) for path, symbol in first for name in history.names_of(path)}
    others = [(_relevance(history, query, each, symbols), each) for each in found if each.commit not in commits]
    best = sorted((one for one in others if one[0]), key=lambda one: -one[0])[:SHOWN]
    chosen = [*(each for each in found if each.commit in commits), *(each for _, each in best)]
    return failed_attempts(history.snapshot, [each for each in chosen if not _is_back(history, each)])


def _is_back(history: ChangeHistory, change: RevertedChange) -> bool:
    """Whether a reverted change landed again: then it did not fail."""
    return change.how is RevertKind.REVERTED and bool(landed_again(history, change.commit, change.by))


def _relevance(
    history: ChangeHistory, query: Query, change: RevertedChange, symbols: Collection[tuple[str, str]]
) -> int:
    """How relevant a reverted change is to a task about `symbols`, each with its path; 0 if it should not be shown."""
    stems = {short for short in map(stem, query.words) if len(short) >= FEWEST_LETTERS}
    names = (symbol.rpartition(":")[2] for symbol in change.symbols)
    text = f"{history.commits[change.commit].subject} {' '.join(names)}"
    shared = len(stems & stems_of(text))
    at = {symbol.rpartition(":")[2] for symbol in change.symbols if tuple(symbol.rsplit(":", 1)) in symbols}
    is_at = bool(at if shared else at - CONSTRUCTORS)
    if change.how is RevertKind.FIX_GONE:
        return (1 + shared) * (is_at and shared >= SHARED_WORDS)
    is_near = shared >= SHARED_WORDS and any(path == change.path for path, _ in symbols)
    return 1 + shared + is_at if is_at or is_near else 0


def with_failed_attempts(episodes: Sequence[RelatedEpisode], attempts: Sequence[FailedAttempt]) -> list[RelatedEpisode]:
    """The episodes; the state of a reverted one begins with its revert, that of a fix ends with its removal."""
    by_commit = {each.change.commit: each for each in reversed(attempts)}
    return [
        _with_revert(one, by_commit[one.episode.commit]) if one.episode.commit in by_commit else one for one in episodes
    ]


def _with_revert(one: RelatedEpisode, attempt: FailedAttempt) -> RelatedEpisode:
    rest = [part for part in one.state.split(", ") if not part.startswith("reverted by ")]
    text = revert_text(attempt.change, attempt.after)
    if attempt.change.how is RevertKind.FIX_GONE:  # what remains of the commit itself, then the other commit
        return replace(one, state="; ".join([*filter(None, rest), text]))
    return replace(one, kind="tried", state=", ".join([text, *filter(None, rest)]))


def failed_attempts(snapshot: Snapshot, changes: Sequence[RevertedChange]) -> list[FailedAttempt]:
    """Reverted changes with their commits, and with the reason that the later commit gives."""
    wanted = {commit for change in changes for commit in (change.commit, change.by)}
    by_commit = snapshot.episodes_by_commit(sorted(wanted))
    known = [each for each in changes if each.commit in by_commit and each.by in by_commit]
    pairs = [FailedAttempt(each, by_commit[each.commit], by_commit[each.by]) for each in known]
    return [_with_reason(each) for each in pairs if _is_complete(each)]


def _is_complete(one: FailedAttempt) -> bool:
    is_unstated = one.change.how is RevertKind.REVERTED and not one.after.reverts
    return not is_unstated or touches_same_files(one.before, one.after)


def _with_reason(one: FailedAttempt) -> FailedAttempt:
    """With the later commit's reason; a commit that did more than revert must name a symbol in it."""
    names = [symbol.rpartition(":")[2] for symbol in one.change.symbols]
    reason = reason_of(one.after.body, names if one.change.how is RevertKind.REMOVED else None)
    return replace(one, change=replace(one.change, reason=reason))
