"""How many tokens of a brief are of use? Each line is compared with the change that the replayed commit made.

A line of code is useful within three lines of a changed one or in a changed function of at most 100 lines, a path if
the commit changed the file, a commit if it wrote a changed line. Facts about the project and the frame are not judged.
"""

import argparse
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set as AbstractSet
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from benchmarks import results
from benchmarks.inputs import Pinned, section
from repomem.adapters.git.hunks import old_lines
from repomem.adapters.languages.grammar import language_of
from repomem.adapters.languages.outline import outline_of
from repomem.core.text.tokens import count_tokens
from repomem.core.types.code import FUNCTIONS, Definition, Outline
from repomem.evaluate.changed_lines import AROUND, LARGEST, change_of
from repomem.evaluate.replay import ReplayOptions, begin_replay
from repomem.evaluate.run import tasks_of
from repomem.evaluate.tasks import ReplayTask
from repomem.ranking.definitions import LONGEST_WHOLE
from repomem.recall.brief import recall
from repomem.recall.request import BriefRequest
from repomem.workspace.process import prepare_process
from repomem.workspace.run import Run
from repomem.workspace.snapshot import Snapshot
from repomem.workspace.workspace import configured

TASKS = 8  # of each repository
PARTS = ("place", "excerpt", "line", "also", "callers", "files", "together", "history", "facts", "frame")
NOT_JUDGED = frozenset({"facts", "frame"})
_FENCE = re.compile(r"`{3,}$")
_PLACE = re.compile(r"\d+\. `(.+?):(\d+)(?:-(\d+))?`")
_EXCERPT = re.compile(r"   `[^`]+:(\d+)(?:-(\d+))?`.*:$")
_SPAN = re.compile(r"`[^`]+?:(\d+)(?:-(\d+))?`")
_SINGLE = re.compile(r"(\d+(?:, \d+)*): ")
_QUOTED = re.compile(r"`([^`\s]+)`")
_COMMIT = re.compile(r"- (?:fixed in )?([0-9a-f]{7,40}) ")
_OF_PLACES = (  # how lines below a place start
    ("   also ", "also"),
    ("   called by ", "callers"),
    ("   used by ", "callers"),
    ("- further files: ", "files"),
    ("- changed together ", "together"),
    ("- edited with ", "together"),
)


class JudgedPart(NamedTuple):
    """A line of a brief, or one entry of a list in it."""

    part: str  # one of PARTS
    text: str
    is_useful: bool


@dataclass(frozen=True, slots=True)
class WantedLines:
    """What a commit changed, as it was before."""

    spans: Mapping[str, Sequence[range]]  # by path: changed lines with those around, and changed functions
    writers: AbstractSet[str]  # commits that wrote the changed lines

    def has_lines(self, path: str, first: int, last: int) -> bool:
        """Whether one of these lines is wanted."""
        return any(span.start <= last and first < span.stop for span in self.spans.get(path, ()))

    def has_file(self, text: str) -> bool:
        """Whether a text quotes the path or the end of the path of a changed file."""
        return any(f"/{path}".endswith(f"/{name}") for name in _QUOTED.findall(text) for path in self.spans)


def main(arguments: list[str]) -> None:
    """lines MIRROR [--budget N]"""
    parser = argparse.ArgumentParser(prog="python -m benchmarks lines")
    parser.add_argument("mirror", type=Path)
    parser.add_argument("--budget", type=int, default=1500, help="tokens of each brief")
    asked = parser.parse_args(arguments)
    prepare_process()
    where = results.machine()
    rows = [row for each in section("replay") for row in _rows(Pinned(**each), asked.mirror, asked.budget)]
    results.save("lines", where, {"budget": asked.budget, "rows": rows})
    print(table_of([row["tokens"] for row in rows]))


def _rows(pinned: Pinned, mirror: Path, budget: int) -> Iterator[dict[str, Any]]:
    """The tokens of each brief by part, [useful, all]."""
    with TemporaryDirectory(prefix="repomem-lines-", ignore_cleanup_errors=True) as name:
        repository, loaded = configured(pinned.checked_out(mirror, Path(name) / "work"), {})
        history, tasks = tasks_of(repository, pinned.commit, TASKS)
        with begin_replay(repository, loaded, history, tasks, ReplayOptions(TASKS, budget)) as replay:
            for task in tasks:
                found = replay.stand_at(task.parent, Run())
                brief = recall(found, BriefRequest(task.question, budget)).markdown
                judged = judged_parts(brief, wanted_lines(found, task))
                yield {"repository": pinned.repository, "commit": task.commit, "tokens": tokens_by_part(judged)}


def wanted_lines(found: Snapshot, task: ReplayTask) -> WantedLines:
    """What a task's commit changed."""
    spans: dict[str, list[range]] = {}
    for path, hunks in old_lines(found.workspace.repository, task.parent, task.commit).items():
        spans[path] = [range(each.start - AROUND, each.stop + AROUND) for each in hunks]
        language, data = language_of(path), found.data(path, LARGEST)
        if not language or data is None:
            continue
        outline = outline_of(data, language)
        around = {_function_at(outline, line) for each in hunks for line in each}
        whole = [range(each.start_line, each.end_line + 1) for each in around if each]
        spans[path] += [each for each in whole if len(each) <= LONGEST_WHOLE]
    change = change_of(found, task)
    return WantedLines(spans, change.writers if change else frozenset())


def _function_at(outline: Outline, line: int) -> Definition | None:
    """The function that contains a line: the innermost, or a short one around it."""
    around = [each for each in outline.definitions if each.start_line <= line <= each.end_line]
    functions = [each for each in around if each.kind in FUNCTIONS]
    whole = (each for each in functions if each.end_line - each.start_line < LONGEST_WHOLE)
    return next(whole, functions[-1]) if functions else None


def judged_parts(brief: str, wanted: WantedLines) -> list[JudgedPart]:
    """The parts of a brief with the verdict on each."""
    judged: list[JudgedPart] = []
    title, path, at, is_code = "", "", 0, False
    for line in brief.splitlines():
        if line.startswith("## "):
            title = line
            judged.append(JudgedPart("frame", line, False))
        elif _FENCE.match(line) and title.endswith("Where to look"):
            part = "excerpt" if at else "line"
            judged.append(JudgedPart(part, line, judged[-1].is_useful and (is_code or at > 0)))
            is_code, at = not is_code, 0 if is_code else at
        elif is_code:
            numbers = [at] if at else _numbers_of(line)
            useful = any(wanted.has_lines(path, each, each) for each in numbers)
            judged.append(JudgedPart("excerpt" if at else "line", line, useful))
            at += bool(at)
        elif title.endswith("Where to look"):
            path, at, found = _outside_code(line, path, wanted)
            judged += found
        elif title.endswith("Relevant history") and (commit := _COMMIT.match(line)):
            useful = any(each.startswith(commit[1]) for each in wanted.writers)
            judged.append(JudgedPart("history", line, useful))
        else:
            judged.append(JudgedPart("facts" if title.startswith("## Project facts") else "frame", line, False))
    return judged


def _outside_code(line: str, path: str, wanted: WantedLines) -> tuple[str, int, list[JudgedPart]]:
    """The path of the place that follows, the first line of the excerpt that follows, and the parts of a line."""
    if place := _PLACE.match(line):
        useful = place[1] in wanted.spans
        return place[1], 0, [JudgedPart("place", line, useful)]
    if excerpt := _EXCERPT.match(line):
        first, last = int(excerpt[1]), int(excerpt[2] or excerpt[1])
        return path, first, [JudgedPart("excerpt", line, wanted.has_lines(path, first, last))]
    part = next((part for start, part in _OF_PLACES if line.startswith(start)), "frame")
    if part == "also":
        entries = re.split(r"(?<=`), ", line)
        return path, 0, [JudgedPart(part, each, wanted.has_lines(path, *_span_in(each))) for each in entries]
    entries = re.split(r"(?<=`), ", line) if part == "files" else [line]
    return path, 0, [JudgedPart(part, each, part != "frame" and wanted.has_file(each)) for each in entries]


def _span_in(text: str) -> tuple[int, int]:
    span = list(_SPAN.finditer(text))[-1:]
    return next(((int(each[1]), int(each[2] or each[1])) for each in span), (0, 0))


def _numbers_of(line: str) -> list[int]:
    start = _SINGLE.match(line)
    return [int(number) for number in start[1].split(", ")] if start else []


def tokens_by_part(judged: Iterable[JudgedPart]) -> dict[str, list[int]]:
    """The tokens of each part of a brief: [useful, all]."""
    found = {part: [0, 0] for part in PARTS}
    for each in judged:
        tokens = count_tokens(f"{each.text}\n")
        found[each.part][0] += tokens * each.is_useful
        found[each.part][1] += tokens
    return found


def table_of(rows: Sequence[Mapping[str, Sequence[int]]]) -> str:
    """Mean tokens by part, how many of them are useful, and the share of the brief's noise."""
    useful, every = Counter[str](), Counter[str]()
    for row in rows:
        useful.update({part: counts[0] for part, counts in row.items()})
        every.update({part: counts[1] for part, counts in row.items()})
    noise = {part: every[part] - useful[part] for part in PARTS if part not in NOT_JUDGED}
    count = len(rows) or 1
    lines = [
        (part, every[part] / count, useful[part] / (every[part] or 1), noise.get(part, 0) / (sum(noise.values()) or 1))
        for part in PARTS
    ]
    total = sum(every.values()) or 1
    lines.append(("all", total / count, sum(useful.values()) / total, sum(noise.values()) / total))
    head = ("part", "tokens", "useful share", "share of the noise")
    return results.table(head, ((part, round(tokens), *shares) for part, tokens, *shares in lines))
