"""The pairs of `repomem eval --agent` as tables, for terminal, pipe and page."""

from repomem.cli.evaluate.html import document, notes_html, table_html
from repomem.core.text.counts import counted
from repomem.evaluate.agents.measures import RunOutcome
from repomem.evaluate.agents.report import AgentEvaluation, Comparison
from repomem.evaluate.tables import Table

RUN_HEADS = (
    *("task and arm", "solved", "respected", "wrong edits", "files before", "bytes before", "bytes read"),
    *("commands", "tokens in", "tokens out", "cost", "seconds", "ended by"),
)


def tables(found: AgentEvaluation) -> list[Table]:
    """The comparisons, then every run."""
    return [*(_comparison(each) for each in found.comparisons), _runs(found)]


def footnotes(found: AgentEvaluation) -> list[str]:
    """The meaning of the figures, and their limits."""
    statistics = (
        "Difference: the mean over pairs of the arm minus without. Interval: 95 %, by bootstrap over pairs. p: exact "
        "two-sided sign test over the pairs that differ."
    )
    measures = (
        "Before: files opened and bytes read before the first edit of a file that the true commit changes. Wrong "
        "edits: changed files that it does not change. Bytes read: the output of all tools but edits."
    )
    reported = (
        "Tokens and cost are what the host reports; tokens in include those read from a cache. Seconds are the "
        "agent's alone."
    )
    notes = [statistics, measures, reported]
    if found.is_interrupted or found.finished < found.planned:
        notes.append(f"Incomplete: {found.finished} of {counted(found.planned, 'run')}; the same command continues.")
    return notes


def page_of(found: AgentEvaluation) -> str:
    """A self-contained page with every pair."""
    named = [Table("The tasks", ("task", "kind", ""), [(p.task.name, p.task.kind, p.task.title) for p in found.pairs])]
    body = "".join(map(table_html, [*tables(found), *named]))
    about = [f"Agent: {found.agent}", *footnotes(found), *(f"Not a task: {line}" for line in found.skipped)]
    return document(found.name, "Does the agent do better with repomem?", body + notes_html(about))


def _comparison(each: Comparison) -> Table:
    rows = [
        (
            name,
            str(one.pairs),
            _figure(one.first),
            _figure(one.second),
            _figure(one.difference, "+"),
            f"{_figure(one.low, '+')} to {_figure(one.high, '+')}",
            f"{one.more} / {one.fewer}",
            f"{one.p:.3f}",
        )
        for name, one in each.measures.items()
    ]
    heads = ("", "pairs", "without", each.arm, "difference", "95 % interval", "more / fewer", "p")
    return Table(f"{each.arm} compared with without: means over pairs", heads, rows)


def _runs(found: AgentEvaluation) -> Table:
    rows = [(f"{pair.task.name} {arm}", *_run(run)) for pair in found.pairs for arm, run in pair.runs.items()]
    runs, tasks = counted(found.finished, "run"), counted(len(found.pairs), "task")
    return Table(f"Every pair: {runs} of {tasks} in {found.name}", RUN_HEADS, rows)


def _run(run: RunOutcome) -> tuple[str, ...]:
    return (
        _yes(run.solved),
        _yes(run.respected),
        str(run.wrong_edits),
        _count(run.files_before),
        _count(run.bytes_before),
        f"{run.bytes_read:,}",
        str(run.commands),
        f"{run.input_tokens:,}",
        f"{run.output_tokens:,}",
        "" if run.cost is None else f"${run.cost:.3f}",
        f"{run.seconds:.1f}",
        run.stopped or "itself",
    )


def _yes(value: bool | None) -> str:
    return "" if value is None else "yes" if value else "no"


def _count(value: int | None) -> str:
    return "none" if value is None else f"{value:,}"


def _figure(value: float, sign: str = "") -> str:
    """A number with enough digits to show a small difference."""
    digits = 0 if abs(value) >= 1_000 else 2 if abs(value) >= 1 or not value else 4
    return f"{value:{sign},.{digits}f}"
