"""The lines that an earlier commit changed in the same way as one of the first places, and what became of them.

The record of what commits did to lines says which of them wrote those places; git is asked for the patches of a few.
"""

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace

from repomem.adapters.languages.definition_lines import defined_name
from repomem.core.errors import GitError
from repomem.core.secrets.redact import redact
from repomem.core.types import BriefItem, Hunk, Later, Siblings, Spot
from repomem.core.words import whole
from repomem.history.changes import is_followed
from repomem.history.edits import code_of, edits_from, edits_to
from repomem.history.episodes import patches_of, text_now
from repomem.history.failed_attempts import Record
from repomem.history.lines import line_hash
from repomem.history.similar_edits import siblings_of
from repomem.ranking.definitions import wanted_words
from repomem.ranking.query import Query

PLACES_ASKED = 4  # of a brief, from the first
LONGEST_PLACE = 200  # lines; a type of more holds much that the task is not about
COMMITS_ASKED = 6  # the newest that wrote a line of these places
SHARE = 0.28  # of the question's weight, that the words of a change must hold for the question to be about it
SHOWN = 2
Patch = tuple[str, Sequence[Hunk]]  # a commit and its hunks


@dataclass(frozen=True, slots=True)
class Standing:
    """Lines that one commit changed in the same way, as they are now."""

    commit: str
    siblings: Siblings
    spots: tuple[Spot, ...]  # that stand as it left them
    later: tuple[Later, ...]  # that were changed again

    @property
    def known(self) -> list[Spot]:
        """Where they are."""
        return [*self.spots, *(each.spot for each in self.later if each.spot)]


@dataclass(slots=True)
class Sought:
    """The first places of a brief, the live files that they and their siblings stand in, and the commits to ask."""

    record: Record
    places: Sequence[BriefItem]
    commits: Sequence[str] = ()
    _lines: dict[str, list[str]] = field(default_factory=dict)

    def lines(self, path: str) -> list[str]:
        """The lines of a live file, without comments behind them."""
        if path not in self._lines:
            self._lines[path] = list(map(code_of, text_now(self.record.snapshot, path).split("\n")))
        return self._lines[path]

    def within(self, place: BriefItem) -> list[str]:
        """The lines of a place."""
        return self.lines(place.path)[place.start_line - 1 : place.end_line]

    def spots(self, path: str, line: str) -> list[Spot]:
        """Where a line of a file, whatever its name was then, is now; nowhere where the file is gone."""
        now = self.record.places_of(path)
        numbered = enumerate(self.lines(now[0]), start=1) if len(now) == 1 else ()
        return [Spot(now[0], number) for number, each in numbered if each == line]


def seek_siblings(record: Record, places: Sequence[BriefItem]) -> Sought:
    """The commits that may have changed the first places and others alike; git begins to say what they did."""
    first = [place for place in places[:PLACES_ASKED] if is_followed(place.path)]
    sought = Sought(record, [place for place in first if place.end_line - place.start_line < LONGEST_PLACE])
    wrote = {commit for place in sought.places for commit in _writers(sought, place)}
    sought.commits = _newest_first(record, wrote)[:COMMITS_ASKED]
    patches_of(record.snapshot).begin(sought.commits)
    return sought


def _newest_first(record: Record, commits: Collection[str]) -> list[str]:
    order = record.recorded.order
    return sorted((commit for commit in commits if commit in order), key=lambda commit: -order[commit])


def _writers(sought: Sought, place: BriefItem) -> Iterator[str]:
    """The commits that put a line of the place where another one was; the line stands, or was changed again since."""
    name = place.symbol.rpartition(".")[2]
    wanted = set(map(line_hash, sought.within(place)))
    for change in reversed(sought.record.changes_of(sought.record.names_of(place.path))):
        taken = {*change.removed, *(old for old, _ in change.altered)}
        put = {*change.added, *(new for _, new in change.altered)}
        if change.symbol == name and taken and put & wanted:
            wanted |= taken
            yield change.commit


def siblings_for(query: Query, sought: Sought, told: Collection[str]) -> list[Standing]:
    """What one commit changed alike in a first place and elsewhere, as far as the question is about it.

    The commits told are looked through too: their patches are known. A clone that lacks what git needs tells nothing.
    """
    commits = _newest_first(sought.record, {*sought.commits, *told}) if sought.places else []
    try:
        hunks = [hunk for hunk in patches_of(sought.record.snapshot).hunks(commits) if is_followed(hunk.path)]
    except GitError:
        return []
    patches = [(commit, [hunk for hunk in hunks if hunk.commit == commit]) for commit in commits]
    found: dict[str, Standing] = {}  # one group of a commit is enough, and shows where to look for more
    for standing in _standing(sought, patches):
        is_told = any(standing.spots == other.spots for other in found.values())  # done on two branches
        if not is_told and _is_elsewhere(standing, sought) and _is_asked_for(query, standing, sought):
            found.setdefault(standing.commit, standing)
    return sorted(found.values(), key=lambda one: not one.later)[:SHOWN]


def _standing(sought: Sought, patches: Sequence[Patch]) -> Iterator[Standing]:
    """The siblings of the lines that stand in the places, or became one of those by a later of these commits."""
    paths = {name for place in sought.places for name in sought.record.names_of(place.path)}
    wanted = {line for place in sought.places for line in sought.within(place)}
    for at, (commit, hunks) in enumerate(patches):
        edits = edits_to([hunk for hunk in hunks if hunk.path in paths], wanted)
        wanted |= {edit.before for edit in edits}
        for one in dict.fromkeys(filter(None, (siblings_of(edit, hunks, defined_name) for edit in edits))):
            if standing := _today(commit, one, sought, patches[:at]):
                yield standing


def _today(commit: str, one: Siblings, sought: Sought, newer: Sequence[Patch]) -> Standing | None:
    """What became of siblings; None where more lines read like one than were changed: which is which is not known."""
    spots: list[Spot] = []
    later: list[Later] = []
    for (path, line), count in Counter((edit.path, edit.after) for edit in one.edits).items():
        stand = sought.spots(path, line)
        if len(stand) > count:
            return None
        spots += stand
        again = [(by, edit) for by, hunks in newer for edit in edits_from([h for h in hunks if h.path == path], {line})]
        gone = [Later(by, _only(sought.spots(path, edit.after))) for by, edit in again[: count - len(stand)]]
        later += gone + [Later()] * (count - len(stand) - len(gone))
    told = replace(one, removed=redact(one.removed), added=redact(one.added))  # straight from a patch
    return Standing(commit, told, tuple(sorted(spots)), tuple(later))


def _only(spots: Sequence[Spot]) -> Spot | None:
    return spots[0] if len(spots) == 1 else None


def _is_elsewhere(one: Standing, sought: Sought) -> bool:
    """Whether a line is in one of the places and another one, which stands, is not in that place."""
    return any(
        any(_is_in(spot, place) for spot in one.known) and not all(_is_in(spot, place) for spot in one.spots)
        for place in sought.places
    )


def _is_in(spot: Spot, place: BriefItem) -> bool:
    return spot.path == place.path and place.start_line <= spot.line <= place.end_line


def _is_asked_for(query: Query, one: Standing, sought: Sought) -> bool:
    """Whether a line is in the first place and the question spells its name, or it has rare words of the change."""
    first = sought.places[0]
    if whole(first.symbol.rpartition(".")[2]) in query.names and any(_is_in(spot, first) for spot in one.known):
        return True
    wanted = wanted_words(query, sought.record.snapshot.view.chunk_words)
    return wanted.weight_in(f"{one.siblings.removed} {one.siblings.added}") >= SHARE * wanted.total
