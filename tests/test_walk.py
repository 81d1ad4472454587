"""The walk in docs/tour.md, run as written: a colleague's decision reaches an agent, and CI reports that it is broken.

Ids, hashes and days differ from run to run, and `[…]` stands for what the page leaves out; all else is as printed.
"""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SAMPLE = ROOT / "fixtures" / "repositories" / "ledgerly"
SECTION = re.compile(r"^## Sharing a decision\n(.*)", re.MULTILINE | re.DOTALL)
BLOCK = re.compile(r"^````text\n(.*?)^````$", re.MULTILINE | re.DOTALL)
PROMPT = re.compile(r"^(ana|ben|ci)\$ (.*)\n", re.MULTILINE)
VARYING = re.compile(
    r"\b01[0-9A-HJKMNP-TV-Z]{4,24}\b|\b[0-9a-f]{16}\b|\b[0-9a-f]{12}\b|\b[0-9a-f]{8}\b|\b\d{4}-\d\d-\d\d\b|tokens=\"\d+/"
)
WRITER = re.compile(r"\b[0-9a-f]{16}\b")


@dataclass(frozen=True)
class Step:
    """One command of the walk, by whom, and what it prints."""

    who: str
    command: str
    shown: str


def steps_in(page: str) -> Iterator[Step]:
    """The walk's commands, in their order."""
    section = SECTION.search(page)
    assert section, "docs/tour.md has no walk"
    text = "".join(BLOCK.findall(section[1]))
    found = list(PROMPT.finditer(text))
    for here, after in zip(found, [*found[1:], None], strict=True):
        yield Step(here[1], here[2], text[here.end() : after.start() if after else len(text)])


class Stage:
    """Three users of one bare repository, each with a clone and a home of their own, and `repomem` on the path."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.writer = ""
        program = root / "bin" / "repomem"
        program.parent.mkdir()
        program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -P -m repomem "$@"\n')
        program.chmod(0o755)
        shutil.copytree(SAMPLE, root / "seed")
        for command in (
            "git init -q -b main seed",
            "git -C seed add .",
            "git -C seed commit -qm 'feat: read and balance journals'",
            "git clone -q --bare seed ledgerly.git",
            *(f"git clone -q ledgerly.git {who}" for who in ("ana", "ben", "ci")),
        ):
            self.run("seed", command, root)
        self.run("ben", "repomem index --quiet", root / "ben")  # else its first brief may not wait for all of it

    def run(self, who: str, command: str, folder: Path) -> str:
        """What a command prints for somebody at a terminal, who pipes its output."""
        home = self.root / f"home of {who}"
        home.mkdir(exist_ok=True)
        own = {f"XDG_{name}_HOME": str(home / name.lower()) for name in ("DATA", "STATE", "CONFIG", "CACHE")}
        names = {f"GIT_{role}_NAME": who.capitalize() for role in ("AUTHOR", "COMMITTER")}
        environ = {**os.environ, **own, **names, "HOME": str(home), "TMPDIR": str(home)}
        environ["PATH"] = f"{self.root / 'bin'}{os.pathsep}{os.environ['PATH']}"
        ours, theirs = os.openpty()
        try:
            done = subprocess.run(
                ["/bin/sh", "-c", command],
                cwd=folder,
                env=environ,
                stdin=theirs,
                stdout=subprocess.PIPE,
                stderr=theirs,
                check=False,
                timeout=300,
            )
        finally:
            os.close(theirs)
            os.close(ours)
        return done.stdout.decode()

    def played(self, step: Step) -> str:
        """What a step prints; a writer whom it names is the one that was listed last."""
        command = re.sub(r"(?<=repomem trust )[0-9a-f]{8}", self.writer[:8], step.command)
        shown = self.run(step.who, command, self.root / step.who)
        if listed := WRITER.search(shown):
            self.writer = listed[0]
        return shown


@pytest.mark.slow
def test_the_walk_in_the_tour_is_what_happens(tmp_path: Path) -> None:
    stage = Stage(tmp_path)
    steps = list(steps_in((ROOT / "docs" / "tour.md").read_text(encoding="utf-8")))
    assert {step.who for step in steps} == {"ana", "ben", "ci"}
    for step in steps:
        shown = VARYING.sub("#", stage.played(step))
        at = 0
        for part in VARYING.sub("#", step.shown).split("[…]\n"):
            assert part in shown[at:], f"{step.command} printed:\n{shown}"
            at = shown.index(part, at) + len(part)
        assert "[…]" in step.shown or at == len(shown), f"{step.command} printed more:\n{shown}"
