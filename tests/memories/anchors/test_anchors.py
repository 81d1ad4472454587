"""Where the code that a memory speaks of is now, asked of real histories."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest
from support.repositories import Commit, MakeRepository, RunGit
from support.samples import workspace_at

from repomem.adapters.git.attributes import LineEnds, line_ends
from repomem.adapters.git.repository import Repository
from repomem.core.errors import NotFound
from repomem.core.records import Anchor
from repomem.memories.anchors import live_files
from repomem.memories.anchors.live_files import live_files_now
from repomem.memories.anchors.locate import anchor_at, locate_anchors
from repomem.memories.status import AnchorLocation, Status

PRICE = """def price(order, rate):
    weight = order.weight_in_kilograms()
    if weight > HEAVIEST:
        raise TooHeavy(order, weight)
    return round(weight * rate + order.surcharge, 2)
"""
LOOKS = '''def price(order: Order, rate: float) -> float:
    """What sending an order costs."""
    weight = order.weight_in_kilograms()  # without the box

    if (weight > HEAVIEST):
        raise TooHeavy(order, weight)
    return round(
        weight * rate + order.surcharge,
        2,
    )
'''
OTHER = "def total(orders):\n    return sum(each.amount for each in orders)\n"
OTHERWISE = OTHER.replace("each.amount", "each.amount * each.count")
DEARER = PRICE.replace("* rate", "* rate * 2")
RENAMED = PRICE.replace("price", "cost_of_sending")
SCRIPT = """function price(order, rate) {
  var weight = order.weight();
  if (weight > HEAVIEST) throw new TooHeavy(order, weight);
  return Math.round(weight * rate + order.surcharge);
}
"""
TRIVIAL = "def size(self):\n    return 1\n"

History = Sequence[Commit]


class Told:
    """A repository, and an anchor that was made on its first commit."""

    def __init__(self, folder: Path, run_git: RunGit, path: str, symbol: str) -> None:
        self.folder, self.run_git = folder, run_git
        self.base = run_git(folder, "rev-list", "--max-parents=0", "main")
        run_git(folder, "checkout", "-q", "--detach", self.base)
        with workspace_at(folder) as workspace:
            self.anchor = anchor_at(workspace, path, symbol)
        run_git(folder, "checkout", "-q", "main")

    def ask(self, folder: Path | None = None) -> tuple[AnchorLocation, int]:
        """Where it is now, and the blobs that were parsed to know it."""
        with workspace_at(folder or self.folder) as workspace:
            [found], checked = locate_anchors(live_files_now(workspace), [(self.anchor, self.base)])
        return found, checked

    @property
    def now(self) -> tuple[str, str, str]:
        """Status, place and the message of the commit that made it so."""
        found, _ = self.ask()
        place = f"{found.path}:{found.symbol}" if found.path else ""
        subject = self.run_git(self.folder, "log", "-1", "--format=%s", found.commit) if found.commit else ""
        return found.status.value, place, subject

    def write(self, path: str, text: str | None) -> None:
        """Change the worktree."""
        if text is None:
            (self.folder / path).unlink()
        else:
            (self.folder / path).write_text(text)

    def commit(self, message: str) -> None:
        """Commit the worktree."""
        self.run_git(self.folder, "add", "-A")
        self.run_git(self.folder, "commit", "-q", "-m", message)


class Tell:
    """Makes the repository of a story."""

    def __init__(self, make_repository: MakeRepository, run_git: RunGit) -> None:
        self.make, self.run_git = make_repository, run_git

    def __call__(self, *commits: Commit, on: str = "a.py:price") -> Told:
        path, _, symbol = on.partition(":")
        return Told(self.make(*commits), self.run_git, path, symbol)

    def texts(self, *texts: str | None, path: str = "a.py", on: str = "a.py:price") -> Told:
        """A history of one file; each commit is called by its number, from 0."""
        return self(*(Commit({path: text}, f"version {number}") for number, text in enumerate(texts)), on=on)


@pytest.fixture
def tell(make_repository: MakeRepository, run_git: RunGit) -> Tell:
    return Tell(make_repository, run_git)


def test_code_in_an_unchanged_file_is_current_and_nothing_is_parsed(tell: Tell) -> None:
    told = tell(Commit({"a.py": PRICE}), Commit({"b.py": OTHER}))
    found, checked = told.ask()
    assert (found.status, found.path, found.symbol, checked) == (Status.CURRENT, "a.py", "price", 0)


@pytest.mark.parametrize(
    "later",
    [
        PRICE.replace("    ", "\t"),
        PRICE.replace("\n", "\r\n"),
        LOOKS,
        "import os\n\n\n" + PRICE + "\n\n" + OTHERWISE,
        "class Other:\n    pass\n\n\n" + PRICE,
    ],
    ids=["indentation", "line ends", "annotations, comments and wrapping", "another function", "a class before it"],
)
def test_code_with_the_same_fingerprint_is_current(tell: Tell, later: str) -> None:
    assert tell.texts(PRICE + "\n\n" + OTHER, later).now == ("current", "a.py:price", "")


GETTER = "class Cart:\n    @property\n    def total(self):\n        return sum(self.prices)\n\n"
SETTER = "    @total.setter\n    def total(self, value):\n        self.prices = [value]\n        self.is_set = True\n"


@pytest.mark.parametrize(
    ("later", "status"),
    [
        (GETTER.replace("(self.prices)", "(self.prices) * 1.19") + SETTER, "drifted"),
        (GETTER + SETTER.replace("[value]", "[value / 1.19]"), "drifted"),
        ("import os\n\n" + GETTER + "\n\n" + SETTER.replace("value", "amount"), "current"),
    ],
    ids=["getter", "setter", "other places and names"],
)
def test_a_memory_on_a_property_is_about_its_getter_and_its_setter(tell: Tell, later: str, status: str) -> None:
    assert tell.texts(GETTER + SETTER, later, on="a.py:Cart.total").now[0] == status


def test_locations_are_cached_with_their_lines(tell: Tell) -> None:
    told = tell.texts(PRICE, "import os\n\n\n" + PRICE)
    first, parsed = told.ask()
    again, parsed_again = told.ask()
    assert (first.start_line, first.end_line, parsed) == (4, 8, 1)
    assert (again, parsed_again) == (first, 0)


def test_code_that_moved_to_another_file_is_found_there(tell: Tell) -> None:
    told = tell(Commit({"a.py": PRICE + "\n\n" + OTHER}), Commit({"a.py": OTHER, "b.py": "import os\n\n\n" + PRICE}))
    assert told.now == ("moved", "b.py:price", "")


def test_code_that_moved_and_left_a_call_of_the_other_place_is_found_there(tell: Tell) -> None:
    called = "def price(order, rate):\n    return postage.price(order, rate)\n"
    told = tell(Commit({"a.py": PRICE}), Commit({"a.py": called, "postage.py": PRICE}))
    assert told.now == ("moved", "postage.py:price", "")


def test_a_renamed_function_is_found(tell: Tell) -> None:
    assert tell.texts(PRICE, OTHER + "\n\n" + RENAMED).now == ("moved", "a.py:cost_of_sending", "")


SHORT = "def size(box):\n    return box.width\n"
LENGTH = SHORT.replace("size", "length")


def test_a_renamed_function_is_found_however_short(tell: Tell) -> None:
    told = tell.texts(SHORT, OTHER + LENGTH, OTHERWISE + LENGTH, on="a.py:size")
    assert told.now == ("moved", "a.py:length", "")
    told.write("a.py", OTHER + SHORT.replace("size", "span"))
    assert told.now == ("moved", "a.py:span", "")
    told.write("a.py", OTHER + LENGTH.replace("width", "height"))
    assert told.now[:2] == ("drifted", "a.py:length")


@pytest.mark.parametrize(
    ("first", "later"),
    [
        ([SHORT], [OTHER, OTHER + LENGTH]),
        ([SHORT], [OTHER + LENGTH + SHORT.replace("size", "span")]),
        ([SHORT, SHORT.replace("size", "span")], [OTHER + LENGTH]),
        ([SHORT, LENGTH], [OTHER + LENGTH]),
    ],
    ids=["later commit", "two new names", "two old names", "copy that was there"],
)
def test_a_short_function_that_may_be_another_one_is_gone(tell: Tell, first: list[str], later: list[str]) -> None:
    assert tell.texts("\n\n".join(first), *later, on="a.py:size").now == ("gone", "", "version 1")


def test_code_that_moved_under_another_name_is_found(tell: Tell) -> None:
    told = tell(Commit({"a.py": PRICE + "\n\n" + OTHER}), Commit({"a.py": OTHER, "b.py": RENAMED}))
    assert told.now == ("moved", "b.py:cost_of_sending", "")


def test_code_in_a_renamed_file_is_found_however_small(tell: Tell) -> None:
    for on, text in (("price", PRICE), ("size", "def size():\n    return 1\n")):
        told = Told(
            tell.make(Commit({"a.py": text}), Commit({"a.py": None, "b.py": text, "c.py": text + OTHER}), name=on),
            tell.run_git,
            "a.py",
            on,
        )
        assert told.now == ("moved", f"b.py:{on}", "")


def test_code_that_moved_twice_and_under_other_names_is_found(tell: Tell) -> None:
    told = tell(
        Commit({"a.py": PRICE + OTHER}),
        Commit({"a.py": OTHER, "b.py": RENAMED}),
        Commit({"c.txt": "in between"}),
        Commit({"b.py": None, "d/e.py": RENAMED.replace("cost_of_sending", "postage")}),
    )
    assert told.now == ("moved", "d/e.py:postage", "")


def test_code_that_moved_and_then_changed_drifted_with_the_commit_that_changed_it(tell: Tell) -> None:
    told = tell(
        Commit({"a.py": PRICE + OTHER}),
        Commit({"a.py": OTHER, "b.py": PRICE}, "move"),
        Commit({"b.py": "import os\n" + PRICE}, "import"),
        Commit({"b.py": "import os\n" + DEARER}, "dearer"),
        Commit({"b.py": "import sys\n" + DEARER}, "import sys"),
    )
    assert told.now == ("drifted", "b.py:price", "dearer")


def test_code_that_moved_and_changed_in_one_commit_drifted_and_is_followed(tell: Tell) -> None:
    told = tell(
        Commit({"a.py": PRICE + OTHER}),
        Commit({"a.py": OTHER, "b.py": "def taxed(order):\n    return order.tax\n", "c.py": DEARER}, "move, dearer"),
    )
    assert told.now == ("drifted", "c.py:price", "move, dearer")


def test_code_that_was_renamed_and_changed_in_one_commit_drifted_and_is_followed(tell: Tell) -> None:
    changed = DEARER.replace("price", "cost_of_sending")
    assert tell.texts(PRICE, OTHER, changed + OTHER).now == ("gone", "", "version 1")
    told = Told(
        tell.make(Commit({"a.py": PRICE + OTHER}), Commit({"a.py": OTHER + changed}, "both"), name="one"),
        tell.run_git,
        "a.py",
        "price",
    )
    assert told.now == ("drifted", "a.py:cost_of_sending", "both")


def test_code_whose_variables_were_renamed_is_current(tell: Tell) -> None:
    renamed = PRICE.replace("weight", "mass").replace("mass_in", "weight_in").replace("order", "sent")
    assert "sent.weight_in_kilograms()" in renamed
    assert tell.texts(PRICE, renamed).now == ("current", "a.py:price", "")
    told = tell.texts(PRICE, renamed, renamed.replace("* rate", "* rate * 2"))
    assert told.now == ("drifted", "a.py:price", "version 2")


def test_code_is_current_if_only_what_it_calls_was_renamed(tell: Tell) -> None:
    weigh = "def weigh(order):\n    return sum(each.weight for each in order)\n"
    first = PRICE.replace("order.weight_in_kilograms()", "weigh(order)")
    later = first.replace("weigh(", "weight_of(")
    told = tell(
        Commit({"a.py": first, "b.py": weigh}),
        Commit({"a.py": later, "b.py": weigh.replace("weigh(", "weight_of(")}, "rename"),
    )
    assert told.now == ("current", "a.py:price", "")
    told.write("c.py", OTHER)
    told.write("a.py", f"{later}\n\n{OTHER}")
    told.commit("add another")
    assert told.now == ("current", "a.py:price", "")
    told.write("a.py", f"{later.replace('* rate', '* rate * 2')}\n\n{OTHER}")
    told.commit("double it")
    assert told.now == ("drifted", "a.py:price", "double it")


@pytest.mark.parametrize("weight", ["def gross_weight(order):\n    return 1\n", None])
def test_code_that_calls_another_function_drifted(tell: Tell, weight: str | None) -> None:
    weigh = "def weigh(order):\n    return sum(each.weight for each in order)\n"
    first = PRICE.replace("order.weight_in_kilograms()", "weigh(order)")
    later = first.replace("weigh(", "gross_weight(")
    told = tell(Commit({"a.py": first, "b.py": weigh}), Commit({"a.py": later, "b.py": weight}, "weigh all"))
    assert told.now == ("drifted", "a.py:price", "weigh all")


def test_a_method_of_a_renamed_type_is_found(tell: Tell) -> None:
    server = """package a

func (s *Server) Open(addr string, limit int) error {
	if limit > 9 {
		return s.fail(addr)
	}
	return s.listen(addr, limit)
}
"""
    router = server.replace("s *Server", "r *Router").replace("s.", "r.")
    told = tell(Commit({"a.go": server}), Commit({"a.go": router}), on="a.go:Server.Open")
    assert told.now == ("moved", "a.go:Router.Open", "")


def test_drift_names_the_first_commit_that_changed_what_the_code_does(tell: Tell) -> None:
    told = tell.texts(PRICE, LOOKS, LOOKS + OTHER, DEARER + OTHER, DEARER.replace("2)", "3)") + OTHER)
    assert told.now == ("drifted", "a.py:price", "version 3")


def test_reverted_drift_is_current_again(tell: Tell) -> None:
    told = tell.texts(PRICE, DEARER, "import os\n" + PRICE)
    assert told.now == ("current", "a.py:price", "")
    told.write("a.py", DEARER)
    told.commit("dearer again")
    assert told.now == ("drifted", "a.py:price", "dearer again")


def test_drift_on_one_side_of_a_merge_names_the_commit_that_did_it(tell: Tell) -> None:
    told = tell(
        Commit({"a.py": PRICE + "\n\n\n\n\n\n" + OTHER}, "begin"),
        Commit({"a.py": DEARER + "\n\n\n\n\n\n" + OTHER}, "dearer"),
        Commit({"a.py": PRICE + "\n\n\n\n\n\n" + OTHERWISE}, "otherwise", parents=[0]),
        Commit({"a.py": DEARER + "\n\n\n\n\n\n" + OTHERWISE}, "merge", parents=[1, 2]),
        Commit({"a.py": "import os\n" + DEARER + "\n\n\n\n\n\n" + OTHERWISE}, "import"),
    )
    assert told.now == ("drifted", "a.py:price", "dearer")


def test_merges_that_do_not_touch_the_file_delete_nothing(tell: Tell) -> None:
    told = tell(
        Commit({"a.py": PRICE}, "begin"),
        Commit({"b.py": OTHER}, "one side"),
        Commit({"c.py": OTHER}, "other side", parents=[0]),
        Commit({"c.py": OTHER}, "merge", parents=[1, 2]),
        Commit({"a.py": "import os\n" + DEARER}, "dearer"),
        Commit({"d.py": OTHER}, "third side", parents=[3]),
        Commit({"d.py": OTHER}, "merge again", parents=[4, 5]),
    )
    assert told.now == ("drifted", "a.py:price", "dearer")


def test_code_does_not_move_into_a_bundle(tell: Tell) -> None:
    told = tell(
        Commit({"a.js": SCRIPT, "other.js": "const a = 1\n"}),
        Commit({"a.js": "const b = 2\n", "dist/all.js": SCRIPT}, "release"),
        on="a.js:price",
    )
    assert told.now == ("gone", "", "release")


def test_deleted_code_names_the_deleting_commit(tell: Tell) -> None:
    assert tell.texts(PRICE + OTHER, "import os\n" + OTHER, OTHERWISE).now == ("gone", "", "version 1")


def test_code_in_a_deleted_file_is_gone(tell: Tell) -> None:
    told = tell(Commit({"a.py": PRICE, "b.py": OTHER}), Commit({"a.py": None}, "delete"), Commit({"b.py": OTHERWISE}))
    assert told.now == ("gone", "", "delete")


def test_code_that_was_deleted_and_landed_again_is_current(tell: Tell) -> None:
    told = tell.texts(PRICE + OTHER, OTHER)
    assert told.now == ("gone", "", "version 1")
    told.write("a.py", OTHER + PRICE)
    assert told.now == ("current", "a.py:price", "")
    told.commit("again")
    assert told.now == ("current", "a.py:price", "")


def test_code_that_was_deleted_and_landed_again_elsewhere_is_moved(tell: Tell) -> None:
    told = tell.texts(PRICE, None)
    assert told.now == ("gone", "", "version 1")
    told.write("b.py", PRICE)
    assert told.now == ("moved", "b.py:price", "")


def test_uncommitted_drift_has_no_commit_until_it_is_committed(tell: Tell) -> None:
    told = tell.texts(PRICE, PRICE + OTHER)
    told.write("a.py", DEARER + OTHER)
    assert told.now == ("drifted", "a.py:price", "")
    assert told.now == ("drifted", "a.py:price", "")
    told.commit("dearer")
    assert told.now == ("drifted", "a.py:price", "dearer")


def test_code_deleted_in_the_work_tree_has_no_commit_until_committed(tell: Tell) -> None:
    told = tell.texts(PRICE, PRICE + OTHER)
    told.write("a.py", None)
    assert told.now == ("gone", "", "")
    told.write("b.py", PRICE)
    assert told.now == ("moved", "b.py:price", "")
    told.write("b.py", OTHER)
    assert told.now == ("gone", "", "")
    told.commit("delete")
    assert told.now == ("gone", "", "delete")


def test_two_work_trees_have_two_answers_at_the_same_time(tell: Tell, tmp_path: Path) -> None:
    told = tell(Commit({"a.py": PRICE + OTHER}, "begin"), Commit({"a.py": OTHER, "b.py": PRICE}, "move"))
    elsewhere = tmp_path / "elsewhere"
    tell.run_git(told.folder, "worktree", "add", "-q", "-b", "side", elsewhere, told.base)
    (elsewhere / "a.py").write_text(OTHER)
    tell.run_git(elsewhere, "commit", "-qam", "delete")
    for _ in range(2):
        here, there = told.ask()[0], told.ask(elsewhere)[0]
        assert (here.status, here.path) == (Status.MOVED, "b.py")
        assert (there.status, there.commit) == (Status.GONE, tell.run_git(elsewhere, "rev-parse", "HEAD"))


def test_the_same_change_on_two_branches_names_the_commit_of_each(tell: Tell, tmp_path: Path) -> None:
    told = tell(Commit({"a.py": PRICE}, "begin"), Commit({"a.py": DEARER}, "dearer"))
    elsewhere = tmp_path / "elsewhere"
    tell.run_git(told.folder, "worktree", "add", "-q", "-b", "side", elsewhere, told.base)
    (elsewhere / "a.py").write_text(DEARER)
    tell.run_git(elsewhere, "commit", "-qam", "dearer too")
    for _ in range(2):
        assert told.ask()[0].commit == tell.run_git(told.folder, "rev-parse", "main")
        assert told.ask(elsewhere)[0].commit == tell.run_git(elsewhere, "rev-parse", "side")


CLASS = "class Box:\n    depth = 3\n\n    def size(self):\n        return self.depth * 2\n"


def test_a_class_drifts_with_its_data_and_not_with_its_methods(tell: Tell) -> None:
    method = CLASS.replace("* 2", "* self.width * 4")
    told = tell.texts(CLASS, method, method + "\n    def flat(self):\n        return True\n", on="a.py:Box")
    assert told.now == ("current", "a.py:Box", "")
    told.write("a.py", method.replace("depth = 3", "depth = 4"))
    told.commit("deeper")
    assert told.now == ("drifted", "a.py:Box", "deeper")


def test_a_renamed_class_moved_though_its_own_print_is_small(tell: Tell) -> None:
    methods = PRICE.replace("order", "self").replace("\n", "\n    ")
    text = f"class Postage:\n    {methods}\n"
    told = tell.texts(OTHER + text, text.replace("Postage", "_Postage") + OTHER, on="a.py:Postage")
    assert told.now == ("moved", "a.py:_Postage", "")


def test_a_method_of_a_renamed_class_moved(tell: Tell) -> None:
    told = tell.texts(CLASS, CLASS.replace("Box", "Carton"), on="a.py:Box.size")
    assert told.now == ("moved", "a.py:Carton.size", "")


def test_a_method_that_drifted_is_followed_into_a_renamed_class(tell: Tell) -> None:
    changed = CLASS.replace("* 2", "* self.width * 4")
    renamed = changed.replace("class Box:", "class Carton:")
    told = tell.texts(CLASS, changed, renamed, renamed.replace("* 4", "* 8"), on="a.py:Box.size")
    assert told.now == ("drifted", "a.py:Carton.size", "version 1")


JAVA = """class Box {
  int size(int a) { return a * 2 + offset(a, width); }
  int size(int a, int b) { return a * b + offset(a, b, height); }
}
"""


def test_an_overload_is_current_while_it_is_there_whatever_its_siblings_do(tell: Tell) -> None:
    changed = JAVA.replace("a * 2", "a * 3")
    told = tell.texts(JAVA, changed, path="Box.java", on="Box.java:Box.size")
    swapped = "\n".join([JAVA.splitlines()[0], *JAVA.splitlines()[2:0:-1], "}"])
    assert told.now == ("current", "Box.java:Box.size", "")
    told.write("Box.java", swapped)
    assert told.now == ("current", "Box.java:Box.size", "")
    told.write("Box.java", JAVA.replace("a * b", "a - b"))
    assert told.now == ("drifted", "Box.java:Box.size", "")


def test_an_anchor_is_on_the_implementation_and_not_on_type_checker_overloads(tell: Tell) -> None:
    stubs = "@overload\ndef price(order: A) -> int: ...\n@overload\ndef price(order: B) -> float: ...\n"
    assert tell.texts(stubs + PRICE, stubs + DEARER).now == ("drifted", "a.py:price", "version 1")


def test_later_type_checker_overloads_are_not_the_anchored_code(tell: Tell) -> None:
    stubs = "@overload\ndef price(order: A) -> int: ...\n@overload\ndef price(order: B) -> float: ...\n"
    told = tell.texts(PRICE, DEARER, stubs + DEARER, stubs + OTHER + DEARER.replace("* 2", "* 3"))
    assert told.now == ("drifted", "a.py:price", "version 1")
    assert told.ask()[0].end_line > 6


@pytest.mark.parametrize(
    "later",
    [
        {"a.py": "class Box:\n    size = 1\n\n\nclass Tin:\n    def size(self):\n        return 1\n"},
        {"a.py": None, "b.py": f"x = 1\n{TRIVIAL}"},
        {"a.py": OTHER, "b.py": f"x = 1\n\n\nclass Tin:\n    {TRIVIAL.replace('    ', '        ')}"},
    ],
    ids=["same file", "file deleted", "other file"],
)
def test_a_trivial_function_that_others_repeat_is_gone_and_not_moved(tell: Tell, later: dict[str, str | None]) -> None:
    tin = f"class Tin:\n    {TRIVIAL.replace('    ', '        ')}"
    told = tell(
        Commit({"a.py": f"class Box:\n    {TRIVIAL.replace('    ', '        ')}\n\n{tin}", "b.py": TRIVIAL + tin}),
        Commit(later, "delete"),
        on="a.py:Box.size",
    )
    assert told.now[::2] == ("gone", "delete")


def test_a_copy_that_was_there_before_is_not_where_the_code_went(tell: Tell) -> None:
    told = tell(
        Commit({"a.py": PRICE + OTHER, "b.py": RENAMED}),
        Commit({"a.py": OTHER, "b.py": RENAMED + OTHER}, "delete"),
    )
    assert told.now == ("gone", "", "delete")


def test_code_of_the_same_name_that_does_something_else_is_not_where_it_went(tell: Tell) -> None:
    tin = "class Tin:\n    def size(self):\n        with lock:\n            yield from self.parts(deep=True)\n"
    told = tell(Commit({"a.py": CLASS, "b.py": OTHER}), Commit({"a.py": OTHER, "b.py": tin}, "x"), on="a.py:Box.size")
    assert told.now == ("gone", "", "x")


LARGE = "".join(f"def step_{at}(a):\n    return a + {at}\n\n\n" for at in range(60))


def test_a_large_file_does_not_drift_and_a_small_one_does(tell: Tell) -> None:
    assert tell.texts(LARGE, LARGE.replace("+ 7", "- 7"), on="a.py").now == ("current", "a.py:", "")
    settings = "retries: 3\ntimeout: 10\n"
    told = Told(
        tell.make(
            Commit({"ci.yml": settings}),
            Commit({"ci.yml": "# the settings\n" + settings}, "comment"),
            Commit({"ci.yml": settings.replace("3", "5")}, "patience"),
            Commit({"ci.yml": "# more\n" + settings.replace("3", "5")}, "comment again"),
            name="settings",
        ),
        tell.run_git,
        "ci.yml",
        "",
    )
    assert told.now == ("drifted", "ci.yml:", "patience")


def test_a_renamed_file_is_followed_and_a_deleted_one_is_gone(tell: Tell) -> None:
    told = tell(
        Commit({"a.py": LARGE}),
        Commit({"a.py": None, "b.py": LARGE + OTHER}, "rename"),
        Commit({"b.py": None, "c/d.py": LARGE}, "rename again"),
        on="a.py",
    )
    assert told.now == ("moved", "c/d.py:", "")
    told.write("c/d.py", None)
    assert told.now == ("gone", "", "")
    told.commit("delete")
    assert told.now == ("gone", "", "delete")


def test_a_small_file_drifts_after_it_was_renamed(tell: Tell) -> None:
    told = tell(
        Commit({"ci.yml": "retries: 3\ntimeout: 10\n"}),
        Commit({"ci.yml": None, "b.yml": "retries: 3\ntimeout: 10\n"}, "rename"),
        Commit({"b.yml": "retries: 4\ntimeout: 10\n"}, "patience"),
        on="ci.yml",
    )
    assert told.now == ("drifted", "b.yml:", "patience")


def test_a_shallow_clone_answers(tell: Tell, tmp_path: Path) -> None:
    told = tell(Commit({"a.py": PRICE + OTHER}), Commit({"a.py": OTHER, "b.py": PRICE}), Commit({"b.py": DEARER}))
    shallow = tmp_path / "shallow"
    tell.run_git(tmp_path, "clone", "-q", "--depth=1", f"file://{told.folder}", str(shallow))
    told.base = ""  # nothing that it was made on is here
    assert told.ask(shallow)[0].status in {Status.DRIFTED, Status.GONE}


@pytest.mark.parametrize("left_out", ["blob:none", "tree:0"])
def test_a_clone_that_lacks_old_objects_answers(tell: Tell, tmp_path: Path, left_out: str) -> None:
    told = tell(
        Commit({"a.py": PRICE + OTHER}),
        Commit({"a.py": OTHER, "b.py": PRICE + OTHER}),
        Commit({"b.py": DEARER + OTHER}),
        Commit({"b.py": DEARER}),
    )
    partial = tmp_path / "partial"
    tell.run_git(told.folder, "config", "uploadpack.allowFilter", "true")
    tell.run_git(tmp_path, "clone", "-q", f"--filter={left_out}", f"file://{told.folder}", str(partial))
    for symbol in ("price", ""):
        told.anchor = Anchor("a.py", symbol, told.anchor.blob, told.anchor.print, told.anchor.tokens)
        found, _ = told.ask(partial)
        assert found.status in {Status.DRIFTED, Status.GONE, Status.CURRENT}


def test_only_anchors_on_changed_blobs_are_parsed_and_only_once(tell: Tell) -> None:
    names = [f"f{at}.py" for at in range(6)]
    first = dict.fromkeys(names, PRICE)
    told = tell(Commit(first), Commit({"f2.py": "import os\n" + PRICE, "other.py": OTHER}), on="f0.py:price")
    anchors = [Anchor(name, "price", told.anchor.blob, told.anchor.print, told.anchor.tokens) for name in names]
    wanted = [(anchor, told.base) for anchor in anchors]
    counts = []
    for _ in range(2):
        with workspace_at(told.folder) as workspace:
            found, checked = locate_anchors(live_files_now(workspace), wanted)
        counts.append(checked)
        assert [one.status for one in found] == [Status.CURRENT] * 6
    assert counts == [1, 0]


def test_commits_that_change_other_functions_of_the_file_are_not_parsed(tell: Tell) -> None:
    texts = [f"X = {at}\n{PRICE}{OTHER}" for at in range(40)]
    told = tell.texts(*texts, texts[-1].replace(PRICE, DEARER), f"X = 1\n{DEARER}{OTHER}")
    found, checked = told.ask()
    assert (found.status, checked < 8) == (Status.DRIFTED, True)
    assert told.now == ("drifted", "a.py:price", "version 40")


def test_deleted_code_is_searched_only_in_new_commits(tell: Tell) -> None:
    told = tell.texts(PRICE + OTHER, *(f"# {at}: what became of the price\n{OTHER}" for at in range(30)))
    assert told.now == ("gone", "", "version 1")
    told.write("a.py", "# price\n" + OTHER)
    told.commit("later")
    found, checked = told.ask()
    assert (found.status, checked < 5) == (Status.GONE, True)
    told.write("a.py", DEARER + OTHER)
    told.commit("again, dearer")
    assert told.now == ("drifted", "a.py:price", "again, dearer")


def test_broken_and_huge_versions_do_not_stop_it(tell: Tell) -> None:
    told = tell(
        Commit({"a.py": PRICE}),
        Commit({"a.py": "def price(order, rate:\n    weight = = ((\n"}, "broken"),
        Commit({"a.py": b"\xff\xfe\x00\x01" * 100}, "no text"),
        Commit({"a.py": "x = 1\n" * 400_000}, "huge"),
        Commit({"a.py": ""}, "empty"),
        Commit({"a.py": "import os\n" + DEARER}, "dearer"),
    )
    assert told.now[:2] == ("drifted", "a.py:price")
    told.write("a.py", "import os\n" + PRICE)
    assert told.now == ("current", "a.py:price", "")


def test_a_symbol_is_named_as_its_language_or_its_reader_writes_it(tell: Tell) -> None:
    told = tell.texts(CLASS, on="a.py:Box.size")
    with workspace_at(told.folder) as workspace:
        for name in ("size", "Box::size", "Box#size", "Box.size()"):
            assert anchor_at(workspace, "a.py", name) == told.anchor
        for path, name in (("a.py", "depths"), ("b.py", "size")):
            with pytest.raises(NotFound):
                anchor_at(workspace, path, name)


def test_git_is_asked_once_about_any_number_of_uncommitted_files(
    make_repository: MakeRepository, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = make_repository(Commit({"a.py": "x = 1\n"}))
    for at in range(30):
        (folder / f"new{at}.py").write_text(f"x = {at}\r\n")
    asked: list[int] = []

    def counted(repository: Repository, blobs: Mapping[str, str | None]) -> LineEnds:
        asked.append(len(blobs))
        return line_ends(repository, blobs)

    monkeypatch.setattr(live_files, "line_ends", counted)
    with workspace_at(folder) as workspace:
        found = live_files_now(workspace)
    assert asked == [30]
    assert len(found.blobs) == 31
