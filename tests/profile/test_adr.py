"""Records of decisions in the forms that people write."""

import pytest

from repomem.core.mined_decisions import MinedDecision
from repomem.core.records import MemoryKind, Source
from repomem.core.types.text import CleanText
from repomem.profile.adr import Adr, AdrStatus, adr_of, adr_paths

PATH = "docs/adr/0004-a.md"
NYGARD = """# 4. Use LanceDB

Date: 2026-01-31

## Status

Accepted

Supersedes [2. Use SQLite vectors](0002-use-sqlite-vectors.md)

## Context

We search by vectors and by words.

## Decision

We will use [LanceDB](https://lancedb.example)
for **both** tables.

It is embedded.

## Consequences

Its import takes a second.
"""
MADR = """---
# These are optional elements.
status: "accepted"
date: 2025-03-04
---
# Keep vectors in one place

## Context and Problem Statement

Where do vectors live?

## Considered Options

* LanceDB
* [SQLite with an extension](https://sqlite.example): slow
* Files

## Decision Outcome

Chosen option: "LanceDB", because it searches words too.

### Consequences

* Good, because one library is enough
"""
OLD_MADR = """# Use plain SQL

* Status: superseded by [ADR-0007](0007-use-an-orm.md)
* Deciders: Ada
* Date: 2020-02-01

## Decision Outcome

Chosen option: plain SQL.
"""
Y_STATEMENT = """# Sessions

In the context of the web shop, facing many logins, we decided for Redis
and neglected sticky sessions, to achieve restarts without logouts, accepting another server.
"""


def read(text: str, path: str = PATH) -> MinedDecision:
    found = adr_of(path, text)
    assert found is not None
    return found.decision


def status_of(text: str) -> AdrStatus:
    found = adr_of(PATH, text)
    assert found is not None
    return found.status


def test_a_record_of_nygards_is_read_with_the_lines_of_its_decision() -> None:
    found = adr_of(PATH, NYGARD)
    decision = MinedDecision(
        id=f"{PATH}:17-18",
        kind=MemoryKind.DECISION,
        text=CleanText("We will use LanceDB for both tables."),
        source=Source.FILE,
        title=CleanText("Use LanceDB"),
        date="2026-01-31",
        path=PATH,
        start_line=17,
        end_line=18,
    )
    assert found == Adr(decision, AdrStatus.ACCEPTED, supersedes=(2,))


def test_a_madr_record_has_a_status_field_and_lists_rejected_options() -> None:
    found = read(MADR)
    assert (found.title, found.date) == ("Keep vectors in one place", "2025-03-04")
    assert status_of(MADR) is AdrStatus.ACCEPTED
    assert found.text == 'Chosen option: "LanceDB", because it searches words too.'
    assert found.rejected == ("SQLite with an extension", "Files")
    assert MADR.split("\n")[found.start_line - 1] == found.text


def test_an_older_madr_record_that_names_its_successor_is_superseded() -> None:
    assert (status_of(OLD_MADR), read(OLD_MADR).date) == (AdrStatus.SUPERSEDED, "2020-02-01")


def test_a_y_statement_is_a_decision_with_its_rejected_option() -> None:
    found = read(Y_STATEMENT)
    assert (found.start_line, found.end_line, status_of(Y_STATEMENT)) == (3, 4, AdrStatus.ACCEPTED)
    assert found.text.startswith("In the context of the web shop, facing many logins, we decided for Redis")
    assert found.rejected == ("sticky sessions",)


@pytest.mark.parametrize(
    ("said", "status"),
    [
        ("Accepted", AdrStatus.ACCEPTED),
        ("✅ Accepted by the team", AdrStatus.ACCEPTED),
        ("Proposed", AdrStatus.PROPOSED),
        ("In review", AdrStatus.PROPOSED),
        ("Rejected", AdrStatus.REJECTED),
        ("Deprecated", AdrStatus.DEPRECATED),
        ("Superceded by [5. Use X](0005-use-x.md)", AdrStatus.SUPERSEDED),
        ("Accepted\n\nSuperseded by [5. Use X](0005-use-x.md)", AdrStatus.SUPERSEDED),
        ("Accepted\n\nSupersedes [1. Rejected ideas](0001-rejected-ideas.md)", AdrStatus.ACCEPTED),
        ("", AdrStatus.ACCEPTED),
    ],
)
def test_a_record_has_the_status_that_its_first_words_name(said: str, status: AdrStatus) -> None:
    assert status_of(f"# 1. A thing\n\n## Status\n\n{said}\n\n## Decision\n\nWe do it.\n") is status


@pytest.mark.parametrize(
    "line", ["Status: rejected", "**Status**: rejected", "**Status:** rejected", "| Status | rejected |"]
)
def test_a_status_may_be_on_its_own_line(line: str) -> None:
    assert status_of(f"# A thing\n\n{line}\n\n## Decision\n\nWe do it.\n") is AdrStatus.REJECTED


def test_a_decision_that_ends_with_a_colon_includes_its_list() -> None:
    found = read("# A\n\n## Decision\n\nWe will:\n\n* do this\n* do that\n\nMore.\n")
    assert (found.text, found.start_line, found.end_line) == ("We will: * do this * do that", 5, 8)


def test_headings_in_code_and_comments_are_ignored() -> None:
    text = "# A\n\n<!-- ## Decision\n\nNot this. -->\n\n```sh\n## Decision\nnor this\n```\n\n## Decision\n\nThis.\n"
    found = read(text)
    assert (found.text, found.start_line) == ("This.", 14)


def test_a_record_without_a_decision_has_its_title_as_text() -> None:
    found = read("# ADR-0012: Write our own queue\n\nStatus: rejected\n")
    assert (found.title, found.text, found.start_line) == ("Write our own queue", "Write our own queue", 1)


def test_a_placeholder_heading_is_replaced_by_the_file_name() -> None:
    assert read("# Title\n\nStatus: accepted\n", "decisions/0004-streaming-apis.md").title == "streaming apis"


def test_a_text_without_decision_and_status_is_not_a_record() -> None:
    assert adr_of("docs/adr/0001-a.md", "# Notes\n\nSome text.\n") is None
    assert adr_of("docs/adr/0001-a.md", "") is None


@pytest.mark.parametrize(
    "path",
    [
        "docs/adr/0001-record-decisions.md",
        "doc/adr/0001-record-decisions.md",
        "docs/decisions/0001-a.md",
        "docs/architecture/decisions/0001-a.md",
        "adr/001-a.md",
        "decisions/2-b.markdown",
        "packages/core/docs/ADR/ADR-0003-c.md",
        "docs/adr/backend/0004-d.md",
    ],
)
def test_records_are_recognised_by_folder_and_number(path: str) -> None:
    assert adr_paths([path, "src/a.py"]) == [path]


@pytest.mark.parametrize(
    "path",
    [
        "docs/adr/README.md",
        "docs/adr/0000-template.md",
        "docs/0001-a.md",
        "tests/fixtures/docs/adr/0001-a.md",
        "node_modules/x/docs/adr/0001-a.md",
        "docs/adr/0001-a.py",
        "src/decisions/2024.py",
    ],
)
def test_other_files_are_not_records(path: str) -> None:
    assert adr_paths([path]) == []


@pytest.mark.parametrize(
    "text", ["# " + " " * 50_000 + "x", "in the context of " * 10_000, "<!--" * 20_000, "[" * 50_000]
)
def test_a_hostile_text_is_parsed_quickly(text: str) -> None:
    adr_of("docs/adr/0001-a.md", f"# A\n\n## Decision\n\n{text}\n")
