"""A memory and a commit as a row of a list."""

from collections.abc import Iterable
from dataclasses import dataclass

from repomem.adapters.git.ancestry import present
from repomem.adapters.git.log import log
from repomem.core.secrets.redact import redact
from repomem.core.text.escape import one_line, visible_place
from repomem.core.times import moment_of
from repomem.core.types.commits import short_hash
from repomem.memories.listing import ListedMemory, current_places
from repomem.memories.snapshots.snapshot import MemorySnapshot
from repomem.memories.status import MemoryState
from repomem.workspace.workspace import Workspace

SUBJECT_LENGTH = 120  # characters; a longer text is not a subject
TEXT_LENGTH = 300  # characters of a memory in a list; its own page has the rest


@dataclass(frozen=True, slots=True)
class MemoryRow:
    """A memory in a list."""

    id: str
    short_id: str
    kind: str
    status: str
    text: str  # on one line, shortened
    date: str  # YYYY-MM-DD
    author: str
    source: str  # person, agent, commit, file or transcript
    places: tuple[str, ...]  # PATH or PATH:SYMBOL
    is_pinned: bool
    is_mine: bool


@dataclass(frozen=True, slots=True)
class CommitRow:
    """A commit in a sentence."""

    short: str
    subject: str
    author: str
    date: str  # YYYY-MM-DD
    at: str  # the committer's time, YYYY-MM-DDTHH:MM:SSZ


def memory_row(one: MemoryState, known: MemorySnapshot) -> MemoryRow:
    """A memory as a row."""
    memory = one.memory
    return MemoryRow(
        id=memory.id,
        short_id=known.short_id(memory.id),
        kind=memory.said.kind.value,
        status=ListedMemory(one).status,
        text=one_line(memory.said.text, TEXT_LENGTH),
        date=memory.origin.at[:10],
        author=memory.origin.author,
        source=memory.origin.source.value,
        places=tuple(visible_place(*place) for place in current_places(one)),
        is_pinned=memory.pinned is not None,
        is_mine=memory.id in known.mine,
    )


def commit_rows(workspace: Workspace, commits: Iterable[str]) -> dict[str, CommitRow]:
    """The commits that this clone has, by their hashes; one call of git for all."""
    here = present(workspace.repository, set(commits) - {""})
    return {
        each.commit: CommitRow(
            short_hash(each.commit),
            redact(one_line(each.message.partition("\n")[0], SUBJECT_LENGTH)),
            redact(one_line(each.author, SUBJECT_LENGTH)),
            each.date,
            moment_of(each.time),
        )
        for each in (log(workspace.repository, sorted(here)) if here else ())
    }
