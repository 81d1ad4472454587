"""`repomem check` on real histories: what it tells of commits as they come, and of re-breaks that are known.

Each commit is judged against its first parent, so nothing of the future is known. `told` are all findings over the
newest commits, and over as many that are older than all whose findings were read while the rules were made; they are
judged by hand in results/check-labels.json. `known` are the re-breaks that `benchmarks.rebreaks` finds with hindsight.
`undone` are the newest fixes that can be taken back from the worktree by `git apply`: each should be told. `memories`
are memories on the functions that a commit changed, which must be found broken, and on others of its files, which must
not.
"""

import argparse
import json
import os
import random
import re
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from subprocess import run
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks import results
from benchmarks.inputs import Pinned, git, section
from benchmarks.rebreaks import rebreaks_in, says_it_mends
from repomem.adapters.git.file_history import blobs_at
from repomem.adapters.git.hunks import old_lines
from repomem.adapters.git.log import commit_time
from repomem.adapters.git.ranges import range_of
from repomem.adapters.languages.file_roles import role_of
from repomem.check.change import change_of
from repomem.check.findings import CheckFinding
from repomem.check.memory_findings import broken, live_memories
from repomem.check.reintroduced_code import reintroduced_code
from repomem.core.errors import NotFound
from repomem.core.types.code import Role, SymbolPrint
from repomem.history.changes import is_followed
from repomem.memories.anchors.fingerprints import Fingerprints
from repomem.memories.new_memory import NewMemory
from repomem.memories.remember import remember
from repomem.workspace.ledger import Speaker
from repomem.workspace.process import prepare_process
from repomem.workspace.workspace import Workspace, opened

LABELS = results.RESULTS / "check-labels.json"
COMMITS = 100  # of each repository and window
WINDOWS = {"newest": 0, "unseen": 300}  # to the commits that are newer: the findings of those were read for the rules
PARTS = ("windows", "told", "known", "undone", "memories")
MOST_NEWER = max(WINDOWS.values()) + COMMITS + 1
SAMPLED = 4  # commits of each repository for memories
UNDONE = 10  # fixes of each repository that are taken back
MOST_LOOKED = 400  # newest commits of a message that says so, among which they are looked for
YEARS = 2 * 365  # days: what a check takes for long ago
OF_EACH = 2  # functions of a commit, changed and not
CALLABLE = frozenset({"function", "method"})
LEAST_TOKENS = 20  # of a function: a smaller one is like others by chance
_CODE = re.compile(r"\s*(?!#|//|\*|/\*|\"\"\"|''')\S*\w")


def main(arguments: list[str]) -> None:
    """check MIRROR [--only REPOSITORY] | check --labels"""
    parser = argparse.ArgumentParser(prog="python -m benchmarks check")
    parser.add_argument("mirror", type=Path, nargs="?")
    parser.add_argument("--only", default="", help="one repository, printed and not kept")
    parser.add_argument("--labels", action="store_true", help="the figures of what was judged")
    asked = parser.parse_args(arguments)
    if asked.labels or asked.mirror is None:
        _tell(json.loads((results.RESULTS / "check.json").read_text(encoding="utf-8")))
        return
    prepare_process()
    pinned = [each for spec in section("check") if asked.only in (each := Pinned(**spec)).repository]
    where = results.machine()
    figures: dict[str, Any] = {name: [] for name in PARTS}
    for each in pinned:
        for name, rows in _measured(each, asked.mirror).items():
            figures[name] += rows
        if not asked.only:
            results.save("check", where, figures)
    _tell(figures)


def _measured(pinned: Pinned, mirror: Path) -> dict[str, list[dict[str, Any]]]:
    with TemporaryDirectory(prefix="repomem-check-", ignore_cleanup_errors=True) as name:
        os.environ.update({f"XDG_{kind}_HOME": f"{name}/{kind}" for kind in ("DATA", "STATE", "CACHE", "CONFIG")})
        top = pinned.checked_out(mirror, Path(name) / "work")
        line = git(top, "rev-list", "--first-parent", f"--max-count={MOST_NEWER}", pinned.commit).split()
        with opened(top, {}) as workspace:
            windows, told = [], []
            touching = _touching_programs(top, line)
            for window, newer in WINDOWS.items():
                row, found = _window(workspace, line[newer : newer + COMMITS + 1], touching)
                windows.append({"repository": pinned.repository, "window": window, **row})
                told += [{"repository": pinned.repository, "window": window, **each} for each in found]
            known = [{"repository": pinned.repository, **each} for each in _known(workspace, pinned)]
            undone = [{"repository": pinned.repository, **each} for each in _undone(workspace, top)]
            memories = [{"repository": pinned.repository, **each} for each in _memories(workspace, top, line)]
        return {"windows": windows, "told": told, "known": known, "undone": undone, "memories": memories}


def _touching_programs(top: Path, line: Sequence[str]) -> set[str]:
    """The commits of a first-parent line that touch a file that is compared; a check of the others finds nothing."""
    told = git(
        top, "log", "--first-parent", "-m", "--name-only", "--format=\x01%H", f"--max-count={len(line)}", line[0]
    )
    entries = [entry.split("\n") for entry in told.split("\x01")[1:]]
    return {commit for commit, *paths in entries if any(map(is_followed, filter(None, paths)))}


def _window(
    workspace: Workspace, line: Sequence[str], touching: set[str]
) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """The commits of a stretch of the first-parent line, each against the one before it; times of those compared."""
    seconds, found = [0.0], []
    for commit, parent in ((commit, parent) for commit, parent in pairwise(line) if commit in touching):
        begin = time.perf_counter()
        findings = _findings(workspace, parent, commit)
        seconds.append(time.perf_counter() - begin)
        found += [_row(each, commit) for each in findings]
    seconds.sort()
    middle, late = (round(seconds[int(share * (len(seconds) - 1))], 3) for share in (0.5, 0.95))
    return {"commits": len(line) - 1, "compared": len(seconds) - 1, "median_s": middle, "p95_s": late}, found


def _findings(workspace: Workspace, parent: str, commit: str) -> list[CheckFinding]:
    return reintroduced_code(change_of(workspace, range_of(workspace.repository, f"{parent}..{commit}")))


def _row(one: CheckFinding, commit: str) -> dict[str, Any]:
    return {"commit": commit, "kind": one.fault.value, "level": one.level.value, "fix": one.id, "path": one.path}


def _known(workspace: Workspace, pinned: Pinned) -> Iterator[dict[str, Any]]:
    for each in rebreaks_in(Path(workspace.root), pinned.commit):
        findings = _findings(workspace, f"{each.by}^", each.by)
        mine = [one for one in findings if each.fix.startswith(one.id)]
        level = mine[0].level.value if mine else ""
        yield {"fix": each.fix, "by": each.by, "again": each.again, "lines": each.lines, "told": level}


def _undone(workspace: Workspace, top: Path) -> Iterator[dict[str, Any]]:
    """Fixes of the history, taken back from the files as they are at its end, the newest first."""
    left = UNDONE
    log = git(top, "log", "--no-merges", "--format=%H %s", f"--max-count={20 * MOST_LOOKED}").splitlines()
    for commit in [entry.split()[0] for entry in log if says_it_mends(entry)][:MOST_LOOKED]:
        paths = git(top, "diff-tree", "-r", "--name-only", "--diff-filter=M", "--no-commit-id", commit).splitlines()
        patch = (
            git(top, "diff", commit, f"{commit}^", "--", *paths)
            if (paths := [p for p in paths if is_followed(p)])
            else ""
        )
        command = ["git", "-C", str(top), "apply", "-"]
        if not patch or run(command, input=os.fsencode(patch), capture_output=True, check=False).returncode:
            continue
        findings = reintroduced_code(change_of(workspace, range_of(workspace.repository, "HEAD")))
        git(top, "reset", "-q", "--hard")
        level = next((one.level.value for one in findings if commit.startswith(one.id)), "")
        took_out = len(re.findall(r"^\+(?!\+\+ )", patch, re.MULTILINE))
        days = (commit_time(workspace.repository, "HEAD") - commit_time(workspace.repository, commit)) // 86_400
        yield {"fix": commit, "took_out": took_out, "days": days, "told": level}
        left -= 1
        if not left:
            return


# Memories


def _memories(workspace: Workspace, top: Path, line: Sequence[str]) -> Iterator[dict[str, Any]]:
    """For sampled commits, the newest first: memories on functions that it changed and on those that it did not."""
    chosen = random.Random(1)
    left = SAMPLED
    for commit, parent in pairwise(line):
        if not left or chosen.random() > 0.5:
            continue
        changed, quiet = _functions(workspace, parent, commit)
        if not changed or not quiet:
            continue
        left -= 1
        git(top, "checkout", "-q", "--force", "--detach", parent)
        said = {
            name: (place, is_changed)
            for is_changed, places in ((True, changed), (False, quiet))
            for place in chosen.sample(places, min(OF_EACH, len(places)))
            for name in [_said(workspace, place)]
            if name
        }
        change = change_of(workspace, range_of(workspace.repository, f"{parent}..{commit}"))
        lost = [one.id for one in broken(live_memories(workspace, change))]
        for name, (place, is_changed) in said.items():
            is_told = any(name.startswith(each) for each in lost)
            yield {"commit": commit, "place": place, "changed": is_changed, "told": is_told}


def _said(workspace: Workspace, place: str) -> str:
    """The id of a memory that a person says of a place; empty where several definitions go by its name."""
    statement = NewMemory(f"{place} is as it must be, see {len(place)}", on=(place,))
    try:
        return remember(workspace, statement, Speaker(is_person=True))[0].id
    except NotFound:
        return ""


def _functions(workspace: Workspace, parent: str, commit: str) -> tuple[list[str], list[str]]:
    """The functions of which the commit took out or replaced a line of code, and the others of the same files."""
    lines = {path: each for path, each in old_lines(workspace.repository, parent, commit).items() if _is_program(path)}
    blobs = dict(zip(lines, blobs_at(workspace.repository, [(parent, path) for path in lines]), strict=True))
    prints = Fingerprints(workspace)
    wanted = [(blob, path) for path, blob in blobs.items() if blob]
    prints.learn(wanted)
    texts = {blob: data.decode("utf-8", "replace").splitlines() for blob, data in prints.contents(wanted)}
    changed, quiet = [], []
    for path, blob in blobs.items():
        removed = _removed(workspace, parent, commit, path)
        for one in _plain(prints.of(blob)):
            span = range(one.start_line, one.end_line + 1)
            if any(number in span and _CODE.match(texts[blob][number - 1]) for number in removed):
                changed.append(f"{path}:{one.qualified}")
            elif not any(_meets(span, other) for other in lines[path]):
                quiet.append(f"{path}:{one.qualified}")
    return sorted(changed), sorted(quiet)


def _removed(workspace: Workspace, parent: str, commit: str, path: str) -> list[int]:
    """The numbers of the lines at the parent whose code the commit took out of a file; comments behind it are none."""
    told = git(Path(workspace.root), "diff", "-w", "-U0", "--no-renames", parent, commit, "--", path)
    added = {_bare(line[1:]) for line in told.splitlines() if line.startswith("+")}
    found, number = [], 0
    for line in told.splitlines():
        if start := re.match(r"@@ -(\d+)", line):
            number = int(start[1])
        elif line.startswith("-") and number:
            found += [number] * (_bare(line[1:]) not in added)
            number += 1
    return found


def _bare(line: str) -> str:
    return re.sub(r"\s+(?:#|//).*$", "", line).strip()


def _plain(prints: Sequence[SymbolPrint]) -> list[SymbolPrint]:
    """Functions whose name is theirs alone."""
    names = Counter(one.qualified for one in prints)
    return [o for o in prints if o.kind in CALLABLE and names[o.qualified] == 1 and o.tokens >= LEAST_TOKENS]


def _is_program(path: str) -> bool:
    return bool(path) and role_of(path, "", {}) is Role.SOURCE


def _meets(one: range, other: range) -> bool:
    return one.start < other.stop and other.start < one.stop


# Figures


def _tell(figures: dict[str, Any]) -> None:
    head = ("window", "commits", "warnings", "broken again", "landed again", "false", "false per 100", "notes")
    print(results.table(head, windows(figures)))
    known = figures["known"]
    warned, noted = (sum(row["told"] == level for row in known) for level in ("warning", "note"))
    print(f"\nknown re-breaks: {len(known)}, warned of {warned}, noted {noted}, missed {len(known) - warned - noted}")
    undone = [row for row in figures["undone"] if row["took_out"]]
    for name, rows in (("all", undone), ("of two years", [row for row in undone if row["days"] <= YEARS])):
        print(f"fixes with lines taken out, taken back, {name}: {len(rows)}, told {sum(bool(r['told']) for r in rows)}")
    for is_changed, name in ((True, "changed"), (False, "not changed")):
        rows = [row for row in figures["memories"] if row["changed"] is is_changed]
        print(f"memories on functions {name}: {len(rows)}, found broken {sum(row['told'] for row in rows)}")


def windows(figures: dict[str, Any]) -> Iterator[tuple[object, ...]]:
    """Of each window: commits, warnings, what they were judged to be, false ones per 100 commits, notes."""
    verdicts = {(each["commit"], each["fix"]): each["verdict"] for each in _labels()}
    for window in WINDOWS:
        commits = sum(row["commits"] for row in figures["windows"] if row["window"] == window)
        told = [row for row in figures["told"] if row["window"] == window]
        warned = [row for row in told if row["level"] == "warning"]
        judged = Counter(verdicts.get((row["commit"], row["fix"]), "not judged") for row in warned)
        false = judged["false"] + judged["not judged"]
        per_100 = round(100 * false / max(commits, 1), 2)
        yield window, commits, len(warned), judged["true"], judged["again"], false, per_100, len(told) - len(warned)


def _labels() -> list[dict[str, Any]]:
    if not LABELS.exists():
        return []
    labels: list[dict[str, Any]] = json.loads(LABELS.read_text(encoding="utf-8"))["labels"]
    return labels
