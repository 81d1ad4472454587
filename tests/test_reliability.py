"""What docs/reliability.md says is tested is tested, and its figures are those of the raw results."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[1]
DOCUMENT = (ROOT / "docs" / "reliability.md").read_text(encoding="utf-8")
RESULTS: dict[str, Any] = json.loads((ROOT / "benchmarks" / "results" / "soak.json").read_text(encoding="utf-8"))
TESTS = {path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8") for path in ROOT.glob("tests/**/*.py")}
ROW = re.compile(r"^\| (\d\d) \| [^|]+ \| ([^|]+) \|$", re.MULTILINE)


def figures_of(part: str) -> str:
    """The row of a part as the document must have it."""
    found = RESULTS[part]
    ledger, index = (found.get(f"longest wait for {lock}.lock in seconds") for lock in ("ledger", "write"))
    told = {
        "faults": "{points} failed system calls",
        "kills": "{kills} kills, {deeds acknowledged} operations acknowledged",
        "powercut": "{cases} power cuts",
        "crowd": "{seeds} crowds of eight processes, {deeds} operations; the longest wait was"
        f" {ledger} s for the ledger and {index} s for the index; {{refused by a busy index}} purges gave up",
        "sync": "{seeds} crowds of eight writers in two clones, {killed writers} of them killed, {acknowledged}"
        " memories acknowledged, all of them in both clones at the end",
    }
    return f"| {part} | {told[part].format_map(found)} | {found['wrong']} |"


@pytest.mark.parametrize("part", ["faults", "kills", "powercut", "crowd", "sync"])
def test_the_figures_are_those_of_the_results(part: str) -> None:
    assert figures_of(part) in DOCUMENT.splitlines()


def test_every_test_that_is_named_exists() -> None:
    named = re.findall(r"`(test_fault_\w+)`", DOCUMENT)
    assert len(named) > 10
    for name in named:
        assert any(f"def {name}(" in text for text in TESTS.values()), name


def test_each_of_the_forty_five_faults_has_a_test_by_its_number_in_every_file_that_is_named() -> None:
    rows = dict(ROW.findall(DOCUMENT))
    assert list(rows) == [f"{number:02}" for number in range(1, 46)]
    for number, told in rows.items():
        files = re.findall(r"`(tests/[\w/]+\.py)`", told)
        assert files, number
        for path in files:
            assert f"def test_fault_{number}_" in TESTS[path], (number, path)
