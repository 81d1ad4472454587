"""Which commit is said to have written a line that a brief shows, on real histories."""

from pathlib import Path

import pytest
from support.repositories import Commit, MakeRepository
from support.samples import indexed, ready_at

from repomem.adapters.git.hunks import LINES_KEPT
from repomem.history.change_history import change_history_of
from repomem.history.line_authors import line_authors
from repomem.history.lines.patch_lines import lines_within_imports
from repomem.ranking.excerpts import Excerpt

PRICE = "def price(order):\n    total = order.amount * order.rate\n    return total\n"
CHECK = "def check(order):\n    if order.amount < 0:\n        raise ValueError(order.amount)\n"
CHECKED = CHECK + "    if order.rate < 0:\n        raise ValueError(order.amount)\n"


def authors_of(folder: Path, path: str, line: int = 0) -> dict[str, list[int]]:
    """The subjects of the commits that are said to have written the lines of a file, or one line, with these lines."""
    indexed(folder)
    with ready_at(folder) as ready:
        record = change_history_of(ready.snapshot)
        lines = tuple((folder / path).read_text().split("\n"))
        shown = lines[line - 1 : line] if line else lines
        found = line_authors(record, [Excerpt(path, line or 1, shown, 1.0)], {})
        return {record.commits[one.commit].subject: list(one.lines[path]) for one in found}


def test_a_line_is_by_the_last_commit_that_added_or_altered_it(make_repository: MakeRepository) -> None:
    later = PRICE.replace("order.rate", "order.rate + order.surcharge")
    folder = make_repository(Commit({"a.py": PRICE}, "price"), Commit({"a.py": later}, "surcharge"))
    assert authors_of(folder, "a.py") == {"price": [1, 3], "surcharge": [2]}


def test_a_repeated_line_is_attributed_to_the_only_adjacent_commit(make_repository: MakeRepository) -> None:
    folder = make_repository(Commit({"a.py": CHECK}, "amount"), Commit({"a.py": CHECKED}, "rate"))
    assert authors_of(folder, "a.py") == {"amount": [1, 2, 3], "rate": [4, 5]}


def test_a_repeated_line_between_two_lines_of_a_commit_is_its_copy_and_not_one_beside_a_single_line(
    make_repository: MakeRepository,
) -> None:
    code = "def call(app, scope):\n{}{}    return app.answer_to(scope)\n\n\ndef other():\n    pass\n"
    above = "    if scope.is_start_or_end:\n        return app.answer_to(scope)\n    scope.note_the_client()\n"
    folder = make_repository(
        Commit({"a.py": code.format("", "    scope.note_old()\n")}, "call"),
        Commit({"a.py": code.format(above, "    scope.note_the_rest()\n")}, "start"),
    )
    assert authors_of(folder, "a.py") == {"call": [1, 9], "start": [2, 3, 4, 5]}


def test_a_repeated_line_above_a_definition_is_not_by_the_commit_that_wrote_that(
    make_repository: MakeRepository,
) -> None:
    halt = "def halt(wait):\n    notify(HALT)\n    self.thread.join() if wait else None\n\n\n"
    begin = "def begin(wait):\n    notify(BEGIN)\n    self.thread.join() if wait else None\n"
    safely = (halt + begin).replace("notify", "notify_safely")
    folder = make_repository(
        Commit({"a.py": halt}, "halt"), Commit({"a.py": halt + begin}, "begin"), Commit({"a.py": safely}, "safely")
    )
    assert 3 not in authors_of(folder, "a.py")["begin"]


def test_a_repeated_line_is_attributed_to_the_commit_that_wrote_both(make_repository: MakeRepository) -> None:
    audits = [f"\n\ndef {name}(order):\n    audit(order.amount, order.rate)\n" for name in ("first", "second")]
    folder = make_repository(Commit({"a.py": PRICE}, "price"), Commit({"a.py": PRICE + "".join(audits)}, "audit"))
    assert authors_of(folder, "a.py", 7) == {"audit": [7]}
    folder = make_repository(
        Commit({"a.py": PRICE + audits[0]}, "price"), Commit({"a.py": PRICE + "".join(audits)}, "audit"), name="other"
    )
    assert authors_of(folder, "a.py", 7) == {}


def test_a_copy_in_another_class_is_not_by_the_commit_next_to_it(make_repository: MakeRepository) -> None:
    fields = "    locations: list[str]\n    file_name: str\n"
    old, new = (f"class Found:\n{fields}\n\nclass Missing:\n{own}" for own in ("    error: OSError\n", fields))
    folder = make_repository(Commit({"a.py": old}, "errors"), Commit({"a.py": new}, "the same fields"))
    assert authors_of(folder, "a.py") == {"errors": [1, 2, 3, 4, 5, 6]}  # with the blank lines between


def test_a_commit_that_only_moved_lines_wrote_none_of_them(make_repository: MakeRepository) -> None:
    folder = make_repository(
        Commit({"a.py": PRICE + "\n\n" + CHECK}, "both"), Commit({"a.py": PRICE, "b.py": CHECK}, "split the file")
    )
    assert "split the file" not in authors_of(folder, "b.py")


LONG = "".join(f"charge_{at} = order.charges[{at}]\n" for at in range(LINES_KEPT + 50))


def test_a_commit_that_moved_more_lines_than_are_recorded_wrote_none_of_them(make_repository: MakeRepository) -> None:
    at = LONG.index(f"charge_{LINES_KEPT} =")
    folder = make_repository(
        Commit({"a.py": PRICE + LONG}, "charges"),
        Commit({"a.py": PRICE, "b.py": LONG[:at], "c.py": LONG[at:]}, "split the file"),
    )
    assert authors_of(folder, "c.py") == {}


def test_a_commit_that_added_more_lines_than_are_recorded_wrote_them(make_repository: MakeRepository) -> None:
    folder = make_repository(
        Commit({"a.py": PRICE}, "price"), Commit({"a.py": PRICE + "x = 1\n", "b.py": LONG}, "long")
    )
    assert len(authors_of(folder, "b.py")["long"]) == LINES_KEPT


def test_the_commit_that_wrote_lines_of_the_better_excerpt_or_matching_ones_comes_first(
    make_repository: MakeRepository,
) -> None:
    folder = make_repository(Commit({"a.py": PRICE}, "price"), Commit({"b.py": CHECK}, "check"))
    indexed(folder)
    of_price, of_check = (
        Excerpt(path, 2, (text.split("\n")[1],), 1.0) for path, text in (("a.py", PRICE), ("b.py", CHECK))
    )
    with ready_at(folder) as ready:
        record = change_history_of(ready.snapshot)
        for best_first, shares, expected in (
            ([of_price, of_check], {}, ["price", "check"]),
            ([of_check, of_price], {}, ["check", "price"]),
            ([of_check, of_price], {("a.py", 2): 0.5}, ["price", "check"]),  # a line that the question is about
        ):
            found = line_authors(record, best_first, shares)
            assert [record.commits[one.commit].subject for one in found] == expected


def test_no_commit_is_named_whose_copy_of_a_line_is_gone(make_repository: MakeRepository) -> None:
    copy = PRICE.replace("price", "cost")
    folder = make_repository(
        Commit({"a.py": PRICE}, "price"), Commit({"a.py": PRICE + copy}, "cost"), Commit({"a.py": PRICE}, "no cost")
    )
    assert authors_of(folder, "a.py") == {"price": [1, 2, 3]}


@pytest.mark.parametrize("subject", ["refactor: rename order", "fix typo in the price", "Use golangci-lint"])
def test_a_line_of_which_a_commit_changed_a_word_is_by_it_whatever_its_subject(
    make_repository: MakeRepository, subject: str
) -> None:
    altered = PRICE.replace("order.rate", "order.discount")
    folder = make_repository(Commit({"a.py": PRICE}, "price"), Commit({"a.py": altered}, subject))
    assert authors_of(folder, "a.py") == {"price": [1, 3], subject: [2]}


def test_a_repeated_line_next_to_a_line_of_its_commit_is_by_it(make_repository: MakeRepository) -> None:
    locked = "def reset(self):\n    with self.lock.acquired():\n        self.position = self.marked\n"
    marked = "def mark(self):\n    with self.lock.acquired():\n        self.marked = self.position\n"
    folder = make_repository(Commit({"a.py": locked}, "reset"), Commit({"a.py": f"{marked}\n{locked}"}, "mark"))
    assert authors_of(folder, "a.py") == {"mark": [1, 2, 3], "reset": [5, 6, 7]}


def test_a_repeated_line_that_a_commit_moved_is_not_by_it(make_repository: MakeRepository) -> None:
    old = "def reset(self):\n    with self.lock.acquired():\n        self.position = self.marked\n"
    both = "def mark(self):\n    with self.lock.acquired():\n        self.marked = self.position\n"
    folder = make_repository(
        Commit({"a.py": "import os\n", "b.py": old}, "reset"), Commit({"a.py": both + old, "b.py": None}, "mark")
    )
    assert authors_of(folder, "a.py") == {"mark": [1, 3]}


def test_a_name_within_an_import_has_no_author(make_repository: MakeRepository) -> None:
    one = '// Weighs parcels.\n\n\nimport { weighParcel, type ParcelWeight } from "./scales";\n'
    several = (
        '// Weighs parcels.\n\n\nimport {\n  packParcel,\n  weighParcel,\n  type ParcelWeight,\n} from "./scales";\n'
    )
    folder = make_repository(Commit({"a.ts": one}, "weigh"), Commit({"a.ts": several + "packParcel();\n"}, "pack"))
    assert authors_of(folder, "a.ts") == {"pack": [9]}


@pytest.mark.parametrize(
    ("text", "continued"),
    [
        ('import (\n"fmt"\n)\nfunc main() {\nrun()\n}', ['"fmt"', ")"]),
        (
            "use scales::{\nweigh::{Parcel, Weight},\nTable,\n};\nfn main() {\nrun()\n}",
            ["weigh::{Parcel, Weight},", "Table,", "};"],
        ),
        ("from scales import (\nweigh,\n)\nimport os\ndef run(\nparcel):", ["weigh,", ")"]),
        ("import { weigh, pack\nimport os\nimport {\nrun,\n} from 'a'\nrun()", ["run,", "} from 'a'"]),
        ("export {\nweigh,\n}\nexport function run() {\n}", []),
        ("using (var scale = Open()) {\nscale.Weigh();\n}", []),
    ],
)
def test_an_import_reaches_to_its_closing_bracket(text: str, continued: list[str]) -> None:
    assert list(lines_within_imports(text.split("\n"))) == continued


def test_two_equal_lines_beside_one_commit_are_attributed_to_neither(make_repository: MakeRepository) -> None:
    check = "    if order.is_last:\n"
    begun = f"def listen(order):\n{check}        order.close_slowly()\n"
    later = (
        f"def listen(order):\n    order.ask_first()\n{check}        order.close_at_once()\n"
        f"    order.ask_again()\n{check}        order.close_twice()\n"
    )
    folder = make_repository(Commit({"a.py": begun}, "listen"), Commit({"a.py": later}, "again"))
    assert authors_of(folder, "a.py") == {"listen": [1], "again": [2, 4, 5, 7]}
