"""Requests to shared storage, each with a deadline; its errors are stripped of secrets."""

import asyncio
import os
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any, TypeVar

import pyarrow as pa

from repomem.adapters.lance.errors import panics
from repomem.core.errors import StoreError
from repomem.core.secrets.redact import redact
from repomem.core.text.lazy_pattern import lazy_pattern

Result = TypeVar("Result")
RETRIES = 2  # of a request, instead of ten: callers have a deadline
RETRY_TIME = timedelta(seconds=5)
SECRETS = lazy_pattern(r"(?:KEY|KEY_ID|TOKEN|SECRET|PASSWORD|CREDENTIALS?|SIGNATURE|SAS|STRING)$")  # ends of names
SHORT = 6  # characters of a value that is too short to be a secret, and too common to be taken out of every text
TOLD = 200  # characters of a foreign message
STRUCTURE = " Debug source: "  # begins what obstore prints for its own developers
CAUSE = lazy_pattern(r'message: "([^"]+)"')
REFUSALS = (
    # a fragment of a message, and the next step
    (lazy_pattern(r"\b40[13]\b|AccessDenied|Forbidden|InvalidAccessKeyId|SignatureDoesNotMatch|ExpiredToken|[Cc]redential"),
     "check the credentials in the environment, and that they may list, read and write there"),
    (lazy_pattern(r"NoSuchBucket|\b404\b|[Nn]ot found"), "check store.uri: repomem config"),
)  # fmt: skip


class Network:
    """An event loop for requests to storage. Each request has a deadline, and raises StoreError after it."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._runner = asyncio.Runner()

    def close(self) -> None:
        self._runner.close()

    def ask(self, question: Coroutine[Any, Any, Result], seconds: float) -> Result:
        """The answer. Raises StoreError for any error of the storage, or if it takes longer than `seconds`."""
        with translated(self._name):
            return self._runner.run(_within(question, seconds))


async def _within(question: Coroutine[Any, Any, Result], seconds: float) -> Result:
    try:
        return await asyncio.wait_for(question, seconds)
    except TimeoutError as error:
        raise StoreError(f"no answer within {seconds:g} seconds", "check the network, or try again later") from error


@contextmanager
def translated(name: str) -> Iterator[None]:
    """Turn errors of LanceDB and obstore into StoreError, which names the storage and contains no secret."""
    try:
        yield
    except StoreError as error:
        raise StoreError(f"{name}: {error.message}" if name else error.message, error.hint) from error
    except (RuntimeError, ValueError, OSError, KeyError, pa.ArrowException, *_foreign()) as error:
        text = without_secrets(" ".join(str(error).split()))
        hint = next((hint for sign, hint in REFUSALS if sign.search(text)), "check the network and store.uri")
        told = _told(text) or type(error).__name__
        raise StoreError(f"{name}: {told}" if name else told, hint) from error


def without_secrets(text: str) -> str:
    """The text without tokens that show their issuer, and without the credentials that this process was given."""
    for variable, value in os.environ.items():
        if len(value) > SHORT and SECRETS.search(variable):
            text = text.replace(value, "[REDACTED]")
    return redact(text)


def _told(text: str) -> str:
    """The first sentence of an error, and the system's own message in the structure printed after it."""
    sentence, _, structure = text.partition(STRUCTURE)
    causes = CAUSE.findall(structure)
    return sentence[:TOLD] + (f": {causes[-1][:TOLD]}" if causes else "")


def _foreign() -> tuple[type[Exception], ...]:
    try:
        from obstore.exceptions import BaseError
    except ImportError:
        return panics()
    return (BaseError, *panics())
