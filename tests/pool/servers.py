"""Servers on loopback: a real S3, and some that are not what they should be."""

import socket
from collections.abc import Iterator
from contextlib import contextmanager
from typing import ClassVar
from urllib.parse import urlsplit
from urllib.request import Request, urlopen

from support.local_server import Handler, listening

BUCKET = "bucket"


@contextmanager
def moto() -> Iterator[str]:
    """The S3 of moto, which keeps conditions; gives its address."""
    import logging

    from moto.server import ThreadedMotoServer

    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    try:
        yield f"http://{host}:{port}"
    finally:
        server.stop()


def make_bucket(address: str, name: str = BUCKET) -> None:
    """Make a bucket."""
    with urlopen(Request(f"{address}/{name}", method="PUT")) as answer:
        assert answer.status == 200


class _Forgetful(Handler):
    """Storage that ignores conditions: whoever comes last wins."""

    protocol_version = "HTTP/1.1"
    files: ClassVar[dict[str, bytes]] = {}

    def reply(self) -> None:
        path, body = urlsplit(self.path).path, self.body()
        if self.command == "POST":  # delete
            self.respond(200, b"<DeleteResult></DeleteResult>")
        elif self.command == "PUT":
            self.files[path] = body
            self.respond(200)
        else:
            data = self.files.get(path)
            self.respond(404 if data is None else 200, data or b"")

    def respond(self, status: int, data: bytes = b"") -> None:
        self.answer(status, data, {"ETag": '"0"', "Last-Modified": "Wed, 21 Oct 2026 07:28:00 GMT"})


class _Forbidding(_Forgetful):
    """Storage that lets nobody in, and repeats the key that it was shown."""

    def reply(self) -> None:
        if self.command == "POST":
            super().reply()
            return
        self.body()
        told = self.headers.get("Authorization", "").partition("Credential=")[2].partition("/")[0]
        self.respond(403, f"<Error><Code>AccessDenied</Code><AWSAccessKeyId>{told}</AWSAccessKeyId></Error>".encode())


@contextmanager
def forgetful() -> Iterator[str]:
    """Storage that ignores conditions."""
    with listening(_Forgetful) as address:
        yield address


@contextmanager
def forbidding() -> Iterator[str]:
    """Storage that lets nobody in."""
    with listening(_Forbidding) as address:
        yield address


@contextmanager
def silent() -> Iterator[str]:
    """A server that takes every connection and never answers."""
    with socket.create_server(("127.0.0.1", 0), backlog=64) as server:
        yield f"http://127.0.0.1:{server.getsockname()[1]}"


@contextmanager
def gone() -> Iterator[str]:
    """An address at which nobody listens."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        address = f"http://127.0.0.1:{server.getsockname()[1]}"
    yield address
