"""The task of a brief, as input for candidate items."""

from collections.abc import Sequence
from dataclasses import dataclass

from repomem.core.word_statistics import WordStatistics
from repomem.ranking.memory_signals import RelevantCode
from repomem.ranking.query import Query
from repomem.workspace.snapshot import ALWAYS, Window


@dataclass(frozen=True, slots=True)
class TaskContext:
    """The question of a brief, and the files and symbols that it points at, best first."""

    query: Query | None  # None: the map of the repository
    files: Sequence[str] = ()
    symbols: Sequence[str] = ()  # "path:qualified", best first
    folder: str = ""  # the question is limited to it
    window: Window = ALWAYS
    file_words: WordStatistics | None = None
    is_weak: bool = False  # the files and symbols match only weakly

    @property
    def code(self) -> RelevantCode:
        """The code context for ranking memories."""
        return RelevantCode(self.files, frozenset(self.symbols), self.file_words)
