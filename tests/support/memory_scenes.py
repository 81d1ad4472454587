"""Saying things in a sample repository, and looking at what a brief makes of them."""

import subprocess
from pathlib import Path

from repomem.core.types.brief import Brief, BriefItem
from repomem.memories.forget import Forgotten, forget
from repomem.memories.new_memory import NewMemory, RememberResult
from repomem.memories.remember import remember
from repomem.memories.review import confirm
from repomem.memories.snapshots.snapshot import memories_now
from repomem.memories.status import MemoryState
from repomem.workspace.ledger import Speaker
from support.samples import workspace_at

PERSON = Speaker(is_person=True)
AGENT = Speaker(tool="codex")
SPOKEN = frozenset({"rule", "decision", "fact", "gotcha", "thread", "tried"})


def said(folder: Path, text: str, speaker: Speaker = PERSON, **options: object) -> RememberResult:
    """Remember a text."""
    with workspace_at(folder) as workspace:
        return remember(workspace, NewMemory(text, **options), speaker)[0]  # type: ignore[arg-type]


def standing(folder: Path, wanted: str) -> MemoryState:
    """A memory as it stands in the worktree as it is."""
    with workspace_at(folder) as workspace:
        known = memories_now(workspace)
        return known.states[known.resolve_id(wanted)]


def confirmed(folder: Path, *names: str) -> None:
    """A person confirms memories."""
    with workspace_at(folder) as workspace:
        confirm(workspace, names, PERSON)


def forgotten(folder: Path, name: str, speaker: Speaker = PERSON, *, is_purge: bool = False) -> Forgotten:
    """Forget a memory."""
    with workspace_at(folder) as workspace:
        return forget(workspace, memories_now(workspace), name, speaker, is_purge=is_purge)


def spoken(brief: Brief) -> list[BriefItem]:
    """The memories in a brief, in its order."""
    return [item for item in brief.items if item.kind in SPOKEN and item.title]


def titles(brief: Brief) -> list[str]:
    """What the memories in a brief say."""
    return [item.title for item in spoken(brief)]


def committed(folder: Path, message: str, **files: str) -> str:
    """Write files (dots in a name are given as __) and commit everything; the commit's hash."""
    for name, text in files.items():
        path = folder / name.replace("__", ".").replace("_S_", "/")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "--allow-empty", "-m", message)
    return git(folder, "rev-parse", "HEAD")


def git(folder: Path, *arguments: str) -> str:
    """Git in a folder: its output."""
    done = subprocess.run(["git", *arguments], cwd=folder, capture_output=True, check=True, text=True)
    return done.stdout.strip()
