"""A server on this machine that speaks the provider's protocol of chats, well or badly, and keeps what it was asked."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Thread

ANSWER = {
    "id": "1",
    "object": "chat.completion",
    "created": 1,
    "model": "small",
    "choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": " Cents. \n"}}],
    "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2},
}
BAD = {"garbage": b"<html>not what you think", "empty": b'{"choices": []}'}


class ChatServer(ThreadingHTTPServer):
    """Answers in one way: well, broken, hang, garbage or empty."""

    daemon_threads = True

    def __init__(self, how: str) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.how = how
        self.sent: list[bytes] = []  # each request whole: its line, its headers and its body
        self.asked: list[dict[str, object]] = []
        self.released = Event()

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/v1"


class Handler(BaseHTTPRequestHandler):
    """One request."""

    server: ChatServer

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.sent.append(b"\n".join([self.requestline.encode(), bytes(self.headers), body]))
        self.server.asked.append(json.loads(body))
        how = self.server.how
        if how == "hang":
            self.server.released.wait(20)
        answer = BAD.get(how, json.dumps(ANSWER).encode())
        self.send_response(500 if how == "broken" else 200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, *_: object) -> None:
        pass


@contextmanager
def chatting(how: str) -> Iterator[ChatServer]:
    """A server that runs meanwhile."""
    server = ChatServer(how)
    thread = Thread(target=server.serve_forever, args=(0.05,))
    thread.start()
    try:
        yield server
    finally:
        server.released.set()
        server.shutdown()
        thread.join()
        server.server_close()
