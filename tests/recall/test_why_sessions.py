"""From a line or a file to its commits, from there to their sessions, and to what was decided in them."""

import json
from pathlib import Path

import pytest
from support.memory_scenes import AGENT, committed, said
from support.repositories import Commit, MakeRepository, RunGit
from support.samples import indexed, workspace_at

from repomem.cli.recall.show import log_command
from repomem.cli.recall.why import BOUNDARY, why_command
from repomem.cli.terminal.formats import Format
from repomem.core.errors import NotFound
from repomem.core.records import MemoryKind
from repomem.recall.log import log
from repomem.recall.why import why
from repomem.sessions.lifecycle import end, start
from repomem.workspace.snapshot import snapshot

GOAL = "retry uploads"
DECISION = "Uploads are retried in the client"


@pytest.fixture
def folder(make_repository: MakeRepository, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = make_repository(Commit({"upload.py": "def upload(file):\n    return 1\n"}))
    monkeypatch.delenv("GIT_COMMITTER_DATE")  # a session has the commits made since its start
    with workspace_at(folder) as workspace:
        start(workspace, AGENT, GOAL)
    said(folder, DECISION, AGENT, kind=MemoryKind.DECISION, on=("upload.py:upload",))
    committed(folder, "feat: retry uploads", upload__py="def upload(file):\n    return retried(file)\n")
    with workspace_at(folder) as workspace:
        end(workspace, AGENT, "uploads are retried")
    indexed(folder)
    return folder


def test_a_line_leads_to_its_session_and_what_was_decided_in_it(folder: Path) -> None:
    with workspace_at(folder) as workspace:
        now = snapshot(workspace)
        assert now is not None
        [(commit, session)] = why(now, "upload.py:2").sessions.items()
        assert commit == now.head
        assert why(now, "upload.py:1").sessions == {}
    assert session.goal == GOAL
    assert [text for _, text in session.decisions] == [DECISION]


@pytest.mark.parametrize("target", ["upload.py", "upload.py:upload"])
def test_the_log_names_the_session_of_a_commit_and_of_a_memory(folder: Path, target: str) -> None:
    with workspace_at(folder) as workspace:
        now = snapshot(workspace)
        assert now is not None
        story = log(now, target, 10)
    assert [(commit == now.head, made.goal) for commit, made in story.sessions.items()] == [(True, GOAL)]
    [memory] = [one for one in story.memories if one.kind == "decision"]
    assert (memory.session, memory.goal) == (story.sessions[now.head].id, GOAL)


def test_the_commands_print_the_session_with_its_goal(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with workspace_at(folder) as workspace:
        why_command(workspace, "upload.py:2", Format.TEXT)
    [decided] = [line for line in capsys.readouterr().out.splitlines() if line.startswith("memory: ")]
    assert "from session 0" in decided
    assert decided.endswith(f'"{GOAL}"')
    with workspace_at(folder) as workspace:
        log_command(workspace, "upload.py", 10, Format.TEXT, is_said_only=False)
    lines = capsys.readouterr().out.splitlines()
    assert [line.endswith(f'"{GOAL}"') for line in lines if '"feat: retry uploads"' in line or DECISION in line] == [
        True,
        True,
    ]


def test_programs_get_the_session_of_commits_and_memories(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with workspace_at(folder) as workspace:
        log_command(workspace, "upload.py", 10, Format.JSON, is_said_only=False)
    told = json.loads(capsys.readouterr().out)
    newest, first = told["episodes"]
    assert newest["session"]["goal"] == GOAL
    assert "session" not in first
    assert [one["session"] for one in told["said"] if one["kind"] == "decision"] == [newest["session"]["id"]]
    with workspace_at(folder) as workspace:
        why_command(workspace, "upload.py:2", Format.JSON)
    [memory] = json.loads(capsys.readouterr().out)["memories"]
    assert (memory["session"], memory["goal"]) == (newest["session"]["id"], GOAL)


def test_why_skips_the_headings_and_checklists_of_a_template(
    make_repository: MakeRepository, capsys: pytest.CaptureFixture[str]
) -> None:
    body = "### New Pull Request Checklist\n\n- [x] I have read it\n\n## Description\nThe gateway drops uploads.\n"
    folder = make_repository(Commit({"upload.py": "retries = 3\n"}, f"feat: retry uploads\n\n{body}"))
    indexed(folder)
    with workspace_at(folder) as workspace:
        why_command(workspace, "upload.py:1", Format.TEXT)
    printed = capsys.readouterr().out
    assert "The gateway drops uploads." in printed
    assert "Checklist" not in printed
    assert "I have read it" not in printed


def test_a_line_from_before_the_boundary_of_a_shallow_clone_has_no_known_commit(
    make_repository: MakeRepository, tmp_path: Path, run_git: RunGit, capsys: pytest.CaptureFixture[str]
) -> None:
    text = "def upload(file):\n    return send(file)\n\n\ndef check(file):\n    return 2\n"
    whole = make_repository(
        Commit({"upload.py": text}, "begin"),
        Commit({"other.py": "x = 1\n"}, "chore: unrelated\n\nThe reason of another change."),
        Commit({"upload.py": text.replace("send(file)", "send(file, retries=3)")}, "feat: retry uploads"),
    )
    run_git(tmp_path, "clone", "-q", "--depth", "2", whole.as_uri(), "shallow")
    shallow = tmp_path / "shallow"
    indexed(shallow)
    with workspace_at(shallow) as workspace:
        why_command(workspace, "upload.py:6", Format.TEXT)
    assert capsys.readouterr().out.splitlines()[3:] == [f"  {BOUNDARY}"]
    with workspace_at(shallow) as workspace:
        why_command(workspace, "upload.py:2", Format.JSON)
    newest, boundary = json.loads(capsys.readouterr().out)["commits"]
    assert "boundary" not in newest
    assert {key: boundary[key] for key in boundary if key not in {"commit", "date"}} == {
        "subject": "chore: unrelated",
        "boundary": True,
    }
    with workspace_at(shallow) as workspace:
        now = snapshot(workspace)
        assert now is not None
        changed = log(now, "upload.py:upload", 10)
        with pytest.raises(NotFound, match="no commit of this shallow clone"):
            log(now, "upload.py:check", 10)
    assert [one.episode.subject for one in changed.commits] == ["feat: retry uploads"]


def test_the_log_of_a_symbol_in_a_partial_clone_says_what_it_lacks(
    make_repository: MakeRepository, tmp_path: Path, run_git: RunGit
) -> None:
    whole = make_repository(
        Commit({"a.py": "def f(x):\n    return x\n"}), Commit({"a.py": "def f(x):\n    return x + 1\n"})
    )
    run_git(whole, "config", "uploadpack.allowFilter", "true")
    run_git(tmp_path, "clone", "-q", "--filter=blob:none", whole.as_uri(), "partial")
    indexed(tmp_path / "partial")
    with workspace_at(tmp_path / "partial") as workspace:
        now = snapshot(workspace)
        assert now is not None
        with pytest.raises(NotFound, match="no indexed commit changed f") as raised:
            log(now, "a.py:f", 10)
    assert raised.value.hint == "a partial clone lacks the changes of symbols: repomem log a.py"
