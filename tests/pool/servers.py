"""Servers on loopback: a real S3, and some that are not what they should be."""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import ClassVar
from urllib.parse import urlsplit
from urllib.request import Request, urlopen

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


class _Forgetful(BaseHTTPRequestHandler):
    """Storage that ignores conditions: whoever comes last wins."""

    protocol_version = "HTTP/1.1"
    files: ClassVar[dict[str, bytes]] = {}

    def do_PUT(self) -> None:
        self.files[self._path] = self.rfile.read(int(self.headers["Content-Length"]))
        self._answer(200)

    def do_GET(self) -> None:
        data = self.files.get(self._path)
        self._answer(404 if data is None else 200, data or b"")

    def do_POST(self) -> None:  # delete
        self.rfile.read(int(self.headers["Content-Length"]))
        self._answer(200, b"<DeleteResult></DeleteResult>")

    def log_message(self, *_: object) -> None:
        pass

    @property
    def _path(self) -> str:
        return urlsplit(self.path).path

    def _answer(self, status: int, data: bytes = b"") -> None:
        self.send_response(status)
        self.send_header("Content-Length", str(len(data)))
        self.send_header("ETag", '"0"')
        self.send_header("Last-Modified", "Wed, 21 Oct 2026 07:28:00 GMT")
        self.end_headers()
        self.wfile.write(data)


class _Forbidding(_Forgetful):
    """Storage that lets nobody in, and repeats the key that it was shown."""

    def do_GET(self) -> None:
        told = self.headers.get("Authorization", "").partition("Credential=")[2].partition("/")[0]
        self._answer(403, f"<Error><Code>AccessDenied</Code><AWSAccessKeyId>{told}</AWSAccessKeyId></Error>".encode())

    def do_PUT(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        self.do_GET()


@contextmanager
def serving(handler: type[BaseHTTPRequestHandler]) -> Iterator[str]:
    """A server with this handler; gives its address."""
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        server.daemon_threads = True
        threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}"
        finally:
            server.shutdown()


@contextmanager
def forgetful() -> Iterator[str]:
    """Storage that ignores conditions."""
    with serving(_Forgetful) as address:
        yield address


@contextmanager
def forbidding() -> Iterator[str]:
    """Storage that lets nobody in."""
    with serving(_Forbidding) as address:
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
