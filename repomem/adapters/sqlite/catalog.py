"""The catalog: file versions, episodes, the view and history of each worktree, and the stamps of LanceDB tables.

A view is a set of file version ids; a history lists the episode ids reachable from a head, newest first. Both are
published in one transaction, so a reader sees the old state or the new one.
"""

import json
import os
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager
from dataclasses import astuple, fields
from pathlib import Path
from typing import Any, Self

from repomem.adapters.sqlite import database
from repomem.adapters.sqlite.catalog_rows import (
    History,
    TableStamp,
    View,
    Worktree,
    pack_ids,
    unpack_ids,
    unpack_statistics,
)
from repomem.adapters.sqlite.changes import Changes, Trailers
from repomem.adapters.sqlite.file_versions import FileVersions, write_stamps
from repomem.adapters.sqlite.memory_cache import LostCommits, MemoryCache, SentenceScores
from repomem.core.errors import StoreDamaged

_WORKTREE = ", ".join(each.name for each in fields(Worktree))
_SELECT_WORKTREE = f"SELECT {_WORKTREE} FROM worktrees"  # noqa: S608  # fixed columns
DERIVED_FROM_LEDGER = ("unfound",)
DERIVED = ("versions", "views", "worktrees", "episodes", "histories", "commits", "changes", "trailers", "tables")
DERIVED_TEXTS = ("placings", "memory_words", "memory_vectors", "sentence_scores")
KEPT_VIEWS = 8  # unused views and histories that are kept, since a branch switch may need them again


class Catalog:
    """One open catalog. Reads see the last published state; writes are transactions."""

    def __init__(self, connection: sqlite3.Connection, folder: Path) -> None:
        self._use(connection)
        self._folder = folder
        self.beginnings = 0  # how often this object recreated a damaged catalog: ids from before then may be reused

    def _use(self, connection: sqlite3.Connection) -> None:
        """Read and write through this connection."""
        self._db = connection
        self.file_versions = FileVersions(connection)
        self.memory_cache = MemoryCache(connection)
        self.sentence_scores = SentenceScores(connection)
        self.unfound = LostCommits(connection)
        self.changes = Changes(connection)
        self.trailers = Trailers(connection)

    @classmethod
    def open(cls, folder: Path) -> Self:
        """Open or create the catalog in `folder`. Raises StoreError."""
        return cls(database.connect(folder), folder)

    def close(self) -> None:
        self._db.close()

    @property
    def moment(self) -> tuple[int, int, int]:
        """A value that changes with every write, by this process or another."""
        by_others = int(self._db.execute("PRAGMA data_version").fetchone()[0])
        return self.beginnings, by_others, self._db.total_changes

    # The store as a whole

    def meta(self, key: str) -> str:
        """The value stored under a key, or empty."""
        row = self._db.execute("SELECT value FROM meta WHERE key=?", (key,)).fetchone()
        return str(row[0]) if row else ""

    def set_meta(self, key: str, value: str) -> None:
        with self._writing():
            self._db.execute("INSERT OR REPLACE INTO meta VALUES(?,?)", (key, value))

    def table_stamp(self, name: str) -> TableStamp | None:
        """The stamp of a table after the last transaction; None if it has none."""
        row = self._db.execute("SELECT version, rows FROM tables WHERE name=?", (name,)).fetchone()
        return TableStamp(*row) if row else None

    def stamp_table(self, name: str, stamp: TableStamp) -> None:
        """Record a table's state after a transaction that changed no version's rows."""
        with self._writing():
            write_stamps(self._db, {name: stamp})

    def forget_table(self, name: str) -> None:
        """Delete the stamp of a deleted table."""
        with self._writing():
            self._db.execute("DELETE FROM tables WHERE name=?", (name,))

    def clear(self) -> None:
        """Delete everything derived from the tables, before they are rebuilt; ids are not reused.

        A damaged catalog is recreated.
        """
        if not database.is_sound(self._db):
            self._db.close()
            self._use(database.recreate(self._folder))
            self.beginnings += 1
        self._delete_rows(DERIVED)

    def erase(self) -> None:
        """Delete and overwrite everything except `meta`; ids are not reused."""
        self._db.execute("PRAGMA secure_delete=ON")
        self.clear()
        self.erase_derived_texts()
        self._delete_rows(DERIVED_FROM_LEDGER)
        self._db.execute("VACUUM")

    def erase_derived_texts(self) -> None:
        """Delete and overwrite everything derived from memories and sentences, and all briefs, after a purge."""
        self._db.execute("PRAGMA secure_delete=ON")
        with self._writing():
            for table in DERIVED_TEXTS:
                self._db.execute(f"DELETE FROM {table}")  # noqa: S608  # a constant
            self._db.execute("UPDATE worktrees SET brief='', fingerprint=''")
        self._db.execute("VACUUM")  # overwrites pages that were free before

    # Episodes

    def reserve_episodes(self, count: int) -> int:
        """Reserve `count` consecutive episode ids; the first of them."""
        return database.reserve_ids(self._db, "episodes", count)

    def known_episodes(self) -> dict[str, int]:
        """The episode id of every indexed commit."""
        return {commit.hex(): number for number, commit in self._db.execute("SELECT id, commit_id FROM episodes")}

    def record_episodes(self, episodes: Iterable[tuple[int, str]], stamp: TableStamp) -> None:
        """Record (id, commit) after their rows were stored."""
        rows = [(number, bytes.fromhex(commit)) for number, commit in episodes]
        with self._writing():
            self._db.executemany("INSERT OR REPLACE INTO episodes VALUES(?,?)", rows)
            write_stamps(self._db, {"episodes": stamp})

    # Views, histories and worktrees

    def view(self, view_id: str) -> View | None:
        """The view with this id, if it is kept."""
        row = self._db.execute("SELECT versions, chunk_words, file_words FROM views WHERE id=?", (view_id,)).fetchone()
        if row is None:
            return None
        view = View(unpack_ids(row[0]), unpack_statistics(row[1]), unpack_statistics(row[2]))
        if view.id != view_id:
            raise StoreDamaged("the catalog is damaged: a view does not match its id", "run repomem index")
        return view

    def nearest_view(self, versions: Iterable[int]) -> View | None:
        """The kept view that differs least from these versions; None if no view is kept."""
        return self.view(self._nearest("SELECT id, versions FROM views", set(versions)))

    def history(self, head: str) -> History | None:
        """The history of a head, if it is kept."""
        row = self._db.execute("SELECT episodes, words FROM histories WHERE head=?", (head,)).fetchone()
        return History(head, unpack_ids(row[0]), unpack_statistics(row[1])) if row else None

    def nearest_history(self, episodes: Iterable[int]) -> History | None:
        """The kept history that differs least from these episodes; None if no history is kept."""
        return self.history(self._nearest("SELECT head, episodes FROM histories", set(episodes)))

    def worktree(self, root: str) -> Worktree | None:
        """The state of the worktree at `root` when it was last indexed."""
        row = self._db.execute(_SELECT_WORKTREE + " WHERE root=?", (os.fsencode(root),)).fetchone()
        return _worktree(row) if row else None

    def worktrees(self) -> Iterator[Worktree]:
        for row in self._db.execute(_SELECT_WORKTREE + " ORDER BY root"):
            yield _worktree(row)

    def publish(self, worktree: Worktree, view: View | None, history: History | None) -> None:
        """Publish a new state of a worktree; a view or history that is kept already is not written again."""
        with self._writing():
            now = 1 + int(self._db.execute("SELECT coalesce(max(used), 0) FROM views").fetchone()[0])
            if view and not self._keeps("views WHERE id=?", view.id):
                packed = (pack_ids(view.versions), view.chunk_words.to_bytes(), view.file_words.to_bytes())
                self._db.execute("INSERT INTO views VALUES(?,?,?,?,?)", (view.id, *packed, now))
            if history:
                episodes = pack_ids(history.episodes)
                if not self._keeps("histories WHERE head=? AND episodes=?", history.head, episodes):
                    self._db.execute(
                        "INSERT OR REPLACE INTO histories VALUES(?,?,?,?)",
                        (history.head, episodes, history.words.to_bytes(), now),
                    )
            self._db.execute("UPDATE views SET used=? WHERE id=?", (now, worktree.view))
            self._db.execute("UPDATE histories SET used=? WHERE head=?", (now, worktree.history))
            row = (os.fsencode(worktree.root), *astuple(worktree)[1:])
            marks = ",".join("?" * len(row))
            self._db.execute(f"INSERT OR REPLACE INTO worktrees({_WORKTREE}) VALUES({marks})", row)
            self._forget_unused("views", "id", "view")
            self._forget_unused("histories", "head", "history")

    def set_brief(self, made_of: Worktree, brief: str) -> None:
        """Store the brief without a query of a worktree, unless another state has been published since."""
        state = (os.fsencode(made_of.root), made_of.view, made_of.history, made_of.fingerprint)
        with self._writing():
            self._db.execute(
                "UPDATE worktrees SET brief=? WHERE root=? AND view=? AND history=? AND fingerprint=?", (brief, *state)
            )

    def drop_worktree(self, root: str) -> None:
        """Delete the state of a worktree that no longer exists."""
        with self._writing():
            self._db.execute("DELETE FROM worktrees WHERE root=?", (os.fsencode(root),))

    def _writing(self) -> AbstractContextManager[None]:
        return database.transaction(self._db)

    def _delete_rows(self, tables: Iterable[str]) -> None:
        with self._writing():
            for table in tables:
                self._db.execute(f"DELETE FROM {table}")  # noqa: S608  # fixed names

    def _nearest(self, kept: str, wanted: set[int]) -> str:
        differences = (
            (len(wanted.symmetric_difference(unpack_ids(packed))), name) for name, packed in self._db.execute(kept)
        )
        return min(differences, default=(0, ""))[1]

    def _keeps(self, where: str, *values: object) -> bool:
        return self._db.execute(f"SELECT 1 FROM {where}", values).fetchone() is not None  # noqa: S608  # fixed texts

    def _forget_unused(self, table: str, key: str, shown_as: str) -> None:
        self._db.execute(
            f"DELETE FROM {table} WHERE {key} NOT IN (SELECT {shown_as} FROM worktrees) AND {key} NOT IN "  # noqa: S608  # fixed names
            f"(SELECT {key} FROM {table} ORDER BY used DESC LIMIT {KEPT_VIEWS})"
        )


def _worktree(row: tuple[Any, ...]) -> Worktree:
    tree = Worktree(os.fsdecode(row[0]), *row[1:])
    try:
        for text in (tree.report, tree.facts, tree.brief or "{}", tree.profile, tree.decisions):
            json.loads(text)
    except ValueError as error:
        raise StoreDamaged("the catalog is damaged: a worktree's state cannot be read", "run repomem index") from error
    return tree
