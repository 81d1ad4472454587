"""Means over replayed commits, checked by hand."""

import pytest

from repomem.evaluate.figures import ReplayedCommit, ReplayOutcome, figures_of
from repomem.evaluate.tasks import measured


def row(at: int, brief: list[str], **baselines: list[str]) -> ReplayedCommit:
    rankings = {name: measured(ranking, {"a"}) for name, ranking in {"brief": brief, **baselines}.items()}
    outcome = ReplayOutcome(f"c{at}", rankings, {"all": rankings["brief"]}, 1.0, 0.5, 100 * at, {})
    return ReplayedCommit(f"c{at}", f"2026-01-{at + 1:02}", "a subject", ("a",), outcome)


def test_the_baseline_that_finds_most_is_compared_with_commit_by_commit() -> None:
    rows = [row(0, ["a"], words=[], log=["a"]), row(1, [], words=["a"], log=["a"]), row(2, ["a"], words=[], log=[])]
    figures = figures_of(rows)
    assert (figures.baseline, figures.better, figures.worse) == ("log", 1, 1)
    assert figures.rankings["brief"].at(10) == pytest.approx(2 / 3)
    assert (figures.named, figures.named_all, figures.tokens) == (1.0, 0.5, 100.0)


def test_among_equal_baselines_the_first_is_the_best() -> None:
    assert figures_of([row(0, ["a"], words=["a"], log=["a"])]).baseline == "words"


@pytest.mark.parametrize(
    ("commits", "sizes"), [(1, [1]), (5, [5]), (6, [3, 3]), (17, [3, 3, 4, 3, 4]), (30, [6, 6, 6, 6, 6])]
)
def test_blocks_are_consecutive_and_of_like_size(commits: int, sizes: list[int]) -> None:
    blocks = figures_of([row(at, ["a"], words=[]) for at in range(commits)]).blocks
    assert [block.commits for block in blocks] == sizes
    assert (blocks[0].first.commit, blocks[-1].last.commit) == ("c0", f"c{commits - 1}")
    assert all((block.brief, block.baseline) == (1.0, 0.0) for block in blocks)
