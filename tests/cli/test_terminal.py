"""What people see: bars, tables and colour on a terminal, and nothing of the kind where they are not wanted."""

import re

import pytest
from support.command_line import COLOUR, Place, on_terminal


def test_a_first_index_shows_bars_and_a_table(ledgerly: Place) -> None:
    shown = on_terminal(ledgerly, "index")
    assert "Reading files" in shown
    assert "Reading history" in shown
    assert "━" in shown
    assert "11/11" in COLOUR.sub("", shown)
    assert "languages  python (6), " in COLOUR.sub("", shown)


def test_a_terminal_gets_a_brief_in_colour(indexed: Place) -> None:
    shown = on_terminal(indexed, "recall")
    assert COLOUR.search(shown)
    assert "## " not in shown


def test_a_terminal_gets_hits_with_line_numbers(indexed: Place) -> None:
    shown = on_terminal(indexed, "search", "parse_money", "-k", "1")
    assert COLOUR.search(shown)
    assert "```" not in shown
    assert re.search(r"^ *35 .*def.*parse_money", COLOUR.sub("", shown), re.MULTILINE)


@pytest.mark.parametrize("command", [["show", "src/ledgerly/money.py:12-20"], ["log"], ["status"], ["config"]])
def test_a_terminal_gets_other_answers_in_colour(indexed: Place, command: list[str]) -> None:
    assert COLOUR.search(on_terminal(indexed, *command))


def test_no_color_turns_colours_off(indexed: Place) -> None:
    shown = on_terminal(indexed, "search", "parse_money", env={"NO_COLOR": "1"})
    assert not re.search(r"\x1b\[[0-9;]*3[0-7]m", shown)


def test_a_dumb_terminal_gets_what_a_pipe_gets(indexed: Place) -> None:
    shown = on_terminal(indexed, "recall", env={"TERM": "dumb"})
    assert shown.replace("\r\n", "\n") == indexed.run("recall").out


def test_trust_asks_and_the_default_is_no(indexed_copy: Place) -> None:
    (indexed_copy.folder / ".repomem.toml").write_text('[store]\nuri = "/nowhere"\n', encoding="utf-8")
    assert "Trust this file? [y/N]" in on_terminal(indexed_copy, "trust", typed="n\n")
    assert "nothing was trusted" in on_terminal(indexed_copy, "trust", typed="\n")


def test_end_of_input_counts_as_no(indexed_copy: Place) -> None:
    name = indexed_copy.run("remember", "Amounts are integers of cents").out.split()[1].rstrip(":")
    shown = on_terminal(indexed_copy, "forget", name, typed="\x04")
    assert "Forget" in shown
    assert "kept: " in shown
