"""An MCP client for tests: the SDK's own, or lines of our own to the server's pipes."""

import json
import subprocess
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

import anyio
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client

from support.command_line import Place
from support.fork_server import fork_server

Answer = TypeVar("Answer")
OPTIONS = {"task": "", "query": "", "id": "", "target": ""}  # arguments that the command line takes without a name
INITIALIZE = {
    "id": 0,
    "method": "initialize",
    "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}},
}
MAIN = "from repomem.__main__ import main\nmain()\n"


def with_client(place: Place, work: Callable[[Client], Awaitable[Answer]], *, at: str = "") -> Answer:
    """What `work` gives, spoken to a server started in a repository."""
    program, *arguments = fork_server().command()
    server = StdioServerParameters(
        command=program, args=[*arguments, "mcp"], env=dict(place.environment), cwd=place.folder / at
    )

    async def talk() -> Answer:
        with Path("/dev/null").open("w") as errors:
            async with Client(stdio_client(server, errlog=errors)) as client:
                return await work(client)

    return anyio.run(talk)


class Talk:
    """Lines to and from a server."""

    def __init__(self, process: "subprocess.Popen[str]") -> None:
        self.process = process
        self.lines: list[str] = []

    def say(self, line: str) -> None:
        assert self.process.stdin
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()

    def ask(self, message: dict[str, Any]) -> dict[str, Any]:
        """The answer to a request; every line on the way is kept."""
        self.say(json.dumps({"jsonrpc": "2.0", **message}))
        return self.answer_to(message["id"])

    def answer_to(self, name: object) -> dict[str, Any]:
        """The answer to the request of this id."""
        assert self.process.stdout
        for line in self.process.stdout:
            self.lines.append(line)
            answer: dict[str, Any] = json.loads(line)
            if answer.get("id") == name:
                return answer
        raise AssertionError("the server ended without an answer")

    def end(self) -> tuple[int, str]:
        """Close its stdin: how it ended, and what it said to people."""
        rest, errors = self.process.communicate(timeout=60)
        self.lines += rest.splitlines()
        return self.process.returncode, errors


@contextmanager
def talk_to(place: Place, script: str = "", *, is_fresh: bool = False) -> Iterator[Talk]:
    process = place.start("mcp", script=script + MAIN if script else "", is_fresh=is_fresh)
    with process:
        try:
            yield Talk(process)
        finally:
            process.kill()
