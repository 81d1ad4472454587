"""A first index by parsing and from shared storage, on a server of this machine, at no latency and at 30 ms a request.

The repositories are the first so many files of a pinned one in one commit: what is compared is the reading of files.
"""

import argparse
import json
import os
import secrets
import shutil
import statistics
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from urllib.request import Request, urlopen

from benchmarks import results
from benchmarks.inputs import Pinned, git, section
from benchmarks.processes import Cost, repomem, run

SIZES = (64, 640)  # files
LATENCIES = (0.0, 0.03)  # seconds that each request takes longer
RUNS = 3
REMOTE = "https://git.example.org/team/project.git"


@dataclass
class Server:
    """The S3 of moto behind a count and a delay."""

    address: str
    requests: int = 0
    delay: float = 0.0


def main(arguments: list[str]) -> None:
    """pool MIRROR"""
    parser = argparse.ArgumentParser(prog="python -m benchmarks pool")
    parser.add_argument("mirror", type=Path)
    asked = parser.parse_args(arguments)
    pinned = Pinned(**section("pool"))
    where = results.machine()
    with TemporaryDirectory() as folder, _served() as server:
        _be_a_user(Path(folder), server)
        whole = pinned.checked_out(asked.mirror, Path(folder) / "whole")
        rows = [row for size in SIZES for row in _measured(whole, size, server)]
    results.save("pool", where, {"repository": pinned.repository, "commit": pinned.commit, "runs": RUNS, "rows": rows})
    print(results.table(list(rows[0]), [list(row.values()) for row in rows]))


def _measured(whole: Path, size: int, server: Server) -> Iterator[dict[str, Any]]:
    """The median costs of a first index of so many files: alone, and for each latency from the pool."""
    place = _repository(whole, size)
    os.environ.pop("REPOMEM_STORE_URI", None)
    yield _row("parsed", place, server, 0.0)
    os.environ["REPOMEM_STORE_URI"] = f"s3://bucket/{secrets.token_hex(4)}"
    run(repomem("store", "init"), place)
    yield _row("parsed and given", place, server, 0.0, runs=1)
    for delay in LATENCIES:
        yield _row("taken", place, server, delay)


def _row(way: str, place: Path, server: Server, delay: float, runs: int = RUNS) -> dict[str, Any]:
    server.delay = delay
    costs: list[Cost] = []
    requests = []
    for _ in range(runs):
        shutil.rmtree(place / ".git" / "repomem", ignore_errors=True)
        before = server.requests
        costs.append(run(repomem("index", "--format", "json"), place))
        requests.append(server.requests - before)
    server.delay = 0.0
    report = json.loads(costs[-1].output)
    status = json.loads(run(repomem("store", "status", "--format", "json"), place).output) if way != "parsed" else {}
    return {
        "way": way,
        "files": report["files"],
        "chunks": report["chunks"],
        "taken": report["taken"],
        "milliseconds a request": round(1000 * delay),
        "wall seconds": round(statistics.median(cost.wall for cost in costs), 2),
        "CPU seconds": round(statistics.median(cost.cpu for cost in costs), 2),
        "requests": statistics.median_low(requests),
        "bytes in the bucket": sum(table["bytes"] for table in status.get("tables", ())),
    }


def _repository(whole: Path, size: int) -> Path:
    """The first so many source files by the hash of their content, in one commit."""
    place = whole.with_name(f"files-{size}")
    lines = git(whole, "ls-tree", "-r", "HEAD").splitlines()
    sources = sorted((line.split()[2], line.partition("\t")[2]) for line in lines if line.endswith(".java"))
    for _, path in sources[:size]:
        (place / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(whole / path, place / path)
    git(whole.parent, "init", "-q", str(place))
    git(place, "add", "--all")
    git(place, "commit", "-q", "-m", "begin")
    git(place, "remote", "add", "origin", REMOTE)
    return place


def _be_a_user(folder: Path, server: Server) -> None:
    """A home of its own, and credentials for the server."""
    for name in ("HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME"):
        os.environ[name] = str(folder / "home")
    os.environ |= {
        "AWS_ACCESS_KEY_ID": "none",
        "AWS_SECRET_ACCESS_KEY": "none",
        "AWS_REGION": "us-east-1",
        "AWS_ALLOW_HTTP": "true",
        "AWS_ENDPOINT": server.address,
    }


@contextmanager
def _served() -> Iterator[Server]:
    from moto.server import DomainDispatcherApplication, create_backend_app
    from werkzeug.serving import WSGIRequestHandler, make_server

    class Quiet(WSGIRequestHandler):  # type: ignore[misc]  # mypy does not read its package
        protocol_version = "HTTP/1.1"

        def log(self, *_: object) -> None:
            pass

    app = DomainDispatcherApplication(create_backend_app)
    server = Server("")

    def answer(environ: dict[str, Any], start: Callable[..., Any]) -> Iterable[bytes]:
        server.requests += 1
        time.sleep(server.delay)
        answered: Iterable[bytes] = app(environ, start)
        return answered

    made = make_server("127.0.0.1", 0, answer, threaded=True, request_handler=Quiet)
    server.address = f"http://127.0.0.1:{made.server_port}"
    threading.Thread(target=made.serve_forever, daemon=True).start()
    urlopen(Request(f"{server.address}/bucket", method="PUT")).close()
    yield server
    made.shutdown()
