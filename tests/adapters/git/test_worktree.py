"""Status, tracked files and bytes of a worktree."""

import os
import socket
from collections.abc import Callable
from pathlib import Path

import pytest
from support.repositories import Commit, MakeRepository, RunGit

from repomem.adapters.git import log as history
from repomem.adapters.git.objects import blob_id
from repomem.adapters.git.repository import Repository
from repomem.adapters.git.worktree import read_file, status, tracked
from repomem.core.errors import NotFound
from repomem.core.types.worktree import FileMode, TrackedFile, UnreadReason

LIMIT = 1_000_000
ODD_NAMES = [
    "a\nb.py",
    'quo"te.py',
    "back\\slash.py",
    os.fsdecode(b"\xff\xfe.py"),
    "-rf.py",
    " lead and trail ",
    "\x1b]0;title\x07.py",
    "n" * 252 + ".py",
    "CON",
    "e\u0301.py",
    "\xe9.py",
    "tab\there.py",
    ":(glob)*.py",
]


def rewrite_in_place(top: Path, run_git: RunGit) -> None:
    """Other bytes, but the same size, time and inode."""
    found = (top / "edited").stat()
    (top / "edited").write_text("6\n")
    os.utime(top / "edited", ns=(found.st_atime_ns, found.st_mtime_ns))


def stage_other_bytes(top: Path, run_git: RunGit) -> None:
    (top / "staged").write_text("6\n")
    run_git(top, "add", "staged")


CHANGES: dict[str, Callable[[Path, RunGit], object]] = {
    "a clean file edited": lambda top, git: (top / "folder/clean").write_text("6\n"),
    "an edited file edited": lambda top, git: (top / "edited").write_text("66\n"),
    "an edited file rewritten in place": rewrite_in_place,
    "other bytes staged": stage_other_bytes,
    "an edit staged": lambda top, git: git(top, "add", "edited"),
    "a new file": lambda top, git: (top / "new").write_text("6\n"),
    "a deleted file": lambda top, git: (top / "edited").unlink(),
    "a commit": lambda top, git: git(top, "commit", "-qm", "more"),
    "a branch": lambda top, git: git(top, "checkout", "-q", "-b", "other"),
    "a sparse checkout": lambda top, git: git(top, "sparse-checkout", "set", "--no-cone", "/staged", "/edited"),
}


class TestStatus:
    def test_each_kind_of_change_is_distinguished(self, make_repository: MakeRepository, run_git: RunGit) -> None:
        top = make_repository(Commit(dict.fromkeys(("changed", "clean", "gone", "mode", "staged", "unstaged"), "1\n")))
        (top / ".gitignore").write_text("ignored\n")
        for name in ("changed", "staged", "new", "ignored", "added", "intended"):
            (top / name).write_text("2\n")
        (top / "mode").chmod(0o755)
        (top / "gone").unlink()
        run_git(top, "rm", "-q", "unstaged")
        run_git(top, "add", "staged", "added")
        run_git(top, "add", "-N", "intended")
        standing = status(Repository.open(top))
        assert standing.branch == "main"
        assert standing.head == run_git(top, "rev-parse", "HEAD")
        assert standing.changed == ("changed", "intended", "mode")
        assert standing.deleted == ("gone",)
        assert standing.untracked == (".gitignore", "new")

    def test_fault_27_an_unborn_branch_has_no_head(self, make_repository: MakeRepository) -> None:
        top = make_repository()
        (top / "x").write_text("1\n")
        standing = status(Repository.open(top))
        assert (standing.head, standing.branch, standing.untracked) == (None, "main", ("x",))
        assert tracked(Repository.open(top)) == []

    def test_fault_27_a_detached_head_has_no_branch(self, make_repository: MakeRepository, run_git: RunGit) -> None:
        top = make_repository(Commit({"x": "1\n"}))
        run_git(top, "checkout", "-q", "--detach")
        standing = status(Repository.open(top))
        assert (standing.head, standing.branch) == (run_git(top, "rev-parse", "HEAD"), None)

    def test_fault_21_any_name_that_a_file_can_have_comes_back_as_it_is(self, make_repository: MakeRepository) -> None:
        top = make_repository(Commit(dict.fromkeys(ODD_NAMES, "1\n")))
        repository = Repository.open(top)
        assert sorted(file.path for file in tracked(repository)) == sorted(ODD_NAMES)
        assert sorted(file.path for file in tracked(repository, "HEAD")) == sorted(ODD_NAMES)
        assert [read_file(repository, name, LIMIT) for name in ODD_NAMES] == [b"1\n"] * len(ODD_NAMES)
        for name in ODD_NAMES:
            (top / name).write_text("2\n")
            (top / f"{name[:200]}.new").write_text("3\n")
        standing = status(repository)
        assert standing.changed == tuple(sorted(ODD_NAMES))
        assert standing.untracked == tuple(sorted(f"{name[:200]}.new" for name in ODD_NAMES))

    def test_unmerged_paths_are_changed_and_tracked_once(
        self, make_repository: MakeRepository, run_git: RunGit
    ) -> None:
        top = make_repository(Commit({"x": "base\n"}), Commit({"x": "theirs\n"}))
        run_git(top, "checkout", "-q", "-b", "ours", "HEAD~1")
        (top / "x").write_text("ours\n")
        run_git(top, "commit", "-qam", "ours")
        with pytest.raises(AssertionError):
            run_git(top, "merge", "-q", "main")
        repository = Repository.open(top)
        assert status(repository).changed == ("x",)
        assert tracked(repository) == [TrackedFile("x", blob_id(b"ours\n", "sha1"), FileMode.REGULAR)]

    def test_fault_27_a_submodule_is_a_boundary(
        self, make_repository: MakeRepository, run_git: RunGit, tmp_path: Path
    ) -> None:
        inner = make_repository(Commit({"inner.py": "1\n"}), name="inner")
        top = make_repository(Commit({"outer.py": "1\n"}))
        run_git(top, "-c", "protocol.file.allow=always", "submodule", "add", "-q", str(inner), "sub")
        (top / "sub" / "inner.py").write_text("2\n")
        (top / "sub" / "new.py").write_text("3\n")
        run_git(top / "sub", "-c", "user.name=x", "commit", "-qam", "moved on")
        repository = Repository.open(top)
        standing = status(repository)
        assert (standing.changed, standing.untracked) == ((), ())
        modes = {file.path: file.mode for file in tracked(repository)}
        assert modes["sub"] is FileMode.GITLINK
        assert not any(path.startswith("sub/") for path in modes)
        assert Repository.open(top / "sub").top == top / "sub"

    def test_fault_27_a_repository_within_is_not_listed(self, make_repository: MakeRepository, run_git: RunGit) -> None:
        top = make_repository(Commit({"outer.py": "1\n"}))
        run_git(top, "init", "-q", "nested")
        (top / "nested" / "x.py").write_text("1\n")
        (top / "plain").mkdir()
        (top / "plain" / "y.py").write_text("1\n")
        assert status(Repository.open(top)).untracked == ("plain/y.py",)

    def test_configuration_does_not_bend_the_answer(self, make_repository: MakeRepository, run_git: RunGit) -> None:
        top = make_repository(Commit({"a/x.py": "1\n" * 30, "y.py": "2\n"}))
        for name, value in {
            "status.showUntrackedFiles": "no",
            "status.relativePaths": "true",
            "status.renames": "copies",
            "status.showStash": "true",
            "status.short": "true",
            "color.ui": "always",
            "core.quotePath": "true",
        }.items():
            run_git(top, "config", name, value)
        run_git(top, "mv", "a/x.py", "a/z.py")
        (top / "a" / "é.py").write_text("3\n")
        (top / "y.py").write_text("4\n")
        run_git(top, "stash", "-q", "--", "y.py")
        standing = status(Repository.open(top / "a"))
        assert (standing.changed, standing.deleted, standing.untracked) == ((), (), ("a/é.py",))


class TestFingerprint:
    def test_nothing_changed_gives_the_same_one(self, make_repository: MakeRepository, run_git: RunGit) -> None:
        top = make_repository(Commit({"x": "1\n"}))
        (top / "x").write_text("2\n")
        (top / "new").write_text("2\n")
        first = status(Repository.open(top)).fingerprint
        os.utime(top / ".git" / "index", (5, 5))
        assert status(Repository.open(top)).fingerprint == first

    def test_a_fetch_does_not_count_as_a_change(
        self, make_repository: MakeRepository, run_git: RunGit, tmp_path: Path
    ) -> None:
        origin = make_repository(Commit({"x": "1\n"}), name="origin")
        run_git(tmp_path, "clone", "-q", str(origin), "clone")
        before = status(Repository.open(tmp_path / "clone")).fingerprint
        run_git(origin, "commit", "-q", "--allow-empty", "-m", "more")
        run_git(tmp_path / "clone", "fetch", "-q")
        assert status(Repository.open(tmp_path / "clone")).fingerprint == before

    @pytest.mark.parametrize("change", CHANGES)
    def test_every_change_shows(self, change: str, make_repository: MakeRepository, run_git: RunGit) -> None:
        top = make_repository(Commit({"staged": "1\n", "edited": "2\n", "folder/clean": "3\n"}))
        (top / "staged").write_text("4\n")
        (top / "edited").write_text("5\n")
        run_git(top, "add", "staged")
        before = status(Repository.open(top)).fingerprint
        CHANGES[change](top, run_git)
        assert status(Repository.open(top)).fingerprint != before


class TestTracked:
    def test_modes_are_named(self, make_repository: MakeRepository) -> None:
        top = make_repository(
            Commit({"run": "1", "link": "run", "plain": "2"}, modes={"run": "100755", "link": "120000"})
        )
        expected = {"run": FileMode.EXECUTABLE, "link": FileMode.SYMLINK, "plain": FileMode.REGULAR}
        for revision in (None, "main"):
            files = tracked(Repository.open(top), revision)
            assert {file.path: file.mode for file in files} == expected

    def test_fault_25_files_outside_a_sparse_checkout_are_absent(
        self, make_repository: MakeRepository, run_git: RunGit
    ) -> None:
        top = make_repository(Commit({"in/x": "1", "out/y": "2"}))
        run_git(top, "sparse-checkout", "set", "--cone", "--sparse-index", "in")
        repository = Repository.open(top)
        assert {file.path: file.is_absent for file in tracked(repository)} == {"in/x": False, "out/y": True}
        standing = status(repository)
        assert (standing.changed, standing.deleted) == ((), ())
        assert read_file(repository, "out/y", LIMIT) is UnreadReason.VANISHED

    def test_a_revision_is_listed_whole_from_any_folder(self, make_repository: MakeRepository) -> None:
        top = make_repository(Commit({"a/x": "1"}), Commit({"a/x": None, "y": "2"}))
        repository = Repository.open(top)
        assert [file.path for file in tracked(repository, "main~1")] == ["a/x"]

    @pytest.mark.parametrize("revision", ["nope", "-h", "--help", "main\nHEAD", "", "HEAD:a", "main~99", "x" * 5000])
    def test_a_revision_that_names_no_commit_is_not_found(self, revision: str, make_repository: MakeRepository) -> None:
        repository = Repository.open(make_repository(Commit({"a/x": "1"})))
        with pytest.raises(NotFound):
            tracked(repository, revision)
        with pytest.raises(NotFound):
            history.resolve(repository, revision)


class TestReading:
    def test_fault_23_a_symlink_out_of_the_tree_is_never_read(self, make_repository: MakeRepository) -> None:
        links = {"passwd": "/etc/passwd", "self": ".", "up": "../../etc/passwd", "inside": "plain"}
        top = make_repository(Commit({**links, "plain": "1", "folder/x": "2"}, modes=dict.fromkeys(links, "120000")))
        repository = Repository.open(top)
        read = {name: read_file(repository, name, LIMIT) for name in links}
        assert read == dict.fromkeys(links, UnreadReason.SYMLINK)
        assert read_file(repository, "self/plain", LIMIT) is UnreadReason.SYMLINK

    def test_fault_23_a_folder_that_became_a_link_is_not_entered(
        self, make_repository: MakeRepository, tmp_path: Path
    ) -> None:
        top = make_repository(Commit({"a/b/x": "1"}))
        outside = tmp_path / "outside" / "b"
        outside.mkdir(parents=True)
        (outside / "x").write_text("secret")
        (top / "a").rename(top / "moved")
        (top / "a").symlink_to(outside.parent)
        assert read_file(Repository.open(top), "a/b/x", LIMIT) is UnreadReason.SYMLINK

    def test_fault_23_fifos_sockets_folders_and_devices_are_not_waited_for(
        self, make_repository: MakeRepository, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        top = make_repository(Commit({"x": "1"}))
        os.mkfifo(top / "fifo")
        (top / "folder").mkdir()
        monkeypatch.chdir(top)  # the address of a socket is short
        with socket.socket(socket.AF_UNIX) as server:
            server.bind("socket")
            repository = Repository.open(top)
            answers = [read_file(repository, name, LIMIT) for name in ("fifo", "folder", "socket")]
        assert answers == [UnreadReason.NOT_REGULAR] * 3
        devices = Repository(Path("/dev"), top / ".git", top / ".git", "sha1", is_shallow=False)
        assert read_file(devices, "zero", LIMIT) is UnreadReason.NOT_REGULAR

    def test_the_limit_counts_bytes(self, make_repository: MakeRepository) -> None:
        repository = Repository.open(make_repository(Commit({"x": "12345"})))
        assert read_file(repository, "x", 5) == b"12345"
        assert read_file(repository, "x", 4) is UnreadReason.TOO_LARGE

    def test_fault_25_a_huge_file_costs_nothing(self, make_repository: MakeRepository) -> None:
        top = make_repository(Commit({"x": "1"}))
        with (top / "huge").open("wb") as file:
            file.truncate(1 << 40)
        assert read_file(Repository.open(top), "huge", LIMIT) is UnreadReason.TOO_LARGE

    def test_a_file_that_went_has_vanished(self, make_repository: MakeRepository) -> None:
        top = make_repository(Commit({"a/x": "1"}))
        repository = Repository.open(top)
        assert read_file(repository, "b/x", LIMIT) is UnreadReason.VANISHED
        assert read_file(repository, "a/x/y", LIMIT) is UnreadReason.VANISHED

    @pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
    def test_a_file_without_permission_is_unreadable(self, make_repository: MakeRepository) -> None:
        top = make_repository(Commit({"x": "1"}))
        (top / "x").chmod(0)
        assert read_file(Repository.open(top), "x", LIMIT) is UnreadReason.UNREADABLE

    @pytest.mark.parametrize("path", ["../outside", "/etc/passwd", "a/../../outside", "", "a//x", "./a", "a/."])
    def test_a_path_that_git_never_gives_is_not_read(
        self, path: str, make_repository: MakeRepository, tmp_path: Path
    ) -> None:
        top = make_repository(Commit({"a/x": "1"}))
        (tmp_path / "outside").write_text("secret")
        assert read_file(Repository.open(top), path, LIMIT) is UnreadReason.UNREADABLE

    def test_a_bare_repository_has_no_files_on_disk(self, make_repository: MakeRepository) -> None:
        repository = Repository.open(make_repository(Commit({"x": "1"}), name="x.git", bare=True))
        assert read_file(repository, "HEAD", LIMIT) is UnreadReason.UNREADABLE
