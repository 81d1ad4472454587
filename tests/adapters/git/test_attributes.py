"""Attributes of paths, and line ends as git stores them: git itself is the judge."""

import os
from itertools import product

import pytest
from support.repositories import Commit, MakeRepository, RunGit

from repomem.adapters.git import worktree
from repomem.adapters.git.attributes import attributes, line_ends
from repomem.adapters.git.objects import blob_id
from repomem.adapters.git.repository import Repository

CONTENTS = {
    "crlf": b"one\r\ntwo\r\n",
    "mixed": b"one\r\ntwo\n",
    "lf": b"one\ntwo\n",
    "lone": b"one\rtwo\r\n",
    "nul": b"one\0\r\ntwo\r\n",
    "binary": bytes(range(1, 32)) * 4 + b"\r\n",
    "nearly": b"a\x01" + b"text " * 60 + b"\r\n",
    "escape": b"\x1b[31m red \x1b[0m\r\n",
    "eof": b"one\r\n\x1a",
    "empty": b"",
}
RULES = ["", "text", "text=auto", "-text", "eol=crlf", "text=auto eol=lf", "crlf", "-crlf", "binary"]


def test_values_are_given_for_the_paths_that_have_any(make_repository: MakeRepository) -> None:
    odd = os.fsdecode(b"a\n\xff.py")
    rules = "*.min.js linguist-generated -diff\n*.py diff=python\nvendor/** linguist-vendored=true\n"
    repository = Repository.open(make_repository(Commit({".gitattributes": rules})))
    names = ("linguist-generated", "linguist-vendored", "diff")
    assert attributes(repository, ["x.min.js", odd, "vendor/a/b", "plain"], names) == {
        "x.min.js": {"linguist-generated": "set", "diff": "unset"},
        odd: {"diff": "python"},
        "vendor/a/b": {"linguist-vendored": "true"},
    }


def test_no_paths_have_no_attributes(make_repository: MakeRepository) -> None:
    assert attributes(Repository.open(make_repository()), [], ["text"]) == {}


@pytest.mark.parametrize("autocrlf", ["false", "true", "input"])
def test_fault_26_ids_of_files_with_crlf_are_those_that_git_gives(
    autocrlf: str, make_repository: MakeRepository, run_git: RunGit
) -> None:
    folders = [f"rule{number}" for number in range(len(RULES))]
    before = {
        f"{folder}/{name}-over-{old}": CONTENTS[old]
        for folder, name, old in product(folders, CONTENTS, ("crlf", "lf", "nul"))
    }
    now = {path: CONTENTS[path.partition("/")[2].partition("-")[0]] for path in before}
    now |= {f"{folder}/{name}": data for folder, (name, data) in product(folders, CONTENTS.items())}
    top = make_repository(Commit(before))
    run_git(top, "config", "core.autocrlf", autocrlf)
    rules = [f"{folder}/* {rule}" for folder, rule in zip(folders, RULES, strict=True)]
    (top / ".gitattributes").write_text("\n".join(rules))
    for path, data in now.items():
        (top / path).write_bytes(data)
    repository = Repository.open(top)
    blobs = {file.path: file.blob for file in worktree.tracked(repository)}
    ends = line_ends(repository, {path: blobs.get(path) for path in now})
    ours = {path: blob_id(ends.stored(path, data), "sha1") for path, data in now.items()}
    run_git(top, "add", "-A")
    theirs = {file.path: file.blob for file in worktree.tracked(repository)}
    assert ours == {path: theirs[path] for path in now}
