"""What every verb works on: one repository with its configuration, catalog and store.

The catalog opens at once, the store only when somebody asks for it: importing LanceDB costs more than all else
together.
"""

import contextlib
import hashlib
import importlib
import os
import shutil
import stat
import sys
import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from repomem.adapters.git.run import Repository, scrub_environment
from repomem.adapters.sqlite.catalog import Catalog, TableStamp
from repomem.adapters.sqlite.database import file_of, has_catalog
from repomem.core.config import LoadedConfig, load_config
from repomem.core.errors import EmbeddingError, StoreDamaged, StoreError
from repomem.core.locks import tables_lock, write_lock
from repomem.core.shared_storage import is_shared, require_shared
from repomem.core.types.indexed import VECTORS
from repomem.core.ulid import new_ulid
from repomem.workspace.cache import Cache
from repomem.workspace.trust import is_trusted
from repomem.workspace.vector_space import VectorSpace, space_from

if TYPE_CHECKING:
    from repomem.adapters.lance.store import Store
    from repomem.core.ports import Embedder

FOLDER = "repomem"  # in the git common directory: shared by all work trees of a clone, seen by none
TABLES = ("chunks", "episodes")
SPACE = "vectors"  # what the catalog calls the space that serves
LEFT = "vectors left"  # and the number of live chunks that have no vector of the configured model yet
UNKNOWN = "?"
EPOCH = "epoch"  # another whenever tables are set aside: who saw damage before knows that it is gone
INDEX_LOCK = "index.lock"  # held by an index run; the write lock is held by each of its transactions
SYNC_LOCK = "sync.lock"  # held by a sync
SYNC = "sync"  # the folder of one that is on: what it shares lies there meanwhile
ADDRESS_SPACE = 3 << 30  # bytes: 2.4 GB were reserved on two cores, of which 0.2 GB were used


@dataclass(frozen=True, slots=True)
class Look:
    """What git said of a work tree, and of the commits that its branches and tags name, a moment ago."""

    fingerprint: str
    tips: tuple[str, ...] | None = None  # None: nobody asked


@dataclass(slots=True)
class Workspace:
    """An open repository. Use `opened` to get one, which also closes it."""

    repository: Repository
    loaded: LoadedConfig
    folder: Path  # ledger, catalog, locks; and the store, unless configured elsewhere
    catalog: Catalog
    notices: list[str] = field(default_factory=list)  # what was repaired or ignored, one line each
    cache: Cache = field(default_factory=Cache)  # what was read of the published state
    is_hurried: bool = False  # asks no model that takes seconds
    look: Look | None = None  # for who is asked often and knows how the work tree stands; None: git is asked
    _store: "Store | None" = None
    _epoch: str | None = None  # of the catalog when the tables were opened, or a run began; None: neither
    _embedders: "dict[str, Embedder]" = field(default_factory=dict)
    _catalog_file: tuple[int, int] = (0, 0)  # as it was opened

    @property
    def root(self) -> str:
        """Names this work tree in the catalog: its top, or the git directory of a bare repository."""
        return str(self.repository.top or self.repository.git_dir)

    @property
    def embedder(self) -> "Embedder":
        """The configured model. Raises ConfigError where its name means none."""
        return self.embedder_of(self.loaded.config.embedding.model)

    def embedder_of(self, spec: str) -> "Embedder":
        """A model by its name in the configuration. Raises ConfigError where it means none."""
        if spec not in self._embedders:
            from repomem.workspace.models import embedder_for

            self._embedders[spec] = embedder_for(spec, self.loaded.config.embedding)
        return self._embedders[spec]

    @property
    def space(self) -> VectorSpace | None:
        """Whose vectors serve; None where none were ever complete."""
        return space_from(self.catalog.meta(SPACE))

    @property
    def tables(self) -> tuple[str, ...]:
        """The tables that answers come from."""
        space = self.space
        return (*TABLES, space.table) if space else TABLES

    @property
    def store_folder(self) -> Path:
        """Where the LanceDB tables lie."""
        uri = self.loaded.config.store.uri
        if not uri or self.pool_uri:
            return self.folder / "store"
        clone = hashlib.blake2b(os.fsencode(self.repository.common_dir), digest_size=8).hexdigest()
        return Path(uri).expanduser() / f"{self.repository.common_dir.parent.name}-{clone}"

    @property
    def pool_uri(self) -> str:
        """Where others leave what they have read, for this repository too; empty: nowhere. ConfigError."""
        uri = self.loaded.config.store.uri
        if not is_shared(uri):
            return ""
        require_shared(uri)
        return uri

    @property
    def store(self) -> "Store":
        """The tables, checked against the catalog's stamps. Raises StoreDamaged where they contradict it."""
        if self._store is None:
            _check_address_space()
            from repomem.adapters.lance.store import Store

            self._epoch = self.catalog.meta(EPOCH)
            stamps = {name: self.catalog.table_stamp(name) for name in TABLES}  # before what they are held against
            store = Store.open(self.store_folder)
            for name in TABLES:
                self._check(store, name, stamps[name])
            if space := self.space:
                self._open_vectors(store, space)
            self._store = store
        return self._store

    @property
    def is_standing(self) -> bool:
        """Whether the catalog that was opened is still the one in the folder, and may be written."""
        return file_of(self.folder) == self._catalog_file and os.access(self.folder, os.W_OK)

    def is_on(self, repository: Repository, loaded: LoadedConfig) -> bool:
        """Whether it was opened on this very repository, configured like this."""
        is_same = self.repository == repository and self.repository.settings == repository.settings
        return is_same and self.loaded == loaded

    def close(self) -> None:
        """Let go of the catalog."""
        self.catalog.close()

    @property
    def opened_store(self) -> "Store | None":
        """The tables, where somebody has asked for them."""
        return self._store

    def refresh_store(self) -> None:
        """Let go of tables that another process has written, deleted or replaced since they were opened."""
        stamps = {name: self.catalog.table_stamp(name) for name in self.tables}
        if self._store and not all(self._store.shows(name, s.version if s else 0) for name, s in stamps.items()):
            self._store = None
        if self._store is None:
            self._epoch = self.catalog.meta(EPOCH)

    def open_vectors(self, space: VectorSpace) -> None:
        """Open the table of a space, or have the first write make it; checked as the others are."""
        self._open_vectors(self.store, space)

    def _open_vectors(self, store: "Store", space: VectorSpace) -> None:
        stamp = self.catalog.table_stamp(space.table)
        store.open_vectors(space.table, space.dimensions)
        self._check(store, space.table, stamp)

    def _check(self, store: "Store", name: str, stamp: TableStamp | None) -> None:
        """An honest table has at least the version and the rows of its stamp: more if a run was cut off."""
        version, rows = store.stamp(name)
        if stamp is None or (version >= stamp.version and rows >= stamp.rows):
            return
        if self.catalog.table_stamp(name) == stamp:  # else a writer cleaned between the two reads
            raise StoreDamaged(f"the table {name!r} has lost rows: {rows} of {stamp.rows}", table=name)

    @property
    def is_begun_anew(self) -> bool:
        """Whether tables were set aside since they were opened here."""
        with contextlib.suppress(StoreDamaged):  # then the catalog is what is damaged
            return self._epoch is not None and self.catalog.meta(EPOCH) != self._epoch
        return False

    def discard(self, damage: StoreDamaged) -> None:
        """Set aside what is damaged, under both locks: of vectors that table alone, they may have been paid for.

        Nothing is, where another process has done that since the tables were opened here.
        """
        with tables_lock(self.folder), write_lock(self.folder):
            if self.is_begun_anew:
                self._store = None
                return
            if not damage.table.startswith(VECTORS):
                self.discard_store()
                return
            self._store = None
            shutil.rmtree(self.store_folder / f"{damage.table}.lance", ignore_errors=True)
            self.catalog.forget_table(damage.table)
            self.catalog.set_meta(LEFT, UNKNOWN)
            self._begin_epoch()

    def discard_store(self) -> None:
        """Set the tables aside and forget what the catalog says of them: they are to be built anew.

        The damaged ones are kept once, beside, until the next damage; nothing in them cannot be rebuilt.
        """
        self._store = None
        aside = self.store_folder.with_name(self.store_folder.name + ".damaged")
        shutil.rmtree(aside, ignore_errors=True)
        try:
            if self.store_folder.exists():
                self.store_folder.rename(aside)
        except OSError as error:
            raise StoreError(
                f"cannot set the damaged index in {self.store_folder} aside: {error.strerror}",
                "check the folder's owner and mode",
            ) from error
        self.catalog.clear()
        for key in ("content", SPACE, LEFT):
            self.catalog.set_meta(key, "")
        self._begin_epoch()

    def _begin_epoch(self) -> None:
        self._epoch = new_ulid()
        self.catalog.set_meta(EPOCH, self._epoch)

    def forget_store(self) -> None:
        """Delete the tables and all that the catalog says of them."""
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


def _check_address_space() -> None:
    """LanceDB's threads and allocators reserve space that they never use, and end the process where they get none."""
    if sys.platform == "win32":
        return
    import resource

    limit = resource.getrlimit(resource.RLIMIT_AS)[0]
    if limit != resource.RLIM_INFINITY and limit < ADDRESS_SPACE:
        raise StoreError(
            f"the index needs {ADDRESS_SPACE >> 30} GB of address space and may have {limit / (1 << 30):.1f}",
            "raise or lift the limit: ulimit -v unlimited",
        )


def prepare_process() -> None:
    """What a process does first: no variable of git leads it astray, and what it writes is its user's alone."""
    scrub_environment()
    os.umask(0o077)


def warm_up() -> None:
    """Start importing LanceDB, which takes a second, while git and the catalog are read."""
    with contextlib.suppress(StoreError):  # told when the tables are asked for
        _check_address_space()
        threading.Thread(target=importlib.import_module, args=("repomem.adapters.lance.store",), daemon=True).start()


def is_known(start: Path) -> bool:
    """Whether the repository that holds the folder `start` was ever indexed. GitError where there is none."""
    return has_catalog(Repository.open(start).common_dir / FOLDER)


@contextlib.contextmanager
def opened(
    start: Path, environ: Mapping[str, str], overrides: Mapping[str, object] | None = None
) -> Iterator[Workspace]:
    """The workspace of the repository that holds the folder `start`.

    Raises GitError where there is none, ConfigError for a bad configuration, StoreError where the catalog can be
    neither opened nor made.
    """
    workspace = open_workspace(*configured(start, environ, overrides))
    try:
        yield workspace
    finally:
        workspace.close()


def configured(
    start: Path, environ: Mapping[str, str], overrides: Mapping[str, object] | None = None
) -> tuple[Repository, LoadedConfig]:
    """The repository that holds the folder `start`, and its options. GitError, ConfigError."""
    repository = Repository.open(start)
    return repository, load_config(repository.top, environ=environ, overrides=overrides or {}, trusted=is_trusted)


def open_workspace(repository: Repository, loaded: LoadedConfig) -> Workspace:
    """The workspace of a repository, for the caller to close. StoreError where the catalog cannot be opened or made."""
    folder = private_folder(repository)
    catalog = Catalog.open(folder)
    return Workspace(repository, loaded, folder, catalog, list(loaded.notices), _catalog_file=file_of(folder))


def private_folder(repository: Repository) -> Path:
    """The folder of what is kept of a repository, made where it is missing. StoreError where others may write there."""
    folder = repository.common_dir / FOLDER
    try:
        folder.mkdir(mode=0o700, exist_ok=True)
    except OSError as error:
        raise StoreError(
            f"cannot make the folder {folder}: {error.strerror}", "check the owner and mode of the git directory"
        ) from error
    if not folder.is_dir() or folder.is_symlink():
        raise StoreError(f"{folder} is not a folder", "move it away and run the command again")
    found = folder.stat()
    if hasattr(os, "getuid") and found.st_uid not in (os.getuid(), 0):
        raise StoreError(f"{folder} belongs to another user", "repomem does not read an index that others can change")
    if found.st_mode & stat.S_IWOTH:
        raise StoreError(f"everybody can write to {folder}", f"delete it, or trust what is in it: chmod 700 {folder}")
    return folder
