"""Embeddings from a provider that litellm supports; text leaves the machine, so only the user's config enables it.

Texts are redacted (`CleanText`). Keys come only from the user's environment.
"""

import math
import time
from collections.abc import Callable, Sequence
from concurrent.futures import TimeoutError as Late
from typing import TYPE_CHECKING, Any

from repomem.adapters.models.litellm_provider import answered_within, complaint_of, failures_of, provider_library
from repomem.core.errors import EmbeddingError
from repomem.core.ports import Embedder
from repomem.core.types.text import CleanText

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

SECONDS = 60.0  # for the answer to a batch
QUERY_SECONDS = 5.0  # for the vector of a query, which word search can answer too
WAITS = (1.0, 2.0, 4.0, 8.0)  # seconds before each retry after a temporary failure
LONGEST_WAIT = 60.0  # seconds; longer retry-after headers are ignored
MOST_TEXTS = 64  # per request; the smallest limit of the providers is 96
MOST_CHARACTERS = 100_000  # per request, about 25,000 tokens
LONGEST_TEXT = 16_000  # characters; models take about 8,000 tokens, and refuse or cut longer texts
CHARACTERS_OF_TOKEN = 3.5  # of code, a low estimate, so that the announced price is rather too high


class ProviderEmbedder(Embedder):
    """A provider's model."""

    def __init__(self, name: str, api_base: str = "", *, sleep: Callable[[float], None] = time.sleep) -> None:
        self._name = name  # as litellm spells it: provider/model
        self._api_base = api_base
        self._sleep = sleep
        self._dimensions = 0
        self._answered = ""  # the model that the server reports

    @property
    def model_id(self) -> str:
        """The name and the address: two servers may call different models alike."""
        return f"litellm:{self._name}" + (f"@{self._api_base}" if self._api_base else "")

    @property
    def dimensions(self) -> int:
        """The length of a vector, from a test request."""
        if not self._dimensions:
            self._dimensions = len(self._asked(["one"], SECONDS, WAITS)[0])
        return self._dimensions

    def cost(self, characters: int) -> float | None:
        """The price in US dollars by litellm's price list; None if it lacks the model."""
        try:
            litellm = provider_library(EmbeddingError)
            tokens = math.ceil(characters / CHARACTERS_OF_TOKEN)
            return float(sum(litellm.cost_per_token(model=self._name, prompt_tokens=tokens, completion_tokens=0)))
        except EmbeddingError:
            raise
        except Exception:  # noqa: BLE001  # litellm raises plain Exception for a model that its list lacks
            return None

    def embed(self, passages: Sequence[CleanText]) -> "NDArray[np.float16]":
        import numpy as np

        rows: list[NDArray[np.float32]] = []
        for batch in _batches(list(passages)):
            rows += self._asked(batch, SECONDS, WAITS)
        found = np.stack(rows) if rows else np.zeros((0, self.dimensions), np.float32)
        return found.astype(np.float16)

    def embed_query(self, query: CleanText) -> "NDArray[np.float32]":
        return self._asked([query[:LONGEST_TEXT]], QUERY_SECONDS, ())[0]

    def _asked(self, texts: list[str], seconds: float, waits: Sequence[float]) -> "list[NDArray[np.float32]]":
        """Unit vectors of the texts. Temporary failures are retried after each of `waits` seconds."""
        litellm = provider_library(EmbeddingError)
        failures: tuple[type[Exception], ...] = (Late, *failures_of(litellm))
        for wait in (*waits, None):
            try:
                options = {"input": texts, "encoding_format": "float"}
                answer = answered_within(seconds, litellm.embedding, self._name, self._api_base, **options)
                return self._vectors(answer, len(texts))
            except failures as error:
                if wait is None or not _may_pass(litellm, error):
                    raise self._refused(error, seconds) from error
                self._sleep(max(wait, _asked_wait(error)))
        raise AssertionError("the last try returns or raises")

    def _vectors(self, answer: Any, count: int) -> "list[NDArray[np.float32]]":
        """The vectors in an answer, checked. Raises EmbeddingError for invalid ones or another model's."""
        import numpy as np

        model = str(getattr(answer, "model", "") or "")
        if self._answered and model != self._answered:
            raise EmbeddingError(
                f"{self._name} changed from {self._answered} to {model} during the run", "run repomem index again"
            )
        rows = sorted(answer.data, key=lambda row: row["index"])
        try:
            found = np.array([row["embedding"] for row in rows], np.float32)
        except (ValueError, TypeError) as error:
            raise self._nonsense("its vectors differ in length or are not numeric") from error
        if found.ndim != 2 or len(found) != count or not found.shape[1]:
            raise self._nonsense(f"{len(found)} vectors for {count} texts")
        lengths = np.linalg.norm(found, axis=1, keepdims=True)
        if not np.isfinite(lengths).all() or not lengths.all():
            raise self._nonsense("its vectors contain NaN, infinite values or only zeros")
        if self._dimensions and found.shape[1] != self._dimensions:
            raise self._nonsense(f"its vectors have {found.shape[1]} numbers instead of {self._dimensions}")
        self._answered, self._dimensions = model, found.shape[1]
        return list(found / lengths)

    def _nonsense(self, what: str) -> EmbeddingError:
        return EmbeddingError(f"{self._name} gave no usable answer: {what}", "check embedding.model and its server")

    def _refused(self, error: Exception, seconds: float) -> EmbeddingError:
        if isinstance(error, Late):
            return EmbeddingError(f"{self._name} gave no answer within {seconds:g} seconds", "run repomem index again")
        said = complaint_of(error)
        return EmbeddingError(f"{self._name} refused: {said}", "check the model's name, its key and embedding.api_base")


def _batches(texts: Sequence[str]) -> list[list[str]]:
    """The texts in batches within the limits of all providers."""
    batches: list[list[str]] = [[]]
    room = MOST_CHARACTERS
    for text in (each[:LONGEST_TEXT] for each in texts):
        if batches[-1] and (len(text) > room or len(batches[-1]) == MOST_TEXTS):
            batches.append([])
            room = MOST_CHARACTERS
        batches[-1].append(text)
        room -= len(text)
    return batches if batches[0] else []


def _may_pass(litellm: Any, error: Exception) -> bool:
    """Whether an error is temporary: rate limits, timeouts, connection and server errors."""
    if isinstance(error, Late):
        return True
    status = getattr(error, "status_code", None)
    if isinstance(error, litellm.exceptions.APIConnectionError | litellm.exceptions.Timeout):
        return True
    return isinstance(status, int) and (status == 429 or 500 <= status < 600)


def _asked_wait(error: Exception) -> float:
    """The seconds of the retry-after header, at most LONGEST_WAIT; 0 without one."""
    headers = getattr(error, "litellm_response_headers", None) or {}
    try:
        return min(max(float(headers.get("retry-after", 0)), 0.0), LONGEST_WAIT)
    except (TypeError, ValueError):
        return 0.0
