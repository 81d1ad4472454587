"""Sessions of the past are found by what they were for, not only the last one."""

from pathlib import Path

import pytest
from support.repositories import Commit, MakeRepository
from support.samples import indexed, recalled, workspace_at

from repomem.core.types.brief import BriefItem
from repomem.sessions.lifecycle import end, start
from repomem.workspace.ledger import Speaker

AGENT = Speaker(tool="codex")
WORK = (
    ("make the upload resume after a lost connection", "resumes from the last chunk that was acknowledged"),
    ("speed up the nightly report", "an index on the booking date; from 40 to 3 minutes"),
    ("translate the invoice mail into French", "done, the accent in the subject needed an encoding"),
    ("bump the copyright year", "done"),
)


@pytest.fixture
def folder(make_repository: MakeRepository) -> Path:
    """A repository in which four sessions ended."""
    folder = make_repository(Commit({"src/a.py": "a = 1\n"}))
    with workspace_at(folder) as workspace:
        for goal, outcome in WORK:
            start(workspace, AGENT, goal)
            end(workspace, AGENT, outcome)
    indexed(folder)
    return folder


def sessions(folder: Path, task: str) -> list[BriefItem]:
    return [item for item in recalled(folder, task).items if item.kind == "session"]


@pytest.mark.parametrize(("goal", "outcome"), WORK[:3])
def test_a_session_is_found_by_its_goal(folder: Path, goal: str, outcome: str) -> None:
    first = sessions(folder, goal)[0]
    assert (first.title, first.text) == (goal, outcome)


def test_a_session_is_found_in_other_words(folder: Path) -> None:
    assert sessions(folder, "why is the report that runs at night so slow")[0].title == WORK[1][0]


def test_an_unrelated_task_gets_only_the_last_session(folder: Path) -> None:
    assert [item.title for item in sessions(folder, "draw the seat map on a canvas")] == [WORK[-1][0]]
