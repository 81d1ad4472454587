"""Groups values by key and numbers in runs, and finds the common start of sequences."""

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from itertools import islice
from typing import TypeVar

Key = TypeVar("Key", bound=Hashable)
Row = TypeVar("Row")


def grouped_by(rows: Iterable[Row], key: Callable[[Row], Key]) -> dict[Key, list[Row]]:
    """The rows of each key, in their order."""
    found: dict[Key, list[Row]] = {}
    for row in rows:
        found.setdefault(key(row), []).append(row)
    return found


def batches(items: Iterable[Row], size: int) -> Iterator[list[Row]]:
    """The items in lists of at most `size`."""
    source = iter(items)
    while part := list(islice(source, size)):
        yield part


def runs_of(numbers: Iterable[int], gap: int = 1) -> list[list[int]]:
    """The numbers in order, each once, split where two are further apart than `gap`."""
    runs: list[list[int]] = []
    for number in sorted(set(numbers)):
        if runs and number - runs[-1][-1] <= gap:
            runs[-1].append(number)
        else:
            runs.append([number])
    return runs


def shared_start(one: Sequence[object], other: Sequence[object]) -> int:
    """How many items both begin with."""
    return next((at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))
