"""The places of a brief: the items that show them, and the lines of code among them."""

from collections.abc import Sequence
from dataclasses import dataclass

from repomem.brief.items import CandidateItem
from repomem.ranking.excerpts import Excerpt


@dataclass(frozen=True, slots=True)
class Places:
    """Where to look: the items, and the lines of code among them, best first."""

    items: Sequence[CandidateItem] = ()
    excerpts: Sequence[Excerpt] = ()
