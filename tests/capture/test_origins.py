"""What an imported session said belongs to the branch that its transcript names, merged or not."""

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from support.branch_scenes import Scene, scene_in

from repomem.adapters.transcripts.claude_code import read
from repomem.adapters.transcripts.steps import Step, StepKind, Transcript
from repomem.capture import run
from repomem.capture.origins import origin_then
from repomem.capture.run import keep
from repomem.capture.session_findings import captured_from
from repomem.core.records import Event, Source
from repomem.memories.rewrites.follow import follow_rewrites
from repomem.memories.snapshots.snapshot import memories_now
from repomem.memories.status import MemoryState, Status, Visibility
from repomem.workspace.ledger import records_here

DECIDED = "Let's go with a fixed wait before a retry instead of doubling it, because the gateway drops slow callers."


@pytest.fixture
def scene(tmp_path: Path) -> Iterator[Scene]:
    with scene_in(tmp_path / "work", {"client.py": "def send(message):\n    return post(message)\n"}) as made:
        yield made


def imported(scene: Scene, branch: str) -> MemoryState:
    """The one decision of a session on a branch, imported with what is checked out now."""
    at = datetime.fromtimestamp(scene.clock + 1, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    steps = (Step("1", StepKind.ASKED, DECIDED, at=at),)
    transcript = Transcript("codex", "s", str(scene.folder), steps, at, branch=branch)
    keep(scene.workspace, transcript, captured_from(steps), origin_then(scene.workspace, transcript))
    follow_rewrites(scene.workspace, scene.head)
    [state] = memories_now(scene.workspace).states.values()
    return state


def on_topic(scene: Scene) -> None:
    scene.git("switch", "-q", "-c", "topic")
    scene.commit({"client.py": "def send(message):\n    return retry(message)\n"})


def test_an_import_from_a_deleted_branch_is_provisional(scene: Scene) -> None:
    on_topic(scene)
    scene.git("switch", "-q", "main")
    scene.git("branch", "-q", "-D", "topic")
    found = imported(scene, "topic")
    assert found.status is Status.PROVISIONAL
    assert found.why == "recorded on branch topic before its first known commit; nothing shows that it was merged"


def test_an_import_from_an_unmerged_branch_is_hidden_until_the_merge(scene: Scene) -> None:
    on_topic(scene)
    scene.git("switch", "-q", "main")
    assert imported(scene, "topic").visibility is Visibility.UNMERGED
    scene.git("merge", "-q", "--ff-only", "topic")
    [state] = memories_now(scene.workspace).states.values()
    assert (state.visibility, state.why) == (Visibility.HERE, "")


def test_an_import_from_the_current_branch_applies(scene: Scene) -> None:
    found = imported(scene, "main")
    assert (found.visibility, found.why) == (Visibility.HERE, "")
    assert found.memory.origin.source is Source.TRANSCRIPT


def test_two_processes_that_capture_a_session_at_once_record_it_once(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = imported(scene, "main")
    monkeypatch.setattr(run, "records_here", lambda _: [])  # as before the other process wrote
    assert imported(scene, "main").memory == first.memory
    monkeypatch.undo()
    [started] = [one for one in records_here(scene.workspace) if one.event is Event.SESSION_START]
    assert started.id == first.memory.origin.session


def test_a_commit_before_a_session_is_first_read_is_the_sessions_own(scene: Scene) -> None:
    before = scene.head
    at = datetime.fromtimestamp(scene.clock + 1, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    made = scene.commit({"client.py": "def send(message):\n    return retry(message)\n"})
    ended = datetime.fromtimestamp(scene.clock + 1, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    steps = (Step("1", StepKind.ASKED, DECIDED, at=at), Step("2", StepKind.SAID, "Done.", at=ended))
    transcript = Transcript("codex", "s", str(scene.folder), steps, at, branch="main")
    keep(scene.workspace, transcript, captured_from(steps), origin_then(scene.workspace, transcript))
    records = {one.event: one for one in records_here(scene.workspace)}
    assert records[Event.SESSION_START].origin.head == before
    assert records[Event.SESSION_END].commits == (made,)


def test_the_branch_of_a_session_is_the_one_that_it_ended_on() -> None:
    lines = [f'{{"type":"user","sessionId":"s","cwd":"/w","gitBranch":"{name}"}}' for name in ("main", "topic")]
    assert read(lines).branch == "topic"
