"""Vectors by litellm itself, from a server on this machine that speaks the provider's protocol."""

import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack

import numpy as np
import pytest
from numpy.typing import NDArray
from support.model_server import DIMENSIONS, Manner, Server, serving, vector_of

from repomem.adapters.models import litellm_vectors as embedding
from repomem.adapters.models.litellm_vectors import ProviderEmbedder
from repomem.core.errors import EmbeddingError
from repomem.core.types.text import CleanText

pytestmark = pytest.mark.filterwarnings("ignore")  # those of litellm
Serve = Callable[[Manner], Server]


@pytest.fixture
def serve(monkeypatch: pytest.MonkeyPatch) -> Iterator[Serve]:
    monkeypatch.setenv("LITELLM_MODE", "PRODUCTION")
    monkeypatch.setenv("LITELLM_LOCAL_MODEL_COST_MAP", "True")
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    with ExitStack() as stack:
        yield lambda manner: stack.enter_context(serving(manner))


def model_at(server: Server, waits: list[float] | None = None) -> ProviderEmbedder:
    """The model behind a server; what it waits before it asks again goes into `waits`."""
    return ProviderEmbedder("openai/small", server.address, sleep=(waits if waits is not None else []).append)


def passages(*texts: str) -> list[CleanText]:
    return [CleanText(text) for text in texts]


def unit(text: str) -> NDArray[np.float64]:
    found = np.array(vector_of(text))
    return np.asarray(found / np.linalg.norm(found))


def test_vectors_come_in_the_order_of_the_texts_and_of_unit_length(serve: Serve) -> None:
    server = serve(Manner())
    model = model_at(server)
    found = model.embed(passages("one", "two", "three"))
    assert (found.shape, found.dtype.name, model.dimensions) == ((3, DIMENSIONS), "float16", DIMENSIONS)
    for row, text in zip(found, ("one", "two", "three"), strict=True):
        assert np.allclose(row, unit(text), atol=1e-3)
    assert np.allclose(model.embed_query(passages("four")[0]), unit("four"))
    assert server.manner.asked == [["one", "two", "three"], ["four"]]
    assert server.manner.keys == ["Bearer none"] * 2


def test_requests_stay_within_the_limits_of_providers(serve: Serve) -> None:
    server = serve(Manner())
    texts = [f"{at} " + "x" * (20_000 if at % 50 == 0 else 10) for at in range(150)]
    found = model_at(server).embed(passages(*texts))
    assert len(found) == 150
    sent = [text for batch in server.manner.asked for text in batch]
    assert sent == [text[: embedding.LONGEST_TEXT] for text in texts]
    assert all(len(batch) <= embedding.MOST_TEXTS for batch in server.manner.asked)
    assert all(sum(map(len, batch)) <= embedding.MOST_CHARACTERS for batch in server.manner.asked)


def test_an_empty_batch_sends_only_a_test_request(serve: Serve) -> None:
    server = serve(Manner())
    assert model_at(server).embed([]).shape == (0, DIMENSIONS)
    assert server.manner.asked == [["one"]]


@pytest.mark.parametrize(("way", "wait"), [("429", 7.0), ("500", 1.0), ("503", 1.0)])
def test_fault_39_temporary_failures_are_retried(serve: Serve, way: str, wait: float) -> None:
    server, waits = serve(Manner(way, bad=2)), list[float]()
    assert model_at(server, waits).embed(passages("one")).shape == (1, DIMENSIONS)
    assert (len(server.manner.asked), waits[0]) == (3, wait)
    assert waits == sorted(waits)


@pytest.mark.slow
@pytest.mark.parametrize("way", ["429", "500", "html"])
def test_and_not_for_ever(serve: Serve, way: str) -> None:
    server, waits = serve(Manner(way)), list[float]()
    with pytest.raises(EmbeddingError, match="openai/small refused") as caught:
        model_at(server, waits).embed(passages("one"))
    assert len(server.manner.asked) == 1 + len(waits) == 1 + len(embedding.WAITS)
    assert "a" * 48 not in caught.value.message


@pytest.mark.parametrize("way", ["400", "401", "404", "nan", "zero", "ragged", "few", "empty", "words"])
def test_fault_39_permanent_failures_are_reported_at_once(serve: Serve, way: str) -> None:
    server = serve(Manner(way))
    with pytest.raises(EmbeddingError) as caught:
        model_at(server).embed(passages("one", "two"))
    assert len(server.manner.asked) == 1
    assert caught.value.hint


def test_fault_39_a_redirect_is_not_followed(serve: Serve) -> None:
    elsewhere = serve(Manner())
    server = serve(Manner("307", elsewhere=f"{elsewhere.address}/embeddings"))
    with pytest.raises(EmbeddingError):
        model_at(server).embed(passages("one"))
    assert (len(server.manner.asked), elsewhere.manner.asked) == (1, [])


def test_fault_39_a_server_that_hangs_is_left(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(embedding, "QUERY_SECONDS", 0.5)
    model = model_at(serve(Manner("hang")))
    start = time.monotonic()
    with pytest.raises(EmbeddingError, match=r"no answer within 0\.5|refused"):
        model.embed_query(passages("one")[0])
    assert time.monotonic() - start < 10


def test_fault_39_an_answer_without_end_is_not_read(serve: Serve) -> None:
    with pytest.raises(EmbeddingError):
        model_at(serve(Manner("long")), []).embed(passages("one"))


@pytest.mark.parametrize("change", [{"model": "large"}, {"dimensions": 4}])
def test_fault_39_a_model_that_changes_under_way_is_refused(serve: Serve, change: dict[str, object]) -> None:
    server = serve(Manner())
    model = model_at(server)
    model.embed(passages("one"))
    for name, value in change.items():
        setattr(server.manner, name, value)
    with pytest.raises(EmbeddingError, match=r"to .*large during the run|4 numbers instead of 6"):
        model.embed(passages("two"))


def test_the_price_is_that_of_the_list_that_litellm_carries() -> None:
    known = ProviderEmbedder("openai/text-embedding-3-small").cost(35_000_000)
    assert known is not None
    assert 0.1 < known < 1.0  # 10 M tokens at two cents a million
    assert ProviderEmbedder("openai/none-such").cost(1_000) is None


def test_an_address_makes_another_model() -> None:
    assert ProviderEmbedder("openai/small").model_id != ProviderEmbedder("openai/small", "http://a/v1").model_id
