"""How a memory stands in one place of the history: whether it is seen there, and what it is worth there.

Everything that git knows comes in as values; nothing here asks it. A memory counts where the commit that it was said
on is part of the history, under its own name or one that a rewrite gave it. What was said on a branch is staged there
until the branch is merged, and is "tried, not merged" once the branch is gone.
"""

from collections.abc import Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace
from enum import StrEnum

from repomem.adapters.ledger.trusted_writers import is_stranger
from repomem.core.records import Anchor, Mark, Memory, Source

STRANGER = "by a writer who is not trusted here"
CHANCE_TOKENS = 12  # a symbol with fewer looks like others by chance: its print alone proves no move


class Status(StrEnum):
    """What a memory is worth, as the contract names it."""

    CURRENT = "current"
    MOVED = "moved"
    DRIFTED = "drifted"
    GONE = "gone"
    SUPERSEDED = "superseded"
    PROVISIONAL = "provisional"


class Seen(StrEnum):
    """Where a memory is seen."""

    HERE = "here"
    STAGED = "staged"  # on another branch that still exists
    TRIED = "tried"  # on a branch that is gone and was never merged
    NOT_YET = "not yet"  # said later than the place in the history that is looked at


@dataclass(frozen=True, slots=True)
class Placed:
    """An anchor, and where its code is now."""

    anchor: Anchor
    status: Status  # current, moved, drifted or gone
    path: str = ""
    symbol: str = ""
    start_line: int = 0
    end_line: int = 0
    commit: str = ""  # that changed or removed the code; empty: the work tree, uncommitted
    landed: str = ""  # the first commit that holds the code as it stood when the memory was said


@dataclass(frozen=True, slots=True)
class World:
    """What git knows at one place of the history."""

    ancestors: AbstractSet[str]  # of the commits that memories were said on, and their later names: those part of it
    living: AbstractSet[str]  # of the same: those that a branch still holds
    rewrites: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # commit to what it became
    joins: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # merge to what came to hold all that it joined
    reverted: Mapping[str, str] = field(default_factory=dict)  # commit to the commit of this history that reverts it
    landings: Mapping[str, str] = field(default_factory=dict)  # memory to the commit that its work landed with
    lived: AbstractSet[str] = frozenset()  # memories whose work had enough commits on top of it
    is_past: bool = False  # an earlier place is looked at: what was said on none of its commits is not known there
    until: str = ""  # of an earlier place: its time, YYYY-MM-DDTHH:MM:SSZ
    trusted: AbstractSet[str] = frozenset()  # the writers whose syncs are believed
    absent: AbstractSet[str] = frozenset()  # of the commits: those that a shallow clone lacks, wherever they belong


@dataclass(frozen=True, slots=True)
class Standing:
    """One memory at one place."""

    memory: Memory
    seen: Seen
    status: Status
    placed: tuple[Placed, ...] = ()
    commit: str = ""  # that made the status what it is
    why: str = ""  # the status in words, where it needs any
    contested_by: str = ""  # a memory that an agent proposes in its place

    @property
    def is_shown(self) -> bool:
        """Whether a brief may hold it."""
        memory = self.memory
        hidden = memory.is_forgotten or memory.archived or memory.grouped_under
        return not hidden and self.status not in {Status.SUPERSEDED, Status.GONE}

    @property
    def is_fact(self) -> bool:
        """Whether it may be told as true here."""
        return self.seen is Seen.HERE and self.status in {Status.CURRENT, Status.MOVED}


def is_everywhere(memory: Memory) -> bool:
    """Whether it is seen on every branch: a person said it, of no certain code."""
    return memory.origin.source is Source.PERSON and not memory.said.anchors and not memory.said.scope


def is_trusted(memory: Memory, world: World) -> bool:
    """Whether a person said or confirmed it, or the work that it was said in has lived.

    What a stranger brought is worth no more than a person here makes of it: he chose the commit that it names.
    """
    if is_confirmed(memory, world):
        return True
    is_known = not is_stranger(memory.origin, world.trusted)
    return is_known and (memory.origin.source is Source.PERSON or memory.id in world.lived)


def is_confirmed(memory: Memory, world: World) -> bool:
    """Whether a person confirmed it."""
    return any(_is_a_persons(mark, world) for mark in memory.confirmed)


def _is_a_persons(mark: Mark, world: World) -> bool:
    return mark.origin.source is Source.PERSON and not is_stranger(mark.origin, world.trusted)


def names_of_commit(commit: str, world: World) -> Iterator[str]:
    """A commit and all that rewrites made of it.

    What holds all that a merge joined does so by its history: what that commit became in turn says nothing of the rest.
    """
    waiting, known = [commit], {commit}
    while waiting:
        name = waiting.pop()
        yield name
        yield from world.joins.get(name, ())
        later = [each for each in world.rewrites.get(name, ()) if each not in known]
        known.update(later)
        waiting += later


def seen(memory: Memory, world: World, placed: tuple[Placed, ...] = ()) -> Seen:
    """Where the memory is seen from this place of the history."""
    head = memory.origin.head
    names = list(names_of_commit(head, world)) if head else []
    is_part = not head or not world.ancestors.isdisjoint(names) or set(names) <= world.absent
    if world.is_past and not is_part and memory.origin.at > world.until:
        return Seen.NOT_YET
    if is_part or is_everywhere(memory) or any(one.landed and one.landed in world.ancestors for one in placed):
        return Seen.HERE
    if not world.living.isdisjoint(names):
        return Seen.STAGED
    return Seen.TRIED


def standings(
    memories: Mapping[str, Memory], places: Mapping[str, tuple[Placed, ...]], world: World
) -> dict[str, Standing]:
    """Every memory that is not forgotten, as it stands here; `places` has where the anchors of each are now."""
    live = {name: memory for name, memory in memories.items() if not memory.is_forgotten}
    found = {name: _standing(memory, places.get(name, ()), world) for name, memory in live.items()}
    return {name: _replaced(one, found, world) for name, one in found.items()}


def _standing(memory: Memory, placed: tuple[Placed, ...], world: World) -> Standing:
    where = seen(memory, world, placed)
    one = Standing(memory, where, _anchored_status(placed), placed)
    worst = next((each for each in placed if each.status is one.status), None)
    if one.status in {Status.DRIFTED, Status.GONE} and worst:
        return replace(one, commit=worst.commit)
    undone = world.reverted.get(world.landings.get(memory.id, ""), "")
    if undone and not placed and not is_confirmed(memory, world):  # anchored code that stands was landed again
        return replace(one, status=Status.PROVISIONAL, commit=undone, why="the work that it was said in was reverted")
    if _is_contradicted(memory, world):
        return replace(one, status=Status.PROVISIONAL, why="contradicted since")
    if not is_trusted(memory, world):
        return replace(one, status=Status.PROVISIONAL, why=_stranger(memory, world))
    return one


def _stranger(memory: Memory, world: World) -> str:
    return STRANGER if is_stranger(memory.origin, world.trusted) else ""


def _anchored_status(placed: tuple[Placed, ...]) -> Status:
    """The worst of the anchors' statuses; gone only where nothing of what it spoke of is left."""
    statuses = {one.status for one in placed}
    if statuses == {Status.GONE}:
        return Status.GONE
    if statuses & {Status.DRIFTED, Status.GONE}:
        return Status.DRIFTED
    return Status.MOVED if Status.MOVED in statuses else Status.CURRENT


def _is_contradicted(memory: Memory, world: World) -> bool:
    """Whether somebody denied it since it was last confirmed; an agent's word does not count against a person's."""
    confirmed = memory.confirmed[-1].record if memory.confirmed else memory.id
    is_firm = is_trusted(memory, world)
    denied = (mark.record for mark in memory.contradicted if _is_a_persons(mark, world) or not is_firm)
    return max(denied, default="") > confirmed


def _replaced(one: Standing, found: Mapping[str, Standing], world: World) -> Standing:
    """Superseded where its successor is seen; an agent's word does not put a person's aside, but contests it.

    Nor does a stranger's word put anybody's aside but his own.
    """
    for name in one.memory.superseded_by:
        successor = found.get(name)
        if successor is None or successor.seen is not Seen.HERE or successor.memory.archived:
            continue
        if _outranks(one.memory, successor.memory, world):
            return replace(one, contested_by=name)
        return replace(one, status=Status.SUPERSEDED, why=f"superseded by {name}")
    return one


def _outranks(one: Memory, successor: Memory, world: World) -> bool:
    if is_trusted(successor, world):
        return False
    is_own = one.origin.writer == successor.origin.writer
    return is_trusted(one, world) or (is_stranger(successor.origin, world.trusted) and not is_own)
