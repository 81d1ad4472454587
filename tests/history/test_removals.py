"""What a later commit took out of a commit whose other lines are still in the code."""

from pathlib import Path

import pytest
from support.repositories import Commit, MakeRepository
from support.samples import indexed, recalled, workspace_at

from repomem.adapters.git.hunks import LINES_KEPT
from repomem.recall.log import log
from repomem.recall.why import why
from repomem.workspace.snapshot import snapshot

BEFORE = "def price(order):\n    return order.amount * order.count\n"
GUARDED = """def price(order):
    if order.count is None:
        order.count = default_count(order)
    weight = order.weight_in_kilograms()
    distance = order.distance_to(depot)
    return order.amount * order.count + weight * distance
"""
UNGUARDED = GUARDED.replace("    if order.count is None:\n        order.count = default_count(order)\n", "")
HELPER = """def default_count(order):
    if order.count is None:
        order.count = default_count(order)
"""
DECIDED = "feat: price orders without a count"


def states(folder: Path) -> dict[str, str]:
    """The state of each commit in the log, by subject."""
    indexed(folder)
    with workspace_at(folder) as workspace:
        now = snapshot(workspace)
        assert now is not None
        return {one.episode.subject: one.state for one in log(now, "", 10).commits}


@pytest.fixture
def simplified(make_repository: MakeRepository) -> Path:
    steps = [(BEFORE, "begin"), (GUARDED, DECIDED), (UNGUARDED, "refactor: simplify price")]
    return make_repository(*(Commit({"a.py": text}, subject) for text, subject in steps))


def test_a_simplification_that_took_out_the_guard_is_named_with_it(simplified: Path) -> None:
    state = states(simplified)[DECIDED]
    assert "`if order.count is None:` removed by " in state
    assert state.endswith(' "refactor: simplify price"')


def test_a_commit_that_was_not_read_whole_is_not_said_to_have_removed_code(make_repository: MakeRepository) -> None:
    long = "".join(f"charge_{at} = order.charges[{at}]\n" for at in range(LINES_KEPT))
    folder = make_repository(
        Commit({"a.py": BEFORE}, "begin"),
        Commit({"a.py": GUARDED}, DECIDED),
        Commit({"a.py": UNGUARDED, "b.py": long + HELPER}, "refactor: a file for defaults"),
    )
    assert "removed by" not in states(folder)[DECIDED]


def test_the_brief_and_why_say_so_too(simplified: Path) -> None:
    indexed(simplified)
    assert "removed by" in recalled(simplified, "price orders without a count").markdown
    with workspace_at(simplified) as workspace:
        now = snapshot(workspace)
        assert now is not None
        told = [made.state.state for made in why(now, "a.py:2").commits if made.state]
    assert any("`if order.count is None:` removed by" in state for state in told)


@pytest.mark.parametrize(
    "later",
    [
        {"a.py": UNGUARDED, "b.py": HELPER},
        {"a.py": GUARDED.replace("def price", "# prices\ndef price")},
        {"a.py": GUARDED.replace("weight * distance", "distance * weight")},
        {"a.py": GUARDED.replace("    if order", "    if  order")},
        {"a.py": GUARDED.replace("if order.count is None", "if not has_every_count(order, depot)")},
    ],
    ids=["moved to another file", "added to", "altered", "reformatted", "another condition"],
)
def test_code_that_moved_or_changed_is_not_taken_out(make_repository: MakeRepository, later: dict[str, str]) -> None:
    folder = make_repository(
        Commit({"a.py": BEFORE}), Commit({"a.py": GUARDED}, DECIDED), Commit(later, "refactor: later")
    )
    assert "removed by" not in states(folder)[DECIDED]


def test_code_that_was_put_back_is_not_taken_out(make_repository: MakeRepository) -> None:
    texts = [
        (BEFORE, "begin"),
        (GUARDED, DECIDED),
        (UNGUARDED, "refactor: simplify price"),
        (GUARDED, "fix: guard again"),
    ]
    folder = make_repository(*(Commit({"a.py": text}, subject) for text, subject in texts))
    assert "removed by" not in states(folder)[DECIDED]


def test_a_commit_that_was_reverted_names_its_revert_once(make_repository: MakeRepository) -> None:
    texts = [(BEFORE, "begin"), (GUARDED, DECIDED), (BEFORE, f'Revert "{DECIDED}"')]
    folder = make_repository(*(Commit({"a.py": text}, subject) for text, subject in texts))
    state = states(folder)[DECIDED]
    assert state.startswith("reverted by ")
    assert "removed by" not in state


def test_a_line_still_in_the_file_is_not_reported_as_removed(make_repository: MakeRepository) -> None:
    before = "".join(f"charge_{at} = order.charges[{at}]\n" for at in range(LINES_KEPT + 50))
    after = "".join(f"rates[{at}] = table.rate_of('{at}')\n" for at in range(LINES_KEPT + 50))
    other = HELPER.replace("is None", "== None")
    folder = make_repository(
        Commit({"a.py": before + HELPER, "z.py": BEFORE}, "begin"),
        Commit({"a.py": before + other}, "fix: compare"),
        Commit({"a.py": None, "b.py": after + other}, "refactor: rates"),
        Commit({"b.py": after, "c.py": other}, "refactor: a file for defaults"),
    )
    indexed(folder)
    with workspace_at(folder) as workspace:
        now = snapshot(workspace)
        assert now is not None
        told = {one.state.episode.subject: one.state.state for one in why(now, "c.py:2").commits if one.state}
    assert told["fix: compare"] == ""


ONE_LINE = (
    "function stop(timeout) {\n  if (timeout) { clearTimeout(timeout); }\n  exit();\n  log(code);\n  flush(code);\n}\n"
)
THREE_LINES = ONE_LINE.replace(" { clearTimeout(timeout); }", " {\n    clearTimeout(timeout);\n  }")
OTHER = "function start(code) {\n  const logged = logger.transports.filter(is_exiting);\n  return logged.length;\n}\n"


@pytest.mark.parametrize(
    ("text", "is_lost"), [(OTHER + THREE_LINES, False), (OTHER + THREE_LINES.replace("timeout", "delay"), True)]
)
def test_a_guard_whose_condition_is_in_the_file_is_not_lost(
    make_repository: MakeRepository, text: str, *, is_lost: bool
) -> None:
    folder = make_repository(
        Commit({"a.js": OTHER}, "begin"),
        Commit({"a.js": ONE_LINE + OTHER}, DECIDED),
        Commit({"a.js": text}, "refactor: another order"),
    )
    assert ("`if (timeout) { clearTimeout(timeout); }` removed by " in states(folder)[DECIDED]) == is_lost


def test_a_commit_of_which_nothing_remains_is_said_to_be_removed_once(make_repository: MakeRepository) -> None:
    folder = make_repository(
        Commit({"a.py": BEFORE}, "begin"),
        Commit({"a.py": BEFORE + HELPER}, DECIDED),
        Commit({"a.py": BEFORE}, "refactor: no default"),
    )
    state = states(folder)[DECIDED]
    assert state.startswith("its lines were removed since, `if order.count is None:` by ")
