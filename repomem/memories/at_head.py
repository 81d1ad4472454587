"""The memories as they stand at one place of the history: the ledger, git and the catalog asked in turn.

ledger -> memories (fold) -> which commits are part of this history -> where the anchors are -> standings
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from repomem.adapters.git.ancestry import ancestors_among, fork_points, present, reachable_among
from repomem.adapters.git.file_history import blobs_at
from repomem.adapters.ledger.fold import memories_of
from repomem.adapters.ledger.trusted_writers import heard
from repomem.core.records import Anchor, Event, Memory, Record
from repomem.core.types import CleanText
from repomem.memories.anchors.place import Place, landings, placed
from repomem.memories.status import Placed, Standing, Status, World, is_trusted, names_of_commit, standings
from repomem.workspace.ledger import ledger_of
from repomem.workspace.snapshot import Past
from repomem.workspace.trust import trusted_writers
from repomem.workspace.workspace import Workspace

INTACT = frozenset({Status.CURRENT, Status.MOVED})
HASH_START = 7  # digits by which a message may name a commit: git's own short form
LIVED_COMMITS = 10  # on top of what landed, without a revert, before an agent's word counts
JOINED = CleanText("joined")  # of a REWRITE: the merge was left out, and `other` is where all of it came together
Places = Mapping[str, tuple[Placed, ...]]


@dataclass(frozen=True, slots=True)
class Remembered:
    """Every memory that is not forgotten, as it stands here, and the records that say so."""

    standings: Mapping[str, Standing]
    records: Sequence[Record]
    world: World
    checked: int = 0  # blobs that had to be parsed to know it

    @property
    def ids(self) -> list[str]:
        """Every id that a prefix could mean, sorted."""
        return sorted(record.id for record in self.records)


def remembered(workspace: Workspace, place: Place, past: Past | None = None) -> Remembered:
    """The memories as they stand at a place."""
    trusted = trusted_writers(workspace)
    records = heard(ledger_of(workspace).records(), trusted)
    if not records:
        return Remembered({}, (), World(frozenset(), frozenset()))
    names = names_in(records)
    if past:
        records = _told_by(workspace, place, records, names, past)
    memories = {name: each for name, each in memories_of(records).items() if not each.is_forgotten}
    world = replace(_world(workspace, place, memories.values(), names, past), trusted=trusted)
    forks = _forks(workspace, place, memories.values(), world)
    places, checked = _places(workspace, place, memories, world, forks, is_kept=past is None)
    places = _landed(workspace, place, places, forks)
    world = _lived(workspace, place, memories, places, world, records)
    return Remembered(standings(memories, places, world), records, world, checked)


def names_in(records: Sequence[Record]) -> World:
    """What the records alone know of commits: the names that they came to have."""
    return World(frozenset(), frozenset(), rewrites_in(records), joins_in(records))


def rewrites_in(records: Iterable[Record]) -> dict[str, tuple[str, ...]]:
    """What commits became, as rewrites were recorded."""
    found: dict[str, tuple[str, ...]] = {}
    for record in records:
        if record.event is Event.REWRITE and record.text != JOINED:
            for old in record.targets:
                found[old] = (*found.get(old, ()), record.other)
    return found


def joins_in(records: Iterable[Record]) -> dict[str, tuple[str, ...]]:
    """What came to hold all that merges joined, as it was recorded."""
    found: dict[str, tuple[str, ...]] = {}
    for record in records:
        if record.event is Event.REWRITE and record.text == JOINED:
            for old in record.targets:
                found[old] = (*found.get(old, ()), record.other)
    return found


def _told_by(workspace: Workspace, place: Place, records: Sequence[Record], world: World, past: Past) -> list[Record]:
    """The records of a past place: told on a commit of its history, or on none that is known and before its time."""
    names = {record.id: list(names_of_commit(record.origin.head, world)) for record in records if record.origin.head}
    part = ancestors_among(workspace.repository, place.head, {name for each in names.values() for name in each})
    return [
        record
        for record in records
        if not part.isdisjoint(names.get(record.id, ())) or (record.id not in names and record.origin.at <= past.until)
    ]


def _world(
    workspace: Workspace,
    place: Place,
    memories: Iterable[Memory],
    bare: World,
    past: Past | None,
) -> World:
    """Which commits that memories were said on are part of this history, and which of the others live elsewhere."""
    names = {name for each in memories if each.origin.head for name in names_of_commit(each.origin.head, bare)}
    ancestors = ancestors_among(workspace.repository, place.head, names)
    others = names - ancestors
    living = reachable_among(workspace.repository, others) if others else set()
    absent = others - present(workspace.repository, others)
    until = past.until if past else ""
    whole = replace(bare, ancestors=ancestors, living=living, is_past=past is not None, until=until)
    if workspace.repository.is_shallow:
        return replace(whole, absent=absent)
    return replace(whole, living=living | (absent & _brought(memories, bare)))


def _brought(memories: Iterable[Memory], bare: World) -> set[str]:
    """The commits that what a sync brought was said on: those that are not here yet live on where it came from."""
    return {name for each in memories if each.origin.writer for name in names_of_commit(each.origin.head, bare)}


def _forks(workspace: Workspace, place: Place, memories: Iterable[Memory], world: World) -> dict[str, str]:
    """Memories of code said on another history, each with the commit where that parted from this one; empty: none."""
    apart = {
        each.id: each.origin.head
        for each in memories
        if each.said.anchors
        and each.origin.head
        and world.ancestors.isdisjoint(names_of_commit(each.origin.head, world))
    }
    if not apart or not place.head:
        return {}
    forks = fork_points(workspace.repository, present(workspace.repository, set(apart.values())), place.head)
    return {name: forks.get(head, "") for name, head in apart.items()}


def _places(
    workspace: Workspace,
    place: Place,
    memories: Mapping[str, Memory],
    world: World,
    forks: Mapping[str, str],
    *,
    is_kept: bool,
) -> tuple[Places, int]:
    """Where the anchors of each memory are now; the archived ones are left alone."""
    live = {name: each for name, each in memories.items() if each.said.anchors and not each.archived}
    wanted = [(anchor, _base(each, world, forks)) for each in live.values() for anchor in each.said.anchors]
    found, checked = placed(workspace, place, wanted, is_kept=is_kept) if wanted else ([], 0)
    rest = iter(found)
    return {name: tuple(next(rest) for _ in each.said.anchors) for name, each in live.items()}, checked


def _base(memory: Memory, world: World, forks: Mapping[str, str]) -> str:
    """The commit of this history from which the memory's code is followed."""
    names = names_of_commit(memory.origin.head, world) if memory.origin.head else ()
    return next((name for name in names if name in world.ancestors), forks.get(memory.id, ""))


def _landed(workspace: Workspace, place: Place, places: Places, forks: Mapping[str, str]) -> Places:
    """Tell of code that was written on another history and stands here all the same: it came by another way.

    Such as a squash that changed it on the way, where no commit is the same. Code that was here before the histories
    parted proves nothing.
    """
    found = dict(places)
    for name, each in places.items():
        if fork := forks.get(name, ""):
            found[name] = tuple(_with_landing(workspace, place, fork, one) for one in each)
    return found


def _with_landing(workspace: Workspace, place: Place, fork: str, one: Placed) -> Placed:
    anchor = one.anchor
    if not anchor.symbol or one.landed or one.status not in INTACT:
        return one
    [before] = blobs_at(workspace.repository, [(fork, anchor.path)])
    there = Place(fork, {anchor.path: before} if before else {})
    [[then], _] = placed(workspace, there, [(anchor, fork)], is_kept=False)
    return one if then.status in INTACT else replace(one, landed=place.head)


def _lived(
    workspace: Workspace,
    place: Place,
    memories: Mapping[str, Memory],
    places: Places,
    world: World,
    records: Sequence[Record],
) -> World:
    """Which work of agents has landed, and which of it has lived: ten commits on top of it, and no revert."""
    waiting = [each for each in memories.values() if not is_trusted(each, world)]
    landed = _landings(workspace, place, waiting, places, world, session_commits(records))
    if not landed or not place.head:
        return world
    part = ancestors_among(workspace.repository, place.head, set(landed.values()))
    landed = {name: commit for name, commit in landed.items() if commit in part}
    reverted = reverts_in(workspace, place.head, set(landed.values()))
    old = _on_top(workspace, place.head)
    aged = ancestors_among(workspace.repository, old, set(landed.values())) if old else set()
    lived = {name for name, commit in landed.items() if commit in aged and commit not in reverted}
    return replace(world, landings=landed, reverted=reverted, lived=lived, ancestors=world.ancestors | part)


def session_commits(records: Iterable[Record]) -> dict[str, tuple[str, ...]]:
    """Session to the commits that were made during it, oldest first."""
    return {record.origin.session: record.commits for record in records if record.event is Event.SESSION_END}


def _landings(
    workspace: Workspace,
    place: Place,
    memories: Iterable[Memory],
    places: Places,
    world: World,
    of_sessions: Mapping[str, tuple[str, ...]],
) -> dict[str, str]:
    """The commit that the work landed with: the first of its session, else the first with its code as it then stood."""
    found: dict[str, str] = {}
    open_: list[tuple[str, Anchor, str]] = []  # memory, anchor, the commit of this history that it was said on
    for memory in memories:
        commits = of_sessions.get(memory.origin.session, ()) if memory.origin.session else ()
        head = next((name for name in names_of_commit(memory.origin.head, world) if name in world.ancestors), "")
        standing = places.get(memory.id, ())
        if any(one.status not in INTACT for one in standing):
            continue  # changed since: that is drift, and confirms nothing
        landed = next((one.landed for one in standing if one.landed), "")
        if commits or landed:
            found[memory.id] = commits[0] if commits else landed
        elif head and standing:
            open_.append((memory.id, standing[0].anchor, head))
    then = blobs_at(workspace.repository, [(head, anchor.path) for _, anchor, head in open_])
    found |= {name: head for (name, anchor, head), blob in zip(open_, then, strict=True) if blob == anchor.blob}
    later = [one for one in open_ if one[0] not in found]
    commits_ = landings(workspace, place, [(anchor, head) for _, anchor, head in later])
    return found | {name: commit for (name, _, _), commit in zip(later, commits_, strict=True) if commit}


def _on_top(workspace: Workspace, head: str) -> str:
    """The commit that LIVED_COMMITS stand on; empty in a history that is shorter."""
    listed = workspace.repository.read("rev-list", "--first-parent", f"--max-count={LIVED_COMMITS + 1}", head)
    commits = listed.decode().split()
    return commits[-1] if len(commits) > LIVED_COMMITS else ""


def reverts_in(workspace: Workspace, head: str, commits: Iterable[str]) -> dict[str, str]:
    """Those of the commits that a later commit of this history says it reverts, with that commit."""
    wanted = {commit[:HASH_START]: commit for commit in commits}
    said = [
        (by, wanted[named[:HASH_START]])
        for by, named in workspace.catalog.placings.reverts()
        if named[:HASH_START] in wanted
    ]
    part = ancestors_among(workspace.repository, head, {by for by, _ in said})
    return {commit: by for by, commit in said if by in part}
