"""Share memories through a git remote, and receive those of others.

    list the remote's refs -> fetch its ledger -> add what is new -> merge it with what is sent -> push (if late: again)

The sent records depend only on those that all clones have, so the order and number of syncs do not matter. Others'
memories keep their authors, and never count as this user's own. What this user sent from another clone does.
"""

import random
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence, Set as AbstractSet
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

from repomem.adapters.git.ancestry import present, reachable_from_tips, remote_tips
from repomem.adapters.git.log import head_of
from repomem.adapters.ledger.ref import Scratch, read_lines, scratch_for, write_lines
from repomem.adapters.ledger.shared_lines import SharedLine, news_in, shared_lines
from repomem.core.errors import GitError, StoreError
from repomem.core.foreign_records import TRAVELLING, clean_record, has_plausible_time
from repomem.core.processes.locks import try_lock
from repomem.core.records import Event, Record
from repomem.memories.history_facts import names_in, names_of_commit
from repomem.memories.maintenance import maintain_ledger
from repomem.memories.rewrites.follow import follow_rewrites
from repomem.sync.remotes import Tips, check_reachable, fetch_ledger, push_ledger, remote_named, tips_of
from repomem.sync.sharing import Share, StayReason, share_of
from repomem.sync.signatures import own_key, own_signature, verified
from repomem.workspace.ledger import ledger_of
from repomem.workspace.user.writer_id import stored_writer_id, writer_id
from repomem.workspace.workspace import SYNC, SYNC_LOCK, Workspace
from repomem.workspace.writer_trust import known_keys, store_keys, trusted_writers
from repomem.workspace.writers import Writer, writers_in

LOCK_WAIT = 150.0  # seconds for another sync of this clone, which a slow remote may delay
MOST_TRIES = 30  # against concurrent pushes
REFUSALS = 3  # of one state: more means it is not a race
MOST_PAUSE = 0.5  # seconds between two tries


@dataclass(frozen=True, slots=True)
class SyncRequest:
    """A sync request."""

    remote: str = ""  # a name or an address; empty: origin, or the only one
    is_dry_run: bool = False  # fetch and report, but receive and send nothing
    with_unpushed: bool = False  # also send memories on commits that the remote lacks
    is_config_trusted: bool = False  # let git run programs named in the clone's configuration


@dataclass(frozen=True, slots=True)
class Synced:
    """The result of a sync; counts are of memories, `records` of all shared records."""

    remote: str
    sent: int
    received: int
    records: int  # on the remote now
    stays: Counter[StayReason] = field(default_factory=Counter)
    erased: int = 0  # records that left the remote because they were purged
    refused: int = 0  # records of others that are not signed by the writer whose id they have
    purged_by_others: int = 0  # this user's memories purged by others: they stay here and are no longer shared
    writers: tuple[Writer, ...] = ()
    is_dry_run: bool = False


def sync(workspace: Workspace, ask: SyncRequest) -> Synced:
    """Merge the remote's ledger and this one.

    Raises NotFound for an unknown remote, GitError if it cannot be reached or refuses, StoreError if nothing can be
    written here.
    """
    repository = workspace.repository
    remote = remote_named(repository, ask.remote)
    check_reachable(repository, remote, is_config_trusted=ask.is_config_trusted)
    head, _ = head_of(repository)
    if head:
        follow_rewrites(workspace, head)
    with _locked_scratch(workspace) as scratch:
        refused = ""
        last: list[str] = []
        for _ in range(MOST_TRIES):
            tips = tips_of(repository, remote)
            last = [*last, tips.ledger] if tips.ledger in last else [tips.ledger]
            if len(last) > REFUSALS:
                raise GitError(
                    f"{remote} refused the ledger: {refused or 'its ref does not contain a ledger'}",
                    "its owner must allow pushes to refs/repomem/ledger; this clone still has your memories",
                )
            theirs = _fetched_ledger(scratch, remote, tips)
            if theirs is not None:
                done, refused = _attempt(workspace, scratch, replace(ask, remote=remote), tips, theirs)
                if not refused:
                    return done
            time.sleep(random.uniform(0, MOST_PAUSE))  # noqa: S311  # not a secret: keeps two from colliding again
    raise GitError(f"others kept pushing to {remote} during the sync", "run repomem sync again")


@contextmanager
def _locked_scratch(workspace: Workspace) -> Iterator[Scratch]:
    """A scratch repository, under the lock of this clone's syncs."""
    with try_lock(workspace.folder / SYNC_LOCK, LOCK_WAIT) as is_held:
        if not is_held:
            raise StoreError("another repomem sync is running in this clone", "wait for it, or end it if it hangs")
        with scratch_for(workspace.repository, workspace.folder / SYNC) as scratch:
            yield scratch


def _fetched_ledger(scratch: Scratch, remote: str, tips: Tips) -> list[SharedLine] | None:
    """The remote's ledger; None if it changed since its refs were read."""
    if not tips.ledger:
        return []
    fetch_ledger(scratch, remote)
    return read_lines(scratch.repository, tips.ledger) if present(scratch.repository, [tips.ledger]) else None


def _attempt(
    workspace: Workspace, scratch: Scratch, ask: SyncRequest, tips: Tips, theirs: Sequence[SharedLine]
) -> tuple[Synced, str]:
    """One attempt: its result, and why the remote refused it."""
    ledger = ledger_of(workspace)
    records = ledger.records()
    own = {writer_id(): key} if (key := own_key()) else {}  # no line under this user's id counts with another key
    found = verified(theirs, {record.id for record in records}, known_keys(workspace) | own)
    received = _new_records(workspace, records, found.lines, own.keys())
    if not ask.is_dry_run:
        store_keys(workspace, {writer: key for writer, key in found.keys.items() if writer not in own})
    if received and not ask.is_dry_run:
        ledger.append(lambda _: received)
        maintain_ledger(workspace)  # purged memories are also removed from the caches
        records = ledger.records()
    share = share_of(records, _has_commit(workspace, records, ask, tips), {each.id for each in theirs})
    writer = stored_writer_id() if share.records else ""
    lines = shared_lines(share.brought, share.records, theirs, writer, own_signature())
    commit = write_lines(scratch.repository, lines) if lines or tips.ledger else ""
    refused = ""
    if commit != tips.ledger and not ask.is_dry_run:
        refused = push_ledger(scratch, ask.remote, tips.ledger, commit)
    done = _result(workspace, ask, (theirs, lines), records, share, received)
    return replace(done, refused=found.refused), refused


def _new_records(
    workspace: Workspace, records: Sequence[Record], theirs: Sequence[SharedLine], own: AbstractSet[str]
) -> list[Record]:
    """What was shared that a ledger of these records lacks, clean; records by the writers in `own` are this user's.

    But only those recorded on a commit of this clone: a signature does not name the repository, so anybody may have
    copied a line here from another one.
    """
    plausible = [each for each in theirs if has_plausible_time(each.id)]
    found = [
        record for record in news_in(plausible, records, trusted_writers(workspace) | own) if record.event in TRAVELLING
    ]
    heads = {record.origin.head for record in found if record.origin.writer in own} - {""}
    here = present(workspace.repository, heads)
    return [
        clean_record(_as_own(record) if record.origin.writer in own and record.origin.head in here else record)
        for record in found
    ]


def _as_own(record: Record) -> Record:
    """The record as it is in the clone where this user wrote it."""
    return replace(record, signature="", origin=replace(record.origin, writer=""))


def _has_commit(workspace: Workspace, records: Sequence[Record], ask: SyncRequest, tips: Tips) -> Callable[[str], bool]:
    """Whether the remote has a commit, under its name or one that a rewrite gave it."""
    if ask.with_unpushed:
        return lambda _: True
    world = names_in(records)
    heads = {record.origin.head for record in records if record.origin.head}
    heads |= {record.other for record in records if record.event is Event.REWRITE}
    names = {head: set(names_of_commit(head, world)) for head in heads}
    there = tips.commits | remote_tips(workspace.repository, ask.remote, tips.branches)
    reachable = reachable_from_tips(workspace.repository, set().union(*names.values()), there)
    return lambda commit: not reachable.isdisjoint(names.get(commit, {commit}))


def _result(
    workspace: Workspace,
    ask: SyncRequest,
    ledgers: tuple[Sequence[SharedLine], Sequence[SharedLine]],
    records: Sequence[Record],
    share: Share,
    received: Sequence[Record],
) -> Synced:
    before, after = ({(each.writer, each.id): each for each in lines} for lines in ledgers)
    left = {record.id for record in share.records} - {name for _, name in after}
    return Synced(
        remote=ask.remote,
        sent=_memories(each.record for key, each in after.items() if key not in before),
        received=_memories(received),
        records=len(after),
        stays=share.stays,
        erased=len(before.keys() - after.keys()),
        purged_by_others=_memories(record for record in share.records if record.id in left),
        writers=writers_in(workspace, [*records, *(received if ask.is_dry_run else ())]),
        is_dry_run=ask.is_dry_run,
    )


def _memories(records: Iterable[Record | None]) -> int:
    return sum(record is not None and record.event is Event.REMEMBER for record in records)
