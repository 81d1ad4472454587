"""`repomem watch` as it is run: real saves, real commits, real index runs, real signals."""

import json
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from support.command_line import MakePlace, Place
from support.fork_server import fork_server

from repomem.index.watch.state import WatchState, watch_state
from repomem.workspace.freshness import is_behind
from repomem.workspace.workspace import opened

DEADLINE = 120.0  # seconds: far more than any of this takes
EXHAUSTED = """
import errno, repomem.adapters.watcher.inotify as inotify, repomem.index.watch.watch as watching
from repomem.__main__ import main

def refuse(*_):
    raise OSError(errno.ENOSPC, "inotify watch limit reached")

inotify.InotifyQueue.add = refuse
watching.COST_FACTOR = 2.0  # the test would rather not wait
main()
"""
MODULES_OF_AN_IDLE_WATCHER = """
import os, signal, sys, threading, time
from pathlib import Path
from repomem.__main__ import main

def stop_when_idle():
    while '"runs": 1' not in state.read_text() if state.exists() else True:
        time.sleep(0.05)
    os.kill(os.getpid(), signal.SIGTERM)

state = Path(".git/repomem/watch.json")
os._exit = sys.exit
threading.Thread(target=stop_when_idle).start()
try:
    main()
finally:
    sys.stdout.write(" ".join({name.partition(".")[0] for name in sys.modules}))
"""


def eventually(is_so: Callable[[], bool]) -> bool:
    """Whether it comes true while anybody would wait."""
    end = time.monotonic() + DEADLINE
    while not is_so():
        if time.monotonic() > end:
            return False
        time.sleep(0.05)
    return True


def state_of(place: Place) -> WatchState | None:
    return watch_state(place.folder / ".git" / "repomem")


def runs(place: Place) -> int:
    state = state_of(place)
    return state.runs if state else 0


def is_fresh(place: Place) -> bool:
    with opened(place.folder, {"REPOMEM_STORE_TRUST": "true"}) as workspace:  # another home made the folder
        return not is_behind(workspace)


def is_kept_fresh(place: Place) -> bool:
    """Whether the index comes to show the worktree as it is; nobody but the watcher indexes here."""
    return eventually(lambda: is_fresh(place))


@contextmanager
def watching(place: Place, script: str = "", *, is_forked: bool = True) -> Iterator["subprocess.Popen[str]"]:
    """A watcher that has brought the index up to date; it is killed at the end, if it lives.

    In an interpreter of its own where its process id or a signal is the claim.
    """
    command = fork_server().command(script) if is_forked else place.command(script)
    process = subprocess.Popen(
        [*command, "watch"],
        cwd=place.folder,
        env=dict(place.environment),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
    )
    with process:
        try:
            assert eventually(lambda: process.poll() is not None or (runs(place) > 0 and is_fresh(place)))
            yield process
        finally:
            process.kill()


def stopped(process: "subprocess.Popen[str]", by: signal.Signals = signal.SIGTERM) -> list[str]:
    """End it in order; the lines that it said."""
    process.send_signal(by)
    out, err = process.communicate(timeout=DEADLINE)
    assert (process.returncode, out) == (0, "")
    return err.splitlines()


def test_what_is_saved_renamed_or_deleted_is_indexed(ledgerly: Place) -> None:
    with watching(ledgerly) as process:
        (ledgerly.folder / "saved.py").write_text("def saved(): ...\n", encoding="utf-8")
        assert is_kept_fresh(ledgerly)
        (ledgerly.folder / "saved.py").rename(ledgerly.folder / "renamed.py")
        assert is_kept_fresh(ledgerly)
        (ledgerly.folder / "renamed.py").unlink()
        assert is_kept_fresh(ledgerly)
        lines = stopped(process)
    assert lines[0] == "watching 1 worktree by inotify"
    assert {line.rpartition(" in ")[0] for line in lines[1:-1]} == {f"indexed {ledgerly.folder}"}
    assert lines[-1] == "stopped watching"


def test_a_new_folder_is_watched_even_if_it_is_empty(ledgerly: Place) -> None:
    with watching(ledgerly):
        deep = ledgerly.folder / "new" / "deep"
        deep.mkdir(parents=True)
        time.sleep(1.5)  # until it is listened to: a file that came sooner would be found by the same look
        (deep / "late.py").write_text("def late(): ...\n", encoding="utf-8")
        assert is_kept_fresh(ledgerly)
        (ledgerly.folder / "new").rename(ledgerly.folder / "moved")
        assert is_kept_fresh(ledgerly)
        (ledgerly.folder / "moved" / "deep" / "late.py").write_text("def later(): ...\n", encoding="utf-8")
        assert is_kept_fresh(ledgerly)


@pytest.mark.slow
def test_what_git_ignores_and_what_editors_leave_starts_no_run(ledgerly: Place) -> None:
    (ledgerly.folder / ".gitignore").write_text("*.log\nignored/\n", encoding="utf-8")
    (ledgerly.folder / "ignored").mkdir()
    with watching(ledgerly):
        for name in ("a.log", "ignored/b.py", ".money.py.swp", "src/ledgerly/money.py~"):
            (ledgerly.folder / name).write_text("noise\n", encoding="utf-8")
            time.sleep(0.6)  # a look for each
        time.sleep(1.0)  # for a run to be started by mistake
        assert runs(ledgerly) == 1
        (ledgerly.folder / ".gitignore").write_text("*.log\n*.swp\n*~\n", encoding="utf-8")
        assert is_kept_fresh(ledgerly)
        time.sleep(1.0)  # until the folder that is ignored no more is listened to
        (ledgerly.folder / "ignored" / "b.py").write_text("def seen(): ...\n", encoding="utf-8")
        assert is_kept_fresh(ledgerly)


def test_commits_and_checkouts_are_noticed(ledgerly: Place) -> None:
    with watching(ledgerly):
        ledgerly.git("commit", "-q", "--allow-empty", "-m", "feat: nothing that a file shows")
        assert is_kept_fresh(ledgerly)
        ledgerly.git("checkout", "-q", "-b", "team/topic", "HEAD~1")
        assert is_kept_fresh(ledgerly)
        ledgerly.git("update-ref", "refs/heads/team/topic", "main")
        assert is_kept_fresh(ledgerly)


def test_another_worktree_is_watched_after_its_first_index_run(ledgerly: Place) -> None:
    linked = Place(ledgerly.folder.parent / "linked", ledgerly.environment)
    with watching(ledgerly) as process:
        ledgerly.git("worktree", "add", "-q", "--detach", str(linked.folder))
        assert linked.run("index").code == 0
        assert eventually(lambda: len((state_of(ledgerly) or WatchState(0, "")).roots) == 2)
        (linked.folder / "new.py").write_text("def new(): ...\n", encoding="utf-8")
        assert is_kept_fresh(linked)
        shutil.rmtree(linked.folder)
        assert eventually(lambda: len((state_of(ledgerly) or WatchState(0, "")).roots) == 1)
        assert stopped(process)[-2] == f"{linked.folder} is gone"


def test_only_one_process_watches_a_clone_and_status_shows_it(ledgerly: Place) -> None:
    with watching(ledgerly, is_forked=False) as process:
        told = ledgerly.run("status").out
        assert f"\nwatch: process {process.pid} since " in told
        assert ", by inotify, 1 worktree, 1 index run, the last at " in told
        second = ledgerly.run("watch")
        assert (second.code, second.out) == (1, "")
        assert second.err == (
            f"error: process {process.pid} already watches this repository\nhint: see its state with: repomem status\n"
        )
        assert answered(ledgerly)["watch"]["is_running"] is True
        stopped(process)
    assert answered(ledgerly)["watch"] is None
    assert "watch:" not in ledgerly.run("status").out


def answered(place: Place) -> Any:
    return json.loads(place.run("status", "--format", "json").out)


@pytest.mark.parametrize("by", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_watch_cleanly(make_place: MakePlace, by: signal.Signals) -> None:
    place = make_place("tidepool")
    with watching(place, is_forked=False) as process:
        assert stopped(process, by)[-1] == "stopped watching"
    assert not (place.folder / ".git" / "repomem" / "watch.json").exists()


@pytest.mark.slow
def test_watch_starts_after_another_was_killed(make_place: MakePlace) -> None:
    place = make_place("tidepool")
    with watching(place, is_forked=False) as process:
        process.kill()
        process.wait()
        assert f"watch: process {process.pid} was killed; " in place.run("status").out
    (place.folder / "new.go").write_text("package tidepool\n", encoding="utf-8")
    with watching(place, is_forked=False) as process:
        state = state_of(place)
        assert state
        assert (state.pid, state.is_running) == (process.pid, True)


def test_fault_19_without_inotify_it_polls_and_warns_once(make_place: MakePlace) -> None:
    place = make_place("tidepool")
    with watching(place, EXHAUSTED) as process:
        assert (state_of(place) or WatchState(0, "")).how == "polling"
        (place.folder / "new.go").write_text("package tidepool\n", encoding="utf-8")
        assert is_kept_fresh(place)
        lines = stopped(process)
    told = "warning: cannot use inotify (inotify watch limit reached): checking every few seconds instead"
    assert [line for line in lines if line.startswith("warning: ")] == [told]


def test_deleting_the_index_ends_watch_without_a_rebuild(make_place: MakePlace) -> None:
    place = make_place("tidepool")
    with watching(place) as process:
        shutil.rmtree(place.folder / ".git" / "repomem")
        _, err = process.communicate(timeout=DEADLINE)
    assert process.returncode == 1
    assert err.splitlines()[-2:] == [
        "error: the index was deleted while repomem watched it",
        "hint: run repomem index, then repomem watch",
    ]
    assert not (place.folder / ".git" / "repomem").exists()


def test_an_idle_watcher_has_loaded_no_store(make_place: MakePlace) -> None:
    ended = make_place("tidepool").fresh("watch", "--quiet", script=MODULES_OF_AN_IDLE_WATCHER)
    assert (ended.code, ended.err) == (0, "")
    assert set(ended.out.split()) & {"lancedb", "pyarrow", "numpy", "rich", "mcp", "tree_sitter"} == set()
    assert "watchdog" in ended.out.split()
