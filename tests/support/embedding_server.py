"""A server on this machine that speaks the provider's protocol of embeddings, well or badly."""

import hashlib
import json
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Thread
from typing import Any

DIMENSIONS = 6


def vector_of(text: str, dimensions: int = DIMENSIONS) -> list[float]:
    """A vector of a text that no other text has, neither of unit length nor in the middle."""
    digest = hashlib.blake2b(text.encode(), digest_size=dimensions).digest()
    return [1.0 + byte / 255 for byte in digest]


@dataclass
class Manner:
    """How the server answers; `bad` is the number of first answers that are bad in that `way`, -1: all."""

    way: str = ""
    bad: int = -1
    model: str = "small"
    dimensions: int = DIMENSIONS
    asked: list[list[str]] = field(default_factory=list)
    keys: list[str] = field(default_factory=list)
    released: Event = field(default_factory=Event)
    elsewhere: str = ""  # where a redirect leads

    def answer(self, texts: list[str]) -> dict[str, Any]:
        rows = [
            {"object": "embedding", "index": at, "embedding": vector_of(text, self.dimensions)}
            for at, text in enumerate(texts)
        ]
        usage = {"prompt_tokens": 1, "total_tokens": 1}
        return {"object": "list", "data": rows[::-1], "model": self.model, "usage": usage}


class Server(ThreadingHTTPServer):
    """One server; its manner may change between requests."""

    daemon_threads = True
    manner: Manner

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/v1"


class Handler(BaseHTTPRequestHandler):
    """One request."""

    server: Server

    def do_POST(self) -> None:
        manner = self.server.manner
        texts = json.loads(self.rfile.read(int(self.headers["Content-Length"])))["input"]
        manner.asked.append(texts)
        manner.keys.append(self.headers.get("Authorization", ""))
        way = manner.way if manner.bad < 0 or len(manner.asked) <= manner.bad else ""
        if way == "hang":
            manner.released.wait(20)
        status = int(way) if way.isdigit() else 200
        extra = {"Location": manner.elsewhere} if way == "307" else {"Retry-After": "7"} if way == "429" else {}
        self._send(status, _spoilt(way, manner.answer(texts)), extra)

    def _send(self, status: int, body: bytes, headers: dict[str, str]) -> None:
        self.send_response(status)
        self.send_header("Content-Type", "text/html" if body.startswith(b"<") else "application/json")
        self.send_header("Content-Length", str(len(body)))
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        with suppress(BrokenPipeError, ConnectionResetError):  # whoever asked has left
            self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        pass


def _spoilt(way: str, answer: dict[str, Any]) -> bytes:
    """The answer as it goes wrong."""
    rows = answer["data"]
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
    server = Server(("127.0.0.1", 0), Handler)
    server.manner = manner
    thread = Thread(target=server.serve_forever, args=(0.05,))
    thread.start()
    try:
        yield server
    finally:
        manner.released.set()
        server.shutdown()
        thread.join()
        server.server_close()
