"""The later commit or session that seems to have closed an open thread.

It closes nothing: it is only a note on the thread's line, and a wrong one costs trust. So the commit or session must
have touched the thread's own code and use most of its words. Answers are cached: git is asked once for each state of a
history.
"""

import json
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

from repomem.adapters.git.ancestry import ancestors_among
from repomem.adapters.git.log import log, revisions
from repomem.core.digests import short_digest
from repomem.core.errors import StoreError
from repomem.core.records import Event, MemoryKind, Record
from repomem.core.text.lazy_pattern import lazy_pattern
from repomem.core.text.words import distinctive_stems, stems_of
from repomem.core.types.commits import SHORTEST_HASH, short_hash
from repomem.core.ulid import unique_prefix
from repomem.history.messages import is_stated_revert
from repomem.memories.status import MemoryState
from repomem.sessions.digest import sessions_of
from repomem.workspace.workspace import Workspace

COMMITS = 200  # newest ones that are read: git logs them in some 20 ms, or in a second where trees are large
ANSWER_SECONDS = 0.03  # of a recall, for commits; starting git and reading sessions take another 15 ms
SHARE = 0.6  # of a thread's words, for work on its code
BARE_SHARE = 0.8  # the same of a thread without an anchor
FEWEST_WORDS = 3  # of a thread; fewer say too little to be recognised
IDLE = stems_of(
    "todo fixme open still next follow continue unfinished remains left not yet done need should must later maybe "
    "the and for with from into that this have has are was when then than but add also"
)
_UNDONE = lazy_pattern(r"(?i)\b(?:todo|fixme|wip|not yet|still|fail(?:s|ed)?|unfinished|remains?|gave up|later)\b")

KEY = "thread progress"  # catalog key: JSON of the newest answers by digest, oldest first
HELD = 8  # answers: one for each worktree or branch in use
_READ = frozenset({Event.SESSION_START, Event.SESSION_END, Event.FORGET})  # what sessions are made of


@dataclass(frozen=True, slots=True)
class _Work:
    """A commit or session after the thread was written: its name in a note, its words, and the files it touched."""

    name: str
    words: frozenset[str]
    files: frozenset[str]


def with_progress(
    workspace: Workspace,
    head: str,
    states: Mapping[str, MemoryState],
    records: Sequence[Record],
    seconds: float | None = None,
) -> dict[str, MemoryState]:
    """The open threads that later work seems to have closed, each with the newest such work.

    Reads commits, newest first, for at most `seconds` (default: ANSWER_SECONDS). The result is cached if all commits
    were read.
    """
    threads = {name: one for name, one in states.items() if _is_open(one)}
    if not threads or not head:
        return {}
    digest = _digest_of(head, threads, records)
    closing = _cached(workspace).get(digest)
    if closing is None:
        until = time.monotonic() + (ANSWER_SECONDS if seconds is None else seconds)
        commits = revisions(workspace.repository, COMMITS, head)
        work, is_complete = _work_in(workspace, commits, threads.values(), until)
        closing = _closing_work(threads, commits, work, dict(_sessions(workspace, head, states, records)))
        if is_complete:
            _cache(workspace, digest, closing)
    return {name: replace(threads[name], perhaps_done=work) for name, work in closing.items()}


def _closing_work(
    threads: Mapping[str, MemoryState], commits: Sequence[str], work: Mapping[str, _Work], sessions: Mapping[str, _Work]
) -> dict[str, str]:
    """The name of the newest work that seems to have closed each thread; `commits` are newest first."""
    found: dict[str, str] = {}
    for name, one in threads.items():
        since = commits[: commits.index(one.memory.origin.head)] if one.memory.origin.head in commits else commits
        later = [work[commit] for commit in since if commit in work]
        later += [each for session, each in sessions.items() if session > name]
        closing = next((each for each in later if _closes(each, one)), None)
        if closing:
            found[name] = closing.name
    return found


def _work_in(
    workspace: Workspace, commits: Sequence[str], threads: Iterable[MemoryState], until: float
) -> tuple[dict[str, _Work], bool]:
    """The commits after the oldest thread, without reverts and reverted ones; and whether there was time for all."""
    bases = {one.memory.origin.head for one in threads}
    oldest = max((at for at, commit in enumerate(commits) if commit in bases), default=len(commits))
    reverts: list[str] = []  # messages
    work: dict[str, _Work] = {}
    for record in log(workspace.repository, commits[:oldest], has_all_bytes=False):
        if time.monotonic() > until:
            return work, False
        subject = record.message.partition("\n")[0]
        if is_stated_revert(subject):
            reverts.append(record.message)
            continue
        is_undone = any(record.commit[:SHORTEST_HASH] in text or f'"{subject}"' in text for text in reverts)
        if not is_undone and not _UNDONE.search(subject):
            files = frozenset(path for each in record.files for path in (each.path, each.old_path) if path)
            words = content_stems(record.message)
            work[record.commit] = _Work(f"commit {short_hash(record.commit)}", words, files)
    return work, True


def _is_open(one: MemoryState) -> bool:
    is_thread = one.memory.said.kind is MemoryKind.THREAD
    return is_thread and one.is_shown_here and len(content_stems(one.memory.said.text)) >= FEWEST_WORDS


def content_stems(text: str) -> frozenset[str]:
    """The stems of a text, without words that are common in threads."""
    return distinctive_stems(text, IDLE)


def _closes(work: _Work, one: MemoryState) -> bool:
    paths, words = _paths_of(one), content_stems(one.memory.said.text)
    share = len(words & work.words) / len(words)
    if paths:
        return share >= SHARE and not paths.isdisjoint(work.files)
    return share >= BARE_SHARE


def _sessions(
    workspace: Workspace, head: str, states: Mapping[str, MemoryState], records: Sequence[Record]
) -> Iterator[tuple[str, _Work]]:
    """Sessions that ended in this history with an outcome, newest first."""
    ended = [each for each in sessions_of(records, {name: one.memory for name, one in states.items()}) if each.ended]
    here = ancestors_among(workspace.repository, head, {each.ended.head for each in ended if each.ended})
    ids = [record.id for record in records]
    for each in sorted(ended, key=lambda one: one.id, reverse=True):
        is_stated = each.outcome and not _UNDONE.search(each.outcome)
        if is_stated and each.ended and each.ended.head in here:
            words = content_stems(f"{each.goal} {each.outcome}")
            yield each.id, _Work(f"session {unique_prefix(each.id, ids)}", words, frozenset(each.files))


def _digest_of(head: str, threads: Mapping[str, MemoryState], records: Sequence[Record]) -> str:
    """The digest of all that decides the notes: the history, the threads with their places, and the sessions."""
    places = [[name, sorted(_paths_of(one))] for name, one in sorted(threads.items())]
    sessions = [record.id for record in records if record.event in _READ]
    return short_digest(json.dumps([head, places, sessions]), 16)


def _paths_of(one: MemoryState) -> set[str]:
    """The files of a memory's anchors, as they were called then and are now."""
    return {each.path for each in one.memory.said.anchors} | {each.path for each in one.locations if each.path}


def _cached(workspace: Workspace) -> dict[str, dict[str, str]]:
    """The cached answers: the closing work by thread, for each digest."""
    text = workspace.catalog.meta(KEY)
    answers: dict[str, dict[str, str]] = json.loads(text) if text else {}
    return answers


def _cache(workspace: Workspace, digest: str, closing: Mapping[str, str]) -> None:
    """Cache an answer, if the folder is writable."""
    if not workspace.is_writable:
        return
    older = [each for each in _cached(workspace).items() if each[0] != digest]
    with suppress(StoreError):
        workspace.catalog.set_meta(KEY, json.dumps(dict([*older, (digest, dict(closing))][-HELD:])))
