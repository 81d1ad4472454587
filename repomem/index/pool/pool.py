"""Take from shared storage what others have read already, and give what had to be read here.

    new files -> which does the pool have? -> their entries -> workers hold them against the files, or parse
    and once all is published, what was parsed here, is committed and the pool lacks -> pool

Answers come from the local tables alone. The pool is asked by a run that nobody waits for, with a deadline on each
question; where it does not answer, lies or may not be written to, the run goes on without it and a notice says so.
"""

import time
from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from hashlib import blake2b
from importlib.metadata import PackageNotFoundError, version
from itertools import islice
from typing import TYPE_CHECKING, TypeVar
from unicodedata import unidata_version

from repomem.adapters.git.worktree import tracked
from repomem.core.errors import RepomemError, StoreError
from repomem.core.secrets.redact import rules_version
from repomem.index.parse_messages import ParsedFile
from repomem.workspace.freshness import CONTENT_FORMAT
from repomem.workspace.identity import shared_name
from repomem.workspace.run import Run
from repomem.workspace.workspace import Workspace
from repomem.workspace.writer_id import writer_id

if TYPE_CHECKING:
    from repomem.adapters.lance.pool import Found, Pool

FEWEST_FILES = 64  # fewer are parsed sooner than the pool is asked; nor are so few worth a write of their own
OPENING_SECONDS = 5.0  # for the mark, and for the list of tables
FINDING_SECONDS = 5.0  # for the keys of all tables
TAKING_SECONDS = 5.0  # for ENTRIES_AT_ONCE: parsing those files takes no less
GIVING_SECONDS = 20.0  # for ENTRIES_PER_WRITE; the index is published, and nothing waits for it
ENTRIES_AT_ONCE = 512
ENTRIES_PER_WRITE = 4_096
FAULT = "pool fault"  # what the catalog calls the last failure: when and what
NO_POOL = "no pool was set up there: run repomem store init"

Item = TypeVar("Item")
Place = tuple[str, int]  # of a row: its table, and which row there


@dataclass(slots=True)
class Shared:
    """What the pool says of the new files, and what it is to be given."""

    entries: dict[str, bytes] = field(default_factory=dict)  # by blob
    writers: dict[str, str] = field(default_factory=dict)  # who wrote them
    lacking: set[str] = field(default_factory=set)  # blobs of which the pool has none, where it could be asked
    gathered: dict[str, bytes] = field(default_factory=dict)  # entries by blob, to be given
    taken: int = 0
    refused: Counter[str] = field(default_factory=Counter)  # files whose entry was a lie, by its writer

    def heard(self, blob: str, parsed: ParsedFile) -> None:
        """Keep what became of a file's entry."""
        self.taken += parsed.is_taken
        if parsed.is_refused:
            self.refused[self.writers[blob]] += 1
        if parsed.entry and blob in self.lacking:
            self.gathered[blob] = parsed.entry


def asked_pool(workspace: Workspace, run: Run, blobs: Collection[str]) -> Shared:
    """What the pool says of these blobs: nothing, where there is none, they are few, or it does not answer."""
    shared = Shared()
    if not run.may_share or not workspace.pool_uri or len(blobs) < FEWEST_FILES:
        return shared
    with (
        pool_told(workspace),
        opened_pool(workspace) as pool,
        run.progress.stage("Asking the pool", len(blobs), "files") as bar,
    ):
        found = pool.find_entries(entry_stamp(), {_key(blob) for blob in blobs}, FINDING_SECONDS)
        _tell_faults(workspace, found)
        shared.lacking = {blob for blob in blobs if _key(blob) not in found.places}
        bar.advance(len(shared.lacking))
        for key, entry, writer in _taken(pool, found):
            blob = key.hex()
            shared.entries[blob], shared.writers[blob] = entry, writer
            bar.advance()
    return shared


def give_to_pool(workspace: Workspace, shared: Shared, head: str | None) -> None:
    """Give what was parsed here, is committed and the pool lacks; tell what entries were lies."""
    for writer, files in sorted(shared.refused.items()):
        workspace.notices.append(
            f"{files} entries that writer {writer} left in {workspace.pool_uri} are not what the files bear out;"
            " these files were parsed here (repomem store prune --writer ID deletes what one has left)"
        )
    if len(shared.gathered) < FEWEST_FILES or head is None:
        return
    committed = committed_blobs(workspace, head)
    given = {_key(blob): entry for blob, entry in shared.gathered.items() if blob in committed}
    with pool_told(workspace), opened_pool(workspace) as pool:
        for part in batches(given.items(), ENTRIES_PER_WRITE):
            pool.add_entries(entry_stamp(), dict(part), GIVING_SECONDS)
        pool.tidy(GIVING_SECONDS)


def entry_stamp() -> str:
    """Names all that decides what an entry says of the same bytes; entries of another stamp lie in other tables."""
    from repomem.adapters.languages.grammar import LANGUAGES
    from repomem.adapters.languages.packed_outline import (
        ENTRY_FORMAT,  # what parses is loaded by workers, and here where it is asked for
    )

    packages = sorted({grammar.module.replace("_", "-") for grammar in LANGUAGES.values()})
    made_by = [(name, _version(name)) for name in ("tree-sitter", *packages)]
    parts = (ENTRY_FORMAT, rules_version(), unidata_version, made_by)
    return f"{CONTENT_FORMAT}.{blake2b(repr(parts).encode(), digest_size=6).hexdigest()}"


def committed_blobs(workspace: Workspace, head: str | None) -> set[str]:
    """The blobs of the head's files: of nothing else anything is given."""
    return {file.blob for file in tracked(workspace.repository, head)} if head else set()


def last_fault(workspace: Workspace) -> tuple[str, str]:
    """When the pool failed last, as YYYY-MM-DDTHH:MM:SSZ, and what it said; empty where it works."""
    when, _, text = workspace.catalog.meta(FAULT).partition(" ")
    return when, text


def batches(items: Iterable[Item], size: int) -> Iterator[list[Item]]:
    """The items, so many at a time."""
    source = iter(items)
    while part := list(islice(source, size)):
        yield part


@contextmanager
def opened_pool(workspace: Workspace) -> Iterator["Pool"]:
    """The pool of this repository. StoreError, also where nobody has set one up."""
    from repomem.adapters.lance.marker import is_set_up
    from repomem.adapters.lance.pool import Pool
    from repomem.adapters.lance.remote_errors import Network

    uri = workspace.pool_uri
    with Network(uri) as network:
        if not network.ask(is_set_up(uri), OPENING_SECONDS):
            raise StoreError(f"{uri}: {NO_POOL}")
    pool = Pool.open(uri, shared_name(workspace), writer_id(), OPENING_SECONDS)
    try:
        yield pool
    finally:
        pool.close()


@contextmanager
def pool_told(workspace: Workspace) -> Iterator[None]:
    """A failure of the pool as a notice, and in the catalog for who asks later; the run goes on."""
    try:
        yield
    except RepomemError as error:
        hint = f" ({error.hint})" if error.hint else ""
        workspace.notices.append(f"went on without the pool: {error.message}{hint}")
        workspace.catalog.set_meta(FAULT, f"{time.strftime('%Y-%m-%dT%H:%M:%SZ', time.gmtime())} {error.message}")
    else:
        if workspace.catalog.meta(FAULT):
            workspace.catalog.set_meta(FAULT, "")


def _tell_faults(workspace: Workspace, found: "Found[bytes]") -> None:
    workspace.notices += [f"a table of the pool is not used: {fault}" for fault in found.faults]


def _taken(pool: "Pool", found: "Found[bytes]") -> Iterator[tuple[bytes, bytes, str]]:
    """Key, entry and writer of each that the pool has; where a row is damaged, the next writer's."""
    waiting = found.places
    while waiting:
        first = {key: places[0] for key, places in waiting.items()}
        in_order = sorted(first.items(), key=lambda item: item[1])
        lost: set[bytes] = set(first)
        for part in batches(in_order, ENTRIES_AT_ONCE):
            for key, entry in pool.entries(dict(part), TAKING_SECONDS).items():
                lost.discard(key)
                yield key, entry, first[key][0].rpartition("-")[2]
        waiting = {key: waiting[key][1:] for key in lost if waiting[key][1:]}


def _key(blob: str) -> bytes:
    return bytes.fromhex(blob)


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return ""
