"""The evaluation of an agent on a repository's own history: what it will do, the tasks, the runs, the comparison.

`plan_of` decides and runs nothing foreign, so that a person can agree first; `evaluate_agent` runs tests and the agent.
"""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from repomem.adapters.git.log import commit_time, head_of, revisions
from repomem.adapters.git.repository import Repository
from repomem.core.errors import RepomemError
from repomem.core.records import Event, Record
from repomem.core.times import moment_of
from repomem.core.types.commits import LogRecord, short_hash
from repomem.evaluate.agents.judging import verified
from repomem.evaluate.agents.report import AgentEvaluation, comparisons_of
from repomem.evaluate.agents.results_file import RESULTS, ResultsFile
from repomem.evaluate.agents.run import Runner, RunOptions
from repomem.evaluate.agents.tasks import AgentTask, candidates, code_task
from repomem.evaluate.outcomes import cache_folder
from repomem.index.history import records_of
from repomem.memories.learned.profile_lines import learned_lines
from repomem.profile.profile import corrections_in, profile_of
from repomem.profile.profile_lines import LABELS, ONE_TEST_LABEL, Slot
from repomem.recall.answer import ready
from repomem.workspace.identity import identity_in, name_in
from repomem.workspace.ledger import records_here
from repomem.workspace.run import Run
from repomem.workspace.scratch import scratch_folder
from repomem.workspace.workspace import Workspace

SCANNED = 2_000  # newest commits searched for tasks
TRIED_PER_TASK = 5  # candidates whose tests are run for each task that is asked for


@dataclass(frozen=True, slots=True)
class AgentRequest:
    """An evaluation as a user asks for it."""

    options: RunOptions
    tasks: int
    test_command: str  # empty: the profile's
    folder: Path | None  # for results and logs; None: in the user's cache folder
    with_memories: bool = False  # only tasks on code of a memory that was known before, and these memories
    is_fresh: bool = False  # ignore the results of earlier runs


@dataclass(frozen=True, slots=True)
class AgentPlan:
    """What an evaluation will run."""

    request: AgentRequest
    history: Mapping[str, LogRecord]  # candidates by commit, newest first
    command: str  # of the tests
    one_test: str  # the form of the command for one test; empty if unknown
    memories: Sequence[Record]  # of the ledger; empty unless asked for
    results: ResultsFile

    @property
    def runs(self) -> int:
        """The largest number of runs."""
        return min(self.request.tasks, len(self.history)) * len(self.request.options.arms)


def plan_of(workspace: Workspace, request: AgentRequest, run: Run) -> AgentPlan:
    """What an evaluation will do. Raises RepomemError without a test command or a candidate."""
    repository = workspace.repository
    head = head_of(repository)[0]
    history = {one.commit: one for one in records_of(repository, revisions(repository, SCANNED, head))} if head else {}
    records = records_here(workspace) if request.with_memories else []
    times = {name: one.time for name, one in history.items()}
    found = {one.commit: one for one in candidates(history)}
    if request.with_memories:
        found = {name: one for name, one in found.items() if _known(records, one, times.get(one.parents[0], 0))}
    if not found:
        what = " on code of an earlier memory" if request.with_memories else ""
        raise RepomemError(
            f"none of the newest {len(history):,} commits changes source and test files{what}",
            "a task is a commit with both, one parent and a message of at least four words",
        )
    command, one_test = (request.test_command, "") if request.test_command else _test_commands(workspace, run)
    options = request.options
    depends_on = options.words, options.timeout, options.turns, options.budget, command, request.with_memories
    identity = identity_in(repository)
    folder = request.folder or cache_folder() / f"agents-{short_hash(identity)}"
    results = ResultsFile(folder, f"{identity} {depends_on!r}")
    if request.is_fresh:
        (folder / RESULTS).unlink(missing_ok=True)
    return AgentPlan(request, found, command, one_test, records, results)


def evaluate_agent(repository: Repository, plan: AgentPlan, run: Run) -> AgentEvaluation:
    """Find tasks, run the agent, and compare. After an interrupt, what was measured so far, marked as such."""
    runner = Runner(repository, plan.request.options, plan.results)
    tasks: list[AgentTask] = []
    skipped: list[str] = []
    is_interrupted = False
    try:
        _find_tasks(repository, plan, run, tasks, skipped)
        with run.progress.stage("Running the agent", runner.left(tasks), "runs") as stage:
            for _ in runner.pairs(tasks, run):
                stage.advance()
    except KeyboardInterrupt:
        is_interrupted = True
    pairs = [pair for pair in runner.found(tasks) if pair.runs]
    return AgentEvaluation(
        name=name_in(repository),
        id=identity_in(repository),
        head=head_of(repository)[0] or "",
        agent=" ".join(plan.request.options.words),
        host=plan.request.options.host.name,
        planned=runner.planned(tasks),
        pairs=pairs,
        comparisons=comparisons_of(pairs),
        skipped=skipped,
        folder=str(plan.results.folder),
        is_interrupted=is_interrupted,
    )


def _find_tasks(repository: Repository, plan: AgentPlan, run: Run, tasks: list[AgentTask], skipped: list[str]) -> None:
    """Add the newest commits whose tests can judge them, and why others cannot."""
    known = plan.results.refusals()
    wanted = plan.request.tasks
    tried = list(plan.history.values())[: TRIED_PER_TASK * wanted]
    with run.progress.stage("Running tests of commits", len(tried), "commits") as stage:
        for record in tried:
            if len(tasks) == wanted:
                break
            task = code_task(repository, record, plan.command, plan.one_test)
            if task.name not in known:
                with scratch_folder() as folder:
                    known[task.name] = verified(repository, record, task, folder / "clone")
                plan.results.refuse(task.name, known[task.name])
            if reason := known[task.name]:
                skipped.append(f"{task.name}: {reason}")
            else:
                tasks.append(replace(task, memories=_before(repository, plan.memories, task.base)))
            stage.advance()


def _test_commands(workspace: Workspace, run: Run) -> tuple[str, str]:
    """The profile's test command, and its form for one test."""
    ready(workspace, replace(run, deadline=time.monotonic() + 60.0))  # the profile is made at an index run
    records = records_here(workspace)
    lines = profile_of(workspace, corrections_in(records), learned_lines(records)).lines
    tests = [line.text for line in lines if line.slot is Slot.TEST]
    one = next((text.removeprefix(ONE_TEST_LABEL) for text in tests if text.startswith(ONE_TEST_LABEL)), "")
    whole = next((text for text in tests if not text.startswith((*LABELS, "needs ", "fails"))), "")
    if not (command := whole.partition("; ")[0].partition(" → ")[0]):
        raise RepomemError("no command for this repository's tests is known", "give it with --test-command")
    return command, one


def _known(records: Sequence[Record], commit: LogRecord, parent: int) -> bool:
    """Whether a memory on one of the files that a commit changed was recorded until the time of its parent."""
    until = moment_of(parent)
    paths = {file.old_path or file.path for file in commit.files}
    return any(
        anchor.path in paths
        for record in records
        if record.event is Event.REMEMBER and record.said and record.origin.at <= until
        for anchor in record.said.anchors
    )


def _before(repository: Repository, records: Sequence[Record], commit: str) -> list[Record]:
    """The records written before a commit was made."""
    until = moment_of(commit_time(repository, commit))
    return [record for record in records if record.origin.at <= until]
