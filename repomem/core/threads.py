"""Run a function in a thread while the caller goes on: git and LanceDB release the interpreter while they work."""

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from concurrent.futures import Future

Value = TypeVar("Value")


def in_thread(work: Callable[[], Value]) -> "Future[Value]":
    """Run `work` in a new thread. It must use neither the catalog nor the caches of a workspace."""
    from concurrent.futures import ThreadPoolExecutor

    executor = ThreadPoolExecutor(1)
    future = executor.submit(work)
    executor.shutdown(wait=False)
    return future
