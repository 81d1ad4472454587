"""The figures of a replay as one self-contained HTML page, without scripts, light or dark as the reader prefers."""

from collections.abc import Iterator, Sequence
from html import escape

from repomem.core.text.escape import visible, visible_path
from repomem.core.types.commits import short_hash
from repomem.evaluate.figures import CommitBlock, Evaluation, Figures, ReplayedCommit
from repomem.evaluate.tables import Table, footnotes, tables

WIDTH, HEIGHT = 484, 300
LEFT, TOP, RIGHT, BOTTOM = 44, 16, 470, 256  # of the plot
DEPTHS_NAMED = (1, 5, 10, 15, 20)
BARS = 0.7  # share of a block's width that its two bars take

STYLE = """
:root { color-scheme: light dark; --ink: #1c2430; --dim: #5b6675; --paper: #ffffff; --rule: #d9dee5;
  --s0: #0b62d6; --s1: #b4540a; --s2: #16803c; --s3: #8a3ab9; --s4: #b3264e; --s5: #66707d; }
@media (prefers-color-scheme: dark) { :root { --ink: #e4e8ee; --dim: #9aa5b4; --paper: #14181e; --rule: #333b46;
  --s0: #6aa9ff; --s1: #f0a060; --s2: #5fcf86; --s3: #cf9bf0; --s4: #f2809f; --s5: #a3adba; } }
body { font: 16px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper); max-width: 44rem;
  margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.4rem; } h2 { font-size: 1.05rem; margin: 2rem 0 .4rem; }
p, li, .dim { color: var(--dim); }
.wide { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
th, td { text-align: right; padding: .25rem .5rem; border-bottom: 1px solid var(--rule); }
th:first-child, td:first-child { text-align: left; padding-left: 0; } th { font-weight: 600; color: var(--dim); }
tr.brief td { font-weight: 600; }
code { font-size: .9em; overflow-wrap: anywhere; }
svg { width: 100%; height: auto; margin-top: 1rem; } svg text { fill: var(--dim); font-size: 9px; }
.legend { display: flex; flex-wrap: wrap; gap: .1rem 1.2rem; margin: 0; font-size: .9rem; }
svg.sign { width: 30px; height: 10px; margin: 0; }
.grid { stroke: var(--rule); } .line { fill: none; stroke-width: 1.6; } .line.s0 { stroke-width: 3; }
.line.s2 { stroke-dasharray: 7 4; } .line.s3 { stroke-dasharray: 2 4; } .line.s4 { stroke-dasharray: 9 3 2 3; }
.line.s5 { stroke-dasharray: 1 6; stroke-width: 2.4; }
""" + "\n".join(f".line.s{at} {{ stroke: var(--s{at}); }} .bar.s{at} {{ fill: var(--s{at}); }}" for at in range(6))
STYLE += """
@media (max-width: 40rem) {
  svg text { font-size: 13px; }
  thead { display: none; } tr { display: flex; flex-wrap: wrap; gap: 0 1rem; padding: .35rem 0;
    border-bottom: 1px solid var(--rule); }
  td { padding: 0; border: 0; } td:first-child { flex: 1 0 100%; } td:empty { display: none; }
  td:not(:first-child)::before { content: attr(data-head) " "; color: var(--dim); font-weight: 400; }
}
"""


def page(found: Evaluation, figures: Figures) -> str:
    """The page of a replay."""
    rankings, brief, lines, blocks, signals = map(table_html, tables(found, figures))
    notes = notes_html([*footnotes(found, figures), *found.notices])
    body = f"{rankings}{_recall_curves(figures)}{notes}{brief}{lines}{blocks}{_block_bars(figures)}{signals}"
    return document(found.name, "Would the brief have pointed at the files?", body + _commits(found, figures))


def document(name: str, question: str, body: str) -> str:
    """A page about a repository; `body` is HTML."""
    title = escape(visible(name))
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>repomem eval: {title}</title>
<style>{STYLE}</style>
</head>
<body>
<h1>{escape(question)} {title}</h1>
{body}</body>
</html>
"""


def notes_html(notes: Sequence[str]) -> str:
    """Notes as a list."""
    return "<ul>\n" + "".join(f"<li>{escape(visible(note))}</li>\n" for note in notes) + "</ul>\n"


def table_html(table: Table) -> str:
    """A table below its title."""
    rows = "".join(_line(table.heads, row) for row in table.rows)
    return f"<h2>{escape(visible(table.title))}</h2>\n{_table(table.heads, rows)}"


def _table(heads: Sequence[str], rows: str) -> str:
    """The rows below their heads; on a narrow screen, each row is a block and repeats the heads."""
    names = "".join(f"<th>{escape(head)}</th>" for head in heads)
    return f'<div class="wide"><table>\n<thead><tr>{names}</tr></thead>\n<tbody>\n{rows}</tbody>\n</table></div>\n'


def _line(heads: Sequence[str], row: Sequence[str]) -> str:
    is_ours = ' class="brief"' if row[0] == "brief" else ""
    return f"<tr{is_ours}>{''.join(map(_cell, heads, row))}</tr>\n"


def _cell(head: str, cell: str) -> str:
    return f'<td data-head="{escape(head)}">{escape(visible(cell))}</td>'


def _commits(found: Evaluation, figures: Figures) -> str:
    """Every commit, to inspect misses."""
    heads = ("commit", "brief", figures.baseline, "tokens")
    rows = "".join(_commit(row, figures.baseline) for row in reversed(found.rows))
    skipped = "".join(f"<p>skipped {escape(visible(failure))}</p>\n" for failure in found.failures)
    body = f"{_table(heads, rows)}{skipped}<p>repomem eval at {escape(short_hash(found.head))}</p>\n"
    return f"<h2>Each commit, newest first: recall@10</h2>\n{body}"


def _commit(row: ReplayedCommit, baseline: str) -> str:
    files = ", ".join(f"<code>{escape(visible_path(path))}</code>" for path in row.answers)
    words = f"<code>{short_hash(row.commit)}</code> {row.date} {escape(visible(row.subject))}"
    figures = [f"{row.outcome.rankings[name].at(10):.2f}" for name in ("brief", baseline)]
    cells = "".join(map(_cell, ("brief", baseline, "tokens"), (*figures, f"{row.outcome.tokens:,}")))
    return f'<tr><td>{words}<br><span class="dim">{files}</span></td>{cells}</tr>\n'


def _recall_curves(figures: Figures) -> str:
    """Recall by depth, a line for each ranking."""
    depths = len(next(iter(figures.rankings.values())).recall)
    parts = [*_frame(), *(_below(_x(depth, depths), str(depth)) for depth in DEPTHS_NAMED)]
    legend = []
    for at, (name, measures) in enumerate(figures.rankings.items()):
        points = " ".join(
            f"{_x(depth, depths):.1f},{_y(value):.1f}" for depth, value in enumerate(measures.recall, start=1)
        )
        parts.append(f'<polyline class="line s{at}" points="{points}"><title>{escape(name)}</title></polyline>')
        legend.append(_entry(name, f'<line class="line s{at}" x1="0" y1="5" x2="30" y2="5"/>'))
    parts.append(_below((LEFT + RIGHT) / 2, "files", 36))
    return _drawn("Recall by number of files", parts, legend)


def _block_bars(figures: Figures) -> str:
    """recall@10 in each block of the history: the brief and the best baseline."""
    parts = list(_frame())
    room = (RIGHT - LEFT) / len(figures.blocks)
    names = list(figures.rankings)
    shown = [names.index("brief"), names.index(figures.baseline)]  # same colours as the lines
    for at, block in enumerate(figures.blocks):
        parts += _bars(block, LEFT + room * at, room, shown)
    legend = [_entry(names[at], f'<rect class="bar s{at}" width="30" height="10"/>') for at in shown]
    return _drawn("recall@10 over time", parts, legend)


def _bars(block: CommitBlock, left: float, room: float, colours: Sequence[int]) -> Iterator[str]:
    width = room * BARS / 2
    x = left + room * (1 - BARS) / 2
    for at, value in zip(colours, (block.brief, block.baseline), strict=True):
        place = f'x="{x:.1f}" y="{_y(value):.1f}" width="{width - 2:.1f}" height="{BOTTOM - _y(value):.1f}"'
        yield f'<rect class="bar s{at}" {place}><title>{value:.3f}</title></rect>'
        yield _text(x + width / 2, _y(value) - 4, f"{value:.2f}")
        x += width
    yield _below(left + room / 2, block.first.date)
    yield _below(left + room / 2, f"{block.commits} commits", 32)


def _frame() -> Iterator[str]:
    """Grid lines at the quarters of the scale."""
    for quarter in range(5):
        y = _y(quarter / 4)
        yield f'<line class="grid" x1="{LEFT}" y1="{y:.1f}" x2="{RIGHT}" y2="{y:.1f}"/>'
        yield f'<text class="small" x="{LEFT - 6}" y="{y + 4:.1f}" text-anchor="end">{quarter / 4:.2f}</text>'


def _entry(name: str, sign: str) -> str:
    """A legend entry: its sign and its name."""
    return f'<span><svg class="sign" viewBox="0 0 30 10" aria-hidden="true">{sign}</svg> {escape(name)}</span>'


def _below(x: float, text: str, depth: int = 18) -> str:
    return _text(x, BOTTOM + depth, text)


def _text(x: float, y: float, text: str) -> str:
    return f'<text class="small" x="{x:.1f}" y="{y:.1f}" text-anchor="middle">{escape(text)}</text>'


def _x(depth: int, depths: int) -> float:
    return LEFT + (RIGHT - LEFT) * (depth - 1) / (depths - 1)


def _y(value: float) -> float:
    return BOTTOM - (BOTTOM - TOP) * value


def _drawn(title: str, parts: Sequence[str], legend: Sequence[str]) -> str:
    drawing = "\n".join(parts)
    return (
        f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{escape(title)}">\n{drawing}\n</svg>\n'
        f'<p class="legend">{" ".join(legend)}</p>\n'
    )
