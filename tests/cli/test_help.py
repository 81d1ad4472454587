"""Help, whole, and what it does not load."""

from pathlib import Path

import pytest
from support.command_line import ROOT, Place

from repomem import __version__

GOLDEN = ROOT / "fixtures" / "golden" / "help"
COMMANDS = ("init", "status", "ui", "recall", "search", "show", "profile",
            "remember", "forget", "restore", "pin", "memories", "done", "confirm", "review", "consolidate",
            "log", "why", "session", "mcp", "hook", "export", "agents", "sync", "trust", "check", "store",
            "index", "watch", "config", "doctor", "eval", "uninstall", "hooks", "ledger")  # fmt: skip
HEADINGS = ("Start", "Recall", "Remember", "History", "Agents", "Team", "Maintenance")
TYPES = ("<str", "<int", "<list", "<=x<=")  # how Python types and ranges would show


@pytest.mark.parametrize("command", ["repomem", *COMMANDS])
def test_help_is_golden(indexed: Place, command: str) -> None:
    ended = indexed.run(*([] if command == "repomem" else [command]), "--help")
    golden = Path(GOLDEN / f"{command}.txt").read_text(encoding="utf-8")
    assert (ended.code, ended.out, ended.err) == (0, golden, "")


def test_every_command_has_golden_help_and_is_listed_once(indexed: Place) -> None:
    lines = indexed.run("--help").out.partition("\nStart:\n")[2].partition("\n\n  First")[0].splitlines()
    assert [line.split()[0] for line in lines if line.startswith("  ")] == list(COMMANDS)
    assert [line for line in lines if line and not line.startswith("  ")] == [f"{name}:" for name in HEADINGS[1:]]
    assert {path.stem for path in GOLDEN.iterdir()} == {"repomem", *COMMANDS}


def test_each_summary_is_whole_and_fits_one_line() -> None:
    lines = (GOLDEN / "repomem.txt").read_text(encoding="utf-8").partition("\nStart:\n")[2].splitlines()
    summaries = [line for line in lines if line.split()[:1] and line.split()[0] in COMMANDS and line[:3].strip()]
    assert len(summaries) == len(COMMANDS)
    assert all(line.endswith(".") and not line.endswith("...") and len(line) <= 80 for line in summaries)


def test_help_names_no_python_types() -> None:
    texts = [path.read_text(encoding="utf-8") for path in GOLDEN.iterdir()]
    assert [each for text in texts for each in TYPES if each in text] == []


def test_without_a_command_help_is_shown(indexed: Place) -> None:
    assert indexed.run().out + indexed.run().err == indexed.run("--help").out


def test_the_version_is_printed(indexed: Place) -> None:
    ended = indexed.run("--version")
    assert (ended.code, ended.out, ended.err) == (0, f"repomem {__version__}\n", "")
