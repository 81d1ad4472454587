"""Capture scores of the labeled sessions: the promise holds, and the counts are right."""

from collections.abc import Sequence

import pytest

from benchmarks.capture import SPLITS, Score, hosts, labelled, score_of
from repomem.capture.dialogue_state import Noted, Stated
from repomem.capture.session_findings import Captured
from repomem.core.records import MemoryKind

LABELS = {
    "scenario": "s",
    "decisions": [{"phrase": "integer cents"}],
    "neutral": ["tabs"],
    "traps": [{"phrase": "redis"}],
    "open": [],
    "tried": [],
    "goal": "totals",
    "outcome": "done",
    "files": ["src/a.py"],
    "passed": ["make test"],
    "failed": [{"command": "make test", "error": "no module"}],
    "cures": [{"error": "no module", "files": ["src/a.py"]}],
}


def stated(*texts: str) -> Captured:
    return Captured(stated=tuple(Stated(str(at), "", MemoryKind.DECISION, text) for at, text in enumerate(texts)))


def noted(texts: Sequence[str]) -> Captured:
    return Captured(files=("/w/repo/src/a.py",), notes=tuple(Noted(str(at), "", text) for at, text in enumerate(texts)))


def scores() -> dict[str, Score]:
    """By host, over all sessions."""
    return {host: score_of([each for split in SPLITS for each in labelled(split, host)]) for host in hosts()}


@pytest.mark.slow
def test_no_trap_is_kept_and_nine_of_ten_statements_are_right_in_every_format() -> None:
    found = scores()
    assert sorted(found) == ["claude", "codex", "copilot", "cursor", "gemini", "opencode"]
    assert {host: (score.traps, score.precision >= 0.9) for host, score in found.items()} == {
        host: ([], True) for host in found
    }
    assert all(score.sessions >= 30 and score.recall("decisions") > 0.3 for score in found.values())


def test_a_statement_is_right_wrong_a_trap_or_unlabeled() -> None:
    score = score_of([(stated("Amounts are integer cents", "Use Redis", "Indent with tabs"), LABELS)])
    assert (score.stated, score.right, score.precision, len(score.traps)) == (2, 1, 0.5, 1)
    assert score.recall("decisions") == 1.0


@pytest.mark.parametrize(
    ("notes", "cured"),
    [
        (["ran: make test -> exit 1: no module x", "touched: src/a.py", "ran: make test -> exit 0"], 1),
        (["ran: make test -> exit 1: no module x", "ran: make test -> exit 0", "touched: src/a.py"], 0),
        (["ran: make test -> exit 1: no module x", "touched: src/a.py", "ran: make lint -> exit 0"], 0),
    ],
)
def test_a_cure_is_a_failure_then_its_files_then_a_pass_of_the_same_command(notes: list[str], cured: int) -> None:
    score = score_of([(noted(notes), LABELS)])
    assert score.found["cures"] == cured
    assert (score.found["files"], score.found["failed"]) == (1, 1)
