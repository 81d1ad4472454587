"""Reminders at edits: how often do they speak, and how often rightly?

40 memories are written at an earlier commit: 35 on symbols and 5 on files, chosen by a seed among those that the 150
commits before it changed. Then each later commit is a session: every hunk of it is one edit, in the form in which
Claude Code announces it, in the worktree of its parent. A reminder on a symbol is right if the hunk changes a line of
that symbol, as a parser sees it; what the parser sees and no reminder told is missed. Reminders of reverted changes and
lost fixes, which need no memory, are judged alike. One on a whole file is right by its definition, and counted apart.
"""

import argparse
import os
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks import results
from benchmarks.inputs import Pinned, git, section
from repomem.cli.agents.tool_hooks import reminders_for
from repomem.core.text.tokens import count_tokens
from repomem.core.types.code import SymbolPrint
from repomem.index.run import index
from repomem.items.reminders import reminders_now
from repomem.memories.anchors.fingerprints import Fingerprints
from repomem.memories.anchors.live_files import live_files_now
from repomem.memories.new_memory import NewMemory
from repomem.memories.remember import remember
from repomem.workspace.ledger import Speaker
from repomem.workspace.process import prepare_process
from repomem.workspace.reminder_cache import Reminder
from repomem.workspace.run import Run
from repomem.workspace.workspace import Workspace, opened

REPOSITORIES = ("psf/requests", "pallets/click", "go-chi/chi")
COMMITS = 100  # replayed, the last before the pinned one
BEFORE = 150  # whose symbols and files are chosen from
SYMBOLS, FILES = 35, 5
SEED = 1
MOST_HUNKS = 40  # of a commit: larger ones are no session
HUNK = re.compile(r"@@ -(\d+)(?:,(\d+))? \+\d+(?:,\d+)? @@")
ID = re.compile(r"^- .*?`([0-9A-Z]{4,26})`|^- (?:fixed in )?([0-9a-f]{8}) ", re.MULTILINE)
PERSON = Speaker(is_person=True)


@dataclass(frozen=True, slots=True)
class Edit:
    """One hunk: its texts with three lines of context, and the lines of the old file that it changes."""

    path: str
    old: str
    new: str
    changed: tuple[int, int]  # from 1; an insertion has its two neighbours


@dataclass(slots=True)
class Counted:
    """The figures of one repository."""

    counts: Counter[str] = field(default_factory=Counter)
    wrong: list[dict[str, Any]] = field(default_factory=list)
    missed: list[dict[str, Any]] = field(default_factory=list)
    most_tokens: int = 0


def main(arguments: Sequence[str] | None = None) -> None:
    """reminders MIRROR"""
    parser = argparse.ArgumentParser(prog="python -m benchmarks reminders", description=__doc__)
    parser.add_argument("mirror", type=Path)
    asked = parser.parse_args(arguments)
    prepare_process()
    pinned = [Pinned(**each) for each in section("replay") if each["repository"] in REPOSITORIES]
    runs = {each.repository: _replayed(each, asked.mirror) for each in pinned}
    figures = [{"repository": name, "tokens": run.most_tokens, **run.counts} for name, run in runs.items()]
    doubts = {name: [row for run in runs.values() for row in getattr(run, name)] for name in ("wrong", "missed")}
    results.save("reminders", results.machine(), {"repositories": figures, **doubts})
    head = ["repository", "edits", "answered", "share", "on symbols", "right", "precision", "missed", "on files"]
    print(results.table(head, (_row(name, run.counts) for name, run in runs.items())))


def _row(name: str, counts: Counter[str]) -> Sequence[object]:
    told, right = counts["told"], counts["right"]
    share = counts["answered"] / max(counts["edits"], 1)
    precision = right / told if told else 1.0
    return name, counts["edits"], counts["answered"], share, told, right, precision, counts["missed"], counts["files"]


def _replayed(pinned: Pinned, mirror: Path) -> Counted:
    with TemporaryDirectory(prefix="repomem-reminders-", ignore_cleanup_errors=True) as name:
        os.environ["XDG_DATA_HOME"] = str(Path(name) / "data")
        top = pinned.checked_out(mirror, Path(name) / "work")
        line = git(top, "rev-list", "--first-parent", f"--max-count={COMMITS + 1}", pinned.commit).split()[::-1]
        git(top, "checkout", "-q", "--detach", line[0])
        counted = Counted()
        with opened(top, {}) as workspace:
            index(workspace, Run())
            _remember(workspace, top, line[0])
            for parent, commit in pairwise(line):
                _play(workspace, top, parent, commit, counted)
        return counted


def _remember(workspace: Workspace, top: Path, commit: str) -> None:
    """Write the memories, on symbols and files that were changed lately."""
    random = Random(SEED)  # a choice, no secret
    lately = git(top, "log", "--first-parent", f"--max-count={BEFORE}", "--format=", "--name-only", commit).split("\n")
    busy = Counter(path for path in lately if path and (top / path).is_file())
    prints = _prints(workspace, busy)
    names = {
        (change.path, change.symbol) for change in workspace.catalog.changes.of_commits(_commits_before(top, commit))
    }
    symbols = [
        f"{path}:{one.qualified}"
        for path, listed in sorted(prints.items())
        for one in listed
        if one.qualified and (path, one.qualified.rpartition(".")[2]) in names and _is_only(one, listed)
    ]
    files = random.sample(sorted(busy), min(FILES, len(busy)))
    for target in [*random.sample(symbols, min(SYMBOLS, len(symbols))), *files]:
        remember(workspace, NewMemory(f"Note on {target}: as agreed", on=(target,)), PERSON)


def _commits_before(top: Path, commit: str) -> list[str]:
    return git(top, "rev-list", f"--max-count={BEFORE}", commit).split()


def _is_only(one: SymbolPrint, listed: Sequence[SymbolPrint]) -> bool:
    return sum(each.qualified == one.qualified for each in listed) == 1


def _prints(workspace: Workspace, paths: Iterator[str] | Counter[str]) -> dict[str, tuple[SymbolPrint, ...]]:
    blobs = live_files_now(workspace).blobs
    wanted = {path: blobs[path] for path in paths if path in blobs}
    prints = Fingerprints(workspace)
    prints.learn([(blob, path) for path, blob in wanted.items()])
    return {path: prints.of(blob) for path, blob in wanted.items()}


def _play(workspace: Workspace, top: Path, parent: str, commit: str, counted: Counted) -> None:
    """Play the hunks of a commit as the edits of one session, in the worktree of its first parent."""
    edits = list(_edits(top, parent, commit))
    if not edits or len(edits) > MOST_HUNKS:
        return
    git(top, "checkout", "-q", "--detach", parent)
    index(workspace, Run())
    known = {each.id: each for each in reminders_now(workspace)}
    prints = _prints(workspace, Counter(edit.path for edit in edits))
    told: set[str] = set()
    touched: dict[str, Edit] = {}
    for edit in edits:
        payload = _payload(top, commit, edit)
        answer = reminders_for(str(top), _event(commit), payload)
        counted.counts["edits"] += 1
        counted.counts["answered"] += bool(answer)
        counted.most_tokens = max(counted.most_tokens, count_tokens(answer) if answer else 0)
        for one, other in ID.findall(answer):
            found = next(each for name, each in known.items() if name.startswith(one or other))
            told.add(found.id)
            _judge(found, edit, prints, counted)
        touched |= {each.id: edit for each in known.values() if _is_at(each, edit, prints)}
    missed = [(known[name], edit) for name, edit in touched.items() if name not in told]
    counted.counts["missed"] += len(missed)
    counted.missed += [_doubt(commit, each, edit) for each, edit in missed]


def _judge(found: Reminder, edit: Edit, prints: dict[str, tuple[SymbolPrint, ...]], counted: Counted) -> None:
    if (edit.path, "") in found.places:
        counted.counts["files"] += 1
        return
    counted.counts["told"] += 1
    if _is_at(found, edit, prints):
        counted.counts["right"] += 1
    else:
        counted.wrong.append(_doubt("", found, edit))


def _is_at(each: Reminder, edit: Edit, prints: dict[str, tuple[SymbolPrint, ...]]) -> bool:
    """Whether the parser sees a changed line in a symbol of the reminder."""
    first, last = edit.changed
    symbols = [symbol for path, symbol in each.places if path == edit.path and symbol]
    for one in prints.get(edit.path, ()):
        is_named = any(one.qualified == symbol or one.qualified.endswith(f".{symbol}") for symbol in symbols)
        if is_named and one.start_line <= first and last <= one.end_line:
            return True
        if is_named and first != last and one.start_line <= last and first <= one.end_line and edit.old.strip():
            return True
    return False


def _doubt(commit: str, each: Reminder, edit: Edit) -> dict[str, Any]:
    return {"commit": commit[:8], "places": each.places, "path": edit.path, "lines": edit.changed}


def _payload(top: Path, commit: str, edit: Edit) -> dict[str, Any]:
    given: dict[str, Any] = {"file_path": str(top / edit.path), "old_string": edit.old, "new_string": edit.new}
    if not edit.old:
        given = {"file_path": given["file_path"], "content": edit.new}
    name = "Edit" if edit.old else "Write"
    return {"session_id": commit, "cwd": str(top), "tool_name": name, "tool_input": given}


def _event(commit: str) -> Any:
    from repomem.capture.host_sessions import HostEvent

    return HostEvent("claude-code", "file", commit)


def _edits(top: Path, parent: str, commit: str) -> Iterator[Edit]:
    patch = git(top, "diff", "-U3", "--no-renames", "--diff-filter=AM", "--no-color", parent, commit)
    path, start, lines = "", 0, list[str]()
    for line in [*patch.split("\n"), "diff "]:
        if line.startswith(("@@ ", "diff ")) and lines:
            yield _edit(path, start, lines)
            lines = []
        if line.startswith("+++ "):
            path = line.removeprefix("+++ b/")
        elif found := HUNK.match(line):
            start = int(found[1])
        elif line.startswith((" ", "+", "-")) and not line.startswith(("--- ", "+++ ")) and start >= 0 and path:
            lines.append(line)
        if line.startswith("diff "):
            path = ""


def _edit(path: str, start: int, lines: Sequence[str]) -> Edit:
    old = [line[1:] for line in lines if line[0] != "+"]
    new = [line[1:] for line in lines if line[0] != "-"]
    at, numbers = start, list[int]()
    for line in lines:
        if line[0] == "+":
            continue
        numbers += [at] if line[0] == "-" else []
        at += 1
    if not numbers:
        above = sum(1 for line in lines[: next(i for i, line in enumerate(lines) if line[0] == "+")])
        numbers = [start + above - 1, start + above]
    return Edit(path, "\n".join(old), "\n".join(new), (min(numbers), max(numbers)))
