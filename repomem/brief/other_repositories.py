"""What other repositories say, in a brief of this one: a few lines each, every one under its repository's name.

The own repository comes first: what another says finds room after what is like it here.
"""

import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from repomem.brief.items import Form, Offer, Section
from repomem.brief.lines import code
from repomem.core.escape import inert
from repomem.core.types import Brief, RepositoryState

BEHIND = 2.9  # ranks: a place from elsewhere after the six best here
AFTER = 20.1  # what was said elsewhere: after all that was said here, the facts and the best place
MOST_TOLD = 12  # items of all others together: a brief is about the repository that it is made for
FEWEST_TOLD = 3  # of each
SHARES = {Section.HOLDS: 4, Section.WHERE: 3, Section.HAPPENED: 2}  # the most items of each sort, of one other


@dataclass(frozen=True, slots=True)
class Elsewhere:
    """Another repository that bears on the task: which, where it is, and its offers as it would make them itself."""

    repository: RepositoryState
    offers: tuple[Offer, ...]

    @property
    def name(self) -> str:
        """What the brief calls it."""
        return self.repository.name


@dataclass(frozen=True, slots=True)
class Also:
    """What other repositories say of a task, and one line each for those that cannot, or lack something."""

    told: tuple[Elsewhere, ...] = ()
    warnings: tuple[str, ...] = ()


NOBODY = Also()


def titles_of(others: Sequence[Elsewhere]) -> tuple[str, ...]:
    """The line over each, with the way to open what it names."""
    return tuple(f"## In {inert(each.name)}: {code(_show(each.repository.path))}" for each in others)


def _show(path: str) -> str:
    return f"repomem -C {shlex.quote(path)} show ID"


def offers_of(others: Sequence[Elsewhere]) -> Iterator[Offer]:
    """Their offers for the brief of the own repository; each of them has its share."""
    share = max(FEWEST_TOLD, MOST_TOLD // max(1, len(others)))
    for number, other in enumerate(others, 1):
        for offer in _few(other.offers)[:share]:
            yield replace(
                offer,
                section=Section.ELSEWHERE,
                elsewhere=number,
                rank=max(AFTER + offer.rank / 1000, offer.rank + BEHIND) + number / 10_000,
                place=None,
                is_numbered=False,
                forms=tuple(_named(form, other.name) for form in offer.forms),
            )


def with_others(brief: Brief, others: Sequence[Elsewhere]) -> Brief:
    """The brief with the others that something in it is of."""
    named = {item.repository for item in brief.items}
    return replace(brief, also=tuple(each.repository for each in others if each.name in named))


def _few(offers: Sequence[Offer]) -> list[Offer]:
    """The first of each sort, those first that find room first."""
    few = []
    for section, most in SHARES.items():
        few += sorted((each for each in offers if each.section is section), key=lambda each: each.rank)[:most]
    return sorted(few, key=lambda each: each.rank)


def _named(form: Form, name: str) -> Form:
    """The same line, which says whose it is."""
    return Form(f"- {inert(name)}: {form.markdown.removeprefix('- ')}", replace(form.item, repository=name))
