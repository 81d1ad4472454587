"""How much of what people say capture keeps, in invented sessions with labels of every lasting statement.

The sessions are written as people talk, by writers who had not seen the program (fixtures/transcripts/spoken). Those of
the writers in `held-back.txt` are never trained on; only their figures count.
"""

import argparse
import re
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from benchmarks import results
from benchmarks.processes import ROOT
from repomem.adapters.transcripts.readers import read
from repomem.adapters.transcripts.steps import Step, StepKind
from repomem.capture.session_findings import Captured, captured_from
from repomem.core.records import MemoryKind
from repomem.sessions.command_notes import TRIED

TRANSCRIPTS = ROOT / "fixtures" / "transcripts"
sys.path.insert(0, str(TRANSCRIPTS))  # its modules are scripts, without a package

from scenario import Scenario, scenario_of  # noqa: E402
from writers import WRITERS  # noqa: E402

SPOKEN = TRANSCRIPTS / "spoken"
SHORT = TRANSCRIPTS / "short"  # dialogues of a few lines in plain English, all of one writer in a file
MARKS = {"P:": StepKind.ASKED, "A:": StepKind.SAID, "$ ": StepKind.RAN, "! ": StepKind.RAN, "~ ": StepKind.EDITED}
MARKS |= {"x ": StepKind.EDITED}  # refused
CODES = {"$ ": 0, "! ": 1}
LABEL = re.compile(r"= (?P<kind>\w+): (?P<phrase>.+) \| by (?P<by>person|agent)")
HOSTS = {"claude": "claude-code", "codex": "codex", "copilot": "copilot", "gemini": "gemini", "opencode": "opencode"}
KINDS = {"preference": "rule", "command": "fact", "dead end": "gotcha", "open end": "thread"}
ENOUGH = 0.7  # share of words from which one of two texts says the other: statements are cut and joined
FEWEST_WORDS = 3  # of a text that is compared by its words
HEADS = (
    "kept",
    "right",
    "precision",
    "by patterns",
    "right by them",
    "person",
    "agent",
    "look-alikes",
    "right kinds",
    "outcomes",
)
_WORD = re.compile(r"\w\w+|[\u3040-\u30ff\u3400-\u9fff]")


@dataclass(slots=True)
class Figures:
    """Counts over sessions, of statements and failed attempts."""

    labelled: Counter[str] = field(default_factory=Counter)  # by who said it
    found: Counter[str] = field(default_factory=Counter)  # of these
    kept: Counter[str] = field(default_factory=Counter)  # by what found it
    right: Counter[str] = field(default_factory=Counter)  # of these
    lookalikes: int = 0  # of those that are wrong
    kinds: int = 0  # right ones of the right kind
    sessions: int = 0
    outcomes: int = 0  # sessions whose outcome has the phrase that tells it best
    wrong: list[str] = field(default_factory=list)
    missed: list[str] = field(default_factory=list)

    @property
    def row(self) -> tuple[object, ...]:
        """What HEADS name."""
        kept, right = self.kept.total(), self.right.total()
        shares = (f"{self.found[who]} of {self.labelled[who]}" for who in ("person", "agent"))
        patterns = (self.kept["pattern"], self.right["pattern"])
        return (
            kept,
            right,
            round(right / (kept or 1), 3),
            *patterns,
            *shares,
            self.lookalikes,
            self.kinds,
            f"{self.outcomes} of {self.sessions}",
        )

    def add(self, captured: Captured, labels: Mapping[str, Any], name: str) -> None:
        """Count one session."""
        self.sessions += 1
        self.outcomes += plain(labels.get("outcome", "")) in plain(captured.outcome)
        said = [(one.key, one.kind, f"{one.text} {one.why} {' '.join(one.rejected)}") for one in captured.stated]
        said += [(one.key, MemoryKind.GOTCHA, one.text) for one in captured.notes if one.text.startswith(TRIED)]
        right: dict[int, str] = {}
        for statement in labels.get("statement", []):
            own = (statement["phrase"], *statement.get("also", []))
            telling = [at for at, (*_, text) in enumerate(said) if any(says(text, phrase) for phrase in own)]
            self.labelled[statement["by"]] += 1
            self.found[statement["by"]] += bool(telling)
            self.missed += [] if telling else [f"{name} {statement['by']} {statement['kind']}: {statement['phrase']}"]
            right |= dict.fromkeys(telling, KINDS.get(statement["kind"], statement["kind"]))
        phrases = [phrase for sort in labels.get("lookalikes", {}).values() for phrase in sort]
        neutral = labels.get("neutral", [])
        for at, (key, kind, text) in enumerate(said):
            if at not in right and any(says(text, phrase) for phrase in neutral):
                continue
            source = "classifier" if key.endswith(":found") else "pattern"
            self.kept[source] += 1
            self.right[source] += at in right
            self.kinds += right.get(at) == kind
            if at not in right:
                self.lookalikes += any(says(text, phrase) for phrase in phrases)
                self.wrong.append(f"{name} {source} {kind}: {text.strip()}")


def main(arguments: list[str]) -> None:
    """spoken [--short] [--misses]"""
    parser = argparse.ArgumentParser(prog="python -m benchmarks spoken")
    parser.add_argument("--misses", action="store_true", help="print what is wrong and what is missed")
    parser.add_argument("--short", action="store_true", help="read short dialogues in plain English instead")
    asked = parser.parse_args(arguments)
    if asked.short:
        paths = (SHORT / f"{writer}.txt" for writer in held_back())
        rows = {path.stem: of_dialogues(path) for path in paths if path.is_file()}
    else:
        rows = {writer: of_writer(writer) for writer in held_back() if (SPOKEN / writer).is_dir()}
    print(results.table(("writer", *HEADS), [(writer, *each.row) for writer, each in rows.items()]))
    if asked.misses:
        for each in rows.values():
            print(*(f"WRONG {line}" for line in each.wrong), *(f"MISSED {line}" for line in each.missed), sep="\n")
    else:
        scores = {writer: dict(zip(HEADS, each.row, strict=True)) for writer, each in rows.items()}
        results.save("spoken-short" if asked.short else "spoken", results.machine(), {"scores": scores})


def held_back() -> tuple[str, ...]:
    """The writers whose sessions and dialogues are only for judging."""
    return tuple((SPOKEN / "held-back.txt").read_text(encoding="utf-8").split())


def of_writer(writer: str) -> Figures:
    """The figures of one writer's sessions."""
    counted = Figures()
    for path in sorted((SPOKEN / writer).glob("*.txt")):
        scenario = scenario_of(path)
        counted.add(captured_from(steps_of(scenario)), scenario.labels, path.stem.partition("-")[0])
    return counted


def of_dialogues(path: Path) -> Figures:
    """The figures of a file of short dialogues."""
    counted = Figures()
    for number, (steps, statements) in enumerate(dialogues_in(path)):
        counted.add(captured_from(steps), {"statement": statements}, f"{path.stem}-{number}")
    return counted


def dialogues_in(path: Path) -> Iterator[tuple[list[Step], list[dict[str, str]]]]:
    """The steps of each short dialogue of a file, and what it states, which is labelled below it."""
    for dialogue in path.read_text(encoding="utf-8").split("\n----\n"):
        lines = dialogue.strip().split("\n")
        statements = [label.groupdict() for line in lines if (label := LABEL.fullmatch(line))]
        yield list(steps_in(line for line in lines if not line.startswith("= "))), statements


def steps_in(lines: Iterable[str]) -> Iterator[Step]:
    """The steps of a short dialogue by the MARKS of its lines; a line without one continues the one before."""
    last: Step | None = None
    for number, line in enumerate(lines):
        mark = line[:2]
        if last and mark not in MARKS:
            last = replace(last, text=f"{last.text}\n{line}")
            continue
        if last:
            yield last
        last = Step(f"s{number}", MARKS[mark], line[2:].strip(), code=CODES.get(mark), is_refused=mark == "x ")
    if last:
        yield last


def steps_of(scenario: Scenario) -> Sequence[Step]:
    """The steps of a session, written in the format of one host and read back."""
    names = sorted(HOSTS)
    name = names[int(scenario.name.partition("-")[0]) % len(names)]
    return read(HOSTS[name], WRITERS[name](scenario).text().encode().split(b"\n")).steps


def plain(text: str) -> str:
    """The text in lower case, on one line, without backticks."""
    return " ".join(text.replace("`", "").casefold().split())


def says(text: str, phrase: str) -> bool:
    """Whether a kept text has the phrase or most of its words, or is itself most of a longer phrase."""
    kept, labelled = set(_WORD.findall(plain(text))), set(_WORD.findall(plain(phrase)))
    shared = len(kept & labelled)
    is_most = any(len(words) >= FEWEST_WORDS and shared >= ENOUGH * len(words) for words in (kept, labelled))
    return plain(phrase).rstrip(".!") in plain(text) or is_most
