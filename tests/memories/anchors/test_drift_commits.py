"""A drifted or deleted anchor names the commit that changed it, also after squashes, amends and pulls."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from support.branch_scenes import Scene, scene_in

from repomem.brief.memories import status_note
from repomem.memories.anchors.locate import anchor_at
from repomem.memories.rewrites.follow import follow_rewrites
from repomem.memories.snapshots.snapshot import memories_now
from repomem.memories.status import MemoryState, Status

CODE = "def parse(line):\n    fields = line.strip().split(',')\n    return [each.strip() for each in fields if each]\n"
STRICT = CODE.replace("if each", "if each and each.isalnum()")
FILES = {"parse.py": CODE, "send.py": "def send(line):\n    return open_queue().put(line, timeout=3, retries=2)\n"}


@pytest.fixture
def scene(tmp_path: Path) -> Iterator[Scene]:
    with scene_in(tmp_path / "work", FILES) as made:
        yield made


def state(scene: Scene) -> MemoryState:
    """The state of the only memory."""
    follow_rewrites(scene.workspace, scene.head)
    [one] = memories_now(scene.workspace).states.values()
    return one


def note(scene: Scene) -> str:
    one = state(scene)
    return status_note(one.status.value, one.commit, one.why)


def say(scene: Scene, symbol: str = "parse") -> None:
    scene.say("parse keeps what it reads", anchor_at(scene.workspace, "parse.py", symbol))


def on_topic(scene: Scene) -> None:
    scene.git("switch", "-q", "-c", "topic")
    scene.commit({"send.py": "def send(line):\n    return line\n"}, "send at once")
    say(scene)
    scene.commit({"parse.py": STRICT}, "only letters and digits")


def test_a_squash_that_holds_the_change_is_its_commit(scene: Scene) -> None:
    on_topic(scene)
    scene.git("switch", "-q", "main")
    scene.git("merge", "-q", "--squash", "topic")
    scene.git("commit", "-q", "-m", "topic as one")
    scene.git("branch", "-q", "-D", "topic")
    assert (state(scene).status, state(scene).commit) == (Status.DRIFTED, scene.head)


def test_a_commit_that_was_fixed_up_is_the_commit_of_the_change(scene: Scene) -> None:
    scene.commit({"send.py": "def send(line):\n    return line\n"}, "send at once")
    said_on = scene.head
    say(scene)
    (scene.folder / "parse.py").write_text(STRICT)
    scene.git("commit", "-q", "--all", f"--fixup={said_on}")
    scene.git("-c", "sequence.editor=true", "rebase", "-q", "-i", "--autosquash", "HEAD~2")
    assert (state(scene).status, state(scene).commit) == (Status.DRIFTED, scene.head)


def test_a_resolved_conflict_is_the_commit_of_the_change(scene: Scene) -> None:
    scene.git("switch", "-q", "-c", "topic")
    scene.commit({"parse.py": STRICT}, "only letters and digits")
    say(scene)
    scene.git("switch", "-q", "main")
    scene.commit({"parse.py": CODE.replace("if each", "if each != '-'")}, "no dashes")
    assert scene.tried("rebase", "-q", "main", "topic").returncode
    (scene.folder / "parse.py").write_text(CODE.replace("if each", "if each != '-' and each.isalnum()"))
    scene.git("add", "parse.py")
    scene.git("rebase", "--continue")
    assert (state(scene).status, state(scene).commit) == (Status.DRIFTED, scene.head)


def test_only_changes_in_the_work_tree_are_called_uncommitted(scene: Scene) -> None:
    say(scene)
    (scene.folder / "parse.py").write_text(STRICT)
    assert note(scene) == "its code has uncommitted changes: verify before relying on it"


def test_code_that_only_the_work_tree_lacks_is_called_deleted(scene: Scene) -> None:
    say(scene)
    (scene.folder / "parse.py").unlink()
    assert (state(scene).status, state(scene).why) == (Status.GONE, "an uncommitted change deleted its code")


def test_code_that_was_never_committed_is_called_different(scene: Scene) -> None:
    (scene.folder / "parse.py").write_text(STRICT)
    say(scene)
    scene.git("checkout", "-q", "--", ".")
    assert note(scene) == "its code has changed since it was recorded: verify before relying on it"


@pytest.mark.parametrize("symbol", ["parse", ""], ids=["symbol", "file"])
def test_a_deleted_file_names_the_commit_that_deleted_it_whatever_is_pulled(scene: Scene, symbol: str) -> None:
    say(scene, symbol)
    scene.git("switch", "-q", "-c", "other")
    scene.git("switch", "-q", "main")
    scene.git("rm", "-q", "parse.py")
    scene.git("commit", "-q", "-m", "remove parse")
    removed = scene.head
    found = [state(scene).commit]
    for at in range(3):
        scene.git("switch", "-q", "other")
        scene.commit({f"more{at}.py": f"MORE = {at}\n"}, f"more {at}")
        scene.git("switch", "-q", "main")
        scene.git("merge", "-q", "--no-ff", "--no-edit", "other")
        found.append(state(scene).commit)
    assert found == [removed] * 4


@pytest.mark.parametrize("symbol", ["parse", ""], ids=["symbol", "file"])
def test_a_file_deleted_on_a_merged_branch_names_the_commit_of_that_branch(scene: Scene, symbol: str) -> None:
    say(scene, symbol)
    scene.git("switch", "-q", "-c", "other")
    scene.git("rm", "-q", "parse.py")
    scene.git("commit", "-q", "-m", "remove parse")
    removed = scene.head
    for at in range(2):
        scene.git("switch", "-q", "main")
        scene.commit({f"more{at}.py": f"MORE = {at}\n"}, f"more {at}")
        scene.git("merge", "-q", "--no-ff", "--no-edit", "other")
        assert state(scene).commit == removed
        scene.git("switch", "-q", "other")
        scene.commit({f"side{at}.py": f"SIDE = {at}\n"}, f"side {at}")
