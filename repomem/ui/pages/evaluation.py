"""The last `repomem eval` of this repository, as its tables."""

from dataclasses import dataclass

from repomem.core.types.commits import short_hash
from repomem.evaluate.figures import BRIEF, DEPTH, ReplayedCommit
from repomem.evaluate.last_evaluation import last_evaluation
from repomem.evaluate.tables import Table, footnotes, tables
from repomem.workspace.workspace import Workspace


@dataclass(frozen=True, slots=True)
class EvaluatedCommit:
    """A commit that was replayed; figures are shares from 0 to 1."""

    short: str
    date: str
    subject: str
    files: tuple[str, ...]  # code files that it changed
    brief: float  # of these files, the share among the first ten that the brief names
    baseline: float  # the same for the best baseline
    tokens: int


@dataclass(frozen=True, slots=True)
class EvaluationPage:
    """The last evaluation; without one, all fields are empty."""

    at: str = ""  # when it ended, YYYY-MM-DDTHH:MM:SSZ
    head: str = ""
    budget: int = 0  # tokens of each brief
    tables: tuple[Table, ...] = ()
    notes: tuple[str, ...] = ()
    baseline: str = ""  # name of the best one
    commits: tuple[EvaluatedCommit, ...] = ()  # newest first


def evaluation_page(workspace: Workspace) -> EvaluationPage:
    """The last evaluation, as it was saved."""
    found = last_evaluation(workspace.repository)
    if found is None or found.figures is None:
        return EvaluationPage()
    figures = found.figures
    return EvaluationPage(
        found.at,
        short_hash(found.head),
        found.budget,
        tuple(table for table in tables(found, figures) if table.rows),
        (*footnotes(found, figures), *found.notices, *(f"skipped {each}" for each in found.failures)),
        figures.baseline,
        tuple(_commit(row, figures.baseline) for row in reversed(found.rows)),
    )


def _commit(row: ReplayedCommit, baseline: str) -> EvaluatedCommit:
    rankings = row.outcome.rankings
    brief, other = rankings[BRIEF].at(DEPTH), rankings[baseline].at(DEPTH)
    return EvaluatedCommit(short_hash(row.commit), row.date, row.subject, row.answers, brief, other, row.outcome.tokens)
