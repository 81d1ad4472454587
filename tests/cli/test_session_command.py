"""`repomem session` as it is run: streams, exit codes, JSON, what a new process shows, and who the author is."""

import json
import re
import subprocess
from dataclasses import replace
from typing import Any

import pytest
from support.command_line import Place, on_terminal

from repomem.cli.terminal.caller import host_in

LINES = str.splitlines


@pytest.fixture
def place(ledgerly: Place) -> Place:
    """A repository whose commits are made now, not at a fixed date."""
    kept = {name: value for name, value in ledgerly.environment.items() if not name.endswith("_DATE")}
    return replace(ledgerly, environment=kept)


def answered(place: Place, *arguments: str, stdin: str = "") -> Any:
    ended = place.run("session", *arguments, "--format", "json", stdin=stdin)
    assert (ended.code, ended.err) == (0, "")
    answer = json.loads(ended.out)
    assert answer["schema"] == "repomem.session/1"
    return answer


def test_a_session_from_start_to_end(place: Place) -> None:
    started = place.run("session", "start", "Round", "amounts")
    assert (started.code, started.err) == (0, "")
    assert started.out.startswith("started session 01")
    assert started.out.endswith(": Round amounts\n")
    noted = place.run("session", "note", "-", stdin="tests/test_money.py is slow\n")
    assert (noted.code, noted.out.split()[0], noted.err) == (0, "noted", "")
    (place.folder / "notes.txt").write_text("x")
    place.git("add", "notes.txt")
    place.git("commit", "-q", "-m", "docs: notes")
    ended = place.run("session", "end", "-", stdin="Rounded.\nThe parser is open.\n")
    assert (ended.code, ended.err) == (0, "")
    assert [line.strip() for line in LINES(ended.out)][1:] == [
        "1 commit, 1 file",
        "1 note; repomem session note --promote ID turns a note into a memory",
    ]


def test_every_id_that_a_session_prints_can_be_shown(place: Place) -> None:
    place.run("session", "start", "Round amounts")
    place.run("session", "note", "Rounding is half to even")
    place.run("session", "note", "the parser is slow on tabs")
    [note, *_] = [each["id"] for each in answered(place, "list")["sessions"][0]["notes"]]
    place.run("session", "note", "--promote", note)
    listed = place.run("session", "list").out
    names = re.findall(r"\b01[0-9A-Z]{4,24}\b", listed)
    shown = [place.run("show", name) for name in names]

    assert len(names) == 4  # the session, again above its notes, and the two notes
    assert [each.code for each in shown] == [0] * 4, [each.err for each in shown]
    first, second = shown[2].out, shown[3].out
    assert first.splitlines()[0].startswith(f"note {names[2]} ")
    assert f"state: a note of session {names[0]}, now the memory 01" in first
    assert "Rounding is half to even" in first
    assert "the parser is slow on tabs" in second
    assert json.loads(place.run("show", names[3], "--format", "json").out)["kind"] == "note"


def test_an_unknown_session_id_is_an_error_that_names_session_list(place: Place) -> None:
    ended = place.run("session", "show", "01ZZ")
    assert (ended.code, ended.err) == (
        1,
        "error: no session has the id '01ZZ' here\nhint: repomem session list prints the ids\n",
    )
    assert "repomem session list" in ended.err


def test_session_list_prints_sessions_newest_first_and_summarises_the_rest(place: Place) -> None:
    for number in range(4):
        place.run("session", "start", f"goal {number}")
        place.run("session", "end", f"came {number}")
    first = place.run("session", "list", "--last", "3")
    assert [line.partition(" ended ")[2] for line in LINES(first.out)[:3]] == [
        '"goal 3" → "came 3"',
        '"goal 2" → "came 2"',
        '"goal 1" → "came 1"',
    ]
    assert LINES(first.out)[3] == "1 older session:"
    assert LINES(first.out)[4].startswith("  general: outcome: goal 0 → came 0 (01")
    assert place.run("session", "list", "--last", "3").out == first.out
    listed = answered(place, "list", "--last", "3")
    assert (listed["count"], len(listed["sessions"]), listed["running"]) == (4, 3, "")
    assert [line["about"] for line in listed["digest"]] == ["outcome"]


def test_json_has_whole_ids(place: Place) -> None:
    session = answered(place, "start", "a goal")["session"]
    assert {session[name] for name in ("state", "author", "source", "branch")} == {"running", "agent", "main"}
    note = answered(place, "note", "beware of the parser")
    assert note["session"] == {"id": session["id"]}
    memory = answered(place, "note", "--promote", note["note"]["id"], "--kind", "gotcha")["memory"]
    assert (memory["kind"], memory["text"]) == ("gotcha", "beware of the parser")
    [listed] = answered(place, "list")["sessions"]
    assert listed["notes"] == [{**note["note"], "memory": memory["id"]}]
    assert listed["decisions"] == [{"id": memory["id"], "kind": "gotcha", "text": "beware of the parser"}]
    assert answered(place, "end", "done")["session"]["outcome"] == "done"


def test_a_session_is_chosen_by_option_or_variable(place: Place) -> None:
    name = answered(place, "start", "first")["session"]["id"]
    place.run("session", "start", "other", env={"CODEX_SANDBOX": "seatbelt"})
    ended = place.run("session", "end", "--session", name[:20], "by a flag")
    assert ended.out.endswith(": by a flag\n")
    again = place.run("session", "note", "late", env={"REPOMEM_SESSION": name})
    assert (again.code, again.out) == (1, "")
    assert "ended at" in again.err


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["note", "nothing runs"], 1),
        (["end"], 1),
        (["note"], 2),
        (["note", "words", "--promote", "01ARZ3NDEK"], 2),
        (["note", "words", "--kind", "gotcha"], 2),
        (["note", "--promote", "01ARZ3NDEK"], 1),
        (["list", "--last", "0"], 2),
    ],
)
def test_invalid_session_commands_print_errors_to_stderr(indexed: Place, arguments: list[str], code: int) -> None:
    ended = indexed.run("session", *arguments)
    assert (ended.code, ended.out) == (code, "")
    assert "rror" in ended.err


def test_an_empty_session_list_says_so(indexed: Place) -> None:
    ended = indexed.run("session", "list")
    assert (ended.code, ended.out) == (0, "")
    assert "no sessions yet" in ended.err


def test_only_a_terminal_that_no_agent_opened_counts_as_a_person(place: Place) -> None:
    on_terminal(place, "session", "start", "by hand")
    on_terminal(place, "session", "start", "by an agent's terminal", env={"CLAUDECODE": "1"})
    place.run("session", "start", "by a pipe")
    on_terminal(place, "session", "start", "with stdin elsewhere", stdin=subprocess.DEVNULL, env={"AGENT": "goose"})
    on_terminal(place, "session", "start", "with stdin nowhere", stdin=subprocess.DEVNULL)
    told = {each["goal"]: each for each in answered(place, "list")["sessions"]}
    assert [(told[goal]["source"], told[goal]["author"]) for goal in told] == [
        ("agent", "agent"),
        ("agent", "goose"),
        ("agent", "agent"),
        ("agent", "claude-code"),
        ("person", "Ada Example"),
    ]


def test_a_terminal_shows_a_table_and_the_notes(place: Place) -> None:
    on_terminal(place, "session", "start", "a goal")
    on_terminal(place, "session", "note", "[bold]look[/bold]")
    shown = on_terminal(place, "session", "list")
    assert "outcome" in shown
    assert "[bold]look[/bold]" in shown


@pytest.mark.parametrize(
    ("environment", "host"),
    [
        ({}, None),
        ({"CLAUDECODE": "1"}, "claude-code"),
        ({"CLAUDE_CODE_ENTRYPOINT": "cli"}, "claude-code"),
        ({"CLAUDE_CODE_USE_BEDROCK": "1", "CODEX_HOME": "/x", "COPILOT_MODEL": "m", "AIDER_MODEL": "m"}, None),
        ({"CODEX_SANDBOX_NETWORK_DISABLED": "1"}, "codex"),
        ({"GEMINI_CLI": "1"}, "gemini"),
        ({"CURSOR_AGENT": "1"}, "cursor"),
        ({"CURSOR_TRACE_ID": "0123"}, "cursor"),
        ({"OPENCODE": "1"}, "opencode"),
        ({"COPILOT_CLI": "1"}, "copilot"),
        ({"AGENT": "amp", "CLAUDECODE": "1"}, "amp"),
        ({"AI_AGENT": "claude-code_2-1-132_agent"}, "claude-code"),
        ({"AI_AGENT": "1"}, ""),
        ({"AI_AGENT": "\x1b[31m"}, ""),
        ({"AI_AGENT": "true", "GEMINI_CLI": "1"}, "gemini"),
        ({"CLAUDECODE": "0", "AGENT": "false", "GEMINI_CLI": ""}, None),
    ],
)
def test_a_host_is_recognised_by_its_environment_variables(environment: dict[str, str], host: str | None) -> None:
    assert host_in(environment) == host
