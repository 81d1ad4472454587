"""Lines that an earlier commit edited in the same way as lines in a brief's first locations, and their current state.

The recorded changes show which commits wrote those locations; git is asked for the patches of a few.
"""

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace

from repomem.core.errors import GitError
from repomem.core.secrets.redact import redact
from repomem.core.text.words import whole
from repomem.core.types.brief import BriefItem
from repomem.core.types.commits import Hunk
from repomem.core.types.line_history import LaterEdit, LineLocation, SimilarEdits
from repomem.history.change_history import ChangeHistory
from repomem.history.changes import is_followed
from repomem.history.lines.edits import code_of, edits_from, edits_to
from repomem.history.lines.patch_lines import line_hash
from repomem.history.live_files import live_text
from repomem.history.patches import patch_cache_of
from repomem.history.similar_edits import similar_edits_to
from repomem.ranking.definitions import wanted_words
from repomem.ranking.query import Query

LOCATIONS_USED = 4  # of a brief, from the first
LONGEST_LOCATION = 200  # lines; a longer type contains much that the task is not about
COMMITS_READ = 6  # the newest that wrote a line of these locations
SHARE = 0.28  # of the question's weight that the words of an edit must contain to be relevant
SHOWN = 2
Patch = tuple[str, Sequence[Hunk]]  # a commit and its hunks


@dataclass(frozen=True, slots=True)
class SimilarEditGroup:
    """Lines that one commit edited in the same way, as they are now."""

    commit: str
    siblings: SimilarEdits
    spots: tuple[LineLocation, ...]  # lines still as that commit left them
    later: tuple[LaterEdit, ...]  # lines that were changed again

    @property
    def known(self) -> list[LineLocation]:
        """The current positions of all lines that are still in the code."""
        return [*self.spots, *(each.spot for each in self.later if each.spot)]


@dataclass(slots=True)
class SimilarEditSearch:
    """A search for similar edits at a brief's first locations: its live files and the commits to read."""

    history: ChangeHistory
    places: Sequence[BriefItem]
    commits: Sequence[str] = ()
    _lines: dict[str, list[str]] = field(default_factory=dict)

    def lines(self, path: str) -> list[str]:
        """The lines of a live file, without trailing comments."""
        if path not in self._lines:
            self._lines[path] = list(map(code_of, (live_text(self.history.snapshot, path) or "").split("\n")))
        return self._lines[path]

    def within(self, place: BriefItem) -> list[str]:
        """The lines of a location."""
        return self.lines(place.path)[place.start_line - 1 : place.end_line]

    def spots(self, path: str, line: str) -> list[LineLocation]:
        """The current positions of a line of a file, by any of the file's names; none if the file is gone."""
        now = self.history.live_names_of(path)
        numbered = enumerate(self.lines(now[0]), start=1) if len(now) == 1 else ()
        return [LineLocation(now[0], number) for number, each in numbered if each == line]


def begin_similar_edits(history: ChangeHistory, places: Sequence[BriefItem]) -> SimilarEditSearch:
    """Find the commits that may have edited the first locations; git starts to read their patches."""
    first = [place for place in places[:LOCATIONS_USED] if is_followed(place.path)]
    search = SimilarEditSearch(history, [one for one in first if one.end_line - one.start_line < LONGEST_LOCATION])
    wrote = {commit for place in search.places for commit in _writers(search, place)}
    search.commits = _newest_first(history, wrote)[:COMMITS_READ]
    patch_cache_of(history.snapshot).begin(search.commits)
    return search


def _newest_first(history: ChangeHistory, commits: Collection[str]) -> list[str]:
    order = history.recorded.order
    return sorted((commit for commit in commits if commit in order), key=lambda commit: -order[commit])


def _writers(search: SimilarEditSearch, place: BriefItem) -> Iterator[str]:
    """The commits that replaced a line of the location, or a line that was replaced again since."""
    name = place.symbol.rpartition(".")[2]
    wanted = set(map(line_hash, search.within(place)))
    for change in reversed(search.history.changes_of(search.history.names_of(place.path))):
        removed, added = set(change.taken_out), set(change.put_in)
        if change.symbol == name and removed and added & wanted:
            wanted |= removed
            yield change.commit


def similar_edits_for(query: Query, search: SimilarEditSearch, shown: Collection[str]) -> list[SimilarEditGroup]:
    """The groups with a line in a first location and a line elsewhere that are relevant to the question.

    Commits that the brief shows are searched too: their patches are known. Empty if the clone lacks an object.
    """
    commits = _newest_first(search.history, {*search.commits, *shown}) if search.places else []
    try:
        hunks = [hunk for hunk in patch_cache_of(search.history.snapshot).hunks(commits) if is_followed(hunk.path)]
    except GitError:
        return []
    patches = [(commit, [hunk for hunk in hunks if hunk.commit == commit]) for commit in commits]
    found: dict[str, SimilarEditGroup] = {}  # one group per commit is enough
    for group in _groups(search, patches):
        is_known = any(group.spots == other.spots for other in found.values())  # the same edit on two branches
        if not is_known and _is_elsewhere(group, search) and _is_relevant(query, group, search):
            found.setdefault(group.commit, group)
    return sorted(found.values(), key=lambda one: not one.later)[:SHOWN]


def _groups(search: SimilarEditSearch, patches: Sequence[Patch]) -> Iterator[SimilarEditGroup]:
    """The similar edits of lines in the locations, or of lines that a later one of these commits replaced there."""
    paths = {name for place in search.places for name in search.history.names_of(place.path)}
    wanted = {line for place in search.places for line in search.within(place)}
    for at, (commit, hunks) in enumerate(patches):
        edits = edits_to([hunk for hunk in hunks if hunk.path in paths], wanted)
        wanted |= {edit.before for edit in edits}
        for one in dict.fromkeys(filter(None, (similar_edits_to(edit, hunks) for edit in edits))):
            if group := _current(commit, one, search, patches[:at]):
                yield group


def _current(
    commit: str, one: SimilarEdits, search: SimilarEditSearch, newer: Sequence[Patch]
) -> SimilarEditGroup | None:
    """The current state of similar edits; None if more lines match than were edited, so that it is ambiguous."""
    spots: list[LineLocation] = []
    later: list[LaterEdit] = []
    for (path, line), count in Counter((edit.path, edit.after) for edit in one.edits).items():
        here = search.spots(path, line)
        if len(here) > count:
            return None
        spots += here
        again = [(by, edit) for by, hunks in newer for edit in edits_from([h for h in hunks if h.path == path], {line})]
        gone = [LaterEdit(by, _only(search.spots(path, edit.after))) for by, edit in again[: count - len(here)]]
        later += gone + [LaterEdit()] * (count - len(here) - len(gone))
    redacted = replace(one, removed=redact(one.removed), added=redact(one.added))  # from a patch, not the index
    return SimilarEditGroup(commit, redacted, tuple(sorted(spots)), tuple(later))


def _only(spots: Sequence[LineLocation]) -> LineLocation | None:
    return spots[0] if len(spots) == 1 else None


def _is_elsewhere(one: SimilarEditGroup, search: SimilarEditSearch) -> bool:
    """Whether one line is in a location and another, still unchanged, is outside of it."""
    return any(
        any(_is_in(spot, place) for spot in one.known) and not all(_is_in(spot, place) for spot in one.spots)
        for place in search.places
    )


def _is_in(spot: LineLocation, place: BriefItem) -> bool:
    return spot.path == place.path and place.start_line <= spot.line <= place.end_line


def _is_relevant(query: Query, one: SimilarEditGroup, search: SimilarEditSearch) -> bool:
    """Whether the question names the first location and a line is in it, or shares rare words with the edit."""
    first = search.places[0]
    if whole(first.symbol.rpartition(".")[2]) in query.names and any(_is_in(spot, first) for spot in one.known):
        return True
    wanted = wanted_words(query, search.history.snapshot.view.chunk_words)
    return wanted.weight_in(f"{one.siblings.removed} {one.siblings.added}") >= SHARE * wanted.total
