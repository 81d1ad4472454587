"""The two plots of a replay as inline SVG with a legend below; colours and sizes come from the page's style."""

from collections.abc import Iterator, Sequence
from html import escape

from repomem.evaluate.figures import CommitBlock, Figures

WIDTH, HEIGHT = 484, 300
LEFT, TOP, RIGHT, BOTTOM = 44, 16, 470, 256  # of the plot
DEPTHS_NAMED = (1, 5, 10, 15, 20)
BARS = 0.7  # share of a block's width that its two bars take


def recall_curves(figures: Figures) -> str:
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


def block_bars(figures: Figures) -> str:
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
