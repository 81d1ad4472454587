"""Later commits that removed a large part of a commit's lines, or its guard, while the rest is still in the code.

Whole reverts and lost fixes are found by `failed_attempts`. Moved code, also to another file, is not removed.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from repomem.core.text.escape import code, one_line, quoted_title
from repomem.core.types.commits import Episode, short_hash
from repomem.history.change_history import ChangeHistory
from repomem.history.changes import is_followed
from repomem.history.episodes import RelatedEpisode
from repomem.history.lines.lost import LostLines
from repomem.history.lines.patch_lines import condition_of, is_guard, line_hash
from repomem.history.patches import patch_cache_of

MOST_FILES = 4  # source files of a commit; a larger commit is more than one decision
MOST_READ = 40  # episodes of one answer: each costs the changes of its files
SHARE = 1 / 3  # of a commit's added lines that one later commit took out
SHARE_OF_GUARD = 1 / 10  # of the added lines: from here on, a lost guard alone is reported
FEWEST = 2  # lines, if none of them is a guard
LINE_LENGTH = 60
SUBJECT_LENGTH = 80


def with_removals(history: ChangeHistory, episodes: Sequence[RelatedEpisode]) -> list[RelatedEpisode]:
    """The episodes; if one lost a large part, or its guard, its state names the commit that removed that."""
    return [_with_removal(history, one) if at < MOST_READ else one for at, one in enumerate(episodes)]


def _with_removal(history: ChangeHistory, one: RelatedEpisode) -> RelatedEpisode:
    if one.kind == "tried" or one.episode.reverts or one.episode.is_merge or one.episode.is_bulk:
        return one
    found = _removal_of(history, one.episode)
    if found is None or short_hash(found[0]) in one.state:
        return one
    by, guard = found
    is_told = one.state.endswith("removed since")
    what = code(one_line(guard, LINE_LENGTH)) if guard else "some of them" if is_told else "some lines"
    subject = quoted_title(one_line(history.commits[by].subject, SUBJECT_LENGTH))
    removed = f"{what}{'' if is_told else ' removed'} by {short_hash(by)} {subject}"
    return replace(one, state=", ".join(filter(None, (one.state, removed))))


def _removal_of(history: ChangeHistory, episode: Episode) -> tuple[str, str] | None:
    """The later commit that removed most of the missing lines, and the guard among them; None if they are few."""
    paths = [file.path for file in episode.files if is_followed(file.path)]
    if not 0 < len(paths) <= MOST_FILES or episode.commit not in history.commits:
        return None
    added, gone = _lines_of(history, episode.commit, paths)
    taken = Counter[str]()
    for loss in gone:
        taken[loss.by] += len(loss.left_as)
    if not taken:
        return None
    by, lines = max(taken.items(), key=lambda each: (each[1], history.recorded.order[each[0]]))
    lost = {line for loss in gone if loss.by == by for line in loss.left_as}
    guard = _guard(history, by, lost) if lines >= SHARE_OF_GUARD * added else ""
    if guard or lines >= max(FEWEST, SHARE * added):
        return by, guard
    return None


def _lines_of(history: ChangeHistory, commit: str, paths: Sequence[str]) -> tuple[int, list[LostLines]]:
    """How many meaningful lines a commit added in these files, and what later commits took out of them."""
    added = 0
    gone: list[LostLines] = []
    for names in dict.fromkeys(map(history.names_of, paths)):
        changes = history.changes_of(names)
        added += sum(len(set(change.added)) for change in changes if change.commit == commit)
        gone += [left for loss in history.losses_of(names) if loss.commit == commit and (left := _gone(history, loss))]
    return added, gone


def _gone(history: ChangeHistory, loss: LostLines) -> LostLines | None:
    """The loss without lines that are back in the file, or that the same commit added in another file.

    None if nothing is left, or if that commit was not read whole: it may have moved the lines.
    """
    if history.commits[loss.by].is_cut:
        return None
    parts = history.snapshot.workspace.catalog.changes.of_commits([loss.by])
    elsewhere = {line for part in parts for line in part.put_in}
    elsewhere |= history.now(loss.path)
    left = loss.left_as - elsewhere
    return replace(loss, lines=loss.lines - elsewhere, left_as=left) if left else None


def _guard(history: ChangeHistory, by: str, lost: set[int]) -> str:
    """The first condition among the lost lines that the commit removed without putting another in its place.

    One that the file still has in other lines, as with its body on lines of its own, is not lost.
    """
    for hunk in patch_cache_of(history.snapshot).hunks([by]):
        if not any(map(is_guard, hunk.added)):
            for line in hunk.removed_lines:
                if is_guard(line) and line_hash(line) in lost and condition_of(line) not in history.text_now(hunk.path):
                    return line.strip()
    return ""
