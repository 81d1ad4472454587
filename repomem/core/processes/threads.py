"""Runs a function in a background thread, for git and LanceDB calls, which release the interpreter lock."""

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from concurrent.futures import Future

Value = TypeVar("Value")


def in_thread(work: Callable[[], Value]) -> "Future[Value]":
    """Run `work` in a new thread; returns its future. It must use neither the catalog nor a workspace's caches."""
    from concurrent.futures import ThreadPoolExecutor

    executor = ThreadPoolExecutor(1)
    future = executor.submit(work)
    executor.shutdown(wait=False)
    return future
