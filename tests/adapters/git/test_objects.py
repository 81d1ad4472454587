"""Blobs: sizes, bytes and ids; clones that lack some of them."""

from pathlib import Path

import pytest
from support.repositories import Commit, MakeRepository, RunGit

from repomem.adapters.git import hunks, log as history, objects, worktree
from repomem.adapters.git.repository import Repository

MISSING = "0123456789" * 4


def test_sizes_and_bytes_are_those_of_the_files(make_repository: MakeRepository) -> None:
    contents = {"a": b"", "b": b"\0\1\n\n", "c": b"no line break", "d": b"x" * 300_000 + b"\n"}
    repository = Repository.open(make_repository(Commit(contents)))
    blobs = {file.path: file.blob for file in worktree.tracked(repository)}
    assert objects.blob_sizes(repository, blobs.values()) == {blobs[p]: len(data) for p, data in contents.items()}
    assert list(objects.blobs_of(repository, blobs.values())) == [(blobs[p], contents[p]) for p in blobs]


def test_missing_objects_and_other_types_have_no_size_and_bytes(make_repository: MakeRepository) -> None:
    repository = Repository.open(make_repository(Commit({"a": b"1"})))
    (file,) = worktree.tracked(repository)
    head = history.resolve(repository, "HEAD")
    assert objects.blob_sizes(repository, [MISSING, head, file.blob]) == {MISSING: None, head: None, file.blob: 1}
    assert list(objects.blobs_of(repository, [MISSING, head, file.blob])) == [(file.blob, b"1")]


def test_an_empty_query_returns_nothing(make_repository: MakeRepository) -> None:
    repository = Repository.open(make_repository(Commit({"a": b"1"})))
    assert objects.blob_sizes(repository, []) == {}
    assert list(objects.blobs_of(repository, [])) == []


@pytest.mark.parametrize("object_format", ["sha1", "sha256"])
def test_blob_ids_equal_those_of_git(object_format: str, make_repository: MakeRepository, run_git: RunGit) -> None:
    data = b"caf\xe9\r\n\0"
    top = make_repository(object_format=object_format)
    assert objects.blob_id(data, object_format) == run_git(top, "hash-object", "--stdin", stdin=data)


@pytest.fixture
def partial(make_repository: MakeRepository, run_git: RunGit, tmp_path: Path) -> Path:
    """A clone without the blobs of its history, whose remote is gone."""
    lines = "".join(f"{number}\n" for number in range(200))
    origin = make_repository(
        Commit({"old.py": lines}), Commit({"old.py": None, "new.py": lines + "more\n"}), name="origin"
    )
    run_git(origin, "config", "uploadpack.allowFilter", "true")
    run_git(tmp_path, "clone", "-q", "--filter=blob:none", f"file://{origin}", "partial")
    origin.rename(tmp_path / "gone")
    return tmp_path / "partial"


class TestPartialClones:
    @pytest.mark.parametrize("extension", [False, True])
    def test_fault_25_blobs_that_were_left_behind_are_missing_and_not_fetched(
        self, extension: bool, partial: Path, run_git: RunGit
    ) -> None:
        if extension:  # how older versions of git mark such a clone
            run_git(partial, "config", "core.repositoryFormatVersion", "1")
            run_git(partial, "config", "extensions.partialClone", "origin")
        repository = Repository.open(partial)
        (old,) = worktree.tracked(repository, "HEAD~1")
        (new,) = worktree.tracked(repository)
        sizes = objects.blob_sizes(repository, [old.blob, new.blob])
        assert (sizes[old.blob], sizes[new.blob]) == (None, 695)
        assert [blob for blob, _ in objects.blobs_of(repository, [old.blob, new.blob])] == [new.blob]

    def test_fault_25_history_is_read_without_the_bytes(self, partial: Path) -> None:
        repository = Repository.open(partial)
        commits = history.revisions(repository, 0, "HEAD")
        (newest, oldest) = history.log(repository, commits)
        assert [(change.status, change.path) for change in oldest.files] == [("A", "old.py")]
        assert [(change.status, change.path) for change in newest.files] == [("A", "new.py"), ("D", "old.py")]
        assert list(hunks.touched(repository, commits)) == []

    def test_fault_25_status_works_while_the_remote_is_gone(self, partial: Path) -> None:
        (partial / "new.py").write_text("changed\n")
        assert worktree.status(Repository.open(partial)).changed == ("new.py",)

    def test_fault_25_a_treeless_clone_has_commits_without_files(
        self, make_repository: MakeRepository, run_git: RunGit, tmp_path: Path
    ) -> None:
        origin = make_repository(Commit({"a/x": "1"}, "one"), Commit({"a/x": "2"}, "two"), name="origin")
        run_git(origin, "config", "uploadpack.allowFilter", "true")
        run_git(tmp_path, "clone", "-q", "--filter=tree:0", f"file://{origin}", "treeless")
        origin.rename(tmp_path / "gone")
        repository = Repository.open(tmp_path / "treeless")
        records = list(history.log(repository, history.revisions(repository, 0, "HEAD")))
        assert [(record.message, record.files) for record in records] == [("two", ()), ("one", ())]
        assert [file.path for file in worktree.tracked(repository, "HEAD")] == ["a/x"]
