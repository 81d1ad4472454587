"""Serves the page on loopback until it is interrupted or unused for half an hour."""

import asyncio
import errno
import os
import socket
import sys
import time
import webbrowser
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import uvicorn

from repomem.core.errors import RepomemError
from repomem.core.processes.threads import in_thread
from repomem.ui.access import Access, Guard
from repomem.ui.actions import Actions
from repomem.ui.application import Page, application_of
from repomem.ui.repository import Questions
from repomem.workspace.ledger import Speaker

LOOPBACK = "127.0.0.1"
IDLE_SECONDS = 30 * 60.0  # a forgotten page must not stay open
POLL_SECONDS = 5.0
GRACE_SECONDS = 2  # for answers in progress when it ends


@dataclass(frozen=True, slots=True)
class Visit:
    """How the page is opened."""

    directory: Path
    speaker: Speaker
    port: int = 0  # 0: any free one
    has_browser: bool = True
    idle_seconds: float = IDLE_SECONDS


def serve(visit: Visit, tell_address: Callable[[str], None]) -> None:
    """Serve until Ctrl-C or idle; `tell_address` gets the address to open. Raises RepomemError if the port is taken."""
    with _listening(visit.port) as listener:
        access = Access(listener.getsockname()[1])
        questions = Questions(visit.directory, os.environ)
        app = application_of(Page(questions, Actions(visit.speaker), access))
        tell_address(access.address(access.token))
        if visit.has_browser and has_display(os.environ):
            in_thread(lambda: webbrowser.open(access.address(access.token_of_browser)))
        try:
            with suppress(KeyboardInterrupt):  # uvicorn raises it again after it has ended in order
                asyncio.run(_served(app, listener, visit.idle_seconds))
        finally:
            questions.close()


def has_display(environ: Mapping[str, str]) -> bool:
    """Whether a browser would open a window: on a terminal alone it would take the terminal over."""
    is_windowed = sys.platform in {"darwin", "win32"}
    return is_windowed or bool(environ.get("DISPLAY") or environ.get("WAYLAND_DISPLAY"))


async def _served(app: Guard, listener: socket.socket, idle_seconds: float) -> None:
    config = uvicorn.Config(
        app,
        http="h11",
        ws="none",
        lifespan="off",
        log_config=None,
        access_log=False,  # addresses have the token
        proxy_headers=False,
        server_header=False,
        timeout_graceful_shutdown=GRACE_SECONDS,
    )
    server = uvicorn.Server(config)
    watching = asyncio.create_task(_end_when_idle(server, app.access, idle_seconds))
    try:
        await server.serve([listener])
    finally:
        watching.cancel()


async def _end_when_idle(server: uvicorn.Server, access: Access, idle_seconds: float) -> None:
    while (left := access.last_used + idle_seconds - time.monotonic()) > 0:
        await asyncio.sleep(min(left, POLL_SECONDS))
    server.should_exit = True


def _listening(port: int) -> socket.socket:
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    try:
        if os.name == "posix":  # on Windows it would let another program take the port over
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((LOOPBACK, port))
        listener.listen()
    except OSError as error:
        listener.close()
        hint = "leave --port out, and a free one is chosen" if error.errno == errno.EADDRINUSE else ""
        raise RepomemError(f"cannot listen on {LOOPBACK}:{port}: {error.strerror}", hint) from error
    return listener
