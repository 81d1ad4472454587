"""A place to look at: a file with the definitions that the task is about."""

from collections.abc import Sequence
from dataclasses import dataclass

from repomem.core.types.indexed import Hit, Symbol
from repomem.ranking.definitions import ScoredDefinition
from repomem.ranking.matching_lines import SearchedFile

ALWAYS_PLACES = 2  # places in source code that are shown without excerpts too; others are only named as files
ATTRIBUTES = 4  # lines above the name of a definition, at most


@dataclass(frozen=True, slots=True)
class Place:
    """A file, the part of it to look at first, and the definitions that come next."""

    hit: Hit
    name: str  # of its file, or the path where another file has that name
    site: Symbol | None
    others: Sequence[ScoredDefinition]
    searched: SearchedFile

    @property
    def is_exact(self) -> bool:
        """Whether the question spells its definition with the class that it is in."""
        return any(each.is_exact for each in self.searched.definitions[:1])


def line_known_by(file: SearchedFile, site: Symbol) -> int:
    """The line of a definition that has its name: attributes may precede it."""
    name = site.qualified.rpartition(".")[2]
    numbers = range(site.start_line, min(site.start_line + ATTRIBUTES, site.end_line + 1))
    return next((at for at in numbers if name in file.lines.get(at, "")), site.start_line)
