"""The order of the memories about a task: by relevance, unconfirmed ones a little later than confirmed ones."""

from collections.abc import Mapping, Sequence
from heapq import merge
from itertools import accumulate
from operator import itemgetter

from repomem.memories.snapshots.snapshot import MemorySnapshot
from repomem.memories.status import REVERTED, Status
from repomem.ranking.memories import MemoryMatch

CONFIRMED = 0.5  # deviations: a confirmed memory comes before an unconfirmed one that is hardly more relevant


def is_only_unconfirmed(known: MemorySnapshot, name: str) -> bool:
    """Whether a memory is unconfirmed, and nothing else speaks against it."""
    one = known.states[name]
    return one.status is Status.PROVISIONAL and one.why != REVERTED and not known.is_of_untrusted_writer(name)


def by_relevance(
    ranked: Sequence[str], confirmed: Sequence[str], unconfirmed: Sequence[str], matches: Mapping[str, MemoryMatch]
) -> list[str]:
    """The confirmed and the unconfirmed memories by relevance; each of the two lists keeps its own order.

    `ranked` has all, best first. A memory that replaces another is before it there, and counts as no less relevant.
    """
    scores = dict(
        zip(reversed(ranked), accumulate((matches[name].score for name in reversed(ranked)), max), strict=True)
    )
    lowered = zip(confirmed, accumulate((scores[name] for name in confirmed), min), strict=True)
    first = [(-score, name) for name, score in lowered]
    second = [(CONFIRMED - scores[name], name) for name in unconfirmed]
    return [name for _, name in merge(first, second, key=itemgetter(0))]
