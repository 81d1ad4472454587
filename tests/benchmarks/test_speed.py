"""The speed table in the documentation is that of the saved results."""

import json
from pathlib import Path

from benchmarks.results import RESULTS
from benchmarks.speed import Figure, document

SPEED = Path(__file__).parents[2] / "docs" / "speed.md"


def test_the_documentation_shows_the_saved_results_and_their_commit() -> None:
    saved = json.loads((RESULTS / "speed.json").read_text(encoding="utf-8"))

    assert document(saved) in SPEED.read_text(encoding="utf-8")


def test_a_missed_target_is_marked_in_the_table() -> None:
    figures = [
        {"name": "short", "unit": "s", "value": 0.25, "most": 0.3, "least": None, "runs": [0.25], "cpu": 0.2},
        {"name": "long", "unit": "s", "value": 0.35, "most": 0.3, "least": None, "runs": [0.35], "cpu": 0.3},
    ]
    machine = {"repomem": "a" * 40, "processors": 2, "system": "Linux", "python": "3.11", "load": 0.5}
    saved = {"input": {"repository": "o/n", "commit": "b" * 40}, "machine": machine, "figures": figures}

    text = document(saved)

    assert text.startswith("o/n at bbbbbbbb, with repomem aaaaaaaa: 2 processors, Linux, Python 3.11")
    assert "| short | 0.25 s | 0.200 | at most 0.3 | met |" in text
    assert "| long | 0.35 s | 0.300 | at most 0.3 | MISSED |" in text


def test_a_figure_without_a_limit_has_no_verdict() -> None:
    assert Figure("a", "s", 1.0).verdict == ""
