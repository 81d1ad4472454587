"""The figures of a replay: means over its tasks by ranking, by signal and by part of the history. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import fmean

from repomem.evaluate.changed_lines import LineShares, mean_shares
from repomem.evaluate.tasks import Measures, mean_of

BRIEF = "brief"
COMMANDS = "three commands"
DEPTH = 10  # at which rankings are compared
MOST_BLOCKS = 5
FEWEST_IN_BLOCK = 3  # commits; fewer give no meaningful mean


@dataclass(frozen=True, slots=True)
class ReplayOutcome:
    """How well one commit was predicted."""

    commit: str
    rankings: Mapping[str, Measures]  # the brief first, then the baselines
    signals: Mapping[str, Measures]  # with all signals, then without each
    named: float  # share of the changed code files that the brief names
    named_all: float  # share of all changed files
    tokens: int  # of the brief
    lines: Mapping[str, LineShares]  # by source: the brief, three commands; empty without changed source lines


@dataclass(frozen=True, slots=True)
class ReplayedCommit:
    """A commit that was replayed, with its outcome."""

    commit: str
    date: str
    subject: str
    answers: tuple[str, ...]  # code files that it changed
    outcome: ReplayOutcome


@dataclass(frozen=True, slots=True)
class CommitBlock:
    """Consecutive commits."""

    first: ReplayedCommit
    last: ReplayedCommit
    commits: int
    brief: float
    baseline: float


@dataclass(frozen=True, slots=True)
class Figures:
    """Means over all commits."""

    rankings: Mapping[str, Measures]
    baseline: str  # the best one at DEPTH
    better: int  # commits for which the brief has a higher recall at DEPTH than that baseline
    worse: int
    signals: Mapping[str, float]  # recall at DEPTH
    blocks: tuple[CommitBlock, ...]  # oldest first
    named: float
    named_all: float
    tokens: float
    lines: Mapping[str, LineShares]  # by source; empty if no commit changed source lines
    with_lines: int  # commits behind `lines`


@dataclass(frozen=True, slots=True)
class Evaluation:
    """The result of a replay."""

    name: str  # of the repository
    id: str
    head: str  # empty without commits
    budget: int  # tokens of each brief
    asked: int  # commits requested
    scanned: int  # commits searched
    rows: Sequence[ReplayedCommit]  # oldest first
    figures: Figures | None  # None without rows
    failures: Sequence[str]  # "commit: reason"
    notices: Sequence[str]  # limits of the figures, one line each
    at: str  # when it ended: YYYY-MM-DDTHH:MM:SSZ


def figures_of(rows: Sequence[ReplayedCommit]) -> Figures:
    """The figures of at least one commit, oldest first."""
    outcomes = [row.outcome for row in rows]
    rankings = {name: mean_of(one.rankings[name] for one in outcomes) for name in outcomes[0].rankings}
    signals = {name: mean_of(one.signals[name] for one in outcomes).at(DEPTH) for name in outcomes[0].signals}
    best = max((name for name in rankings if name != BRIEF), key=lambda name: rankings[name].at(DEPTH))
    lines = [one.lines for one in outcomes if one.lines]
    leads = [one.rankings[BRIEF].at(DEPTH) - one.rankings[best].at(DEPTH) for one in outcomes]
    return Figures(
        rankings,
        best,
        sum(lead > 0 for lead in leads),
        sum(lead < 0 for lead in leads),
        signals,
        tuple(_block(part, best) for part in _parts(rows)),
        fmean(one.named for one in outcomes),
        fmean(one.named_all for one in outcomes),
        fmean(one.tokens for one in outcomes),
        {name: mean for name in (BRIEF, COMMANDS) if (mean := mean_shares(one[name] for one in lines))},
        len(lines),
    )


def _parts(rows: Sequence[ReplayedCommit]) -> list[Sequence[ReplayedCommit]]:
    """The rows in up to MOST_BLOCKS parts of nearly equal length."""
    number = min(MOST_BLOCKS, len(rows) // FEWEST_IN_BLOCK) or 1
    starts = [len(rows) * at // number for at in range(number + 1)]
    return [rows[start:end] for start, end in pairwise(starts)]


def _block(rows: Sequence[ReplayedCommit], baseline: str) -> CommitBlock:
    brief, other = (fmean(row.outcome.rankings[name].at(DEPTH) for row in rows) for name in (BRIEF, baseline))
    return CommitBlock(rows[0], rows[-1], len(rows), brief, other)
