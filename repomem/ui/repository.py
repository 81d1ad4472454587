"""The repository behind the page: one question at a time, in a thread of its own, so that the server stays free."""

import asyncio
import json
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

from repomem.core.text.escape import visible, visible_values
from repomem.memories.snapshots.snapshot import MemorySnapshot, memories_in, memories_now
from repomem.recall.open_repository import OpenRepository
from repomem.workspace.cache import CacheKey
from repomem.workspace.ledger import stamp_here
from repomem.workspace.snapshot import snapshot
from repomem.workspace.workspace import Workspace, opened

Question = Callable[[Workspace], object]
"""Gives a value for the page; see `json_text`."""
UNINDEXED = CacheKey[MemorySnapshot]("memories of a worktree that no index run has seen")


@dataclass(slots=True)
class Questions:
    """Answers questions on the worktree as it is then, as JSON."""

    start: Path
    environ: Mapping[str, str]
    notices: dict[str, None] = field(default_factory=dict)  # repairs and ignored settings, each once
    _live: OpenRepository = field(init=False)
    _thread: ThreadPoolExecutor = field(init=False)

    def __post_init__(self) -> None:
        self._live = OpenRepository(self.start, self.environ)
        self._thread = ThreadPoolExecutor(1, "repomem-ui")

    async def ask(self, question: Question) -> bytes:
        """The answer of a question that writes nothing: it may run twice."""
        return await self._in_thread(lambda: self._with_notices(*self._live.answer(question)))

    async def act(self, action: Question) -> bytes:
        """The result of an action."""
        return await self._in_thread(lambda: self._with_notices(*self._live.perform(action)))

    async def ask_apart(self, question: Question) -> bytes:
        """The answer of a long question, in another thread and with the repository opened again."""

        def answer() -> bytes:
            with opened(self.start, self.environ) as workspace:
                return json_text(question(workspace)).encode()

        return await asyncio.get_running_loop().run_in_executor(None, answer)

    def close(self) -> None:
        """Close the repository, after the question that is being answered."""
        self._thread.submit(self._live.close)
        self._thread.shutdown(wait=True)

    def _with_notices(self, answer: object, notices: Iterable[str]) -> bytes:
        self.notices |= dict.fromkeys(notices)
        return json_text(answer).encode()

    async def _in_thread(self, work: Callable[[], bytes]) -> bytes:
        return await asyncio.get_running_loop().run_in_executor(self._thread, work)


def json_text(value: object, shown: Callable[[str], str] = visible) -> str:
    """A value of frozen dataclasses, lists and plain values as JSON; `shown` changes its texts.

    Without invisible characters: browsers would draw, turn or hide text by them.
    """
    return json.dumps(visible_values(value, shown), ensure_ascii=False, separators=(",", ":"))


def memories_for_page(workspace: Workspace) -> MemorySnapshot:
    """The memories of the worktree as it is now, also if the index is behind; kept between two questions."""
    git_check = workspace.git_check
    if git_check is None:
        return memories_now(workspace)
    now = snapshot(workspace)
    if now and now.worktree.fingerprint == git_check.fingerprint:
        return memories_in(now)
    source = git_check.fingerprint, stamp_here(workspace), git_check.tips
    return workspace.cache.get(UNINDEXED, source, lambda: memories_now(workspace))
