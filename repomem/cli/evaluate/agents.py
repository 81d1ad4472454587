"""`repomem eval --agent`: asks, runs, and prints pairs as tables, JSON or a page."""

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from repomem.cli.evaluate.agents_tables import footnotes, page_of, tables
from repomem.cli.evaluate.output import print_tables, require_folder, rounded, write_page
from repomem.cli.terminal.console import confirmed, flush, tell
from repomem.cli.terminal.formats import Format, out_json
from repomem.cli.terminal.interrupts import interruptible
from repomem.cli.terminal.progress import progress_for_terminal
from repomem.core.errors import RepomemError
from repomem.core.text.counts import counted
from repomem.evaluate.agents.evaluate import AgentPlan, AgentRequest, evaluate_agent, plan_of
from repomem.evaluate.agents.hosts.registry import words_of_command
from repomem.evaluate.agents.report import AgentEvaluation
from repomem.evaluate.agents.run import RunOptions
from repomem.evaluate.agents.tasks import Arm
from repomem.workspace.run import Run
from repomem.workspace.workspace import Workspace

NO_TERMINAL = "eval --agent asks for confirmation, and this is not a terminal"
SCHEMA = "repomem.eval-agents/1"


@dataclass(frozen=True, slots=True)
class AgentOptions:
    """The options of `repomem eval --agent`, as they were given."""

    command: str
    tasks: int
    timeout: float
    turns: int | None
    max_cost: float | None
    test_command: str
    arms: str
    keep: Path | None
    seed: int
    with_memories: bool
    is_fresh: bool


def evaluate_agents_command(
    workspace: Workspace, asked: AgentOptions, budget: int | None, page: Path | None, form: Format, *, is_sure: bool
) -> None:
    """Run an agent in pairs after a question, and print what was measured, also after Ctrl-C."""
    require_folder(page)
    with interruptible(progress_for_terminal()) as progress:
        run = Run(progress=progress, tell=tell)
        request = _request(asked, workspace.loaded.config.recall.budget if budget is None else budget)
        plan = plan_of(workspace, request, run)
        _announce(plan)
        if not is_sure and not confirmed("Run it?", refusal=NO_TERMINAL, hint="add --yes to skip the question"):
            return
        found = evaluate_agent(workspace.repository, plan, run)
    for line in found.skipped:
        tell(f"not a task: {line}")
    if form is Format.JSON:
        out_json(evaluation_json(found))
    elif found.pairs:
        print_tables(tables(found), footnotes(found))
    if page and found.pairs:
        write_page(page, page_of(found))
    if not found.pairs and not found.is_interrupted:
        tell(
            "nothing was measured: no commit has tests that fail before it and pass after it; "
            "check the test command (--test-command)"
        )
    tell(f"logs: {found.folder}")
    if found.is_interrupted:
        flush()
        raise KeyboardInterrupt


def evaluation_json(found: AgentEvaluation) -> dict[str, Any]:
    """The results as `repomem.eval-agents/1`."""
    return {
        "schema": SCHEMA,
        "repository": {"name": found.name, "id": found.id, "head": found.head},
        "agent": found.agent,
        "host": found.host,
        "runs": {"planned": found.planned, "finished": found.finished},
        "comparisons": [
            {
                "arm": each.arm,
                "against": Arm.WITHOUT,
                "measures": {name: rounded(asdict(one)) for name, one in each.measures.items()},
            }
            for each in found.comparisons
        ],
        "pairs": [
            {
                "task": pair.task.name,
                "kind": pair.task.kind,
                "title": pair.task.title,
                "base": pair.task.base,
                "runs": {arm: asdict(run) for arm, run in pair.runs.items()},
            }
            for pair in found.pairs
        ],
        "skipped": list(found.skipped),
        "logs": found.folder,
    }


def _request(asked: AgentOptions, budget: int) -> AgentRequest:
    words = words_of_command(asked.command)
    options = RunOptions(words, _arms(asked.arms), asked.timeout, asked.turns, asked.max_cost, budget, asked.seed)
    keep = asked.keep and asked.keep.resolve()
    return AgentRequest(options, asked.tasks, asked.test_command, keep, asked.with_memories, asked.is_fresh)


def _arms(text: str) -> tuple[Arm, ...]:
    names = [name.strip() for name in text.split(",")] if text else list(Arm)
    if not set(names) <= set(Arm) or Arm.WITHOUT not in names or len(set(names)) < 2:
        raise RepomemError(
            f"--arms needs `without` and at least one other, not {text!r}", "for example: --arms without,with,file"
        )
    return tuple(arm for arm in Arm if arm in names)


def _announce(plan: AgentPlan) -> None:
    """Say what will run, for how long and for how much."""
    options, known = plan.request.options, list(plan.results.outcomes().values())
    arms = ", ".join(options.arms)
    tell(f"agent: {' '.join(options.words)} (read as {options.host.name})")
    tell(
        f"tasks: up to {counted(min(plan.request.tasks, len(plan.history)), 'commit')}, each in the arms {arms}: "
        f"at most {counted(plan.runs, 'run')}, {len(known)} of them already done"
    )
    tell(f"tests: {plan.command}, in temporary clones, to choose commits and to judge each run")
    turns = f" and {counted(options.turns, 'turn')}" if options.turns else ""
    hours = (plan.runs - len(known)) * options.timeout / 3600
    tell(f"limit of a run: {options.timeout:,.0f} seconds{turns}, so at most {max(hours, 0):.1f} hours in all")
    tell(_cost(plan))
    if missing := options.host.missing(options.words):
        tell(f"note: {missing}")
    tell(
        "The agent and the tests run with your rights and environment, without a sandbox. Your worktree is not touched."
    )


def _cost(plan: AgentPlan) -> str:
    """What all runs may cost, in words."""
    costs = [one.cost for one in plan.results.outcomes().values() if one.cost is not None]
    most = plan.request.options.max_cost
    limit = f"at most about ${most:,.2f} in all" if most is not None else "no limit (--max-cost sets one)"
    if not costs:
        return f"cost: {limit}; an estimate is known after the first runs, if the host reports cost"
    mean = sum(costs) / len(costs)
    left = max(plan.runs - len(costs), 0)
    return f"cost: {limit}; {len(costs)} earlier runs cost ${mean:.2f} each, so {left} more about ${mean * left:,.2f}"
