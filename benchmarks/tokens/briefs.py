"""Texts that look like what repomem prints, drawn from clones: paths with spans, code, commit subjects, prose."""

import random
import subprocess
from dataclasses import dataclass
from pathlib import Path

PROSE = {".md", ".rst", ".txt", ".markdown"}
CODE = {".py", ".go", ".rs", ".js", ".ts", ".rb", ".php", ".java", ".cs", ".scala", ".swift", ".ex", ".exs"}
CODE |= {".h", ".cc", ".c", ".lua", ".toml", ".yml", ".json", ".sh", ".kt", ".cpp"}
LONGEST_FILE = 300_000  # bytes; longer ones are generated


@dataclass(frozen=True, slots=True)
class Lines:
    """The lines of one clone by what they are."""

    prose: list[str]
    code: list[str]
    paths: list[str]
    log: list[str]


def git_lines(clone: Path, *arguments: str) -> list[str]:
    out = subprocess.run(["git", "-C", str(clone), *arguments], capture_output=True, check=True)
    return out.stdout.decode("utf-8", "replace").splitlines()


def read_clone(clone: Path) -> Lines:
    paths = git_lines(clone, "ls-files")
    prose: list[str] = []
    code: list[str] = []
    for path in map(clone.joinpath, paths):
        if path.suffix not in PROSE | CODE or not path.is_file() or path.stat().st_size > LONGEST_FILE:
            continue
        lines = path.read_text("utf-8", "replace").splitlines()
        (prose if path.suffix in PROSE else code).extend(ln for ln in lines if ln.strip() and len(ln) < 400)
    log = git_lines(clone, "log", "-n", "3000", "--format=%h %ad %s", "--date=short")
    return Lines(prose, code or prose, paths, log)


def place(lines: Lines, rng: random.Random) -> str:
    start = rng.randrange(1, 900)
    code = rng.choice(lines.code).strip()[:100]
    return f"- `{rng.choice(lines.paths)}:{start}-{start + rng.randrange(80)}` {code}"


def brief(lines: Lines, rng: random.Random, *, length: int = 60) -> str:
    """A text of `length` lines: 30 % places, 30 % commits, 20 % prose, 20 % code."""
    out = ["# repomem brief", ""]
    for _ in range(length):
        draw = rng.random()
        if draw < 0.3:
            out.append(place(lines, rng))
        elif draw < 0.6:
            out.append("- " + rng.choice(lines.log))
        else:
            out.append(rng.choice(lines.prose if draw < 0.8 and lines.prose else lines.code))
    return "\n".join(out)
