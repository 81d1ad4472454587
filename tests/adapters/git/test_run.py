"""Git runs that nothing in a repository or an environment can bend."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from support.git_questions import everything_read
from support.repositories import Commit, MakeRepository, RunGit

from repomem.adapters.git import attributes, objects, worktree
from repomem.adapters.git.repository import Repository
from repomem.adapters.git.run import scrub_environment
from repomem.core.errors import GitError


class TestEnvironment:
    def test_fault_27_git_dir_in_the_environment_does_not_lead_elsewhere(
        self, make_repository: MakeRepository, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        here = make_repository(Commit({"here.py": "1\n"}), name="here")
        there = make_repository(Commit({"there.py": "1\n"}), name="there")
        monkeypatch.setenv("GIT_DIR", str(there / ".git"))
        monkeypatch.setenv("GIT_WORK_TREE", str(there))
        monkeypatch.setenv("GIT_INDEX_FILE", str(there / ".git" / "index"))
        repository = Repository.open(here)
        assert repository.top == here
        assert [file.path for file in worktree.tracked(repository)] == ["here.py"]

    def test_scrubbing_keeps_configuration_paths_and_the_author(self, monkeypatch: pytest.MonkeyPatch) -> None:
        for name in ("GIT_DIR", "GIT_EXTERNAL_DIFF", "GIT_CONFIG_PARAMETERS", "GIT_TRACE"):
            monkeypatch.setenv(name, "x")
        kept = {name: os.environ[name] for name in ("GIT_CONFIG_GLOBAL", "GIT_AUTHOR_NAME", "HOME")}
        scrub_environment()
        left = {name for name in os.environ if name.startswith("GIT_")}
        assert left.isdisjoint({"GIT_DIR", "GIT_EXTERNAL_DIFF", "GIT_CONFIG_PARAMETERS", "GIT_TRACE"})
        assert {name: os.environ[name] for name in kept} == kept
        assert os.environ["GIT_PYTHON_REFRESH"] == "quiet"

    def test_configuration_in_the_environment_is_kept_with_ours(
        self, make_repository: MakeRepository, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("GIT_CONFIG_COUNT", "1")
        monkeypatch.setenv("GIT_CONFIG_KEY_0", "core.autocrlf")
        monkeypatch.setenv("GIT_CONFIG_VALUE_0", "input")
        top = make_repository(Commit({"x.py": "1\n"}))
        with (top / ".git" / "config").open("a") as config:
            config.write('[filter]\n\tx = y\n[filter "z"]\n\tclean = false\n\trequired\n')
        repository = Repository.open(top)
        assert repository.settings["core.autocrlf"] == "input"
        assert repository.settings["filter.z.required"] == "true"
        assert attributes.line_ends(repository, {"new": None}).if_text == {"new"}


def plant(top: Path, git_dir: Path, marker: Path) -> None:
    """Configuration, attributes and hooks each of which would touch the marker when git runs it."""
    script = marker.with_name("evil.sh")
    script.write_text(f"#!/bin/sh\necho $0 >> '{marker}'\ncat\n")
    script.chmod(0o755)
    hooks = git_dir / "evil-hooks"
    hooks.mkdir()
    for hook in ("post-index-change", "reference-transaction", "post-checkout", "fsmonitor-watchman"):
        shutil.copy(script, hooks / hook)
    with (git_dir / "config").open("a") as config:
        config.write(
            f"[core]\n\tfsmonitor = {script}\n\thooksPath = {hooks}\n\tpager = {script}\n\tsshCommand = {script}\n"
            f"\taskPass = {script}\n\talternateRefsCommand = {script}\n"
            f"[diff]\n\texternal = {script}\n[pager]\n\tlog = {script}\n\tstatus = {script}\n"
            f'[diff "evil"]\n\ttextconv = {script}\n\tcommand = {script}\n'
            f'[diff "python"]\n\ttextconv = {script}\n\tcommand = {script}\n'
            f'[filter "evil"]\n\tclean = {script}\n\tsmudge = {script}\n\trequired = true\n'
            f'[filter "evil=er"]\n\tclean = {script}\n\tsmudge = {script}\n\trequired = true\n'
            f'[filter "server"]\n\tprocess = {script}\n\trequired = true\n'
            f"[gpg]\n\tprogram = {script}\n[log]\n\tshowSignature = true\n[color]\n\tui = always\n"
            f"[credential]\n\thelper = {script}\n"
        )
    (top / ".gitattributes").write_text(
        "*.txt filter=evil diff=evil\n*.dat filter=evil=er diff=evil\n*.bin filter=server\n"
    )


FILES = {"a.txt": "one\n", "b.dat": "two\n", "c.bin": "three\n", "d.py": "def f():\n    pass\n"}


class TestHostileRepositories:
    def test_fault_33_nothing_that_a_repository_names_is_run(
        self, make_repository: MakeRepository, run_git: RunGit, tmp_path: Path
    ) -> None:
        top = make_repository(Commit(FILES), Commit({"a.txt": "four\n", "d.py": "def f():\n    g()\n"}))
        marker = tmp_path / "run"
        plant(top, top / ".git", marker)
        for name in FILES:
            os.utime(top / name, (1, 1))  # git must look into the file: that is when it filters
        (top / "a.txt").write_text("five\n")
        repository = Repository.open(top)
        everything_read(repository)
        assert worktree.status(repository).changed == ("a.txt",)
        assert not marker.exists()
        subprocess.run(["git", "status"], cwd=top, capture_output=True, check=False)
        assert marker.exists(), "the trap itself does not work"

    def test_fault_33_each_filter_driver_alone_is_disarmed(
        self, make_repository: MakeRepository, run_git: RunGit, tmp_path: Path
    ) -> None:
        top = make_repository(Commit(FILES))
        marker = tmp_path / "run"
        plant(top, top / ".git", marker)
        for name in ("a.txt", "b.dat", "c.bin"):
            os.utime(top / name, (1, 1))
            worktree.status(Repository.open(top))
            assert not marker.exists()
            subprocess.run(["git", "hash-object", name], cwd=top, capture_output=True, check=False)
            assert marker.exists(), "the trap itself does not work"
            marker.unlink()

    def test_fault_33_an_embedded_bare_repository_is_data_of_the_one_around_it(
        self, make_repository: MakeRepository, tmp_path: Path, run_git: RunGit
    ) -> None:
        top = make_repository(Commit({"a.py": "1\n"}))
        run_git(top, "init", "-q", "--bare", "trap")
        marker = tmp_path / "run"
        trap = top / "trap"
        plant(trap, trap, marker)
        with (trap / "config").open("a") as config:
            config.write("[core]\n\tbare = false\n\tworktree = ..\n")
        repository = Repository.open(trap / "refs")
        assert (repository.top, repository.git_dir) == (top, top / ".git")
        everything_read(repository)
        assert not marker.exists()
        subprocess.run(["git", "status"], cwd=trap, capture_output=True, check=False)
        assert marker.exists(), "the trap itself does not work"

    def test_fault_33_where_an_embedded_bare_repository_is_entered_the_outer_one_opens(
        self, make_repository: MakeRepository, run_git: RunGit
    ) -> None:
        top = make_repository(Commit({"a.py": "1\n"}))
        run_git(top, "init", "-q", "--bare", "deep/trap")
        repository = Repository.open(top / "deep" / "trap" / "objects")
        assert (repository.top, repository.prefix) == (top, "deep")


class TestStreams:
    def test_large_input_and_large_output_do_not_deadlock(self, make_repository: MakeRepository) -> None:
        repository = Repository.open(make_repository(Commit({"a": "x" * 2000})))
        (file,) = worktree.tracked(repository)
        sizes = [len(data) for _, data in objects.blobs_of(repository, [file.blob] * 5_000)]
        assert sizes == [2000] * 5_000

    def test_a_stream_left_early_ends_its_command(self, make_repository: MakeRepository) -> None:
        repository = Repository.open(make_repository(Commit({"a": "x" * 2000})))
        (file,) = worktree.tracked(repository)
        stream = objects.blobs_of(repository, [file.blob] * 5_000)
        assert next(stream) == (file.blob, b"x" * 2000)
        stream.close()  # type: ignore[attr-defined]
        assert worktree.status(repository).head

    def test_many_complaints_do_not_block_the_answer(self, make_repository: MakeRepository) -> None:
        repository = Repository.open(make_repository(Commit({"a": "x"})))
        feed = b"deadbeef\n" * 50_000
        with pytest.raises(GitError), repository.stream("update-index", "--index-info", feed=feed) as output:
            output.read()


def test_only_the_part_of_gitpython_that_starts_git_is_imported() -> None:
    code = """if True:
        import sys
        from repomem.adapters.git.run import git_version, gitpython
        assert git_version()
        assert {"git", "git.repo", "git.index"}.isdisjoint(sys.modules)
        import git  # as a program does that imports repomem and uses GitPython itself
        assert git.Git is gitpython().Git
        assert git.Repo
    """
    subprocess.run([sys.executable, "-c", code], check=True)
