"""Do statements about commits hold against git? What contradicts git is printed, and counts as wrong.

States of commits that briefs print, against `git ls-tree` and `git blame -w`: every line that blame gives to a commit
is in the code, so a state may not count fewer; files that are listed are not removed; a revert is of an ancestor.
`why` against `git blame -w`: another last commit is right only if blame's commit did not bring the line's text, apart
from layout; the oldest commit must have brought it.
"""

import argparse
import random
import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from subprocess import CalledProcessError
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks import results
from benchmarks.inputs import Pinned, git, section
from repomem.adapters.languages.classify import is_lock_file
from repomem.adapters.languages.definition_lines import is_source_code
from repomem.history.episodes import RelatedEpisode, episodes_with_state, recent_episodes
from repomem.history.lines.commits import STEPS, LineChange, line_commits
from repomem.history.lines.patch_lines import compact
from repomem.history.lines.survival import is_counted
from repomem.index.run import index
from repomem.workspace.process import prepare_process
from repomem.workspace.run import Run
from repomem.workspace.snapshot import Snapshot, snapshot
from repomem.workspace.workspace import opened

COMMITS = 60  # of each repository, drawn from the newest
LINES = 50  # of each repository
SHORTEST = 6  # characters of a drawn line
REMAIN = re.compile(r"([\d,]+) of its ([\d,]+) distinctive (?:source )?lines remain")
BLAMED = re.compile(r"([0-9a-f]{40}) \d+ \d+")
LAYOUT = re.compile(r"[\s'\"`,;\\()]+")


def main(arguments: list[str]) -> None:
    """truth MIRROR [--seed N]"""
    parser = argparse.ArgumentParser(prog="python -m benchmarks truth")
    parser.add_argument("mirror", type=Path)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args(arguments)
    prepare_process()
    where = results.machine()
    rows = [row for each in section("truth") for row in _judged(Pinned(**each), asked.mirror, asked.seed)]
    results.save("truth", where, {"seed": asked.seed, "rows": rows})
    for row in rows:
        if row["verdict"].startswith("wrong"):
            print(*(row[name] for name in ("repository", "statement", "about", "verdict")), sep="\t")
    counts = Counter((row["statement"], row["verdict"].partition(":")[0]) for row in rows)
    print(results.table(("statement", "verdict", "count"), ((*key, count) for key, count in sorted(counts.items()))))


def _judged(pinned: Pinned, mirror: Path, seed: int) -> Iterator[dict[str, Any]]:
    """Each statement about a repository with its verdict."""
    draw = random.Random(f"{seed} {pinned.repository}")
    with TemporaryDirectory(prefix="repomem-truth-", ignore_cleanup_errors=True) as name:
        top = pinned.checked_out(mirror, Path(name) / "work")
        with opened(top, {}) as workspace:
            index(workspace, Run())
            found = snapshot(workspace)
            assert found, "an index run publishes its worktree"
            rows = [*_states(found, top, draw), *_whys(found, top, draw)]
    for statement, about, verdict in rows:
        yield {"repository": pinned.repository, "statement": statement, "about": about, "verdict": verdict}


def _states(found: Snapshot, top: Path, draw: random.Random) -> Iterator[tuple[str, str, str]]:
    """The states of commits: what, of which commit, and whether git contradicts it."""
    usual = [each for each in recent_episodes(found) if not each.is_merge and not each.is_bulk]
    told = episodes_with_state(found, draw.sample(usual, min(COMMITS, len(usual))))
    live = set(git(top, "ls-tree", "-r", "-z", "--name-only", "HEAD").split("\0"))
    files = {
        file.path for one in told for file in one.episode.files if file.path in live and not is_lock_file(file.path)
    }
    by_path = {path: _lines_of_commits(top, path) for path in sorted(files)}
    blamed = sum(by_path.values(), Counter[str]())
    in_source = sum((lines for path, lines in by_path.items() if is_source_code(path)), Counter[str]())
    for one in told:
        if one.state:
            counted = in_source if "source lines" in one.state else blamed
            yield "state", f"{one.episode.commit[:10]} {one.state}", state_verdict(one, top, live, counted)


def state_verdict(one: RelatedEpisode, top: Path, live: Collection[str], blamed: Mapping[str, int]) -> str:
    """Whether git contradicts a state; `blamed` has the lines of each commit in the `live` files."""
    mine, text = blamed[one.episode.commit], one.state
    if text.startswith("reverts ") and not _is_ancestor(top, text.split()[1].rstrip(",")):
        return "wrong: what it reverts is not in the history"
    if "removed or renamed" in text and any(file.path in live for file in one.episode.files):
        return "wrong: a file of it exists"
    if counted := REMAIN.search(text):
        remaining, added = (int(number.replace(",", "")) for number in counted.groups())
        is_wrong = mine > remaining or not 0 < remaining < added
        return f"wrong: blame gives it {mine} lines" if is_wrong else "right"
    if "removed since" in text and mine > 0:
        return f"wrong: blame gives it {mine} lines"
    return "right"


def _lines_of_commits(top: Path, path: str) -> Counter[str]:
    """How many lines of a file `git blame` gives to each commit, without those that states do not count."""
    counts, commit = Counter[str](), ""
    blamed = git(top, "blame", "-w", "--porcelain", "HEAD", "--", path).split("\n")
    copies = Counter(compact(line[1:]) for line in blamed if line.startswith("\t"))
    for line in blamed:
        if line.startswith("\t"):
            counts[commit] += is_counted(line.strip()) and copies[compact(line[1:])] == 1
        elif start := BLAMED.match(line):
            commit = start[1]
    return counts


def _is_ancestor(top: Path, commit: str) -> bool:
    try:
        git(top, "merge-base", "--is-ancestor", commit, "HEAD")
    except CalledProcessError:
        return False
    return True


def _whys(found: Snapshot, top: Path, draw: random.Random) -> Iterator[tuple[str, str, str]]:
    """The last commit that `why` gives to random lines of indexed files."""
    texts = {file.path: (top / file.path).read_text(errors="replace").split("\n") for file in found.files}
    lines = [(path, at) for path, text in sorted(texts.items()) for at, line in enumerate(text, 1) if _is_drawn(line)]
    for path, at in draw.sample(lines, min(LINES, len(lines))):
        blame = git(top, "blame", "-w", "--porcelain", f"-L{at},{at}", "HEAD", "--", path)[:40]
        chain = list(line_commits(found.workspace.repository, path, at))
        yield "why", f"{path}:{at} {chain[0].commit[:10]}", why_verdict(top, blame, chain)


def why_verdict(top: Path, blame: str, chain: Sequence[LineChange]) -> str:
    """Whether blame's commit did not write the line where `why` names another, and the oldest one did."""
    if chain[0].commit != blame and brought(top, blame, chain[0].text):
        return f"wrong: {blame[:10]} wrote it"
    if len(chain) < STEPS and not brought(top, chain[-1].commit, chain[-1].text):
        return f"wrong: {chain[-1].commit[:10]} wrote nothing, it formatted or moved it"
    return "right" if chain[0].commit == blame else "right, unlike blame"


def brought(top: Path, commit: str, line: str) -> bool:
    """Whether the text of a line, apart from layout, is in a commit's files more often than before."""
    parents = git(top, "rev-list", "--parents", "-1", commit).split()[1:]
    if not parents:
        return True
    changed = git(top, "diff", "--name-only", "--no-renames", "-z", parents[0], commit).split("\0")
    text = LAYOUT.sub("", line)
    return _occurrences(top, commit, changed, text) > _occurrences(top, parents[0], changed, text)


def _occurrences(top: Path, commit: str, paths: Sequence[str], text: str) -> int:
    live = set(git(top, "ls-tree", "-r", "-z", "--name-only", commit).split("\0"))
    return sum(
        LAYOUT.sub("", git(top, "show", f"{commit}:{path}")).count(text) for path in paths if path and path in live
    )


def _is_drawn(line: str) -> bool:
    return len(line.strip()) >= SHORTEST
