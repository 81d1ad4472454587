"""Eight writers in two clones of two users, kills and a remote that comes and goes: all end with the same memories."""

import os
import random
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import pytest
from support.repositories import Commit, MakeRepository

from repomem.core.errors import RepomemError
from repomem.memories.snapshots.snapshot import memories_now
from repomem.sync.run import SyncRequest, sync
from repomem.workspace.workspace import opened

WRITER = Path(__file__).parents[1] / "support" / "sync_writer.py"
SOAK = int(os.environ.get("REPOMEM_SOAK", "0"))
USERS = ("ana", "ben")
REF = "refs/repomem/ledger"


def environment(root: Path, user: str) -> dict[str, str]:
    """The variables of a user with a home of his own."""
    home = root / f"home of {user}"
    home.mkdir(exist_ok=True)
    own = {f"XDG_{name}_HOME": str(home / name.lower()) for name in ("DATA", "STATE", "CONFIG", "CACHE")}
    return {**os.environ, **own, "TMPDIR": str(home), "GIT_AUTHOR_NAME": user, "PYTHONPATH": ""}


@contextmanager
def as_user(root: Path, user: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The clone of a user, whose variables hold meanwhile."""
    with monkeypatch.context() as patch:
        for name, value in environment(root, user).items():
            patch.setenv(name, value)
        yield root / user


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(SOAK or 1))
def test_eight_writers_with_kills_and_partitions_end_with_the_same_memories(
    make_repository: MakeRepository,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    record_property: Callable[[str, object], None],
    seed: int,
) -> None:
    chance = random.Random(seed)
    hub = make_repository(Commit({"queue.py": "QUEUE = 1\n"}), name="hub.git", bare=True)
    for user in USERS:
        subprocess.run(["git", "clone", "-q", hub, tmp_path / user], check=True, capture_output=True)
    count = 12 if SOAK else 4
    writers = [(USERS[number % 2], f"writer {number}") for number in range(8)]
    running = [
        subprocess.Popen(
            [sys.executable, "-P", str(WRITER), str(tmp_path / user), name, str(count), str(seed * 100 + number)],
            env=environment(tmp_path, user),
            stdout=subprocess.PIPE,
            text=True,
        )
        for number, (user, name) in enumerate(writers)
    ]
    killed = _disturb(running, hub, chance)
    said = dict(_acknowledged(running))

    known, commits = _settled(tmp_path, hub, monkeypatch)
    assert known["ana"] == known["ben"]
    assert said.items() <= known["ana"].items()
    assert len(set(known["ana"].values())) == len(known["ana"]), "something was kept twice"
    assert len(commits) == 1
    record_property("seeds", 1)
    record_property("acknowledged", len(said))
    record_property("killed writers", killed)


def _disturb(running: list["subprocess.Popen[str]"], hub: Path, chance: random.Random) -> int:
    """Kill some of the writers at random moments, and take the remote away now and then, until all have ended."""
    away, killed = hub.with_name("away.git"), 0
    victims = chance.sample(running, 3)
    while any(each.poll() is None for each in running):
        time.sleep(chance.uniform(0.2, 1.0))
        if chance.random() < 0.3:
            hub.rename(away)
            time.sleep(chance.uniform(0.1, 0.4))
            away.rename(hub)
        if victims and chance.random() < 0.4:
            victim = victims.pop()
            killed += victim.poll() is None
            victim.kill()
    return killed


def _acknowledged(running: list["subprocess.Popen[str]"]) -> Iterator[tuple[str, str]]:
    for each in running:
        out, _ = each.communicate(timeout=600)
        for line in out.splitlines():
            name, _, text = line.partition(" ")
            if name != "-" and text.endswith("about the queue"):
                yield name, text


def _settled(
    root: Path, hub: Path, monkeypatch: pytest.MonkeyPatch
) -> tuple[Mapping[str, Mapping[str, str]], set[str]]:
    """What each clone knows once each has synced twice, and what the remote's ref names behind the last syncs."""
    commits: set[str] = set()
    for _ in range(2):
        commits.clear()
        for user in USERS:
            with as_user(root, user, monkeypatch) as folder, opened(folder, os.environ) as workspace:
                sync(workspace, SyncRequest())
            listed = subprocess.run(["git", "rev-parse", REF], cwd=hub, capture_output=True, check=True, text=True)
            commits.add(listed.stdout)
    known = {}
    for user in USERS:
        with as_user(root, user, monkeypatch) as folder, opened(folder, os.environ) as workspace:
            states = memories_now(workspace).states
            known[user] = {name: one.memory.said.text for name, one in states.items()}
    return known, commits


def test_a_sync_that_is_killed_leaves_nothing_that_a_purge_would_miss(
    make_repository: MakeRepository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from repomem.memories.forget import forget
    from repomem.memories.new_memory import NewMemory
    from repomem.memories.remember import remember
    from repomem.workspace.ledger import Speaker

    hub = make_repository(Commit({"queue.py": "QUEUE = 1\n"}), name="hub.git", bare=True)
    subprocess.run(["git", "clone", "-q", hub, tmp_path / "ana"], check=True, capture_output=True)
    speaker = Speaker(is_person=True)
    with as_user(tmp_path, "ana", monkeypatch) as folder, opened(folder, os.environ) as workspace:
        name = remember(workspace, NewMemory("the key lies under the mat"), speaker)[0].id
        left = workspace.folder / "sync" / "objects" / "ab"
        left.mkdir(parents=True)
        (left / "cd").write_text("the key lies under the mat")
        forget(workspace, memories_now(workspace), name, speaker, is_purge=True)
        assert not left.exists()
        with pytest.raises(RepomemError, match="cannot reach"):
            sync(workspace, SyncRequest(str(tmp_path / "nowhere.git")))
        assert not (workspace.folder / "sync").exists()
