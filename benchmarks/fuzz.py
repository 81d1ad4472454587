"""Inputs that nobody would write: does anything raise that should not, does a file take too long, does a server end?

python -m benchmarks fuzz [--inputs N] [--seed N]

Sources of every language are mutated and parsed as an index run does it, in workers that may die; paths, commit
messages, configuration files and transcripts go through the functions that read them; frames go to a server on pipes.
The same seed makes the same inputs. What fails is kept in the figures by kind, place and seed.
"""

import argparse
import json
import os
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Thread
from typing import Any

from benchmarks.inputs import git
from benchmarks.processes import ROOT
from benchmarks.results import machine, save, table
from repomem.adapters.languages.file_roles import role_of
from repomem.adapters.transcripts.readers import READERS, read
from repomem.capture.session_findings import captured_from
from repomem.core.config import load_config
from repomem.core.errors import RepomemError
from repomem.core.processes.workers import WorkerFault, run_in_workers
from repomem.core.secrets.redact import is_secret_path, redact
from repomem.core.text.escape import one_line, quoted, visible, visible_path
from repomem.core.text.words import words_of
from repomem.core.types.code import Role
from repomem.core.types.commits import FileChange, LogRecord
from repomem.history.log_parsing import episode_of
from repomem.history.messages import reason_of
from repomem.index.parse_messages import FileTask, ParsedFile
from repomem.index.parse_worker import parse_file

FIXTURES = ROOT / "fixtures"
SHARES = {"sources": 0.3, "paths": 0.2, "messages": 0.2, "configurations": 0.1, "transcripts": 0.1, "frames": 0.1}
TOKENS = (
    "(",
    ")",
    "[",
    "{",
    '"',
    "'",
    "`",
    "\\",
    "\0",
    "\n",
    "\r\n",
    "\t",
    "/*",
    "#",
    "<",
    "\u202e",
    "\ufeff",
    "\x1b[",
    "}}",
)
COMMIT = b"0123456789abcdef0123456789abcdef01234567"
MESSAGE = b'Revert "feat: x (#12)"\n\nThis reverts commit ' + COMMIT + b".\n\nSigned-off-by: A <a@b>"
MOST_REPEATS = 3_000  # of one piece: deep nesting is what kills parsers
FRAME_BATCH = 2_000


def mutated(data: bytes, chance: random.Random) -> bytes:
    """Bytes with a few pieces flipped, cut, doubled, moved, nested or replaced."""
    for _ in range(chance.randint(1, 4)):
        at, to = sorted((chance.randint(0, len(data)), chance.randint(0, len(data))))
        token = chance.choice(TOKENS).encode()
        match chance.randint(0, 7):
            case 0:
                data = data[:at] + chance.randbytes(chance.randint(1, 8)) + data[at:]
            case 1:
                data = data[:at] + data[to:]
            case 2:
                data = data[:to] + data[at:to] * chance.randint(1, 5) + data[to:]
            case 3:
                data = data[to:] + data[:at]
            case 4:
                data = data[:at] + token * chance.randint(1, MOST_REPEATS) + data[at:]
            case 5:
                data = data[: chance.randint(0, len(data))]
            case 6:
                data = data[:at] + token + data[at:to] + token + data[to:]
            case _:
                data = bytes(byte ^ (chance.random() < 0.01) << chance.randint(0, 7) for byte in data[:20_000])
    return data


# One generator and one reader for each kind


def sources(chance: random.Random) -> Iterator[tuple[str, bytes]]:
    """Path and mutated bytes of the sample of a language, forever."""
    samples = [(path.name, path.read_bytes()) for path in sorted(FIXTURES.glob("languages/*/sample.*"))]
    while True:
        name, data = chance.choice(samples)
        other = chance.choice(samples)[1] if chance.random() < 0.1 else b""
        yield name, mutated(data + other, chance)


def timed_parse(task: FileTask) -> tuple[ParsedFile, float]:
    """What a worker does with a file, and the CPU seconds that it took."""
    begun = time.process_time()
    return parse_file(task), time.process_time() - begun


def parse_all(seed: int, count: int) -> dict[str, Any]:
    """Parse mutated sources in workers; who dies takes one file along."""
    found = sources(random.Random(seed))
    named: dict[int, str] = {}

    def tasks() -> Iterator[tuple[int, FileTask]]:
        for number in range(count):
            name, data = next(found)
            named[number] = name
            yield number, FileTask(name, data, {}, frozenset({Role.GENERATED, Role.VENDORED}))

    slowest, reasons = ("", 0.0), Counter[str]()
    answered = 0
    for number, result in run_in_workers("benchmarks.fuzz:timed_parse", tasks(), processes=1):
        answered += 1
        if isinstance(result, WorkerFault):
            reasons[result.reason] += 1
        else:
            slowest = max(slowest, (named[number], round(result[1], 3)), key=lambda one: one[1])
            reasons[(result[0].left_out and f"left out: {result[0].left_out}") or "parsed"] += 1
    return {"inputs": count, "answered": answered, "crashes": 0, "slowest": list(slowest), "ended": dict(reasons)}


def read_path(chance: random.Random) -> None:
    path = os.fsdecode(
        mutated(chance.choice([b"src/a b.py", b"\xff\xfe/x", b"-rf", b"a/../../etc/passwd", b"CON.txt"]), chance)
    )
    visible_path(path).encode()
    words_of(visible_path(path))
    role_of(path, "", {})
    is_secret_path(path)
    quoted(path)


def read_message(chance: random.Random) -> None:
    message = redact(mutated(MESSAGE, chance).decode("utf-8", "surrogateescape"))
    files = (FileChange("M", "a.py"),)
    record = LogRecord("0" * 40, (), message[:20], "2026-01-31", 0, message, files)
    episode = episode_of(record)
    reason_of(episode.body)
    assert "\n" not in one_line(episode.subject, 100)
    visible(episode.body).encode()


def read_configuration(chance: random.Random) -> None:
    with tempfile.TemporaryDirectory() as folder:
        top = Path(folder)
        (top / ".repomem.toml").write_bytes(mutated((ROOT / ".repomem.example.toml").read_bytes(), chance))
        try:
            load_config(top, environ={"HOME": folder, "XDG_CONFIG_HOME": folder}, trusted=lambda *_: False)
        except RepomemError as error:
            error.message.encode()


def transcripts() -> dict[str, list[bytes]]:
    """The lines of a real transcript of each host."""
    found = {}
    for host in READERS:
        files = sorted(FIXTURES.glob(f"hosts/{host}/transcript*.jsonl")) or sorted(
            FIXTURES.glob("transcripts/cursor/*.jsonl")
        )
        found[host] = files[0].read_bytes().splitlines(keepends=True)
    return found


TRANSCRIPTS = transcripts()


def read_session(chance: random.Random) -> None:
    host = chance.choice(sorted(TRANSCRIPTS))
    lines = list(TRANSCRIPTS[host])
    for _ in range(chance.randint(1, 5)):
        at = chance.randrange(len(lines))
        lines[at : at + chance.randint(0, 2)] = [mutated(lines[at], chance)]
    for found in (lines, [_swapped(line, chance) for line in lines]):
        captured_from(read(host, found).steps)


def _swapped(line: bytes, chance: random.Random) -> bytes:
    """A JSON line in which values have become others, of other types too."""
    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        return line
    return json.dumps(_other(record, chance)).encode()


def _other(value: Any, chance: random.Random) -> Any:
    if chance.random() < 0.03:
        return chance.choice([None, [], {}, 0, -1, 1e308, "", "\ud800", [[[]]], True, 2**70, "\0"])
    if isinstance(value, dict):
        return {key: _other(each, chance) for key, each in value.items()}
    return [_other(each, chance) for each in value] if isinstance(value, list) else value


READ: dict[str, Callable[[random.Random], None]] = {
    "paths": read_path,
    "messages": read_message,
    "configurations": read_configuration,
    "transcripts": read_session,
}


def read_all(kind: str, seed: int, count: int) -> dict[str, Any]:
    """Read inputs of one kind; an exception that is none of ours is a crash."""
    crashes, slowest = [], 0.0
    for number in range(count):
        begun = time.process_time()
        try:
            READ[kind](random.Random(f"{kind} {seed} {number}"))
        except Exception as error:  # noqa: BLE001  # the finding
            crashes.append(f"{number}: {type(error).__name__}: {error}"[:200])
        slowest = max(slowest, time.process_time() - begun)
    return {"inputs": count, "crashes": len(crashes), "slowest": round(slowest, 3), "first": crashes[:5]}


# Frames


def frames(chance: random.Random) -> Iterator[bytes]:
    """Lines to a server: requests that are torn, mixed up, of other types, or of no protocol at all; forever."""
    calls = [
        {"jsonrpc": "2.0", "id": 1, "method": "tools/list"},
        {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "show", "arguments": {"id": "../../x"}}},
        {"jsonrpc": "2.0", "id": 3, "method": "tools/call", "params": {"name": "log", "arguments": {"target": "-x"}}},
        {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}},
        {"jsonrpc": "2.0", "id": "x", "method": "no/such"},
    ]
    while True:
        call = json.dumps(_other(chance.choice(calls), chance)).encode()
        line = mutated(call, chance) if chance.random() < 0.8 else call
        yield line.replace(b"\n", b" ") + b"\n"


def feed_server(folder: Path, seed: int, count: int) -> dict[str, Any]:
    """Send frames to servers, FRAME_BATCH to each, and a whole request behind them, which must be answered."""
    found = frames(random.Random(seed))
    dead, noise, servers, slowest = 0, 0, 0, 0.0
    for first in range(0, count, FRAME_BATCH):
        sent = b"".join(next(found) for _ in range(min(FRAME_BATCH, count - first)))
        servers += 1
        begun = time.monotonic()
        lines = _fed(folder, sent)
        slowest = max(slowest, time.monotonic() - begun)
        noise += sum(not _is_json(line) for line in lines)
        dead += not any(b'"last"' in line and b'"tools"' in line for line in lines)
    return {"inputs": count, "crashes": dead, "servers": servers, "noise": noise, "slowest": round(slowest, 1)}


def _fed(folder: Path, sent: bytes) -> list[bytes]:
    hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "fuzz", "version": "1"}}
    start = [{"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": hello}]
    start += [{"jsonrpc": "2.0", "method": "notifications/initialized"}]
    last = {"jsonrpc": "2.0", "id": "last", "method": "tools/list"}
    command = [sys.executable, "-P", "-m", "repomem", "mcp"]
    with subprocess.Popen(
        command, cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    ) as server:
        assert server.stdin
        assert server.stdout
        os.set_blocking(server.stdout.fileno(), True)
        heard: list[bytes] = []

        def hear() -> None:
            for line in server.stdout or ():
                heard.append(line)
                if b'"last"' in line and b'"tools"' in line:
                    break

        listener = Thread(target=hear, daemon=True)
        listener.start()
        try:
            server.stdin.write(b"".join(json.dumps(each).encode() + b"\n" for each in start) + sent)
            server.stdin.write(json.dumps(last).encode() + b"\n")
            server.stdin.flush()
        except BrokenPipeError:
            pass
        listener.join(120)
        server.kill()
    return heard


def _is_json(line: bytes) -> bool:
    try:
        return isinstance(json.loads(line), dict)
    except ValueError:
        return False


def fuzzed(inputs: int, seed: int, folder: Path) -> dict[str, dict[str, Any]]:
    """Every kind with its share of the inputs."""
    found = {}
    for kind, share in SHARES.items():
        count = int(inputs * share)
        if kind == "sources":
            found[kind] = parse_all(seed, count)
        elif kind == "frames":
            found[kind] = feed_server(folder, seed, count)
        else:
            found[kind] = read_all(kind, seed, count)
    return found


def main(arguments: list[str]) -> None:
    options = argparse.ArgumentParser(prog="python -m benchmarks fuzz")
    options.add_argument("--inputs", type=int, default=100_000)
    options.add_argument("--seed", type=int, default=1)
    given = options.parse_args(arguments)
    where = machine()
    begun = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        git(Path(folder), "init", "-q")
        (Path(folder) / "a.py").write_text("a = 1\n")
        rows = fuzzed(given.inputs, given.seed, Path(folder))
    figures = {
        "seed": given.seed,
        "inputs": sum(row["inputs"] for row in rows.values()),
        "crashes_of_the_parent": 0,
        "seconds": round(time.monotonic() - begun),
        "peak_megabytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
        "kinds": rows,
    }
    save("fuzz", where, figures)
    print(
        table(
            ("kind", "inputs", "crashes", "slowest"),
            [(kind, *[row[key] for key in ("inputs", "crashes", "slowest")]) for kind, row in rows.items()],
        )
    )
