"""litellm as repomem uses it: imported when it is asked, told to keep to itself, and led nowhere by a server."""

import os
from collections.abc import Iterator
from typing import Any

MOST_BYTES = 64 << 20  # of an answer: a hundred times what a batch of vectors takes


class LibraryMissing(Exception):  # noqa: N818  # reads as what happened
    """litellm is not installed."""


def provider_library() -> Any:  # a package without types of its own
    """Litellm. Raises LibraryMissing where the extra that brings it is not installed."""
    os.environ["LITELLM_MODE"] = "PRODUCTION"  # else it reads a .env of the folder that it is started in
    os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"  # else it asks the network for prices
    try:
        import litellm
    except ImportError as error:
        raise LibraryMissing from error
    litellm.telemetry = False
    litellm.suppress_debug_info = True  # it prints advice to stdout
    litellm.DEFAULT_MAX_RETRIES = 0  # it takes a 0 that it is given for none given, and tries thrice
    if getattr(litellm, "client_session", None) is None:
        litellm.client_session = _client()
    return litellm


def failures_of(litellm: Any) -> tuple[type[Exception], ...]:
    """What litellm raises: errors of its own, each a child of one of these, and those of a broken answer."""
    return (*litellm.exceptions.LITELLM_EXCEPTION_TYPES, ValueError, TypeError, KeyError, AttributeError, OSError)


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
