"""The places of a brief: the items that show them, the containers among them, and the lines of code."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from repomem.brief.items import CandidateItem
from repomem.core.types.indexed import Symbol
from repomem.ranking.excerpts import Excerpt


@dataclass(frozen=True, slots=True)
class Places:
    """Where to look: the items, and the lines of code among them, best first."""

    items: Sequence[CandidateItem] = ()
    excerpts: Sequence[Excerpt] = ()
    containers: frozenset[tuple[str, str]] = frozenset()  # path and symbol of places that are a whole module or type
    shares: Mapping[tuple[str, int], float] = field(default_factory=dict)  # of the question, by path and line
    further: Mapping[str, Symbol | None] = field(default_factory=dict)  # the lines to look at in other files

    @property
    def functions(self) -> list[tuple[str, str]]:
        """The path and symbol of each item; a container's symbol is empty, since most changes of its file are in it."""
        named = [(each.item.path, each.item.symbol) for each in self.items]
        return [(path, "" if (path, symbol) in self.containers else symbol) for path, symbol in named]
