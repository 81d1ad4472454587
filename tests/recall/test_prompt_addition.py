"""Which prompts of a session get an addition."""

from pathlib import Path

import pytest
from support.memory_scenes import AGENT, said
from support.repositories import Commit, MakeRepository
from support.samples import indexed, workspace_at

from repomem.recall.prompt_addition import memories_for, names_task


@pytest.mark.parametrize(
    ("prompt", "expected"),
    [
        ("round the parcel tariff up", True),
        ("round the tariff up", False),
        ("tariff tariff tariff tariff", False),
        ("/review round the parcel tariff up", False),
        ("rename roundUp", True),
        ("now `parcel_tariff` please", True),
        ("parcelTariff", True),
        ("what?", False),
        ("Thanks", False),
    ],
)
def test_four_different_words_or_an_identifier_name_a_task_and_a_command_names_none(
    prompt: str, *, expected: bool
) -> None:
    assert names_task(prompt) is expected


@pytest.fixture
def place(make_repository: MakeRepository) -> Path:
    """A repository with some memories."""
    folder = make_repository(Commit({"core.py": "def flatten(scopes):\n    return list(scopes)\n"}))
    indexed(folder)
    said(folder, "Artifacts are signed with a company key held in 1Password")
    said(folder, "Run the tests with TZ=UTC before you commit or push")
    said(folder, "Snapshots are published every night")
    return folder


@pytest.mark.parametrize(
    ("prompt", "expected"),
    [
        ("How do we sign the artifacts of a release?", "Artifacts are signed"),
        ("run the tests again", "Run the tests"),
        ("thanks, looks good", ""),
        ("great, push it", ""),
        ("/sign the artifacts", ""),
        ("go on", ""),
    ],
)
def test_a_short_prompt_gets_only_a_memory_that_is_clearly_about_it(place: Path, prompt: str, expected: str) -> None:
    with workspace_at(place) as workspace:
        found = memories_for(workspace, prompt, ())
    titles = [item.title for item in found.brief.items] if found and found.brief else []
    assert [title[: len(expected)] for title in titles] == [expected] * bool(expected)


def test_a_short_prompt_gets_the_memory_that_may_change_the_one_about_it(place: Path) -> None:
    said(place, "Arrays may nest 100 levels deep, deeper input raises ParseError", AGENT)
    said(place, "The nesting limit goes down to 64 levels, PyPy overflowed its stack well before 100", AGENT)
    with workspace_at(place) as workspace:
        found = memories_for(workspace, "how deep can arrays nest?", ())
    titles = [item.title for item in found.brief.items] if found and found.brief else []
    assert sorted(title[:10] for title in titles) == ["Arrays may", "The nestin"]
