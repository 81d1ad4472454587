"""The places of a brief, and the code below them: excerpts and single lines that fit its budget."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from repomem.core.text.symbol_names import last_part
from repomem.core.text.tokens import count_tokens
from repomem.core.types.code import Role
from repomem.core.types.indexed import Hit, Symbol
from repomem.ranking.definitions import ScoredDefinition, WantedWords
from repomem.ranking.excerpts import Excerpt, excerpts, merged, overlap, with_definition
from repomem.ranking.matching_lines import FoundLine, SearchedFile, best_lines, matching_lines
from repomem.recall.search import Ranking

ALWAYS_PLACES = 2  # places in source code shown even without excerpts; others are only named as files
ATTRIBUTES = 4  # lines above the name of a definition, at most
SEARCHED_FILES = 8  # for excerpts
LINE_FILES = 2  # for single lines
EXCERPT_SHARE = 0.42  # of the budget
SAME_FILES_SHARE = 0.26  # of the budget, within that: else a weak excerpt would put its file before better ones
LINES_SHARE = 0.1  # of the budget, for single lines, plus the rest of the excerpts' share
LONGEST_WHOLE = 14  # lines of a definition that an excerpt shows whole, which saves opening the file
FIRST_EXCERPTS, LONGEST_FIRST = 2, 40  # the same for the best excerpts
EXCERPT_FRAME = 12  # tokens of an excerpt's heading and fences
LINE_FRAME = 5  # tokens of a single line's number, and its part of the fences
LEAST_ROOM = 40  # tokens; a shorter excerpt says nothing


@dataclass(frozen=True, slots=True)
class Place:
    """A file, the part of it to look at first, and the definitions that come next."""

    hit: Hit
    name: str  # of its file, or the path where another file has that name
    site: Symbol | None
    others: Sequence[ScoredDefinition]
    searched: SearchedFile
    scores: Sequence[float] = ()  # of the file's chunks, by ordinal

    @property
    def is_exact(self) -> bool:
        """Whether the question spells its definition with the class that it is in."""
        return any(each.is_exact for each in self.searched.definitions[:1])


@dataclass(frozen=True, slots=True)
class ShownCode:
    """The code below the places: excerpts and single lines, each best first."""

    excerpts: Sequence[Excerpt] = ()
    lines: Sequence[FoundLine] = ()
    shares: Mapping[tuple[str, int], float] = field(default_factory=dict)  # of the question, by path and line

    @property
    def paths(self) -> set[str]:
        """The files that have some."""
        return {*self.excerpted, *(each.path for each in self.lines)}

    @property
    def excerpted(self) -> set[str]:
        """The files that have excerpts."""
        return {each.path for each in self.excerpts}


def shown_code(ranking: Ranking, wanted: WantedWords, places: Sequence[Place], budget: int) -> ShownCode:
    """The best excerpts and single lines that fit."""
    files = [place.searched for place in places[:SEARCHED_FILES]]
    of_comments = ranking.query.asks_for(Role.DOCS.value)
    matches = {each.path: matching_lines(wanted, each, of_comments=of_comments) for each in files}
    room, reserved = round(EXCERPT_SHARE * budget), round(SAME_FILES_SHARE * budget)
    having = {each.path for each in files[:ALWAYS_PLACES]}
    kept: list[Excerpt] = []
    by_path = {each.path: each for each in files}
    for one in excerpts(wanted, files, matches):
        if any(overlap(one, other) for other in kept):
            continue
        longest = LONGEST_FIRST if len(kept) < FIRST_EXCERPTS else LONGEST_WHOLE
        whole = with_definition(one, by_path[one.path], longest)
        free = room if one.path in having else room - reserved
        forms = (each for each in (whole, one) if not any(overlap(each, other) for other in kept))
        fitting = next((each for each in forms if _price(each) <= free), None)
        if fitting:
            kept.append(fitting)
            having.add(one.path)
            room -= _price(fitting)
        elif room < LEAST_ROOM:
            break
    joined = sorted(merged(kept, files), key=lambda each: (-each.score, each.path, each.start_line))
    shown = {(each.path, line) for each in joined for line in range(each.start_line, each.end_line + 1)}
    shown |= {(place.searched.path, line) for place in places for line in _head(place, joined)}
    rest = max(room - reserved, 0)
    # of 66 lines of tests and texts none was of use, and of 88 lines after the second file two (docs/evaluation.md)
    searched = [each for each in files[:LINE_FILES] if each.is_code or of_comments]
    found = best_lines(wanted, searched, matches, shown, {each.path for each in joined})
    lines = _fitting(found, rest + round(LINES_SHARE * budget))
    shares = {(path, at): line.share_of(wanted) for path, found in matches.items() for at, line in found.items()}
    return ShownCode(joined, lines, shares)


def _price(one: Excerpt) -> int:
    """The tokens of an excerpt in a brief."""
    return count_tokens("\n".join(one.lines)) + EXCERPT_FRAME


def _head(place: Place, chosen: Sequence[Excerpt]) -> range:
    """The lines of a definition that its place covers: the first, or all above an excerpt of the rest."""
    if place.site is None:
        return range(0)
    first, last = line_known_by(place.searched, place.site), place.site.end_line
    own = (each for each in chosen if each.path == place.searched.path and each.start_line <= last <= each.end_line)
    body = next((each.start_line for each in own), first)
    return range(place.site.start_line, max(first, body) + 1)


def line_known_by(file: SearchedFile, site: Symbol) -> int:
    """The line of a definition that contains its name; attributes may precede it."""
    name = last_part(site.qualified)
    numbers = range(site.start_line, min(site.start_line + ATTRIBUTES, site.end_line + 1))
    return next((at for at in numbers if name in file.lines.get(at, "")), site.start_line)


def _fitting(lines: Iterable[FoundLine], room: int) -> list[FoundLine]:
    """The best lines that fit in so many tokens."""
    kept: list[FoundLine] = []
    known: set[tuple[str, str]] = set()  # a copy costs only one more number
    for one in lines:
        price = LINE_FRAME + (0 if (one.path, one.text) in known else count_tokens(one.text))
        if price <= room:
            kept.append(one)
            known.add((one.path, one.text))
            room -= price
        if room <= 2 * LINE_FRAME:
            break
    return kept
