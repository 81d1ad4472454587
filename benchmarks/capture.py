"""What is kept of agent sessions, against labels: invented sessions in the formats of six hosts.

The labels say what a careful colleague would want remembered a week later, and what must not be taken for a decision
(fixtures/transcripts). README.md says which sessions were looked at while the rules were written, and when.
"""

import argparse
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from benchmarks import results
from benchmarks.processes import ROOT
from repomem.adapters.transcripts.readers import read
from repomem.capture.session_findings import Captured, captured_from
from repomem.core.records import MemoryKind
from repomem.sessions.command_notes import TRIED, ran_in

FIXTURES = ROOT / "fixtures" / "transcripts"
HOSTS = {"claude": "claude-code"}  # folders that are not called as the host is
SPLITS = ("development", "held-back", "judging")


@dataclass(slots=True)
class Score:
    """Counts over sessions. `found` of `labelled` things were kept, by what they are."""

    sessions: int = 0
    stated: int = 0  # decisions, rules, gotchas and facts that were kept, but for those that nobody minds
    right: int = 0  # of these
    traps: list[str] = field(default_factory=list)  # "session: what was kept and must not be"
    wrong: list[str] = field(default_factory=list)
    missed: list[str] = field(default_factory=list)
    found: Counter[str] = field(default_factory=Counter)
    labelled: Counter[str] = field(default_factory=Counter)
    files_kept: int = 0  # of which `found["files"]` are right

    @property
    def precision(self) -> float:
        """Share of what was kept as a statement that a colleague would want; 1 where nothing was kept."""
        return self.right / self.stated if self.stated else 1.0

    def recall(self, what: str) -> float:
        """Share of what was labelled that was kept."""
        return self.found[what] / self.labelled[what] if self.labelled[what] else 1.0


def main(arguments: list[str]) -> None:
    """capture [--split development|held-back|judging] [--misses]"""
    parser = argparse.ArgumentParser(prog="python -m benchmarks capture")
    parser.add_argument("--split", choices=SPLITS)
    parser.add_argument("--misses", action="store_true", help="print what went wrong, session by session")
    asked = parser.parse_args(arguments)
    splits = [asked.split] if asked.split else SPLITS
    scores = {(split, host): score_of(labelled(split, host)) for split in splits for host in hosts()}
    what = ("decisions", "open", "tried", "goal", "outcome", "files", "passed", "failed", "cures")
    rows = [
        (split, host, one.sessions, one.precision, len(one.traps), *(one.recall(each) for each in what))
        for (split, host), one in scores.items()
    ]
    print(results.table(("half", "host", "sessions", "precision", "traps kept", *(f"{w} recall" for w in what)), rows))
    if asked.misses:
        for (split, host), one in scores.items():
            for sort, lines in (("TRAP", one.traps), ("WRONG", one.wrong), ("MISSED", one.missed)):
                for line in lines:
                    print(f"{sort} {split} {host} {line}")
    else:
        kept = [dict(zip(("half", "host", "sessions", "precision", "traps", *what), row, strict=True)) for row in rows]
        results.save("capture", results.machine(), {"scores": kept})


def hosts() -> list[str]:
    """The hosts of which there are sessions."""
    return sorted(path.name for path in FIXTURES.iterdir() if any(path.glob("*.labels.json")))


def labelled(split: str, host: str) -> Iterator[tuple[Captured, dict[str, Any]]]:
    """What is kept of each session of one half, with its labels."""
    for path in sorted((FIXTURES / host).glob("*.labels.json")):
        labels = json.loads(path.read_text(encoding="utf-8"))
        if labels["split"] == split:
            [file] = [each for each in path.parent.glob(f"{path.name.split('.')[0]}.json*") if each != path]
            lines = file.read_bytes().split(b"\n")
            yield captured_from(read(HOSTS.get(host, host), lines).steps), labels


def score_of(sessions: Iterable[tuple[Captured, dict[str, Any]]]) -> Score:
    """The counts over some sessions."""
    score = Score()
    for captured, labels in sessions:
        score.sessions += 1
        _count_stated(score, captured, labels)
        _count_told(score, captured, labels)
        _count_ran(score, captured, labels)
    return score


def _count_stated(score: Score, captured: Captured, labels: dict[str, Any]) -> None:
    """Statements and open ends, each against what was labelled."""
    name = labels["scenario"]
    said = [
        f"{one.text} {one.why} {' '.join(one.rejected)}" for one in captured.stated if one.kind is not MemoryKind.THREAD
    ]
    wanted = [one["phrase"] for one in labels["decisions"]]
    neutral = [_phrase(one) for one in labels.get("neutral", ())]
    traps = [one["phrase"] for one in labels["traps"]]
    for text in said:
        is_right = any(_has(text, phrase) for phrase in wanted)
        score.traps += [f"{name}: {text}" for phrase in traps if _has(text, phrase) and not is_right]
        if not is_right and any(_has(text, phrase) for phrase in neutral):
            continue
        score.stated += 1
        score.right += is_right
        score.wrong += [] if is_right else [f"{name}: {text}"]
    _count(score, "decisions", wanted, said, name)
    threads = [one.text for one in captured.stated if one.kind is MemoryKind.THREAD]
    _count(score, "open", map(_phrase, labels["open"]), threads, name)


def _count_told(score: Score, captured: Captured, labels: dict[str, Any]) -> None:
    name = labels["scenario"]
    tried = [note.text for note in captured.notes if note.text.startswith(TRIED)]
    _count(score, "tried", map(_phrase, labels["tried"]), tried, name)
    _count(score, "goal", filter(None, [labels["goal"]]), [captured.goal], name)
    _count(score, "outcome", filter(None, [labels["outcome"]]), [captured.outcome], name)
    files = [path.replace("\\", "/") for path in captured.files]
    score.files_kept += len(files)
    _count(score, "files", labels["files"], files, name)


def _count_ran(score: Score, captured: Captured, labels: dict[str, Any]) -> None:
    """Commands with their results, and errors with what came after them; some hosts keep no results."""
    if not labels.get("results", True):
        return
    name = labels["scenario"]
    ran = [ran for note in captured.notes if (ran := ran_in(note.text))]
    passed = [one.command for one in ran if one.code == 0]
    failed = [f"{one.command} {one.error}" for one in ran if one.code]
    _count(score, "passed", labels["passed"], passed, name)
    _count(score, "failed", [one["error"] for one in labels["failed"]], failed, name)
    score.labelled["cures"] += len(labels["cures"])
    score.found["cures"] += sum(_is_cured(captured, one["error"], one["files"]) for one in labels["cures"])


def _is_cured(captured: Captured, error: str, files: Sequence[str]) -> bool:
    """Whether the notes tell of the failure, then of each of its files, then of a pass of the same command."""
    notes = [note.text.replace("\\", "/") for note in captured.notes]
    failures = [at for at, text in enumerate(notes) if (ran := ran_in(text)) and ran.code and _has(text, error)]
    for at in failures:
        command = getattr(ran_in(notes[at]), "command", "")
        later = notes[at:]
        passes = [
            to for to, text in enumerate(later) if (ran := ran_in(text)) and (ran.command, ran.code) == (command, 0)
        ]
        if passes and all(any(_has(text, path) for text in later[: passes[0]]) for path in files):
            return True
    return False


def _count(score: Score, what: str, phrases: Iterable[str], texts: Sequence[str], name: str) -> None:
    for phrase in phrases:
        is_found = any(_has(text, phrase) for text in texts)
        score.labelled[what] += 1
        score.found[what] += is_found
        score.missed += [] if is_found else [f"{name}: {what}: {phrase}"]


def _phrase(label: str | dict[str, str]) -> str:
    return label if isinstance(label, str) else label["phrase"]


def _has(text: str, phrase: str) -> bool:
    return _plain(phrase) in _plain(text)


def _plain(text: str) -> str:
    return " ".join(text.replace("`", "").casefold().split())
