"""A server on this machine that speaks the provider's protocol of embeddings and chats, well or badly."""

import hashlib
import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from threading import Event
from typing import Any, ClassVar

from support.local_server import Handler, listening

DIMENSIONS = 6
SENTENCE = " Cents. \n"  # the answer to every chat


def vector_of(text: str, dimensions: int = DIMENSIONS) -> list[float]:
    """A vector of a text that no other text has, neither of unit length nor in the middle."""
    digest = hashlib.blake2b(text.encode(), digest_size=dimensions).digest()
    return [1.0 + byte / 255 for byte in digest]


@dataclass
class Manner:
    """How the server answers, and what it was asked.

    `bad` is the number of first answers that are bad in that `way`, -1: all. The manner may change between requests.
    """

    way: str = ""
    bad: int = -1
    model: str = "small"
    dimensions: int = DIMENSIONS
    answer: str = SENTENCE  # to every chat
    asked: list[list[str]] = field(default_factory=list)  # the texts, or the messages, of each request
    models: list[str] = field(default_factory=list)  # that each request names
    keys: list[str] = field(default_factory=list)
    sent: list[bytes] = field(default_factory=list)  # each request whole: its line, its headers and its body
    released: Event = field(default_factory=Event)
    elsewhere: str = ""  # where a redirect leads

    def vectors(self, texts: list[str]) -> dict[str, Any]:
        rows = [
            {"object": "embedding", "index": at, "embedding": vector_of(text, self.dimensions)}
            for at, text in enumerate(texts)
        ]
        usage = {"prompt_tokens": 1, "total_tokens": 1}
        return {"object": "list", "data": rows[::-1], "model": self.model, "usage": usage}

    def chat(self) -> dict[str, Any]:
        message = {"role": "assistant", "content": self.answer}
        choices = [{"index": 0, "finish_reason": "stop", "message": message}]
        usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
        named = {"id": "1", "object": "chat.completion", "created": 1, "model": self.model}
        return {**named, "choices": choices, "usage": usage}


@dataclass
class Server:
    """A running server: its address, and how it answers."""

    address: str
    manner: Manner


class _Request(Handler):
    """One request."""

    manner: ClassVar[Manner]

    def reply(self) -> None:
        manner, body = self.manner, self.body()
        request = json.loads(body)
        manner.sent.append(b"\n".join([self.requestline.encode(), bytes(self.headers), body]))
        manner.asked.append(request.get("input") or [message["content"] for message in request["messages"]])
        manner.models.append(request["model"])
        manner.keys.append(self.headers.get("Authorization", ""))
        way = manner.way if manner.bad < 0 or len(manner.asked) <= manner.bad else ""
        if way == "hang":
            manner.released.wait(20)
        status = int(way) if way.isdigit() else 200
        extra = {"Location": manner.elsewhere} if way == "307" else {"Retry-After": "7"} if way == "429" else {}
        answer = _spoilt(way, manner.vectors(manner.asked[-1]) if "input" in request else manner.chat())
        kind = "text/html" if answer.startswith(b"<") else "application/json"
        self.answer(status, answer, {"Content-Type": kind, **extra})


def _spoilt(way: str, answer: dict[str, Any]) -> bytes:
    """The answer as it goes wrong."""
    rows = answer.get("data") or answer["choices"]
    if way == "html":
        return b"<html><body>Welcome to the captive portal</body></html>"
    if way == "long":
        return b'{"data": "' + b"x" * (70 << 20) + b'"}'
    if way.isdigit():
        return b'{"error": {"message": "no, sk-proj-' + b"a" * 48 + b' is refused"}}'
    if way == "nan":
        rows[0]["embedding"][0] = float("nan")
    elif way == "zero":
        rows[0]["embedding"] = [0.0] * len(rows[0]["embedding"])
    elif way == "ragged":
        rows[0]["embedding"].append(1.0)
    elif way == "few":
        rows.pop()
    elif way == "empty":
        rows.clear()
    elif way == "words":
        rows[0]["embedding"] = ["a", "b"]
    return json.dumps(answer).encode()


@contextmanager
def serving(manner: Manner) -> Iterator[Server]:
    """A server that runs meanwhile."""
    with listening(type("Request", (_Request,), {"manner": manner})) as address:
        try:
            yield Server(f"{address}/v1", manner)
        finally:
            manner.released.set()
