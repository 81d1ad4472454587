"""The published state of a worktree, as ranking reads it: live files, and searches limited to them."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from repomem.adapters.git.objects import blobs_of
from repomem.adapters.git.worktree import read_file
from repomem.adapters.sqlite.catalog import Catalog
from repomem.adapters.sqlite.catalog_rows import FileVersion, History, View, Worktree
from repomem.core.errors import NotFound
from repomem.core.grouping import grouped_by
from repomem.core.scopes import fits
from repomem.core.types.commits import Episode
from repomem.core.types.indexed import IndexedChunk, IndexedEpisode, IndexedFile
from repomem.core.word_statistics import WordStatistics
from repomem.ranking.gather import Corpus
from repomem.workspace.cache import CacheKey
from repomem.workspace.workspace import Workspace


@dataclass(frozen=True, slots=True)
class Scope:
    """Filters for files; empty fields do not restrict."""

    path: str = ""  # a folder or file, or a glob
    language: str = ""

    def holds(self, file: IndexedFile) -> bool:
        """Whether a file passes the filters."""
        if self.language and file.language != self.language:
            return False
        wanted = self.path.removeprefix("./")
        folder = wanted.strip("/")
        if not folder or folder == ".":
            return True
        return file.path == folder or file.path.startswith(folder + "/") or fits(wanted, file.path)

    def __str__(self) -> str:
        where = f"in {self.path}" if self.path else ""
        return f"{where} of language {self.language}".strip() if self.language else where


EVERYWHERE = Scope()


@dataclass(frozen=True, slots=True)
class Window:
    """First and last day, inclusive, as YYYY-MM-DD; empty fields do not restrict."""

    since: str = ""
    until: str = ""

    def holds(self, date: str) -> bool:
        """Whether a day, or a time that starts with it, is within."""
        return self.since <= date[:10] and (not self.until or date[:10] <= self.until)

    def holds_item(self, date: str) -> bool:
        """The same for an item; one without a date, such as a place in the code, always is."""
        return not date or self.holds(date)


ALWAYS = Window()


@dataclass(frozen=True, slots=True)
class EarlierCommit:
    """The earlier commit of a snapshot."""

    commit: str
    until: str  # its time, YYYY-MM-DDTHH:MM:SSZ
    blobs: Mapping[str, str]  # path to blob of its files


@dataclass(frozen=True)
class Tree:
    """The files of a view. Derived values are computed once."""

    catalog: Catalog
    view: View
    lead: str  # the folder of the caller

    @cached_property
    def versions(self) -> dict[str, FileVersion]:
        """Every live version by its path."""
        return {version.path: version for version in self.catalog.file_versions.with_ids(self.view.versions)}

    @cached_property
    def files(self) -> list[IndexedFile]:
        """The live files that have chunks, by path."""
        live = sorted(self.versions.items())
        return [IndexedFile(v.id, path, v.role, v.language, v.chunks) for path, v in live if v.chunks]

    @cached_property
    def chunks(self) -> int:
        """The number of their chunks."""
        return sum(file.chunks for file in self.files)

    @cached_property
    def paths(self) -> Mapping[str, int]:
        """Path to version of the live files with chunks."""
        return {file.path: file.version for file in self.files}

    @cached_property
    def by_name(self) -> Mapping[str, Sequence[str]]:
        """The same paths, sorted, by the name of the file."""
        return grouped_by(self.paths, lambda path: path.rpartition("/")[2])

    def namesakes(self, paths: Iterable[str]) -> list[str]:
        """The paths whose file has the name of one of these files: what its name alone could mean."""
        names = dict.fromkeys(path.rpartition("/")[2] for path in paths)
        return [path for name in names for path in self.by_name.get(name, ())]

    @cached_property
    def blobs(self) -> Mapping[str, str]:
        """Path to blob of every live version."""
        return self.catalog.file_versions.blob_by_path(self.view.versions)

    @cached_property
    def corpus(self) -> Corpus:
        """All files that have chunks, with the statistics of the view."""
        return Corpus(self.files, self.view.chunk_words, self.view.file_words, self.lead)


@dataclass(frozen=True)
class Snapshot:
    """One published state of a worktree, from which questions are answered."""

    workspace: Workspace
    worktree: Worktree
    view: View
    history: History
    past: EarlierCommit | None = None  # for an earlier commit

    @cached_property
    def tree(self) -> Tree:
        """The live files; another snapshot of the same view shares them."""
        catalog, lead = self.workspace.catalog, self.workspace.repository.prefix
        source = catalog.beginnings, self.worktree.view
        return self.workspace.cache.get(TREE, source, lambda: Tree(catalog, self.view, lead))

    @property
    def files(self) -> list[IndexedFile]:
        """The live files that have chunks, by path."""
        return self.tree.files

    def has(self, path: str) -> bool:
        """Whether a live file exists, with or without chunks: facts are read from generated files too."""
        return path in self.tree.versions

    def data(self, path: str, limit: int) -> bytes | None:
        """The bytes of a live file, from the worktree or the earlier commit; None if there are none."""
        if self.past is None:
            found = read_file(self.workspace.repository, path, limit)
            return found if isinstance(found, bytes) else None
        blob = self.past.blobs.get(path, "")
        data = next((data for _, data in blobs_of(self.workspace.repository, [blob] if blob else [])), None)
        return data if data is not None and len(data) <= limit else None

    @property
    def head(self) -> str:
        """The published or earlier commit; empty before the first."""
        return str(json.loads(self.worktree.report).get("head", ""))

    @property
    def lacks_files(self) -> bool:
        """Whether the last index run did not reach every file."""
        return bool(json.loads(self.worktree.report).get("missing_files", 0))

    @cached_property
    def renamed(self) -> Mapping[str, str]:
        """The paths of uncommitted renames, each with its path at the head."""
        return {} if self.past else dict(json.loads(self.worktree.report).get("renamed", {}))

    def path_at_head(self, path: str) -> str:
        """The path of a file at the head: its old one, if its rename is not committed."""
        return self.renamed.get(path, path)

    @property
    def dirty_paths(self) -> list[str]:
        """Paths that differed from HEAD when the worktree was published."""
        return list(json.loads(self.worktree.report).get("dirty", ()))

    def corpus(self, scope: Scope) -> Corpus:
        """The files in scope with the statistics of the whole view; those below the folder of the caller lead.

        NotFound if no file is in it: an answer without hits would say that the code has nothing on the question.
        """
        everything = self.tree.corpus
        if scope == EVERYWHERE:
            return everything
        files = [file for file in self.files if scope.holds(file)]
        if not files:
            raise NotFound(f"no indexed file is {scope}", self._way_out_of(scope))
        return replace(everything, files=files)

    def code(self, corpus: Corpus) -> "LiveCode":
        """The chunks of the files of a corpus."""
        is_everything = len(corpus.files) == len(self.files) and self._rows("chunks") == self.tree.chunks
        return LiveCode(self.workspace, None if is_everything else [file.version for file in corpus.files])

    def newest_episodes(self, limit: int | None = None) -> list[IndexedEpisode]:
        """The episodes of this history, newest first, at most `limit` of them."""
        ids = self.history.episodes[:limit]
        place = {number: at for at, number in enumerate(ids)}
        return sorted(self.workspace.store.episodes(ids), key=lambda row: place[row.id])

    def episodes_by_commit(self, commits: Iterable[str]) -> dict[str, Episode]:
        """The indexed episodes of these commits, of this history or another."""
        ids = self.workspace.catalog.changes.episode_ids(commits)
        rows = self.workspace.store.episodes(sorted(ids.values())) if ids else []
        return {row.episode.commit: row.episode for row in rows}

    def episodes_naming(self, path: str) -> list[IndexedEpisode]:
        """The episodes of this history that name a path, or a path that contains it, in no order."""
        live = set(self.history.episodes)
        return [row for row in self.workspace.store.episodes_naming(path) if row.id in live]

    def episodes_matching(self, words: Sequence[str], limit: int) -> list[IndexedEpisode]:
        """The episodes of this history that match the words best, by id."""
        store, live = self.workspace.store, self.history.episodes
        ids = store.search_words("episodes", words, None if self._rows("episodes") == len(live) else list(live), limit)
        return store.episodes(list(dict.fromkeys(ids)))

    def _way_out_of(self, scope: Scope) -> str:
        """The next step if nothing is in scope."""
        languages = {file.language for file in self.files if file.language}
        if scope.language and scope.language not in languages:
            return f"the languages here: {', '.join(sorted(languages)) or 'none'}"
        return "paths begin at the top of the repository, or here with ./; repomem status shows what is left out"

    def _rows(self, table: str) -> int:
        """All rows of the table, not those of its stamp: a killed run leaves more."""
        return self.workspace.store.stamp(table)[1]


@dataclass(frozen=True, slots=True)
class LiveCode:
    """Implements `core.ports.CodeIndex` over the store."""

    workspace: Workspace
    versions: list[int] | None  # None: every row is live

    def candidates_by_words(self, words: Sequence[str], limit: int) -> list[int]:
        """Versions of the best-matching chunks, best first, once per matching chunk."""
        return self.workspace.store.search_words("chunks", words, self.versions, limit)

    def candidates_by_parts(self, parts: Sequence[str], limit: int) -> list[int]:
        return self.workspace.store.search_parts(parts, self.versions, limit)

    def words(self, versions: Sequence[int]) -> list[tuple[int, int, str]]:
        return self.workspace.store.words("chunks", versions)

    def chunks(self, versions: Sequence[int]) -> list[IndexedChunk]:
        return self.workspace.store.chunks(versions)


TREE = CacheKey[Tree]("tree")
VIEW = CacheKey[View | None]("view")
SNAPSHOT = CacheKey[Snapshot | None]("snapshot")


def snapshot(workspace: Workspace) -> Snapshot | None:
    """The published state of this worktree; None if it was never indexed."""
    workspace.refresh_store()
    return workspace.cache.get(SNAPSHOT, workspace.catalog.moment, lambda: _snapshot(workspace))


def _snapshot(workspace: Workspace) -> Snapshot | None:
    catalog = workspace.catalog
    worktree = catalog.worktree(workspace.root)
    if worktree is None:
        return None
    view = workspace.cache.get(VIEW, (catalog.beginnings, worktree.view), lambda: catalog.view(worktree.view))
    history = catalog.history(worktree.history)
    if view is None:
        return None
    return Snapshot(workspace, worktree, view, history or History("", (), WordStatistics.empty()))
