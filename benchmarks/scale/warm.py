"""What questions take in a process that stays, as `repomem mcp` does: one opened repository.

python -m benchmarks.scale.warm WORK_TREE <questions

Prints JSON: wall and CPU seconds of the first recall, of each later one and of each search, and the most memory that
the process took.
"""

import json
import os
import resource
import sys
import time
from collections.abc import Callable
from pathlib import Path

from repomem.recall.answer import recall_now, search_now
from repomem.recall.open_repository import OpenRepository
from repomem.recall.request import BriefRequest
from repomem.workspace.process import prepare_process
from repomem.workspace.run import Run
from repomem.workspace.snapshot import EVERYWHERE
from repomem.workspace.workspace import Workspace

BUDGET = 1_500  # what is asked for by default
HITS = 10
SETTLING = 2.0  # seconds after the first answer, in which a server that was just started reads what it holds


def main() -> None:
    prepare_process()
    questions = sys.stdin.read().splitlines()
    live = OpenRepository(Path(sys.argv[1]), os.environ)
    first = _spent(live, _recall(questions[0]))
    time.sleep(SETTLING)
    recalls = [_spent(live, _recall(question)) for question in questions[1:]]
    searches = [_spent(live, _search(question)) for question in questions[1:]]
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    print(json.dumps({"first": first, "recalls": recalls, "searches": searches, "peak": peak}))


def _recall(question: str) -> Callable[[Workspace], object]:
    return lambda workspace: recall_now(workspace, BriefRequest(question, BUDGET), Run())


def _search(question: str) -> Callable[[Workspace], object]:
    return lambda workspace: search_now(workspace, [question], EVERYWHERE, HITS, Run())


def _spent(live: OpenRepository, answer: Callable[[Workspace], object]) -> dict[str, float]:
    wall, cpu = time.perf_counter(), time.process_time()
    live.answer(answer)
    return {"wall": time.perf_counter() - wall, "cpu": time.process_time() - cpu}


if __name__ == "__main__":
    main()
