"""Git hooks as git runs them: what they spool and start, and all that they must leave as it is."""

import os
import shutil
import subprocess
import time
from pathlib import Path

import pytest
from support.hook_scenes import NAME, PATIENCE, Place, listed, recording_stub, until, written
from support.memory_scenes import said
from support.repositories import Commit, MakeRepository, RunGit
from support.samples import workspace_at

from repomem.adapters.settings.git_hook_script import PENDING, SPOOL
from repomem.core.records import Event
from repomem.index.git_hook_queue import take_queue
from repomem.setup.git_hooks import HookState, install
from repomem.workspace.ledger import ledger_of

START = "index --quiet|0"  # its arguments, and how many variables of git led it astray


@pytest.fixture
def place(make_repository: MakeRepository, tmp_path: Path) -> Place:
    """A repository with the hooks in it, which start a program that writes down how it was started."""
    top = make_repository(Commit({"a.txt": "1\n"}), Commit({"b.txt": "1\n"}), name=NAME)
    place = Place(top, top / ".git" / "hooks", top / ".git" / "repomem", recording_stub(tmp_path), tmp_path / "mark")
    shutil.rmtree(place.hooks, ignore_errors=True)
    place.install()
    return place


@pytest.fixture
def short_waits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The second in which commits are collected is a fifth of one."""
    written(tmp_path / "bin" / "sleep", "#!/bin/sh\nexec /bin/sleep 0.2\n", 0o755)
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:{os.environ['PATH']}")


def branched(place: Place, commits: int = 4) -> None:
    """A branch of some commits beside a commit on main, checked out; no hook has seen any of it."""
    quiet = {"REPOMEM": "0"}
    for branch, start, number in (("main", "HEAD", 1), ("work", "main~1", commits)):
        place.run("checkout", "-q", "-B", branch, start, **quiet)
        for each in range(number):
            written(place.top / f"{branch}{each}.txt", str(each))
            place.run("add", ".")
            assert place.run("commit", "-q", "-m", f"{branch} {each}", **quiet) == (0, b"", b"")
    assert place.spooled() == []


def test_ten_quick_commits_start_at_most_two_index_runs(place: Place) -> None:
    for _ in range(10):
        assert place.commit() == (0, b"", b"")
    assert place.spooled() == ["post-commit"] * 10
    assert len(place.starts()) in (1, 2)


def test_an_index_deleted_while_commits_are_collected_is_not_rebuilt(place: Place) -> None:
    assert place.commit() == (0, b"", b"")
    until((place.memory / PENDING).exists)
    (place.memory / "catalog.sqlite").unlink()
    until(lambda: not (place.memory / PENDING).exists())
    assert place.never_starts()


@pytest.mark.usefixtures("short_waits")
class TestStarts:
    def test_a_commit_starts_a_run_at_the_top_of_its_worktree(self, place: Place) -> None:
        (place.top / "sub").mkdir()
        assert place.run("-C", "sub", "commit", "-q", "--allow-empty", "-m", "x") == (0, b"", b"")
        assert place.spooled() == ["post-commit"]
        assert place.starts() == [f"{place.top}|{START}"]

    @pytest.mark.parametrize("backend", ["--merge", "--apply"])
    def test_fault_28_a_rebase_starts_one_run_at_its_end(self, place: Place, backend: str) -> None:
        branched(place)
        assert place.run("rebase", "-q", backend, "main")[0] == 0
        events = [line for line in place.spooled() if " " not in line]
        assert events == [*(["post-checkout"] if backend == "--apply" else []), "post-rewrite"]
        assert place.starts() == [f"{place.top}|{START}"]

    @pytest.mark.parametrize("command", [("cherry-pick", "work~2..work"), ("bisect", "start", "work", "main~1")])
    def test_an_event_without_a_follow_up_is_queued_without_a_run(self, place: Place, command: tuple[str, ...]) -> None:
        branched(place)
        place.run("checkout", "-q", "--detach", "main", REPOMEM="0")
        assert place.run(*command)[0] == 0
        assert place.spooled()
        assert place.never_starts()

    def test_a_stopped_rebase_starts_nothing(self, place: Place) -> None:
        branched(place)
        place.run("rebase", "-q", "-i", "main", GIT_SEQUENCE_EDITOR="sed -i 1s/pick/edit/")
        assert place.commit() == (0, b"", b"")
        assert place.never_starts()
        place.spooled()
        assert place.run("-c", "advice.detachedHead=false", "rebase", "--continue")[0] == 0
        assert len(place.starts()) == 1

    def test_a_waiting_run_is_dropped_when_a_rebase_begins(self, place: Place) -> None:
        branched(place)
        place.commit()
        (place.top / ".git" / "rebase-merge").mkdir()
        until((place.memory / PENDING).exists)
        until(lambda: not (place.memory / PENDING).exists())
        assert place.never_starts()

    def test_a_merge_and_a_checkout_start_a_run(self, place: Place) -> None:
        branched(place)
        assert place.run("merge", "-q", "-m", "both", "main")[0] == 0
        assert place.run("checkout", "-q", "main") == (0, b"", b"")
        assert place.spooled() == ["post-merge", "post-checkout"]
        assert len(place.starts()) == 1

    @pytest.mark.parametrize("command", [("checkout", "-q", "a.txt"), ("checkout", "-q", "-b", "same")])
    def test_a_checkout_that_does_not_move_head_is_ignored(self, place: Place, command: tuple[str, ...]) -> None:
        assert place.run(*command) == (0, b"", b"")
        assert (place.spooled(), place.never_starts()) == ([], True)

    def test_a_mark_left_by_a_killed_process_expires(self, place: Place) -> None:
        long_ago = time.time() - 300
        os.utime(written(place.memory / PENDING, ""), (long_ago, long_ago))
        place.commit()
        assert len(place.starts()) == 1


class TestHooksThatDoNothing:
    @pytest.mark.parametrize(
        "environment", [{"REPOMEM": "0"}, {"CI": "true"}, {"CI": "woodpecker"}, {"REPOMEM": "shadow", "CI": "1"}]
    )
    def test_variables_turn_the_hooks_off(self, place: Place, environment: dict[str, str]) -> None:
        assert place.commit(**environment) == (0, b"", b"")
        assert (place.spooled(), place.never_starts()) == ([], True)

    def test_repomem_1_turns_the_hooks_on_in_ci(self, place: Place) -> None:
        place.commit(CI="true", REPOMEM="1")
        assert place.spooled() == ["post-commit"]

    @pytest.mark.parametrize("value", ["", "0", "false"])
    def test_ci_set_to_0_or_false_counts_as_unset(self, place: Place, value: str) -> None:
        place.commit(CI=value, REPOMEM="shadow")
        assert place.spooled() == ["post-commit"]

    def test_fault_30_a_missing_program_is_silent(self, place: Place) -> None:
        place.stub.unlink()
        assert place.commit() == (0, b"", b"")
        assert (place.spooled(), place.never_starts()) == ([], True)
        assert {(hook.state, hook.is_runnable) for hook in place.status().hooks} == {(HookState.INSTALLED, False)}

    def test_hooks_in_a_clone_without_repomem_do_nothing(self, place: Place, tmp_path: Path) -> None:
        template = tmp_path / "template" / "hooks"
        shutil.copytree(place.hooks, template)
        arguments = ("clone", "-q", f"--template={template.parent}", place.top, tmp_path / "clone")
        assert place.run(*arguments) == (0, b"", b"")
        clone = tmp_path / "clone"
        assert place.run("-C", clone, "commit", "-q", "--allow-empty", "-m", "x") == (0, b"", b"")
        assert place.never_starts()
        assert not (clone / ".git" / "repomem").exists()

    def test_a_moved_clone_uses_its_own_queue(self, place: Place, tmp_path: Path) -> None:
        moved = tmp_path / "moved"
        shutil.copytree(place.top, moved)
        subprocess.run(["git", "commit", "-q", "--allow-empty", "-m", "x"], cwd=moved, check=True)
        assert place.spooled() == []
        assert (moved / ".git" / "repomem" / SPOOL).read_text() == "post-commit\n"

    def test_fault_30_an_unwritable_queue_is_silent(self, place: Place) -> None:
        (place.memory / SPOOL).mkdir()
        assert place.commit() == (0, b"", b"")
        assert place.never_starts()


@pytest.mark.usefixtures("short_waits")
class TestEffectOnCommits:
    def test_fault_30_hooks_run_in_a_bare_environment(self, place: Place) -> None:
        author = {name: value for name, value in os.environ.items() if name.startswith(("GIT_AUTHOR", "GIT_COMMITTER"))}
        done = subprocess.run(
            ["/bin/sh", "-c", "git commit -q --allow-empty -m x <&-"],
            cwd=place.top,
            env={"PATH": "/usr/bin:/bin", **author},
            capture_output=True,
            check=True,
        )
        assert (done.stdout, done.stderr, place.spooled()) == (b"", b"", ["post-commit"])
        assert len(place.starts()) == 1

    def test_fault_30_hooks_run_with_closed_streams(self, place: Place) -> None:
        subprocess.run(["/bin/sh", "-c", "git commit -q --allow-empty -m x <&- >&- 2>&-"], cwd=place.top, check=True)
        assert place.spooled() == ["post-commit"]
        assert len(place.starts()) == 1

    @pytest.mark.parametrize("shell", ["/bin/sh", "/bin/bash"])
    def test_fault_30_a_commit_does_not_wait_for_the_run(self, place: Place, tmp_path: Path, shell: str) -> None:
        waiting = (
            "#!/bin/sh\n: >'{0}/{1} is on'\nwhile [ ! -e '{0}/{1} goes' ]; do /bin/sleep 0.1; done\n: >'{0}/over'\n"
        )
        written(tmp_path / "bin" / "sleep", waiting.format(tmp_path, "sleep"), 0o755)
        written(place.hooks / "post-commit", f"#!{shell}\n:\n", 0o755)
        place.install(str(written(tmp_path / "slow", waiting.format(tmp_path, "slow"), 0o755)))
        command = ["/bin/sh", "-c", f"flock '{tmp_path}/lock' git commit -q --allow-empty -m x 2>&1"]
        done = subprocess.run(command, cwd=place.top, capture_output=True, check=True, timeout=PATIENCE)
        assert done.stdout == b""
        for each in ("sleep", "slow"):
            until((tmp_path / f"{each} is on").exists)
            assert subprocess.run(["flock", "--nonblock", tmp_path / "lock", "true"], check=False).returncode == 0
            (tmp_path / "over").unlink(missing_ok=True)
            (tmp_path / f"{each} goes").touch()
            until((tmp_path / "over").exists)

    @pytest.mark.parametrize("shell", ["/bin/sh", "/bin/sh -eu", "/bin/bash -eu", "/usr/bin/env dash"])
    def test_an_existing_script_sees_the_same_shell_state(self, place: Place, shell: str) -> None:
        script = (
            '#!{}\necho "$? $# $- ${{event-none}} ${{folder-none}} ${{line-none}}" >>"$MARK"\nset >>"$MARK"\nexit 7\n'
        )
        written(place.hooks / "post-commit", script.format(shell), 0o755)
        before = place.commit(), _settled(place.marks())
        place.install()
        assert (place.commit(), _settled(place.marks())) == before
        assert place.spooled() == ["post-commit"]

    def test_an_existing_hook_that_fails_still_fails(self, place: Place) -> None:
        written(place.hooks / "post-checkout", "#!/bin/sh\necho no >&2\nexit 3\n", 0o755)
        branched(place)
        alone = place.run("checkout", "-q", "main")
        place.install()
        place.run("checkout", "-q", "work")
        assert place.run("checkout", "-q", "main") == alone == (1, b"", b"no\n")
        assert place.spooled() == ["post-checkout"] * 2


def _settled(marks: bytes) -> list[bytes]:
    """What a shell said of itself, without the number of its process and what differs from run to run."""
    varying = (
        b"PPID=",
        b"BASHPID=",
        b"_=",
        b"BASH_LINENO=",
        b"LINENO=",
        b"RANDOM=",
        b"SRANDOM=",
        b"SECONDS=",
        b"EPOCH",
    )
    return [line for line in marks.splitlines() if not line.startswith(varying)]


@pytest.mark.usefixtures("short_waits")
class TestWorkTrees:
    def test_hooks_run_in_a_new_worktree(self, place: Place, tmp_path: Path) -> None:
        tree = tmp_path / "a tree"
        code, out, _ = place.run("worktree", "add", "-q", "-b", "there", tree)
        assert (code, out, place.spooled()) == (0, b"", ["post-checkout"])
        assert place.starts() == [f"{tree}|{START}"]
        assert place.run("-C", tree, "commit", "-q", "--allow-empty", "-m", "x") == (0, b"", b"")
        assert place.spooled() == ["post-commit"]

    def test_a_rebase_in_one_worktree_does_not_delay_another(self, place: Place, tmp_path: Path) -> None:
        tree = tmp_path / "tree"
        place.run("worktree", "add", "-q", "-b", "there", tree, REPOMEM="0")
        (place.top / ".git" / "rebase-merge").mkdir()
        place.run("-C", tree, "commit", "-q", "--allow-empty", "-m", "x")
        assert place.starts() == [f"{tree}|{START}"]

    def test_hooks_run_for_a_commit_from_another_folder(self, place: Place, tmp_path: Path) -> None:
        arguments = (
            f"--git-dir={place.top}/.git",
            f"--work-tree={place.top}",
            "commit",
            "-q",
            "--allow-empty",
            "-m",
            "x",
        )
        subprocess.run(["git", *arguments], cwd=tmp_path, check=True)
        assert place.spooled() == ["post-commit"]
        assert place.starts() == [f"{place.top}|{START}"]


class TestRewrittenCommits:
    def test_each_rewrite_that_git_reports_is_recorded_once(self, place: Place, run_git: RunGit) -> None:
        said(place.top, "The letters stand for nothing.")
        old = run_git(place.top, "rev-parse", "HEAD")
        place.run("commit", "-q", "--amend", "-m", "in other words")
        new = run_git(place.top, "rev-parse", "HEAD")
        assert (place.memory / SPOOL).read_text() == f"post-commit\npost-rewrite\n{old} {new}\n"
        with workspace_at(place.top) as workspace:
            assert [take_queue(workspace), take_queue(workspace)] == [1, 0]
            rewrites = [each for each in ledger_of(workspace).records() if each.event is Event.REWRITE]
        assert [(each.targets, each.other) for each in rewrites] == [((old,), new)]
        assert not {SPOOL, f"{SPOOL}.taken"} & {*listed(place.memory)}

    def test_a_script_in_the_same_hook_gets_its_whole_input(self, place: Place) -> None:
        hook = place.hooks / "post-rewrite"
        hook.write_bytes(hook.read_bytes() + b'cat >>"$MARK"\n')  # by another tool, after ours were put in
        for _ in range(2):
            place.run("commit", "-q", "--amend", "-m", "in other words")
            assert len(place.marks().split()) == 2
            assert place.spooled() == ["post-commit", "post-rewrite"]
            written(hook, '#!/bin/sh\ncat >>"$MARK"\n', 0o755)
            place.install()

    def test_lines_that_an_earlier_script_read_are_recorded_too(self, place: Place) -> None:
        hook = place.hooks / "post-rewrite"
        hook.write_bytes(
            hook.read_bytes().replace(b"#!/bin/sh\n", b'#!/bin/sh\nread -r pair; echo "$pair" >>"$MARK"\n')
        )
        place.run("commit", "-q", "--amend", "-m", "in other words")
        assert len(place.marks().split()) == 2
        assert place.spooled() == ["post-commit", "post-rewrite"]


class TestQueue:
    def test_malformed_lines_in_the_queue_are_ignored(self, place: Place, run_git: RunGit) -> None:
        said(place.top, "The letters stand for nothing.")
        old, new = run_git(place.top, "rev-parse", "HEAD"), "1" * 40
        lines = [
            "post-rewrite",
            f"{old[:39]} {new}",
            f"{old} post-commit",
            "\0\xff",
            f"{old} {new} more",
            f"x{old} {new}",
        ]
        written(place.memory / SPOOL, "\n".join(lines))
        with workspace_at(place.top) as workspace:
            assert take_queue(workspace) == 1

    def test_a_queue_left_by_a_killed_run_is_read_first(self, place: Place, run_git: RunGit) -> None:
        said(place.top, "The letters stand for nothing.")
        old = run_git(place.top, "rev-parse", "HEAD")
        written(place.memory / f"{SPOOL}.taken", f"{old} {'1' * 40}\n")
        written(place.memory / SPOOL, f"{'1' * 40} {'2' * 40}\n")
        with workspace_at(place.top) as workspace:
            assert [take_queue(workspace), take_queue(workspace), take_queue(workspace)] == [1, 1, 0]

    def test_a_missing_queue_is_not_an_error(self, place: Place) -> None:
        with workspace_at(place.top) as workspace:
            assert take_queue(workspace) == 0

    @pytest.mark.parametrize(("age", "is_kept"), [(0, True), (300, False), (-300, False)])
    def test_a_mark_with_an_implausible_time_is_deleted(self, place: Place, age: int, is_kept: bool) -> None:
        then = time.time() - age
        os.utime(written(place.memory / PENDING, ""), (then, then))
        with workspace_at(place.top) as workspace:
            take_queue(workspace)
        assert (place.memory / PENDING).exists() == is_kept


def test_the_pre_push_hook_syncs_memories_if_it_was_installed(place: Place, run_git: RunGit) -> None:
    hub = place.top.with_name("hub.git")
    run_git(place.top, "init", "-q", "--bare", hub)
    run_git(place.top, "remote", "add", "origin", hub)
    assert place.run("push", "-q", "origin", "main") == (0, b"", b"")
    assert not (place.hooks / "pre-push").exists()
    with workspace_at(place.top) as workspace:
        install(workspace, (str(place.stub),), with_push=True)
    mark = written(place.top / "c.txt", "1\n")
    run_git(place.top, "add", mark)
    place.commit(REPOMEM="0")

    before = time.monotonic()
    assert place.run("push", "-q", "origin", "main") == (0, b"", b"")
    log = place.stub.with_name("starts")
    until(lambda: log.exists() and "sync" in log.read_text())

    assert [line.partition("|")[2] for line in log.read_text().splitlines() if "sync" in line] == [
        "sync --quiet origin|0"
    ]
    assert time.monotonic() - before < PATIENCE
    assert place.state("pre-push") is HookState.INSTALLED
    place.install()  # what was asked for once stays
    assert place.state("pre-push") is HookState.INSTALLED
    place.uninstall()
    assert not (place.hooks / "pre-push").exists()


def test_an_existing_pre_push_script_keeps_its_input_and_can_refuse(place: Place, run_git: RunGit) -> None:
    hub = place.top.with_name("hub.git")
    run_git(place.top, "init", "-q", "--bare", hub)
    run_git(place.top, "remote", "add", "origin", hub)
    script = written(place.hooks / "pre-push", '#!/bin/sh\ncat >"$MARK"\nexit 1\n', 0o755)
    before = script.read_bytes()
    with workspace_at(place.top) as workspace:
        install(workspace, (str(place.stub),), with_push=True)
    assert place.run("push", "-q", "origin", "main")[0] == 1
    assert place.marks().startswith(b"refs/heads/main ")
    assert place.run("push", "-q", "origin", "main", REPOMEM="0")[0] == 1
    place.uninstall()
    assert script.read_bytes() == before
