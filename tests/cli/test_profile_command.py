"""`repomem profile`: its lines, its JSON, and what it says where nothing is indexed."""

import json
import re
from pathlib import Path

import pytest
from support.command_line import COLOUR, Place, on_terminal

LINE = re.compile(r"(about|build|test|one test|lint|layout|entry|conventions|owners|pitfalls): .+ \([^()]+\)")


def test_each_fact_is_printed_with_its_kind_and_its_source(indexed: Place) -> None:
    ended = indexed.run("profile")
    assert (ended.code, ended.err) == (0, "")
    lines = [line for line in ended.out.splitlines() if not line.startswith("Left out: ")]
    assert all(LINE.fullmatch(line) for line in lines)
    assert ended.out.splitlines()[:5] == [
        'about: ledgerly 1.4.0, "Double-entry bookkeeping in plain text files." (pyproject.toml:6-8)',
        "build: make build → python -m build --wheel (Makefile:13-14)",
        "build: needs Python >=3.11 (pyproject.toml:10)",
        "test: make test → python -m pytest tests (Makefile:5-7)",
        "one test: python -m pytest FILE -k NAME (derived from Makefile:5-7)",
    ]


def test_facts_from_files_changed_since_the_index_run_are_marked(indexed_copy: Place) -> None:
    assert indexed_copy.run("profile", "test").err == ""
    Path(indexed_copy.folder, "Makefile").write_text("test:\n\tpytest -x\n", encoding="utf-8")
    ended = indexed_copy.run("profile", "test")
    assert ended.err == "files have changed since these facts were read; to update them: repomem index\n"
    assert ended.out.startswith("test: make test → python -m pytest tests ")


def test_json_has_the_facts_that_the_text_prints(indexed: Place) -> None:
    shown = json.loads(indexed.run("profile", "--format", "json").out)
    assert shown["schema"] == "repomem.profile/1"
    assert 0 < shown["tokens"] <= 300
    *lines, left_out = indexed.run("profile").out.splitlines()
    assert left_out == "Left out: 1 fact beyond 300 tokens."
    assert shown["omitted"] == 1
    for each, line in zip(shown["slots"], lines, strict=True):
        if each["text"].startswith("one test: "):
            assert line == f"{each['text']} (derived from {each['source']})"
        else:
            assert line == f"{each['slot']}: {each['text']} ({each['source']})"


@pytest.mark.parametrize(
    ("name", "lines"),
    [
        ("runtime", ["runtime: Python >=3.11 (pyproject.toml:10)"]),
        ("one test", ["one test: python -m pytest FILE -k NAME (derived from Makefile:5-7)"]),
        ("before the tests", []),
        ("ci", ["ci: Python 3.11–3.13; on macos, ubuntu (.github/workflows/test.yml:8-9)"]),
    ],
)
def test_a_kind_that_cannot_be_corrected_can_still_be_printed(indexed: Place, name: str, lines: list[str]) -> None:
    ended = indexed.run("profile", name)
    assert (ended.code, ended.err, ended.out.splitlines()) == (0, "", lines)


@pytest.mark.parametrize("name", ["runtime", "one test", "ci"])
def test_correcting_a_derived_kind_is_an_error_that_names_the_kind_to_correct(indexed: Place, name: str) -> None:
    ended = indexed.run("profile", name, "text")
    assert (ended.code, ended.out) == (2, "")
    assert ended.err.startswith(f"error: SLOT '{name}' is ")
    assert "not one of" not in ended.err


def test_an_unknown_kind_is_an_error_that_lists_the_kinds(indexed: Place) -> None:
    assert "'tests' is not one of about, build, test, " in indexed.run("profile", "tests", "text").err


def test_a_terminal_gets_a_profile_in_colour(indexed: Place) -> None:
    shown = on_terminal(indexed, "profile")
    assert COLOUR.search(shown)
    assert "Makefile:5-7" in COLOUR.sub("", shown)


def test_without_an_index_profile_is_an_error_with_a_hint(ledgerly: Place) -> None:
    ended = ledgerly.run("profile")
    assert (ended.code, ended.out) == (1, "")
    assert ended.err == "error: nothing is indexed here yet\nhint: run repomem index\n"


def test_a_profile_can_be_printed_from_a_subfolder(indexed: Place) -> None:
    assert indexed.run("profile", at="src").out == indexed.run("profile").out


def test_a_correction_without_text_is_reported_before_the_missing_permission(indexed: Place) -> None:
    assert indexed.run("profile", "test", "--append").err.startswith("error: no text given for test\n")


def test_a_kind_without_text_prints_its_facts(indexed: Place) -> None:
    assert indexed.run("profile", "test").out.splitlines() == [
        "test: make test → python -m pytest tests (Makefile:5-7)",
        "one test: python -m pytest FILE -k NAME (derived from Makefile:5-7)",
    ]
    [slot] = json.loads(indexed.run("profile", "lint", "--format", "json").out)["slots"]
    assert slot["slot"] == "lint"
