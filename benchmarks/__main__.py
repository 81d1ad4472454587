"""python -m benchmarks COMMAND …

speed MIRROR                             time, memory and disk on one large repository, each beside its limit
replay MIRROR [--signals]                earlier commits as tasks: are their files recalled from the message alone?
search MIRROR --data DIR [--whole] [--signals]
                                         NDCG@10 of code search over annotated queries
kills …                                  index runs killed at any moment
tokens CLONES …                          the token estimate against real tokenizers

MIRROR holds bare clones, as README.md says. Raw results go to benchmarks/results.
"""

import importlib
import subprocess
import sys
from pathlib import Path

COMMANDS = ("speed", "replay", "search", "kills")
TOKENS = Path(__file__).parent / "tokens" / "measure.py"  # of other dependencies than ours: see its README


def main() -> None:
    """Run one benchmark, or say which there are."""
    name, *arguments = sys.argv[1:] or [""]
    if name == "tokens":
        sys.exit(subprocess.run([sys.executable, str(TOKENS), *arguments], check=False).returncode)
    if name not in COMMANDS:
        sys.exit(__doc__)
    importlib.import_module(f"benchmarks.{name}").main(arguments)


if __name__ == "__main__":
    main()
