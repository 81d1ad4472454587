"""The same files, history and question give the same answers to the byte, however the index came to be."""

import json
import os
import shutil
import sys
from collections.abc import Iterable
from pathlib import Path
from threading import Thread
from types import MappingProxyType

import pytest
from support.fault_scenes import (
    Ledgerly,
    answers_of,
    history,
    indexed,
    paths_found,
    recalled,
    repomem,
    repomem_fresh,
    said_by,
    written,
)
from support.repositories import RunGit

from repomem.core.types.brief import Fact
from repomem.index.maintenance import maintain
from repomem.recall.answer import search_now
from repomem.workspace.run import Run
from repomem.workspace.snapshot import Scope
from repomem.workspace.workspace import Workspace, opened

pytest_plugins = ("support.fault_scenes",)

OTHER_WORLDS = (
    MappingProxyType({"PYTHONHASHSEED": "1", "TZ": "Pacific/Kiritimati", "LANG": "C", "OMP_NUM_THREADS": "1"}),
    MappingProxyType({"PYTHONHASHSEED": "4242", "TZ": "America/St_Johns", "LC_ALL": "C.UTF-8", "OMP_NUM_THREADS": "4"}),
)


def test_a_clean_build_answers_as_the_index_that_was_copied(ledgerly: Ledgerly) -> None:
    shutil.rmtree(ledgerly.memory)
    indexed(ledgerly.folder)
    assert answers_of(ledgerly.folder) == ledgerly.answers


@pytest.mark.slow
def test_an_index_that_followed_every_commit_answers_the_same(ledgerly: Ledgerly, run_git: RunGit) -> None:
    shutil.rmtree(ledgerly.memory)
    for commit in run_git(ledgerly.folder, "rev-list", "--reverse", "HEAD").split():
        run_git(ledgerly.folder, "reset", "-q", "--hard", commit)
        indexed(ledgerly.folder)
    assert answers_of(ledgerly.folder) == ledgerly.answers


def other_branch(number: int, head: str) -> str:
    """One branch for `git fast-import`, with a commit that speaks of what is asked; every fifth has the same files."""
    words = " ".join(f"posting amount ledger zebra{number % 5 * n}" for n in range(1, 30))
    return (
        f"commit refs/heads/other{number}\ncommitter a <a@b> {1_700_100_000 + number} +0000\n"
        f"data <<E\nfeat: posting amount {number}\nE\nfrom {head}\n"
        f"M 100644 inline src/ledgerly/other.py\ndata <<E\n{words}\nE\n\n"
    )


@pytest.mark.slow
def test_fifty_branches_in_the_same_store_change_no_answer(ledgerly: Ledgerly, run_git: RunGit) -> None:
    head = run_git(ledgerly.folder, "rev-parse", "HEAD")
    run_git(ledgerly.folder, "fast-import", "--quiet", stdin="".join(other_branch(n, head) for n in range(50)).encode())
    for number in range(50):
        run_git(ledgerly.folder, "symbolic-ref", "HEAD", f"refs/heads/other{number}")
        run_git(ledgerly.folder, "reset", "-q", "--hard")
        indexed(ledgerly.folder)
    run_git(ledgerly.folder, "checkout", "-q", "main")
    with opened(ledgerly.folder, os.environ) as workspace:
        stamp = workspace.catalog.table_stamp("episodes")
        assert stamp is not None
        assert stamp.rows == len(list(history())) + 50
    assert answers_of(ledgerly.folder) == ledgerly.answers


def test_a_linked_work_tree_answers_the_same(ledgerly: Ledgerly, run_git: RunGit) -> None:
    linked = ledgerly.folder.parent / "linked" / "ledgerly"
    run_git(ledgerly.folder, "checkout", "-q", "--detach")
    run_git(ledgerly.folder, "worktree", "add", "-q", linked, "main")
    report, _ = indexed(linked)
    assert report.parsed == 0
    assert answers_of(linked) == ledgerly.answers


@pytest.mark.slow
def test_answers_do_not_depend_on_hash_seed_time_zone_locale_or_threads(ledgerly: Ledgerly) -> None:
    seen = []
    for world in OTHER_WORLDS:
        shutil.rmtree(ledgerly.memory)
        verbs = (["recall", "posting amount"], ["recall"], ["search", "posting amount", "--format", "json"])
        printed, _ = said_by(ledgerly.folder, ["index", "--quiet"], *verbs, env={**os.environ, **world})
        seen.append(printed)
    assert seen[0] == seen[1]
    assert seen[0].count("<repomem-brief") == 2
    assert json.loads(seen[0].rpartition("</repomem-brief>")[2])["hits"]


def test_maintenance_changes_no_answer(ledgerly: Ledgerly, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("repomem.adapters.sqlite.catalog.KEPT_VIEWS", 0)
    for number in range(3):
        written(ledgerly.folder, {f"dead{number}.py": f"posting_amount = {number}\n" * 200})
        indexed(ledgerly.folder)
        (ledgerly.folder / f"dead{number}.py").unlink()
    indexed(ledgerly.folder)
    monkeypatch.setattr("repomem.adapters.lance.tables.MOST_FRAGMENTS", 0)
    monkeypatch.setattr("repomem.index.maintenance.DEAD_SHARE", 0.0)
    with opened(ledgerly.folder, os.environ) as workspace:
        assert workspace.catalog.file_versions.dead()
        maintain(workspace)
        assert not workspace.catalog.file_versions.dead()
    assert answers_of(ledgerly.folder) == ledgerly.answers


def test_maintenance_drops_nothing_beside_an_index_run(ledgerly: Ledgerly, monkeypatch: pytest.MonkeyPatch) -> None:
    """What a branch switch brings back is dead until its run has published it."""
    monkeypatch.setattr("repomem.adapters.sqlite.catalog.KEPT_VIEWS", 0)
    monkeypatch.setattr("repomem.index.maintenance.DEAD_SHARE", 0.0)
    indexed_before = {"src/ledgerly/back.py": "def zebra_back():\n    return 1\n"}
    written(ledgerly.folder, indexed_before)
    indexed(ledgerly.folder)
    (ledgerly.folder / "src/ledgerly/back.py").unlink()
    indexed(ledgerly.folder)
    written(ledgerly.folder, {**indexed_before, "new.py": "def zebra_new():\n    return 2\n"})

    def maintained(at: Workspace, paths: Iterable[str]) -> list[Fact]:
        thread = Thread(target=_maintained, args=(ledgerly.folder,))
        thread.start()
        thread.join()
        return []

    with monkeypatch.context() as patch:
        patch.setattr("repomem.index.maintenance.INDEX_WAIT", 0.0)
        patch.setattr("repomem.profile.facts.read_facts", maintained)
        indexed(ledgerly.folder)
    assert "src/ledgerly/back.py" in paths_found(ledgerly.folder, "zebra_back")
    _maintained(ledgerly.folder)
    assert "src/ledgerly/back.py" in paths_found(ledgerly.folder, "zebra_back")


def _maintained(folder: Path) -> None:
    with opened(folder, os.environ) as workspace:
        maintain(workspace)


def test_a_hundred_other_questions_change_no_answer(ledgerly: Ledgerly) -> None:
    with opened(ledgerly.folder, os.environ) as workspace:
        for number in range(100):
            search_now(workspace, [f"currency {number} parser line"], Scope(), 10, Run())
    for number in range(5):
        recalled(ledgerly.folder, f"balance of account {number}")
    assert answers_of(ledgerly.folder) == ledgerly.answers


def test_a_change_that_is_taken_back_leaves_no_trace(ledgerly: Ledgerly) -> None:
    parser = ledgerly.folder / "src/ledgerly/parser.py"
    before = parser.read_text()
    parser.write_text(before.replace("amount", "quantity"))
    assert answers_of(ledgerly.folder) != ledgerly.answers
    parser.write_text(before)
    assert answers_of(ledgerly.folder) == ledgerly.answers


def test_nothing_leaks_out_of_the_folder_of_the_memory(
    ledgerly: Ledgerly, run_git: RunGit, sealed_environment: Path
) -> None:
    shutil.rmtree(ledgerly.memory)
    state = sealed_environment / ".local" / "state"
    before = everything(ledgerly.folder) | everything(sealed_environment)
    for verb in (["index"], ["recall"], ["recall", "posting amount"], ["search", "posting"], ["status"], ["log"]):
        assert repomem(ledgerly.folder, *verb).returncode == 0
    after = everything(ledgerly.folder) | everything(sealed_environment)
    changed = {path for path in after.keys() | before.keys() if after.get(path) != before.get(path)}
    assert changed
    assert not [p for p in changed if not p.is_relative_to(ledgerly.memory) and not p.is_relative_to(state)]
    assert run_git(ledgerly.folder, "status", "--porcelain", "--ignored") == ""


def everything(folder: Path) -> dict[Path, tuple[int, int] | None]:
    """Every path below a folder; of files size and time too, since reading changes neither."""
    return {
        path: (path.lstat().st_size, path.lstat().st_mtime_ns) if path.is_file() else None for path in folder.rglob("*")
    }


@pytest.mark.skipif(sys.platform == "win32", reason="there are no modes")
def test_written_files_are_private_to_the_user(ledgerly: Ledgerly) -> None:
    shutil.rmtree(ledgerly.memory)
    written(ledgerly.folder, {"new.py": "new = 1\n"})
    for verb in ("index", "recall"):
        assert repomem_fresh(ledgerly.folder, verb, umask=0o000).returncode == 0
    for path in [ledgerly.memory, *ledgerly.memory.rglob("*")]:
        assert oct(path.stat().st_mode & 0o777) == oct(0o700 if path.is_dir() else 0o600)
