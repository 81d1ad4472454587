"""Help, whole, and what it does not load."""

from pathlib import Path

import pytest
from support.command_line import ROOT, Place

GOLDEN = ROOT / "fixtures" / "golden" / "help"
COMMANDS = ("index", "recall", "search", "show", "log", "status", "config", "mcp", "hook", "consolidate",
            "init", "uninstall", "doctor", "remember", "forget", "confirm", "review", "profile", "why", "ledger",
            "sync", "trust",
            "session", "hooks", "agents", "watch", "eval", "check", "store")  # fmt: skip


@pytest.mark.parametrize("command", ["repomem", *COMMANDS])
def test_help_is_golden(indexed: Place, command: str) -> None:
    ended = indexed.run(*([] if command == "repomem" else [command]), "--help")
    golden = Path(GOLDEN / f"{command}.txt").read_text(encoding="utf-8")
    assert (ended.code, ended.out, ended.err) == (0, golden, "")


def test_every_command_has_golden_help_and_none_has_too_many(indexed: Place) -> None:
    listed = indexed.run("--help").out.partition("Commands:\n")[2].partition("\n\n")[0]
    assert [line.split()[0] for line in listed.splitlines()] == list(COMMANDS)
    assert {path.stem for path in GOLDEN.iterdir()} == {"repomem", *COMMANDS}


def test_without_a_command_help_is_shown(indexed: Place) -> None:
    assert indexed.run().out + indexed.run().err == indexed.run("--help").out


def test_the_version_is_printed(indexed: Place) -> None:
    ended = indexed.run("--version")
    assert (ended.code, ended.out, ended.err) == (0, "repomem 0.1.0\n", "")
