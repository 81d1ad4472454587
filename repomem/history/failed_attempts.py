"""What was tried here and came to nothing: found from the recorded changes of the files that a task goes to.

Nothing is computed when the repository is indexed but the hashes of lines that each commit put in and took out; what
became of them is asked of a few files at a time, against the work tree as it is now.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain

from repomem.adapters.languages.definition_lines import defined_name
from repomem.brief.lines import what_undid
from repomem.core.changes import Change, Committed
from repomem.core.types import Episode, Undoing, Undone
from repomem.core.words import DEFINES, stem, stems_of, whole
from repomem.history.changes import is_followed
from repomem.history.episodes import Told, episodes_by_commit, lines_now, places_now
from repomem.history.lines import line_hash
from repomem.history.lost_lines import (
    Loss,
    Story,
    along_first_parents,
    goes_as_far,
    losses,
    neighbours,
    undoings,
    worth_judging,
)
from repomem.history.messages import reason_of
from repomem.ranking.query import Query
from repomem.workspace.cache import CacheKey
from repomem.workspace.snapshot import Snapshot

PLACES_ASKED = 4  # of a brief, from the first: what was undone further down is not what the task is about
FILES_OF_TOLD = 4  # source files of an episode that is told, up to which they are looked through
SHOWN = 3  # lines of a brief beside the episodes that are told anyway
SHARED_WORDS = 2  # of the question, by which an attempt in the same file, but in none of its symbols, may be shown


@dataclass(frozen=True, slots=True)
class Setback:
    """An undoing with the two commits that it is about."""

    undoing: Undoing
    before: Episode
    after: Episode


@dataclass(frozen=True, slots=True)
class Commits:
    """What is recorded of a history's newest commits."""

    by_id: Mapping[str, Committed]  # newest first
    order: Mapping[str, int]  # of a commit: its place, oldest first
    files: Mapping[str, tuple[str, ...]]  # a path that was ever renamed to all names of its file


@dataclass(slots=True)
class Record:
    """What is recorded of a history's newest commits, and what stands of their lines."""

    snapshot: Snapshot
    recorded: Commits
    _now: dict[tuple[str, ...], frozenset[int]] = field(default_factory=dict)
    _texts: dict[str, set[str]] = field(default_factory=dict)
    _changes: dict[tuple[str, ...], list[Change]] = field(default_factory=dict)

    @property
    def commits(self) -> Mapping[str, Committed]:
        """The commits, newest first."""
        return self.recorded.by_id

    def names_of(self, path: str) -> tuple[str, ...]:
        """All names that the file of this path ever had."""
        return self.recorded.files.get(path, (path,))

    def changes_of(self, names: tuple[str, ...]) -> list[Change]:
        """What these commits did to a file, oldest first."""
        if names not in self._changes:
            order = self.recorded.order
            changes = [c for c in self.snapshot.workspace.catalog.changes.of_paths(names) if c.commit in order]
            changes.sort(key=lambda change: (order[change.commit], change.path, change.symbol))
            self._changes[names] = changes
        return self._changes[names]

    def now(self, path: str) -> frozenset[int]:
        """The lines of the file of this path as it is now, under whatever name; where it is gone, of its namesakes."""
        names = self.names_of(path)
        if names not in self._now:
            texts = map(self.texts_of, self.places_of(path) or places_now(self.snapshot, [path])[path])
            self._now[names] = frozenset(map(line_hash, chain.from_iterable(texts)))
        return self._now[names]

    def places_of(self, path: str) -> list[str]:
        """The names of the file of this path that are live."""
        return [name for name in self.names_of(path) if name in self.snapshot.tree.paths]

    def texts_of(self, path: str) -> set[str]:
        """The stripped lines of a live file."""
        if path not in self._texts:
            self._texts[path] = lines_now(self.snapshot, path)
        return self._texts[path]


COMMITS = CacheKey[Commits]("commits")


def record_of(snapshot: Snapshot) -> Record:
    """The record of the commits that this head can reach."""
    workspace = snapshot.workspace
    source = workspace.catalog.moment, snapshot.worktree.history, len(snapshot.history.episodes)
    return Record(snapshot, workspace.cache.get(COMMITS, source, lambda: _commits(snapshot)))


def _commits(snapshot: Snapshot) -> Commits:
    newest = snapshot.workspace.loaded.config.history.symbol_commits
    changes = snapshot.workspace.catalog.changes
    commits = {commit.commit: commit for commit in changes.commits(snapshot.history.episodes[:newest])}
    return Commits(commits, {commit: -at for at, commit in enumerate(commits)}, _families(changes.renames()))


def undone_in(record: Record, paths: Iterable[str]) -> list[Undoing]:
    """What was undone in these files, the newest undoing first; never by a commit that the head cannot reach."""
    found: dict[tuple[str, str, str, str], Loss] = {}
    for names in dict.fromkeys(map(record.names_of, filter(is_followed, paths))):
        changes = record.changes_of(names)
        for loss in worth_judging(losses(changes), changes, record.commits):
            if not loss.left_as <= record.now(loss.path):
                found[loss.commit, loss.by, loss.path, loss.symbol] = loss
    undone = undoings(list(found.values()), _story(record, list(found.values()))) if found else []
    return [each for each in undone if each.how is not Undone.REMOVED or not _lives_elsewhere(record, each)]


def _lives_elsewhere(record: Record, undoing: Undoing) -> bool:
    """Whether a symbol that left its file is defined in another one today: it went there in another form."""
    here = {defined_name(path, line) for path in record.places_of(undoing.path) for line in record.texts_of(path)}
    gone = {symbol.rpartition(":")[2] for symbol in undoing.symbols} - here
    counted = record.snapshot.view.file_words.frequencies(DEFINES + whole(name) for name in gone)
    return any(counted.values())


def setbacks_for(
    record: Record, query: Query, places: Sequence[tuple[str, str]], told: Sequence[Told]
) -> list[Setback]:
    """What came to nothing in the places (path and symbol) of a brief that come first, and of the episodes told."""
    first = places[:PLACES_ASKED]
    sources = [[file.path for file in one.episode.files if is_followed(file.path)] for one in told]
    of_told = [path for paths in sources if len(paths) <= FILES_OF_TOLD for path in paths]
    found = undone_in(record, [*(path for path, _ in first), *of_told])
    shown = {one.episode.commit for one in told}
    symbols = {(name, symbol.rpartition(".")[2]) for path, symbol in first for name in record.names_of(path)}
    files = {name for path, _ in first for name in record.names_of(path)}
    beside = [(_bearing(record, query, each, symbols, files), each) for each in found if each.commit not in shown]
    best = sorted((one for one in beside if one[0]), key=lambda one: -one[0])[:SHOWN]
    return setbacks(record.snapshot, [*(each for each in found if each.commit in shown), *(each for _, each in best)])


def _bearing(
    record: Record, query: Query, undoing: Undoing, symbols: Collection[tuple[str, str]], files: Collection[str]
) -> int:
    """How much an undoing has to do with the task; 0 where it is not worth a line."""
    stems = {stem(word) for word in query.words}
    said = f"{record.commits[undoing.commit].subject} {' '.join(undoing.symbols)}"
    shared = len(stems & stems_of(said))
    is_at = any(tuple(symbol.rsplit(":", 1)) in symbols for symbol in undoing.symbols)
    if undoing.how is Undone.FIX_GONE:
        return (1 + shared) * is_at
    return 1 + shared + is_at if is_at or (undoing.path in files and shared >= SHARED_WORDS) else 0


def retold(told: Sequence[Told], found: Sequence[Setback]) -> list[Told]:
    """The episodes with what undid them in front of their state."""
    by_commit = {each.undoing.commit: each for each in reversed(found)}
    return [_retold(one, by_commit[one.episode.commit]) if one.episode.commit in by_commit else one for one in told]


def _retold(one: Told, setback: Setback) -> Told:
    rest = [part for part in one.state.split(", ") if not part.startswith("reverted by ")]
    kind = one.kind if setback.undoing.how is Undone.FIX_GONE else "tried"
    return replace(
        one, kind=kind, state=", ".join([what_undid(setback.undoing, setback.after.date), *filter(None, rest)])
    )


def setbacks(snapshot: Snapshot, found: Sequence[Undoing]) -> list[Setback]:
    """Undoings with their commits, and with the reason that the later one gives."""
    wanted = {commit for undoing in found for commit in (undoing.commit, undoing.by)}
    by_commit = episodes_by_commit(snapshot, sorted(wanted))
    known = [each for each in found if each.commit in by_commit and each.by in by_commit]
    pairs = [Setback(each, by_commit[each.commit], by_commit[each.by]) for each in known]
    return [_with_reason(each) for each in pairs if _is_undone_whole(each)]


def _is_undone_whole(one: Setback) -> bool:
    is_silent = one.undoing.how is Undone.REVERTED and not one.after.reverts
    return not is_silent or goes_as_far(one.before, one.after)


def _with_reason(one: Setback) -> Setback:
    """With the reason that the later commit gives; one that did more than undo must name what it speaks of."""
    names = [symbol.rpartition(":")[2] for symbol in one.undoing.symbols]
    reason = reason_of(one.after.body, names if one.undoing.how is Undone.REMOVED else None)
    return replace(one, undoing=replace(one.undoing, reason=reason))


def _story(record: Record, found: Sequence[Loss]) -> Story:
    near = neighbours(list(record.commits), {loss.by for loss in found})
    wanted = {loss.commit for loss in found}.union(*near.values())
    by_commit: dict[str, list[Change]] = {}
    for change in record.snapshot.workspace.catalog.changes.of_commits(sorted(wanted)):
        by_commit.setdefault(change.commit, []).append(change)
    along = along_first_parents(list(record.commits.values()))
    return Story(record.commits, by_commit, record.now, near, along)


def _families(renames: Iterable[tuple[str, str]]) -> dict[str, tuple[str, ...]]:
    """Each path that was renamed to all names that are joined with it by renames, sorted."""
    groups: dict[str, set[str]] = {}
    for old, new in renames:
        joined = groups.get(old, {old}) | groups.get(new, {new})
        groups |= dict.fromkeys(joined, joined)
    return {path: tuple(sorted(names)) for path, names in groups.items()}
