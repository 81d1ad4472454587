"""What is known to have been broken again: mended lines that came back and were taken out once more.

Found without the code that is measured, from the log alone: a commit that says it fixes or reverts takes lines out of
a file, a later one puts two or more of them back in the same file, and a still later one that says it fixes or reverts
takes them out again. Hindsight is allowed here: what is measured has none.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from subprocess import PIPE, Popen

FEWEST = 2  # lines; a single one comes and goes by chance
LARGEST = 600  # changed lines of a fix: more is something else
SUFFIXES = ("py", "rb", "go", "rs", "js", "ts", "php", "java")

_MENDS = re.compile(r"\b(fix(es|ed)?|bugs?|regressions?|revert(s|ed)?|back(s|ed)? out)\b", re.IGNORECASE)
_OTHER = re.compile(
    r"\b(typos?|docs?|javadoc|readme|changelog|tests?|lint|checkstyle|style|format|ci|build|spelling|comments?|"
    r"warnings?|imports?)\b",
    re.IGNORECASE,
)
_NO_PROGRAM = re.compile(
    r"(^|/)(tests?|specs?|examples?|docs?|bench\w*|dist|vendor|vendored|packages)/|(^|/)test_|_test\.go$|[Tt]est\.java$"
    r"|\.min\.js$",
    re.IGNORECASE,
)
_ASIDE = ("#", "//", "*", "/*", "import ", "from ", "use ", "require", "package ", "using ", "<!--", '"""')
Line = tuple[str, str]  # path and text


@dataclass(frozen=True, slots=True)
class Rebreak:
    """The commit that took lines out, the one that brought them back, and the one that took them out again."""

    fix: str
    by: str
    again: str
    paths: tuple[str, ...]
    lines: int


@dataclass(slots=True)
class _Done:
    commit: str
    subject: str
    removed: set[Line] = field(default_factory=set)
    added: set[Line] = field(default_factory=set)

    @property
    def mends(self) -> bool:
        """Whether it says that it fixes or reverts, and is of a size to be that."""
        is_small = len(self.removed) + len(self.added) <= LARGEST
        return is_small and says_it_mends(self.subject)


def says_it_mends(subject: str) -> bool:
    """Whether a commit says that it fixes or reverts something of the program."""
    return bool(_MENDS.search(subject)) and not _OTHER.search(subject)


def rebreaks_in(repository: Path, head: str) -> list[Rebreak]:
    """What was broken again in a history, in the order of the second mending."""
    out: dict[Line, str] = {}  # removed by a fix, and not back yet
    back: dict[Line, tuple[str, str]] = {}  # the fix, and what brought it back
    found: dict[tuple[str, str, str], set[Line]] = defaultdict(set)
    for done in _log(repository, head):
        moved = {text for _, text in done.removed} & {text for _, text in done.added}
        for line in (line for line in done.removed if line[1] not in moved):
            fix, by = back.pop(line, ("", ""))
            if fix and done.mends:
                found[fix, by, done.commit].add(line)
            out.pop(line, None)
            if done.mends:
                out[line] = done.commit
        for line in (line for line in done.added if line[1] not in moved and line in out):
            back[line] = out.pop(line), done.commit
    return [
        Rebreak(*commits, tuple(sorted({path for path, _ in lines})), len(lines))
        for commits, lines in found.items()
        if len(lines) >= FEWEST
    ]


def _log(repository: Path, head: str) -> Iterator[_Done]:
    command = ["git", "-C", str(repository), "log", "--reverse", "--topo-order", "--no-merges", "-p", "-U0"]
    command += ["--no-renames", "--format=\x01%H%x00%s", head, "--", *(f"*.{suffix}" for suffix in SUFFIXES)]
    with Popen(command, stdout=PIPE) as process:
        assert process.stdout is not None
        yield from _read(raw.decode("utf-8", "replace").rstrip("\n") for raw in process.stdout)


def _read(lines: Iterable[str]) -> Iterator[_Done]:
    done: _Done | None = None
    old = path = ""
    for line in lines:
        if line.startswith("\x01"):
            if done:
                yield done
            commit, subject = line[1:].split("\0")
            done = _Done(commit, subject)
        elif line.startswith("--- "):
            old = line.removeprefix("--- ").removeprefix("a/")
        elif line.startswith("+++ "):
            path = line.removeprefix("+++ b/") if line.startswith("+++ b/") else old
        elif done and line[:1] in {"+", "-"} and not _NO_PROGRAM.search(path) and _says(text := line[1:].strip()):
            (done.added if line[0] == "+" else done.removed).add((path, text))
    if done:
        yield done


def _says(text: str) -> bool:
    return len(text) >= 14 and not text.startswith(_ASIDE) and len(re.findall(r"[A-Za-z_]{2,}", text)) >= 2
