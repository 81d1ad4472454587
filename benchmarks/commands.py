"""Are the commands of a repository right: build, test, one test, lint and format?

The answers are in commands.toml, checked by hand. A command that is shown is right or wrong; one that is known but not
shown is missing.
"""

import argparse
import re
import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from benchmarks import results
from benchmarks.inputs import Pinned, git
from repomem.profile.facts import profile_facts, profile_paths

ANSWERS = Path(__file__).with_name("commands.toml")
FACTS = ("test", "one test", "build", "lint", "format")
SEPARATOR = re.compile(r"; (?![A-Z])")  # of the commands of a fact; `using Pkg; Pkg.test()` is one
VERDICTS = ("right", "wrong", "missing")


def main(arguments: list[str]) -> None:
    """commands MIRROR"""
    parser = argparse.ArgumentParser(prog="python -m benchmarks commands")
    parser.add_argument("mirror", type=Path)
    mirror = parser.parse_args(arguments).mirror
    answers = tomllib.loads(ANSWERS.read_text(encoding="utf-8"))["repositories"]
    rows = [row for answer in answers for row in judged(answer, _shown(answer, mirror))]
    results.save("commands", results.machine(), {"rows": rows})
    for row in rows:
        if row["verdict"] != "right":
            print(*(row[name] for name in ("repository", "fact", "verdict", "command")), sep="\t")
    print(results.table(("repositories", "fact", *VERDICTS), _summed_up(rows)))


def _shown(answer: Mapping[str, Any], mirror: Path) -> dict[str, list[str]]:
    """The commands of each fact that repomem reads from the repository's files, without what they run."""
    clone, commit = Pinned(answer["repository"], answer["commit"]).bare_clone(mirror), answer["commit"]
    paths = git(clone, "ls-tree", "-r", "-z", "--name-only", commit).split("\0")[:-1]
    files = {path: git(clone, "show", f"{commit}:{path}") for path in profile_paths(paths)}
    shown: dict[str, list[str]] = {}
    for fact in profile_facts(files, paths):
        if fact.slot in FACTS:
            shown.setdefault(fact.slot, []).extend(each.split(" → ")[0] for each in SEPARATOR.split(fact.text))
    return shown


def judged(answer: Mapping[str, Any], shown: Mapping[str, list[str]]) -> Iterator[dict[str, str]]:
    """One row for each command that is shown, and for each known fact without one."""
    for fact in FACTS:
        right = [*answer.get(fact, ()), *answer.get("maybe", {}).get(fact, ())]
        row = {"repository": answer["repository"], "split": answer["split"], "fact": fact}
        for command in shown.get(fact, ()):
            yield {**row, "verdict": "right" if command in right else "wrong", "command": command}
        if fact in answer and fact not in shown:
            yield {**row, "verdict": "missing", "command": ""}


def _summed_up(rows: list[dict[str, str]]) -> Iterator[list[object]]:
    for split in ("develop", "held"):
        for fact in (*FACTS, "all"):
            mine = [row for row in rows if row["split"] == split and fact in (row["fact"], "all")]
            counts = Counter(row["verdict"] for row in mine)
            yield [split, fact, *(counts[verdict] for verdict in VERDICTS)]
