"""The commit that brought a reverted change back: by its message, or by the lines that it added again."""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping

from repomem.core.text.lazy_pattern import lazy_pattern
from repomem.core.text.words import stems_of
from repomem.core.types.commits import SHORTEST_HASH
from repomem.history.change_history import ChangeHistory
from repomem.history.changes import is_followed
from repomem.history.log_parsing import REVERTED_SUBJECT
from repomem.history.stated_reverts import stated_reverts

SHARE_OF_LINES = 0.5  # of the lines that the reverted commit added
FEWEST_LINES = 2
SHARE_OF_FILES = 2 / 3  # of its files: a later commit that changes this many has its message compared
SHARE_OF_WORDS = 0.9  # of the words of its subject that the later message has
FEWEST_WORDS = 5  # in a subject that no other commit has by chance
MOST_FILES = 20  # of the reverted commit
MOST_READ = 20  # later messages

_AGAIN = lazy_pattern(r"re-?(?:apply|land)\b", re.IGNORECASE)


def landed_again(history: ChangeHistory, commit: str, by: str) -> str:
    """The first commit after the revert that brought the change back; empty without one, or if none is recorded."""
    if (commit, by) not in history.landed:
        history.landed[commit, by] = _landed(history, commit, by)
    return history.landed[commit, by]


def landed_after(history: ChangeHistory, revert: str) -> str:
    """The first commit that brought back what a revert, perhaps of a merge, took out; empty without one."""
    targets = [stated_reverts(history, []).targets.get(revert, "")]
    of_merge = (target for by, target in history.snapshot.workspace.catalog.trailers.reverts() if by == revert)
    targets += [target for target in of_merge if target in history.commits]
    found = (landed_again(history, target, revert) for target in dict.fromkeys(filter(None, targets)))
    return next(filter(None, found), "")


def _landed(history: ChangeHistory, commit: str, by: str) -> str:
    order = history.recorded.order
    if commit not in order or by not in order:
        return ""
    said = [each for each in _by_subject(history, commit, by) if order[each] > order[by]]
    if said:
        return min(said, key=order.__getitem__)
    parts = history.snapshot.workspace.catalog.changes.of_commits([commit])
    paths = dict.fromkeys(part.path for part in parts if is_followed(part.path))
    files = list(dict.fromkeys(map(history.names_of, paths)))
    if not 0 < len(files) <= MOST_FILES:
        return ""
    later = _later(history, files, by)
    added = {line for part in parts for line in part.written}
    for each, (_, lines) in later.items():
        if len(lines & added) >= max(FEWEST_LINES, SHARE_OF_LINES * len(added)):
            return each
    near = [each for each, (number, _) in later.items() if number >= SHARE_OF_FILES * len(files)]
    return _by_message(history, commit, near[:MOST_READ])


def _by_subject(history: ChangeHistory, commit: str, by: str) -> Iterator[str]:
    """The commits that have the same subject, quote it, or revert the revert."""
    subject, revert = history.commits[commit].subject, history.commits[by].subject
    is_telling = len(stems_of(subject)) >= FEWEST_WORDS
    for one in history.commits.values():
        is_undone = len(one.reverts) >= SHORTEST_HASH and by.startswith(one.reverts)
        quoted = REVERTED_SUBJECT.match(one.subject)
        is_quoted = bool(_AGAIN.match(one.subject)) and subject in one.subject
        is_equal = is_telling and one.subject == subject
        if is_undone or is_quoted or is_equal or (quoted and quoted[1] == revert):
            yield one.commit


def _later(history: ChangeHistory, files: list[tuple[str, ...]], by: str) -> Mapping[str, tuple[int, set[int]]]:
    """For each commit after the revert, oldest first, how many of the files it changed and the lines it added."""
    order = history.recorded.order
    changed: dict[str, set[tuple[str, ...]]] = defaultdict(set)
    lines: dict[str, set[int]] = defaultdict(set)
    for names in files:
        for change in history.changes_of(names):
            if order[change.commit] > order[by]:
                changed[change.commit].add(names)
                lines[change.commit].update(change.put_in)
    return {each: (len(changed[each]), lines[each]) for each in sorted(changed, key=order.__getitem__)}


def _by_message(history: ChangeHistory, commit: str, later: list[str]) -> str:
    """The first of these commits whose message has nearly all words of the reverted commit's subject."""
    wanted = stems_of(history.commits[commit].subject)
    if len(wanted) < FEWEST_WORDS or not later:
        return ""
    messages = history.snapshot.episodes_by_commit(later)
    for one in (messages[each] for each in later if each in messages):
        shared = wanted & stems_of(f"{one.subject} {one.body}")
        if not one.reverts and len(shared) >= SHARE_OF_WORDS * len(wanted):
            return one.commit
    return ""
