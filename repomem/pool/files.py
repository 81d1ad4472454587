"""Download outlines that other clones parsed, and upload those parsed here.

    new files -> which does the pool have? -> their outlines -> workers check them against the files, or parse
    after publishing: outlines of committed files that the pool lacks -> pool

Answers use only local tables. Each request has a deadline; if the pool is unreachable, read-only or wrong, the run
continues without it, with a notice.
"""

from collections.abc import Collection, Iterator
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING
from unicodedata import unidata_version

from repomem.adapters.git.worktree import tracked
from repomem.core.digests import short_digest
from repomem.core.errors import RepomemError, StoreError
from repomem.core.grouping import batches
from repomem.core.packages import installed_version
from repomem.core.secrets.redact import rules_version
from repomem.core.shared_storage import SharedFiles
from repomem.core.times import this_moment
from repomem.workspace.freshness import CONTENT_FORMAT
from repomem.workspace.identity import shared_name
from repomem.workspace.run import Run
from repomem.workspace.user.writer_id import writer_id
from repomem.workspace.workspace import Workspace

if TYPE_CHECKING:
    from repomem.pool.tables import Found, Pool

FEWEST_FILES = 64  # parsing fewer is faster than a request, and fewer do not justify a write
ENTRIES_AT_ONCE = 512
ENTRIES_PER_WRITE = 4_096
FAULT = "pool fault"  # catalog key of the last failure: when and what
NO_POOL = "not set up yet: run repomem store init"

Place = tuple[str, int]  # of a row: its table, and which row there


def download_outlines(workspace: Workspace, run: Run, blobs: Collection[str]) -> SharedFiles:
    """The outlines of these blobs in the pool; none if the blobs are few or the pool does not answer."""
    shared = SharedFiles()
    if len(blobs) < FEWEST_FILES:
        return shared
    with (
        pool_failures_noted(workspace),
        opened_pool(workspace) as pool,
        run.progress.stage("Asking shared storage", len(blobs), "files") as bar,
    ):
        found = pool.find_entries(entry_stamp(), {_key(blob) for blob in blobs})
        workspace.notices += [f"a table in shared storage is not used: {fault}" for fault in found.faults]
        shared.lacking = {blob for blob in blobs if _key(blob) not in found.places}
        bar.advance(len(shared.lacking))
        for key, entry, writer in _downloaded(pool, found):
            blob = key.hex()
            shared.outlines[blob], shared.writers[blob] = entry, writer
            bar.advance()
    return shared


def upload_outlines(workspace: Workspace, shared: SharedFiles, head: str | None) -> None:
    """Upload outlines of committed files that the pool lacks; report writers whose outlines contradicted the files."""
    for writer, files in sorted(shared.refused.items()):
        workspace.notices.append(
            f"{files} entries by writer {writer} in {workspace.pool_uri} contradict the files they describe;"
            " these files were parsed locally (repomem store prune --writer ID deletes one writer's entries)"
        )
    if len(shared.gathered) < FEWEST_FILES or head is None:
        return
    committed = committed_blobs(workspace, head)
    given = {_key(blob): entry for blob, entry in shared.gathered.items() if blob in committed}
    with pool_failures_noted(workspace), opened_pool(workspace) as pool:
        for part in batches(given.items(), ENTRIES_PER_WRITE):
            pool.add_entries(entry_stamp(), dict(part))
        pool.tidy()


def entry_stamp() -> str:
    """A hash of everything that decides the outline of given bytes. Each stamp has its own tables."""
    from repomem.adapters.languages.grammar import LANGUAGES
    from repomem.adapters.languages.packed_outline import (
        ENTRY_FORMAT,  # parsers are loaded in workers, and here only on request
    )

    packages = sorted({grammar.module.replace("_", "-") for grammar in LANGUAGES.values()})
    made_by = [(name, installed_version(name)) for name in ("tree-sitter", *packages)]
    parts = (ENTRY_FORMAT, rules_version(), unidata_version, made_by)
    return f"{CONTENT_FORMAT}.{short_digest(repr(parts), 6)}"


def committed_blobs(workspace: Workspace, head: str | None) -> set[str]:
    """The blobs of the head's files. Nothing else is uploaded."""
    return {file.blob for file in tracked(workspace.repository, head)} if head else set()


def last_fault(workspace: Workspace) -> tuple[str, str]:
    """Time of the last failure, as YYYY-MM-DDTHH:MM:SSZ, and its message; empty if the last run succeeded."""
    when, _, text = workspace.catalog.meta(FAULT).partition(" ")
    return when, text


@contextmanager
def opened_pool(workspace: Workspace) -> Iterator["Pool"]:
    """The pool of this repository. Raises StoreError, also if none was set up."""
    from repomem.pool.marker import is_set_up
    from repomem.pool.network import Network
    from repomem.pool.tables import OPENING_SECONDS, Pool

    uri = workspace.pool_uri
    with closing(Network(uri)) as network:
        if not network.ask(is_set_up(uri), OPENING_SECONDS):
            raise StoreError(f"{uri}: {NO_POOL}")
    with closing(Pool.open(uri, shared_name(workspace), writer_id())) as pool:
        yield pool


@contextmanager
def pool_failures_noted(workspace: Workspace) -> Iterator[None]:
    """Turn a failure of the pool into a notice, and keep it in the catalog for `repomem store status`."""
    try:
        yield
    except RepomemError as error:
        hint = f" ({error.hint})" if error.hint else ""
        workspace.notices.append(f"continued without shared storage: {error.message}{hint}")
        workspace.catalog.set_meta(FAULT, f"{this_moment()} {error.message}")
    else:
        if workspace.catalog.meta(FAULT):
            workspace.catalog.set_meta(FAULT, "")


def _downloaded(pool: "Pool", found: "Found[bytes]") -> Iterator[tuple[bytes, bytes, str]]:
    """Key, outline and writer of each; if a row is damaged, the next writer's."""
    waiting = found.places
    while waiting:
        first = {key: places[0] for key, places in waiting.items()}
        in_order = sorted(first.items(), key=lambda item: item[1])
        lost: set[bytes] = set(first)
        for part in batches(in_order, ENTRIES_AT_ONCE):
            for key, entry in pool.entries(dict(part)).items():
                lost.discard(key)
                yield key, entry, first[key][0].rpartition("-")[2]
        waiting = {key: waiting[key][1:] for key in lost if waiting[key][1:]}


def _key(blob: str) -> bytes:
    return bytes.fromhex(blob)
