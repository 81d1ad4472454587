"""The commits that wrote a line, on real histories of formatters, copies and moves."""

from pathlib import Path

import pytest
from support.repositories import Commit, MakeRepository, RunGit

from repomem.adapters.git.repository import Repository
from repomem.core.errors import GitError, NotFound
from repomem.history.lines.alignment import FormerLine, former_line
from repomem.history.lines.commits import STEPS, line_commits

HELD = (
    "class Order:\n    def __init__(self, number, amount, currency='EUR', note=None):\n        self.number = number\n"
)
SPLIT = """class Order:
    def __init__(
        self, number, amount, currency="EUR", note=None
    ):
        self.number = number
"""
STORE = (
    "def stored(order):\n    row = table.find(order.number)\n    row.amount = order.amount\n    return row.saved()\n"
)


def subjects(top: Path, path: str, text: str) -> list[str]:
    """The subjects of the commits that wrote the only line with the text, newest first."""
    [line] = [at for at, each in enumerate((top / path).read_text().split("\n"), start=1) if text in each]
    repository = Repository.open(top)
    return [
        repository.read("log", "-1", "--format=%s", one.commit).decode().strip() if one.commit else ""
        for one in line_commits(repository, path, line)
    ]


@pytest.mark.parametrize("text", ["def __init__(", 'self, number, amount, currency="EUR"'])
def test_a_formatter_that_split_a_line_did_not_write_its_parts(make_repository: MakeRepository, text: str) -> None:
    top = make_repository(Commit({"order.py": HELD}, "orders"), Commit({"order.py": SPLIT}, "apply black"))
    assert subjects(top, "order.py", text) == ["orders"]


def test_a_line_without_words_is_by_the_commit_that_git_blames(make_repository: MakeRepository) -> None:
    block = "int kept(char *text)\n{\n    clear_everything_before(text);\n    return length_of_text(text);\n}\n"
    top = make_repository(
        Commit({"order.py": HELD, "a.c": block + "int other;\n"}, "orders"),
        Commit({"order.py": SPLIT, "a.c": "int other;\n", "b.c": block}, "apply black and move"),
        Commit({"b.c": block.replace("}", "  }")}, "indent"),
    )
    assert subjects(top, "order.py", "    ):") == ["apply black and move"]
    assert subjects(top, "b.c", "}") == ["apply black and move"]
    assert subjects(top, "b.c", "length_of_text") == ["orders"]


@pytest.mark.parametrize("separator", ["'; '", "' '", '",  "'])
def test_a_commit_that_changed_only_a_separator_in_quotes_wrote_the_line(
    make_repository: MakeRepository, separator: str
) -> None:
    code = "def header(cookies):\n    return join_all_of({}, cookies)\n"
    top = make_repository(
        Commit({"web.py": code.format("','")}, "header"),
        Commit({"web.py": code.format(separator)}, "separate"),
        Commit({"web.py": code.format(separator.replace("'", '"'))}, "apply black"),
    )
    assert subjects(top, "web.py", "join_all_of") == ["separate", "header"]


def test_a_formatter_that_joined_lines_did_not_write_them(make_repository: MakeRepository) -> None:
    top = make_repository(Commit({"order.py": SPLIT}, "orders"), Commit({"order.py": HELD}, "one line again"))
    assert subjects(top, "order.py", "def __init__(self") == ["orders"]


def test_a_formatter_that_moved_a_call_to_its_own_line_did_not_write_it(make_repository: MakeRepository) -> None:
    call = "    assert_that(result.messages).contains(\n        'local classes cannot be used'\n    )\n"
    chained = '    assert_that(result.messages)\n        .contains("local classes cannot be used")\n'
    start = "def test():\n    result = compiled()\n"
    top = make_repository(
        Commit({"a.kt": start + call + "\n\n"}, "a test"), Commit({"a.kt": start + chained + "\n\n"}, "ktfmt")
    )
    assert subjects(top, "a.kt", "assert_that(result.messages)") == ["a test"]


def test_a_commit_that_changed_more_than_the_layout_is_kept(make_repository: MakeRepository) -> None:
    top = make_repository(
        Commit({"order.py": HELD}, "orders"), Commit({"order.py": SPLIT.replace(", note=None", "")}, "drop the note")
    )
    assert subjects(top, "order.py", 'currency="EUR"') == ["drop the note", "orders"]
    assert subjects(top, "order.py", "self.number") == ["orders"]


@pytest.mark.parametrize(
    ("before", "after", "written"),
    [
        ("text = shown(<<<EOF", "text = shown(<<<'EOF'", True),
        (
            "text = shown_in_the_window_of_the_customer(<<<EOF",
            "text = shown_in_the_window_of_the_customer(<<<'EOF'",
            True,
        ),
        ('text = shown("$name of all")', "text = shown('$name of all')", True),
        ("text = shown('name of all')", 'text = shown("name of all")', False),
        ("text = shown('$name', 'of all')", "text = shown(\n    '$name', 'of all',\n)", False),
    ],
)
def test_other_quotes_are_layout_unless_the_text_becomes_another(
    make_repository: MakeRepository, before: str, after: str, *, written: bool
) -> None:
    top = make_repository(Commit({"a.php": f"{before}\n"}, "text"), Commit({"a.php": f"{after}\n"}, "quotes"))
    assert subjects(top, "a.php", "shown") == (["quotes", "text"] if written else ["text"])


def test_an_edited_line_leads_to_its_origin_past_the_formatter(make_repository: MakeRepository) -> None:
    texts = ["retries = 3\n", "retries = 5\n", "retries  =  5\n"]
    top = make_repository(
        *(Commit({"a.py": text}, subject) for text, subject in zip(texts, ("first", "more", "spaces"), strict=True))
    )
    assert subjects(top, "a.py", "retries") == ["more", "first"]


def test_a_line_that_looks_alike_elsewhere_is_another_line(make_repository: MakeRepository) -> None:
    decorator = "@json_class(generate_adapter=True)\n"
    old = f"{decorator}class Dated:\n    date = None\n\n\n{STORE}"
    top = make_repository(
        Commit({"dated.py": old}, "dates"),
        Commit(
            {"dated.py": STORE, "named.py": f"import json\n\n\n{decorator}class Named:\n    name = None\n"}, "names"
        ),
    )
    assert subjects(top, "named.py", "@json_class") == ["names"]


def test_a_copied_line_was_written_where_it_is(make_repository: MakeRepository) -> None:
    line = "    result = connection.execute_with_all_parameters(query, parameters, timeout)\n"
    old = f"def first():\n{line}    return result\n"
    top = make_repository(
        Commit({"a.py": old}, "first"),
        Commit({"a.py": old + "\n\n" + "# second\n" * 3 + f"def second():\n{line}    check(result)\n"}, "second"),
    )
    found = [one.commit for one in line_commits(Repository.open(top), "a.py", 10)]
    assert len(found) == 1
    assert Repository.open(top).read("log", "-1", "--format=%s", found[0]).strip() == b"second"


def test_a_moved_block_was_written_where_it_came_from(make_repository: MakeRepository) -> None:
    other = "def other(order):\n    return order.other_amounts_of_the_month()\n"
    top = make_repository(
        Commit({"a.py": f"{STORE}\n\n{other}"}, "stored orders"),
        Commit({"a.py": other, "store/rows.py": f'"""Rows."""\n\n\n{STORE}'}, "refactor: rows apart"),
    )
    assert subjects(top, "store/rows.py", "table.find") == ["stored orders"]


def test_a_licence_was_not_moved_from_a_file_removed_with_it(make_repository: MakeRepository) -> None:
    licence = "# Licensed under the Example Licence, version 2.\n# You may use this file only as it allows.\n\n"
    top = make_repository(
        Commit({"old.py": licence + "def gone():\n    return 1\n"}, "old"),
        Commit({"old.py": None, "new.py": licence + STORE}, "new"),
    )
    assert subjects(top, "new.py", "You may use") == ["new"]


LICENCE = "// Licensed under the Example Licence, version 2.\n// You may use this file only as it allows.\n"
GETTER = "int compared_to_other(item_t *item)\n{\n    return compare_items_by_default(item);\n"


@pytest.mark.parametrize(("block", "text"), [(LICENCE, "You may use"), (GETTER, "compare_items_by_default")])
def test_a_block_that_many_files_have_was_not_moved_from_one_of_them(
    make_repository: MakeRepository, block: str, text: str
) -> None:
    texts = {name: f"int {name};\n{block}" + f"int {name}_parts;\n" * 40 for name in ("one", "two", "old", "new")}
    texts["new"] += "".join(f"int added_to_new_{at};\n" for at in range(9))
    top = make_repository(
        Commit({f"{name}.c": texts[name] for name in ("one", "two", "old")}, "files"),
        Commit({"old.c": None, "new.c": texts["new"]}, "another"),
    )
    assert subjects(top, "new.c", text) == ["another"]


def test_a_licence_came_with_the_rest_of_its_file(make_repository: MakeRepository) -> None:
    files = {f"{name}.c": f"int {name};\n{LICENCE}" + f"int {name}_parts;\n" * 40 for name in ("one", "two")}
    renamed = f"int renamed;\n{LICENCE}{GETTER}" + "".join(f"int added_{at};\n" for at in range(9))
    top = make_repository(
        Commit(files | {"old.c": f"int old;\n{LICENCE}{GETTER}" + "int gone;\n" * 40}, "files"),
        Commit({"one.c": "int one;\n", "old.c": None, "new.c": renamed}, "another"),
    )
    assert subjects(top, "new.c", "You may use") == ["files"]


def test_a_comment_that_few_files_have_came_with_its_function(make_repository: MakeRepository) -> None:
    comment = "// Compares two items as the customer sees them,\n// whatever the order of their parts.\n"
    others = {name: f"int {name};\n{LICENCE}" + f"int {name}s;\n" * 40 for name in ("one", "two", "old", "new")}
    top = make_repository(
        Commit({f"{name}.c": others[name] for name in ("one", "two")} | {"old.c": others["old"] + comment}, "files"),
        Commit({"old.c": others["old"], "new.c": others["new"] + comment}, "another"),
    )
    assert subjects(top, "new.c", "Compares two items") == ["files"]
    assert subjects(top, "new.c", "You may use") == ["another"]


def test_the_head_of_a_function_that_was_moved_and_changed_was_not_written_by_the_move(
    make_repository: MakeRepository,
) -> None:
    head = "def mapped_parcels(self, methods, pattern, handler, priority):\n"
    other = "def looked_up_parcel(self, identifier):\n    return self.parcels[identifier]\n\n\n"
    between = "".join(f"def step_{at}(self):\n    return {at}\n\n\n" for at in range(30))
    before = head + "    return self.create(methods)\n\n\n" + between + other
    after = other + between + head + "    parcel = self.create(methods, pattern)\n    return parcel\n"
    top = make_repository(Commit({"a.py": before}, "map"), Commit({"a.py": after}, "reorder"))
    assert subjects(top, "a.py", "def mapped_parcels") == ["map"]


def test_a_line_that_a_sorted_list_moved_was_not_written_by_the_sorting(make_repository: MakeRepository) -> None:
    top = make_repository(
        Commit({"a.py": "__all__ = [\n    'write_row',\n    'any_row',\n    'read_row',\n]\n"}, "names"),
        Commit({"a.py": '__all__ = [\n    "any_row",\n    "read_row",\n    "write_row",\n]\n'}, "ruff"),
    )
    assert subjects(top, "a.py", "write_row") == ["names"]


def test_a_bare_brace_was_written_with_its_own_block(make_repository: MakeRepository) -> None:
    old = "static int sizes[] = {\n    first_size_of(list),\n};\n"
    new = "if (text == NULL) {\n    report_missing(name);\n}\n"
    top = make_repository(
        Commit({"a.c": f"int top;\n{old}int end;\n"}, "sizes"), Commit({"a.c": f"int top;\n{new}int end;\n"}, "report")
    )
    assert subjects(top, "a.c", "}") == ["report"]


def test_keywords_of_a_moved_block_came_with_the_block(make_repository: MakeRepository) -> None:
    block = "if has_everything_before(text):\n    clear_everything_before(text)\nelse:\n    leave_all_of_it(text)\n"
    top = make_repository(
        Commit({"a.py": block + "other = 1\n"}, "blocks"), Commit({"a.py": "other = 1\n", "b.py": block}, "move")
    )
    assert subjects(top, "b.py", "else:") == ["blocks"]


def test_an_uncommitted_line_leads_to_the_committed_one(make_repository: MakeRepository) -> None:
    top = make_repository(Commit({"a.py": "import os\n\nretries = 3  # as agreed\n"}, "agreed"))
    (top / "a.py").write_text("import os\n\nretries = 4  # as agreed\n")
    assert subjects(top, "a.py", "retries") == ["", "agreed"]


def test_at_most_six_commits_are_given_and_layout_is_not_counted(make_repository: MakeRepository) -> None:
    texts = [f"retries = limit_of({number})\n" for number in range(STEPS + 2)]
    commits = [Commit({"a.py": each}) for text in texts for each in (text, text.replace(")", ",)"))]
    top = make_repository(*commits)
    assert len(subjects(top, "a.py", "retries")) == STEPS


def test_a_line_beyond_the_file_is_not_found(make_repository: MakeRepository) -> None:
    top = make_repository(Commit({"a.py": "x = 1\n"}))
    with pytest.raises(NotFound, match=r"git finds no line 9 in a\.py"):
        list(line_commits(Repository.open(top), "a.py", 9))
    with pytest.raises(NotFound, match=r"^gone\.py is not a tracked file$"):
        list(line_commits(Repository.open(top), "gone.py", 1))


def test_where_a_clone_lacks_the_older_file_the_commit_that_moved_the_line_is_given(
    make_repository: MakeRepository, run_git: RunGit
) -> None:
    wrote, changed = Commit({"a.py": STORE}, "wrote"), Commit({"a.py": f"x = 1\n{STORE}"}, "changed")
    top = make_repository(wrote, changed, Commit({"a.py": "x = 1\n", "b.py": f"{STORE}y = 2\n"}, "moved"))
    lost = run_git(top, "rev-parse", "HEAD~2:a.py").strip()
    (top / ".git/objects" / lost[:2] / lost[2:]).unlink()
    assert subjects(top, "b.py", "    row.amount = order.amount") == ["moved"]


def test_a_partial_clone_says_that_it_lacks_earlier_versions(
    make_repository: MakeRepository, tmp_path: Path, run_git: RunGit
) -> None:
    whole = make_repository(Commit({"a.py": "x = 1\n"}), Commit({"a.py": "x = 1\ny = 2\n"}))
    run_git(whole, "config", "uploadpack.allowFilter", "true")
    run_git(tmp_path, "clone", "-q", "--filter=blob:none", whole.as_uri(), "partial")
    partial = Repository.open(tmp_path / "partial")
    with pytest.raises(GitError, match=r"this partial clone lacks earlier versions of a\.py"):
        list(line_commits(partial, "a.py", 1))
    with pytest.raises(NotFound, match=r"git finds no line 9 in a\.py"):
        list(line_commits(partial, "a.py", 9))


def test_keywords_alone_make_no_line_the_same() -> None:
    assert former_line(["    return None", "else:"], ["    return True", "    pass"], 0) is None
    assert former_line(["total = price(order)"], ["total = price(order, tax)"], 0) == FormerLine(0, is_layout=False)
    longer = "total = price(order, including_the_tax_of_the_country_of_the_buyer)"
    assert former_line(["total = price(order)"], [longer], 0) == FormerLine(0, is_layout=False)
    assert former_line(["total = 1"], [longer], 0) is None


def test_a_comment_is_no_former_code_and_one_name_proves_nothing() -> None:
    assert former_line(["// the current_interval?"], ["next = current_interval * 2;"], 0) is None
    assert former_line(["next = current_interval * 2;"], ["// next = current_interval * 2;"], 0) is None
    assert former_line(["// the current interval"], ["// the current interval now"], 0) == FormerLine(
        0, is_layout=False
    )
    assert former_line(["if (current_interval == -1) {"], ["next = current_interval * 2;"], 0) is None
    assert former_line(["limit = 1"], ["limit = 2"], 0) == FormerLine(0, is_layout=False)


def test_a_sign_that_another_new_line_has_is_not_kept() -> None:
    old = ["@arguments.each do |argument|"]
    assert former_line(old, ["@table = {}", "arguments.each do |argument|"], 1) == FormerLine(0, is_layout=False)
    assert former_line(old, ["@arguments.each", "do |argument|"], 1) == FormerLine(0, is_layout=True)
