"""`repomem eval --agent`: runs an agent on tasks in pairs, with and without repomem, and compares the pairs.

tasks -> for each, in random order: clone, brief, agent, judgement -> results, one line each -> paired differences

The repository, its index, its ledger and its worktree are not written. Each run has a clone of its own, which is
deleted after it; its log is kept.
"""

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from io import RawIOBase
from pathlib import Path

from repomem.adapters.git.repository import Repository
from repomem.core.errors import RepomemError
from repomem.core.text.escape import visible
from repomem.evaluate.agents.arms import Prepared, prepared
from repomem.evaluate.agents.hosts.events import HostAdapter
from repomem.evaluate.agents.hosts.registry import PROMPT, host_of
from repomem.evaluate.agents.judging import passes
from repomem.evaluate.agents.measures import RunEvents, RunOutcome, outcome_of
from repomem.evaluate.agents.processes import LimitedProcess, limited
from repomem.evaluate.agents.report import Pair
from repomem.evaluate.agents.results_file import ResultsFile
from repomem.evaluate.agents.tasks import AgentTask, Arm
from repomem.evaluate.agents.worktrees import work_of_agent
from repomem.workspace.run import Run
from repomem.workspace.scratch import scratch_folder

STREAM, ERRORS, ASKED, PATCH = "stream.jsonl", "stderr.txt", "prompt.txt", "changes.patch"
TURNS = "turns"


@dataclass(frozen=True, slots=True)
class RunOptions:
    """How an agent is run."""

    words: tuple[str, ...]  # of its command
    arms: tuple[Arm, ...]
    timeout: float  # seconds of a run
    turns: int | None  # answers of the model in a run
    max_cost: float | None  # US dollars for all runs together
    budget: int  # tokens of a brief
    seed: int  # of the order

    @property
    def host(self) -> HostAdapter:
        """The adapter of the command."""
        return host_of(self.words)


@dataclass(frozen=True, slots=True)
class Runner:
    """Runs an agent on tasks of one repository."""

    source: Repository
    options: RunOptions
    results: ResultsFile

    def pairs(self, tasks: Sequence[AgentTask], run: Run) -> Iterator[None]:
        """Make the runs that have no result yet, one at each step, in random order by pair."""
        known = self.results.outcomes()
        spent = sum(one.cost or 0.0 for one in known.values())
        for task, arm in self._order(tasks):
            if (task.name, arm) in known:
                continue
            if self.options.max_cost is not None and spent >= self.options.max_cost:
                run.tell(f"stopped: the runs have cost ${spent:.2f} of ${self.options.max_cost:.2f}")
                return
            outcome = self.run_once(task, arm, spent)
            self.results.add(outcome)
            spent += outcome.cost or 0.0
            run.tell(_in_short(outcome))
            yield

    def found(self, tasks: Sequence[AgentTask]) -> list[Pair]:
        """The tasks with the runs made so far."""
        known = self.results.outcomes()
        return [Pair(task, {arm: known[task.name, arm] for arm in Arm if (task.name, arm) in known}) for task in tasks]

    def left(self, tasks: Sequence[AgentTask]) -> int:
        """How many runs have no result yet."""
        known = self.results.outcomes()
        return sum((task.name, arm) not in known for task, arm in self._order(tasks))

    def planned(self, tasks: Sequence[AgentTask]) -> int:
        """How many runs there are in all."""
        return len(self._order(tasks))

    def run_once(self, task: AgentTask, arm: Arm, spent: float = 0.0) -> RunOutcome:
        """One run; if repomem itself fails in it, that is its outcome."""
        log = self.results.log_folder(task.name, arm)
        blank = RunOutcome(task.name, arm)
        with scratch_folder() as folder:
            try:
                ready = prepared(self.source, task, arm, self.options.budget, folder)
                (log / ASKED).write_text(ready.prompt, encoding="utf-8", errors="backslashreplace")
                return self._judged(task, ready, replace(blank, brief_tokens=ready.brief_tokens), log, spent)
            except RepomemError as error:
                return replace(blank, stopped=error.message)

    def _judged(self, task: AgentTask, ready: Prepared, blank: RunOutcome, log: Path, spent: float) -> RunOutcome:
        assert ready.clone.top is not None
        seen = RunEvents(ready.clone.top.resolve(), task.right)
        ended = self._watched(ready, seen, log, spent)
        clone = Repository.open(ready.clone.top)  # with the settings that the agent may have changed
        changed, patch = work_of_agent(clone, ready.base)
        (log / PATCH).write_bytes(patch)
        failure = seen.failure or ("" if seen.is_finished or ended.code == 0 else f"exit code {ended.code}")
        solved = passes(clone, task.solved, log / "tests.txt")
        respected = passes(clone, task.respected, log / "check.txt") if task.respected else None
        judged = replace(
            blank,
            solved=solved,
            respected=respected,
            seconds=round(ended.seconds, 2),
            stopped=ended.stopped or visible(failure),
        )
        return outcome_of(seen, judged, changed)

    def _watched(self, ready: Prepared, seen: RunEvents, log: Path, spent: float) -> LimitedProcess:
        """Run the agent, and count its events as they come."""
        options, host = self.options, self.options.host
        dollars = None if options.max_cost is None else max(options.max_cost - spent, 0.01)
        words = host.command(options.words, dollars)
        prompt = "" if any(PROMPT in word for word in words) else ready.prompt
        words = [word.replace(PROMPT, ready.prompt) for word in words]
        assert ready.clone.top is not None
        with (
            (log / STREAM).open("wb", buffering=0) as stream,  # can be read while it runs
            limited(
                words, ready.clone.top, ready.environment, options.timeout, prompt=prompt, errors=log / ERRORS
            ) as running,
        ):
            for event in host.read(_kept(running, stream)):
                seen.add(event)
                if options.turns is not None and seen.turns > options.turns:
                    running.stop(TURNS)
            running.wait()
        return running

    def _order(self, tasks: Sequence[AgentTask]) -> list[tuple[AgentTask, Arm]]:
        """Pairs in random order, and the arms of each; the same for the same seed."""
        draw = random.Random(self.options.seed)  # noqa: S311  # an order, no secret
        shuffled = list(tasks)
        draw.shuffle(shuffled)
        order: list[tuple[AgentTask, Arm]] = []
        for task in shuffled:
            arms = [arm for arm in self.options.arms if arm is not Arm.FILE or task.changes]  # else no file
            draw.shuffle(arms)
            order += [(task, arm) for arm in arms]
        return order


def _kept(running: LimitedProcess, stream: RawIOBase) -> Iterator[bytes]:
    """The lines of the agent's output, each written to the log."""
    for line in running.lines:
        stream.write(line)
        yield line


def _in_short(outcome: RunOutcome) -> str:
    cost = "" if outcome.cost is None else f", ${outcome.cost:.2f}"
    end = f" ({outcome.stopped})" if outcome.stopped else ""
    solved = "solved" if outcome.solved else "not solved"
    return f"{outcome.task} {outcome.arm}: {solved}, {outcome.seconds:.0f} s{cost}{end}"
