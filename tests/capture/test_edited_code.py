"""Statements of a session are anchored to the symbols that their turn edited for them, and to nothing else."""

from collections.abc import Sequence
from pathlib import Path

import pytest
from support.memory_scenes import committed
from support.repositories import Commit, MakeRepository
from support.samples import indexed, workspace_at

from repomem.adapters.transcripts.steps import Step, StepKind, Transcript
from repomem.capture.origins import origin_now
from repomem.capture.run import keep
from repomem.capture.session_findings import captured_from
from repomem.core.records import MemoryKind
from repomem.memories.snapshots.snapshot import memories_now
from repomem.memories.status import Status

CODE = """def send(message):
    return post(message)


def retry_delay(attempt):
    return attempt * 2


def close(client):
    return client.stop()
"""
DECIDED = "Let's go with a fixed wait before a retry instead of doubling it, because the gateway drops slow callers."
RULE = "Always run the linter before a commit, because the pipeline rejects unformatted code."
STARTED = "2026-11-20T10:00:00Z"


@pytest.fixture
def folder(make_repository: MakeRepository) -> Path:
    folder = make_repository(Commit({"client.py": CODE, "other.py": "def unrelated():\n    return 1\n"}))
    indexed(folder)
    return folder


def kept(
    folder: Path, edits: Sequence[str], text: str = DECIDED, kind: MemoryKind = MemoryKind.DECISION
) -> list[tuple[str, str]]:
    """The places of the anchors of what a session's only turn stated."""
    steps = [Step("1", StepKind.ASKED, text), *(Step(f"e{at}", StepKind.EDITED, path) for at, path in enumerate(edits))]
    with workspace_at(folder) as workspace:
        transcript = Transcript("codex", "s", str(folder), tuple(steps), STARTED)
        found = captured_from(steps)
        assert [one.kind for one in found.stated] == [kind]
        keep(workspace, transcript, found, origin_now(workspace, "codex"))
        [state] = memories_now(workspace).states.values()
    return [(anchor.path, anchor.symbol) for anchor in state.memory.said.anchors]


def changed(folder: Path, *names: str, path: str = "client.py") -> None:
    """Give the functions of these names another body."""
    text = (folder / path).read_text()
    for name in names:
        head, _, body = text.partition(f"def {name}(")
        text = f"{head}def {name}({body.replace('return', 'limit = 60; return', 1)}"
    (folder / path).write_text(text)


def test_the_only_symbol_changed_in_the_turn_is_the_anchor(folder: Path) -> None:
    changed(folder, "close")
    assert kept(folder, ["client.py"]) == [("client.py", "close")]


def test_of_several_changed_symbols_those_whose_words_the_text_has_are_the_anchors(folder: Path) -> None:
    changed(folder, "close", "retry_delay")
    assert kept(folder, [str(folder / "client.py")]) == [("client.py", "retry_delay")]


def test_several_changed_symbols_without_a_shared_word_give_no_anchor(folder: Path) -> None:
    changed(folder, "close", "send")
    assert kept(folder, ["client.py"]) == []


def test_code_that_the_turn_did_not_edit_is_no_anchor(folder: Path) -> None:
    changed(folder, "retry_delay")
    assert kept(folder, ["other.py"]) == []


def test_code_that_the_session_already_committed_can_be_the_anchor(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    changed(folder, "retry_delay")
    monkeypatch.setenv("GIT_COMMITTER_DATE", "2026-11-20T10:05:00Z")
    committed(folder, "feat: wait longer", client__py=(folder / "client.py").read_text())
    assert kept(folder, ["client.py"]) == [("client.py", "retry_delay")]


def test_a_rule_is_not_about_the_code_that_its_turn_edited(folder: Path) -> None:
    changed(folder, "close")
    assert kept(folder, ["client.py"], RULE, MemoryKind.RULE) == []


def test_a_large_edit_gives_no_anchor(folder: Path) -> None:
    names = [f"part{at}.py" for at in range(7)]
    for name in names:
        (folder / name).write_text("def retry_all():\n    return 1\n")
    assert kept(folder, names) == []


def test_a_statement_drifts_with_the_code_that_its_turn_edited(folder: Path) -> None:
    changed(folder, "retry_delay")
    kept(folder, ["client.py"])
    changed(folder, "send")
    with workspace_at(folder) as workspace:
        [state] = memories_now(workspace).states.values()
    assert Status.DRIFTED not in {each.status for each in state.locations}
    changed(folder, "retry_delay")
    with workspace_at(folder) as workspace:
        [state] = memories_now(workspace).states.values()
    assert [each.status for each in state.locations] == [Status.DRIFTED]
