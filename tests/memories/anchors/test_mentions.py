"""What texts name as code."""

import pytest

from repomem.memories.anchors.mentions import Mention, mentions


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("keep parseConfig and PARSE_LIMIT and _hidden", ["parseConfig", "PARSE_LIMIT", "_hidden"]),
        ("the parser should parse all of it", []),
        ("call `parse` first", ["parse"]),
        ("`Vec<T>` and `open(path, mode)`", ["Vec", "open"]),
        ("Router::new, Client#send, a->next, pkg.func", ["Router.new", "Client.send", "a.next", "pkg.func"]),
        ("`self.close` or this.flush()", ["close", "flush"]),
        ("done() is done", ["done"]),
        ("`empty?` and `save!`", ["empty?", "save!"]),
        ("GitHub runs JavaScript on macOS", []),
    ],
)
def test_identifiers_are_distinguished_from_words(text: str, names: list[str]) -> None:
    assert [".".join(mention.parts) for mention in mentions(text)] == names


@pytest.mark.parametrize(
    ("text", "paths"),
    [
        ("src/a.py and ./lib/b.js, or bin/run", ["src/a.py", "lib/b.js", "bin/run"]),
        ("in `docs/a b.md` and (README.md).", ["README.md"]),
        ("the Makefile of bin/", ["Makefile"]),
        ("https://a.example/src/a.py, ada@example.org", []),
        ("version 3.11 of e.g. that", []),
    ],
)
def test_paths_are_distinguished_from_addresses_and_numbers(text: str, paths: list[str]) -> None:
    assert [mention.path for mention in mentions(text) if mention.path and len(mention.path) > 3] == paths


def test_a_place_has_its_file_and_its_symbol() -> None:
    assert mentions("src/a.py:run, `b.go::Run.Now()`") == [
        Mention("src/a.py", ("run",), is_place=True),
        Mention("b.go", ("Run", "Now"), is_place=True),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "unlike `old`, we wait",
        "instead of `old`",
        "rather than calling `old`",
        "not `old` but the queue",
        "replaces the function `old`",
        "it was `old`",
        "renamed from `old`",
        "faster than `old` and `older`",
        "it called `old` before, and waits now",
        "`old` was removed",
        "`old()` does not exist",
    ],
)
def test_mentions_in_passing_are_left_out(text: str) -> None:
    assert mentions(text) == []


@pytest.mark.parametrize("text", ["never call `kept` twice", "do not block in `kept`", "unlike `old`, `kept` waits"])
def test_a_rule_is_about_what_it_forbids(text: str) -> None:
    assert [mention.parts for mention in mentions(text)] == [("kept",)]


@pytest.mark.parametrize(
    "text", ["a/" * 20_000, "a." * 20_000, "`" * 20_000, "aB" * 20_000, "_" * 20_000, "instead of " * 5_000]
)
def test_a_hostile_text_is_read_soon(text: str) -> None:
    mentions(text)


def test_a_method_of_the_languages_protocol_is_named_with_its_class_or_not_at_all() -> None:
    found = mentions("wrappers forward by `__getattr__`, so __iter__ is asked for")
    assert [mention.parts for mention in found if mention.parts] == []
    assert [mention.parts for mention in mentions("LookupDict.__getattr__ never raises")] == [
        ("LookupDict", "__getattr__")
    ]
