"""A bare repository over http on this machine, as `git http-backend` serves it; one user may come in."""

import base64
import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import ClassVar
from urllib.parse import urlsplit

from support.local_server import Handler, listening

USER = "ana:open sesame"


class Backend(Handler):
    """One request, handed to git by its environment and standard input."""

    root: ClassVar[Path]

    def body(self) -> bytes:
        if self.headers.get("Transfer-Encoding", "").lower() != "chunked":
            return super().body()
        parts = []
        while size := int(self.rfile.readline(), 16):
            parts.append(self.rfile.read(size))
            self.rfile.readline()
        return b"".join(parts)

    def reply(self) -> None:
        body = self.body()
        if self.headers.get("Authorization") != "Basic " + base64.b64encode(USER.encode()).decode():
            self.answer(401, b"", {"WWW-Authenticate": 'Basic realm="git"'})
            return
        place = urlsplit(self.path)
        environ = {
            **os.environ,
            "GIT_PROJECT_ROOT": str(self.root),
            "GIT_HTTP_EXPORT_ALL": "1",
            "GIT_PROTOCOL": self.headers.get("Git-Protocol", ""),
            "PATH_INFO": place.path,
            "QUERY_STRING": place.query,
            "REQUEST_METHOD": self.command,
            "CONTENT_TYPE": self.headers.get("Content-Type", ""),
            "CONTENT_LENGTH": str(len(body)),
            "HTTP_CONTENT_ENCODING": self.headers.get("Content-Encoding", ""),
            "REMOTE_USER": "ana",
        }
        done = subprocess.run(["git", "http-backend"], env=environ, input=body, capture_output=True, check=False)
        head, _, content = done.stdout.partition(b"\r\n\r\n")
        fields = dict(line.split(": ", 1) for line in head.decode().split("\r\n"))
        self.answer(int(fields.pop("Status", "200").split()[0]), content, fields)


@contextmanager
def served(root: Path) -> Iterator[str]:
    """The address of a server for the repositories below a folder."""
    with listening(type("Handler", (Backend,), {"root": root})) as address:
        yield address
