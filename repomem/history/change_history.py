"""The recorded changes of the newest commits, and which of their lines are still in the code."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain

from repomem.adapters.sqlite.changes import CommitSummary, SymbolChange
from repomem.history.lines.copies import LineCopy, line_copies
from repomem.history.lines.lost import LostLines, lost_lines
from repomem.history.lines.patch_lines import compact, line_hash
from repomem.history.live_files import existing, live_lines, live_paths_of
from repomem.workspace.cache import CacheKey
from repomem.workspace.snapshot import Snapshot


@dataclass(frozen=True, slots=True)
class RecordedCommits:
    """The newest commits that the head can reach."""

    by_id: Mapping[str, CommitSummary]  # newest first
    order: Mapping[str, int]  # of a commit: its place, oldest first
    files: Mapping[str, tuple[str, ...]]  # a path that was ever renamed to all names of its file


RECORDED_COMMITS = CacheKey[RecordedCommits]("commits")


@dataclass(slots=True)
class ChangeHistory:
    """The newest commits with their line changes, read file by file."""

    snapshot: Snapshot
    recorded: RecordedCommits
    _now: dict[str, frozenset[int]] = field(default_factory=dict)
    _texts: dict[str, tuple[str, ...] | None] = field(default_factory=dict)
    _changes: dict[tuple[str, ...], list[SymbolChange]] = field(default_factory=dict)
    _losses: dict[tuple[str, ...], list[LostLines]] = field(default_factory=dict)
    _copies: dict[tuple[str, ...], Mapping[int, Sequence[LineCopy]]] = field(default_factory=dict)
    landed: dict[tuple[str, str], str] = field(default_factory=dict)  # kept by `landed_again`
    copies_added: dict[str, Mapping[str, Mapping[int, int]]] = field(default_factory=dict)  # kept by `commit_survival`

    @property
    def commits(self) -> Mapping[str, CommitSummary]:
        """The commits, newest first."""
        return self.recorded.by_id

    def names_of(self, path: str) -> tuple[str, ...]:
        """All names that the file at this path ever had."""
        return self.recorded.files.get(path, (path,))

    def changes_of(self, names: tuple[str, ...]) -> list[SymbolChange]:
        """The changes of a file under all its names, oldest first."""
        if names not in self._changes:
            order = self.recorded.order
            changes = [c for c in self.snapshot.workspace.catalog.changes.of_paths(names) if c.commit in order]
            changes.sort(key=lambda change: (order[change.commit], change.path, change.symbol))
            self._changes[names] = changes
        return self._changes[names]

    def losses_of(self, names: tuple[str, ...]) -> list[LostLines]:
        """The lines of a file, under all its names, that one commit added and a later one removed."""
        if names not in self._losses:
            self._losses[names] = lost_lines(self.changes_of(names))
        return self._losses[names]

    def copies_of(self, names: tuple[str, ...]) -> Mapping[int, Sequence[LineCopy]]:
        """The copies of each line of a file, under all its names, that the recorded changes leave, by its hash."""
        if names not in self._copies:
            self._copies[names] = line_copies(self.changes_of(names))
        return self._copies[names]

    def now(self, path: str) -> frozenset[int]:
        """The current lines of the file, whatever its name is now; if it is gone, those of files of the same name."""
        if path not in self._now:
            self._now[path] = frozenset(map(line_hash, self._lines_now(path)))
        return self._now[path]

    def text_now(self, path: str) -> bytes:
        """The current lines of the file, as `now` finds it, without what formatters change, joined."""
        return b"".join(map(compact, self._lines_now(path)))

    def _lines_now(self, path: str) -> Iterator[str]:
        places = self.live_names_of(path) or live_paths_of(self.snapshot, [path])[path]
        return chain.from_iterable(map(self.texts_of, places))

    def live_places(self, paths: Iterable[str]) -> dict[str, list[str]]:
        """Each path to the live names of its file; if it is gone, to the live files of the same name."""
        paths = list(paths)
        existing(self.snapshot, chain(paths, *map(self.names_of, paths)))  # git is asked once for all of them
        found = live_paths_of(self.snapshot, paths)
        return {path: (live if path in live else self.live_names_of(path)) or live for path, live in found.items()}

    def live_names_of(self, path: str) -> list[str]:
        return existing(self.snapshot, self.names_of(path))

    def texts_of(self, path: str) -> tuple[str, ...]:
        """The stripped lines of a live file in order; none if it cannot be read."""
        return self.lines_of(path) or ()

    def lines_of(self, path: str) -> tuple[str, ...] | None:
        """The stripped lines of a live file in order; None if it cannot be read."""
        if path not in self._texts:
            self._texts[path] = live_lines(self.snapshot, path)
        return self._texts[path]


def change_history_of(snapshot: Snapshot) -> ChangeHistory:
    """The history of the commits that this head can reach."""
    workspace = snapshot.workspace
    renamed = tuple((old, new) for new, old in snapshot.renamed.items())
    source = workspace.catalog.moment, snapshot.worktree.history, len(snapshot.history.episodes), renamed
    return ChangeHistory(snapshot, workspace.cache.get(RECORDED_COMMITS, source, lambda: _recorded(snapshot, renamed)))


def _recorded(snapshot: Snapshot, renamed: Sequence[tuple[str, str]]) -> RecordedCommits:
    newest = snapshot.workspace.loaded.config.history.symbol_commits
    changes = snapshot.workspace.catalog.changes
    commits = {commit.commit: commit for commit in changes.commits(snapshot.history.episodes[:newest])}
    return RecordedCommits(
        commits, {commit: -at for at, commit in enumerate(commits)}, _names([*changes.renames(), *renamed])
    )


def _names(renames: Iterable[tuple[str, str]]) -> dict[str, tuple[str, ...]]:
    """Each renamed path to all names of its file, sorted."""
    groups: dict[str, set[str]] = {}
    for old, new in renames:
        joined = groups.get(old, {old}) | groups.get(new, {new})
        groups |= dict.fromkeys(joined, joined)
    return {path: tuple(sorted(names)) for path, names in groups.items()}
