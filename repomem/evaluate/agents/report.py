"""The results of pairs: means, paired differences and every pair. Pure; `cli/evaluate` prints them."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from repomem.evaluate.agents.measures import RunOutcome
from repomem.evaluate.agents.statistics import PairedDifference, paired_difference
from repomem.evaluate.agents.tasks import AgentTask, Arm

SCHEMA = "repomem.eval-agents/1"
DIGITS = 4  # of a figure in JSON
Measure = Callable[[RunOutcome], float | None]
MEASURES: Mapping[str, Measure] = {
    "solved": lambda run: float(run.solved),
    "memory respected": lambda run: None if run.respected is None else float(run.respected),
    "wrong edits": lambda run: run.wrong_edits,
    "files opened before the first right edit": lambda run: run.files_before,
    "bytes read before the first right edit": lambda run: run.bytes_before,
    "bytes read": lambda run: run.bytes_read,
    "commands": lambda run: run.commands,
    "turns": lambda run: run.turns,
    "input tokens": lambda run: run.input_tokens or None,
    "output tokens": lambda run: run.output_tokens or None,
    "cost in US dollars": lambda run: run.cost,
    "seconds": lambda run: run.seconds,
}


@dataclass(frozen=True, slots=True)
class Pair:
    """One task and its run in each arm that was finished."""

    task: AgentTask
    runs: Mapping[Arm, RunOutcome]


@dataclass(frozen=True, slots=True)
class Comparison:
    """An arm compared with `without`, over the pairs that have both."""

    arm: Arm
    measures: Mapping[str, PairedDifference]  # those that any pair has in both arms


@dataclass(frozen=True, slots=True)
class AgentEvaluation:
    name: str  # of the repository
    id: str
    head: str
    agent: str  # its command
    host: str
    planned: int  # runs
    pairs: Sequence[Pair]
    comparisons: Sequence[Comparison]
    skipped: Sequence[str]  # "commit: reason" of candidates that did not qualify
    folder: str  # with the logs
    is_interrupted: bool = False

    @property
    def finished(self) -> int:
        """Runs that were made."""
        return sum(len(pair.runs) for pair in self.pairs)


def comparisons_of(pairs: Sequence[Pair]) -> list[Comparison]:
    """Each other arm compared with `without`."""
    found = (Comparison(arm, _measures(pairs, arm)) for arm in (Arm.WITH, Arm.FILE))
    return [each for each in found if each.measures]


def _measures(pairs: Sequence[Pair], arm: Arm) -> dict[str, PairedDifference]:
    both = [(pair.runs[Arm.WITHOUT], pair.runs[arm]) for pair in pairs if {Arm.WITHOUT, arm} <= pair.runs.keys()]
    found: dict[str, PairedDifference] = {}
    for name, measure in MEASURES.items():
        values = [(measure(first), measure(second)) for first, second in both]
        if known := [(one, two) for one, two in values if one is not None and two is not None]:
            found[name] = paired_difference(known)
    return found


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
                "measures": {name: _rounded(one) for name, one in each.measures.items()},
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


def _rounded(one: PairedDifference) -> dict[str, float]:
    return {name: round(value, DIGITS) for name, value in asdict(one).items()}
