"""Is the place found that writes an error's message? From the message alone, its blanks filled, as a user pastes it.

Messages are the string literals of raising lines in the sources of the pinned repositories, drawn by a seed. Each
becomes `TypeError: message`; the file, and the lines, that hold it are the answer. Each is asked with all signals and
without that of quotations.
"""

import argparse
import random
import re
import statistics
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks import results
from benchmarks.inputs import Pinned, git, section
from repomem.adapters.languages.file_roles import role_of
from repomem.core.types.code import Role
from repomem.history.episodes import match_history
from repomem.index.run import index
from repomem.ranking.gather import Evidence
from repomem.ranking.query import Query
from repomem.ranking.rank import hits, ranked_files
from repomem.ranking.signals import RECALL, SEARCH
from repomem.recall.search import evidence_for
from repomem.workspace.process import prepare_process
from repomem.workspace.run import Run
from repomem.workspace.snapshot import EVERYWHERE, Snapshot, snapshot
from repomem.workspace.workspace import opened

SEED = 3
EACH = 25  # messages of a repository
LEAST_WORDS = 4
DEPTH = 10
NOWHERE = 99
_SOURCE = re.compile(r".*\.(?:py|go|rs|js|ts|rb|php)")
_MESSAGE = re.compile(
    r"(?:raise|throw|Error\(|Exception\(|panic!?\(|errors\.New\(|Errorf\(|fail)[^\"'`\n]*[\"'`]([^\"'`\n]{18,120})[\"'`]"
)
_BLANK = re.compile(r"%[sdvrq]|\$?#?\{[^}]*\}|\$\w+")
_FILLINGS = ("foo", "42", "None", "bar_baz")


@dataclass(frozen=True, slots=True)
class Message:
    """What an error says, and the line that writes it."""

    text: str
    path: str
    line: int


def main(arguments: list[str]) -> None:
    """errors MIRROR"""
    parser = argparse.ArgumentParser(prog="python -m benchmarks errors")
    parser.add_argument("mirror", type=Path)
    asked = parser.parse_args(arguments)
    prepare_process()
    where = results.machine()
    rows: list[dict[str, Any]] = []
    for spec in section("replay"):
        with TemporaryDirectory(prefix="repomem-errors-", ignore_cleanup_errors=True) as name:
            top = Pinned(spec["repository"], spec["commit"]).checked_out(asked.mirror, Path(name) / "work")
            with opened(top, {}) as workspace:
                index(workspace, Run())
                found = snapshot(workspace)
                assert found, "an index run publishes its worktree"
                for message in _messages(top):
                    rows += ({"repository": spec["repository"], **row} for row in _asked(found, message))
    results.save("errors", where, {"rows": rows})
    print(results.table(("", "messages", "file first", "in 3", "lines first", "in 3"), _summed_up(rows)))


def _messages(top: Path) -> list[Message]:
    """The messages of a worktree's sources, drawn by the seed; generated and vendored code repeats others'."""
    draw = random.Random(SEED)
    found: list[Message] = []
    for path in git(top, "ls-files").splitlines():
        if _SOURCE.fullmatch(path):
            text = (top / path).read_text(encoding="utf-8", errors="replace")
            if role_of(path, text[:4096], {}) is Role.SOURCE:
                found += _messages_in(path, text.split("\n"), draw)
    draw.shuffle(found)
    return found[:EACH]


def _messages_in(path: str, lines: Sequence[str], draw: random.Random) -> Iterator[Message]:
    for number, line in enumerate(lines, start=1):
        match = _MESSAGE.search(line)
        if match and len(match[1].split()) >= LEAST_WORDS:
            yield Message(_BLANK.sub(lambda _: draw.choice(_FILLINGS), match[1]), path, number)


def _asked(found: Snapshot, message: Message) -> Iterator[dict[str, Any]]:
    query = Query(f"TypeError: {message.text}")
    evidence = evidence_for(found, query, EVERYWHERE, match_history(found, query, is_shown=False))
    yield {"ranking": "all", **_ranks(found, message, query, evidence)}
    evidence.quoted = {}
    yield {"ranking": "without quotation", **_ranks(found, message, query, evidence)}


def _ranks(found: Snapshot, message: Message, query: Query, evidence: Evidence) -> dict[str, Any]:
    """The places, from 0, of the file in `recall`'s ranking and of the lines in `search`'s."""
    files = [one.file.path for one in ranked_files(query, evidence, RECALL)]
    best = hits(query, evidence, SEARCH, found.code(found.corpus(EVERYWHERE)), DEPTH)
    holding = (
        place
        for place, hit in enumerate(best)
        if hit.file.path == message.path and hit.chunk.start_line <= message.line <= hit.chunk.end_line
    )
    file = files.index(message.path) if message.path in files else NOWHERE
    return {"path": message.path, "line": message.line, "file": file, "lines": next(holding, NOWHERE)}


def _summed_up(rows: Sequence[dict[str, Any]]) -> Iterator[list[object]]:
    for ranking in dict.fromkeys(row["ranking"] for row in rows):
        mine = [row for row in rows if row["ranking"] == ranking]
        shares = [
            statistics.mean(row[name] < depth for row in mine)
            for name, depth in (("file", 1), ("file", 3), ("lines", 1), ("lines", 3))
        ]
        yield [ranking, len(mine), *shares]
