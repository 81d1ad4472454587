"""Errors, and their exit codes."""

import json
import re
import stat
import subprocess
from pathlib import Path

import pytest
from mcp.types import CallToolResult
from support.command_line import Place

BOOM = """
import repomem.cli.setup.status as status
def status_of(workspace):
    raise ZeroDivisionError("a bug near ghp_0123456789abcdefghijABCDEFGHIJ012345")
status.status_of = status_of
from repomem.__main__ import main
main()
"""
INTERRUPTED_IMPORT = """
import os, signal, sys
class Interrupt:
    def find_spec(self, name, path=None, target=None):
        if name == "{module}":
            os.kill(os.getpid(), signal.SIGINT)
sys.meta_path.insert(0, Interrupt())
from repomem.__main__ import main
main()
"""


def test_outside_of_a_repository_an_error_comes_with_a_hint(indexed: Place) -> None:
    ended = indexed.run("status", at="..")
    assert (ended.code, ended.out) == (1, "")
    error, hint = ended.err.splitlines()
    assert error.startswith("error: not inside a git repository")
    assert hint == "hint: run git init, or cd into a repository"


def test_an_error_with_format_mcp_is_a_valid_tool_result(indexed: Place) -> None:
    ended = indexed.run("recall", "money", "--format", "mcp", at="..")
    result = CallToolResult.model_validate_json(ended.out)
    assert ended.code == 1
    assert result.is_error is True
    assert [block.model_dump()["text"] + "\n" for block in result.content] == [ended.err]


@pytest.mark.parametrize("variable", ["REPOMEM_RECALL_BUDGIT", "REPOMEM_RECAL_BUDGET"])
def test_a_misspelt_variable_gets_a_suggestion(indexed: Place, variable: str) -> None:
    ended = indexed.run("recall", env={variable: "1"})
    assert ended.code == 1
    assert "hint: did you mean REPOMEM_RECALL_BUDGET?\n" in ended.err


@pytest.mark.parametrize(
    "arguments",
    [
        ["recal"],
        ["recall", "--budget", "-1"],
        ["recall", "--budget", "1000000001"],
        ["recall", "--budget", "many"],
        ["recall", "--format", "xml"],
        ["recall", "--kind", "rules"],
        ["search"],
        ["search", "money", "--stdin"],
        ["search", "money", "-k", "0"],
        ["show"],
        ["log", "--last", "0"],
    ],
    ids=" ".join,
)
def test_a_usage_error_prints_only_to_stderr(indexed: Place, arguments: list[str]) -> None:
    ended = indexed.run(*arguments)
    assert (ended.code, ended.out) == (2, "")
    error, hint = ended.err.splitlines()
    assert error.startswith("error: ")
    assert hint.startswith("hint: ")
    assert "\x1b" not in ended.err


@pytest.mark.parametrize(
    ("arguments", "error", "hint"),
    [
        (["recall", "--budget", "many", "x"], "--budget 'many' is not a whole number", "repomem recall --help"),
        (["recall", "--budget", "-1", "x"], "--budget -1 is less than 0", "repomem recall --help"),
        (["eval", "-n", "0"], "--commits 0 is less than 1", "repomem eval --help"),
        (["search", "x", "-k", "99999999"], "--limit 99999999 is more than 10000", "repomem search --help"),
        (["recall", "--budget"], "option '--budget' requires an argument", "repomem recall --help"),
        (["search", "x", "--format", "xml"], "--format 'xml' is not one of 'text', 'json'", "repomem search --help"),
        (["why"], "FILE:LINE is missing", "repomem why --help"),
        (["confirm", "--deny", "01KR"], "ID is missing: --deny took '01KR' as its reason", "repomem confirm --help"),
        (["status", "x"], "unexpected argument: x", "repomem status --help"),
        (["search"], "give words to search for, or --stdin", "repomem search --help"),
        (["forget", "--noise", "--purge", "x"], "--noise cannot be combined with --purge, which erases the text",
         "repomem forget --help"),
        (["profile", "--clear"], "--clear needs a SLOT", "repomem profile --help"),
        (["review", "--noise", "--reset-noise"], "give --noise or --reset-noise, not both", "repomem review --help"),
        (["recall", "--index"], "--index needs --at", "to update the index: repomem index"),
        (["session", "nope"], "no such command 'nope'", "did you mean 'note'?"),
        (["status", "--fromat", "json"], "no such option: --fromat", "did you mean --format?"),
        (["-X"], "no such option: -X", "repomem --help"),
        (["remember", "--qqq", "is", "slow"], "no such option: --qqq",
         "repomem remember --help; a text that starts with a dash: -- TEXT"),
        (["confirm", "--qqq"], "no such option: --qqq", "repomem confirm --help"),
    ],
    ids=lambda each: " ".join(each) if isinstance(each, list) else "",
)  # fmt: skip
def test_a_usage_error_names_the_option_its_value_and_the_next_step(
    indexed: Place, arguments: list[str], error: str, hint: str
) -> None:
    assert indexed.run(*arguments).err == f"error: {error}\nhint: {hint}\n"


@pytest.mark.parametrize("option", ["--path=src", "--since=2026-01-31", "--until=2026-01-31"])
def test_options_that_filter_a_brief_need_a_task(indexed: Place, option: str) -> None:
    ended = indexed.run("recall", option)
    name, value = option.split("=")
    assert (ended.code, ended.out) == (1, "")
    assert ended.err == f'error: {name} needs a task\nhint: give the task: repomem recall {name} {value} "TASK"\n'


@pytest.mark.parametrize("query", [[], ["parse_money"]])
def test_a_budget_too_small_for_any_brief_gets_a_note(indexed: Place, query: list[str]) -> None:
    ended = indexed.run("recall", "--budget", "40", *query)
    assert (ended.code, ended.out) == (0, "")
    assert ended.err == "note: no brief fits 40 tokens; use a budget of 300 or more\n"


@pytest.mark.parametrize("command", ["recall", "search"])
def test_a_path_without_indexed_files_is_an_error(indexed: Place, command: str) -> None:
    ended = indexed.run(command, "--path", "srcc", "parse_money")
    assert (ended.code, ended.out) == (1, "")
    assert ended.err.startswith("error: no indexed file is in srcc\nhint: paths begin at the top")


def test_an_id_that_matches_nothing_is_an_error(indexed: Place) -> None:
    ended = indexed.run("show", "nothing/here.py:1-2")
    assert (ended.code, ended.out) == (1, "")
    assert ended.err.startswith("error: no id, indexed file or symbol matches 'nothing/here.py:1-2'")


def test_an_unexpected_error_writes_a_private_report_without_secrets(indexed: Place) -> None:
    ended = indexed.run("status", script=BOOM)
    assert (ended.code, ended.out) == (3, "")
    error, hint = ended.err.splitlines()
    assert re.fullmatch(r"error: unexpected: ZeroDivisionError: a bug near \[REDACTED:[a-z-]+:[0-9a-f]{4}\]", error)
    path = Path(hint.partition("report it with ")[2].partition(" (")[0])
    report = path.read_text(encoding="utf-8")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert path.is_relative_to(indexed.environment["HOME"])
    assert report.startswith("# repomem failed: ZeroDivisionError\n")
    assert "    ['-c', 'status']\n" in report
    assert "- Python 3." in report
    assert "in status_of" in report
    assert "ghp_0123456789" not in report + ended.err


def test_a_crash_report_that_cannot_be_saved_is_printed(indexed: Place) -> None:
    ended = indexed.run("status", script=BOOM, env={"XDG_STATE_HOME": "/dev/null"})
    assert ended.code == 3
    assert "in status_of" in ended.err


@pytest.mark.parametrize("module", ["repomem.cli.main", "repomem.cli.setup.status"])
def test_an_interrupt_during_an_import_prints_one_line(indexed: Place, module: str) -> None:
    ended = indexed.fresh("status", script=INTERRUPTED_IMPORT.format(module=module))
    assert (ended.code, ended.out) == (130, "")
    assert ended.err == "interrupted; finished work is kept, run the command again to continue\n"


@pytest.mark.parametrize("arguments", [["recall"], ["--help"], ["recall", "--help"]], ids=" ".join)
def test_a_full_disk_is_an_error(indexed: Place, arguments: list[str]) -> None:
    with Path("/dev/full").open("w") as full:
        command = [*indexed.command(), *arguments]
        environment = dict(indexed.environment)
        done = subprocess.run(
            command, cwd=indexed.folder, env=environment, stdout=full, stderr=subprocess.PIPE, check=False
        )
    assert done.returncode == 1
    assert done.stderr.decode().startswith("error: cannot write the output: No space left on device\n")


def test_answers_are_utf_8_whatever_the_locale(indexed: Place) -> None:
    plain = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0", "PYTHONIOENCODING": "ascii"}
    ended = indexed.run("search", "class Ledger", "-k", "1", env=plain)
    assert ended.code == 0
    assert "先检查借贷是否平衡" in ended.out


def test_git_variables_of_the_environment_are_ignored(indexed: Place) -> None:
    ended = indexed.run("status", "--format", "json", env={"GIT_DIR": "/nowhere", "GIT_INDEX_FILE": "/nowhere"})
    assert json.loads(ended.out)["root"] == str(indexed.folder)
