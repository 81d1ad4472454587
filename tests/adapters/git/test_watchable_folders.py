"""The folders of a worktree in which a change may matter."""

from pathlib import Path

from support.repositories import Commit, MakeRepository, RunGit

from repomem.adapters.git.repository import Repository
from repomem.adapters.git.worktree import git_folders, tree_folders


def listed(folder: Path) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in tree_folders(Repository.open(folder))}


def test_folders_that_git_ignores_are_left_out_at_every_depth(make_repository: MakeRepository) -> None:
    folder = make_repository(Commit({".gitignore": "node_modules/\n/build\n", "src/deep/a.py": "a = 1\n"}))
    for path in ("node_modules/left/pad", "src/node_modules/x", "build/out", "src/build"):
        (folder / path).mkdir(parents=True)
        (folder / path / "x.js").touch()
    assert listed(folder) == {".", "src", "src/deep", "src/build"}


def test_a_folder_with_only_ignored_files_is_watched(make_repository: MakeRepository) -> None:
    folder = make_repository(Commit({".gitignore": "*.o\n"}))
    (folder / "objects" / "inner").mkdir(parents=True)
    (folder / "objects" / "inner" / "a.o").touch()
    (folder / "empty").mkdir()
    assert listed(folder) == {".", "objects", "objects/inner", "empty"}


def test_links_and_nested_repositories_are_not_entered(
    make_repository: MakeRepository, run_git: RunGit, tmp_path: Path
) -> None:
    folder = make_repository(Commit({"src/a.py": "a = 1\n"}))
    (folder / "elsewhere").symlink_to(tmp_path, target_is_directory=True)
    run_git(folder, "init", "-q", "nested")
    run_git(folder, "worktree", "add", "-q", "--detach", str(folder / "linked"))
    (folder / "nested" / "inner").mkdir()
    assert listed(folder) == {".", "src"}


def test_a_folder_whose_name_is_not_utf8_is_listed(make_repository: MakeRepository) -> None:
    folder = make_repository(Commit({".gitignore": "x*/\n"}))
    for name in (b"caf\xe9", b"x\xff"):
        (folder / str(name, "utf-8", "surrogateescape")).mkdir()
        (folder / str(name, "utf-8", "surrogateescape") / "file").touch()
    assert listed(folder) == {".", "caf\udce9"}


def test_refs_and_both_git_directories_are_listened_to(make_repository: MakeRepository, run_git: RunGit) -> None:
    folder = make_repository(Commit({"a.py": "a = 1\n"}))
    run_git(folder, "branch", "team/topic")
    run_git(folder, "worktree", "add", "-q", "--detach", "../linked")
    git = folder / ".git"
    refs = {git / "refs" / "heads", git / "refs" / "heads" / "team"}
    assert set(git_folders(Repository.open(folder))) == {git, *refs}
    assert set(git_folders(Repository.open(folder.parent / "linked"))) == {git, git / "worktrees" / "linked", *refs}


def test_a_bare_repository_has_refs_alone(make_repository: MakeRepository) -> None:
    folder = make_repository(Commit({"a.py": "a = 1\n"}), bare=True)
    repository = Repository.open(folder)
    assert list(tree_folders(repository)) == []
    assert set(git_folders(repository)) == {folder, folder / "refs" / "heads"}
