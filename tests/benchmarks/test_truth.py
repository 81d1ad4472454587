"""What the benchmark of truth takes for a contradiction between a statement and git."""

import pytest
from support.repositories import Commit, MakeRepository

from benchmarks.inputs import git
from benchmarks.truth import state_verdict, why_verdict
from repomem.core.types.commits import Episode, FileChange
from repomem.history.episodes import RelatedEpisode
from repomem.history.lines.commits import LineChange

LINES = "".join(f"value_{number} = {number}\n" for number in range(10))


@pytest.mark.parametrize(
    ("state", "blamed", "is_right"),
    [
        ("still in the code", 10, True),
        ("its lines were removed since", 0, True),
        ("its lines were removed since", 1, False),
        ("5 of its 10 distinctive lines remain", 5, True),
        ("5 of its 10 distinctive lines remain", 6, False),
        ("10 of its 10 distinctive lines remain", 10, False),
        ("its files were removed or renamed", 0, False),
        ("reverts 1234567, still in the code", 0, False),
    ],
)
def test_a_state_is_wrong_where_git_contradicts_it(
    make_repository: MakeRepository, state: str, blamed: int, *, is_right: bool
) -> None:
    top = make_repository(Commit({"a.py": LINES}))
    commit = git(top, "rev-parse", "HEAD").strip()
    episode = Episode(commit, (), "Ada", "2023-11-14", 0, "values", "", (FileChange("A", "a.py"),))
    verdict = state_verdict(RelatedEpisode(episode, "episode", state, 0.0), top, {"a.py"}, {commit: blamed})
    assert (verdict == "right") is is_right


def test_the_commit_that_only_formatted_a_line_may_be_neither_missed_nor_the_oldest(
    make_repository: MakeRepository,
) -> None:
    top = make_repository(
        Commit({"a.py": "x = call('one', 2)\n"}),
        Commit({"a.py": 'x = call(\n    "one",\n    2,\n)\ny = call("new")\n'}),
    )
    formatter, author = git(top, "rev-list", "HEAD").split()
    split, new = '    "one",', 'y = call("new")'
    assert why_verdict(top, formatter, [LineChange(author, split)]) == "right, unlike blame"
    assert why_verdict(top, formatter, [LineChange(formatter, new)]) == "right"
    assert why_verdict(top, formatter, [LineChange(formatter, split)]).startswith("wrong")
    assert why_verdict(top, formatter, [LineChange(author, new)]).startswith("wrong")
