"""The progress of an index run: it advances while commits are read, not once for a whole batch."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from support.repositories import Commit, MakeRepository
from support.samples import workspace_at

from repomem.adapters.git.log import head_of
from repomem.core.ports import Stage
from repomem.index import history
from repomem.workspace.run import Run


class Steps:
    """A progress that records its steps."""

    def __init__(self) -> None:
        self.taken: list[int] = []

    @contextmanager
    def stage(self, name: str, total: int | None, unit: str) -> Iterator[Stage]:
        assert (name, total, unit) == ("Reading history", 5, "commits")
        yield self

    def advance(self, steps: int = 1) -> None:
        self.taken.append(steps)


@pytest.mark.parametrize(("size", "taken"), [(2, [2, 2, 1]), (250, [5])])
def test_reading_history_advances_within_a_batch(
    make_repository: MakeRepository, monkeypatch: pytest.MonkeyPatch, size: int, taken: list[int]
) -> None:
    commits = [Commit({"a.py": f"def f():\n    return {at}\n"}, f"Return {at}") for at in range(5)]
    steps = Steps()
    monkeypatch.setattr(history, "COMMITS_PER_STEP", size)
    with workspace_at(make_repository(*commits)) as workspace:
        done = history.index_history(workspace, head_of(workspace.repository)[0], Run(progress=steps))
        assert (len(done.episodes), len(workspace.catalog.changes.recorded())) == (5, 5)
    assert steps.taken == taken
