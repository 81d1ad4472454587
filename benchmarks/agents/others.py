"""Records memories of other projects in the repository of the current folder: `python -m benchmarks.agents.others 108`.

A program of its own, since it runs with the clock of the day when they were said.
"""

import os
import sys
from pathlib import Path

from benchmarks.memory.sets import Noted, projects
from repomem.memories.new_memory import NewMemory
from repomem.memories.remember import remember_as
from repomem.memories.snapshots.snapshot import memories_now
from repomem.workspace.ledger import Speaker, origin_of
from repomem.workspace.process import prepare_process
from repomem.workspace.workspace import opened


def others() -> list[Noted]:
    """The memories of the hand-written decision sets: of an import of data, a shop and an app that syncs notes."""
    return [each for project in projects() for each in project.memories]


def record(count: int) -> None:
    """Record the first `count` as a person's, in the order of the sets."""
    with opened(Path.cwd(), os.environ) as workspace:
        origin = origin_of(workspace, Speaker(is_person=True))
        for each in others()[:count]:
            new = NewMemory(each.text, kind=each.kind, why=each.why, rejected=each.rejected)
            remember_as(workspace, memories_now(workspace), new, origin)


if __name__ == "__main__":
    prepare_process()
    record(int(sys.argv[1]))
