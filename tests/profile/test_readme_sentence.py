"""What a README says first, and whom CODEOWNERS names."""

import time

import pytest

from repomem.profile.manifests.manifest import Manifest
from repomem.profile.readme_and_owners import first_items, opening, owner_facts, owners_path, readme_path


def said(text: str, path: str = "README.md") -> tuple[str, int, int] | None:
    fact = opening(Manifest(path, text))
    return (fact.text, fact.start_line, fact.end_line) if fact else None


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("# x\n\nx is a small tool. It does more.\n", ("x is a small tool.", 3, 3)),
        (
            "# x\nx is a small tool. It does more.\n\n## What is it like?\n\nIt is used so.\n",
            ("x is a small tool.", 2, 2),
        ),
        ("x\n=====\n\nx is a\nsmall tool.\nMore.\n", ("x is a small tool.", 4, 5)),
        ("= x\n\n[![a](b)](c)\n[![a](b)](c)\n\nx is a [small](https://a.b) tool", ("x is a small tool", 6, 6)),
        ("<p>\n  <img>\n</p>\n\n<!-- x is\n\nno comment at all -->\n\nx is a tool.\n", ("x is a tool.", 9, 9)),
        (
            "> x is no note here\n\n```\nx is no code here\n```\n\n- x is no list\n\nx is a tool.\n",
            ("x is a tool.", 9, 9),
        ),
        ("**Note**: x has moved away.\n\nSee the other repository.\n\nx is a tool.\n", ("x is a tool.", 5, 5)),
        ("🔥 **NEW**: x has a second version out.\n\nx is a tool.\n", ("x is a tool.", 3, 3)),
        ("x comes in parts:\n- x is one of them\n\nx is a tool.\n", ("x is a tool.", 4, 4)),
        ("x comes in parts:\n\n * x is one of them;\n * y is another.\n\nx is a tool.\n", ("x is a tool.", 6, 6)),
        ("## What is x?\n\nx is a tool.\n", ("x is a tool.", 3, 3)),
        ("x 是一个用于记账的命令行小工具。更多。\n", ("x 是一个用于记账的命令行小工具。", 1, 1)),
        ("Short one.\n\n## Install\n\nThis stands below a section.\n", None),
        ("", None),
    ],
)
def test_the_first_descriptive_sentence_of_a_readme_is_quoted(text: str, expected: tuple[str, int, int] | None) -> None:
    assert said(text) == expected


def test_a_readme_that_begins_with_a_list_is_described_by_its_items() -> None:
    items = " * [`a`][1] filter: makes\n   one thing;\n\n * `b` filter: undoes `a`.\n\n[1]: https://x\n"
    readme = f"x\n===\n\nIt provides:\n\n{items}"
    assert said(readme) is None
    assert [first_items(Manifest("x/README.md", readme), longest) for longest in (60, 40, 21, 5)] == [
        "`a` filter: makes one thing; `b` filter: undoes `a`",
        "`a` filter; `b` filter",
        "`a` filter and 1 more",
        "",
    ]
    assert first_items(Manifest("x/README.md", readme.replace("provides:", "is x.")), 60) == ""
    assert first_items(Manifest("x/README.md", "Contents:\n\n- [Use](#use)\n- [More](#more)\n"), 60) == ""


@pytest.mark.parametrize(
    ("lead", "expected"),
    [
        ("This crate provides concurrent queues for threads:", "This crate provides concurrent queues for threads"),
        ("This crate provides the following:", "Everything in this crate works without std."),
        ("To install it, run one of these commands:", "Everything in this crate works without std."),
    ],
)
def test_a_sentence_before_a_list_describes_the_repository(lead: str, expected: str) -> None:
    found = opening(Manifest("README.md", f"# x\n\n{lead}\n\n* one\n\nEverything in this crate works without std.\n"))
    assert found is not None
    assert found.text == expected


def test_a_long_sentence_is_cut_with_an_ellipsis() -> None:
    found = said("x is a tool " + "that goes on and on " * 20)
    assert found
    assert len(found[0]) <= 160
    assert found[0].endswith("…")


def test_the_readme_at_the_root_describes_the_repository() -> None:
    assert readme_path(["a/README.md", "docs/README.md", "README.zh.md", "readme.rst", "x.py"]) == "readme.rst"
    assert readme_path(["a/README.md", "src/readme.py"]) == ""


@pytest.mark.parametrize("text", ["word " * 200_000, "[" * 100_000, "`a <" * 50_000, "*_" * 100_000, "a. " * 100_000])
def test_any_readme_is_read_quickly(text: str) -> None:
    started = time.process_time()
    said(text)
    for path in ("CODEOWNERS", "OWNERS"):
        owner_facts(Manifest(path, text))
    assert time.process_time() - started < 10  # a hang, not a measurement


def test_the_broadest_rules_come_first() -> None:
    text = "# who\n/src/deep/a @ada\n[Docs] @x\n/docs/ @org/writers b@example.org # why\n* @ben\n/none\n"
    text += "/lib @c @d @e @f @g\n"
    facts = owner_facts(Manifest("CODEOWNERS", text))
    assert [(fact.text, fact.start_line) for fact in facts] == [
        ("* @ben", 5),
        ("/docs/ @org/writers b@example.org", 4),
        ("/lib @c @d @e @f and 1 more", 7),
    ]


def test_the_codeowners_file_is_chosen_in_the_order_of_the_git_host() -> None:
    assert owners_path(["docs/CODEOWNERS", "CODEOWNERS", "src/CODEOWNERS"]) == "CODEOWNERS"
    assert owners_path(["src/CODEOWNERS", "src/MAINTAINERS"]) == ""
    assert owners_path(["MAINTAINERS.md", "docs/CODEOWNERS"]) == "docs/CODEOWNERS"
    assert owners_path(["a.py", ".github/MAINTAINERS.md"]) == ".github/MAINTAINERS.md"


@pytest.mark.parametrize(
    ("path", "text", "expected"),
    [
        (
            "MAINTAINERS.md",
            "# People\n\nAsk @bot.\n\n  * @ada\n  * @ben\n\n## Approvers\n\n  * @cy\n",
            ("@ada @ben", 5, 6),
        ),
        (
            "MAINTAINERS.md",
            "* **Ada** ([@ada](https://x/ada))\n  - key: 12 (a@b.org)\n# Emeriti\n* @ben\n",
            ("@ada", 1, 1),
        ),
        ("MAINTAINERS.md", "# Former maintainers\n- @ben\n# Maintainers\n- @ada\n", ("@ada", 4, 4)),
        ("MAINTAINERS", "Ada Lovelace <ada@example.org> (@ada)\nBen <ben@example.org>\n", ("Ada Lovelace, Ben", 1, 2)),
        ("OWNERS", "reviewers:\n- cy\napprovers:\n- ada\n- ben\n", ("ada ben", 4, 5)),
        ("MAINTAINERS.md", "# Maintainers\n\n- We do not merge our own changes\n", None),
    ],
)
def test_the_maintainers_that_a_list_names_are_owners(
    path: str, text: str, expected: tuple[str, int, int] | None
) -> None:
    facts = owner_facts(Manifest(path, text))
    assert [(fact.text, fact.start_line, fact.end_line) for fact in facts] == ([expected] if expected else [])


def test_a_line_of_translations_is_no_description() -> None:
    text = "# Dio\n\nLanguage: English | [Chinese](README-ZH.md)\n\nA powerful HTTP client for Dart.\n"
    found = opening(Manifest("README.md", text))
    assert found is not None
    assert found.text == "A powerful HTTP client for Dart."


def test_the_expansion_of_an_acronym_is_no_description() -> None:
    found = opening(Manifest("README.md", "# x\n\nTERN stands for Tide,\nEbb and Run. It counts birds at sea.\n"))
    assert found
    assert (found.text, found.start_line, found.end_line) == ("It counts birds at sea.", 4, 4)
