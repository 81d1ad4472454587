"""Work that goes on beside other work: what waits for git or LanceDB leaves the interpreter to the rest."""

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from concurrent.futures import Future

Value = TypeVar("Value")


def beside(work: Callable[[], Value]) -> "Future[Value]":
    """Begin work in a thread of its own. It must touch neither the catalog nor what a workspace holds."""
    from concurrent.futures import ThreadPoolExecutor

    executor = ThreadPoolExecutor(1)
    begun = executor.submit(work)
    executor.shutdown(wait=False)
    return begun
