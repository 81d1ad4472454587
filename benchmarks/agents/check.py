"""Judges a worktree by conditions: `python check.py CONDITIONS`, JSON; exits with 1 and a line if one does not hold.

- `["has", GLOB, REGEX]`: some file matches; `["lacks", GLOB, REGEX]`: none does. `^` and `$` match at each line.
- `["same", PATH, TEXT]`: the file has exactly this text.
- `["python", CODE]`: the code runs in the worktree without an error.
- `["runs", COMMAND]`: the command ends with 0; `python` is this interpreter.

It imports nothing of this repository, so that it runs beside any agent.
"""

import json
import re
import subprocess
import sys
from pathlib import Path

LONGEST = 120  # seconds of a command


def failed(condition: list[str]) -> str:
    """Why a condition does not hold in the current folder; empty if it does."""
    kind, *given = condition
    match kind:
        case "has":
            holds = any(matches(path, given[1]) for path in Path().glob(given[0]))
        case "lacks":
            holds = not any(matches(path, given[1]) for path in Path().glob(given[0]))
        case "same":
            holds = Path(given[0]).is_file() and Path(given[0]).read_text(encoding="utf-8") == given[1]
        case "python":
            holds = succeeds(["python", "-c", f"import sys; sys.path.insert(0, '.')\n{given[0]}"])
        case "runs":
            holds = succeeds(given[0].split())
        case _:
            holds = False
    return "" if holds else " ".join([kind, *given])[:200]


def matches(path: Path, pattern: str) -> bool:
    """Whether a file has a match."""
    return path.is_file() and re.search(pattern, path.read_text(encoding="utf-8"), re.MULTILINE) is not None


def succeeds(command: list[str]) -> bool:
    """Whether a command ends with 0; Python writes no bytecode, which would count as an edit."""
    words = [sys.executable, "-B", *command[1:]] if command[0] == "python" else command
    done = subprocess.run(words, capture_output=True, check=False, timeout=LONGEST)
    sys.stderr.buffer.write(done.stderr[-2_000:])
    return done.returncode == 0


def main() -> None:
    reasons = [reason for condition in json.loads(sys.argv[1]) if (reason := failed(condition))]
    sys.exit("\n".join(f"does not hold: {reason}" for reason in reasons) or None)


if __name__ == "__main__":
    main()
