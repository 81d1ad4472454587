"""Writes fixtures/tokens/lines.json and texts.json: texts and their true counts by both real tokenizers.

python benchmarks/tokens/make_golden.py CLONES_FOLDER
"""

import json
import random
import sys
from pathlib import Path

from adversary import adversarial_lines
from briefs import brief, read_clone
from real_tokenizers import RealTokenizers, load

TARGET = Path(__file__).parents[2] / "fixtures" / "tokens"
LINES_PER_KIND = 5
LINES_PER_CLONE = 160
BRIEFS_PER_CLONE = 36
LINES_PER_BRIEF = 20
LINES_PER_ADVERSARY = 8  # of a whole text of one kind

Row = dict[str, str | int]


def row(kind: str, text: str, real: RealTokenizers) -> Row:
    return {"kind": kind, "text": text, "cl100k": real.cl100k(text), "anthropic": real.anthropic(text)}


def write(name: str, rows: list[Row]) -> None:
    lines = ",\n".join(json.dumps(r) for r in rows)
    (TARGET / name).write_text(f"[\n{lines}\n]\n", "ascii")
    print(name, len(rows))


def main() -> None:
    real = load()
    rng = random.Random(23)
    lines: list[Row] = []
    texts: list[Row] = []
    for clone in sorted(Path(sys.argv[1]).iterdir()):
        source = read_clone(clone)
        picked = brief(source, rng, length=LINES_PER_CLONE).split("\n")[2:]
        lines.extend(row("ordinary", line, real) for line in picked if len(line) >= 20)
        briefs = [brief(source, rng, length=LINES_PER_BRIEF) for _ in range(BRIEFS_PER_CLONE)]
        texts.extend(row("ordinary", text, real) for text in briefs)
    for kind, drawn in adversarial_lines(rng).items():
        lines.extend(row(kind, line, real) for line in drawn[:LINES_PER_KIND])
        texts.append(row(kind, "\n".join(drawn[:LINES_PER_ADVERSARY]), real))
    TARGET.mkdir(parents=True, exist_ok=True)
    write("lines.json", lines)
    write("texts.json", texts)


if __name__ == "__main__":
    main()
