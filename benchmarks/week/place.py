"""A repository in which a week passes: its files, its commits, and the hooks that hosts run in it."""

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from benchmarks.processes import ROOT, repomem
from benchmarks.week.scripts import Session, Step, old_and_new

SAMPLE = ROOT / "fixtures" / "repositories" / "courier"
CLOCK = Path(__file__).with_name("clock")
HOSTS = {"claude": "claude-code", "codex": "codex", "gemini": "gemini"}
HOOK_NAMES = {  # what each host calls the three events
    "claude": {"session-start": "SessionStart", "prompt": "UserPromptSubmit", "stop": "Stop"},
    "codex": {"session-start": "SessionStart", "prompt": "UserPromptSubmit", "stop": "Stop"},
    "gemini": {"session-start": "SessionStart", "prompt": "BeforeAgent", "stop": "AfterAgent"},
}
PATIENT = """
import repomem.cli.agents.hook as hook
hook.LONGEST = {}
hook.LONGEST_CAPTURE = hook.CATCH_UP_SECONDS = 60.0
import repomem.recall.answer as answer
answer.CATCH_UP_SECONDS = 60.0
import repomem.agents.hooks as hooked
hooked.LATE_LINES = 0.0
import repomem.capture.host_sessions as host_sessions
host_sessions.SAME_CALL = -1e12
from repomem.__main__ import main
main()
"""  # hooks without their time limits: the machine may be busy, and calls of ten minutes follow each other at once
LONGEST_COMMAND = 120  # seconds
AUTHOR = {"NAME": "Ada Example", "EMAIL": "ada@example.org"}


@dataclass(frozen=True, slots=True)
class Place:
    """A repository, the home of its user, and the environment that nothing of this machine's user is in."""

    folder: Path
    home: Path
    environment: Mapping[str, str]

    def hook(self, session: Session, ident: str, event: str, now: datetime, **said: str) -> str:
        """Run a hook as its host does; returns the text that the host gives to its model.

        For `stop` it runs `capture`, which `stop` starts in the background with the same input.
        """
        payload = {"session_id": ident, "transcript_path": str(self.transcript(session, ident)), **said}
        payload |= {"cwd": str(self.folder), "hook_event_name": HOOK_NAMES[session.host][event]}
        words = ("hook", "capture" if event == "stop" else event, "--host", HOSTS[session.host])
        out = self.run((sys.executable, "-P", "-c", PATIENT, *words), now, feed=json.dumps(payload))
        return context_in(out)

    def repomem(self, now: datetime, *words: str, may_warn: bool = False) -> str:
        """What a command prints."""
        return self.run(repomem(*words), now, may_warn=may_warn)

    def commit(self, subject: str, now: datetime) -> None:
        """Commit everything, and let the index catch up."""
        self.run(("git", "add", "--all"), now)
        self.run(("git", "commit", "--quiet", "--message", subject), now)
        self.repomem(now, "index", "--quiet")

    def run(self, command: tuple[str, ...], now: datetime, *, feed: str = "", may_warn: bool = False) -> str:
        """Run a command at a moment of the week; ends the program where it fails or, unless it may, warns."""
        clock = {"WEEK_CLOCK_SHIFT": str(now.timestamp() - time.time())}
        dates = {f"GIT_{role}_DATE": now.isoformat() for role in ("AUTHOR", "COMMITTER")}
        done = subprocess.run(
            command,
            cwd=self.folder,
            env={**self.environment, **clock, **dates},
            input=feed.encode(),
            capture_output=True,
            check=False,
            timeout=LONGEST_COMMAND,
        )
        if done.returncode or (done.stderr and not may_warn):
            sys.exit(f"{' '.join(command)} ended with {done.returncode}:\n{done.stderr.decode(errors='replace')}")
        return done.stdout.decode()

    def transcript(self, session: Session, ident: str) -> Path:
        """Where the host writes the transcript of a session."""
        day = session.at
        match session.host:
            case "claude":
                folder = self.home / ".claude" / "projects" / str(self.folder).replace("/", "-")
                return folder / f"{ident}.jsonl"
            case "codex":
                folder = self.home / ".codex" / "sessions" / f"{day:%Y/%m/%d}"
                return folder / f"rollout-{day:%Y-%m-%dT%H-%M-%S}-{ident}.jsonl"
            case _:
                folder = self.home / ".gemini" / "tmp" / self.folder.name / "chats"
                return folder / f"session-{day:%Y-%m-%dT%H-%M}-{ident[:8]}.jsonl"

    def change(self, step: Step) -> None:
        """Do to the worktree what a step says that the agent did."""
        path = self.folder / step.head
        if step.verb == "write":
            path.write_text(step.body + "\n", encoding="utf-8")
        elif step.verb == "edit":
            old, new = old_and_new(step.body)
            text = path.read_text(encoding="utf-8")
            if text.count(old) != 1:
                sys.exit(f"{step.head} has {text.count(old)} times:\n{old}")
            path.write_text(text.replace(old, new), encoding="utf-8")
        elif step.verb == "bash" and step.head.startswith("sed "):
            subprocess.run(step.head.partition(" && ")[0], shell=True, cwd=self.folder, check=True)  # our own script


def new_place(folder: Path, now: datetime) -> Place:
    """A copy of the sample as a repository with one commit, indexed."""
    place = Place(folder / SAMPLE.name, folder / "home", _environment(folder / "home"))
    place.home.mkdir(parents=True)
    shutil.copytree(SAMPLE, place.folder)
    place.run(("git", "init", "--quiet", "--initial-branch", "main"), now)
    place.commit("Start courier with its first files", now)
    return place


def context_in(answer: str) -> str:
    """The text in a hook's answer that the host gives to its model."""
    if not answer.strip():
        return ""
    said: Any = json.loads(answer)
    return str(said.get("hookSpecificOutput", {}).get("additionalContext", ""))


def _environment(home: Path) -> dict[str, str]:
    author = {f"GIT_{role}_{key}": value for role in ("AUTHOR", "COMMITTER") for key, value in AUTHOR.items()}
    return {
        "PATH": os.environ["PATH"],
        **author,
        "HOME": str(home),
        "TMPDIR": str(home),
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CONFIG_NOSYSTEM": "1",
        "PYTHONPATH": f"{CLOCK}{os.pathsep}{ROOT}",
        "REPOMEM_WORKERS_PRELOAD": "false",
        "COLUMNS": "80",
        "TZ": "UTC",
    }
