"""Parses files in the process that indexes them. A worker process costs 0.1 s, as much as the rest of a small run."""

import pickle
from collections.abc import Iterable, Iterator
from importlib import import_module
from typing import Any

from repomem.core.processes.workers import Limits, WorkerFault


def run_here(
    work: str, items: Iterable[tuple[Any, Any]], *, processes: int, limits: Limits | None = None
) -> Iterator[tuple[Any, Any]]:
    """As `run_in_workers`, without limits; arguments and results are pickled, as they are on the way to a worker."""
    module, _, name = work.partition(":")
    function = getattr(import_module(module), name)
    for key, argument in items:
        try:
            yield key, pickle.loads(pickle.dumps(function(pickle.loads(pickle.dumps(argument)))))
        except Exception as exc:  # noqa: BLE001  # as a worker does
            yield key, WorkerFault(type(exc).__name__)
