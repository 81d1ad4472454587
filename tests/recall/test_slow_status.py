"""A `git status` that takes long: asked for once, and an answer without it says so."""

from pathlib import Path

import pytest
from support.repositories import Commit, MakeRepository
from support.samples import indexed, workspace_at

from repomem.adapters.git import worktree
from repomem.adapters.git.repository import Repository
from repomem.core.errors import GitTimeout
from repomem.recall import answer
from repomem.recall.answer import NO_STATUS, recall_now, search_now
from repomem.recall.request import BriefRequest
from repomem.workspace.run import Run
from repomem.workspace.snapshot import Scope
from repomem.workspace.workspace import Workspace

CODE = {"queue.py": "def drain(queue):\n    return queue.pop()\n"}


@pytest.fixture
def folder(make_repository: MakeRepository) -> Path:
    """An indexed repository."""
    made = make_repository(Commit(CODE))
    indexed(made)
    return made


@pytest.mark.parametrize("task", ["drain the queue", ""])
def test_a_command_asks_git_for_the_status_once(folder: Path, monkeypatch: pytest.MonkeyPatch, task: str) -> None:
    (folder / "queue.py").write_text("def drain(queue):\n    return queue.pop(0)\n")
    asked: list[Path] = []
    listed = worktree._listed

    def counted(repository: Repository, top: Path, limit: float) -> bytes:
        asked.append(top)
        return listed(repository, top, limit)

    monkeypatch.setattr(worktree, "_listed", counted)
    with workspace_at(folder) as workspace:
        brief = recall_now(workspace, BriefRequest(task, 1_500), Run())
        assert len(asked) == 1
        assert "queue.py" in brief.markdown
        (folder / "queue.py").write_text("def drain(queue):\n    return queue.pop(1)\n")
        [[hit, *_]], _ = search_now(workspace, ["drain"], Scope(), 5, Run())
        assert "pop(1)" in hit.chunk.text  # the next command asks anew
    assert len(asked) == 2


@pytest.mark.parametrize("task", ["drain the queue", ""])
def test_an_answer_without_git_status_reports_what_it_left_out(
    folder: Path, monkeypatch: pytest.MonkeyPatch, task: str
) -> None:
    asked: list[float] = []
    begun: list[Workspace] = []

    def blocked(_repository: Repository, _top: Path, limit: float) -> bytes:
        asked.append(limit)
        raise GitTimeout("git did not answer", "")

    monkeypatch.setattr(worktree, "_listed", blocked)
    monkeypatch.setattr(answer, "index_in_background", begun.append)
    with workspace_at(folder) as workspace:
        brief = recall_now(workspace, BriefRequest(task, 1_500), Run())
        assert begun == [workspace]
    assert asked == [worktree.LONG_STATUS]
    assert NO_STATUS in brief.markdown
    assert "queue.py" in brief.markdown
