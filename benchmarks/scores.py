"""How good the hits of a search are."""

import math
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Target:
    """A file that answers a query, or a span of its lines; 0 and 0 for the whole file."""

    path: str
    start_line: int = 0
    end_line: int = 0

    def is_hit_by(self, path: str, start_line: int, end_line: int) -> bool:
        """Whether a result is this file (one path may be given from a folder on) and overlaps the lines."""
        is_same = path == self.path or path.endswith("/" + self.path) or self.path.endswith("/" + path)
        return is_same and (not self.end_line or (start_line <= self.end_line and end_line >= self.start_line))


def ndcg(results: Sequence[tuple[str, int, int]], targets: Sequence[Target], depth: int) -> float:
    """Normalised discounted cumulative gain: a place gains 1 where it is the first to hit some target.

    `results` are path, first line, last line. A place that hits only what was hit before gains nothing.
    """
    places = set()
    for target in targets:
        hits = (place for place, result in enumerate(results[:depth]) if target.is_hit_by(*result))
        first = next(hits, None)
        if first is not None:
            places.add(first)
    ideal = sum(map(_discount, range(min(depth, len(targets)))))
    return sum(map(_discount, sorted(places))) / ideal if targets else 0.0


def _discount(place: int) -> float:
    return 1 / math.log2(place + 2)
