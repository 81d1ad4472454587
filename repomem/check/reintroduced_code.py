"""Code that a change reintroduces after a fix or a revert removed it; it needs git, but no index.

The fixes and reverts in the history of the changed files are compared with the change, line by line. Lines that a later
commit added again do not count, since they are intended.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile

from repomem.adapters.git.hunks import touched
from repomem.adapters.git.log import commits_touching, log
from repomem.check.change import CheckedChange
from repomem.check.findings import CheckFinding, Fault, Level
from repomem.check.reintroduced_lines import (
    FileEdit,
    Reversal,
    edit_of,
    edited_places,
    hashes_of,
    is_reportable,
    is_whole_commit,
    reversal,
)
from repomem.core.grouping import runs_of
from repomem.core.secrets.redact import redact
from repomem.core.text.counts import are, counted
from repomem.core.text.lazy_pattern import lazy_pattern
from repomem.core.types.commits import Episode, Hunk, short_hash
from repomem.history.changes import is_followed
from repomem.history.lines.patch_lines import line_hash
from repomem.history.log_parsing import BULK_FILES, episode_of
from repomem.history.messages import is_fix, is_stated_revert, reason_of, restructures

MOST_PATHS = 300  # source files of a change that are compared
MOST_COMMITS = 3_000  # of their history, the newest
MOST_REMOVALS = 400  # fixes and reverts among them whose patches are read, the newest
MOST_NAMES = 3  # renames of one file that are followed
LINES_SHOWN = 3
NEAR = 10  # lines between two that still count as one place

_ON_PURPOSE = lazy_pattern(
    r"(?i)\b(?:re-?land|re-?appl|re-?introduc|re-?instat|revert|undo|restore|roll(?:s|ed|ing)? back|back to\b)"
)
_FIXES = lazy_pattern(r"(?i)\bfix(?:e[sd])?:?\s(?:(?:for|issue|bug) )?(?:#|gh-)\d")


@dataclass(frozen=True, slots=True)
class _FileHistories:
    """The history of the changed files: commits newest first, and each earlier name of a file with its present path."""

    episodes: Sequence[Episode]
    names: Mapping[str, str]


def reintroduced_code(change: CheckedChange) -> list[CheckFinding]:
    """The fixes and reverts that the change undoes, newest first."""
    paths = [path for path in change.by_path if is_followed(path)][:MOST_PATHS]
    edits = _edits(change, paths)
    if not edits:
        return []
    past = _histories(change, list(edits))
    removals = [one for one in past.episodes if _is_fix_or_revert(one)][:MOST_REMOVALS]
    hunks = _hunks_of(change, [one.commit for one in removals], past.names)
    claimed: set[tuple[str, int]] = set()
    found = []
    for episode in removals:
        spots = {path: edited_places(list(each)) for path, each in hunks.get(episode.commit, {}).items()}
        undone = [one for path, each in spots.items() if path in edits and (one := reversal(edits[path], each))]
        returns = _still_out(change, past, episode, undone)
        fresh = [one for one in returns if not claimed.issuperset((one.path, line) for line in one.back)]
        if is_reportable(fresh, change.time - episode.time):
            claimed |= {(one.path, line) for one in fresh for line in one.back}
            is_again = bool(_is_revert(episode)) and is_whole_commit(edits, spots)
            found.append(_finding(change, episode, fresh, edits, is_again=is_again))
    return found


def _edits(change: CheckedChange, paths: Sequence[str]) -> dict[str, FileEdit]:
    """The edit of each file that gains meaningful lines."""
    texts = change.texts_before(paths)
    found = {}
    for path in paths:
        before = {line_hash(line) for line in texts.get(path, "").splitlines()}
        put = edit_of(path, change.by_path[path], before, change.removed)
        if put.added:
            found[path] = put
    return found


def _histories(change: CheckedChange, paths: Iterable[str]) -> _FileHistories:
    """The commits before the change that touched its files, under all their names."""
    names = {change.old_path(path): path for path in paths}
    base, asked = change.range.base, set[str]()
    records: dict[str, Episode] = {}
    for _ in range(MOST_NAMES):
        fresh = [name for name in names if name not in asked]
        asked |= set(fresh)
        commits = commits_touching(change.repository, base, fresh, MOST_COMMITS)
        for record in log(change.repository, [each for each in commits if each not in records]):
            records[record.commit] = episode_of(record)
        for file in (file for each in records.values() for file in each.files):
            if file.status == "R" and file.path in names:
                names.setdefault(file.old_path, names[file.path])
    ordered = sorted(records.values(), key=lambda one: -one.time)  # stable: git's order within a second
    return _FileHistories(ordered, names)


def _is_fix_or_revert(episode: Episode) -> bool:
    """Whether a commit is a fix or a revert by its message, and small enough to be nothing else."""
    if episode.is_merge or episode.is_bulk or len(episode.files) > BULK_FILES:
        return False
    is_by_message = is_fix(episode.subject, episode.kind) or _FIXES.search(episode.subject)
    return _is_revert(episode) or (bool(is_by_message) and not restructures(episode.subject))


def _is_revert(episode: Episode) -> bool:
    return bool(episode.reverts) or is_stated_revert(episode.subject)


def _hunks_of(
    change: CheckedChange, commits: Sequence[str], names: Mapping[str, str]
) -> dict[str, dict[str, list[Hunk]]]:
    """The hunks of each commit in the changed files, by present path."""
    found: dict[str, dict[str, list[Hunk]]] = {}
    for hunk in touched(change.repository, commits):
        if hunk.path in names:
            found.setdefault(hunk.commit, {}).setdefault(names[hunk.path], []).append(hunk)
    return found


def _still_out(
    change: CheckedChange, past: _FileHistories, episode: Episode, returns: Sequence[Reversal]
) -> list[Reversal]:
    """The reversals without lines that a later commit added again."""
    if not returns:
        return []
    later = [each.commit for each in takewhile(lambda each: each.commit != episode.commit, past.episodes)]
    again: dict[str, set[int]] = {}
    for by_path in _hunks_of(change, later, past.names).values():
        for path, hunks in by_path.items():
            again.setdefault(path, set()).update(key for hunk in hunks for key in hashes_of(hunk.added))
    return [one for one in returns if one.back.isdisjoint(again.get(one.path, ()))]


def _finding(
    change: CheckedChange,
    episode: Episode,
    returns: Sequence[Reversal],
    edits: Mapping[str, FileEdit],
    *,
    is_again: bool,
) -> CheckFinding:
    main = max(returns, key=lambda one: (len(one.back), one.path))
    numbers = {edits[main.path].added[key]: key for key in main.back}
    place = max(runs_of(numbers, NEAR), key=len)
    texts = _texts(change, main.path)
    lines = tuple(redact(texts[number].strip()) for number in sorted(numbers) if number in texts)[:LINES_SHOWN]
    is_meant = _is_on_purpose(change, episode, [one.path for one in returns])
    return CheckFinding(
        fault=Fault.AGAIN if is_again else Fault.BACK,
        level=Level.NOTE if is_meant else Level.WARNING,
        id=short_hash(episode.commit),
        source="commit",
        date=episode.date,
        author=redact(episode.author),
        said=redact(episode.subject),
        path=main.path,
        why=redact(_why(episode, returns, is_again=is_again, is_meant=is_meant)),
        start_line=place[0],
        end_line=place[-1],
        reason=redact(reason_of(episode.body)),
        lines=lines,
    )


def _why(episode: Episode, returns: Sequence[Reversal], *, is_again: bool, is_meant: bool) -> str:
    back, gone = sum(len(one.back) for one in returns), sum(len(one.gone) for one in returns)
    verb = "reverted" if _is_revert(episode) else "fixed"
    returned = f"{counted(back, 'line')} that it removed {are(back)} back"
    taken = f", {gone} that it added {'are' if gone > 1 else 'is'} removed" if gone else ""
    elsewhere = f", in {len(returns)} files" if len(returns) > 1 else ""
    whole = "fully reverted: " if is_again else ""
    purpose = "; the commit message announces it" if is_meant else ""
    return f"{verb} on {episode.date}; {whole}{returned}{taken}{elsewhere}{purpose}"


def _texts(change: CheckedChange, path: str) -> dict[int, str]:
    """The added lines of a file by number."""
    return {number: line for hunk in change.by_path[path] for number, line in enumerate(hunk.added, start=hunk.start)}


def _is_on_purpose(change: CheckedChange, episode: Episode, paths: Iterable[str]) -> bool:
    """Whether a commit of the change names the undone commit, or announces a revert of these files."""
    names = {name for path in paths for name in (path, change.old_path(path))}
    return any(
        _names(one, episode)
        or ((one.reverts or _ON_PURPOSE.search(one.subject)) and not names.isdisjoint(file.path for file in one.files))
        for one in change.episodes
    )


def _names(one: Episode, other: Episode) -> bool:
    said = f"{one.subject}\n{one.body}"
    if other.pull_request and re.search(rf"[#!]{other.pull_request}\b", said):
        return True
    return short_hash(other.commit) in said or (len(other.subject.split()) > 2 and other.subject in one.body)
