"""Short dialogues with labels are read step by step."""

from pathlib import Path

from benchmarks.spoken import of_dialogues

DIALOGUES = """P: How should we cache?
A: Redis or memory?
P: We decided to use Redis since three workers share the cache.
= decision: use Redis since three workers | by person
----
P: rename it
~ a.py
A: Renamed
in two files.
"""


def test_a_label_is_found_and_a_line_without_a_mark_continues_the_one_before(tmp_path: Path) -> None:
    path = tmp_path / "w1.txt"
    path.write_text(DIALOGUES)
    counted = of_dialogues(path)
    assert (counted.sessions, counted.found["person"], counted.labelled.total()) == (2, 1, 1)
    assert (counted.kept.total(), counted.right.total(), counted.kinds) == (1, 1, 1)
