"""The figures of a replay as tables with footnotes, for terminal, pipe and page."""

from collections.abc import Sequence
from dataclasses import dataclass

from repomem.core.text.counts import counted
from repomem.evaluate.figures import Evaluation, Figures

DEPTHS = (1, 5, 10, 20)


@dataclass(frozen=True, slots=True)
class Table:
    """A table; the first cell of a row is its label, the others are figures."""

    title: str
    heads: tuple[str, ...]
    rows: Sequence[tuple[str, ...]]


def tables(found: Evaluation, figures: Figures) -> list[Table]:
    """All tables, the most important first."""
    return [_rankings(found, figures), _brief(found, figures), _lines(figures), _blocks(figures), _signals(figures)]


def footnotes(found: Evaluation, figures: Figures) -> list[str]:
    """The meaning of the figures, and their limits."""
    commits = len(found.rows)
    same = commits - figures.better - figures.worse
    measures = (
        "recall@10: of the code files that a commit changed, the share among the first ten files of a ranking, given "
        "the commit's message and nothing later than its parent. MRR: mean reciprocal rank of the first such file."
    )
    doubt = (
        f"Compared with {figures.baseline}, the brief finds more in {figures.better} of {commits} commits, less in "
        f"{figures.worse}, the same in {same}. A difference of a few hundredths may be chance."
    )
    limits = (
        "Commit messages are easier questions than real tasks, because their authors knew the answer. Memories were "
        "not used."
    )
    commands = (
        "Three commands: an agent's likely first searches, cut to the same budget: the identifiers of the message by "
        "git grep, the lines with its rarest words, and git log --grep."
    )
    rankings = (
        "Rankings: words searches the code; history searches the messages of earlier commits, which vote for their "
        "files; git log gives the files of the best such commit, then of the next; most edited ignores the message."
    )
    return [measures, rankings, doubt, commands, limits]


def _rankings(found: Evaluation, figures: Figures) -> Table:
    rows = [
        (name, *(_figure(measures.at(depth)) for depth in DEPTHS), _figure(measures.rr))
        for name, measures in figures.rankings.items()
    ]
    heads = ("ranking", *(f"recall@{depth}" for depth in DEPTHS), "MRR")
    first, last = found.rows[0].date, found.rows[-1].date
    commits = f"{counted(len(found.rows), 'commit')} of {found.name}, {first} to {last}"
    return Table(f"Files found from the commit message: {commits}", heads, rows)


def _brief(found: Evaluation, figures: Figures) -> Table:
    rows = [
        ("changed code files that the brief names", _figure(figures.named)),
        ("all changed files that it names", _figure(figures.named_all)),
        ("tokens", f"{figures.tokens:,.0f}"),
    ]
    return Table(f"A brief of at most {found.budget:,} tokens", ("", "mean"), rows)


def _lines(figures: Figures) -> Table:
    shown = list(figures.lines.values())
    rows = [
        ("changes within a named place (at most 120 lines)", *(_figure(one.places) for one in shown)),
        ("changes of which a line is printed", *(_figure(one.shown) for one in shown)),
        ("commits with such a change", *(_figure(one.any_shown) for one in shown)),
        ("commits where the origin of a changed line is named", *(_figure(one.writer) for one in shown)),
        ("changed tests, documents and other files named", *(_figure(one.beside) for one in shown)),
        ("tokens (characters / 3.6)", *(f"{one.tokens:,.0f}" for one in shown)),
    ]
    commits = counted(figures.with_lines, "commit")
    return Table(f"Changed source lines, in {commits} that changed any", ("", *figures.lines), rows if shown else [])


def _blocks(figures: Figures) -> Table:
    rows = [
        (f"{block.first.date} to {block.last.date}", str(block.commits), _figure(block.brief), _figure(block.baseline))
        for block in figures.blocks
    ]
    return Table("recall@10 over time", ("", "commits", "brief", figures.baseline), rows)


def _signals(figures: Figures) -> Table:
    """The signals that change recall@10; the others in one line."""
    whole, *others = figures.signals.items()
    changed = [(name, value) for name, value in others if _figure(value) != _figure(whole[1])]
    rows = [(whole[0], _figure(whole[1]), "")]
    rows += [(name, _figure(value), f"{value - whole[1]:+.3f}") for name, value in changed]
    if len(changed) < len(others):
        rows.append((f"without any one of the {len(others) - len(changed)} others", _figure(whole[1]), "none"))
    title = "recall@10 of the ranking behind the brief with one of its inputs left out"
    return Table(title, ("signals", "recall@10", "change"), rows)


def _figure(value: float | None) -> str:
    return "none" if value is None else f"{value:.3f}"
