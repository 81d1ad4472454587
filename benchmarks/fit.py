"""Would fitted weights be better than the shipped ones, in repositories and commits that they were not fitted on?

Two questions. Of all repositories: each is judged under weights fitted on all the others. Of a repository by itself, as
`repomem eval --fit` does it: weights fitted on the oldest third of its commits, kept or not by the middle third, and
judged on the newest, which neither saw.

The newest commits are replayed once and what a ranking had to choose from is kept in the folder of --cache: the rest
needs no clone, and takes minutes. That folder is of one state of the signals: after a change, empty it.
"""

import argparse
import json
import statistics
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks import results
from benchmarks.inputs import Pinned, section
from benchmarks.processes import ROOT
from repomem.evaluate.fitting import fit_of
from repomem.evaluate.replay import Wanted, begun
from repomem.evaluate.run import tasks_of
from repomem.ranking.fit import MEASURES, Candidate, Example, Examples, fitted
from repomem.ranking.signals import RECALL, Weights, as_values
from repomem.ranking.trial import trial_of
from repomem.workspace.workspace import configured, prepare_process

TASKS = {"replay": 90, "fit": 60}  # commits, by the section of inputs.json that names the repository
WEIGHTS = ROOT / "repomem" / "retrieve" / "weights.json"
MOST_LOSS = 0.002  # of any one measure, in the mean over the repositories
Means = dict[str, float]


def main(arguments: list[str]) -> None:
    """fit MIRROR --cache DIR [--write]"""
    parser = argparse.ArgumentParser(prog="python -m benchmarks fit")
    parser.add_argument("mirror", type=Path)
    parser.add_argument("--cache", type=Path, required=True, help="where the evidence is kept between runs")
    parser.add_argument(
        "--write", action="store_true", help="write weights.json: its note, and weights that are better"
    )
    asked = parser.parse_args(arguments)
    prepare_process()
    where = results.machine()
    pinned = [(Pinned(**each), tasks) for name, tasks in TASKS.items() for each in section(name)]
    known = {each.repository: _examples(each, tasks, asked.mirror, asked.cache) for each, tasks in pinned}
    rows = list(_across({name: Examples(examples) for name, examples in known.items()}))
    own = [_alone(name, examples) for name, examples in known.items()]
    weights = fitted([Examples(examples) for examples in known.values()], RECALL)
    means = {which: _mean([row[which] for row in rows]) for which in ("shipped", "fitted")}
    found = {"mean": means, "weights": as_values(weights), "rows": rows, "own": own}
    results.save("fit", where, found)
    print(results.table(("repository", "tasks", *_heads()), _across_lines(rows, means)), end="\n\n")
    print(results.table(("repository", "kept", "kept by all", "tasks", *_heads()), map(_alone_line, own)))
    if asked.write:
        _write(weights, [each for each, _ in pinned], rows, means)


def _examples(pinned: Pinned, number: int, mirror: Path, cache: Path) -> list[Example]:
    """What the rankings of a repository's newest commits have to choose from, oldest first; replayed once."""
    kept = cache / f"{pinned.repository.replace('/', '+')}-{pinned.commit[:12]}-{number}.json"
    if not kept.exists():
        rows = list(_replayed(pinned, number, mirror))
        cache.mkdir(parents=True, exist_ok=True)
        kept.write_text(json.dumps(rows, separators=(",", ":")), encoding="utf-8")
    return [
        Example(row["answers"], tuple(Candidate(*head, tuple(shares)) for *head, shares in row["candidates"]))
        for row in json.loads(kept.read_text(encoding="utf-8"))
    ]


def _replayed(pinned: Pinned, number: int, mirror: Path) -> Iterator[dict[str, Any]]:
    with TemporaryDirectory(prefix="repomem-fit-", ignore_cleanup_errors=True) as name:
        repository, loaded = configured(pinned.checked_out(mirror, Path(name) / "work"), {})
        history, tasks = tasks_of(repository, pinned.commit, number)
        with begun(repository, loaded, history, tasks, Wanted(number, loaded.config.recall.budget)) as replay:
            for task in tasks:
                yield {"commit": task.commit, **asdict(replay.example(task))}


def _across(known: Mapping[str, Examples]) -> Iterator[dict[str, Any]]:
    """Each repository under the shipped weights, and under those that were fitted on all the others."""
    for name, own in known.items():
        weights = fitted([other for other_name, other in known.items() if other_name != name], RECALL)
        both = {"shipped": _means(own, RECALL), "fitted": _means(own, weights)}
        yield {"repository": name, "tasks": len(own.examples), **both, "changed": _changed(weights)}


def _alone(name: str, examples: Sequence[Example]) -> dict[str, Any]:
    """A repository that fits its own weights: on the oldest third, kept by the middle one, judged on the newest.

    Beside it what `repomem eval --fit` says of all of its commits, which leaves none to judge by.
    """
    third = len(examples) // 3
    weights = fitted([Examples(examples[:third])], RECALL)
    decided = trial_of(third, examples[third : 2 * third], RECALL, weights)
    judged = trial_of(third, examples[2 * third :], RECALL, weights)
    return {
        "repository": name,
        "kept": not decided.doubt,
        "doubt": decided.doubt,
        "kept by all": not (whole := fit_of(examples)).doubt,
        "doubt by all": whole.doubt,
        "tasks": judged.held_back,
        "shipped": judged.before,
        "fitted": judged.after,
        "changed": _changed(weights),
    }


def _means(examples: Examples, weights: Weights) -> Means:
    return dict(zip(MEASURES, map(float, examples.measures(weights).mean(axis=0)), strict=True))


def _mean(rows: Sequence[Means]) -> Means:
    return {name: statistics.mean(row[name] for row in rows) for name in MEASURES}


def _changed(weights: Weights) -> dict[str, float]:
    """The weights that are not the shipped ones."""
    signals = {name: weight for name, weight in weights.signals.items() if weight != RECALL.signals[name]}
    return signals | {role.value: factor for role, factor in weights.roles.items() if factor != RECALL.roles[role]}


def _heads() -> list[str]:
    return [f"{which} {name}" for name in MEASURES for which in ("shipped", "fitted")]


def _figures(row: Mapping[str, Any]) -> list[float]:
    return [row[which][name] for name in MEASURES for which in ("shipped", "fitted")]


def _across_lines(rows: Sequence[Mapping[str, Any]], means: Mapping[str, Means]) -> Iterator[list[object]]:
    for row in rows:
        yield [row["repository"], row["tasks"], *_figures(row)]
    yield ["**mean**", sum(row["tasks"] for row in rows), *_figures(means)]


def _alone_line(row: Mapping[str, Any]) -> list[object]:
    kept = ("yes" if row[key] else "no" for key in ("kept", "kept by all"))
    return [row["repository"], *kept, row["tasks"], *_figures(row)]


def _write(weights: Weights, pinned: Sequence[Pinned], rows: Sequence[Any], means: Mapping[str, Means]) -> None:
    """The note of what was measured; and the weights, where they are better in the mean and in no measure worse."""
    gains = [means["fitted"][name] - means["shipped"][name] for name in MEASURES]
    is_better = sum(gains) > 0 and min(gains) >= -MOST_LOSS
    said = json.loads(WEIGHTS.read_text(encoding="utf-8"))
    said["measured"] = {
        "by": "python -m benchmarks fit",
        "on": datetime.now(UTC).strftime("%Y-%m-%d"),
        "tasks": sum(row["tasks"] for row in rows),
        "what": "means over the repositories; fitted: each under weights fitted on all the others",
        **{which: {name: round(value, 4) for name, value in each.items()} for which, each in means.items()},
        "repositories": {each.repository: each.commit for each in pinned},
    }
    if is_better:
        said |= {"made": "fitted on all of these repositories", "recall": as_values(weights)}
    WEIGHTS.write_text(json.dumps(said, indent=2) + "\n", encoding="utf-8")
    print(
        f"\n{'fitted weights are' if is_better else 'the note is; fitted weights are no better, and are not'} written"
    )
