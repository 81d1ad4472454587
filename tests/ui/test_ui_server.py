"""The page as a process sees it: loopback, one address, and an end."""

import socket
from contextlib import closing
from http.client import HTTPConnection
from urllib.parse import urlsplit

import pytest
from support.library import Library
from support.memory_scenes import PERSON

from repomem.core.errors import RepomemError
from repomem.core.processes.threads import in_thread
from repomem.ui.server import LOOPBACK, Visit, has_display, serve


def test_the_server_answers_on_loopback_and_ends_when_idle(library: Library) -> None:
    answers = []

    def status(address: str) -> int:
        place = urlsplit(address)
        with closing(HTTPConnection(place.netloc, timeout=30)) as connection:
            connection.request("GET", f"{place.path}?{place.query}")
            return connection.getresponse().status

    visit = Visit(library("ledgerly"), PERSON, has_browser=False, idle_seconds=1.0)
    serve(visit, lambda address: answers.append(in_thread(lambda: status(address))))
    assert [answer.result() for answer in answers] == [303]


def test_no_browser_is_opened_on_a_terminal_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.platform", "linux")
    assert not has_display({"TERM": "xterm"})
    assert has_display({"DISPLAY": ":0"})
    assert has_display({"WAYLAND_DISPLAY": "wayland-0"})


def test_a_port_that_is_taken_is_an_error_with_a_hint(library: Library) -> None:
    with socket.socket() as other:
        other.bind((LOOPBACK, 0))
        other.listen()
        with pytest.raises(RepomemError, match="cannot listen") as caught:
            serve(Visit(library("ledgerly"), PERSON, other.getsockname()[1], has_browser=False), print)
    assert caught.value.hint == "leave --port out, and a free one is chosen"
