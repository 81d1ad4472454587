"""What may stand in a brief: an item, its section, its worth, and the forms that it can take, longest first."""

from dataclasses import dataclass, field
from enum import IntEnum

from repomem.core.types import BriefItem


class Section(IntEnum):
    """The parts of a brief in the order in which they are shown: hosts cut long output from its end."""

    HEAD = 0
    HOLDS = 1
    WHERE = 2
    HAPPENED = 3
    OPEN = 4
    ELSEWHERE = 5  # what other repositories say: each has a part of its own


TITLES = {
    Section.HOLDS: "## Holds here",
    Section.WHERE: "## Where to look",
    Section.HAPPENED: "## What happened here",
    Section.OPEN: "## Open",
}


@dataclass(frozen=True, slots=True)
class Form:
    """One way to show an item: its lines, and the item as the JSON has it then."""

    markdown: str
    item: BriefItem


@dataclass(frozen=True, slots=True)
class Offer:
    """An item that may be shown; the one with the lowest `rank` finds room first.

    It stands in its section by its rank too, unless `place` says otherwise.
    """

    section: Section
    rank: float
    forms: tuple[Form, ...]
    is_numbered: bool = False
    is_listed: bool = False  # shares one line with its like
    beside: str = ""  # the path of a numbered one below which it shares a line; without that one it is not shown
    is_alone: bool = False  # it has that line for itself
    place: float | None = None
    sources: frozenset[str] = frozenset()  # what it tells of: an item that tells of nothing new is skipped
    elsewhere: int = 0  # the number of the other repository that it is of, from 1; 0: of the own

    @property
    def part(self) -> tuple[Section, int]:
        """The part of the brief that it stands in, under one title."""
        return self.section, self.elsewhere

    @property
    def kind(self) -> str:
        """The kind of the item."""
        return self.forms[0].item.kind

    @property
    def position(self) -> float:
        """Where it stands in its section."""
        return self.rank if self.place is None else self.place


@dataclass(frozen=True, slots=True)
class Draft:
    """Everything that a brief is made from."""

    title: str  # the line under the frame's head
    offers: tuple[Offer, ...]
    closing: tuple[str, ...] = ()  # lines at the end: what is not there
    titles: dict[Section, str] = field(default_factory=lambda: dict(TITLES))
    elsewhere: tuple[str, ...] = ()  # the titles of other repositories

    def title_over(self, offer: Offer) -> str:
        """The title of the part that an offer stands in; empty where that has none."""
        return self.elsewhere[offer.elsewhere - 1] if offer.elsewhere else self.titles.get(offer.section, "")
