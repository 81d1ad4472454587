"""The watcher, with file events of the test and counted index runs; the worktrees are real."""

import errno
import json
import os
import shutil
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from queue import SimpleQueue

import pytest
from support.repositories import Commit, MakeRepository, RunGit
from support.samples import indexed

from repomem.core.errors import RepomemError
from repomem.core.processes.locks import try_lock
from repomem.index.watch import watch as watching
from repomem.index.watch.child import Ended, IndexChild
from repomem.index.watch.events import Changed, EventQueue, Reporter, Stop, WatchedFolder, is_relevant
from repomem.index.watch.state import STATE, WATCH_LOCK, WatchState, save_state, watch_state
from repomem.index.watch.watch import watch

DEADLINE = 60.0  # seconds: far more than any of this takes


def eventually(is_so: Callable[[], bool]) -> bool:
    """Whether it comes true while anybody would wait."""
    end = time.monotonic() + DEADLINE
    while not is_so():
        if time.monotonic() > end:
            return False
        time.sleep(0.02)
    return True


def removed(folder: Path) -> bool:
    """Remove the folder, as `rm -rf` does: what another process removed meanwhile is no error; whether it is gone."""
    shutil.rmtree(folder, ignore_errors=True)
    return not folder.exists()


@dataclass
class Scene:
    """One watched clone: what it listens to, what runs it started, what it said."""

    folder: Path
    events: EventQueue = field(default_factory=SimpleQueue)
    places: dict[str, set[Path]] = field(default_factory=dict)
    refusal: OSError | None = None  # of the ears
    is_deaf: bool = False
    runs: list[str] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)
    error: RepomemError | None = None
    name: str = "fake"

    @property
    def root(self) -> str:
        return str(self.folder)

    @property
    def memory(self) -> Path:
        return self.folder / ".git" / "repomem"

    @property
    def state(self) -> WatchState:
        state = watch_state(self.memory)
        assert state
        return state

    def watch(self, root: str, places: Iterable[WatchedFolder]) -> None:
        self.places[root] = {place.path for place in places if not place.is_git}
        if self.refusal:
            raise self.refusal

    def close(self) -> None:
        self.places.clear()

    def save(self, name: str) -> None:
        (self.folder / name).write_text(f"# {time.monotonic_ns()}\n")
        self.events.put(Changed(self.root))

    def end_run(self, failure: str = "") -> None:
        self.events.put(Ended(self.runs[-1], 1.0, failure))

    @contextmanager
    def watched(self) -> Iterator[None]:
        thread = threading.Thread(target=self._watch)
        thread.start()
        try:
            assert eventually(lambda: bool(self.lines) or not thread.is_alive())
            yield
        finally:
            self.events.put(Stop())
            thread.join(DEADLINE)
            assert not thread.is_alive()

    def _watch(self) -> None:
        reporter = Reporter(self.lines.append, self.lines.append)
        try:
            watch(self.memory, self.root, self.events, self._open_watcher, reporter)
        except RepomemError as error:
            self.error = error

    def _open_watcher(self, _: EventQueue) -> "Scene":
        if self.is_deaf:
            raise OSError(errno.EMFILE, "inotify instance limit reached")
        return self


@pytest.fixture
def scene(make_repository: MakeRepository, monkeypatch: pytest.MonkeyPatch) -> Scene:
    """An indexed repository whose runs are counted, not done."""
    folder = make_repository(Commit({".gitignore": "*.log\n", "src/a.py": "a = 1\n"}))
    indexed(folder)
    made = Scene(folder)

    class CountedRun:
        @staticmethod
        def end() -> None:
            made.lines.append("the run was ended")

    def start(root: str, _: object) -> CountedRun:
        made.runs.append(root)
        return CountedRun()

    monkeypatch.setattr(IndexChild, "start", start)
    monkeypatch.setattr(watching, "TICK", 0.05)
    return made


def test_an_index_that_is_up_to_date_starts_no_run(scene: Scene) -> None:
    with scene.watched():
        (scene.folder / "noise.log").touch()
        scene.events.put(Changed(scene.root))
        scene.events.put(Changed("/not/watched"))
        assert eventually(scene.events.empty)
        time.sleep(1.0)  # for a run to be started by mistake
    assert scene.runs == []
    assert scene.lines == ["watching 1 worktree by fake"]
    assert watch_state(scene.memory) is None


def test_a_change_during_a_run_leads_to_one_more_and_never_to_two_at_once(scene: Scene) -> None:
    with scene.watched():
        scene.save("one.py")
        assert eventually(lambda: len(scene.runs) == 1)
        for _ in range(20):
            scene.save("two.py")
        time.sleep(1.0)  # for a second run to be started by mistake
        assert len(scene.runs) == 1
        scene.end_run()
        assert eventually(lambda: len(scene.runs) == 2)
        scene.end_run()
        assert eventually(lambda: scene.state.runs == 2)
        time.sleep(1.0)
    assert len(scene.runs) == 2
    assert scene.lines[1:] == [f"indexed {scene.root} in 1.0 s"] * 2


def test_a_running_index_process_ends_with_the_watcher(scene: Scene) -> None:
    with scene.watched():
        scene.save("one.py")
        assert eventually(lambda: len(scene.runs) == 1)
    assert scene.lines[-1] == "the run was ended"


def test_a_failure_is_printed_once_and_saved_in_the_state(scene: Scene) -> None:
    with scene.watched():
        for count in (1, 2):
            scene.save("one.py")
            assert eventually(lambda: len(scene.runs) == count)  # noqa: B023  # called at once
            scene.end_run("the disk is full")
            assert eventually(lambda: scene.state.runs == count)  # noqa: B023
        assert scene.state.last_failure == "the disk is full"
    assert scene.lines[1:] == [f"{scene.root} cannot be kept fresh: the disk is full"]


def test_the_watcher_survives_a_bad_configuration(scene: Scene) -> None:
    (scene.folder / ".repomem.toml").write_text("[recall]\nbudget = -1\n")
    with scene.watched():
        assert eventually(lambda: "cannot be kept fresh" in scene.lines[-1])
        (scene.folder / ".repomem.toml").unlink()
        scene.save("one.py")
        assert eventually(lambda: len(scene.runs) == 1)


def test_the_watcher_survives_that_no_process_can_be_started(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise OSError(errno.EAGAIN, os.strerror(errno.EAGAIN))

    monkeypatch.setattr(IndexChild, "start", refuse)
    with scene.watched():
        scene.save("one.py")
        assert eventually(lambda: "no process can be started" in scene.lines[-1])


def test_folders_are_listed_again_only_after_a_change_of_folders(scene: Scene) -> None:
    with scene.watched():
        (scene.folder / "new").mkdir()
        scene.save("one.py")
        assert eventually(lambda: len(scene.runs) == 1)
        assert scene.folder / "new" not in scene.places[scene.root]
        scene.end_run()
        scene.events.put(Changed(scene.root, is_of_folders=True))
        assert eventually(lambda: scene.folder / "new" in scene.places[scene.root])


def test_fault_19_it_polls_where_inotify_fails(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watching, "SHORTEST_CHECK", 0.05)
    monkeypatch.setattr(watching, "COST_FACTOR", 0.5)
    with scene.watched():
        scene.refusal = OSError(errno.ENOSPC, "inotify watch limit reached")
        scene.events.put(Changed(scene.root, is_of_folders=True))
        assert eventually(lambda: scene.state.how == "polling")
        (scene.folder / "one.py").write_text("one = 1\n")
        assert eventually(lambda: len(scene.runs) == 1)
        scene.end_run()
        assert eventually(lambda: len(scene.runs) == 2)  # nothing was indexed
    warning = "cannot use inotify (inotify watch limit reached): checking every few seconds instead"
    assert [line for line in scene.lines if "inotify" in line] == [warning]


def test_fault_19_it_polls_from_the_start_without_inotify(scene: Scene) -> None:
    scene.is_deaf = True
    (scene.folder / "one.py").write_text("one = 1\n")
    with scene.watched():
        assert eventually(lambda: scene.runs == [scene.root])
    assert scene.lines[:2] == [
        "cannot use inotify (inotify instance limit reached): checking every few seconds instead",
        "watching 1 worktree by polling",
    ]


def test_a_damaged_catalog_starts_an_index_run(scene: Scene) -> None:
    catalog = scene.memory / "catalog.sqlite"
    data = catalog.read_bytes()
    catalog.write_bytes(data[:4096] + bytes(len(data) - 4096))
    with scene.watched():
        assert eventually(lambda: scene.runs == [scene.root])


def test_new_work_trees_are_watched_and_deleted_ones_are_dropped(scene: Scene, run_git: RunGit) -> None:
    linked = scene.folder.parent / "linked"
    run_git(scene.folder, "worktree", "add", "-q", "--detach", str(linked))
    with scene.watched():
        assert scene.state.roots == (scene.root,)
        indexed(linked)
        assert eventually(lambda: scene.state.roots == (scene.root, str(linked)))
        (linked / "new.py").write_text("new = 1\n")
        scene.events.put(Changed(str(linked)))
        assert eventually(lambda: scene.runs == [str(linked)])
        scene.end_run()
        shutil.rmtree(linked)
        scene.events.put(Changed(str(linked), is_of_folders=True))
        assert eventually(lambda: scene.state.roots == (scene.root,))
        assert eventually(lambda: scene.lines[-1] == f"{linked} is gone")


def test_another_repository_at_the_path_of_a_work_tree_is_left_alone(scene: Scene, run_git: RunGit) -> None:
    linked = scene.folder.parent / "linked"
    run_git(scene.folder, "worktree", "add", "-q", "--detach", str(linked))
    indexed(linked)
    shutil.rmtree(linked)
    run_git(scene.folder.parent, "init", "-q", str(linked))
    with scene.watched():
        assert eventually(lambda: scene.state.roots == (scene.root,))
    assert not (linked / ".git" / "repomem").exists()


def test_a_deleted_catalog_is_rebuilt(scene: Scene) -> None:
    with scene.watched():
        (scene.memory / "catalog.sqlite").unlink()
        assert eventually(lambda: scene.runs == [scene.root])


def test_a_deleted_index_ends_the_watcher(scene: Scene) -> None:
    with scene.watched():
        assert eventually(lambda: removed(scene.memory))
        assert eventually(lambda: scene.error is not None)
    assert scene.error
    assert scene.error.message == "the index was deleted while repomem watched it"
    assert not scene.memory.exists()


def test_a_second_watcher_is_refused(scene: Scene) -> None:
    second = Scene(scene.folder)
    with scene.watched(), second.watched():
        assert second.error
        assert second.error.message == f"process {os.getpid()} already watches this repository"
        assert scene.state.is_running


@pytest.mark.parametrize(
    ("name", "is_git", "expected"),
    [
        ("a.py", False, True),
        (".gitignore", False, True),
        ("", False, True),
        (".git", False, False),
        (".a.py.swp", False, False),
        ("a.py~", False, False),
        ("4913", False, False),
        (".#a.py", False, False),
        ("#a.py#", False, False),
        ("a.py___jb_tmp___", False, False),
        ("index", True, True),
        ("HEAD", True, True),
        ("index.lock", True, False),
        ("repomem", True, False),
    ],
)
def test_temporary_files_of_editors_and_locks_are_ignored(name: str, is_git: bool, expected: bool) -> None:
    assert is_relevant(name, is_git=is_git) is expected


def test_the_state_of_a_killed_watcher_shows_that_it_is_not_running(tmp_path: Path) -> None:
    assert watch_state(tmp_path) is None
    save_state(tmp_path, WatchState(123, "2026-01-31T00:00:00+00:00", roots=("/a",)))
    assert oct((tmp_path / STATE).stat().st_mode & 0o777) == oct(0o600)
    state = watch_state(tmp_path)
    assert state
    assert (state.pid, state.roots, state.is_running) == (123, ("/a",), False)
    with try_lock(tmp_path / WATCH_LOCK):
        assert watch_state(tmp_path) == WatchState(123, "2026-01-31T00:00:00+00:00", roots=("/a",))


@pytest.mark.parametrize("text", ["", "{", "[]", json.dumps({"pid": 1})])
def test_an_unreadable_state_is_none(tmp_path: Path, text: str) -> None:
    (tmp_path / STATE).write_text(text)
    assert watch_state(tmp_path) is None
