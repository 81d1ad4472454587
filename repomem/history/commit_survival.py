"""How much of each commit is still in the code, wherever its lines were moved to.

Of a commit that was read whole the records prove a move. Of another one its patch is read again, without limits: a line
was moved if its old file has fewer copies after the commit than before, and the other file more.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence, Set as AbstractSet
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain, groupby
from types import MappingProxyType

from repomem.adapters.git.hunks import HUNKS_KEPT, line_changes
from repomem.adapters.git.log import first_parent
from repomem.adapters.languages.classify import is_lock_file
from repomem.adapters.languages.definition_lines import is_source_code
from repomem.adapters.languages.file_roles import CHANGELOG, is_settings
from repomem.core.errors import GitError
from repomem.core.types.commits import Episode, Hunk
from repomem.history.change_history import ChangeHistory, change_history_of
from repomem.history.changes import is_followed
from repomem.history.lines.copies import UNKNOWN
from repomem.history.lines.patch_lines import is_meaningful, line_hash
from repomem.history.lines.survival import Fate, LineSurvival, is_counted, line_survival
from repomem.history.patches import patch_cache_of
from repomem.workspace.snapshot import Snapshot

MOST_MOVES = 3  # of lines from file to file that are followed
MOVED = 0.5  # share of the lines that a commit took out of a file, to be moved to another and not removed

INLINE_TESTS = "#[cfg(test)]"  # the line above the module of tests in a source file of Rust
TRACED = 0.5  # share of a commit's lines in a file whose removers are recorded


def with_patch(episodes: Iterable[Episode]) -> list[str]:
    """The commits whose patches are read."""
    return [episode.commit for episode in episodes if not episode.is_bulk]


def survival_of(snapshot: Snapshot, episodes: Collection[Episode]) -> dict[str, LineSurvival]:
    """The line survival of each commit, without lock files; empty if the clone lacks an object.

    Tests and change logs outlive the code that they came with, so lines of tests count only if the commit added no
    code, and lines of a change log only if it added nothing else.
    """
    try:
        read = patch_cache_of(snapshot).hunks(with_patch(episodes))
    except GitError:
        return {}
    code = (hunk for hunk in read if _is_source(hunk.path))
    with_code = {hunk.commit for hunk in code if any(is_counted(line.strip()) for line in hunk.added)}
    aside = {at for at, hunk in enumerate(read) if _is_aside(hunk, with_code)}
    logs = {at for at, hunk in enumerate(read) if CHANGELOG.fullmatch(hunk.path)}
    with_more = {hunk.commit for at, hunk in enumerate(read) if hunk.added and at not in aside | logs}
    aside |= {at for at in logs if read[at].commit in with_more}
    counted = {at: _without_inline_tests(hunk) for at, hunk in enumerate(read) if at not in aside}
    hunks = list(counted.values())
    history = change_history_of(snapshot)
    now = _lines_now(history, dict.fromkeys(hunk.path for hunk in hunks))
    recorded = _RecordedLines(history)
    found = line_survival(hunks, now, recorded.fate_of)
    by_commit = {commit: list(own) for commit, own in groupby(hunks, key=lambda hunk: hunk.commit)}
    for commit in [commit for commit, one in found.items() if not one.is_whole]:
        own = by_commit[commit]
        if moved := _lines_elsewhere(history, commit, own):
            paths = now.keys() | moved.keys()
            lines = {path: (*(now.get(path) or ()), *moved.get(path, ())) for path in paths}
            hashes = {path: set(map(line_hash, texts)) for path, texts in moved.items()}
            found |= line_survival(own, lines, partial(recorded.fate_of, moved=hashes))
        if not _is_traced(history, commit, own):
            found[commit] = replace(found[commit], is_traced=False)
    lost = [episode for episode in episodes if episode.commit in found and found[episode.commit].is_lost]
    for episode in lost:  # a file that was only renamed has no hunk
        if any(history.live_places([each.path for each in episode.files]).values()):
            found[episode.commit] = replace(found[episode.commit], is_lost=False)
    counts = Counter(hunk.commit for hunk in read)
    partly = {hunk.commit for at, hunk in enumerate(read) if hunk.added and counted.get(at) is not hunk} & with_code
    return {
        commit: replace(one, is_cut=one.is_cut or counts[commit] >= HUNKS_KEPT, is_source=commit in partly)
        for commit, one in found.items()
    }


def _is_source(path: str) -> bool:
    """Whether a file is source code, and not the settings of a build, which contain no feature."""
    return is_source_code(path) and not is_settings(path)


def _is_aside(hunk: Hunk, with_code: AbstractSet[str]) -> bool:
    """Whether a hunk does not count: in a lock file (equal lines belong to other packages), or not code beside code."""
    return is_lock_file(hunk.path) or (hunk.commit in with_code and not _is_source(hunk.path))


def _without_inline_tests(hunk: Hunk) -> Hunk:
    """A hunk without the tests that Rust has at the end of a source file."""
    start = hunk.added.index(INLINE_TESTS) if hunk.path.endswith(".rs") and INLINE_TESTS in hunk.added else None
    return hunk if start is None else replace(hunk, lines=hunk.lines[: hunk.removed + start])


@dataclass(frozen=True, slots=True)
class _RecordedLines:
    """What happened to the lines that commits added, even if the file has other equal lines."""

    history: ChangeHistory
    symbols: dict[tuple[tuple[str, ...], str], Mapping[int, set[str]]] = field(default_factory=dict)

    def fate_of(self, hunk: Hunk, line: str, moved: Mapping[str, set[int]] = MappingProxyType({})) -> Fate:
        """Whether a line that a hunk added was removed later, and is not among the lines `moved` elsewhere."""
        if not is_followed(hunk.path) or not is_meaningful(line):
            return Fate.UNKNOWN
        names, name = self.history.names_of(hunk.path), line_hash(line)
        wrote = self._symbols_of(names, hunk.commit).get(name)
        if not wrote or name in moved.get(hunk.path, ()):
            return Fate.UNKNOWN
        copies = self.history.copies_of(names).get(name, ())
        if any(one.commit == hunk.commit for one in copies):
            return Fate.KEPT
        is_perhaps_own = any(one.commit == UNKNOWN or one.symbol in wrote for one in copies)
        return Fate.UNKNOWN if is_perhaps_own else Fate.TAKEN

    def _symbols_of(self, names: tuple[str, ...], commit: str) -> Mapping[int, set[str]]:
        """The symbols in which a commit wrote each line of a file; none for a commit without records."""
        key = names, commit
        if key not in self.symbols:
            found: dict[int, set[str]] = defaultdict(set)
            for change in self.history.changes_of(names):
                if change.commit == commit:
                    for line in change.put_in:
                        found[line].add(change.symbol)
            self.symbols[key] = found
        return self.symbols[key]


def _is_traced(history: ChangeHistory, commit: str, hunks: Sequence[Hunk]) -> bool:
    """Whether it is recorded for each file, as for source code, which commits removed the lines that this one added."""
    paths = {hunk.path for hunk in hunks if hunk.added}
    return all(is_followed(path) and _is_traced_in(history, commit, history.names_of(path)) for path in paths)


def _is_traced_in(history: ChangeHistory, commit: str, names: tuple[str, ...]) -> bool:
    """The same of one file; a commit that was not read whole may have moved the lines that it took out."""
    lost = [loss.lines for loss in history.losses_of(names) if loss.commit == commit]
    if not lost or _unread_removers(history, commit, names):
        return False
    wrote = (change.written for change in history.changes_of(names) if change.commit == commit)
    return len(set[int]().union(*lost)) >= TRACED * len(set[int]().union(*wrote))


def _lines_now(history: ChangeHistory, paths: Iterable[str]) -> dict[str, tuple[str, ...] | None]:
    """The lines of each path that is found, under any of its names; None for one that cannot be read."""
    found: dict[str, tuple[str, ...] | None] = {}
    for path, live in history.live_places(paths).items():
        texts = [lines for each in live if (lines := history.lines_of(each)) is not None]
        if live:
            found[path] = tuple(chain.from_iterable(texts)) if texts else None
    return found


def _lines_elsewhere(history: ChangeHistory, commit: str, hunks: Sequence[Hunk]) -> dict[str, tuple[str, ...]]:
    """For each path that the commit changed, the lines of the files to which later commits moved its lines."""
    if commit not in history.commits:
        return {}
    found = {}
    for path in dict.fromkeys(hunk.path for hunk in hunks):
        own = history.names_of(path)  # moves within it are possible, but its lines are counted already
        others = dict.fromkeys(other for other in _moved_to(history, commit, path) if other not in own)
        live = dict.fromkeys(chain.from_iterable(history.live_places(others).values()))
        if others:
            found[path] = tuple(chain.from_iterable(map(history.texts_of, live)))
    return found


def _moved_to(history: ChangeHistory, commit: str, path: str, moves: int = MOST_MOVES) -> Iterator[str]:
    """The paths to which the lines that a commit added in a file were moved, by the commits that took them out."""
    names = history.names_of(path)
    taken: dict[str, set[int]] = defaultdict(set)
    for loss in history.losses_of(names):
        if loss.commit == commit:
            taken[loss.by] |= loss.left_as
    unread = _unread_removers(history, commit, names)
    wrote = {line for change in history.changes_of(names) if change.commit == commit for line in change.put_in}
    for by in sorted(unread):
        copies = _copies_added(history, by)
        gone = {line for name in names for line, count in copies.get(name, {}).items() if count < 0}
        taken[by] = gone & (wrote | taken[by])
    for by, lines in taken.items():
        added = _lines_added(history, by, is_read=by not in unread)
        same = {other: new & lines for other, new in added.items()}
        if len(set[int]().union(*same.values())) >= MOVED * len(lines):
            for other in sorted(other for other, common in same.items() if common):
                yield other
                if moves > 1:
                    yield from _moved_to(history, by, other, moves - 1)


def _unread_removers(history: ChangeHistory, commit: str, names: tuple[str, ...]) -> set[str]:
    """The later commits that took lines out of a file, and of which not all lines were read."""
    order = history.recorded.order
    changes = history.changes_of(names)
    by = {change.commit for change in changes if change.removed and order[change.commit] > order[commit]}
    return {commit for commit in by if history.commits[commit].is_cut}


def _lines_added(history: ChangeHistory, commit: str, *, is_read: bool) -> Mapping[str, set[int]]:
    """The lines, by their hash, that a commit added to each path."""
    if not is_read:
        copies = _copies_added(history, commit)
        return {path: {line for line, count in lines.items() if count > 0} for path, lines in copies.items()}
    added: dict[str, set[int]] = defaultdict(set)
    for part in history.snapshot.workspace.catalog.changes.of_commits([commit]):
        added[part.path].update(part.put_in)
    return added


def _copies_added(history: ChangeHistory, commit: str) -> Mapping[str, Mapping[int, int]]:
    """By path and hash, how many more copies of each line a file has after a commit, or how many fewer.

    Nothing if this clone lacks an object.
    """
    if commit not in history.copies_added:
        repository = history.snapshot.workspace.repository
        found: dict[str, Counter[int]] = defaultdict(Counter)
        with suppress(GitError):
            if parent := first_parent(repository, commit):
                for hunk in line_changes(repository, parent, commit):
                    found[hunk.path].update(map(line_hash, hunk.added))
                    found[hunk.path].subtract(map(line_hash, hunk.removed_lines))
        history.copies_added[commit] = found
    return history.copies_added[commit]
