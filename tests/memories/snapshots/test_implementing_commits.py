"""A decision that was recorded on a clean tree is not drifted by the commit that carries it out."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from support.branch_scenes import Scene, scene_in
from support.memory_scenes import AGENT

from repomem.core.records import MemoryContent, MemoryKind
from repomem.core.types.text import CleanText
from repomem.memories.new_memory import NewMemory
from repomem.memories.remember import remember
from repomem.memories.snapshots.implementing_commits import implements
from repomem.memories.snapshots.snapshot import memories_now
from repomem.memories.status import Status

CODE = "def is_fresh(entry, now):\n    return now - entry.written < 1000 and not entry.is_stale\n"
DECIDED = "The cache is reused for 250 milliseconds only, no longer for a second"


@pytest.fixture
def scene(tmp_path: Path) -> Iterator[Scene]:
    with scene_in(tmp_path / "work", {"cache.py": CODE}, 1_700_000_000) as made:
        yield made


def say(scene: Scene, text: str, kind: MemoryKind = MemoryKind.DECISION) -> str:
    result, _ = remember(scene.workspace, NewMemory(text, kind=kind, on=("cache.py:is_fresh",)), AGENT)
    return result.id


def status(scene: Scene, name: str) -> Status:
    return memories_now(scene.workspace).states[name].status


def test_the_commit_that_implements_a_decision_is_no_drift_but_a_later_one_is(scene: Scene) -> None:
    old, new = say(scene, "The cache is reused for one second", MemoryKind.FACT), say(scene, DECIDED)
    scene.commit({"cache.py": CODE.replace("1000", "250")}, "Reuse the cache for 250 ms only")
    assert (status(scene, new), status(scene, old)) == (Status.PROVISIONAL, Status.DRIFTED)
    scene.commit({"cache.py": CODE.replace("1000", "100")}, "Reuse the cache for 100 ms")
    assert status(scene, new) is Status.DRIFTED


def test_a_commit_that_changes_something_else_is_drift(scene: Scene) -> None:
    name = say(scene, DECIDED)
    scene.commit({"cache.py": CODE.replace("entry.written", "entry.read")}, "Reuse the cache from its last read")
    assert status(scene, name) is Status.DRIFTED


@pytest.mark.parametrize(
    ("text", "message", "added", "removed", "is_carried"),
    [
        ("Use a deque for the queue of jobs", "jobs: a deque as the queue", "q = deque()", "q = []", True),
        ("Keep a list for the queue, not a deque", "queue: deque for jobs", "queue = deque()", "queue = list()", False),
        ("The queue of jobs is a plain list", "queue: a deque for jobs", "q = deque()", "q = list()", False),
        ("Retry an upload 5 times", "upload: retry 5 times", "retries = 5", "retries = 3", True),
        ("Retry an upload 3 times", "upload: retry 5 times", "retries = 5", "retries = 3", False),
        ("Retry an upload 5 times", "tidy up", "limit = 5", "", False),
        (
            "Retry 5 times instead of 2: the gateway drops packets at night",
            "upload: retry 5 times",
            "n = 5",
            "n = 2",
            True,
        ),
        ("Retry a send 3 times", "send: retry from 3 places", "retries += 3", "", False),
        ("Retry an upload 5 times", 'Revert "upload: retry 5 times"', "retries = 5", "retries = 3", False),
    ],
    ids=[
        *("a new name", "a rejected name", "a removed name", "a value", "a replaced value", "a value by chance"),
        *("a value with its reason", "a value that was there", "a revert"),
    ],
)
def test_a_commit_implements_what_it_adds_and_mentions(
    text: str, message: str, added: str, removed: str, *, is_carried: bool
) -> None:
    said = MemoryContent(MemoryKind.DECISION, CleanText(text))
    patch = f" send(retries=3)\n+{added}\n-{removed}\n"
    assert implements(said, message, patch) is is_carried
