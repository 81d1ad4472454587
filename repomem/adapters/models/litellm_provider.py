"""Imports litellm on use, without telemetry, .env files, price downloads, retries and redirects."""

import os
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from repomem.core.errors import RepomemError
from repomem.core.packages import install_hint
from repomem.core.secrets.redact import redact
from repomem.core.text.escape import one_line

LONGEST_COMPLAINT = 300  # characters; a server may answer with a page of HTML
MOST_BYTES = 64 << 20  # of an answer: a hundred times the size of a batch of vectors


def provider_library(failure: type[RepomemError]) -> Any:  # a package without types of its own
    """Litellm. Raises `failure` if the extra that installs it is missing."""
    os.environ["LITELLM_MODE"] = "PRODUCTION"  # else it reads a .env of the folder that it is started in
    os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"  # else it asks the network for prices
    try:
        import litellm
    except ImportError as error:
        raise failure("litellm is not installed", install_hint("llm")) from error
    litellm.telemetry = False
    litellm.suppress_debug_info = True  # it prints advice to stdout
    litellm.DEFAULT_MAX_RETRIES = 0  # it takes a 0 that it is given for none given, and tries thrice
    if getattr(litellm, "client_session", None) is None:
        litellm.client_session = _client()
    return litellm


def failures_of(litellm: Any) -> tuple[type[Exception], ...]:
    """The exception types of litellm, and those that a malformed answer causes."""
    return (*litellm.exceptions.LITELLM_EXCEPTION_TYPES, ValueError, TypeError, KeyError, AttributeError, OSError)


def answered_within(
    seconds: float, ask: Callable[..., Any], model: str, api_base: str, **options: Any
) -> Any:  # litellm's own
    """The result of one call to litellm, not retried. Raises `concurrent.futures.TimeoutError` after `seconds`."""
    once = {"timeout": seconds, "num_retries": 0, "max_retries": 0, "drop_params": True}
    pool = ThreadPoolExecutor(1)  # a server that sends a byte a second defeats every timeout of a request
    try:
        return pool.submit(ask, model=model, api_base=api_base or None, **once, **options).result(seconds)
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


def complaint_of(error: Exception) -> str:
    """A server's error message, in one line without secrets."""
    return redact(one_line(str(error), LONGEST_COMPLAINT))


def _client() -> Any:
    """A client that follows no redirect, since text of the user's would follow it, and takes no endless answer."""
    import httpx

    class Bounded(httpx.SyncByteStream):
        def __init__(self, stream: Any) -> None:
            self._stream = stream

        def __iter__(self) -> Iterator[bytes]:
            taken = 0
            for part in self._stream:
                taken += len(part)
                if taken > MOST_BYTES:
                    raise httpx.ReadError(f"the answer is longer than {MOST_BYTES >> 20} MB")
                yield part

        def close(self) -> None:
            self._stream.close()

    def bound(response: httpx.Response) -> None:
        response.stream = Bounded(response.stream)

    return httpx.Client(follow_redirects=False, event_hooks={"response": [bound]})
