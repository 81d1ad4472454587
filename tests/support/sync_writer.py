"""A writer of one clone, started by test_faults_sync.py: says things and syncs until it is done or killed.

    python sync_writer.py FOLDER NAME COUNT SEED

Each thing that is kept is told on stdout, as its id and its text, once it is.
"""

import os
import random
import sys
from pathlib import Path

from repomem.core.errors import RepomemError
from repomem.memories.new_memory import NewMemory
from repomem.memories.remember import remember
from repomem.sync.run import SyncRequest, sync
from repomem.workspace.ledger import Speaker
from repomem.workspace.process import prepare_process
from repomem.workspace.workspace import opened


def main(folder: str, name: str, count: int, seed: int) -> None:
    """Say `count` things, and sync now and then; a remote that is away is tried again the next time."""
    prepare_process()
    chance = random.Random(seed)
    for number in range(count):
        text = f"{name} found out the thing {number} about the queue"
        with opened(Path(folder), os.environ) as workspace:
            outcome, _ = remember(workspace, NewMemory(text), Speaker(is_person=True))
            sys.stdout.write(f"{outcome.id} {text}\n")
            sys.stdout.flush()
            if chance.random() < 0.6:
                try:
                    sync(workspace, SyncRequest())
                except RepomemError as error:
                    sys.stdout.write(f"- {error.message}\n")


main(sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4]))
