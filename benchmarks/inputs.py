"""The pinned repositories, and clones of them to work in."""

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

INPUTS = Path(__file__).with_name("inputs.json")
AUTHOR = ("-c", "user.name=Benchmark", "-c", "user.email=benchmark@example.org")


@dataclass(frozen=True, slots=True)
class Pinned:
    """A public repository at one commit."""

    repository: str  # owner/name
    commit: str

    @property
    def address(self) -> str:
        """Where anybody gets it."""
        return f"https://github.com/{self.repository}"

    def place(self, mirror: Path) -> Path:
        """Where its bare clone lies in the mirror."""
        return mirror / self.repository.replace("/", "+") / "repo"

    def bare_clone(self, mirror: Path) -> Path:
        """Its bare clone in the mirror; ends the program where it is missing."""
        place = self.place(mirror)
        if not place.is_dir():
            sys.exit(f"no clone of {self.repository} in the mirror: git clone --bare {self.address} {place}")
        return place

    def checked_out(self, mirror: Path, folder: Path) -> Path:
        """A worktree at the commit, in a new clone that borrows the mirror's objects."""
        git(folder.parent, "clone", "-q", "--shared", "--no-checkout", str(self.bare_clone(mirror)), str(folder))
        git(folder, "checkout", "-q", "--detach", self.commit)
        return folder


def section(name: str) -> Any:
    """One section of inputs.json."""
    return json.loads(INPUTS.read_text(encoding="utf-8"))[name]


def clone_missing(mirror: Path) -> None:
    """Clone the repositories of inputs.json into the mirror, where they are missing."""
    for spec in (section("speed"), section("large"), *section("replay")):
        pinned = Pinned(spec["repository"], spec["commit"])
        place = pinned.place(mirror)
        if not place.is_dir():
            place.parent.mkdir(parents=True, exist_ok=True)
            subprocess.run(["git", "clone", "--bare", pinned.address, str(place)], check=True)


def git(folder: Path, *arguments: str) -> str:
    """What git prints, under no configuration but the repository's own; CalledProcessError where it fails."""
    environ = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
    command = ["git", "-C", str(folder), *AUTHOR, *arguments]
    done = subprocess.run(command, check=True, capture_output=True, env=environ)
    return done.stdout.decode("utf-8", "surrogateescape")
