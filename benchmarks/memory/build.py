"""The generated data as a repository with its ledger: said one by one through the real operation, or added in bulk."""

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

from benchmarks.inputs import git
from benchmarks.memory.generate import Data, Entity, Entry
from repomem.adapters.git.log import head_of
from repomem.adapters.ledger.fold import memories_of
from repomem.core.records import Anchor, Event, Record
from repomem.core.ulid import new_ulid
from repomem.index.run import index
from repomem.memories.amend import supersede
from repomem.memories.anchors.fingerprints import Fingerprints
from repomem.memories.anchors.live_files import stored_bytes
from repomem.memories.history_facts import HistoryFacts
from repomem.memories.new_memory import NewMemory, RememberResult, content_of
from repomem.memories.remember import store_memory
from repomem.memories.snapshots.snapshot import MemorySnapshot
from repomem.memories.status import AnchorLocation, Status, memory_states
from repomem.workspace.ledger import Speaker, ledger_of, origin_of
from repomem.workspace.run import Run
from repomem.workspace.workspace import Workspace, opened

DATE = "2026-01-05T10:00:00 +0000"  # of the commit: the same repository gives the same identity


@dataclass(slots=True)
class Built:
    """A ledger of the data's entries: the memory of each, and what became of it when it was said."""

    workspace: Workspace
    data: Data
    ids: list[str] = field(default_factory=list)
    outcomes: list[RememberResult] = field(default_factory=list)
    superseded: set[str] = field(default_factory=set)  # ids of those that the ledger knows to be amended

    @property
    def rows(self) -> int:
        """How many memories the ledger holds."""
        return len({record.id for record in ledger_of(self.workspace).records() if record.said})

    def current(self, subject: str) -> set[str]:
        """The memories that are true of a subject."""
        return {self.ids[at] for at in self.data.current[subject]}

    def stale(self, subject: str) -> set[str]:
        """The memories of a subject that are true no more."""
        every = {name for name, entry in zip(self.ids, self.data.entries, strict=True) if entry.subject == subject}
        return every - self.current(subject)


@contextmanager
def sealed(home: Path) -> Iterator[None]:
    """Keep this process and those that it starts away from the user's own files."""
    before = dict(os.environ)
    for name in [name for name in os.environ if name.startswith(("REPOMEM_", "XDG_", "GIT_"))]:
        del os.environ[name]
    os.environ |= {
        "HOME": str(home),
        "XDG_DATA_HOME": str(home / "data"),
        "XDG_CONFIG_HOME": str(home / "config"),
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_AUTHOR_NAME": "Ada Example",
        "GIT_AUTHOR_DATE": DATE,
        "GIT_COMMITTER_DATE": DATE,
    }
    try:
        yield
    finally:
        os.environ.clear()
        os.environ |= before


def repository_of(files: Mapping[str, str], folder: Path) -> Path:
    """A repository of one commit that holds the files."""
    folder.mkdir(parents=True)
    for path, text in files.items():
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    git(folder, "init", "-q", "-b", "main")
    git(folder, "add", ".")
    git(folder, "commit", "-q", "-m", "Everything as it is")
    return folder


@contextmanager
def indexed(files: Mapping[str, str], folder: Path) -> Iterator[Workspace]:
    """An open repository of the files, indexed, with an empty ledger."""
    with opened(repository_of(files, folder), {}) as workspace:
        index(workspace, Run())
        yield workspace


def said_one_by_one(workspace: Workspace, data: Data) -> Built:
    """Every entry through `remember`, each knowing those before; a right proposal is accepted, a wrong one is not."""
    built = Built(workspace, data)
    anchors = anchors_of(workspace, data.entries)
    head = head_of(workspace.repository)[0] or ""
    world = HistoryFacts(frozenset([head]), frozenset([head]))
    for entry in data.entries:
        speaker = Speaker(is_person=not entry.agent, tool=entry.agent)
        older = built.ids[entry.of] if entry.of >= 0 else ""
        statement = statement_of(entry, (older,) if entry.is_told else ())
        found = (anchors[entry.entity.symbol],) if entry.names_code else ()
        origin = origin_of(workspace, speaker)
        said = replace(content_of(workspace, statement, origin), anchors=found)
        outcome = store_memory(workspace, _known(workspace, world), statement, said, origin)
        built.ids.append(outcome.id)
        built.outcomes.append(outcome)
        is_right = entry.role == "amendment" and older in {one.id for one in outcome.proposed}
        if is_right:
            supersede(workspace, speaker, older, outcome.id)
        if entry.is_told or is_right:
            built.superseded.add(older)
    return built


def _known(workspace: Workspace, world: HistoryFacts) -> MemorySnapshot:
    """As `memory_snapshot` gives it, without asking git: there is one commit and no edit."""
    told = ledger_of(workspace).records()
    memories = memories_of(told)
    places = {name: tuple(map(_unmoved, one.said.anchors)) for name, one in memories.items() if one.said.anchors}
    return MemorySnapshot(memory_states(memories, places, world), told, world)


def _unmoved(anchor: Anchor) -> AnchorLocation:
    return AnchorLocation(anchor, Status.CURRENT, anchor.path, anchor.symbol)


def added_in_bulk(workspace: Workspace, data: Data) -> Built:
    """Every entry at once, for more than anybody waits for: repeats are left out, amendments all told."""
    built = Built(workspace, data)
    anchors = anchors_of(workspace, data.entries)
    origin = origin_of(workspace, Speaker(is_person=True))
    made: list[Record] = []
    for entry in data.entries:
        if entry.role.endswith("repeat"):
            built.ids.append(built.ids[entry.of])
            continue
        found = (anchors[entry.entity.symbol],) if entry.names_code else ()
        said = replace(content_of(workspace, statement_of(entry), origin), anchors=found)
        made.append(Record(new_ulid(made[-1].id if made else ""), Event.REMEMBER, origin, said=said))
        built.ids.append(made[-1].id)
        if entry.role == "amendment":
            old = (built.ids[entry.of],)
            made.append(Record(new_ulid(made[-1].id), Event.SUPERSEDE, origin, old, built.ids[-1]))
            built.superseded.update(old)
    ledger_of(workspace).append(lambda _: made)
    return built


def statement_of(entry: Entry, supersedes: tuple[str, ...] = ()) -> NewMemory:
    """An entry as a command would give it."""
    kind = entry.kind if entry.is_kind_given else None
    return NewMemory(entry.text, kind, entry.why, entry.rejected, supersedes=supersedes)


def anchors_of(workspace: Workspace, entries: Sequence[Entry]) -> Mapping[str, Anchor]:
    """The anchor that `remember` finds where a text names the class of an entity; all are parsed in one go."""
    entities: dict[str, Entity] = {entry.entity.symbol: entry.entity for entry in entries}
    paths = sorted({entity.path for entity in entities.values()})
    blobs = {path: found[0] for path in paths if (found := stored_bytes(workspace, path))}
    prints = Fingerprints(workspace)
    prints.learn([(blob, path) for path, blob in blobs.items()])
    known = {
        (path, one.qualified): Anchor(path, one.qualified, blob, one.print, one.tokens)
        for path, blob in blobs.items()
        for one in prints.of(blob)
    }
    return {symbol: known[entity.path, symbol] for symbol, entity in entities.items()}
