"""What a reverted commit makes of memories: those on its code are marked and come last, rules stay as they are."""

import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from support.branch_scenes import Scene, scene_in
from support.memory_scenes import AGENT, PERSON

from repomem.core.records import MemoryKind
from repomem.index.run import index
from repomem.memories.new_memory import NewMemory
from repomem.memories.remember import remember
from repomem.memories.snapshots.snapshot import memories_now
from repomem.memories.status import REVERTED, Status
from repomem.recall.answer import recall_now
from repomem.recall.request import BriefRequest
from repomem.sessions.lifecycle import end, start
from repomem.workspace.ledger import Speaker
from repomem.workspace.run import Run

PLAIN = (
    "def headers(answer):\n    found = dict(answer.headers)\n    found['length'] = len(answer.body)\n    return found\n"
)
BARE = PLAIN.replace("len(answer.body)", "len(answer.body) if answer.method != 'HEAD' else None")


@pytest.fixture
def scene(tmp_path: Path) -> Iterator[Scene]:
    with scene_in(tmp_path / "work", {"answer.py": PLAIN}, int(time.time()) - 10_000) as made:
        yield made


def say(scene: Scene, text: str, speaker: Speaker = PERSON, **more: object) -> str:
    result, _ = remember(scene.workspace, NewMemory(text, **more), speaker)  # type: ignore[arg-type]
    scene.clock = max(scene.clock, int(time.time()))
    return result.id


def test_a_decision_whose_code_was_reverted_comes_after_what_holds_now(scene: Scene) -> None:
    scene.commit({"answer.py": BARE}, "no length for HEAD")
    old = say(scene, "answers to HEAD have no length header", on=("answer.py:headers",))
    scene.git("revert", "--no-edit", "HEAD")
    index(scene.workspace, Run())
    new = say(scene, "the length header is sent with every answer, whatever the method", on=("answer.py:headers",))
    one = memories_now(scene.workspace).states[old]
    assert (one.status, one.why, one.commit) == (Status.DRIFTED, REVERTED, scene.head)
    brief = recall_now(
        scene.workspace, BriefRequest("should answers to HEAD have a length header?", 1_000), Run()
    ).markdown
    places = [brief.find(name[:9]) for name in (new, old)]
    assert -1 < places[0] < places[1]
    assert f"its work was reverted by {scene.head[:8]}: verify before relying on it" in brief


@pytest.mark.parametrize("kind", [MemoryKind.RULE, MemoryKind.DECISION])
def test_a_rule_stays_when_a_commit_of_its_session_is_reverted_and_a_decision_does_not(
    scene: Scene, kind: MemoryKind
) -> None:
    start(scene.workspace, AGENT, "no length for HEAD")
    name = say(scene, "commit messages are written in English", AGENT, kind=kind)
    scene.commit({"answer.py": BARE}, "no length for HEAD")
    end(scene.workspace, AGENT, "done")
    scene.git("revert", "--no-edit", "HEAD")
    index(scene.workspace, Run())
    is_reverted = memories_now(scene.workspace).states[name].why == REVERTED
    assert is_reverted == (kind is MemoryKind.DECISION)
