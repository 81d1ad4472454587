"""The figures of a replay as tables and the sentences below them, the same on a terminal, in a pipe and on a page."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from repomem.evaluate.figures import Figures
    from repomem.evaluate.run import Evaluation

DEPTHS = (1, 5, 10, 20)


@dataclass(frozen=True, slots=True)
class Table:
    """A table: the first cell of a row says what it is about, the others are figures."""

    title: str
    heads: tuple[str, ...]
    rows: Sequence[tuple[str, ...]]


def tables(found: "Evaluation", figures: "Figures") -> list[Table]:
    """All of them, the most telling first."""
    return [_rankings(found, figures), _brief(found, figures), _blocks(figures), _signals(figures)]


def footnotes(found: "Evaluation", figures: "Figures") -> list[str]:
    """What the figures are, and what they are not."""
    commits = len(found.rows)
    same = commits - figures.better - figures.worse
    measures = (
        "recall@10: of the code files that a commit changed, the share among the first ten that a ranking names, given "
        "the commit's message and nothing later than its parent. MRR: one over the place of the first, in the mean."
    )
    doubt = (
        f"Of {commits} commits the brief has more than {figures.baseline} in {figures.better}, less in "
        f"{figures.worse}, the same in {same}. A difference of some hundredths may be chance."
    )
    limits = (
        "A message is a kinder question than yours will be: its author knew the answer. It is your history, not your "
        "next task; what you told repomem to remember was not used."
    )
    return [measures, doubt, limits]


def _rankings(found: "Evaluation", figures: "Figures") -> Table:
    rows = [
        (name, *(_figure(measures.at(depth)) for depth in DEPTHS), _figure(measures.rr))
        for name, measures in figures.rankings.items()
    ]
    heads = ("ranking", *(f"recall@{depth}" for depth in DEPTHS), "MRR")
    first, last = found.rows[0].date, found.rows[-1].date
    commits = f"{len(found.rows)} commit{'s' * (len(found.rows) != 1)} of {found.name}, {first} to {last}"
    return Table(f"Found from the message alone: {commits}", heads, rows)


def _brief(found: "Evaluation", figures: "Figures") -> Table:
    rows = [
        ("code files that the commit changed, named anywhere in it", _figure(figures.named)),
        ("all files that it changed", _figure(figures.named_all)),
        ("tokens spent", f"{figures.tokens:,.0f}"),
    ]
    if figures.functions:
        functions = f"functions that it changed, of {figures.with_functions} commits that changed any"
        rows += [
            (functions, _figure(figures.functions.brief)),
            ("the same in the best chunks by words, printed while they fit", _figure(figures.functions.chunks)),
        ]
    return Table(f"A brief of at most {found.budget:,} tokens", ("", "mean"), rows)


def _blocks(figures: "Figures") -> Table:
    rows = [
        (f"{block.first.date} to {block.last.date}", str(block.commits), _figure(block.brief), _figure(block.baseline))
        for block in figures.blocks
    ]
    return Table("recall@10 in the course of the history", ("", "commits", "brief", figures.baseline), rows)


def _signals(figures: "Figures") -> Table:
    """Those that make a difference; the rest in one line."""
    whole, *others = figures.signals.items()
    changed = [(name, value) for name, value in others if _figure(value) != _figure(whole[1])]
    rows = [(whole[0], _figure(whole[1]), "")]
    rows += [(name, _figure(value), f"{value - whole[1]:+.3f}") for name, value in changed]
    if len(changed) < len(others):
        rows.append((f"without any one of the {len(others) - len(changed)} others", _figure(whole[1]), "none"))
    title = "recall@10 of the ranking behind the brief, with one signal or the factor of one role switched off"
    return Table(title, ("signals", "recall@10", "change"), rows)


def _figure(value: float) -> str:
    return f"{value:.3f}"
