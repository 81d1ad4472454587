"""The memories at one revision: ledger records, their place in git history, and where their code is now.

ledger -> memories (fold) -> which commits are in this history -> anchor locations -> states
"""

from collections.abc import Iterable, Sequence, Set as AbstractSet
from dataclasses import dataclass, replace
from functools import cached_property

from repomem import __version__
from repomem.adapters.git.ancestry import ancestors_among, present, reachable_among, tips
from repomem.adapters.git.branches import tip_of
from repomem.adapters.git.log import branch_of
from repomem.adapters.git.worktree import is_dirty
from repomem.adapters.ledger.fold import memories_of
from repomem.adapters.ledger.trusted_writers import effective_records, is_untrusted
from repomem.core.errors import NotFound, ambiguous
from repomem.core.records import Event, Memory, MemoryContent, Origin, Record, without_undone
from repomem.core.text.escape import one_line, quoted, visible
from repomem.core.ulid import unique_prefix
from repomem.memories.anchors.live_files import LiveFiles, live_files_now, live_files_of
from repomem.memories.history_facts import (
    HistoryFacts,
    is_work_unknown,
    names_in,
    names_of_commit,
    names_of_record,
    origins_of,
)
from repomem.memories.rewrites.follow import follow_new_commits, follow_rewrites
from repomem.memories.snapshots.anchor_locations import forks_of, locations_of, with_landings
from repomem.memories.snapshots.closed_threads import with_progress
from repomem.memories.snapshots.implementing_commits import implementing_commits
from repomem.memories.snapshots.memory_outlines import MemoryOutlines
from repomem.memories.snapshots.same_value import with_newest_values
from repomem.memories.snapshots.session_work import own_commits
from repomem.memories.snapshots.stored_snapshot import (
    EVENTS,
    LedgerState,
    SnapshotParts,
    StoredRecords,
    StoredStates,
    are_many,
    file_for,
    key_of,
    may_be_stored,
    read_parts,
    store_parts,
    with_new_memories,
)
from repomem.memories.snapshots.trusted_work import with_landed_work
from repomem.memories.status import memory_states
from repomem.workspace.cache import CacheKey
from repomem.workspace.ledger import ledger_of, stamp_here
from repomem.workspace.repairs import repaired
from repomem.workspace.snapshot import EarlierCommit, Snapshot
from repomem.workspace.user.own_memories import own_ledger
from repomem.workspace.workspace import Workspace
from repomem.workspace.writer_trust import trusted_writers

TEXT_IN_ERRORS = 60  # characters
HOUSEKEEPING = frozenset([Event.REWRITE, Event.ANCHOR, Event.GROUP])  # recorded later about earlier facts


@dataclass(frozen=True)
class MemorySnapshot(SnapshotParts):
    """Every memory that is not forgotten with its state at one revision, and the records behind them."""

    mine: frozenset[str] = frozenset()
    checked: int = 0  # blobs that were parsed to locate anchors
    stamp: str = ""  # of the ledger from before it was read

    @cached_property
    def ids(self) -> list[str]:
        """Every id that a prefix could mean, sorted."""
        if isinstance(self.records, StoredRecords):
            return self.records.ids
        return sorted(record.id for record in self.records)

    def said(self, name: str) -> MemoryContent:
        """The content of a memory. KeyError if there is none with this id."""
        return self.states.said(name) if isinstance(self.states, StoredStates) else self.states[name].memory.said

    def is_of_untrusted_writer(self, name: str) -> bool:
        """Whether the writer of a memory is not trusted here."""
        return is_untrusted(self.outlines[name].writer, self.history.trusted)

    @cached_property
    def outlines(self) -> MemoryOutlines:
        """The states without the texts, for lists of all memories."""
        if isinstance(self.states, StoredStates):
            return self.states.outlines
        return MemoryOutlines.of(self.states)

    @cached_property
    def events(self) -> Sequence[Record]:
        """The records of sessions, of the profile, and of forgotten memories."""
        if isinstance(self.records, StoredRecords):
            return self.records.events
        return [record for record in self.records if record.event in EVENTS]

    @cached_property
    def newest(self) -> str:
        """The time of the newest record; empty if there is none."""
        if isinstance(self.records, StoredRecords):
            return self.records.newest
        return max((record.origin.at for record in self.records), default="")

    def short_id(self, name: str) -> str:
        """The shortest prefix that only this id has."""
        return unique_prefix(name, self.ids)

    def named(self, memory: Memory) -> str:
        """A memory's short id and its text, for an error: an id shown before newer ones were written fits several."""
        return f"{self.short_id(memory.id)} {quoted(one_line(memory.said.text, TEXT_IN_ERRORS))}"

    @cached_property
    def forgotten(self) -> list[Memory]:
        """The memories that were forgotten and not purged, last forgotten first."""
        last = {target: each.id for each in self.events if each.event is Event.FORGET for target in each.targets}
        hidden = [each for each in memories_of(self.records).values() if each.is_forgotten] if last else []
        return sorted(hidden, key=lambda memory: last[memory.id], reverse=True)

    def forgotten_memory(self, wanted: str) -> Memory | None:
        """The forgotten memory that an id or a prefix means, the last forgotten one of several; else None."""
        prefix = wanted.strip().upper()
        return next((each for each in self.forgotten if prefix and each.id.startswith(prefix)), None)

    def refuse_forgotten(self, wanted: str) -> None:
        """Raise NotFound if this is the id of a forgotten memory, or a prefix of it."""
        if memory := self.forgotten_memory(wanted):
            short = self.short_id(memory.id)
            hint = f"repomem restore {short} shows it again, repomem forget --purge {short} erases it"
            raise NotFound(f"{short} was forgotten", hint)

    def resolve_id(self, wanted: str) -> str:
        """The id of the memory that a prefix means. NotFound if it means none, a forgotten one, or several."""
        prefix = wanted.strip().upper()
        if not prefix:
            raise NotFound("the id is empty", "repomem memories lists the ids")
        matching = [name for name in self.states if name.startswith(prefix)]
        if not matching:
            self.refuse_forgotten(wanted)
            raise NotFound(f"no memory has the id {one_line(visible(wanted), 40)}", "repomem memories --all lists them")
        if len(matching) > 1:
            named = [self.named(self.states[name].memory) for name in sorted(matching)]
            raise ambiguous(f"{prefix} matches {len(matching)} memories", named)
        return matching[0]


MEMORIES = CacheKey[MemorySnapshot]("memories")


def memories_now(workspace: Workspace) -> MemorySnapshot:
    """The memories for the worktree as it is now.

    A head that no index run has seen may hold rewritten commits under other names: they are followed first.
    """
    return repaired(workspace, lambda: _followed(workspace))


def memories_unfollowed(workspace: Workspace) -> MemorySnapshot:
    """The same without a search for rewritten commits, for hooks that have some fifty milliseconds."""
    return repaired(workspace, lambda: _stored(live_files_now(workspace)))


def memories_in(snapshot: Snapshot, until: str = "") -> MemorySnapshot:
    """The memories for an index snapshot; with `until` as they were at the end of that day, YYYY-MM-DD.

    Memories superseded, denied or forgotten later were current then. They are cached while the published index, the
    ledger and the tips of all branches stay the same.
    """
    workspace = snapshot.workspace
    if until or snapshot.past:
        return memory_snapshot(live_files_of(snapshot), snapshot.past, until)
    follow_new_commits(workspace)
    if workspace.git_check is None or workspace.git_check.tips is None or not snapshot.worktree.fingerprint:
        return _stored(live_files_of(snapshot))
    source = snapshot.worktree, stamp_here(workspace), workspace.git_check.tips
    return workspace.cache.get(MEMORIES, source, lambda: _stored(live_files_of(snapshot)))


def _followed(workspace: Workspace) -> MemorySnapshot:
    files = live_files_now(workspace)
    published = workspace.catalog.worktree(workspace.root)
    indexed_head = published.history.partition(" ")[0] if published else ""
    if files.head and indexed_head != files.head:
        follow_rewrites(workspace, files.head)
    else:
        follow_new_commits(workspace)
    return _stored(files)


def _stored(files: LiveFiles) -> MemorySnapshot:
    """The snapshot that an earlier process stored, or a new one, which is stored if the ledger is large."""
    workspace = files.workspace
    ledger = ledger_of(workspace)
    if not may_be_stored(ledger):
        return memory_snapshot(files)
    trusted = trusted_writers(workspace)
    others = " ".join([own_ledger().stamp, *sorted(trusted)])
    ledgers = LedgerState(stamp_here(workspace), others)
    path = file_for(workspace.folder, workspace.root)
    published = workspace.catalog.worktree(workspace.root)
    key = key_of(
        *(__version__, files.head, branch_of(workspace.repository), sorted(files.blobs.items()), sorted(files.dirty)),
        *(published.history if published else "", tips(workspace.repository), workspace.repository.is_shallow),
    )
    stored = read_parts(path, key, lambda: _records(workspace, trusted, without_undone(own_ledger().records())))
    if stored and (found := with_new_memories(files, stored, ledgers)):
        return MemorySnapshot(found.states, found.records, found.history, found.mine, stamp=ledgers.stamp)
    made = memory_snapshot(files)
    if are_many(len(made.states)) and workspace.is_writable:
        ledgers = replace(ledgers, marks=ledger.marks)
        store_parts(path, key, made, ledgers, lambda: stamp_here(workspace) == ledgers.stamp)
    return made


def _records(workspace: Workspace, trusted: AbstractSet[str], own: Iterable[Record]) -> list[Record]:
    """The records that count here, and the user's own, by id."""
    counted = effective_records(ledger_of(workspace).records(), trusted)
    return sorted([*counted, *own], key=lambda record: record.id)


def memory_snapshot(files: LiveFiles, past: EarlierCommit | None = None, until: str = "") -> MemorySnapshot:
    """The memories at the revision of `files`; with `past` or `until`, only those that were known then."""
    workspace = files.workspace
    stamp = stamp_here(workspace)
    trusted = trusted_writers(workspace)
    own = without_undone(own_ledger().records())
    records = _records(workspace, trusted, own)
    if not records:
        return MemorySnapshot({}, (), HistoryFacts(frozenset(), frozenset()))
    names = names_in(records)
    if until:
        records = [record for record in records if record.origin.at[:10] <= until or record.event in HOUSEKEEPING]
    if past:
        records = _known_then(files, records, names, past)
    memories = {name: each for name, each in memories_of(records).items() if not each.is_forgotten}
    history = replace(_history_facts(files, memories.values(), names, past), trusted=trusted)
    forks = forks_of(files, memories.values(), history)
    history = replace(history, own_commits=own_commits(memories.values(), history, records))
    locations, checked = locations_of(files, memories, history, forks, is_kept=past is None)
    if implemented := implementing_commits(workspace, memories, locations, history.own_commits):
        history = replace(history, own_commits={**history.own_commits, **implemented})
        decisions = {name: memories[name] for name in implemented}
        locations = {**locations, **locations_of(files, decisions, history, forks, is_kept=past is None)[0]}
    locations = with_landings(files, locations, forks)
    landed = {one.landed for each in locations.values() for one in each} - {"", *history.ancestors}
    history = replace(history, ancestors=history.ancestors | ancestors_among(workspace.repository, files.head, landed))
    history = with_landed_work(files, memories, locations, history, records)
    states = memory_states(memories, locations, history)
    states |= with_newest_values(states, history)
    states |= with_progress(workspace, files.head, states, records)
    return MemorySnapshot(states, records, history, frozenset(record.id for record in own), checked, stamp)


def _known_then(
    files: LiveFiles, records: Sequence[Record], history: HistoryFacts, past: EarlierCommit
) -> list[Record]:
    """The records known at a past revision: recorded by then, on a commit of its history or without a commit."""
    names = {record.id: list(names_of_commit(record.origin.head, history)) for record in records if record.origin.head}
    part = ancestors_among(files.workspace.repository, files.head, {name for each in names.values() for name in each})
    return [
        record
        for record in records
        if (record.origin.at <= past.until or record.event in HOUSEKEEPING)
        and (record.id not in names or not part.isdisjoint(names[record.id]))
    ]


def _history_facts(
    files: LiveFiles, memories: Iterable[Memory], names_only: HistoryFacts, past: EarlierCommit | None
) -> HistoryFacts:
    """Which commits of memories are in this history, and which of the others are on another branch."""
    memories, repository = list(memories), files.workspace.repository
    named = [(record, origin) for each in memories for record, origin in origins_of(each)]
    names = {name for each in named for name in names_of_record(*each, names_only)}
    names |= {origin.head for _, origin in named} - {""}
    ancestors = ancestors_among(repository, files.head, names)
    others = names - ancestors
    living = reachable_among(repository, others)
    absent = others - present(repository, others)
    until = past.until if past else ""
    if not past:
        names_only = _with_work_tree(files.workspace, names_only, named)
    facts = replace(names_only, ancestors=ancestors, living=living, is_past=past is not None, until=until)
    if repository.is_shallow:
        return replace(facts, absent=absent)
    synced = absent & _synced_commits(memories, names_only)
    vanished, elsewhere = _vanished(files, named, absent - synced) if not past else (set(), set())
    return replace(facts, living=living | synced | elsewhere, vanished=vanished)


def _vanished(
    files: LiveFiles, named: Iterable[tuple[str, Origin]], absent: AbstractSet[str]
) -> tuple[set[str], set[str]]:
    """Commits that git has deleted, by whether the branch they were made on is in this history or elsewhere.

    An amend or a rebase leaves such commits behind, and without a hook nothing records the new ones.
    """
    branches = {origin.head: origin.branch for _, origin in named if origin.head in absent and origin.branch}
    tips_of = {branch: tip_of(files.workspace.repository, branch) for branch in sorted(set(branches.values()))}
    here = ancestors_among(files.workspace.repository, files.head, set(filter(None, tips_of.values())))
    vanished = {commit for commit, branch in branches.items() if tips_of[branch] in here}
    return vanished, {commit for commit, branch in branches.items() if tips_of[branch]} - vanished


def _with_work_tree(workspace: Workspace, history: HistoryFacts, named: Iterable[tuple[str, Origin]]) -> HistoryFacts:
    """With the branch and the state of the worktree, if a record came with work whose commit is not known."""
    open_ = [origin for record, origin in named if is_work_unknown(record, origin, history)]
    if not open_:
        return history
    branch = branch_of(workspace.repository) or ""
    is_asked = any(origin.is_dirty and origin.branch == branch for origin in open_)
    return replace(history, branch=branch, is_dirty=is_asked and is_dirty(workspace.repository))


def _synced_commits(memories: Iterable[Memory], history: HistoryFacts) -> set[str]:
    """The commits of synced memories: those missing in this clone still exist in their own clone."""
    named = [one for each in memories for one in origins_of(each) if one[1].writer]
    return {name for one in named for name in names_of_record(*one, history)}
