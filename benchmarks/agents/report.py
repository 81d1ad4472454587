"""`python -m benchmarks agents`: figures of briefs for the memory tasks, or runs of an agent on them in three arms."""

import argparse
import json
import re
import tempfile
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from benchmarks import results
from benchmarks.agents.briefs import BUDGET, BriefFigures, brief_figures, rows
from benchmarks.agents.build import Built, agent_tasks, built
from benchmarks.agents.definitions import MemoryTask, repositories
from repomem.adapters.git.repository import Repository
from repomem.cli.evaluate.agents import evaluation_json
from repomem.cli.evaluate.agents_tables import footnotes, page_of, tables
from repomem.evaluate.agents.hosts.registry import words_of_command
from repomem.evaluate.agents.report import AgentEvaluation, Pair, comparisons_of
from repomem.evaluate.agents.results_file import ResultsFile
from repomem.evaluate.agents.run import Runner, RunOptions
from repomem.evaluate.agents.tasks import Arm
from repomem.workspace.run import Run

RUN_SECONDS = 600.0  # of one run: the tasks are small


def main(arguments: list[str]) -> None:
    """agents [--agent COMMAND]"""
    parser = argparse.ArgumentParser(prog="python -m benchmarks agents")
    parser.add_argument("--agent", help="run this agent in the arms without, with and file; it may cost money")
    parser.add_argument("--only", default="", help="tasks whose name begins like this")
    parser.add_argument("--others", type=int, default=0, help="memories of other projects in each ledger, at most 108")
    parser.add_argument("--timeout", type=float, default=RUN_SECONDS, help="seconds of a run")
    parser.add_argument("--turns", type=int, help="answers of the model in a run")
    parser.add_argument("--max-cost", type=float, help="US dollars for all runs")
    parser.add_argument("--seed", type=int, default=0, help="of the order of runs")
    parser.add_argument("--keep", type=Path, help="folder for results and logs of the agent's runs")
    parser.add_argument("--html", type=Path, help="also write a page")
    parser.add_argument("--script", type=Path, help="only write the script of the scripted agent to this file")
    asked = parser.parse_args(arguments)
    if asked.script:
        asked.script.write_text(json.dumps(script(), indent=1), encoding="utf-8")
        return
    with tempfile.TemporaryDirectory() as folder:
        made = [
            built(each, Path(folder) / each.name, asked.others)
            for each in repositories()
            if any(task.name.startswith(asked.only) for task in each.tasks)
        ]
        if asked.agent:
            run_agent(made, asked)
        else:
            figures = [brief_figures(each, task) for each in made for task in chosen(each, asked.only)]
            print(results.table(("briefs of at most 1,000 tokens", "tasks", "of"), rows(figures)))
            if not asked.only:
                save(figures, asked.others)


def chosen(made: Built, only: str) -> list[MemoryTask]:
    """The tasks of a repository whose name begins like this."""
    return [task for task in made.definition.tasks if task.name.startswith(only)]


def script() -> list[dict[str, object]]:
    """What the scripted agent does in each task: the respecting solution if it is told the memory.

    A stale memory is followed by the naive solution, if nothing says that it is outdated.
    """
    found: list[dict[str, object]] = []
    for task in (task for repository in repositories() for task in repository.tasks):
        told, untold = (task.naive, task.respecting) if task.state == "stale" else (task.respecting, task.naive)
        tell = f"{task.tell}|{re.escape(task.guide)}" if task.tell else ""
        found.append({"task": task.prompt, "edits": untold, "told": told, "tell": tell})
    return found


def save(figures: Sequence[BriefFigures], others: int) -> None:
    """Keep the figures as results/agents.json, or as agents-among-many.json with memories of other projects."""
    table = [{"figure": name, "value": value, "of": of} for name, value, of in rows(figures)]
    results.save(
        "agents-among-many" if others else "agents",
        results.machine(),
        {"budget": BUDGET, "others": others, "figures": table, "tasks": [asdict(one) for one in figures]},
    )


def run_agent(made: Sequence[Built], asked: argparse.Namespace) -> None:
    """Run an agent on all tasks in three arms, and print and keep what was measured."""
    words = words_of_command(asked.agent)
    options = RunOptions(words, tuple(Arm), asked.timeout, asked.turns, asked.max_cost, BUDGET, asked.seed)
    keep = asked.keep or Path(tempfile.mkdtemp(prefix="agents-"))
    record = ResultsFile(keep, f"{words!r} {asked.timeout} {asked.turns} {BUDGET}")
    pairs: list[Pair] = []
    planned = 0
    for each in made:
        tasks = [task for task in agent_tasks(each) if task.name.startswith(asked.only)]
        runner = Runner(Repository.open(each.folder), options, record)
        for _ in runner.pairs(tasks, Run(tell=print)):
            pass
        pairs += [pair for pair in runner.found(tasks) if pair.runs]
        planned += runner.planned(tasks)
    found = AgentEvaluation(
        "memory tasks", "", "", " ".join(words), options.host.name, planned, pairs, comparisons_of(pairs), [], str(keep)
    )
    for table in tables(found):
        print(f"\n{table.title}\n\n{results.table(table.heads, table.rows)}")
    print("", respected_table(pairs), "", *footnotes(found), f"logs: {keep}", sep="\n")
    (keep / "report.json").write_text(json.dumps(evaluation_json(found), indent=1), encoding="utf-8")
    if asked.html:
        asked.html.write_text(page_of(found), encoding="utf-8")


def respected_table(pairs: Sequence[Pair]) -> str:
    """How often each state's memories were respected, by arm; of a stale one: that it was not followed."""
    lines = []
    for state in ("current", "stale"):
        of_state = [pair for pair in pairs if pair.task.kind.endswith(state)]
        runs = {arm: [pair.runs[arm] for pair in of_state if arm in pair.runs] for arm in Arm}
        cells = [f"{sum(run.respected is True for run in known)} of {len(known)}" for known in runs.values()]
        lines.append((f"{state} memories: respected", *cells))
    return results.table(("", *Arm), lines)
