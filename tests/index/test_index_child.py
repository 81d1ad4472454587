"""Index runs in processes of their own."""

from pathlib import Path
from queue import SimpleQueue

import pytest
from support.repositories import Commit, MakeRepository

from repomem.index.watch.child import Ended, IndexChild


def ended_in(folder: Path) -> Ended:
    mailbox: SimpleQueue[Ended] = SimpleQueue()
    IndexChild.start(str(folder), mailbox.put)
    return mailbox.get(timeout=120)


def test_a_run_reports_its_end(make_repository: MakeRepository) -> None:
    folder = make_repository(Commit({"a.py": "a = 1\n"}))
    ended = ended_in(folder)
    assert (ended.root, ended.failure) == (str(folder), "")
    assert (folder / ".git" / "repomem" / "catalog.sqlite").exists()


def test_a_run_that_fails_reports_its_complaint(make_repository: MakeRepository) -> None:
    folder = make_repository(Commit({".repomem.toml": "[no such table]\n"}))
    assert ended_in(folder).failure.startswith(".repomem.toml is not valid TOML")


def test_a_run_that_is_ended_leaves_no_process(make_repository: MakeRepository) -> None:
    folder = make_repository(Commit({f"{n}.py": f"a = {n}\n" for n in range(200)}))
    mailbox: SimpleQueue[Ended] = SimpleQueue()
    child = IndexChild.start(str(folder), mailbox.put)
    child.end()
    assert child.process.poll() is not None
    assert mailbox.get(timeout=60).failure.startswith("the index run exited with -")


def test_a_folder_that_is_gone_is_an_error_of_the_system(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        IndexChild.start(str(tmp_path / "gone"), lambda _: None)
