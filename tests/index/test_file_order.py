"""The order in which an index run reads files: a deadline cuts off the least changed ones."""

from collections.abc import Iterator, Sequence
from itertools import count

import pytest
from support.repositories import Commit, MakeRepository
from support.samples import workspace_at

from repomem.adapters.git.worktree import status
from repomem.index import code
from repomem.index.indexable_files import LiveFile
from repomem.workspace.run import Run


def test_the_files_changed_most_are_read_first_and_others_by_path(
    make_repository: MakeRepository, monkeypatch: pytest.MonkeyPatch
) -> None:
    order: list[str] = []

    def parsed(_workspace: object, files: Sequence[LiveFile], *_: object) -> Iterator[object]:
        order.extend(file.path for file in files)
        return iter(())

    monkeypatch.setattr(code, "_parsed", parsed)
    folder = make_repository(Commit({f"{name}.py": f"{name} = 1\n" for name in "abcd"}))
    with workspace_at(folder) as workspace:
        code.index_code(workspace, status(workspace.repository), {"c.py": 5, "d.py": 9}, Run())
    assert order == ["d.py", "c.py", "a.py", "b.py"]


def test_a_file_is_not_parsed_once_the_deadline_has_passed(make_repository: MakeRepository) -> None:
    folder = make_repository(Commit({f"{name}.py": f"{name} = 1\n" for name in "abcd"}))
    ticks = count(0.0)  # the run looks at its clock before it begins and before each file
    with workspace_at(folder) as workspace:
        run = Run(clock=lambda: next(ticks), deadline=1.5)
        done = code.index_code(workspace, status(workspace.repository), {}, run)
    assert (done.parsed, done.missing) == (1, 3)
