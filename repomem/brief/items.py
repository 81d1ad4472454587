"""Candidate items of a brief: section, priority, and renderings, longest first."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from repomem.brief.sections import TITLES, Section
from repomem.core.types.brief import BriefItem


@dataclass(frozen=True, slots=True)
class Rendering:
    """One way to show an item: its lines, and the item as the JSON has it then."""

    markdown: str
    item: BriefItem
    about: frozenset[str] = frozenset()  # ids of code; not to be used if any of that code did not fit


@dataclass(frozen=True, slots=True)
class CandidateItem:
    """An item that a brief may show. Section, priority and position come from `brief.order`."""

    section: Section
    priority: float  # the lowest gets budget first
    position: float  # in its section
    renderings: tuple[Rendering, ...]
    is_numbered: bool = False
    is_listed: bool = False  # shares one line with its neighbours of the same kind
    below: str = ""  # the path of the numbered item it is shown below; left out if that item is
    has_own_line: bool = False  # below that item; others share one line
    sources: frozenset[str] = frozenset()  # ids that it shows; an item without a new one is skipped
    repository: int = 0  # the number of the other repository that it comes from; 0: this one

    @property
    def part(self) -> tuple[Section, int]:
        """The part of the brief that it is shown in, under one title."""
        return self.section, self.repository

    @property
    def item(self) -> BriefItem:
        """The item in its longest rendering."""
        return self.renderings[0].item

    @property
    def kind(self) -> str:
        """The kind of the item."""
        return self.item.kind


@dataclass(frozen=True, slots=True)
class Draft:
    """Everything that a brief is made from."""

    title: str  # the line under the frame's head
    candidates: tuple[CandidateItem, ...]
    closing: tuple[str, ...] = ()  # closing lines: missing parts
    titles: dict[Section, str] = field(default_factory=lambda: dict(TITLES))
    repositories: tuple[str, ...] = ()  # the titles of other repositories

    def title_over(self, candidate: CandidateItem) -> str:
        """The title of the part that an item is shown in; empty if it has none."""
        number = candidate.repository
        return self.repositories[number - 1] if number else self.titles.get(candidate.section, "")


def of_kinds(candidates: Iterable[CandidateItem], kinds: frozenset[str]) -> list[CandidateItem]:
    """The candidates of these kinds, and the warnings; all of them if no kind is named."""
    return [each for each in candidates if not kinds or each.kind in {*kinds, "warning"}]
