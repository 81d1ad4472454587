"""Replay of a repository's own history: at the parent of an earlier commit, would the brief have named its files?

log -> tasks -> [each, oldest first: replayed in a store of its own -> kept] -> rows -> figures

Nothing of the repository, its index or its ledger is written; what is kept lies in the user's cache folder.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, suppress
from dataclasses import asdict, dataclass, replace
from functools import partial

from repomem import __version__
from repomem.adapters.git.log import cut_off_commits, head_of, revisions
from repomem.adapters.git.run import Repository
from repomem.core.config import LoadedConfig
from repomem.core.errors import RepomemError
from repomem.core.escape import one_line
from repomem.core.secrets.redact import redact
from repomem.core.types import SHORT_HASH, LogRecord
from repomem.evaluate.figures import Figures, ReplayedCommit, ReplayOutcome, figures_of
from repomem.evaluate.outcomes import OutcomeCache
from repomem.evaluate.replay import Replay, ReplayOptions, begun, is_code
from repomem.evaluate.tasks import ReplayTask, tasks_in
from repomem.index.history import records_of
from repomem.ranking.signals import RECALL, as_values
from repomem.workspace.freshness import CONTENT_FORMAT
from repomem.workspace.identity import identity_in, name_in
from repomem.workspace.models import embedder_for
from repomem.workspace.run import Run

KEPT_FORMAT = 4  # raised when the same options give other outcomes, or they are written in another way
SCANNED = 5_000  # newest commits looked through for those that qualify
SUBJECT_LENGTH = 100  # characters
Begin = Callable[[], AbstractContextManager[Replay]]


@dataclass(frozen=True, slots=True)
class Evaluation:
    """The commits that were replayed, oldest first, and those that could not be."""

    name: str  # of the repository, for people
    id: str
    head: str  # empty where there is no commit yet
    budget: int  # tokens of each brief
    asked: int  # commits that were to be replayed
    scanned: int  # commits that were looked through
    rows: Sequence[ReplayedCommit]
    figures: Figures | None  # None where there is no row
    failures: Sequence[str]  # "commit: reason"
    notices: Sequence[str]  # what the figures leave out, one line each


def evaluate(repository: Repository, loaded: LoadedConfig, wanted: ReplayOptions, run: Run) -> Evaluation:
    """Replay the newest commits that qualify, of them those that no earlier run has kept.

    Interrupted, it tells what is kept. Raises RepomemError where there are some and not one could be replayed.
    """
    head = head_of(repository)[0] or ""
    history, tasks = tasks_of(repository, head, wanted.commits)
    identity = identity_in(repository)
    kept = OutcomeCache(identity, _dependencies(repository, loaded, wanted))
    if wanted.is_fresh:
        kept.forget()
    known = kept.read()
    rest = [task for task in tasks if task.commit not in known]
    begin = partial(begun, repository, loaded, history, rest, wanted)
    failures: list[str] = []
    try:
        for found in _outcomes(begin, rest, run):
            if isinstance(found, str):
                failures.append(found)
            else:
                known[found.commit] = found
                kept.add(found)
    except KeyboardInterrupt:
        run.tell(f"{sum(task.commit in known for task in tasks)} of {len(tasks)} commits are replayed and kept")
        raise
    rows = [_row(task, known[task.commit]) for task in tasks if task.commit in known]
    if failures and not rows:
        raise RepomemError(f"none of {len(tasks)} commits could be replayed; the first is {failures[0]}")
    return Evaluation(
        name=name_in(repository),
        id=identity,
        head=head,
        budget=wanted.budget,
        asked=wanted.commits,
        scanned=len(history),
        rows=rows,
        figures=figures_of(rows) if rows else None,
        failures=failures,
        notices=list(_notices(repository, loaded)),
    )


def tasks_of(repository: Repository, head: str, number: int) -> tuple[dict[str, LogRecord], list[ReplayTask]]:
    """The newest commits up to `head`, newest first, and the `number` of them that qualify, oldest first."""
    history = {one.commit: one for one in records_of(repository, revisions(repository, SCANNED, head))} if head else {}
    return history, [replace(task, question=redact(task.question)) for task in tasks_in(history, number, is_code)]


def _outcomes(begin: Begin, tasks: Sequence[ReplayTask], run: Run) -> Iterator[ReplayOutcome | str]:
    """The outcome of each task, or which has none and why."""
    if not tasks:
        return
    with begin() as replay:
        with suppress(RepomemError):  # told when it is its turn
            replay.stand_at(tasks[0].parent, run)  # the first index takes longest, and shows bars of its own
        yield from _in_turn(replay, tasks, run)


def _in_turn(replay: Replay, tasks: Sequence[ReplayTask], run: Run) -> Iterator[ReplayOutcome | str]:
    with run.progress.stage("Replaying", len(tasks), "commits") as stage:
        for task in tasks:
            try:
                yield replay.foretold(task)
            except RepomemError as error:
                yield f"{task.commit[:SHORT_HASH]}: {error.message}"
            stage.advance()


def _row(task: ReplayTask, outcome: ReplayOutcome) -> ReplayedCommit:
    subject = one_line(task.question.partition("\n")[0], SUBJECT_LENGTH)
    return ReplayedCommit(task.commit, task.date, subject, tuple(sorted(task.answers)), outcome)


def _dependencies(repository: Repository, loaded: LoadedConfig, wanted: ReplayOptions) -> object:
    """All that an outcome follows from beside the commit."""
    versions = KEPT_FORMAT, CONTENT_FORMAT, __version__
    return versions, asdict(loaded.config), wanted.budget, as_values(RECALL), sorted(cut_off_commits(repository))


def _notices(repository: Repository, loaded: LoadedConfig) -> Iterator[str]:
    if repository.is_shallow:
        yield "this clone is shallow: what happened before it was cut off votes for nothing; git fetch --unshallow"
    embedding = loaded.config.embedding
    if not embedder_for(embedding.model, embedding).is_cheap:
        yield f"the vectors of {embedding.model} are left out: to make them anew for every commit takes too long"
