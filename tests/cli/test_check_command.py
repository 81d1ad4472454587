"""`repomem check` as a job of CI runs it."""

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from support.command_line import Place, new_place

from repomem.check.findings import CheckFinding, Fault, Level
from repomem.check.run import CheckReport
from repomem.cli.team.check import annotations, code_quality, text_lines
from repomem.core.types.text import CleanText

MONEY = "src/ledgerly/money.py"
BEFORE, AFTER = "    if len(rest) > digits:\n", "    if rest.strip() > digits:\n"
HASH = "[0-9a-f]{8}"
HOSTILE = CheckFinding(
    Fault.BACK,
    Level.WARNING,
    "1a2b3c4d",
    "commit",
    "2026-01-31",
    CleanText("Mallory"),
    CleanText("100 %\n::error::no\r\x1b[31m"),
    "src/a,b:c\n.py",
    CleanText("1 line is back"),
    start_line=3,
    end_line=4,
)


@pytest.fixture(scope="module")
def broken() -> Iterator[Place]:
    """The small Python program in which a fix was taken back by a later commit; never indexed."""
    with TemporaryDirectory() as folder:
        place = new_place(Path(folder).resolve(), "ledgerly")
        path = place.folder / MONEY
        assert BEFORE in path.read_text()
        for message, old, new in (("fix: too many digits", BEFORE, AFTER), ("feat: more", AFTER, BEFORE)):
            path.write_text(path.read_text().replace(old, new))
            place.git("commit", "-q", "-a", "-m", message)
        yield place


def test_a_finding_changes_the_exit_code_only_with_strict(broken: Place) -> None:
    told, strict, quiet = (
        broken.run("check", *options) for options in (["HEAD~1"], ["--strict", "HEAD~1"], ["--strict", "HEAD"])
    )
    assert (told.code, strict.code, quiet.code) == (0, 1, 0)
    assert told.out == strict.out
    assert f"warning: {MONEY}:" in told.out
    start = re.escape("    + if len(rest) > digits:\n\n1 warning, 0 notes (brings back: 1); ")
    assert re.search(rf"{start}checked 0 memories that applied at {HASH}\n", told.out)
    assert strict.err.startswith("error: the change has 1 warning\nhint: ")
    assert re.search(rf"uncommitted changes since {HASH}: 0 changed files\n", quiet.out)
    assert re.search(rf"\nno findings; checked 0 memories that applied at {HASH}\n$", quiet.out)


def test_json_lists_counts_and_findings(broken: Place) -> None:
    answer = json.loads(broken.run("check", "HEAD~1..HEAD", "--format", "json").out)
    assert {name: answer[name] for name in ("schema", "commits", "files", "warnings", "notes", "gaps")} == {
        "schema": "repomem.check/1",
        "commits": 1,
        "files": 1,
        "warnings": 1,
        "notes": 0,
        "gaps": [],
    }
    [one] = answer["findings"]
    assert (one["kind"], one["level"], one["path"], one["lines"]) == (
        "brings back",
        "warning",
        MONEY,
        ["if len(rest) > digits:"],
    )


def test_annotations_are_one_command_each(broken: Place) -> None:
    out = broken.run("check", "HEAD~1..HEAD", "--format", "annotations").out
    assert out.startswith(f"::warning file={MONEY},line=")
    assert out.count("\n") == 1


def test_an_annotation_escapes_paths_and_messages() -> None:
    assert annotations([HOSTILE]) == (
        "::warning file=src/a%2Cb%3Ac\\n.py,line=3,endLine=4,title=repomem%3A brings back::1 line is back "
        "(commit 1a2b3c4d of 2026-01-31 by Mallory: “100 %25 ::error::no”)\n"
    )


def test_text_output_escapes_line_breaks_from_the_repository() -> None:
    hostile = replace(HOSTILE, why=CleanText("a\nb\x1b[2J in c"), lines=(CleanText("x\n1 note"),))
    lines = list(text_lines(CheckReport("a..b", "a", "b", 1, 1, 0, (hostile,), ())))
    assert lines[3:-2] == [
        "  warning: src/a,b:c\\n.py:3-4 a b in c",
        '    commit 1a2b3c4d of 2026-01-31 by Mallory: "100 % ::error::no"',
        "    + x 1 note",
    ]


def test_code_quality_reports_line_1_for_a_finding_without_a_line() -> None:
    [one, other] = code_quality([HOSTILE, replace(HOSTILE, level=Level.NOTE, start_line=0, end_line=0)])
    assert one["location"] == {"path": "src/a,b:c\\n.py", "lines": {"begin": 3, "end": 4}}
    assert other["location"]["lines"] == {"begin": 1, "end": 1}
    assert (one["severity"], other["severity"], one["fingerprint"]) == ("minor", "info", other["fingerprint"])


def test_an_unknown_range_is_an_error_with_a_hint(broken: Place) -> None:
    ended = broken.run("check", "nowhere..HEAD")
    assert (ended.code, ended.out) == (1, "")
    assert ended.err == "error: no commit 'nowhere' here\nhint: git log --oneline lists the commits, git tag the tags\n"
