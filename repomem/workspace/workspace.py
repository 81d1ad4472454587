"""An open repository: its configuration, catalog and store.

The catalog opens at once, the store only on first use: importing LanceDB costs more than everything else together.
"""

import contextlib
import os
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from repomem.adapters.git.repository import Repository
from repomem.adapters.sqlite.catalog import Catalog
from repomem.adapters.sqlite.catalog_rows import TableStamp
from repomem.adapters.sqlite.database import file_of, has_catalog
from repomem.core.config import LoadedConfig, load_config
from repomem.core.digests import short_digest
from repomem.core.disk_errors import store_errors
from repomem.core.errors import EmbeddingError, GitTimeout, StoreDamaged
from repomem.core.processes.locks import tables_lock, write_lock
from repomem.core.shared_storage import is_shared, require_shared
from repomem.core.types.indexed import VECTORS
from repomem.core.types.worktree import WorktreeStatus
from repomem.core.ulid import new_ulid
from repomem.workspace.cache import Cache
from repomem.workspace.data_folder import private_folder
from repomem.workspace.process import check_address_space
from repomem.workspace.trust import is_trusted
from repomem.workspace.user.binding import DATA_FOLDER
from repomem.workspace.vector_space import VectorSpace, space_from

if TYPE_CHECKING:
    from repomem.adapters.lance.store import Store
    from repomem.core.ports import Embedder

TABLES = ("chunks", "episodes")
SPACE = "vectors"  # catalog key: the vector space in use
LEFT = "vectors left"  # catalog key: how many live chunks lack a vector of the configured model
UNKNOWN = "?"
EPOCH = "epoch"  # changes whenever tables are set aside, so that damage seen before is not repaired twice
INDEX_LOCK = "index.lock"  # held by an index run; the write lock is held by each of its transactions
SYNC_LOCK = "sync.lock"  # held by a sync
SYNC = "sync"  # the folder of a sync in progress


@dataclass(frozen=True, slots=True)
class GitCheck:
    """Recent output of git about a worktree and the commits of branches and tags."""

    fingerprint: str
    tips: tuple[str, ...] | None = None  # None: not asked


@dataclass(slots=True)
class StatusOnce:
    """The status of the worktree for one command, or why git gave none; None until git is asked."""

    answer: WorktreeStatus | GitTimeout | None = None


@dataclass(slots=True)
class Workspace:
    """An open repository. Use `opened` to get one, which also closes it."""

    repository: Repository
    loaded: LoadedConfig
    folder: Path  # ledger, catalog, locks; and the store, unless configured elsewhere
    catalog: Catalog
    notices: list[str] = field(default_factory=list)  # repairs and ignored settings, one line each
    cache: Cache = field(default_factory=Cache)  # values read from the published state
    is_hurried: bool = False  # uses no model that takes seconds
    git_check: GitCheck | None = None  # of a server that watches the worktree; None: ask git
    status_once: StatusOnce | None = None  # of the command in progress; None: ask git each time
    _store: "Store | None" = None
    _epoch: str | None = None  # of the catalog when the tables were opened or a run began; None: neither
    _embedders: "dict[str, Embedder]" = field(default_factory=dict)
    _catalog_file: tuple[int, int] = (0, 0)  # as it was opened

    @property
    def root(self) -> str:
        """The worktree's key in the catalog: its top folder, or the git directory of a bare repository."""
        return str(self.repository.top or self.repository.git_dir)

    @property
    def embedder(self) -> "Embedder":
        """The configured model. Raises ConfigError for an unknown name."""
        return self.embedder_of(self.loaded.config.embedding.model)

    def embedder_of(self, spec: str) -> "Embedder":
        """A model by its configured name. Raises ConfigError for an unknown name."""
        if spec not in self._embedders:
            from repomem.workspace.models import embedder_for

            config = self.loaded.config.embedding
            is_configured = spec == config.model  # else the model of stored vectors, which no option names now
            source = self.loaded.source_of("embedding.model") if is_configured else ""
            self._embedders[spec] = embedder_for(spec, config, source)
        return self._embedders[spec]

    @property
    def space(self) -> VectorSpace | None:
        """The vector space in use; None if none was ever complete."""
        return space_from(self.catalog.meta(SPACE))

    @property
    def tables(self) -> tuple[str, ...]:
        """The tables that answers use."""
        space = self.space
        return (*TABLES, space.table) if space else TABLES

    @property
    def store_folder(self) -> Path:
        """The folder of the LanceDB tables."""
        uri = self.loaded.config.store.uri
        if not uri or self.pool_uri:
            return self.folder / "store"
        clone = short_digest(os.fsencode(self.repository.common_dir))
        return Path(uri).expanduser() / f"{self.repository.common_dir.parent.name}-{clone}"

    @property
    def pool_uri(self) -> str:
        """The address of shared storage; empty if none is configured. Raises ConfigError."""
        uri = self.loaded.config.store.uri
        if not is_shared(uri):
            return ""
        require_shared(uri, f"store.uri {self.loaded.source_of('store.uri')}: ")
        return uri

    @property
    def store(self) -> "Store":
        """The tables, checked against the catalog's stamps. Raises StoreDamaged if they contradict it."""
        if self._store is None:
            check_address_space()
            from repomem.adapters.lance.store import Store

            self._epoch = self.catalog.meta(EPOCH)
            # read before the tables that they are compared with
            stamps = {name: self.catalog.table_stamp(name) for name in TABLES}
            store = Store.open(self.store_folder)
            for name in TABLES:
                self._check(store, name, stamps[name])
            if space := self.space:
                self._open_vectors(store, space)
            self._store = store
        return self._store

    @property
    def is_catalog_current(self) -> bool:
        """Whether the opened catalog is still the one in the folder, and writable."""
        return file_of(self.folder) == self._catalog_file and self.is_writable

    @property
    def is_writable(self) -> bool:
        """Whether this process may write to the data folder."""
        return os.access(self.folder, os.W_OK)

    def is_on(self, repository: Repository, loaded: LoadedConfig) -> bool:
        """Whether it was opened on this repository with this configuration."""
        is_same = self.repository == repository and self.repository.settings == repository.settings
        return is_same and self.loaded == loaded

    def close(self) -> None:
        self.catalog.close()

    @property
    def opened_store(self) -> "Store | None":
        """The tables, if they are open."""
        return self._store

    def refresh_store(self) -> None:
        """Close tables that another process has written, deleted or replaced since they were opened."""
        stamps = {name: self.catalog.table_stamp(name) for name in self.tables}
        if self._store and not all(self._store.shows(name, s.version if s else 0) for name, s in stamps.items()):
            self._store = None
        if self._store is None:
            self._epoch = self.catalog.meta(EPOCH)

    def open_vectors(self, space: VectorSpace) -> None:
        """Open the table of a vector space, or let the first write create it; checked like the others."""
        self._open_vectors(self.store, space)

    def _open_vectors(self, store: "Store", space: VectorSpace) -> None:
        stamp = self.catalog.table_stamp(space.table)
        store.open_vectors(space.table, space.dimensions)
        self._check(store, space.table, stamp)

    def _check(self, store: "Store", name: str, stamp: TableStamp | None) -> None:
        """Raise StoreDamaged if the table has fewer rows than its stamp, or an older version; more is fine."""
        version, rows = store.stamp(name)
        if stamp is None or (version >= stamp.version and rows >= stamp.rows):
            return
        if self.catalog.table_stamp(name) == stamp:  # otherwise a writer deleted rows between the two reads
            raise StoreDamaged(f"the table {name!r} has lost rows: {rows} of {stamp.rows} remain", table=name)

    @property
    def were_tables_set_aside(self) -> bool:
        """Whether another process has set tables aside since they were opened."""
        with contextlib.suppress(StoreDamaged):  # the catalog itself is damaged
            return self._epoch is not None and self.catalog.meta(EPOCH) != self._epoch
        return False

    def discard(self, damage: StoreDamaged) -> None:
        """Set aside damaged data, under both locks; of a vector table only that, as its vectors may have cost money.

        Does nothing if another process has done it since the tables were opened.
        """
        with tables_lock(self.folder), write_lock(self.folder):
            if self.were_tables_set_aside:
                self._store = None
                return
            if not damage.table.startswith(VECTORS):
                self.discard_store()
                return
            self._store = None
            shutil.rmtree(self.store_folder / f"{damage.table}.lance", ignore_errors=True)
            (self.store_folder / f"{damage.table}.sums").unlink(missing_ok=True)
            self.catalog.forget_table(damage.table)
            self.catalog.set_meta(LEFT, UNKNOWN)
            self._begin_epoch()

    def discard_store(self) -> None:
        """Set the tables aside until the next damage, and clear the catalog, to rebuild both."""
        self._store = None
        aside = self.store_folder.with_name(self.store_folder.name + ".damaged")
        shutil.rmtree(aside, ignore_errors=True)
        with store_errors("move away the damaged index in", self.store_folder, "check the folder's owner and mode"):
            if self.store_folder.exists():
                self.store_folder.rename(aside)
        self.catalog.clear()
        for key in ("content", SPACE, LEFT):
            self.catalog.set_meta(key, "")
        self._begin_epoch()

    def _begin_epoch(self) -> None:
        self._epoch = new_ulid()
        self.catalog.set_meta(EPOCH, self._epoch)

    def forget_store(self) -> None:
        """Delete the tables and clear the catalog."""
        self.discard_store()
        shutil.rmtree(self.store_folder.with_name(self.store_folder.name + ".damaged"), ignore_errors=True)


def are_vectors_complete(workspace: Workspace) -> bool:
    """Whether every live chunk has a vector of the configured model."""
    space, spec = workspace.space, workspace.loaded.config.embedding.model
    if space is None or space.spec != spec or workspace.catalog.meta(LEFT) != "0":
        return False
    try:
        return space.model == workspace.embedder.model_id
    except EmbeddingError:  # such as a missing folder: reported when the model is used
        return False


def was_indexed(start: Path) -> bool:
    """Whether the repository that contains `start` was ever indexed. Raises GitError if there is none."""
    return has_catalog(Repository.open(start).common_dir / DATA_FOLDER)


@contextlib.contextmanager
def opened(start: Path, environ: Mapping[str, str]) -> Iterator[Workspace]:
    """The workspace of the repository that contains `start`.

    Raises GitError if there is none, ConfigError for a bad configuration, StoreError if the catalog can be
    neither opened nor made.
    """
    with contextlib.closing(open_workspace(*configured(start, environ))) as workspace:
        yield workspace


def configured(start: Path, environ: Mapping[str, str]) -> tuple[Repository, LoadedConfig]:
    """The repository that contains `start`, and its options. Raises GitError, ConfigError."""
    repository = Repository.open(start)
    return repository, load_config(repository.top, environ=environ, trusted=is_trusted)


def open_workspace(repository: Repository, loaded: LoadedConfig) -> Workspace:
    """The workspace of a repository, for the caller to close. Raises StoreError if the catalog cannot be opened."""
    notices = list(loaded.notices)
    folder = private_folder(repository, notices.append, is_trusted=loaded.config.store.trust)
    catalog = Catalog.open(folder)
    return Workspace(repository, loaded, folder, catalog, notices, _catalog_file=file_of(folder))
