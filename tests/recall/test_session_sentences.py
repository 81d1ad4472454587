"""Sentences of a session that may state something lasting: kept as notes, shown where a task is clearly about them."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from support.memory_scenes import said
from support.repositories import Commit, MakeRepository
from support.samples import indexed, recalled, workspace_at

from repomem.adapters.transcripts.steps import Step, StepKind, Transcript
from repomem.capture.note_to_memory import promote
from repomem.capture.origins import origin_now
from repomem.capture.run import keep
from repomem.capture.session_findings import captured_from
from repomem.capture.statements.classifier import find
from repomem.core.errors import NotFound, RepomemError
from repomem.core.records import MemoryKind
from repomem.core.types.text import NOTHING
from repomem.memories.forget import forget, forget_note, note_named
from repomem.memories.review import close_threads
from repomem.memories.snapshots.snapshot import memories_now
from repomem.recall.prompt_addition import memories_for
from repomem.sessions.lifecycle import sessions_in
from repomem.workspace.ledger import Speaker, records_here
from repomem.workspace.workspace import Workspace

SENTENCE = "the label printer in Graz only takes labels of 62 mm, we found that out the hard way"
PROMPTS = ("print the delivery note", SENTENCE, "commit it")
TASK = "which labels does the printer in Graz take"


@pytest.fixture(autouse=True)
def unsure(monkeypatch: pytest.MonkeyPatch) -> None:
    """No sentence is surely a statement, whatever the weights that ship."""
    monkeypatch.setattr(find, "SURE_PERSON", 1.0)
    monkeypatch.setattr(find, "SURE_AGENT", 1.0)


@pytest.fixture
def workspace(make_repository: MakeRepository) -> Iterator[Workspace]:
    """A repository in which one session was captured."""
    folder = make_repository(Commit({"src/parcels.py": "def weigh(parcel):\n    return 1\n"}))
    indexed(folder)
    with workspace_at(folder) as opened:
        captured(opened, *PROMPTS)
        yield opened


def captured(workspace: Workspace, *prompts: str) -> None:
    steps = [Step(f"s{at}", StepKind.ASKED, text, f"2026-03-01T10:00:{at:02}Z") for at, text in enumerate(prompts)]
    transcript = Transcript("codex", "one", str(workspace.root), tuple(steps))
    keep(workspace, transcript, captured_from(steps), origin_now(workspace, "codex"))


def sentences(folder: Path, task: str) -> list[str]:
    return [item.title for item in recalled(folder, task).items if item.kind == "said"]


def test_a_sentence_is_shown_for_a_task_about_it_with_its_author(workspace: Workspace) -> None:
    [item] = [item for item in recalled(Path(workspace.root), TASK).items if item.kind == "said"]
    assert item.title == SENTENCE
    assert item.author != "codex"
    assert not memories_now(workspace).states


def test_an_unrelated_task_gets_none_and_the_task_of_a_session_is_none(workspace: Workspace) -> None:
    assert sentences(Path(workspace.root), "rotate the ingress certificates") == []
    assert PROMPTS[0] not in sentences(Path(workspace.root), PROMPTS[0])


def test_a_prompt_gets_the_statement_without_any_memory(workspace: Workspace) -> None:
    addition = memories_for(workspace, TASK, ())
    assert addition is not None
    assert SENTENCE in addition.text


def test_a_retracted_sentence_is_no_longer_shown(workspace: Workspace) -> None:
    captured(workspace, *PROMPTS, "forget what I said about the label printer in Graz, scrap that")
    assert sentences(Path(workspace.root), TASK) == []


def test_a_sentence_repeated_by_a_closed_thread_is_no_longer_shown(make_repository: MakeRepository) -> None:
    folder = make_repository(Commit({"src/parcels.py": "def weigh(parcel):\n    return 1\n"}))
    indexed(folder)
    thread = said(folder, "The label printer in Graz only takes 62 mm labels", kind=MemoryKind.THREAD).id
    with workspace_at(folder) as workspace:
        captured(workspace, *PROMPTS)
        assert sentences(folder, TASK) == [SENTENCE]
        close_threads(workspace, memories_now(workspace), [thread], NOTHING, Speaker(is_person=True))
    assert sentences(folder, TASK) == []


def test_a_sentence_repeated_by_a_later_memory_is_no_longer_shown(workspace: Workspace) -> None:
    said(Path(workspace.root), "Only labels of 62 mm fit the label printer in Graz")
    assert sentences(Path(workspace.root), TASK) == []


def test_a_promoted_sentence_becomes_a_memory_and_is_shown_once(workspace: Workspace) -> None:
    [session] = sessions_in(workspace)
    [note] = [note for note in session.notes if note.text.startswith("said: ")]
    promote(workspace, Speaker(is_person=True), note.id, MemoryKind.GOTCHA)
    assert [one.memory.said.text for one in memories_now(workspace).states.values()] == [SENTENCE]
    assert sentences(Path(workspace.root), TASK) == []


def test_a_person_forgets_or_erases_a_sentence_and_no_agent_does(workspace: Workspace) -> None:
    [session] = sessions_in(workspace)
    note = note_named(workspace, memories_now(workspace), session.notes[-1].id[:-3])
    assert note is not None
    assert note.text == f"said: {SENTENCE}"
    with pytest.raises(RepomemError, match="only a person may forget it"):
        forget_note(workspace, note, Speaker(tool="codex"))
    forget_note(workspace, note, Speaker(is_person=True))
    assert sentences(Path(workspace.root), TASK) == []

    captured(workspace, *PROMPTS)  # a later reading of the transcript
    assert sentences(Path(workspace.root), TASK) == []
    forget_note(workspace, note, Speaker(is_person=True), is_purge=True)
    captured(workspace, *PROMPTS)
    assert not [record for record in records_here(workspace) if "62 mm" in record.text]


def test_purging_a_memory_erases_the_note_that_it_came_from(workspace: Workspace) -> None:
    [session] = sessions_in(workspace)
    result, _ = promote(workspace, Speaker(is_person=True), session.notes[-1].id, MemoryKind.GOTCHA)
    forget(workspace, memories_now(workspace), result.id, Speaker(is_person=True), is_purge=True)
    assert not [record for record in records_here(workspace) if "62 mm" in record.text]

    captured(workspace, *PROMPTS)  # a later reading of the transcript
    assert not [record for record in records_here(workspace) if "62 mm" in record.text]


def test_a_prefix_of_a_note_and_a_memory_means_neither(workspace: Workspace) -> None:
    memory = said(Path(workspace.root), "Labels are printed in Graz").id
    known = memories_now(workspace)
    with pytest.raises(NotFound, match="matches 2 memories and notes"):
        note_named(workspace, known, memory[:4])
    assert note_named(workspace, known, memory) is None
