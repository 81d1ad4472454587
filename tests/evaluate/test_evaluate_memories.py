"""The replay of one's own memories: what was shown where later commits changed their code."""

from pathlib import Path

import pytest
from support.memory_scenes import committed, said
from support.repositories import Commit, MakeRepository
from support.samples import indexed, workspace_at

from repomem.core.ports import Silence
from repomem.evaluate.memories import MemoryEvaluation, evaluate_memories
from repomem.evaluate.replay import ReplayOptions
from repomem.workspace.ledger import ledger_of
from repomem.workspace.run import Run

RETRY = "def retry(times):\n    for at in range(times):\n        try_once(at, times, back_off=2)\n    return times\n"
SEND = "def send(message):\n    return bytes(message, 'utf-8')\n"


@pytest.fixture
def place(make_repository: MakeRepository) -> Path:
    """A repository with two files of one function each."""
    return make_repository(Commit({"src/retry.py": RETRY, "src/send.py": SEND}, "Send messages and retry"))


@pytest.fixture(autouse=True)
def _commits_come_later(monkeypatch: pytest.MonkeyPatch) -> None:
    """Commits of a test are newer than its memories, whose times are real."""
    monkeypatch.setenv("GIT_COMMITTER_DATE", "4000000000 +0000")


def evaluated(folder: Path) -> MemoryEvaluation:
    with workspace_at(folder) as workspace:
        return evaluate_memories(workspace, ReplayOptions(10, 1500), Run(progress=Silence()))


def test_a_memory_in_the_brief_of_the_commit_that_changed_its_code_counts_for_both_figures(place: Path) -> None:
    name = said(place, "We retry three times with a back-off", on=("src/retry.py:retry",)).id
    commit = committed(place, "Retry with a longer back-off", src_S_retry__py=RETRY.replace("2", "3"))
    indexed(place)

    found = evaluated(place)

    assert [(row.commit, row.shown, row.touched) for row in found.rows] == [
        (commit, frozenset([name]), frozenset([name]))
    ]
    assert (found.coverage, found.precision) == (1.0, 1.0)
    assert (found.anchored, found.drift, found.useless) == (1, 1.0, 0)


def test_a_memory_shown_for_a_commit_that_left_its_code_alone_lowers_precision(place: Path) -> None:
    said(place, "We retry three times with a back-off", on=("src/retry.py:retry",))
    committed(place, "Send what we retry three times with a back-off", src_S_send__py=SEND.replace("8", "16"))
    indexed(place)

    found = evaluated(place)

    assert (found.coverage, found.precision, found.drift, found.useless) == (None, 0.0, 0.0, 1)


def test_commits_older_than_every_memory_are_not_replayed(place: Path) -> None:
    committed(place, "Retry with a longer back-off", src_S_retry__py=RETRY.replace("2", "3"))
    said(place, "We retry three times with a back-off", on=("src/retry.py:retry",))
    indexed(place)

    found = evaluated(place)

    assert (found.rows, found.coverage, found.precision) == ([], None, None)


def test_a_replay_counts_as_no_use_and_writes_no_record(place: Path) -> None:
    said(place, "We retry three times with a back-off", on=("src/retry.py:retry",))
    committed(place, "Retry with a longer back-off", src_S_retry__py=RETRY.replace("2", "3"))
    indexed(place)
    with workspace_at(place) as workspace:
        before = ledger_of(workspace).records()

    assert evaluated(place).report.use.times == 0
    with workspace_at(place) as workspace:
        assert ledger_of(workspace).records() == before
