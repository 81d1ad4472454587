"""`repomem eval`: replay the repository's history and compare briefs with baselines.

log -> tasks -> outcome of each, oldest first (replayed, then cached) -> figures

The repository, its index and its ledger are not written; outcomes and the list of the last evaluation are kept in the
user's cache folder.
"""

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, suppress
from dataclasses import asdict, replace

from repomem import __version__
from repomem.adapters.git.log import cut_off_commits, head_of, revisions
from repomem.adapters.git.repository import Repository
from repomem.core.config import LoadedConfig
from repomem.core.errors import RepomemError
from repomem.core.secrets.redact import redact
from repomem.core.text.escape import one_line
from repomem.core.times import this_moment
from repomem.core.types.commits import LogRecord, short_hash
from repomem.evaluate.figures import Evaluation, ReplayedCommit, ReplayOutcome, figures_of
from repomem.evaluate.last_evaluation import keep_last
from repomem.evaluate.outcomes import outcomes_of
from repomem.evaluate.replay import Replay, ReplayOptions, begin_replay
from repomem.evaluate.tasks import ReplayTask, tasks_in
from repomem.index.history import records_of
from repomem.ranking.signals import RECALL, as_values
from repomem.workspace.freshness import CONTENT_FORMAT
from repomem.workspace.identity import identity_in, name_in
from repomem.workspace.models import embedder_for
from repomem.workspace.run import Run

OUTCOME_FORMAT = 6  # increase when the same options give other outcomes, or their format changes
SCANNED = 5_000  # newest commits searched for tasks
SUBJECT_LENGTH = 100  # characters


def evaluate(repository: Repository, loaded: LoadedConfig, options: ReplayOptions, run: Run) -> Evaluation:
    """Replay the newest commits that qualify and have no cached outcome.

    RepomemError if there are some and none could be replayed.
    """
    head = head_of(repository)[0] or ""
    history, tasks = tasks_of(repository, head, options.commits)
    identity = identity_in(repository)
    cache = outcomes_of(identity, _dependencies(repository, loaded, options))
    if options.is_fresh:
        cache.clear()
    known = cache.read()
    rest = [task for task in tasks if task.commit not in known]
    replay = begin_replay(repository, loaded, history, rest, options)
    failures: list[str] = []
    try:
        for found in _outcomes(replay, rest, run):
            if isinstance(found, str):
                failures.append(found)
            else:
                known[found.commit] = found
                cache.add(found)
    except KeyboardInterrupt:
        run.tell(f"{sum(task.commit in known for task in tasks)} of {len(tasks)} commits are replayed and saved")
        raise
    rows = [_row(task, known[task.commit]) for task in tasks if task.commit in known]
    if failures and not rows:
        raise RepomemError(f"none of {len(tasks)} commits could be replayed; the first failure: {failures[0]}")
    evaluation = Evaluation(
        name=name_in(repository),
        id=identity,
        head=head,
        budget=options.budget,
        asked=options.commits,
        scanned=len(history),
        rows=rows,
        figures=figures_of(rows) if rows else None,
        failures=failures,
        notices=list(_notices(repository, loaded)),
        at=this_moment(),
    )
    keep_last(evaluation, cache)
    return evaluation


def tasks_of(repository: Repository, head: str, number: int) -> tuple[dict[str, LogRecord], list[ReplayTask]]:
    """The newest commits up to `head`, newest first, and the newest `number` that qualify, oldest first."""
    history = {one.commit: one for one in records_of(repository, revisions(repository, SCANNED, head))} if head else {}
    return history, [replace(task, question=redact(task.question)) for task in tasks_in(history, number)]


def _outcomes(
    begun: AbstractContextManager[Replay], tasks: Sequence[ReplayTask], run: Run
) -> Iterator[ReplayOutcome | str]:
    """The outcome of each task, or the commit and the reason of its failure."""
    if not tasks:
        return
    with begun as replay:
        with suppress(RepomemError):  # reported for the task itself
            replay.stand_at(tasks[0].parent, run)  # the first index takes longest and has its own progress bars
        with run.progress.stage("Replaying", len(tasks), "commits") as stage:
            for task in tasks:
                try:
                    yield replay.predict(task)
                except RepomemError as error:
                    yield f"{short_hash(task.commit)}: {error.message}"
                stage.advance()


def _row(task: ReplayTask, outcome: ReplayOutcome) -> ReplayedCommit:
    subject = one_line(task.question.partition("\n")[0], SUBJECT_LENGTH)
    return ReplayedCommit(task.commit, task.date, subject, tuple(sorted(task.answers)), outcome)


def _dependencies(repository: Repository, loaded: LoadedConfig, options: ReplayOptions) -> object:
    """Everything but the commit that an outcome depends on."""
    versions = OUTCOME_FORMAT, CONTENT_FORMAT, __version__
    return versions, asdict(loaded.config), options.budget, as_values(RECALL), sorted(cut_off_commits(repository))


def _notices(repository: Repository, loaded: LoadedConfig) -> Iterator[str]:
    if repository.is_shallow:
        yield "this clone is shallow: commits before its boundary are missing; run git fetch --unshallow"
    embedding = loaded.config.embedding
    if not embedder_for(embedding.model, embedding).is_cheap:
        yield f"vectors of {embedding.model} are not used: computing them for every commit takes too long"
