"""What changes with the file of the first place, as a brief tells it."""

import pytest
from support.repositories import START, Commit, MakeRepository
from support.samples import indexed, recalled

DAY = 86_400  # seconds
PRICE = "def price(order):\n    return order.amount * {at} + order.surcharge\n"
TEST = "def test_price():\n    assert price(ORDER) == {at}\n"
QUESTION = "price of an order is wrong"


def history(*, with_test: int) -> list[Commit]:
    first = {"src/price.py": PRICE.format(at=0), "tests/test_price.py": TEST.format(at=0), "src/other.py": "x = 1\n"}
    both = [
        Commit({"src/price.py": PRICE.format(at=at), "tests/test_price.py": TEST.format(at=at)}, f"change {at}")
        for at in range(1, with_test + 1)
    ]
    alone = [Commit({"src/other.py": f"compute_it = {at}\n"}, f"other {at}") for at in range(2, 14)]
    return [Commit(first, "begin"), *both, *alone]


def lines_of(markdown: str) -> list[str]:
    return [line for line in markdown.split("\n") if line.startswith("- changed together with")]


def test_where_to_look_ends_with_files_that_change_with_the_first_file(make_repository: MakeRepository) -> None:
    folder = make_repository(*history(with_test=4))
    indexed(folder)
    markdown = recalled(folder, QUESTION).markdown
    assert lines_of(markdown) == [
        "- changed together with `price.py`: `tests/test_price.py` in 5 of the 5 small commits to `price.py`"
    ]
    where = markdown[markdown.index("## Where to look") : markdown.index("## Relevant history")]
    assert where.rstrip().endswith("`tests/test_price.py` in 5 of the 5 small commits to `price.py`")


def test_commits_that_change_only_comments_are_not_counted_as_changes_of_the_code(
    make_repository: MakeRepository,
) -> None:
    comment = {"src/price.py": "# The price of an order in cents.\n" + PRICE.format(at=4)}
    folder = make_repository(*history(with_test=4), Commit(comment, "docs: say what it is"))
    indexed(folder)
    assert lines_of(recalled(folder, QUESTION).markdown) == [
        "- changed together with `price.py`: `tests/test_price.py` in 5 of the 5 small commits to `price.py`"
    ]


def test_two_commits_in_common_are_not_shown(make_repository: MakeRepository) -> None:
    folder = make_repository(*history(with_test=1))
    indexed(folder)
    assert lines_of(recalled(folder, QUESTION).markdown) == []


def added_rules(count: int) -> list[Commit]:
    names = [f"rule_{at}" for at in range(count)]
    rules = [
        Commit(
            {
                f"src/rules/{name}.py": f"def check_order_price_{at}(order):\n    return order.{name}\n",
                "src/registry.py": f"RULES = {names[: at + 1]}\n",
            },
            f"rule {at}",
            time=START - 60 * DAY * (count - at),
        )
        for at, name in enumerate(names)
    ]
    apart = [Commit({"src/other.py": f"compute_it = {at}\n"}, f"other {at}") for at in range(20)]
    return [Commit({"src/registry.py": "RULES = []\n"}, "begin"), *rules, *apart]


def test_a_task_that_adds_something_shows_where_its_siblings_are_entered(make_repository: MakeRepository) -> None:
    folder = make_repository(*added_rules(6))
    indexed(folder)
    line = "- edited with a new file: `src/registry.py` in 6 of 6 small commits that add a `.py` file to `src/rules/`"
    assert line in recalled(folder, "add check_order_price_9, a new rule").markdown.split("\n")
    assert "- edited with a new file" not in recalled(folder, "check_order_price_3 is wrong").markdown


def test_of_a_long_history_the_newest_siblings_are_counted(
    make_repository: MakeRepository, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("repomem.items.history.COMMITS_OF_KINDS", 25)
    folder = make_repository(*added_rules(6))
    indexed(folder)
    markdown = recalled(folder, "add check_order_price_9, a new rule").markdown
    assert "`src/registry.py` in 5 of the newest 5 small commits that add a `.py` file to `src/rules/`" in markdown


def test_few_siblings_are_not_shown(make_repository: MakeRepository) -> None:
    folder = make_repository(*added_rules(4))
    indexed(folder)
    assert "- edited with a new file" not in recalled(folder, "add check_order_price_9, a new rule").markdown


def test_of_a_file_with_many_commits_the_newest_are_counted(
    make_repository: MakeRepository, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("repomem.items.history.COMMITS_READ", 4)
    folder = make_repository(*history(with_test=6))
    indexed(folder)
    assert lines_of(recalled(folder, QUESTION).markdown) == [
        "- changed together with `price.py`: `tests/test_price.py` in 4 of the newest 4 small commits to `price.py`"
    ]


def test_of_a_history_whose_older_changes_are_not_recorded_the_newest_are_counted(
    make_repository: MakeRepository,
) -> None:
    settings = {".repomem.toml": "[history]\nsymbol_commits = 18\n"}
    folder = make_repository(*history(with_test=6), Commit(settings, "set"))
    indexed(folder)
    assert lines_of(recalled(folder, QUESTION).markdown) == [
        "- changed together with `price.py`: `tests/test_price.py` in 5 of the newest 5 small commits to `price.py`"
    ]
