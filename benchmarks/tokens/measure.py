"""How tight `count_tokens` is on brief-like texts, where it falls below the truth, and how quick it is.

python benchmarks/tokens/measure.py CLONES_FOLDER [CLONE ...]
"""

import random
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path

from adversary import adversarial_lines
from briefs import Lines, brief, read_clone
from real_tokenizers import RealTokenizers, load

from repomem.core.text.tokens import count_tokens

BRIEFS = 40  # per clone
Draw = Callable[[], str]


def report(name: str, texts: list[str], real: RealTokenizers) -> None:
    ratios = [count_tokens(t) / real.larger(t) for t in texts]
    below = [t for t, ratio in zip(texts, ratios, strict=True) if ratio < 1]
    mean, least = statistics.mean(ratios), min(ratios)
    print(f"{name:34} texts {len(texts):6}  mean {mean:.3f}  least {least:.3f}  below {len(below)}")
    for text in below[:6]:
        print("     ", count_tokens(text), real.cl100k(text), real.anthropic(text), ascii(text[:120]))


def speed(lines: list[Lines]) -> None:
    text = "\n".join(line for clone in lines for line in (*clone.code, *clone.prose))
    count_tokens(text[:100_000])
    start = time.perf_counter()
    count_tokens(text)
    print(f"{len(text.encode()) / 1e6 / (time.perf_counter() - start):.1f} MB/s over {len(text) / 1e6:.1f} MB")


def main() -> None:
    folder = Path(sys.argv[1])
    clones = [folder / name for name in sys.argv[2:]] or sorted(folder.iterdir())
    real = load()
    rng = random.Random(11)
    everything = [read_clone(clone) for clone in clones]
    for clone, lines in zip(clones, everything, strict=True):
        report(clone.name, [brief(lines, rng) for _ in range(BRIEFS)], real)
    for kind in ("prose", "code", "log"):
        pool = [line for lines in everything for line in getattr(lines, kind) if len(line) >= 40]
        report(f"single lines of {kind}", rng.sample(pool, min(4000, len(pool))), real)
    for name, texts in adversarial_lines(rng).items():
        report(name, texts, real)
    speed(everything)


if __name__ == "__main__":
    main()
