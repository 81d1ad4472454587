"""What others changed since the user's last session: real commits of others, branches, memories and a sync."""

import re
from pathlib import Path

import pytest
from support.memory_scenes import AGENT, git, said
from support.repositories import Commit, MakeRepository
from support.samples import workspace_at
from support.sync_team import Team

from repomem.core.records import MemoryKind
from repomem.core.types.commits import Episode, FileChange
from repomem.items.since_last_session import theme_of, themes_of
from repomem.recall import since_last_session
from repomem.recall.brief_json import brief_json
from repomem.recall.since_last_session import BUDGET, brief_since_last_session, line_since_last_session
from repomem.sessions.lifecycle import end, start

NET = "def retry(times):\n    return times + 1\n\n\ndef send(data):\n    return data\n"
pytest_plugins = ("support.sync_team",)
BEN = ("Ben", "ben@example.org")


@pytest.fixture
def place(make_repository: MakeRepository) -> Path:
    """A repository in which the user worked in a session, before others did."""
    folder = make_repository(Commit({"src/net.py": NET, "docs/a.md": "a\n"}, "feat: send"))
    said(folder, "We retry once more than asked", on=("src/net.py:retry",))
    session(folder)
    return folder


def session(folder: Path) -> None:
    """A session that starts and ends."""
    with workspace_at(folder) as workspace:
        start(workspace, AGENT, "Send data")
        end(workspace, AGENT, "done")


def commit(folder: Path, monkeypatch: pytest.MonkeyPatch, message: str, who: tuple[str, str], **files: str) -> None:
    """A commit of somebody; in names of files, _S_ is a slash and __ a dot."""
    for name, text in files.items():
        path = folder / name.replace("_S_", "/").replace("__", ".")
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    with monkeypatch.context() as environment:
        environment.setenv("GIT_AUTHOR_NAME", who[0])
        environment.setenv("GIT_AUTHOR_EMAIL", who[1])
        git(folder, "add", "-A")
        git(folder, "commit", "-q", "-m", message)


def me(folder: Path) -> tuple[str, str]:
    """The user's name and address."""
    name, email = git(folder, "log", "-1", "--format=%an%n%ae").splitlines()
    return name, email


def since(folder: Path, budget: int = BUDGET) -> tuple[str, str]:
    """The brief as text, and the line that replaces an empty one."""
    with workspace_at(folder) as workspace:
        brief, nothing = brief_since_last_session(workspace, budget)
    assert brief.tokens <= budget
    return re.sub(r"\b[0-9a-f]{8}\b", "HASH", brief.markdown), nothing


def test_without_a_session_and_without_changes_there_is_one_plain_line(
    make_repository: MakeRepository, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = make_repository(Commit({"src/net.py": NET}))
    assert since(folder)[1].startswith("no earlier session is recorded here")
    session(folder)
    commit(folder, monkeypatch, "mine", me(folder), src_S_net__py=NET + "\n")
    assert since(folder)[1].startswith("no changes by others to your code since your last session, ")


def test_commits_of_others_in_own_code_are_grouped_and_own_and_unrelated_ones_left_out(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    commit(place, monkeypatch, "net: mine", me(place), src_S_net__py=NET.replace("return data", "return 1"))
    commit(place, monkeypatch, "fix(net): send once", BEN, src_S_net__py=NET.replace("return data", "return data[:1]"))
    commit(place, monkeypatch, "net: send nothing", BEN, src_S_net__py=NET.replace("return data", "return None"))
    commit(place, monkeypatch, "ci: elsewhere", BEN, ci__yml="on: push\n")
    text, nothing = since(place)
    assert nothing == ""
    assert '- net: 2 commits by Ben: HASH "net: send nothing", HASH "fix(net): send once" · in `src/net.py`' in text
    assert "mine" not in text
    assert "elsewhere" not in text


def test_a_memory_that_drifted_by_a_commit_of_another_is_shown_with_the_commit(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    commit(place, monkeypatch, "net: retry twice", BEN, src_S_net__py=NET.replace("times + 1", "times * 2"))
    text, _ = since(place)
    assert '"We retry once more than asked"' in text
    assert "(HASH changed its code since: verify before relying on it)" in text


def test_a_branch_that_changes_the_same_function_is_shown_with_its_lines(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    git(place, "checkout", "-q", "-b", "backoff")
    commit(place, monkeypatch, "try", BEN, src_S_net__py=NET.replace("times + 1", "2**times"))
    git(place, "checkout", "-q", "-b", "unrelated", "main")
    commit(place, monkeypatch, "docs", BEN, docs_S_b__md="b\n")
    git(place, "checkout", "-q", "main")
    text, _ = since(place)
    [line] = [line for line in text.splitlines() if line.startswith("- branch")]
    assert line.startswith("- branch `backoff` changes `retry` at `src/net.py:2` · Ben ")


def test_the_same_state_gives_the_same_bytes_and_a_small_budget_leaves_out_whole_items(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for at in range(12):
        commit(place, monkeypatch, f"area{at}: change {at}", BEN, src_S_net__py=f"{NET}# {at}\n")
    assert since(place) == since(place)
    text, _ = since(place, 200)
    assert "Left out: " in text
    with workspace_at(place) as workspace:
        values = brief_json(brief_since_last_session(workspace, BUDGET)[0])
    assert values["schema"] == "repomem.brief/1"
    assert {item["kind"] for item in values["items"]} == {"episode"}


def test_a_session_on_a_commit_that_git_deleted_is_compared_by_time(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(since_last_session, "present", lambda _repository, _commits: set())
    commit(place, monkeypatch, "net: before", BEN, src_S_net__py=NET + "# before\n")
    monkeypatch.setenv("GIT_COMMITTER_DATE", "2099-01-01T00:00:00Z")
    commit(place, monkeypatch, "net: later", BEN, src_S_net__py=NET + "# later\n")
    text, _ = since(place)
    assert "net: later" in text
    assert "net: before" not in text


def test_the_line_counts_and_is_empty_without_changes(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with workspace_at(place) as workspace:
        assert line_since_last_session(workspace) == ""
    commit(place, monkeypatch, "net: retry twice", BEN, src_S_net__py=NET.replace("times + 1", "times * 2"))
    with workspace_at(place) as workspace:
        line = line_since_last_session(workspace)
    assert line.endswith(": 1 commit by others in your code, 1 memory drifted; `repomem recall --since-me` shows them.")


def test_a_decision_that_a_sync_brought_is_shown(team: Team) -> None:
    with team.user("Ben") as clone:
        session(clone)
    team.remember("Ana", "Money is in cents", kind=MemoryKind.DECISION)
    team.sync("Ana")
    team.sync("Ben")
    with team.user("Ben") as clone:
        text, _ = since(clone)
    assert '"Money is in cents"' in text


def test_themes_come_from_scope_area_folder_and_kind() -> None:
    def episode(subject: str, *paths: str, kind: str = "") -> Episode:
        files = tuple(FileChange("M", path) for path in paths)
        return Episode("c" * 40, (), "Ben", "2026-01-01", 0, subject, "", files, kind=kind)

    commits = [
        episode("fix(net)!: a", kind="fix"),
        episode("net: b"),
        episode("Change it", "src/a.py", "src/b.py", "x.py"),
        episode("fix: c", "y.py", kind="fix"),
    ]
    assert [theme_of(each) for each in commits] == ["net", "net", "src", "fix"]
    assert [theme for theme, _ in themes_of(commits)] == ["net", "fix", "src"]
