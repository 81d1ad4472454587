"""Anchors on the code of three repositories, replayed over their next 500 commits: what is flagged, and was it so?

The symbols are chosen by a seed among the functions, methods and types of source files, and anchored on the commit
500 before the pinned one (first parents). At every tenth commit after it each anchor is looked up, as an index run
would. A flag is the first time that one is drifted or gone. Beside it stand what cheaper anchors would have flagged.
What was judged by hand, and why, is in results/anchors-labels.json; `--labels` counts it.
"""

import argparse
import hashlib
import json
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import unified_diff
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks import results
from benchmarks.inputs import Pinned, git, section
from repomem.adapters.git.objects import blobs_of
from repomem.adapters.languages.file_roles import role_of
from repomem.core.records import Anchor
from repomem.core.types.code import Role, SymbolPrint
from repomem.evaluate.tasks import is_code
from repomem.memories.anchors.fingerprints import Fingerprints
from repomem.memories.anchors.live_files import LiveFiles
from repomem.memories.anchors.locate import locate_anchors
from repomem.memories.status import AnchorLocation, Status
from repomem.workspace.process import prepare_process
from repomem.workspace.workspace import Workspace, opened

LABELS = results.RESULTS / "anchors-labels.json"
COMMITS = 500  # first parents from the anchors to the pinned commit
EVERY = 10
SYMBOLS = 200  # of all repositories together
SEED = 1
EXCERPT_LINES = 60
KINDS = frozenset({"function", "method", "constructor", "class", "struct", "interface", "trait", "enum"})
TYPES = KINDS - {"function", "method", "constructor"}
FLAGGED = frozenset({Status.DRIFTED, Status.GONE})
STATUSES = (Status.CURRENT, Status.MOVED, Status.DRIFTED, Status.GONE)
BASELINES = {
    "file": "the file's bytes",
    "line numbers": "what stands in the lines that were the symbol's",
    "type": "the text of the type around it, or of the file where none is",
    "text": "the symbol's own text, as git log -L follows it",
}


@dataclass(slots=True)
class Watched:
    """One anchor, and what was seen of it so far."""

    anchor: Anchor
    kind: str
    lines: tuple[int, int]
    text: bytes
    around: bytes  # the text of the type that it stands in
    flag: AnchorLocation | None = None  # the first
    flagged_at: int = 0  # commits after the anchor
    last: AnchorLocation | None = None
    baselines: dict[str, int] = field(default_factory=dict)  # to the commits after which it was flagged first


def main(arguments: list[str]) -> None:
    """anchors MIRROR | anchors --labels"""
    parser = argparse.ArgumentParser(prog="python -m benchmarks anchors")
    parser.add_argument("mirror", type=Path, nargs="?")
    parser.add_argument("--labels", action="store_true", help="the figures of what was judged")
    asked = parser.parse_args(arguments)
    if asked.labels or asked.mirror is None:
        print(results.table(("repository", "list", "judged", "right"), _judged()))
        return
    prepare_process()
    repositories = [Pinned(**each) for each in section("anchors")]
    runs = [_replayed(each, asked.mirror, share) for each, share in _shares(repositories)]
    where = results.machine()
    names = ("repositories", "flags", "quiet")
    figures = {name: [row for run in runs for row in run[name]] for name in names}
    results.save("anchors", where, {**figures, "symbols": [row for run in runs for row in run["symbols"]]})
    _tell(figures["repositories"])


def _shares(repositories: Sequence[Pinned]) -> Iterator[tuple[Pinned, int]]:
    for at, each in enumerate(repositories):
        yield each, SYMBOLS // len(repositories) + (at < SYMBOLS % len(repositories))


def _replayed(pinned: Pinned, mirror: Path, share: int) -> dict[str, list[dict[str, Any]]]:
    """One repository: its figures, its flags, the anchors that stayed quiet though their text changed, all anchors."""
    with TemporaryDirectory(prefix="repomem-anchors-", ignore_cleanup_errors=True) as name:
        top = pinned.checked_out(mirror, Path(name) / "work")
        line = git(top, "rev-list", "--first-parent", f"--max-count={COMMITS + 1}", pinned.commit).split()[::-1]
        git(top, "checkout", "-q", "--detach", line[0])
        with opened(top, {}) as workspace:
            watched = chosen(workspace, line[0], share)
            seconds, parsed = [], []
            for at in sorted({*range(EVERY, len(line), EVERY), len(line) - 1}):
                begin = time.perf_counter()
                parsed.append(_look(workspace, watched, line, at))
                seconds.append(time.perf_counter() - begin)
                _look_cheaply(workspace, watched, line[at], at)
            flags = [(each, each.flag, each.flag.commit) for each in watched if each.flag]
            quiet = [
                (each, each.last, line[-1])
                for each in watched
                if each.last and not each.flag and "text" in each.baselines
            ]
            return {
                "repositories": [_figures(pinned, line, watched, seconds, parsed)],
                "flags": _rows(workspace, pinned, flags),
                "quiet": _rows(workspace, pinned, quiet),
                "symbols": [_summary(pinned, each) for each in watched],
            }


def chosen(workspace: Workspace, commit: str, share: int) -> list[Watched]:
    """Anchors on symbols of the worktree, in an order that follows from the seed alone."""
    blobs = _blobs(workspace, commit)
    paths = [path for path in sorted(blobs) if _is_source(path)]
    prints = Fingerprints(workspace)
    prints.learn([(blobs[path], path) for path in paths])
    listed = [(path, one) for path in paths for one in prints.of(blobs[path]) if one.kind in KINDS]
    listed = [(path, one) for path, one in listed if _is_only(one, prints.of(blobs[path]))]
    listed.sort(key=lambda each: hashlib.blake2b(f"{SEED} {each[0]} {each[1].qualified}".encode()).digest())
    found = []
    for path, one in listed[:share]:
        [(_, data)] = blobs_of(workspace.repository, [blobs[path]])
        outer = _around(one, prints.of(blobs[path]))
        found.append(
            Watched(
                Anchor(path, one.qualified, blobs[path], one.print, one.tokens),
                one.kind,
                (one.start_line, one.end_line),
                _lines(data, one.start_line, one.end_line),
                _lines(data, outer.start_line, outer.end_line) if outer else data,
            )
        )
    return found


def _is_source(path: str) -> bool:
    return is_code(path) and role_of(path, "", {}) is Role.SOURCE


def _is_only(one: SymbolPrint, prints: Sequence[SymbolPrint]) -> bool:
    return sum(each.qualified == one.qualified for each in prints) == 1


def _around(one: SymbolPrint, prints: Sequence[SymbolPrint]) -> SymbolPrint | None:
    """The smallest type that a symbol stands in, or is."""
    holding = [
        each
        for each in prints
        if each.kind in TYPES and each.start_line <= one.start_line and each.end_line >= one.end_line
    ]
    return min(holding, key=lambda each: each.end_line - each.start_line, default=None)


def _lines(data: bytes, start: int, end: int) -> bytes:
    return b"\n".join(data.splitlines()[start - 1 : end])


def _blobs(workspace: Workspace, commit: str) -> dict[str, str]:
    listed = workspace.repository.read("ls-tree", "-r", "-z", commit).decode("utf-8", "surrogateescape")
    facts = (entry.partition("\t") for entry in listed.split("\0") if entry)
    return {path: fact.split()[2] for fact, _, path in facts if fact.split()[1] == "blob"}


def _look(workspace: Workspace, watched: Sequence[Watched], line: Sequence[str], at: int) -> int:
    """Look every anchor up at one commit; gives how many blobs were parsed."""
    place = LiveFiles(workspace, line[at], _blobs(workspace, line[at]))
    found, checked = locate_anchors(place, [(each.anchor, line[0]) for each in watched])
    for each, one in zip(watched, found, strict=True):
        each.last = one
        if one.status in FLAGGED and not each.flag:
            each.flag, each.flagged_at = one, at
    return checked


def _look_cheaply(workspace: Workspace, watched: Sequence[Watched], commit: str, at: int) -> None:
    blobs = _blobs(workspace, commit)
    wanted = {blobs[each.anchor.path] for each in watched if each.anchor.path in blobs}
    contents = dict(blobs_of(workspace.repository, wanted))
    for each in watched:
        blob = blobs.get(each.anchor.path, "")
        data = contents.get(blob, b"")
        flags = {
            "file": blob != each.anchor.blob,
            "line numbers": _lines(data, *each.lines) != each.text,
            "type": each.around not in data,
            "text": each.text not in data,
        }
        for name, is_flagged in flags.items():
            if is_flagged:
                each.baselines.setdefault(name, at)


def _figures(
    pinned: Pinned, line: Sequence[str], watched: Sequence[Watched], seconds: Sequence[float], parsed: Sequence[int]
) -> dict[str, Any]:
    ends = Counter(each.last.status for each in watched if each.last)
    return {
        "repository": pinned.repository,
        "from": line[0],
        "to": line[-1],
        "symbols": len(watched),
        "end": {status.value: ends[status] for status in STATUSES},
        "flags": sum(each.flag is not None for each in watched),
        "baseline flags": {name: sum(name in each.baselines for each in watched) for name in BASELINES},
        "lookups": len(seconds),
        "seconds": round(sum(seconds), 2),
        "slowest": round(max(seconds), 2),
        "parsed": sum(parsed),
        "most parsed": max(parsed),
    }


def _summary(pinned: Pinned, each: Watched) -> dict[str, Any]:
    assert each.last is not None
    return {
        "repository": pinned.repository,
        "path": each.anchor.path,
        "symbol": each.anchor.symbol,
        "kind": each.kind,
        "tokens": each.anchor.tokens,
        "end": each.last.status.value,
        "now": f"{each.last.path}:{each.last.symbol}" if each.last.path else "",
        "flagged after": each.flagged_at,
        "baselines": each.baselines,
    }


def _rows(
    workspace: Workspace, pinned: Pinned, told: Sequence[tuple[Watched, AnchorLocation, str]]
) -> list[dict[str, Any]]:
    """What was said of each anchor, and how its text then differs from that at a commit."""
    prints, top = Fingerprints(workspace), Path(workspace.root)
    blobs = {commit: _blobs(workspace, commit) for _, _, commit in told if commit}
    there = [blobs.get(commit, {}).get(one.path, "") for _, one, commit in told]
    prints.learn([(blob, one.path) for (_, one, _), blob in zip(told, there, strict=True)])
    return [
        {
            "repository": pinned.repository,
            "path": each.anchor.path,
            "symbol": each.anchor.symbol,
            "status": one.status.value,
            "commit": commit,
            "subject": git(top, "log", "-1", "--format=%s", commit).strip() if commit else "",
            "now": f"{one.path}:{one.symbol}" if one.path else "",
            "excerpt": _excerpt(each.text, _text_in(prints, blob, one)),
        }
        for (each, one, commit), blob in zip(told, there, strict=True)
    ]


def _text_in(prints: Fingerprints, blob: str, one: AnchorLocation) -> bytes:
    found = next((each for each in prints.of(blob) if each.qualified == one.symbol), None)
    return prints.text_of(blob, one.path, found) if found else b""


def _excerpt(before: bytes, after: bytes) -> str:
    old, new = (text.decode("utf-8", "replace").splitlines() for text in (before, after))
    return "\n".join(list(unified_diff(old, new, lineterm="", n=1))[2 : EXCERPT_LINES + 2])


def _tell(figures: Sequence[Mapping[str, Any]]) -> None:
    head = ("repository", "symbols", *(status.value for status in STATUSES), "flags", *BASELINES, "s", "blobs parsed")
    rows = [
        (
            row["repository"],
            row["symbols"],
            *row["end"].values(),
            row["flags"],
            *row["baseline flags"].values(),
            row["seconds"],
            row["parsed"],
        )
        for row in figures
    ]
    total = ("total", *(sum(values) for values in list(zip(*rows, strict=True))[1:]))
    print(results.table(head, [*rows, total]))


def _judged() -> Iterator[tuple[object, ...]]:
    labels = json.loads(LABELS.read_text(encoding="utf-8"))["labels"]
    counts = Counter((label["repository"], label["list"]) for label in labels)
    right = Counter((label["repository"], label["list"]) for label in labels if label["is_right"])
    for key, count in sorted(counts.items()):
        yield (*key, count, right[key])
