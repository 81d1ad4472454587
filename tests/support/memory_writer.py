"""A process that writes memories, for tests that run several at once: what it was told is kept, a JSON line each.

    python memory_writer.py FOLDER SEED COUNT [DEED ...]

Each line has the deed, the id, the text and, by the name of each lock, the seconds that were spent in waiting for it.
"""

import json
import os
import random
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from filelock import FileLock

from repomem.core.errors import StoreError
from repomem.memories.forget import forget
from repomem.memories.new_memory import NewMemory
from repomem.memories.remember import remember
from repomem.memories.snapshots.snapshot import memories_now
from repomem.sessions.lifecycle import note, start
from repomem.workspace.ledger import Speaker
from repomem.workspace.workspace import Workspace, opened

PERSON = Speaker(is_person=True)
AGENT = Speaker(tool=f"writer-{os.getpid()}")  # one tool's next session ends its last
Mine = list[tuple[str, str]]
Done = Iterator[tuple[str, str, str]]  # deed, id, text


def remember_one(workspace: Workspace, mine: Mine, text: str) -> Done:
    outcome, _ = remember(workspace, NewMemory(text), PERSON)
    mine.append((outcome.id, text))
    yield "remember", outcome.id, text


def supersede(workspace: Workspace, mine: Mine, text: str) -> Done:
    if mine:
        old, _ = mine.pop()
        yield "supersede", remember(workspace, NewMemory(text, supersedes=(old,)), PERSON)[0].id, text


def forget_one(workspace: Workspace, mine: Mine, text: str) -> Done:
    if mine:
        name, said = mine.pop(0)
        forget(workspace, memories_now(workspace), name, PERSON, is_purge=False)
        yield "forget", name, said


def purge_one(workspace: Workspace, mine: Mine, text: str) -> Done:
    if mine:
        name, said = mine.pop(0)
        try:
            forget(workspace, memories_now(workspace), name, PERSON, is_purge=True)
        except StoreError as error:  # an index run that waits for a processor holds the index for too long
            if not error.message.startswith("gone from the ledger"):
                raise
            yield "refused", "", ""
        yield "purge", name, said


def note_one(workspace: Workspace, mine: Mine, text: str) -> Done:
    session, _ = start(workspace, AGENT, text)
    yield "start", session.id, text
    yield "note", note(workspace, replace(AGENT, session=session.id), f"{text} too")[1].id, f"{text} too"


def recall(workspace: Workspace, mine: Mine, text: str) -> Done:
    from repomem.recall.answer import recall_now
    from repomem.recall.request import BriefRequest
    from repomem.workspace.run import Run

    recall_now(workspace, BriefRequest(text, 1500), Run())
    yield "recall", "", ""


def index_one(workspace: Workspace, mine: Mine, text: str) -> Done:
    from repomem.index.run import index
    from repomem.workspace.run import Run

    Path(workspace.root, f"of_{os.getpid()}.py").write_text(f"def said():\n    return {text!r}\n")
    index(workspace, Run())
    yield "index", "", ""


DEEDS: dict[str, Callable[[Workspace, Mine, str], Done]] = {
    "remember": remember_one,
    "supersede": supersede,
    "forget": forget_one,
    "purge": purge_one,
    "note": note_one,
    "recall": recall,
    "index": index_one,
}


def main(folder: str, seed: str, count: str, *deeds: str) -> None:
    chance, mine, waited = random.Random(int(seed)), list[tuple[str, str]](), waiting_told()
    for number, deed in enumerate(_order(chance, int(count), deeds or tuple(DEEDS))):
        text = f"The {chance.randbytes(5).hex()} of {seed} waits for number {number}"
        with opened(Path(folder), os.environ) as workspace:
            for done in DEEDS[deed](workspace, mine, text):
                tell(json.dumps([*done, waited]))
                waited.clear()


def waiting_told() -> Counter[str]:
    """A tally to which every lock that is taken from now on adds the seconds that it took."""
    waited = Counter[str]()
    acquire = FileLock.acquire

    def timed(lock: FileLock, *arguments: Any, **options: Any) -> object:
        begun = time.monotonic()
        try:
            return acquire(lock, *arguments, **options)
        finally:
            waited[Path(lock.lock_file).name] += time.monotonic() - begun  # type: ignore[assignment]  # seconds

    FileLock.acquire = timed  # type: ignore[method-assign,assignment]  # in this process alone
    return waited


def tell(line: str) -> None:
    """To whoever reads along; at once, since a kill may come next."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def _order(chance: random.Random, count: int, deeds: Sequence[str]) -> list[str]:
    """Every second deed remembers, so that the others have something to work on."""
    return [deeds[0] if number % 2 == 0 else chance.choice(deeds) for number in range(count)]


if __name__ == "__main__":
    main(*sys.argv[1:])
