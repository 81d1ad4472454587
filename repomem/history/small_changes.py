"""What a small commit changed in the code: few enough lines to be quoted whole."""

from collections.abc import Iterable, Iterator, Sequence

from repomem.core.errors import GitError
from repomem.core.secrets.redact import redact
from repomem.core.types.commits import Edit, Episode, Hunk
from repomem.history.changes import is_followed
from repomem.history.lines.patch_lines import compact, has_names, is_comment
from repomem.history.patches import patch_cache_of
from repomem.workspace.snapshot import Snapshot

MOST_LINES = 5  # added; more are read faster with `git show`


def small_change(snapshot: Snapshot, episode: Episode) -> list[Edit]:
    """The lines of code that a commit added; none of a larger commit, of one without code, and of a merge."""
    if episode.is_merge or episode.is_bulk:
        return []
    try:
        hunks = [hunk for hunk in patch_cache_of(snapshot).hunks([episode.commit]) if is_followed(hunk.path)]
    except GitError:  # this clone lacks an object
        return []
    edits = list(_edits(hunks))
    few = edits if len(edits) <= MOST_LINES else []
    return [(before and redact(before), redact(after)) for before, after in few]  # from a patch, not the index


def _edits(hunks: Sequence[Hunk]) -> Iterator[Edit]:
    removed = {compact(line) for hunk in hunks for line in hunk.removed_lines}
    added = {compact(line) for hunk in hunks for line in hunk.added}
    for hunk in hunks:
        before = _telling(hunk.removed_lines, but=added)
        after = _telling(hunk.added, but=removed)
        if len(before) == len(after):
            yield from zip(before, after, strict=True)
        else:
            yield from ((None if before else "", line) for line in after)


def _telling(lines: Iterable[str], *, but: set[bytes]) -> list[str]:
    """The lines of code among these that are not on the other side too, moved or indented anew."""
    return [line.strip() for line in lines if has_names(line) and not is_comment(line) and compact(line) not in but]
