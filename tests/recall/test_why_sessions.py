"""From a line to its commit, from there to the session, and to what was decided in it."""

import pytest
from support.memory_scenes import AGENT, committed, said
from support.repositories import Commit, MakeRepository
from support.samples import indexed, workspace_at

from repomem.core.records import MemoryKind
from repomem.recall.why import why
from repomem.sessions.lifecycle import end, start
from repomem.workspace.snapshot import snapshot


def test_a_line_leads_to_its_session_and_what_was_decided_in_it(
    make_repository: MakeRepository, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = make_repository(Commit({"upload.py": "def upload(file):\n    return 1\n"}))
    monkeypatch.delenv("GIT_COMMITTER_DATE")  # a session has the commits made since its start
    with workspace_at(folder) as workspace:
        start(workspace, AGENT, "retry uploads")
    said(folder, "Uploads are retried in the client", AGENT, kind=MemoryKind.DECISION)
    commit = committed(folder, "feat: retry uploads", upload__py="def upload(file):\n    return retried(file)\n")
    with workspace_at(folder) as workspace:
        end(workspace, AGENT, "uploads are retried")
    indexed(folder)
    with workspace_at(folder) as workspace:
        now = snapshot(workspace)
        assert now is not None
        session = why(now, "upload.py:2").sessions[commit]
        assert why(now, "upload.py:1").sessions == {}
    assert session.goal == "retry uploads"
    assert [text for _, text in session.decisions] == ["Uploads are retried in the client"]
