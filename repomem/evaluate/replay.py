"""Replays a repository commit by commit in a temporary clone and index, and predicts each commit from its parent.

parent of a commit -> index of the clone -> brief, ranking under each set of weights, baselines

No memories are used: they belong to the repository's identity, and the clone has another.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field, replace

from repomem.adapters.git.log import revisions
from repomem.adapters.git.objects import blob_sizes, blobs_of
from repomem.adapters.git.repository import Repository
from repomem.adapters.git.temporary_repository import borrowed, stand_at
from repomem.adapters.git.worktree import tracked
from repomem.adapters.languages.classify import text_of
from repomem.core.config import LoadedConfig
from repomem.core.ports import Silence
from repomem.core.processes.locks import write_lock
from repomem.core.types.commits import LogRecord
from repomem.core.types.worktree import FileMode
from repomem.evaluate.baselines import BaselineDocument, EarlierCommit, baselines, document, file_document
from repomem.evaluate.changed_lines import LineShares, change_of, line_shares
from repomem.evaluate.commands import three_commands
from repomem.evaluate.figures import BRIEF, COMMANDS, ReplayOutcome
from repomem.evaluate.tasks import Measures, ReplayTask, is_code, measured, question_of, recall_at, variants
from repomem.history.episodes import match_history
from repomem.index.at_commit import snapshot_at
from repomem.index.maintenance import index_tables
from repomem.index.vectors import begin_vectors
from repomem.ranking.gather import Evidence
from repomem.ranking.query import Query
from repomem.ranking.rank import ranked_files
from repomem.ranking.signals import RECALL
from repomem.recall.brief import recall
from repomem.recall.request import BriefRequest
from repomem.recall.search import evidence_for
from repomem.workspace.run import Run
from repomem.workspace.scratch import scratch_folder
from repomem.workspace.snapshot import EVERYWHERE, Snapshot
from repomem.workspace.workspace import Workspace, open_workspace

EARLIER = 3_000  # commits that the baselines search
IDENTITY = "replay"  # real identities are hexadecimal


@dataclass(frozen=True, slots=True)
class ReplayOptions:
    commits: int  # the newest that qualify
    budget: int  # tokens of each brief
    is_fresh: bool = False  # ignore cached outcomes


@dataclass(slots=True)
class Replay:
    """The clone and its index, with the files and messages that were read."""

    workspace: Workspace
    history: Mapping[str, LogRecord]  # by commit, newest first
    words: frozenset[str]  # of all questions
    options: ReplayOptions
    # of the last commit, by path and blob
    _files: dict[tuple[str, str], BaselineDocument] = field(default_factory=dict)
    _earlier: dict[str, EarlierCommit] = field(default_factory=dict)  # by commit

    def stand_at(self, commit: str, run: Run) -> Snapshot:
        """Index a commit as the current state: nothing later is visible."""
        workspace = self.workspace
        stand_at(workspace.repository, commit)
        found, _ = snapshot_at(workspace, commit, run, is_indexed=True)
        index_tables(workspace)
        with write_lock(workspace.folder):  # the next commit's word statistics build on this one's
            workspace.catalog.publish(found.worktree, found.view, found.history)
        return found

    def predict(self, task: ReplayTask) -> ReplayOutcome:
        """The prediction for a task at its commit's parent."""
        found = self.stand_at(task.parent, Run(progress=Silence()))
        brief = recall(found, BriefRequest(task.question, self.options.budget))
        query = Query(task.question)
        evidence = evidence_for(found, query, EVERYWHERE, match_history(found, query, is_shown=False))
        named = list(dict.fromkeys(item.path for item in brief.items if item.path))
        rivals = baselines(task.question, self._documents(task.parent), self._before(task.parent))
        rankings = {BRIEF: list(filter(is_code, named)), **rivals}
        return ReplayOutcome(
            task.commit,
            {name: measured(ranking, task.answers) for name, ranking in rankings.items()},
            self._signals(query, evidence, task),
            recall_at(len(named), named, task.answers),
            recall_at(len(named), named, task.changed),
            brief.tokens,
            self._lines(found, task, brief.markdown),
        )

    def _lines(self, found: Snapshot, task: ReplayTask, brief: str) -> dict[str, LineShares]:
        """How much the brief and three commands show of the changed lines."""
        change = change_of(found, task)
        if change is None:
            return {}
        told = {BRIEF: brief, COMMANDS: three_commands(found, task, self.options.budget)}
        return {name: line_shares(text, change) for name, text in told.items()}

    def _signals(self, query: Query, evidence: Evidence, task: ReplayTask) -> dict[str, Measures]:
        """The measures under each variant of the weights, from the same evidence."""
        return {
            name: measured(
                [one.file.path for one in ranked_files(query, evidence, weights) if is_code(one.file.path)],
                task.answers,
            )
            for name, weights in variants(RECALL.without("here")).items()  # a commit has no working folder
        }

    def _documents(self, commit: str) -> list[BaselineDocument]:
        """The code files of a commit; unchanged files are not read again."""
        repository = self.workspace.repository
        files = {
            (file.path, file.blob)
            for file in tracked(repository, commit)
            if file.mode in (FileMode.REGULAR, FileMode.EXECUTABLE) and is_code(file.path)
        }
        new = sorted(files - self._files.keys())
        texts = self._texts({blob for _, blob in new})
        read = {(path, blob): file_document(path, texts[blob], self.words) for path, blob in new if blob in texts}
        known = self._files | read
        self._files = {key: known[key] for key in sorted(files & known.keys())}
        return list(self._files.values())

    def _texts(self, blobs: set[str]) -> dict[str, str]:
        """The texts of the blobs that the index would include."""
        limit = self.workspace.loaded.config.index.max_file_kb * 1024
        sizes = blob_sizes(self.workspace.repository, blobs)
        small = sorted(blob for blob, size in sizes.items() if size is not None and size <= limit)
        return {
            blob: text
            for blob, data in blobs_of(self.workspace.repository, small)
            if (text := text_of(data)) is not None
        }

    def _before(self, commit: str) -> list[EarlierCommit]:
        """The newest non-merge commits up to and including a commit, newest first."""
        records = map(self.history.get, revisions(self.workspace.repository, EARLIER, commit))
        return [self._read(record) for record in records if record and len(record.parents) < 2]

    def _read(self, record: LogRecord) -> EarlierCommit:
        if record.commit not in self._earlier:
            paths = [file.path for file in record.files]
            message = document(record.commit, question_of(record.message), self.words)
            self._earlier[record.commit] = EarlierCommit(message, tuple(filter(is_code, paths)), len(paths))
        return self._earlier[record.commit]


@contextmanager
def begin_replay(
    repository: Repository,
    loaded: LoadedConfig,
    history: Mapping[str, LogRecord],
    tasks: Sequence[ReplayTask],
    options: ReplayOptions,
) -> Iterator[Replay]:
    """A replay under the user's configuration; its files are deleted at the end."""
    config = loaded.config
    here = replace(loaded, config=replace(config, store=replace(config.store, uri="")))  # the tables too
    with (
        scratch_folder() as folder,
        closing(open_workspace(borrowed(repository, folder / IDENTITY), here)) as workspace,
    ):
        with write_lock(workspace.folder):
            workspace.catalog.set_meta("identity", IDENTITY)
        begin_vectors(workspace)
        words = frozenset(word for task in tasks for word in document("", task.question).counts)
        yield Replay(workspace, history, words, options)
