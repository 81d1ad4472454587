"""Commits that made nearly the change of a task, or that it names."""

from collections.abc import Iterator

import pytest
from support.repositories import Commit, MakeRepository, RunGit
from support.samples import indexed, recalled

TABLE = "TABLE = {\n    'class': rule_of_classes,\n    'function': rule_of_functions,\n}\n"
WITH_ENUM = TABLE.replace("}", "    'enumeration': rule_of_enumerations,\n}")
SUBJECT = "Print attributes of enumerations without a line"


def others() -> Iterator[Commit]:
    return (Commit({f"b{at}.py": f"LIMIT = {at}\n"}, f"Limit {at}") for at in range(9))


def line_of(markdown: str, subject: str) -> str:
    """The line of a commit in a brief; empty without one."""
    return next((line for line in markdown.split("\n") if f'"{subject}"' in line), "")


def test_a_small_commit_with_nearly_the_subject_of_the_task_shows_what_it_added(
    make_repository: MakeRepository,
) -> None:
    folder = make_repository(
        Commit({"printer.py": TABLE}, "Begin"),
        Commit({"printer.py": WITH_ENUM, "tests/test_printer.py": "def test_it():\n    assert 1\n"}, SUBJECT),
        *others(),
    )
    line = line_of(recalled(folder, "Print attributes of enumeration cases without a line").markdown, SUBJECT)
    assert line.endswith("added `'enumeration': rule_of_enumerations,`")
    assert "added `" not in line_of(recalled(folder, "rule of enumerations").markdown, SUBJECT)


def test_a_line_that_was_replaced_is_shown_before_and_after(make_repository: MakeRepository) -> None:
    before = "def weigh_parcel(parcel):\n    return parcel.net\n"
    after = before.replace("parcel.net", "parcel.net + wrapping")
    folder = make_repository(
        Commit({"a.py": before}, "Begin"), Commit({"a.py": after}, "Weigh wrapping in weigh_parcel"), *others()
    )
    line = line_of(recalled(folder, "weigh_parcel counts pallets").markdown, "Weigh wrapping in weigh_parcel")
    assert line.endswith("changed `return parcel.net` → `return parcel.net + wrapping`")


@pytest.mark.parametrize(
    ("before", "after", "shown"),
    [
        (
            "net, tare = read()",
            "net = read()\n    tare = empty()",
            "changed lines to `net = read()`, `tare = empty()`",
        ),
        (
            "net = read()\n    tare = empty()",
            "net = scale()\n    tare = paper()",
            "changed `net = read()` → `net = scale()`, `tare = empty()` → `tare = paper()`",
        ),
    ],
)
def test_lines_that_took_the_place_of_others_are_not_called_added(
    make_repository: MakeRepository, before: str, after: str, shown: str
) -> None:
    code = "def weigh_parcel():\n    {}\n    return net + tare\n"
    folder = make_repository(
        Commit({"a.py": code.format(before)}, "Begin"),
        Commit({"a.py": code.format(after)}, "Weigh wrapping in weigh_parcel"),
        *others(),
    )
    line = line_of(recalled(folder, "weigh_parcel counts pallets").markdown, "Weigh wrapping in weigh_parcel")
    assert line.endswith(f"it {shown}")


def test_of_a_long_line_that_was_replaced_the_part_that_changed_is_shown(make_repository: MakeRepository) -> None:
    factors = " * ".join(f"parcel.factor_of_{at}" for at in range(5))
    before = f"def weigh_parcel(parcel):\n    return {factors} + parcel.net + {factors}\n"
    folder = make_repository(
        Commit({"a.py": before}, "Begin"),
        Commit({"a.py": before.replace("parcel.net", "parcel.gross")}, "Count wrapping in weigh_parcel"),
        *others(),
    )
    line = line_of(recalled(folder, "weigh_parcel counts pallets").markdown, "Count wrapping in weigh_parcel")
    assert line.endswith("changed `…r_of_4 + parcel.net + parcel.factor…` → `…r_of_4 + parcel.gross + parcel.factor…`")


@pytest.mark.parametrize(
    "after",
    [
        TABLE + "".join(f"VALUE_{at} = value_of_rule({at})\n" for at in range(6)),
        TABLE + f"VALUE = {'value_of_rule + ' * 40}1\n",
        TABLE.replace("    ", "\t"),
    ],
    ids=["many lines", "a long line", "white space"],
)
def test_what_is_long_or_only_layout_is_not_shown(make_repository: MakeRepository, after: str) -> None:
    folder = make_repository(Commit({"printer.py": TABLE}, "Begin"), Commit({"printer.py": after}, SUBJECT), *others())
    line = line_of(recalled(folder, SUBJECT).markdown, SUBJECT)
    assert line
    assert "added `" not in line
    assert "changed `" not in line


def test_a_commit_that_the_task_names_comes_first(make_repository: MakeRepository, run_git: RunGit) -> None:
    folder = make_repository(
        Commit({"a.py": "def escape(path):\n    return path\n"}, "Quote remote paths"),
        *others(),
        Commit({"c.py": "def protocol(repo):\n    return repo\n"}, "Read the protocol of a repo"),
    )
    commit = run_git(folder, "rev-list", "--max-parents=0", "HEAD").strip()
    brief = recalled(folder, f"Read the repo in protocol\n\nTakes inspiration from {commit[:10]}.")
    assert next(item.title for item in brief.items if item.commit) == "Quote remote paths"


def test_of_a_named_commit_of_another_branch_the_one_with_its_subject_is_shown(
    make_repository: MakeRepository, run_git: RunGit
) -> None:
    folder = make_repository(Commit({"b.py": "LIMIT = 1\n"}, "Begin"))
    run_git(folder, "checkout", "-q", "-b", "stable")
    (folder / "a.py").write_text("def escape(path):\n    return path\n")
    run_git(folder, "add", "a.py")
    run_git(folder, "commit", "-qm", "Quote remote paths")
    named = run_git(folder, "rev-parse", "HEAD").strip()
    run_git(folder, "checkout", "-q", "-")
    (folder / "a.py").write_text("def escape(path):\n    return quote(path)\n")
    run_git(folder, "add", "a.py")
    run_git(folder, "commit", "-qm", "Quote remote paths")
    here = run_git(folder, "rev-parse", "HEAD").strip()
    brief = recalled(folder, f"Escape in the protocol, as in {named}")
    assert next(item.commit for item in brief.items if item.commit) == here


def test_a_commit_of_which_lines_remain_is_not_named_by_a_file_that_is_gone(make_repository: MakeRepository) -> None:
    subject = "Limit the pallets of a lorry"
    folder = make_repository(
        Commit({"limits.toml": "pallets = 3\nheight = 4\n", "news/12.md": "Pallets are limited.\n"}, subject),
        Commit({"news/12.md": None}, "Release"),
        *others(),
    )
    line = line_of(recalled(folder, "the pallets of a lorry need another limit").markdown, subject)
    assert line.endswith(": `limits.toml`")


def test_a_commit_that_is_to_be_reverted_is_shown_and_of_a_merge_what_it_brought(
    make_repository: MakeRepository, run_git: RunGit
) -> None:
    folder = make_repository(Commit({"a.py": "LIMIT = 1\n"}, "Begin"), *others())
    run_git(folder, "switch", "-q", "-c", "lazy")
    (folder / "printer.py").write_text(TABLE)
    run_git(folder, "add", ".")
    run_git(folder, "commit", "-q", "-m", "Draw lazily")
    run_git(folder, "switch", "-q", "-")
    run_git(folder, "merge", "-q", "--no-ff", "-m", "Merge pull request #7 from ada/lazy", "lazy")
    for task in ('Revert "Merge pull request from ada/lazy"', 'Revert "Draw lazily (#6)"'):
        assert "`printer.py`" in line_of(recalled(folder, task).markdown, "Draw lazily")


def test_a_file_of_a_commit_is_distinguished_from_all_of_the_repository(make_repository: MakeRepository) -> None:
    subject = "Wrap parcels in paper"
    folder = make_repository(
        Commit({"app/base.toml": "pallets = 3\n", "work/base.toml": "height = 4\n"}, "Begin"),
        Commit({"app/base.toml": "pallets = 3\npaper = 2\n"}, subject),
        *others(),
    )
    indexed(folder)
    assert "`app/base.toml`" in line_of(recalled(folder, "wrap the parcels in paper").markdown, subject)


@pytest.mark.parametrize("task", ["Fix `const _ = !0;`", "Why are all flags wrong with const _ = !0 in the list?"])
def test_a_commit_whose_subject_or_the_code_in_it_is_in_the_task_is_shown(
    make_repository: MakeRepository, task: str
) -> None:
    limit = "pub const LIMIT: u8 = 1;\n"
    folder = make_repository(
        Commit({"a.rs": limit}, "Begin"),
        Commit({"a.rs": limit + "pub const UNNAMED: u8 = 2;\n"}, "Fix `const _ = !0;`"),
        *(Commit({f"b{at}.rs": f"pub const fn other_{at}() {{}}\n"}, f"Const function {at}") for at in range(12)),
        *others(),
    )
    indexed(folder)
    assert "a.rs" in line_of(recalled(folder, task).markdown, "Fix `const _ = !0;`")
