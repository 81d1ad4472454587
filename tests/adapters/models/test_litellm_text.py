"""A model behind litellm: against a server on this machine that speaks the chat protocol, and where it is missing."""

import json
import os
import sys
import time
from collections.abc import Iterator
from types import SimpleNamespace

import pytest
from support.model_server import Manner, Server, serving

from repomem.adapters.models import litellm_text
from repomem.adapters.models.litellm_provider import provider_library
from repomem.adapters.models.litellm_text import Model, one_sentence
from repomem.core.errors import RepomemError
from repomem.core.packages import install_hint
from repomem.core.types.text import CleanText

NOTES = [CleanText("Balances are kept in cents"), CleanText("Balances are kept in cents!")]


@pytest.fixture
def server(request: pytest.FixtureRequest) -> Iterator[Server]:
    """A server that answers in the way of the test's parameter."""
    with serving(Manner(request.param)) as found:
        yield found


@pytest.fixture
def real(monkeypatch: pytest.MonkeyPatch) -> None:
    """litellm itself, as the extra `llm` installs it, with a key that opens nothing."""
    monkeypatch.setenv("LITELLM_MODE", "PRODUCTION")
    monkeypatch.setenv("LITELLM_LOCAL_MODEL_COST_MAP", "True")
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    pytest.importorskip("litellm", reason="litellm is not installed: the extra llm has it")


def asked(server: Server, seconds: float = 20.0) -> str:
    return one_sentence(NOTES, Model("openai/small", server.address, seconds))


@pytest.mark.usefixtures("real")
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("server", [""], indirect=True)
def test_the_sentence_comes_back_and_only_the_notes_go_out(server: Server) -> None:
    assert asked(server) == "Cents."
    [messages] = server.manner.asked
    assert server.manner.models == ["small"]
    assert json.loads(messages[1]) == NOTES


@pytest.mark.usefixtures("real")
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("server", ["500"], indirect=True)
def test_fault_39_a_failing_server_is_asked_once_and_reported(server: Server) -> None:
    with pytest.raises(RepomemError, match="openai/small refused") as caught:
        asked(server)
    assert "llm.api_base" in caught.value.hint
    assert len(server.manner.asked) == 1


@pytest.mark.usefixtures("real")
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("server", ["html", "empty"], indirect=True)
def test_fault_39_an_invalid_answer_is_an_error(server: Server) -> None:
    with pytest.raises(RepomemError, match=r"refused|returned no text"):
        asked(server)


@pytest.mark.slow
@pytest.mark.usefixtures("real")
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("server", ["hang"], indirect=True)
def test_fault_39_a_server_that_hangs_is_left(server: Server) -> None:
    with pytest.raises(RepomemError, match=r"no answer within|refused"):
        asked(server, 0.5)
    assert len(server.manner.asked) <= 1


@pytest.mark.usefixtures("real")
@pytest.mark.filterwarnings("ignore")
def test_an_unknown_provider_is_an_error() -> None:
    with pytest.raises(RepomemError, match="refused"):
        one_sentence(NOTES, Model("nobody-knows-it", seconds=20))


# Where litellm is missing, or a stand-in answers as it would


class Failed(Exception):  # noqa: N818  # litellm's own have such names
    """What a provider raises."""


def stand_in(monkeypatch: pytest.MonkeyPatch, answer: object) -> list[dict[str, object]]:
    """A litellm that gives the answer, or raises it; what it was asked.

    It never stands in `sys.modules`: a thread of litellm that an earlier test left behind would import it, and keep it.
    """
    calls: list[dict[str, object]] = []

    def completion(**options: object) -> object:
        calls.append(options)
        if isinstance(answer, Exception):
            raise answer
        return answer() if callable(answer) else answer

    exceptions = SimpleNamespace(LITELLM_EXCEPTION_TYPES=[Failed])
    library = SimpleNamespace(completion=completion, exceptions=exceptions)
    monkeypatch.setattr(litellm_text, "provider_library", lambda _failure: library)
    return calls


def answer_of(content: object) -> SimpleNamespace:
    return SimpleNamespace(choices=[SimpleNamespace(message=SimpleNamespace(content=content))])


def test_without_litellm_the_next_step_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "litellm", None)
    with pytest.raises(RepomemError, match="litellm is not installed") as caught:
        one_sentence(NOTES, Model("x/y"))
    assert caught.value.hint == install_hint("llm")


def test_it_is_asked_once_with_a_deadline_and_no_retry(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = stand_in(monkeypatch, answer_of(" Cents. "))
    assert one_sentence(NOTES, Model("x/y", "http://here", 3)) == "Cents."
    [call] = calls
    told = {name: call[name] for name in ("model", "api_base", "timeout", "num_retries", "max_retries")}
    assert told == {"model": "x/y", "api_base": "http://here", "timeout": 3, "num_retries": 0, "max_retries": 0}


@pytest.mark.usefixtures("real")
@pytest.mark.filterwarnings("ignore")
def test_it_reads_no_env_file_and_downloads_no_prices(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LITELLM_MODE", "")
    monkeypatch.setenv("LITELLM_LOCAL_MODEL_COST_MAP", "")
    provider_library(RepomemError)
    assert (os.environ["LITELLM_MODE"], os.environ["LITELLM_LOCAL_MODEL_COST_MAP"]) == ("PRODUCTION", "True")


def test_the_error_for_a_refusal_contains_no_secret(monkeypatch: pytest.MonkeyPatch) -> None:
    stand_in(monkeypatch, Failed("wrong key AKIA" + "Q" * 16))
    with pytest.raises(RepomemError, match="x/y refused: wrong key") as caught:
        one_sentence(NOTES, Model("x/y"))
    assert "Q" * 16 not in caught.value.message


@pytest.mark.parametrize("content", [None, "", " \n", 3])
def test_an_answer_without_text_is_an_error(monkeypatch: pytest.MonkeyPatch, content: object) -> None:
    stand_in(monkeypatch, answer_of(content))
    with pytest.raises(RepomemError, match="returned no text"):
        one_sentence(NOTES, Model("x/y"))


def test_fault_39_whatever_the_provider_does_the_deadline_holds(monkeypatch: pytest.MonkeyPatch) -> None:
    stand_in(monkeypatch, lambda: time.sleep(0.5))
    with pytest.raises(RepomemError, match=r"gave no answer within 0\.1 seconds"):
        one_sentence(NOTES, Model("x/y", seconds=0.1))
