"""What sessions of real hosts learnt about running things here, from their transcripts to the next brief."""

import json
from collections.abc import Sequence

import pytest
from support.command_line import MakePlace, Place
from support.host_transcripts import Did, write_session

WORKS = "PYTHONPATH=src python -m pytest tests -q"
ONE = "PYTHONPATH=src python -m pytest tests/test_money.py::test_total -x"
PATIENT = """
import repomem.cli.agents.hook as hook
hook.LONGEST = {}
from repomem.__main__ import main
main()
"""  # for busy machines
MISSING = "ModuleNotFoundError: No module named 'ledgerly'"
COLLECTED = (
    f"==== ERRORS ====\nE   {MISSING}\n==== short test summary info ====\nERROR tests/test_money.py\n1 error in 0.05s\n"
)
USUAL = (Did("pytest -q", 2, COLLECTED), Did(f"cd /w/repo && {WORKS}", 0, "12 passed in 0.10s\n"))
DAYS = ("2026-11-16", "2026-11-17", "2026-11-18", "2026-11-19", "2026-11-20", "2026-11-21")


@pytest.fixture
def place(make_place: MakePlace) -> Place:
    """A program whose files name no command."""
    made = make_place("ledgerly")
    made.git("rm", "-qr", ".github", "Makefile", "CONTRIBUTING.md", "pyproject.toml")
    made.git("commit", "-q", "-m", "drop every file that names a command")
    return made


def worked(place: Place, host: str, *sessions: Sequence[Did], first: int = 0) -> None:
    """Sessions of a host, a day each, as it wrote them down; then they are imported."""
    for at, done in enumerate(sessions, start=first):
        write_session(host, place, f"{host}-{at}", f"Make total {at} exact", done, DAYS[at])
    ended = place.run("session", "import", host)
    assert ended.code == 0, ended.err


def printed(place: Place, *arguments: str) -> str:
    ended = place.run(*arguments)
    assert ended.code == 0, ended.err
    return ended.out


@pytest.mark.parametrize("host", ["claude-code", "codex"])
def test_a_command_that_passed_in_two_sessions_is_shown_if_files_name_none(host: str, place: Place) -> None:
    assert "- test:" not in printed(place, "recall")
    worked(place, host, USUAL, [*USUAL, Did(ONE, 0, "1 passed in 0.02s\n")])
    line = f"test: `{WORKS}` passed in 2 sessions, last 2026-11-17; `pytest -q` fails: {MISSING}"
    for text in (
        printed(place, "recall"),
        printed(place, "profile"),
        printed(place, "recall", "run the tests for money"),
    ):
        assert line in text
        assert f"one test: `{ONE}`" in text
        assert "test command" not in text
    assert "- build:" not in printed(place, "recall")


def test_a_command_from_a_file_that_fails_here_is_listed_after_the_one_that_passed(ledgerly: Place) -> None:
    assert ledgerly.run("index").code == 0
    broken = Did("make test", 2, "make: *** No rule to make target 'test'.  Stop.\n")
    worked(ledgerly, "codex", [Did(ONE, 0, "1 passed")], [Did(ONE, 0, "1 passed")])
    profile = printed(ledgerly, "profile")
    assert profile.index("test: make test") < profile.index(f"one test: `{ONE}`")
    worked(ledgerly, "codex", [broken, USUAL[1]], [broken, USUAL[1]], first=2)
    brief = printed(ledgerly, "recall")
    line = f"test: `{WORKS}` passed in 4 sessions, last 2026-11-19; `make test` fails: make: *** No rule"
    assert brief.index(line) < brief.index("test: make test")


def test_sessions_of_two_hosts_support_one_command_until_it_fails_twice(place: Place) -> None:
    gone = [Did(WORKS, 1, "/usr/bin/python: No module named pytest\n")]
    worked(place, "claude-code", USUAL, USUAL)
    worked(place, "codex", USUAL, USUAL, first=2)
    assert f"`{WORKS}` passed in 4 sessions, last 2026-11-19" in printed(place, "recall")
    worked(place, "codex", gone, first=4)
    assert "failed once since: /usr/bin/python: No module named pytest" in printed(place, "recall")
    worked(place, "claude-code", gone, first=5)
    assert "passed in" not in printed(place, "recall")
    assert "passed in" not in printed(place, "recall", "run the tests for money")
    assert "- test:" not in printed(place, "recall")


def test_a_pasted_error_shows_its_earlier_fix(place: Place) -> None:
    failed = "E   ValueError: invalid amount 'twelve' in header\nFAILED tests/test_money.py::t - ValueError: invalid"
    edit = [Did(WORKS, 1, failed), Did(path="src/ledgerly/money.py"), Did(WORKS, 0, "12 passed")]
    refused = "psycopg.OperationalError: connection to server at port 5432 failed: Connection refused"
    first = [Did("make seed", 1, refused), Did("docker compose up -d db"), Did("make seed")]
    worked(place, "claude-code", USUAL, edit)
    worked(place, "codex", first, first, first=2)
    asked = printed(place, "recall", f"what is wrong here?\n{refused.replace('5432', '5433')}")
    assert "`make seed` failed with" in asked
    assert "fixed by: run `docker compose up -d db` first (2 sessions, last 2026-11-19)" in asked
    assert f"what passed: `{WORKS}` (1 session" in printed(place, "recall", MISSING)
    asked = printed(place, "recall", "FAILED tests/test_money.py::t - ValueError: invalid")
    assert "fixed by: edit of `src/ledgerly/money.py` (1 session, last 2026-11-17)" in asked
    assert "failed with" not in printed(place, "recall", "ModuleNotFoundError: No module named 'requests'")


def test_commands_are_kept_without_the_paths_of_this_machine(place: Place) -> None:
    home = "/home/ada/.pyenv/bin"
    output = f"{home}/python: can't open file '/w/repo/tests/all.py': [Errno 2] No such file or directory"
    done = [
        Did(f"cd /w/repo/src && PYTHONPATH=/w/repo/src {home}/python -m pytest /w/repo/tests", 0, "1 passed"),
        Did("cd /w/repo && /w/repo/.venv/bin/python tests/all.py", 2, output),
    ]
    worked(place, "claude-code", done)
    noted = [line for line in printed(place, "ledger", "export").splitlines() if "ran: " in line]
    assert '"ran: cd src && PYTHONPATH=src ~/.pyenv/bin/python -m pytest tests -> exit 0"' in noted[0]
    assert (
        "ran: .venv/bin/python tests/all.py -> exit 2: ~/.pyenv/bin/python: can't open file 'tests/all.py'" in noted[1]
    )
    assert not [line for line in noted if str(place.folder) in line or "/home/" in line]


def test_a_command_that_fails_again_shows_its_earlier_fix(place: Place) -> None:
    refused = "psycopg.OperationalError: connection to server at port 5432 failed: Connection refused"
    session = [Did("make seed", 2, refused), Did("docker compose up -d db"), Did("make seed")]
    worked(place, "codex", session)
    said = {
        "session_id": "now",
        "cwd": str(place.folder),
        "hook_event_name": "PostToolUseFailure",
        "tool_name": "Bash",
        "tool_input": {"command": "make seed"},
        "error": f"Exit code 2\n{refused}",
    }
    ended = place.run("hook", "command", "--host", "claude-code", stdin=json.dumps(said), script=PATIENT)
    assert (ended.code, ended.err) == (0, "")
    assert "seen before: `make seed` failed with" in ended.out
    assert "fixed by: run `docker compose up -d db` first" in ended.out


def test_steps_before_the_tests_are_learnt_and_queries_are_ignored(place: Place) -> None:
    looks = [Did("cd src"), Did("ls -la"), Did("git status"), Did("docker compose ps", 0, "db  running")]
    usual = [*looks, Did("docker compose up -d db", 0, "Started"), Did("make migrate"), USUAL[1]]
    joined = [*looks, Did(f"docker compose up -d db && make migrate && {WORKS}", 0, "12 passed in 0.10s\n")]
    line = "before the tests: `docker compose up -d db`, then `make migrate` (3 of 3 sessions that passed"
    assert place.run("index").code == 0
    worked(place, "claude-code", usual, usual)
    assert "before the tests" not in printed(place, "profile")
    worked(place, "codex", joined, first=2)
    for text in (printed(place, "profile"), printed(place, "recall", "run the tests for money")):
        assert line in text
    gone = [Did("docker compose up -d db", 1, "no configuration file provided: not found")]
    worked(place, "codex", gone, first=3)
    assert line in printed(place, "profile")
    worked(place, "claude-code", gone, first=4)
    assert "docker compose up" not in printed(place, "profile")
