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

from repomem.catalog.catalog import Catalog
from repomem.catalog.database import has_catalog
from repomem.core.config import LoadedConfig, load_config
from repomem.core.errors import ConfigError, StoreDamaged, StoreError
from repomem.core.trust import is_trusted
from repomem.sources.git import Repository, scrub_environment

if TYPE_CHECKING:
    from repomem.core.ports import Embedder
    from repomem.store.lance import Store

FOLDER = "repomem"  # in the git common directory: shared by all work trees of a clone, seen by none
TABLES = ("chunks", "episodes")
INDEX_LOCK = "index.lock"  # held by an index run; the write lock is held by each of its transactions
ADDRESS_SPACE = 3 << 30  # bytes: 2.4 GB were reserved on two cores, of which 0.2 GB were used


@dataclass(slots=True)
class Workspace:
    """An open repository. Use `opened` to get one, which also closes it."""

    repository: Repository
    loaded: LoadedConfig
    folder: Path  # ledger, catalog, locks; and the store, unless configured elsewhere
    catalog: Catalog
    notices: list[str] = field(default_factory=list)  # what was repaired or ignored, one line each
    _store: "Store | None" = None
    _embedder: "Embedder | None" = None

    @property
    def root(self) -> str:
        """Names this work tree in the catalog: its top, or the git directory of a bare repository."""
        return str(self.repository.top or self.repository.git_dir)

    @property
    def embedder(self) -> "Embedder":
        """The configured model. Raises ConfigError where this version has none of that name."""
        if self._embedder is None:
            model = self.loaded.config.embedding.model
            if model != "builtin":
                raise ConfigError(f"unknown embedding model {model!r}", 'this version has one: model = "builtin"')
            from repomem.embed.hashed import HashedEmbedder

            self._embedder = HashedEmbedder()
        return self._embedder

    @property
    def store_folder(self) -> Path:
        """Where the LanceDB tables lie."""
        uri = self.loaded.config.store.uri
        if "://" in uri:
            raise ConfigError(f"store.uri {uri!r} is not a folder", "object stores come later; give a folder")
        if not uri:
            return self.folder / "store"
        clone = hashlib.blake2b(os.fsencode(self.repository.common_dir), digest_size=8).hexdigest()
        return Path(uri).expanduser() / f"{self.repository.common_dir.parent.name}-{clone}"

    @property
    def store(self) -> "Store":
        """The tables, checked against the catalog's stamps. Raises StoreDamaged where they contradict it."""
        if self._store is None:
            _check_address_space()
            from repomem.store.lance import Store

            store = Store.open(self.store_folder, self.embedder.dimensions)
            for name in TABLES:
                self._check(store, name)
            self._store = store
        return self._store

    def refresh_store(self) -> None:
        """Let go of tables that another process has written, deleted or replaced since they were opened."""
        stamps = {name: self.catalog.table_stamp(name) for name in TABLES}
        if self._store and not all(self._store.shows(name, s.version if s else 0) for name, s in stamps.items()):
            self._store = None

    def _check(self, store: "Store", name: str) -> None:
        """An honest table has at least the version and the rows of its stamp: more if a run was cut off."""
        stamp = self.catalog.table_stamp(name)
        version, rows = store.stamp(name)
        if stamp is None or (version >= stamp.version and rows >= stamp.rows):
            return
        if self.catalog.table_stamp(name) == stamp:  # else a writer cleaned between the two reads
            raise StoreDamaged(f"the table {name!r} has lost rows: {rows} of {stamp.rows}")

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
        self.catalog.set_meta("content", "")

    def forget_store(self) -> None:
        """Delete the tables and all that the catalog says of them."""
        self.discard_store()
        shutil.rmtree(self.store_folder.with_name(self.store_folder.name + ".damaged"), ignore_errors=True)


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
        threading.Thread(target=importlib.import_module, args=("repomem.store.lance",), daemon=True).start()


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
    repository = Repository.open(start)
    loaded = load_config(repository.top, environ=environ, overrides=overrides or {}, trusted=is_trusted)
    folder = repository.common_dir / FOLDER
    _make_private(folder)
    catalog = Catalog.open(folder)
    workspace = Workspace(repository, loaded, folder, catalog, list(loaded.notices))
    try:
        yield workspace
    finally:
        catalog.close()


def _make_private(folder: Path) -> None:
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
