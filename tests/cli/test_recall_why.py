"""`repomem recall --why`: below each memory and place how it came in, and the memories that nearly did."""

import json
import re
from collections.abc import Sequence

import pytest
from support.command_line import Place, on_terminal

TASK = "convert totals with the exchange rate service"
RATES = "The exchange rate service answers in euro only"
OTHERS = (
    "Invoices are archived for ten years",
    "The web service restarts on Mondays",
    "Totals of a month are kept in a cache of their own",
    "Log lines are one JSON object each",
)


@pytest.fixture
def place(indexed_copy: Place) -> Place:
    for text in (RATES, *OTHERS):
        assert indexed_copy.run("remember", text).code == 0
    return indexed_copy


def lines_of(place: Place, *arguments: str) -> list[str]:
    ended = place.run("recall", *arguments)
    assert ended.code == 0, ended.err
    return ended.out.splitlines()


def below(lines: Sequence[str], text: str) -> str:
    """The line behind the first that has a text."""
    return lines[next(at for at, line in enumerate(lines) if text in line) + 1]


def test_why_shows_the_matching_words_and_the_score_of_a_memory(place: Place) -> None:
    lines = lines_of(place, "--why", TASK)
    assert re.fullmatch(r"  - why: .*words \((?=.*exchange)(?=.*rate)[^)]+\).*; score \d+\.\d\d", below(lines, RATES))


def test_why_does_not_call_a_name_in_a_memorys_text_its_code(place: Place) -> None:
    reason = below(lines_of(place, "--why", "invoices"), "Invoices are archived")
    assert "shares a name with the task (invoices)" in reason
    assert "its code is named" not in reason


def test_why_reports_that_the_task_names_a_memorys_code(place: Place) -> None:
    place.run("remember", "Never rounds", "--on", "src/ledgerly/money.py:parse_money")
    assert "its code is named in the task" in below(lines_of(place, "--why", "parse_money"), "Never rounds")


def test_why_shows_the_signals_and_the_score_of_a_place(place: Place) -> None:
    lines = lines_of(place, "--why", "parse money with Decimal in money.py")
    assert re.fullmatch(r"   - why: .*path.*; score \d\.\d\d", below(lines, "2. `src/ledgerly/parser.py"))
    assert re.fullmatch(r"  - why: the first: .*; score \d\.\d\d", below(lines, "- further files: "))


def test_why_reports_whether_a_rule_applies_everywhere_or_by_its_scope(place: Place) -> None:
    place.run("remember", "--kind", "rule", "Never print from a library")
    place.run("remember", "--kind", "rule", "--scope", "src/ledgerly/money.py", "Spell currencies in capitals")
    records = map(json.loads, place.run("ledger", "export").out.splitlines())
    for each in [each["id"] for each in records if each["said"]["kind"] == "rule"]:
        on_terminal(place, "confirm", each)
    lines = lines_of(place, "--why", "parse money with Decimal in money.py")
    assert below(lines, "Never print") == "  - why: it applies everywhere"
    assert below(lines, "Spell currencies") == "  - why: its scope covers files relevant to the task"


def test_why_lists_the_nearest_memories_that_were_left_out_with_the_reason(place: Place) -> None:
    lines = lines_of(place, "--why", TASK)
    nearly = lines[lines.index("## Not shown, but close") + 1 : -1]
    assert 2 <= len(nearly) <= 4
    assert all(line.startswith(("- fact `", "  - why: ")) for line in nearly)
    assert any("too little evidence that it is about the task" in line for line in nearly)
    assert RATES not in "".join(nearly)


def test_why_reports_that_a_memory_left_out_is_about_other_code(place: Place) -> None:
    (place.folder / "headers.py").write_text("def parse_ledger_header(text):\n    return text\n")
    (place.folder / "pdf.py").write_text("def write_ledger_footer(page):\n    page.end()\n")
    place.git("add", "--all")
    place.git("commit", "-q", "-m", "feat: headers")
    place.run("index")
    place.run("remember", "write_ledger_footer ignores blank lines at the start of the text")
    place.run("remember", "parse_ledger_header ignores blank lines at the start of the text")
    lines = lines_of(place, "--why", "does parse_ledger_header ignore blank lines?")
    [line] = [line for line in lines if "write_ledger_footer" in line and line.startswith("- fact")]
    assert line.endswith(": it names other code than the task")


def test_why_reports_memories_that_did_not_fit_the_budget(place: Place) -> None:
    nearly = below(lines_of(place, "--why", "--budget", "140", TASK), "## Not shown, but close")
    assert RATES in nearly
    assert nearly.endswith(": did not fit in 140 tokens")


def test_why_reports_memories_that_kind_excludes(place: Place) -> None:
    nearly = below(lines_of(place, "--why", "--kind", "file", TASK), "## Not shown, but close")
    assert RATES in nearly
    assert nearly.endswith(": --kind excludes it")


def test_why_only_adds_lines_to_a_brief(place: Place) -> None:
    plain, whole = lines_of(place, TASK), lines_of(place, "--why", TASK)
    cut = whole[: whole.index("## Not shown, but close") - 1] + whole[-1:]
    assert [line for line in cut if not line.lstrip().startswith("- why: ")] == plain


def test_why_never_lists_a_forgotten_memory(place: Place) -> None:
    [known] = [each for each in map(json.loads, place.run("ledger", "export").out.splitlines()) if RATES in str(each)]
    assert place.run("forget", known["id"], "--yes").code == 0
    assert RATES not in "\n".join(lines_of(place, "--why", TASK))


@pytest.mark.parametrize(
    ("arguments", "error"),
    [(("--why",), "--why needs a task"), (("--why", "--format", "json", TASK), "--why adds lines to text")],
)
def test_why_needs_a_task_and_the_text_format(place: Place, arguments: tuple[str, ...], error: str) -> None:
    ended = place.run("recall", *arguments)
    assert (ended.code != 0, ended.out) == (True, "")
    assert error in ended.err
