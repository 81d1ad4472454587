"""Opening repositories: of every shape, and where git refuses."""

import os
from pathlib import Path

import pytest
from support.git_questions import everything_read
from support.repositories import Commit, MakeRepository, RunGit

from repomem.adapters.git import log as history, objects, worktree
from repomem.adapters.git.repository import Repository
from repomem.core.errors import GitError, GitTimeout


class TestOpening:
    def test_a_folder_inside_knows_its_place(self, make_repository: MakeRepository) -> None:
        top = make_repository(Commit({"a/b/c.py": "x = 1\n"}))
        repository = Repository.open(top / "a" / "b")
        assert (repository.top, repository.prefix, repository.is_bare) == (top, "a/b", False)
        assert repository.git_dir == repository.common_dir == top / ".git"
        assert repository.object_format == "sha1"
        assert not repository.is_shallow

    def test_a_file_opens_the_repository_of_its_folder(self, make_repository: MakeRepository) -> None:
        top = make_repository(Commit({"a/b.py": "x = 1\n"}))
        assert Repository.open(top / "a" / "b.py").prefix == "a"

    def test_a_folder_behind_a_link_is_resolved(self, make_repository: MakeRepository, tmp_path: Path) -> None:
        top = make_repository(Commit({"a/b.py": "x = 1\n"}))
        (tmp_path / "link").symlink_to(top)
        assert Repository.open(tmp_path / "link" / "a").top == top

    def test_names_with_spaces_and_bytes_are_kept(self, make_repository: MakeRepository) -> None:
        top = make_repository(Commit({os.fsdecode(b"d \xff\xe2\x80\xa8/x"): "1"}), name="a \u2028\x85 name")
        repository = Repository.open(top / os.fsdecode(b"d \xff\xe2\x80\xa8"))
        assert (repository.top, os.fsencode(repository.prefix)) == (top, b"d \xff\xe2\x80\xa8")

    def test_a_path_with_a_line_break_is_refused_with_a_reason(self, make_repository: MakeRepository) -> None:
        top = make_repository(Commit({"x": "1"}), name="a\nb")
        with pytest.raises(GitError, match="contains a newline"):
            Repository.open(top)

    def test_linked_work_trees_share_the_common_dir(
        self, make_repository: MakeRepository, run_git: RunGit, tmp_path: Path
    ) -> None:
        top = make_repository(Commit({"x.py": "1\n"}))
        linked = tmp_path / "linked"
        run_git(top, "worktree", "add", "-q", "-b", "other", linked)
        repository = Repository.open(linked)
        assert repository.top == linked
        assert repository.common_dir == top / ".git"
        assert repository.git_dir == top / ".git" / "worktrees" / "linked"
        assert worktree.status(repository).branch == "other"
        everything_read(repository)

    def test_a_work_tree_of_a_bare_repository_opens(
        self, make_repository: MakeRepository, run_git: RunGit, tmp_path: Path
    ) -> None:
        bare = make_repository(Commit({"x.py": "1\n"}), name="x.git", bare=True)
        run_git(bare, "worktree", "add", "-q", tmp_path / "linked")
        repository = Repository.open(tmp_path / "linked")
        assert (repository.top, repository.common_dir) == (tmp_path / "linked", bare)

    def test_the_git_folder_opens_its_work_tree(self, make_repository: MakeRepository) -> None:
        top = make_repository(Commit({"x.py": "1\n"}))
        assert Repository.open(top / ".git" / "refs").top == top

    def test_fault_27_a_bare_repository_has_history_and_the_files_of_its_head(
        self, make_repository: MakeRepository
    ) -> None:
        repository = Repository.open(make_repository(Commit({"x.py": "1\n"}), name="x.git", bare=True) / "refs")
        assert (repository.top, repository.is_bare, repository.prefix) == (None, True, "")
        standing = worktree.status(repository)
        assert (standing.branch, standing.changed, standing.untracked) == ("main", (), ())
        assert standing.head == history.resolve(repository, "main")
        assert [file.path for file in worktree.tracked(repository)] == ["x.py"]
        everything_read(repository)

    def test_fault_27_an_empty_bare_repository_is_no_error(self, make_repository: MakeRepository) -> None:
        repository = Repository.open(make_repository(name="x.git", bare=True))
        assert worktree.status(repository).head is None
        assert worktree.tracked(repository) == []

    def test_sha256_repositories_open(self, make_repository: MakeRepository) -> None:
        repository = Repository.open(
            make_repository(Commit({"x.py": "1\n"}, "one"), Commit({"y.py": "2\n"}), object_format="sha256")
        )
        assert repository.object_format == "sha256"
        (first, _) = worktree.tracked(repository)
        assert objects.blob_id(b"1\n", "sha256") == first.blob
        assert len(history.revisions(repository, 0, "HEAD")[0]) == 64
        everything_read(repository)


class TestRefusals:
    def test_fault_27_the_error_outside_a_repository_has_a_hint(self, tmp_path: Path) -> None:
        with pytest.raises(GitError) as caught:
            Repository.open(tmp_path)
        assert caught.value.message == f"not inside a git repository: {tmp_path.resolve()}"
        assert "git init" in caught.value.hint

    def test_fault_27_a_folder_that_vanished_is_named(self, tmp_path: Path) -> None:
        with pytest.raises(GitError, match=r"cannot enter .*gone") as caught:
            Repository.open(tmp_path / "gone")
        assert caught.value.hint == "check the path"

    def test_fault_27_a_git_file_that_points_nowhere_is_an_error(self, tmp_path: Path) -> None:
        (tmp_path / ".git").write_text("gitdir: /nowhere/at/all\n")
        with pytest.raises(GitError, match="not a git repository"):
            Repository.open(tmp_path)

    def test_without_git_the_hint_says_to_install_it(
        self, make_repository: MakeRepository, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
    ) -> None:
        top = make_repository(Commit({"x.py": "1\n"}))
        monkeypatch.setenv("PATH", str(tmp_path))
        with pytest.raises(GitError) as caught:
            Repository.open(top)
        assert "install git" in caught.value.hint

    def test_fault_33_another_owner_is_refused_with_gits_own_advice(
        self, make_repository: MakeRepository, monkeypatch: pytest.MonkeyPatch, sealed_environment: Path
    ) -> None:
        top = make_repository(Commit({"x.py": "1\n"}))
        monkeypatch.setenv("GIT_TEST_ASSUME_DIFFERENT_OWNER", "1")
        before = (sealed_environment / "gitconfig").read_bytes()
        with pytest.raises(GitError) as caught:
            Repository.open(top)
        assert "dubious ownership" in caught.value.message
        assert f"git config --global --add safe.directory {top}" in caught.value.hint
        assert (sealed_environment / "gitconfig").read_bytes() == before

    def test_a_damaged_repository_is_an_error_with_gits_reason(self, make_repository: MakeRepository) -> None:
        top = make_repository(Commit({"x.py": "1\n"}))
        repository = Repository.open(top)
        (top / ".git" / "index").write_bytes(b"not an index")
        with pytest.raises(GitError, match=r"git refuses: .*index"):
            worktree.status(repository)


@pytest.mark.parametrize("name", [".mailmap", ".gitattributes", ".gitignore", ".gitmodules", ".git/info/exclude"])
def test_fault_23_a_pipe_that_git_would_wait_on_is_refused(make_repository: MakeRepository, name: str) -> None:
    folder = make_repository(Commit({"a.py": "x = 1"}))
    path = folder / name
    path.unlink(missing_ok=True)
    os.mkfifo(path)

    with pytest.raises(GitError) as caught:
        Repository.open(folder)
    assert str(path.resolve()) in caught.value.message
    assert caught.value.hint == "remove it"
    path.unlink()
    assert Repository.open(folder).top == folder


@pytest.mark.parametrize("name", ["core.excludesFile", "core.attributesFile", "mailmap.file"])
def test_fault_23_a_pipe_or_device_that_the_configuration_names_is_refused(
    make_repository: MakeRepository, run_git: RunGit, name: str
) -> None:
    folder = make_repository(Commit({"a.py": "x = 1"}))
    os.mkfifo(folder / ".git" / "pipe")
    for path in (str(folder / ".git" / "pipe"), "/dev/zero", ".git/pipe"):
        run_git(folder, "config", name, path)
        with pytest.raises(GitError, match="git would hang on it"):
            Repository.open(folder)
    for path in (os.devnull, "/no/such/file", "a.py"):
        run_git(folder, "config", name, path)
        assert Repository.open(folder).top == folder


def test_fault_23_a_link_to_a_pipe_in_the_git_directory_is_refused(make_repository: MakeRepository) -> None:
    folder = make_repository(Commit({"a.py": "x = 1"}))
    os.mkfifo(folder / ".git" / "pipe")
    exclude = folder / ".git" / "info" / "exclude"
    exclude.unlink(missing_ok=True)
    exclude.symlink_to("../pipe")
    with pytest.raises(GitError, match="git would hang on it"):
        Repository.open(folder)


def test_fault_23_each_of_several_files_that_the_configuration_names_is_looked_at(
    make_repository: MakeRepository, run_git: RunGit
) -> None:
    folder = make_repository(Commit({"a.py": "x = 1"}))
    run_git(folder, "config", "--add", "blame.ignoreRevsFile", "/dev/zero")
    run_git(folder, "config", "--add", "blame.ignoreRevsFile", "a.py")
    with pytest.raises(GitError, match="git would hang on it"):
        Repository.open(folder)


@pytest.mark.parametrize("value", ["../..", "/", "../../beside"])
def test_fault_33_a_configuration_that_moves_the_work_tree_elsewhere_is_refused(
    make_repository: MakeRepository, run_git: RunGit, value: str
) -> None:
    folder = make_repository(Commit({"a.py": "x = 1"}))
    (folder.parent / "beside").mkdir()
    (folder.parent / "private.py").write_text("SECRET = 1")
    run_git(folder, "config", "core.worktree", value)
    with pytest.raises(GitError, match=r"core\.worktree in .* names another folder"):
        Repository.open(folder)
    run_git(folder, "config", "core.worktree", str(folder))
    assert Repository.open(folder).top == folder


def test_fault_33_a_folder_that_names_the_git_directory_of_another_clone_is_refused(
    make_repository: MakeRepository,
) -> None:
    clone = make_repository(Commit({"a.py": "x = 1"}))
    beside = clone.parent / "beside"
    beside.mkdir()
    for named in (str(clone / ".git"), f"../{clone.name}/.git"):  # its memories and index are the clone's
        (beside / ".git").write_text(f"gitdir: {named}\n")
        with pytest.raises(GitError, match="the git directory of another folder"):
            Repository.open(beside)


def test_a_work_tree_a_submodule_and_a_separate_git_directory_are_opened(
    make_repository: MakeRepository, run_git: RunGit
) -> None:
    clone = make_repository(Commit({"a.py": "x = 1"}))
    run_git(clone, "worktree", "add", "-q", "../linked")
    run_git(clone, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(clone), "inner")
    run_git(clone.parent, "init", "-q", "--separate-git-dir", str(clone.parent / "elsewhere"), "separate")
    for top in (clone.parent / "linked", clone / "inner", clone.parent / "separate"):
        assert Repository.open(top).top == top


def test_a_git_directory_that_is_a_link_is_followed(make_repository: MakeRepository) -> None:
    folder = make_repository(Commit({"a.py": "x = 1"}))
    (folder.parent / "beside").mkdir()
    (folder / ".git").rename(folder.parent / "beside" / ".git")
    (folder / ".git").symlink_to("../beside/.git")
    assert Repository.open(folder).top == folder


@pytest.mark.parametrize("name", [".gitignore", ".gitattributes"])
def test_fault_23_a_pipe_in_any_folder_is_named_when_git_waits_for_it(
    make_repository: MakeRepository, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setattr(worktree, "LONG_STATUS", 1.0)
    monkeypatch.setattr(worktree, "LONGEST_STATUS", 2.0)
    folder = make_repository(Commit({"sub/a.py": "x = 1"}))
    (folder / "sub" / "a.py").write_text("x = 2")
    os.mkfifo(folder / "sub" / name)
    with pytest.raises(GitError) as caught:
        worktree.status(Repository.open(folder))
    assert str(folder / "sub" / name) in caught.value.message


def test_fault_23_a_pattern_that_git_takes_for_ever_to_match_ends_in_an_error(
    make_repository: MakeRepository, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(worktree, "LONG_STATUS", 0.5)
    monkeypatch.setattr(worktree, "LONGEST_STATUS", 1.0)
    folder = make_repository(Commit({"a.py": "x = 1"}))
    (folder / ".gitignore").write_text("*a" * 30 + "b\n")
    (folder / ("a" * 200 + ".py")).write_text("")
    with pytest.raises(GitTimeout, match="did not answer"):
        worktree.status(Repository.open(folder))


def test_names_are_read_as_committed_whatever_a_mailmap_says(make_repository: MakeRepository) -> None:
    folder = make_repository(Commit({"a.py": "x = 1"}))
    opened = Repository.open(folder)
    name = opened.read("log", "-1", "--format=%an").decode().strip()
    (folder / ".mailmap").write_text(f"Somebody Else <{opened.read('log', '-1', '--format=%ae').decode().strip()}>\n")

    headings = opened.read("log", "-1", "--format=medium").decode()
    assert f"Author: {name} <" in headings
