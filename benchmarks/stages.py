"""One index run, seen from inside: wall and CPU seconds of each stage that it reports.

python -m benchmarks.stages WORK_TREE

Prints JSON. The workers' CPU time is complete when a stage ends, since they have ended by then.
"""

import json
import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from repomem.core.ports import Silence, Stage
from repomem.index.run import index
from repomem.workspace.process import prepare_process
from repomem.workspace.run import Run
from repomem.workspace.workspace import opened


class Stopwatch:
    """A `repomem.core.ports.Progress` that keeps what each stage took."""

    def __init__(self) -> None:
        self.stages: dict[str, dict[str, float]] = {}

    @contextmanager
    def stage(self, name: str, total: int | None, unit: str) -> Iterator[Stage]:
        wall, cpu = time.perf_counter(), sum(os.times()[:4])
        yield Silence()
        self.stages[name] = {
            "wall": time.perf_counter() - wall,
            "cpu": sum(os.times()[:4]) - cpu,
            unit: total or 0,
        }


def main() -> None:
    prepare_process()
    watch = Stopwatch()
    with opened(Path(sys.argv[1]), {}) as workspace:
        index(workspace, Run(progress=watch))
    print(json.dumps(watch.stages))


if __name__ == "__main__":
    main()
