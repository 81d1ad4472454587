"""python -m benchmarks memory: the figures of every seed, to results/memory.json and a table."""

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks import results
from benchmarks.memory import ask_projects, ask_repositories, ask_sets
from benchmarks.memory.build import Built, indexed, said_one_by_one, sealed
from benchmarks.memory.generate import Question, Shape, generate
from benchmarks.memory.measure import (
    Answer,
    asked,
    by_form,
    false_alarms,
    naive,
    rows_of,
    summed_up,
    within_budgets,
    writing,
)
from benchmarks.memory.timing import Figures, rows, timings
from repomem.memories.consolidate.run import consolidate
from repomem.workspace.process import prepare_process

TUNED_ON = (1, 2)  # seeds that constants were chosen by
HELD_BACK = (101,)  # of other words: looked at once all was chosen
QUESTIONS = 300  # of each seed
BUDGETED = 100  # of them at every budget, and before and after consolidation
HEAD = ("questions", "first", "first of all", "in the brief", "MRR", "stale ahead", "untold ahead", "stale shown")


@dataclass(slots=True)
class Found:
    """What one seed gave."""

    seed: int
    is_held: bool
    answers: list[Answer]
    forms: Mapping[str, Mapping[str, float]]
    naive: Mapping[str, Mapping[str, float]]
    figures: dict[str, float] = field(default_factory=dict)


def main(arguments: list[str]) -> None:
    """memory [--seeds N …] [--held N …] [--questions N] [--no-timing] | --sets … | --projects … | --repositories …"""
    if arguments[:1] == ["--sets"]:
        ask_sets.main(arguments[1:])
        return
    if arguments[:1] == ["--projects"]:
        ask_projects.main(arguments[1:])
        return
    if arguments[:1] == ["--repositories"]:
        ask_repositories.main(arguments[1:])
        return
    parser = argparse.ArgumentParser(prog="python -m benchmarks memory")
    parser.add_argument("--seeds", type=int, nargs="*", default=TUNED_ON)
    parser.add_argument("--held", type=int, nargs="*", default=HELD_BACK)
    parser.add_argument("--questions", type=int, default=QUESTIONS)
    parser.add_argument("--no-timing", action="store_true")
    given = parser.parse_args(arguments)
    prepare_process()
    where = results.machine()
    with TemporaryDirectory(prefix="repomem-memory-", ignore_cleanup_errors=True) as name, sealed(Path(name)):
        seeds = [(seed, False) for seed in given.seeds] + [(seed, True) for seed in given.held]
        found = [of_seed(Path(name), seed, given.questions, is_held=is_held) for seed, is_held in seeds]
        timed: Figures = {} if given.no_timing else timings(Path(name) / "timing", 1)
    keep(where, found, timed)


def keep(where: dict[str, Any], found: Sequence[Found], timed: Figures) -> None:
    """Save the figures with the raw answers, and print the tables."""
    raw = [{"seed": each.seed, **row} for each in found for row in rows_of(each.answers)]
    results.save("memory", where, {"seeds": [_plain(each) for each in found], "timing": timed, "answers": raw})
    for each in found:
        _print_one(each)
    print(results.table(("timing", "seconds"), rows(timed)))


def of_seed(folder: Path, seed: int, questions: int, *, is_held: bool) -> Found:
    """All figures of one seed; the folder takes its repository."""
    data = generate(seed, Shape(is_held=is_held))
    with indexed(data.files, folder / f"seed-{seed}") as workspace:
        built = said_one_by_one(workspace, data)
        wanted = data.questions[:questions]
        answers = asked(built, wanted)
        found = Found(seed, is_held, answers, dict(by_form(answers)), naive(built, wanted))
        few = wanted[:BUDGETED]
        found.figures |= writing(built) | within_budgets(built, few)
        found.figures |= {f"false alarms: {form}": share for form, share in false_alarms(built).items()}
        found.figures |= _consolidated(built, few, answers[: len(few)])
    return found


def _consolidated(built: Built, questions: Sequence[Question], before: Sequence[Answer]) -> dict[str, float]:
    """The same questions before and after everything was consolidated."""
    done = consolidate(built.workspace)
    first, then = summed_up(before), summed_up(asked(built, questions))
    figures: dict[str, float] = {"groups": len(done.groups), "archived": len(done.archived)}
    for name in ("first", "in the brief", "MRR", "stale ahead"):
        figures |= {f"{name} before consolidation": first[name], f"{name} after consolidation": then[name]}
    return figures


def _plain(found: Found) -> dict[str, Any]:
    return {
        "seed": found.seed,
        "held back": found.is_held,
        "forms": found.forms,
        "naive": found.naive,
        "figures": found.figures,
    }


def _print_one(found: Found) -> None:
    print(f"\nseed {found.seed}, {'held back' if found.is_held else 'tuned on'}\n")
    print(results.table(("form", *HEAD), [(form, *map(each.get, HEAD)) for form, each in found.forms.items()]))
    naive_head = ("first", "stale ahead", "of amended", "MRR")
    lines = [(name, *map(each.get, naive_head)) for name, each in found.naive.items()]
    print("\n" + results.table(("baseline", *naive_head), lines))
    print("\n" + results.table(("figure", "value"), list(found.figures.items())) + "\n")
