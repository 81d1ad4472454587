"""Lines that other repositories add to this one's brief: a few each, under the repository's name.

This repository comes first: another's items get budget after items of the same kind here.
"""

import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from repomem.brief.items import CandidateItem, Rendering
from repomem.brief.order import in_other_repository
from repomem.brief.sections import Section
from repomem.core.text.escape import code, inert
from repomem.core.types.brief import Brief, RepositoryState

MOST_ITEMS = 12  # of all others together: a brief is about the repository that it is made for
FEWEST_ITEMS = 3  # of each
SHARES = {Section.FACTS: 4, Section.PLACES: 3, Section.HISTORY: 2}  # the most items of each section, of one other


@dataclass(frozen=True, slots=True)
class OtherRepository:
    """Another repository that is relevant to the task, with its candidate items as its own brief would have them."""

    repository: RepositoryState
    candidates: tuple[CandidateItem, ...]

    @property
    def name(self) -> str:
        """Its name in the brief."""
        return self.repository.name


@dataclass(frozen=True, slots=True)
class OtherAnswers:
    """What other repositories have on a task, and a warning for each that cannot answer or lacks something."""

    repositories: tuple[OtherRepository, ...] = ()
    warnings: tuple[str, ...] = ()


NO_OTHERS = OtherAnswers()


def titles_of(others: Sequence[OtherRepository]) -> tuple[str, ...]:
    """The title of each, with the command that opens an id of it."""
    return tuple(
        f"## In {inert(each.name)}: {code(f'repomem -C {shlex.quote(each.repository.path)} show ID')}"
        for each in others
    )


def other_items(others: Sequence[OtherRepository]) -> Iterator[CandidateItem]:
    """Their candidate items for the brief of this repository; each of them has its share."""
    share = max(FEWEST_ITEMS, MOST_ITEMS // max(1, len(others)))
    for number, other in enumerate(others, 1):
        for candidate in _first_of_each_section(other.candidates)[:share]:
            priority = in_other_repository(candidate.priority, number)
            yield replace(
                candidate,
                section=Section.OTHER_REPOSITORIES,
                repository=number,
                priority=priority,
                position=priority,
                is_numbered=False,
                renderings=tuple(_with_name(rendering, other.name) for rendering in candidate.renderings),
            )


def with_others(brief: Brief, others: Sequence[OtherRepository]) -> Brief:
    """The brief, which names the other repositories that items in it come from."""
    named = {item.repository for item in brief.items}
    return replace(brief, also=tuple(each.repository for each in others if each.name in named))


def _first_of_each_section(candidates: Sequence[CandidateItem]) -> list[CandidateItem]:
    first = []
    for section, most in SHARES.items():
        first += sorted((each for each in candidates if each.section is section), key=lambda each: each.priority)[:most]
    return sorted(first, key=lambda each: each.priority)


def _with_name(rendering: Rendering, name: str) -> Rendering:
    line = f"- {inert(name)}: {rendering.markdown.removeprefix('- ')}"
    return Rendering(line, replace(rendering.item, repository=name))
