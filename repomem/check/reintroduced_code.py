"""What a change brings back that a fix or a revert had taken out: git alone is asked, no index.

The history of the changed files up to where the change starts tells which commits say that they fix or revert
something; what they did to lines is compared with what the change does. What stood in the file again since, a later
commit wanted: the fix says no more of it.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from repomem.adapters.git.hunks import touched
from repomem.adapters.git.log import commits_touching, log
from repomem.adapters.languages.episodes import BULK_FILES, episode_of
from repomem.check.change import CheckedChange
from repomem.check.findings import CheckFinding, Fault, Level
from repomem.check.reintroduced_lines import (
    EditedPlace,
    FileEdit,
    Reversal,
    hashes_of,
    is_whole,
    is_worth_telling,
    put_of,
    returned,
    spots_of,
)
from repomem.core.secrets.redact import redact
from repomem.core.types import SHORT_HASH, Episode, Hunk
from repomem.history.changes import is_followed
from repomem.history.lines import line_hash
from repomem.history.messages import is_fix, is_stated_revert, reason_of, restructures

MOST_PATHS = 300  # source files of a change that are compared, from the first
MOST_COMMITS = 3_000  # of their history, the newest
MOST_TAKEBACKS = 400  # fixes and reverts among them whose patches are read, the newest
MOST_NAMES = 3  # times that names of before are asked for: a file that was renamed more often is rare
LINES_SHOWN = 3
NEAR = 10  # lines between two that are told as one place

_ON_PURPOSE = re.compile(
    r"\b(?:re-?land|re-?appl|re-?introduc|re-?instat|revert|undo|restore|roll(?:s|ed|ing)? back|back to\b)",
    re.IGNORECASE,
)
_FIXES = re.compile(r"\bfix(?:e[sd])?:?\s(?:(?:for|issue|bug) )?(?:#|gh-)\d", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class _Past:
    """The history of the changed files: commits newest first, and each name that a file ever had to its path now."""

    episodes: Sequence[Episode]
    names: Mapping[str, str]


def reintroduced_code(change: CheckedChange) -> list[CheckFinding]:
    """The fixes and reverts that the change undoes, the newest first."""
    paths = [path for path in change.by_path if is_followed(path)][:MOST_PATHS]
    puts = _puts(change, paths)
    if not puts:
        return []
    past = _past(change, list(puts))
    takebacks = [one for one in past.episodes if _takes_out(one)][:MOST_TAKEBACKS]
    hunks = _hunks_of(change, [one.commit for one in takebacks], past.names)
    claimed: set[tuple[str, int]] = set()
    found = []
    for episode in takebacks:
        spots = {path: spots_of(list(each)) for path, each in hunks.get(episode.commit, {}).items()}
        returns = _still_out(change, past, episode, list(_returns(puts, spots)))
        fresh = [one for one in returns if not claimed.issuperset((one.path, line) for line in one.back)]
        if is_worth_telling(fresh, change.time - episode.time):
            claimed |= {(one.path, line) for one in fresh for line in one.back}
            is_again = bool(_is_revert(episode)) and is_whole(puts, spots)
            found.append(_finding(change, episode, fresh, puts, is_again=is_again))
    return found


def _puts(change: CheckedChange, paths: Sequence[str]) -> dict[str, FileEdit]:
    """What the change puts into each file, where it puts in anything that says something."""
    texts = change.texts_before(paths)
    found = {}
    for path in paths:
        before = {line_hash(line) for line in texts.get(path, "").splitlines()}
        put = put_of(path, change.by_path[path], before, change.removed)
        if put.added:
            found[path] = put
    return found


def _past(change: CheckedChange, paths: Iterable[str]) -> _Past:
    """The commits before the change that touched its files, under the names that they had."""
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
    return _Past(ordered, names)


def _takes_out(episode: Episode) -> bool:
    """Whether a commit says that it mends or takes back something, and is small enough to have done that alone."""
    if episode.is_merge or episode.is_bulk or len(episode.files) > BULK_FILES:
        return False
    is_mending = is_fix(episode.subject, episode.kind) or _FIXES.search(episode.subject)
    return _is_revert(episode) or (bool(is_mending) and not restructures(episode.subject))


def _is_revert(episode: Episode) -> bool:
    return bool(episode.reverts) or is_stated_revert(episode.subject)


def _hunks_of(
    change: CheckedChange, commits: Sequence[str], names: Mapping[str, str]
) -> dict[str, dict[str, list[Hunk]]]:
    """The hunks of each commit in the changed files, by the path of now."""
    found: dict[str, dict[str, list[Hunk]]] = {}
    for hunk in touched(change.repository, commits):
        if hunk.path in names:
            found.setdefault(hunk.commit, {}).setdefault(names[hunk.path], []).append(hunk)
    return found


def _returns(puts: Mapping[str, FileEdit], spots: Mapping[str, Sequence[EditedPlace]]) -> Iterator[Reversal]:
    for path, places in spots.items():
        if path in puts and (one := returned(puts[path], places)):
            yield one


def _still_out(change: CheckedChange, past: _Past, episode: Episode, returns: Sequence[Reversal]) -> list[Reversal]:
    """The returns without lines that stood in the file again since; none where too few are left."""
    if not returns:
        return []
    later = []
    for each in past.episodes:
        if each.commit == episode.commit:
            break
        later.append(each.commit)
    again: dict[str, set[int]] = {}
    for by_path in _hunks_of(change, later, past.names).values():
        for path, hunks in by_path.items():
            again.setdefault(path, set()).update(key for hunk in hunks for key in hashes_of(hunk.added))
    return [one for one in returns if one.back.isdisjoint(again.get(one.path, ()))]


def _finding(
    change: CheckedChange,
    episode: Episode,
    returns: Sequence[Reversal],
    puts: Mapping[str, FileEdit],
    *,
    is_again: bool,
) -> CheckFinding:
    main = max(returns, key=lambda one: (len(one.back), one.path))
    numbers = {puts[main.path].added[key]: key for key in main.back}
    start, end = _place(sorted(numbers))
    texts = _texts(change, main.path)
    lines = tuple(redact(texts[number].strip()) for number in sorted(numbers) if number in texts)[:LINES_SHOWN]
    is_meant = _is_on_purpose(change, episode, [one.path for one in returns])
    return CheckFinding(
        fault=Fault.AGAIN if is_again else Fault.BACK,
        level=Level.NOTE if is_meant else Level.WARNING,
        id=episode.commit[:SHORT_HASH],
        source="commit",
        date=episode.date,
        author=redact(episode.author),
        said=redact(episode.subject),
        path=main.path,
        why=redact(_why(episode, returns, is_again=is_again, is_meant=is_meant)),
        start_line=start,
        end_line=end,
        reason=redact(reason_of(episode.body)),
        lines=lines,
    )


def _why(episode: Episode, returns: Sequence[Reversal], *, is_again: bool, is_meant: bool) -> str:
    back, gone = sum(len(one.back) for one in returns), sum(len(one.gone) for one in returns)
    verb = "reverted" if _is_revert(episode) else "fixed"
    counted = f"{back} line{'s' * (back > 1)} that it took out {'are' if back > 1 else 'is'} back"
    taken = f", {gone} that it put in {'are' if gone > 1 else 'is'} gone" if gone else ""
    elsewhere = f", in {len(returns)} files" if len(returns) > 1 else ""
    whole = "all of it comes again: " if is_again else ""
    purpose = "; the change says so" if is_meant else ""
    return f"{verb} on {episode.date}; {whole}{counted}{taken}{elsewhere}{purpose}"


def _texts(change: CheckedChange, path: str) -> dict[int, str]:
    """The added lines of a file by their numbers."""
    return {number: line for hunk in change.by_path[path] for number, line in enumerate(hunk.added, start=hunk.start)}


def _place(numbers: Sequence[int]) -> tuple[int, int]:
    """First and last line of the run that holds most of the lines."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number - runs[-1][-1] <= NEAR:
            runs[-1].append(number)
        else:
            runs.append([number])
    best = max(runs, key=len)
    return best[0], best[-1]


def _is_on_purpose(change: CheckedChange, episode: Episode, paths: Iterable[str]) -> bool:
    """Whether a commit of the change names the one that it undoes, or says of these files that it takes back."""
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
    return other.commit[:SHORT_HASH] in said or (len(other.subject.split()) > 2 and other.subject in one.body)
