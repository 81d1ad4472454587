"""Where the files of past commits are, by as few questions to git as possible."""

from collections.abc import Sequence

import pytest
from support.repositories import Commit, MakeRepository
from support.samples import workspace_at

from repomem.adapters.git.file_history import blobs_at
from repomem.adapters.git.repository import Repository
from repomem.history.change_history import change_history_of
from repomem.history.lines.patch_lines import line_hash
from repomem.index.run import index
from repomem.workspace.run import Run
from repomem.workspace.snapshot import snapshot


def test_git_is_asked_once_for_the_files_of_past_commits(
    make_repository: MakeRepository, monkeypatch: pytest.MonkeyPatch
) -> None:
    price = "def price(order):\n    return order.amount * order.rate\n"
    folder = make_repository(
        Commit({"x.py": price, "b.py": "b = 1\n", "c.py": "c = 1\n"}, "begin"),
        Commit({"x.py": None, "a.py": price}, "rename"),
        Commit({"a.py": None, "b.py": None}, "drop two"),
    )
    asked: list[set[str]] = []

    def counted(repository: Repository, places: Sequence[tuple[str, str]]) -> list[str]:
        asked.append({path for _, path in places})
        return blobs_at(repository, places)

    monkeypatch.setattr("repomem.history.live_files.blobs_at", counted)
    with workspace_at(folder) as workspace:
        index(workspace, Run())
        now = snapshot(workspace)
        assert now is not None
        record = change_history_of(now)
        asked.clear()
        assert record.live_places(["a.py", "b.py", "c.py"]) == {"a.py": [], "b.py": [], "c.py": ["c.py"]}
        assert record.live_places(["b.py"]) == {"b.py": []}
    assert asked == [{"a.py", "b.py", "x.py"}]


def test_of_a_file_that_was_renamed_and_then_dropped_the_lines_are_those_of_files_of_the_asked_name(
    make_repository: MakeRepository,
) -> None:
    price = "def price(order):\n    return order.amount * order.rate\n"
    folder = make_repository(
        Commit({"x.py": price, "other/a.py": "a = 1\n"}, "begin"),
        Commit({"x.py": None, "a.py": price}, "rename"),
        Commit({"a.py": None}, "drop"),
    )
    with workspace_at(folder) as workspace:
        index(workspace, Run())
        now = snapshot(workspace)
        assert now is not None
        record = change_history_of(now)
        assert record.names_of("x.py") == ("a.py", "x.py")
        assert record.now("x.py") == frozenset()
        assert record.now("a.py") == frozenset(map(line_hash, ("a = 1", "")))
