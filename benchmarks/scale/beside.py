"""What another repository adds to a recall, in a process that stays: each question alone, then with the other.

python -m benchmarks.scale.beside WORK_TREE OTHER <questions

Prints JSON: median seconds, wall and CPU, of a recall alone and of one with the other.
"""

import json
import os
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path

from repomem.recall.answer import recall_now
from repomem.recall.open_repository import OpenRepository
from repomem.recall.other_repositories import OtherRepositories
from repomem.recall.request import BriefRequest
from repomem.workspace.process import prepare_process
from repomem.workspace.run import Run
from repomem.workspace.workspace import Workspace

BUDGET = 1_500
ROUNDS = 5


def main() -> None:
    prepare_process()
    live, other = OpenRepository(Path(sys.argv[1]), os.environ), Path(sys.argv[2]).resolve()
    others = OtherRepositories(os.environ, is_for_one=False)
    questions = sys.stdin.read().splitlines()

    def alone(question: str) -> Callable[[Workspace], object]:
        return lambda workspace: recall_now(workspace, BriefRequest(question, BUDGET), Run())

    def beside(question: str) -> Callable[[Workspace], object]:
        ask, run = BriefRequest(question, BUDGET), Run()
        return lambda workspace: recall_now(workspace, ask, run, others.answers(workspace, [other], ask, run))

    spent: dict[str, list[tuple[float, float]]] = {"alone": [], "beside": []}
    for number in range(ROUNDS + 1):
        for question in questions:
            for name, asked in (("alone", alone), ("beside", beside)):  # in turn: a busy machine slows both
                taken = _spent(live, asked(question))
                spent[name] += [taken] * bool(number)  # the first round loads
    medians = {
        name: [statistics.median(column) for column in zip(*times, strict=True)] for name, times in spent.items()
    }
    print(json.dumps({name: {"wall": wall, "cpu": cpu} for name, (wall, cpu) in medians.items()}))


def _spent(live: OpenRepository, answer: Callable[[Workspace], object]) -> tuple[float, float]:
    wall, cpu = time.perf_counter(), time.process_time()
    live.answer(answer)
    return time.perf_counter() - wall, time.process_time() - cpu


if __name__ == "__main__":
    main()
