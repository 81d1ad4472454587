"""Reads the patches of commits once, for the symbols of their episodes and for their line changes."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import groupby

from repomem.adapters.git.hunks import HUNKS_KEPT, LINES_KEPT, touched
from repomem.adapters.languages.definition_lines import RULES
from repomem.adapters.languages.file_roles import role_of, suffix_of
from repomem.adapters.sqlite.changes import CommitSummary, SymbolChange
from repomem.core.errors import GitError
from repomem.core.secrets.redact import redact
from repomem.core.types.code import Role
from repomem.core.types.commits import Episode, Hunk, LogRecord
from repomem.history.lines.patch_lines import changes_of
from repomem.history.log_parsing import BULK_FILES, episode_of, symbols_of
from repomem.workspace.workspace import Workspace

FEWEST_ASKED = 8  # commits; a batch with a missing blob is halved down to this size


@dataclass(slots=True)
class ReadCommits:
    """Commits as episodes, and the line changes of the newest."""

    episodes: list[Episode] = field(default_factory=list)
    commits: list[CommitSummary] = field(default_factory=list)
    changes: list[SymbolChange] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _Patch:
    symbols: tuple[str, ...]
    changes: list[SymbolChange]
    is_cut: bool
    is_removal_cut: bool


def read_changes(workspace: Workspace, records: Sequence[LogRecord], newest: set[str]) -> ReadCommits:
    """The commits as redacted episodes, with the line changes of the newest that change at most BULK_FILES files."""
    read = ReadCommits()
    patches = _patches(workspace, [r.commit for r in records if r.commit in newest and 0 < len(r.files) <= BULK_FILES])
    for record in records:
        is_bulk = len(record.files) > BULK_FILES
        patch = patches.get(record.commit, _Patch((), [], is_bulk, is_bulk))
        # Redacted before texts are cut, so that no part of a secret remains.
        clean = replace(record, author=redact(record.author), message=redact(record.message))
        episode = episode_of(clean, patch.symbols)
        read.episodes.append(episode)
        if record.commit in newest:
            stated = (episode.commit, episode.parents, episode.subject, episode.kind, episode.reverts)
            read.commits.append(CommitSummary(*stated, patch.is_cut, patch.is_removal_cut))
            read.changes += _with_renames(record, patch.changes)
    return read


@lru_cache(maxsize=1 << 12)  # asked for each hunk
def is_followed(path: str) -> bool:
    """Whether line changes of a file are recorded: of source code, but not of tests or texts."""
    return f".{suffix_of(path)}" in RULES and role_of(path, "", {}) is Role.SOURCE


def _patches(workspace: Workspace, commits: Sequence[str]) -> dict[str, _Patch]:
    """The patch of each commit, without commits near one whose blob is missing in this clone."""
    try:
        hunks = touched(workspace.repository, commits)
        return {commit: _patch(commit, list(group)) for commit, group in groupby(hunks, key=lambda hunk: hunk.commit)}
    except GitError:
        middle = len(commits) // 2
        if middle < FEWEST_ASKED:
            return {}
        return _patches(workspace, commits[:middle]) | _patches(workspace, commits[middle:])


def _patch(commit: str, hunks: Sequence[Hunk]) -> _Patch:
    is_long = len(hunks) >= HUNKS_KEPT
    is_cut = is_long or any(len(hunk.lines) >= LINES_KEPT for hunk in hunks)
    is_removal_cut = is_long or any(hunk.removed >= LINES_KEPT for hunk in hunks if is_followed(hunk.path))
    changes = changes_of(hunk for hunk in hunks if is_followed(hunk.path))
    return _Patch(symbols_of(hunks).get(commit, ()), changes, is_cut, is_removal_cut)


def _with_renames(record: LogRecord, changes: Sequence[SymbolChange]) -> Iterator[SymbolChange]:
    """The changes with commit and old path, and one for each file that was only renamed."""
    old_paths = {file.path: file.old_path for file in record.files if file.status == "R"}
    for change in changes:
        yield replace(change, commit=record.commit, old_path=old_paths.pop(change.path, ""))
    for path, old_path in old_paths.items():
        yield SymbolChange(record.commit, path, "", old_path=old_path)
