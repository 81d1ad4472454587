"""The results of pairs: means, paired differences and every pair. Pure; `cli/evaluate` prints them."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from repomem.evaluate.agents.measures import RunOutcome
from repomem.evaluate.agents.statistics import PairedDifference, paired_difference
from repomem.evaluate.agents.tasks import AgentTask, Arm

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
        """How many runs have ended."""
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
