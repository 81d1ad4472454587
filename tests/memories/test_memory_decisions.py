"""What `repomem confirm` makes of memories whose code has changed, is gone, or is on another branch."""

from collections.abc import Callable
from pathlib import Path

import pytest
from support.memory_scenes import AGENT, PERSON, committed, git, said, standing
from support.repositories import Commit, MakeRepository
from support.samples import workspace_at

from repomem.cli.memories import review
from repomem.core.errors import RepomemError
from repomem.memories.status import Status

CODE = "def keep(pairs):\n    return {key: value for key, value in pairs if value is not None}\n"
TEXT = "keep skips pairs without a value"
Confirm = Callable[..., str]


@pytest.fixture
def folder(make_repository: MakeRepository) -> Path:
    return make_repository(Commit({"only.py": CODE}))


@pytest.fixture
def confirm(folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Confirm:
    def run(*names: str) -> str:
        monkeypatch.setattr(review, "speaker", lambda: PERSON)
        with workspace_at(folder) as workspace:
            review.confirm_command(workspace, list(names), None)
        return capsys.readouterr().out

    return run


def test_a_drifted_memory_is_confirmed_on_its_code_as_it_is_now(folder: Path, confirm: Confirm) -> None:
    name = said(folder, TEXT, on=("only.py:keep",)).id
    committed(folder, "Keep zeros out", only__py=CODE.replace("is not None", "> 0"))
    assert standing(folder, name).status is Status.DRIFTED
    assert confirm(name).endswith(" on only.py:keep\n")
    assert standing(folder, name).status is Status.CURRENT


def test_a_memory_whose_code_is_gone_is_said_to_stay_hidden(folder: Path, confirm: Confirm) -> None:
    name = said(folder, TEXT, on=("only.py:keep",)).id
    commit = committed(folder, "Drop keep", only__py="KEPT = 1\n")
    assert confirm(name).endswith(f"; still hidden: its code was deleted by {commit[:8]}\n")


def test_a_memory_of_another_branch_is_not_attached_to_the_code_of_this_one(folder: Path, confirm: Confirm) -> None:
    git(folder, "switch", "-q", "-c", "topic")
    committed(folder, "Keep zeros out", only__py=CODE.replace("is not None", "> 0"))
    name = said(folder, TEXT, on=("only.py:keep",)).id
    git(folder, "switch", "-q", "main")
    assert "; still recorded on branch topic" in confirm(name)
    git(folder, "switch", "-q", "topic")
    assert standing(folder, name).status is Status.CURRENT


def test_an_agent_cannot_confirm_a_drifted_memory(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    name = said(folder, TEXT, on=("only.py:keep",)).id
    committed(folder, "Keep zeros out", only__py=CODE.replace("is not None", "> 0"))
    monkeypatch.setattr(review, "speaker", lambda: AGENT)
    with workspace_at(folder) as workspace, pytest.raises(RepomemError, match="only a person"):
        review.confirm_command(workspace, [name], None)
