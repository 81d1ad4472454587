import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from repomem.core.errors import RepomemError
from repomem.core.processes.workers import WINDOW_ITEMS, Limits, WorkerFault, run_in_workers

HERE = Path(__file__).parent
ROOT = HERE.parent.parent
Order = tuple[str, Any]


@pytest.fixture(autouse=True)
def samples_are_importable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(HERE)


def run(*orders: Order, processes: int = 1, limits: Limits | None = None) -> dict[int, Any]:
    outcomes = list(run_in_workers("work_samples:obey", enumerate(orders), processes=processes, limits=limits))
    assert len(outcomes) == len(dict(outcomes)), "an item came back twice"
    return dict(outcomes)


def is_alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return True


def wait_until_gone(process: int) -> bool:
    """Whether a process that is no child of ours ends by itself."""
    for _ in range(200):
        if not is_alive(process):
            return True
        time.sleep(0.05)
    return False


def test_every_item_comes_back_under_its_key() -> None:
    keys = [f"key {number}" for number in range(100)]
    items = ((key, ("return", key.encode())) for key in keys)

    outcomes = list(run_in_workers("work_samples:obey", items, processes=2))

    assert sorted(outcomes) == sorted((key, key.encode()) for key in keys)


def test_no_items_start_no_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "/nonexistent/python")

    assert run() == {}


def test_three_crashing_items_among_two_hundred_lose_no_other() -> None:
    orders: list[Order] = [("return", number) for number in range(200)]
    orders[20], orders[21], orders[150] = ("segfault", None), ("exit", 3), ("loop", None)

    outcomes = run(*orders, processes=2, limits=Limits(cpu_seconds=0.3))

    faults = {key: value for key, value in outcomes.items() if isinstance(value, WorkerFault)}
    assert faults == {
        20: WorkerFault("killed by SIGSEGV"),
        21: WorkerFault("exited with status 3"),
        150: WorkerFault("took over 0.3 s of CPU time"),
    }
    assert {key: value for key, value in outcomes.items() if key not in faults} == {
        number: number for number in range(200) if number not in faults
    }


@pytest.mark.parametrize(
    ("order", "reason"),
    [
        (("loop in C", None), "took over 0.3 s of CPU time"),
        (("hoard", None), "ran out of memory"),
        (("signal", signal.SIGKILL), "killed by SIGKILL"),
        (("signal", signal.SIGABRT), "killed by SIGABRT"),
        (("quit", 0), "exited with status 0"),
        (("pause", 60), "took over 1 s"),
        (("fail", "no such thing"), "LookupError"),
    ],
)
def test_a_failed_item_is_reported_with_the_reason(order: Order, reason: str) -> None:
    is_paused = order[0] == "pause"  # all others get the time that a busy machine needs
    limits = Limits(cpu_seconds=0.3, wall_seconds=1 if is_paused else 60, memory_bytes=1 << 26)

    outcomes = run(("return", 1), order, ("return", 2), limits=limits)

    assert outcomes == {0: 1, 1: WorkerFault(reason), 2: 2}


def test_a_result_that_cannot_be_pickled_is_a_fault() -> None:
    outcomes = run(("unpicklable", None), ("return", 1))

    assert isinstance(outcomes[0], WorkerFault)
    assert outcomes[1] == 1


def test_an_exception_does_not_cost_the_process() -> None:
    outcomes = run(("process", None), ("fail", ""), ("process", None))

    assert outcomes[0] == outcomes[2]


def test_what_the_work_prints_or_starts_does_not_disturb_the_answers() -> None:
    assert run(("print", "noise"), ("return", 1)) == {0: "noise", 1: 1}


def test_an_interrupt_of_a_child_is_ignored() -> None:
    assert run(("interrupt", 1), ("return", 2)) == {0: 1, 1: 2}


def test_the_time_limits_are_for_each_item_and_not_for_the_run() -> None:
    burnt = run(*[("burn", 0.2)] * 5, limits=Limits(cpu_seconds=0.9, wall_seconds=60))
    paused = run(*[("pause", 0.5)] * 5, limits=Limits(wall_seconds=2))

    assert all(isinstance(value, int) for outcomes in (burnt, paused) for value in outcomes.values())


def test_a_slow_consumer_loses_no_item() -> None:
    orders: list[Order] = [("return", number) for number in range(40)]
    outcomes = run_in_workers("work_samples:obey", enumerate(orders), processes=1, limits=Limits(wall_seconds=1.0))

    results = [next(outcomes)]
    time.sleep(1.2)
    results += outcomes

    assert sorted(results) == [(number, number) for number in range(40)]


def test_large_arguments_and_results_do_not_block_each_other() -> None:
    payloads = [bytes([number]) * 3_000_000 for number in range(8)]

    outcomes = run(*[("return", payload) for payload in payloads], processes=2)

    assert [outcomes[number] for number in range(8)] == payloads


def test_a_child_that_does_not_read_does_not_block_the_parent() -> None:
    orders = [("pause", 60), *[("return", b"x" * 100_000)] * 12]

    outcomes = run(*orders, limits=Limits(wall_seconds=1))

    assert outcomes.pop(0) == WorkerFault("took over 1 s")
    assert set(outcomes.values()) == {b"x" * 100_000}


def test_items_are_read_lazily() -> None:
    read: list[int] = []

    def items() -> Iterator[tuple[int, Order]]:
        for number in range(1_000):
            read.append(number)
            yield number, ("return", number)

    outcomes = run_in_workers("work_samples:obey", items(), processes=1)
    next(outcomes)
    outcomes.close()

    assert len(read) <= 2 * WINDOW_ITEMS + 1


def test_few_items_use_one_process_and_many_use_all_allowed() -> None:
    few = run(*[("process", None)] * WINDOW_ITEMS, processes=2)
    many = run(*[("pause", 0.02)] * (WINDOW_ITEMS * 3), processes=2)

    assert len(set(few.values())) == 1
    assert len(set(many.values())) == 2


def test_no_process_and_no_thread_outlives_a_run() -> None:
    threads = threading.active_count()

    outcomes = run(*[("process", None)] * 60, processes=2)

    assert not any(is_alive(process) for process in outcomes.values())
    assert threading.active_count() == threads


def test_closing_early_ends_the_processes_in_the_middle_of_their_work() -> None:
    orders = [("process", None), *[("pause", 60)] * 60]
    outcomes = run_in_workers("work_samples:obey", enumerate(orders), processes=2)
    _, process = next(outcomes)

    assert is_alive(process)
    outcomes.close()
    assert not is_alive(process)


def test_an_error_of_the_items_ends_the_run_and_its_processes() -> None:
    def items() -> Iterator[tuple[int, Order]]:
        yield from enumerate([("process", None)] * WINDOW_ITEMS)
        raise OSError("the disk is gone")

    seen: list[int] = []
    with pytest.raises(OSError, match="the disk is gone"):
        seen.extend(process for _, process in run_in_workers("work_samples:obey", items(), processes=1))

    assert not any(is_alive(process) for process in seen)


@pytest.mark.parametrize("work", ["no_such_module:obey", "work_samples:no_such_function"])
def test_work_that_cannot_be_imported_is_an_error_that_names_it(work: str) -> None:
    with pytest.raises(RepomemError, match="no_such_"):
        list(run_in_workers(work, [(1, 1)], processes=1))


def test_an_interpreter_that_cannot_be_started_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "/nonexistent/python")

    with pytest.raises(RepomemError, match="nonexistent"):
        run(("return", 1))


def test_a_child_loads_neither_the_parents_main_module_nor_its_side_of_the_work() -> None:
    modules = run(("modules", None))[0]

    assert "pytest" not in modules
    assert "repomem.core.processes.workers" not in modules


def test_modules_of_the_current_directory_are_not_imported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("pickle", "signal", "os", "repomem", "types"):
        (tmp_path / f"{name}.py").write_text("open('imported', 'w')\nraise SystemExit(9)\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", ["", *sys.path])

    assert run(("return", 1)) == {0: 1}
    assert not (tmp_path / "imported").exists()


PARENT = """
from repomem.core.processes.workers import Limits, run_in_workers
orders = [("process", None), *[("pause", 60)] * 40]
limits = Limits(wall_seconds=1)
for _, process in run_in_workers("work_samples:obey", enumerate(orders), processes=2, limits=limits):
    print(process, flush=True)
"""


@pytest.fixture
def parent() -> Iterator[subprocess.Popen[str]]:
    """A program whose workers are in the middle of something long; its first line is the id of one."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), str(HERE)])}
    with subprocess.Popen(
        [sys.executable, "-c", PARENT],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment,
    ) as process:
        yield process
        process.kill()


def test_a_killed_parent_leaves_no_worker_that_waits_for_it(parent: subprocess.Popen[str]) -> None:
    assert parent.stdout
    worker = int(parent.stdout.readline())

    parent.kill()

    assert wait_until_gone(worker)


def test_an_interrupted_parent_takes_its_workers_with_it(parent: subprocess.Popen[str]) -> None:
    assert parent.stdout
    worker = int(parent.stdout.readline())

    parent.send_signal(signal.SIGINT)

    _, errors = parent.communicate(timeout=20)
    assert errors.rstrip().endswith("KeyboardInterrupt")
    assert wait_until_gone(worker)
