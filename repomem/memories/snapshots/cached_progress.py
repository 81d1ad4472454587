"""Cached notes on which later work seems to have closed open threads: git is asked once for each state of a history."""

import json
from collections.abc import Mapping, Sequence
from contextlib import suppress

from repomem.core.digests import short_digest
from repomem.core.errors import StoreError
from repomem.core.records import Event, Record
from repomem.memories.status import MemoryState
from repomem.workspace.workspace import Workspace

KEY = "thread progress"  # catalog key: JSON of the newest answers by digest, oldest first
HELD = 8  # answers: one for each worktree or branch in use
_READ = frozenset({Event.SESSION_START, Event.SESSION_END, Event.FORGET})  # what sessions are made of

Answers = dict[str, dict[str, str]]


def digest_of(head: str, threads: Mapping[str, MemoryState], records: Sequence[Record]) -> str:
    """The digest of all that decides the notes: the history, the threads with their places, and the sessions."""
    places = [[name, sorted(paths_of(one))] for name, one in sorted(threads.items())]
    sessions = [record.id for record in records if record.event in _READ]
    return short_digest(json.dumps([head, places, sessions]), 16)


def paths_of(one: MemoryState) -> set[str]:
    """The files of a memory's anchors, as they were called then and are now."""
    return {each.path for each in one.memory.said.anchors} | {each.path for each in one.locations if each.path}


def cached_progress(workspace: Workspace, digest: str) -> dict[str, str] | None:
    """The closing work by thread; None if it is not cached."""
    return _answers(workspace).get(digest)


def cache_progress(workspace: Workspace, digest: str, closing: Mapping[str, str]) -> None:
    """Cache an answer, if the folder is writable."""
    if not workspace.is_writable:
        return
    older = [each for each in _answers(workspace).items() if each[0] != digest]
    newest = [*older, (digest, dict(closing))][-HELD:]
    with suppress(StoreError):
        workspace.catalog.set_meta(KEY, json.dumps(dict(newest)))


def _answers(workspace: Workspace) -> Answers:
    text = workspace.catalog.meta(KEY)
    answers: Answers = json.loads(text) if text else {}
    return answers
