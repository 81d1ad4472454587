"""A few hundred malformed inputs. The long run is `benchmarks fuzz`."""

import subprocess
from pathlib import Path

import pytest

from benchmarks.fuzz import READ, feed_server, parse_all, read_all

SEED = 40
COUNTS = {"paths": 300, "messages": 200, "configurations": 100, "transcripts": 80}


@pytest.mark.parametrize("kind", READ)
def test_no_input_raises_a_foreign_exception(kind: str) -> None:
    found = read_all(kind, SEED, COUNTS[kind])
    assert (found["inputs"], found["crashes"], found["first"]) == (COUNTS[kind], 0, [])


@pytest.mark.slow
def test_every_mutated_source_is_answered_in_its_time() -> None:
    found = parse_all(SEED, 150)
    assert found["answered"] == sum(found["ended"].values()) == 150
    assert found["ended"]["parsed"] > 75
    assert found["slowest"][1] <= 2.5  # a worker's limit, which is seen when it is exceeded


def test_a_server_outlives_frames_of_every_sort(tmp_path: Path) -> None:
    subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True)
    found = feed_server(tmp_path, SEED, 300)
    assert (found["inputs"], found["crashes"], found["noise"]) == (300, 0, 0)
