"""What people see: bars, tables and colour on a terminal, and nothing of the kind where they are not wanted."""

import os
import pty
import re
import subprocess
import time
from collections.abc import Mapping

import pytest

from interfaces.command_line import Place

COLOUR = re.compile(r"\x1b\[[0-9;]*m")


def seen(place: Place, *arguments: str, env: Mapping[str, str] | None = None, typed: str = "") -> str:
    """All that a run shows on a terminal that is stdin, stdout and stderr."""
    ours, theirs = pty.openpty()
    environment = {**place.environment, **(env or {})}
    process = subprocess.Popen(
        [*place.command(), *arguments], cwd=place.folder, env=environment, stdin=theirs, stdout=theirs, stderr=theirs
    )
    os.close(theirs)
    os.write(ours, typed.encode())
    shown = bytearray()
    try:
        while data := os.read(ours, 1 << 16):
            shown += data
    except OSError:  # the other side is closed: how Linux says that all was read
        pass
    os.close(ours)
    assert process.wait(60) == 0, shown.decode()
    return shown.decode()


def pressed(place: Place, *arguments: str, keys: Mapping[str, str]) -> str:
    """All that a run shows on a terminal where somebody presses a key once a text is seen; `keys` are in order."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [*place.command(), *arguments],
        cwd=place.folder,
        env=dict(place.environment),
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
    )
    os.close(theirs)
    shown = bytearray()
    waiting = list(keys.items())
    try:
        while data := os.read(ours, 1 << 16):
            shown += data
            if waiting and waiting[0][0].encode() in shown:
                time.sleep(0.2)  # the terminal is made raw after the text is written, and drops what was typed before
                os.write(ours, waiting.pop(0)[1].encode())
    except OSError:  # the other side is closed: how Linux says that all was read
        pass
    os.close(ours)
    assert process.wait(60) == 0, shown.decode()
    return shown.decode()


def test_a_first_index_shows_bars_and_a_table(ledgerly: Place) -> None:
    shown = seen(ledgerly, "index")
    assert "Reading files" in shown
    assert "Reading history" in shown
    assert "━" in shown
    assert "11/11" in COLOUR.sub("", shown)
    assert "languages  python 6, " in COLOUR.sub("", shown)


def test_a_brief_is_drawn(indexed: Place) -> None:
    shown = seen(indexed, "recall")
    assert COLOUR.search(shown)
    assert "## " not in shown


def test_hits_are_drawn_with_line_numbers(indexed: Place) -> None:
    shown = seen(indexed, "search", "parse_money", "-k", "1")
    assert COLOUR.search(shown)
    assert "```" not in shown
    assert re.search(r"^ *35 .*def.*parse_money", COLOUR.sub("", shown), re.MULTILINE)


@pytest.mark.parametrize("command", [["show", "src/ledgerly/money.py:12-20"], ["log"], ["status"], ["config"]])
def test_other_answers_are_drawn(indexed: Place, command: list[str]) -> None:
    assert COLOUR.search(seen(indexed, *command))


def test_no_colour_is_shown_where_it_is_not_wanted(indexed: Place) -> None:
    shown = seen(indexed, "search", "parse_money", env={"NO_COLOR": "1"})
    assert not re.search(r"\x1b\[[0-9;]*3[0-7]m", shown)


def test_a_dumb_terminal_gets_what_a_pipe_gets(indexed: Place) -> None:
    shown = seen(indexed, "recall", env={"TERM": "dumb"})
    assert shown.replace("\r\n", "\n") == indexed.run("recall").out


def test_trust_is_asked_for(indexed: Place) -> None:
    (indexed.folder / ".repomem.toml").write_text('[store]\nuri = "/nowhere"\n', encoding="utf-8")
    try:
        assert "Trust this file? [y/N]" in seen(indexed, "trust", typed="n\n")
        assert "nothing was trusted" in seen(indexed, "trust", typed="\n")
    finally:
        (indexed.folder / ".repomem.toml").unlink()
