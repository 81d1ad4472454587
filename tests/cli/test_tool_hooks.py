"""What hooks around tool calls say: reminders of the code, the command or the error, once in a session, else nothing.

The payloads are those that real hosts sent: see fixtures/hosts.
"""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from support.command_line import ROOT, Ended, Place
from support.host_transcripts import Did, write_session

from repomem.core.text.tokens import count_tokens
from repomem.recall.select_reminders import BUDGET

HOSTS = ("claude-code", "codex", "copilot", "gemini", "opencode")
MAIN = """
import repomem.cli.agents.hook as hook
hook.LONGEST = {}
from repomem.__main__ import main
main()
"""  # patient, for busy machines
NO_REPOSITORY = "import repomem.workspace.workspace as w\nw.opened = None\n" + MAIN
BROKEN = "import repomem.cli.agents.tool_hooks as hooked\nhooked.worktree_at = None\n" + MAIN
AMOUNTS = "def total(amounts):\n    return float(sum(amounts))\n\n\ndef mean(amounts):\n    return total(amounts) / 2\n"
ON_TOTAL = "total() is summed by the bank too, so it must stay exact"
ON_ERROR = "the message `30.0 is no int` means that a float came out of amounts.py"
ON_COMMAND = "`python3 test_amounts.py` needs the fixture that make fixture writes"
NOTHING = Ended(0, "", "")
DRIFT = "    amounts = [abs(each) * 2 for each in amounts if each != 7]\n    return float"
Call = dict[str, Any]


@pytest.fixture
def place(indexed_copy: Place) -> Place:
    """The sample with the file that the recorded sessions edit, indexed."""
    (indexed_copy.folder / "amounts.py").write_text(AMOUNTS)
    indexed_copy.git("add", "--all")
    indexed_copy.git("commit", "-q", "-m", "feat: amounts")
    assert indexed_copy.run("index").code == 0
    return indexed_copy


def remembered(place: Place, text: str, *options: str) -> str:
    """Remember a text; its id."""
    ended = place.run("remember", "--format", "json", text, *options)
    assert ended.code == 0, ended.err
    return str(json.loads(ended.out)["id"])


def recorded(host: str, place: Place, *tools: str, error: str = "") -> Call:
    """The last call of one of these tools in a host's recording, such as one whose output has an error."""
    found = []
    for name in ("events.jsonl", "events-more.jsonl"):
        text = (ROOT / "fixtures" / "hosts" / host / name).read_text(encoding="utf-8")
        for line in text.replace("/w/repo", str(place.folder)).splitlines():
            said = json.loads(line)["stdin"]
            said = said if "input" not in said else {**said["input"], **said["output"], "cwd": str(place.folder)}
            tool = said.get("tool_name") or said.get("toolName") or said.get("tool")
            found += [said] if tool in tools and error in json.dumps(said) else []
    return found[-1]


def edit_call(host: str, place: Place) -> Call:
    return recorded(host, place, "Edit", "edit", "replace", "apply_patch")


def failure_call(host: str, place: Place) -> Call:
    return recorded(host, place, "Bash", "bash", "run_shell_command", error="AssertionError")


def hook(place: Place, event: str, host: str, said: Call, script: str = MAIN) -> Ended:
    return place.run("hook", event, "--host", host, stdin=json.dumps(said), script=script)


def told(place: Place, event: str, host: str, said: Call) -> str:
    """What a hook answers, as its host reads it."""
    ended = hook(place, event, host, said)
    assert (ended.code, ended.err) == (0, "")
    if not ended.out or host == "opencode":
        return ended.out
    answer = json.loads(ended.out)
    if host == "copilot":
        return str(answer["additionalContext"])
    assert list(answer) == ["hookSpecificOutput"]
    assert answer["hookSpecificOutput"]["hookEventName"] == said["hook_event_name"]
    return str(answer["hookSpecificOutput"]["additionalContext"])


@pytest.mark.parametrize("host", HOSTS)
def test_an_edit_shows_the_memories_on_its_symbol_once_per_session(host: str, place: Place) -> None:
    remembered(place, ON_TOTAL, "--on", "amounts.py:total")
    call = edit_call(host, place)
    assert ON_TOTAL in told(place, "file", host, call)
    assert told(place, "file", host, call) == ""
    other = call | {name: "another session" for name in call if name.casefold() in {"session_id", "sessionid"}}
    assert ON_TOTAL in told(place, "file", host, other)


@pytest.mark.parametrize("host", HOSTS)
def test_an_edit_of_other_code_shows_nothing(host: str, place: Place) -> None:
    remembered(place, "mean() is wrong on purpose", "--on", "amounts.py:mean")
    remembered(place, "money is parsed strictly", "--on", "src/ledgerly/money.py")
    remembered(place, "tests have no mocks", "--kind", "rule", "--scope", "tests/**")
    assert hook(place, "file", host, edit_call(host, place)) == NOTHING


@pytest.mark.parametrize("host", HOSTS)
def test_a_failed_command_shows_a_memory_that_names_its_error(host: str, place: Place) -> None:
    remembered(place, ON_ERROR)
    call = failure_call(host, place)
    assert "30.0 is no int" in told(place, "command", host, call)
    assert told(place, "command", host, call) == ""


@pytest.mark.parametrize("host", ["claude-code", "codex", "gemini"])
def test_only_a_failed_command_shows_a_memory_that_names_the_command(host: str, place: Place) -> None:
    remembered(place, ON_COMMAND)
    passed = recorded(host, place, "Bash", "run_shell_command", error="1 passed")
    assert hook(place, "command", host, passed) == NOTHING
    assert "make fixture" in told(place, "command", host, failure_call(host, place))


FIX = """\
    if not amounts:
        return 0
    currencies = {each.currency for each in amounts}
    if len(currencies) > 1:
        raise ValueError(f"several currencies: {currencies}")
    overdrawn = [each for each in amounts if each.minor < each.limit]
    report_overdrawn(overdrawn, currencies)
"""


def test_an_edit_where_a_fix_was_lost_shows_the_commit_that_removed_it(place: Place) -> None:
    amounts = place.folder / "amounts.py"
    amounts.write_text(AMOUNTS.replace("    return float", f"{FIX}    return float", 1))
    place.git("commit", "-q", "-a", "-m", "fix: total crashes for several currencies")
    faster = "".join(f"\n\ndef sum_{name}(amounts):\n    return total(amounts[{name}:])\n" for name in range(5))
    amounts.write_text(AMOUNTS + faster)
    place.git("commit", "-q", "-a", "-m", "feat: make totals faster")
    assert place.run("index").code == 0
    call = edit_call("claude-code", place)
    answer = told(place, "file", "claude-code", call)
    assert "total crashes for several currencies" in answer
    assert "removed this fix's lines in `total`" in answer
    assert told(place, "file", "claude-code", call) == ""
    other = {**call["tool_input"], "old_string": "return total(amounts) / 2", "new_string": "return 0"}
    assert hook(place, "file", "claude-code", {**call, "session_id": "b", "tool_input": other}) == NOTHING


def test_an_error_seen_before_is_shown_with_its_fix(place: Place) -> None:
    missing = "ModuleNotFoundError: No module named 'ledgerly'"
    failed, works = f"Traceback (most recent call last):\n{missing}\n", "PYTHONPATH=src python -m pytest tests -q"
    done = (Did("pytest -q", 2, failed), Did(works, 0, "12 passed in 0.10s\n"))
    write_session("claude-code", place, "s-1", "Make totals exact", done, "2026-11-18")
    assert place.run("session", "import", "claude-code").code == 0
    call = failure_call("claude-code", place)
    again = {**call, "tool_input": {"command": "pytest -q"}, "error": f"Exit code 2\nE   {missing}"}
    assert works in told(place, "command", "claude-code", again)
    assert hook(place, "command", "claude-code", {**call, "session_id": "other"}) == NOTHING


def test_a_cursor_payload_is_understood(place: Place) -> None:
    remembered(place, ON_TOTAL, "--on", "amounts.py:total")
    remembered(place, ON_ERROR)
    base: Call = {"conversation_id": "c", "workspace_roots": [str(place.folder)], "hook_event_name": "postToolUse"}
    edit = {"path": str(place.folder / "amounts.py"), "old_string": "float(sum(amounts))", "new_string": "sum(amounts)"}
    ended = hook(place, "file", "cursor", {**base, "tool_name": "StrReplace", "tool_input": edit})
    assert ON_TOTAL in json.loads(ended.out)["additional_context"]
    output = json.dumps({"exitCode": 1, "stdout": "AssertionError: 1 failed: 30.0 is no int"})
    shell = {
        **base,
        "conversation_id": "d",
        "tool_name": "Shell",
        "tool_input": {"command": "make test"},
        "tool_output": output,
    }
    assert "30.0 is no int" in json.loads(hook(place, "command", "cursor", shell).out)["additional_context"]
    assert hook(
        place, "command", "cursor", {**shell, "tool_output": '{"exitCode": 0, "stdout": "30.0 is no int"}'}
    ) == (NOTHING)


def test_forgotten_and_new_memories_take_effect_at_the_next_edit(place: Place) -> None:
    name = remembered(place, ON_TOTAL, "--on", "amounts.py:total")
    call = edit_call("claude-code", place)
    assert ON_TOTAL in told(place, "file", "claude-code", call)
    assert place.run("forget", "--yes", name).code == 0
    remembered(place, "total() is called ten times per second", "--on", "amounts.py:total")
    again = told(place, "file", "claude-code", {**call, "session_id": "the next"})
    assert ON_TOTAL not in again
    assert "ten times per second" in again


def test_a_superseded_memory_is_left_out_and_a_drifted_one_is_marked(place: Place) -> None:
    old = remembered(place, "total() rounds down", "--on", "amounts.py:total")
    remembered(place, "total() rounds half to even", "--on", "amounts.py:total", "--supersedes", old)
    call = edit_call("claude-code", place)
    (place.folder / "amounts.py").write_text(AMOUNTS.replace("    return float", DRIFT, 1))
    place.git("commit", "-q", "-a", "-m", "refactor: another total")
    answer = told(place, "file", "claude-code", call)
    assert "rounds down" not in answer
    assert "drifted" in answer


def test_an_answer_takes_at_most_150_tokens(place: Place) -> None:
    for number in range(6):
        why = f"reason {number} that goes on for a while, with names, dates and places that nobody needs to know now"
        remembered(place, f"total() rule {number}: {'words and ' * 30}", "--on", "amounts.py:total", "--why", why)
    answer = told(place, "file", "claude-code", edit_call("claude-code", place))
    assert "total() rule" in answer
    assert count_tokens(answer) <= BUDGET


def test_a_memory_that_the_brief_showed_is_not_repeated(place: Place) -> None:
    remembered(place, ON_TOTAL, "--on", "amounts.py:total", "--kind", "rule")
    call = edit_call("claude-code", place)
    prompt = {"session_id": call["session_id"], "cwd": call["cwd"], "prompt": f"{ON_TOTAL}: change total in amounts.py"}
    assert ON_TOTAL in hook(place, "prompt", "claude-code", prompt).out
    assert hook(place, "file", "claude-code", call) == NOTHING


def test_a_linked_worktree_has_its_own_reminders(place: Place) -> None:
    remembered(place, ON_TOTAL, "--on", "amounts.py:total")
    linked = place.folder.parent / "linked"
    place.git("worktree", "add", "-q", str(linked))
    call = json.loads(json.dumps(edit_call("claude-code", place)).replace(str(place.folder), str(linked)))
    assert ON_TOTAL in told(place, "file", "claude-code", call)


def test_a_purge_erases_the_memory_from_the_reminder_cache(place: Place) -> None:
    name = remembered(place, ON_TOTAL, "--on", "amounts.py:total")
    hook(place, "file", "claude-code", edit_call("claude-code", place))
    data = place.folder / ".git" / "repomem"
    assert any(ON_TOTAL.encode() in path.read_bytes() for path in (data / "reminders").iterdir())
    assert place.run("forget", "--yes", "--purge", name).code == 0
    assert not any(ON_TOTAL.encode() in path.read_bytes() for path in data.rglob("*") if path.is_file())


@pytest.mark.parametrize("script", [NO_REPOSITORY, BROKEN], ids=["no workspace", "a bug"])
def test_an_internal_failure_of_a_tool_hook_is_silent(place: Place, script: str) -> None:
    remembered(place, ON_TOTAL, "--on", "amounts.py:total")
    assert hook(place, "file", "claude-code", edit_call("claude-code", place), script) == NOTHING


@pytest.mark.parametrize(
    "said",
    [
        {},
        {"tool_name": "Edit"},
        {"tool_name": "Edit", "tool_input": "nothing"},
        {"tool_name": "Edit", "tool_input": {"file_path": "/etc/passwd", "old_string": 5}},
        {"tool_name": "Edit", "tool_input": {"file_path": "../../elsewhere.py"}},
        {"tool_name": "Read", "tool_input": {"file_path": "\x00", "offset": "x", "limit": []}},
        {"tool_name": "Bash", "tool_input": {"command": "x"}, "tool_response": {"exit_code": "x", "stdout": 3}},
    ],
)
def test_a_malformed_tool_payload_gives_no_answer(place: Place, said: Call) -> None:
    for event in ("file", "command"):
        assert hook(place, event, "claude-code", {"cwd": str(place.folder), **said}) == NOTHING


def test_a_repository_that_was_never_indexed_is_left_alone(ledgerly: Place) -> None:
    call = {"cwd": str(ledgerly.folder), "tool_name": "Read", "tool_input": {"file_path": "README.md"}}
    assert hook(ledgerly, "file", "claude-code", call) == NOTHING
    assert not (ledgerly.folder / ".git" / "repomem").exists()


def test_a_copied_repository_does_not_read_the_reminders_of_the_first(place: Place, tmp_path: Path) -> None:
    name = remembered(place, ON_TOTAL, "--on", "amounts.py:total")
    call = edit_call("claude-code", place)
    assert ON_TOTAL in told(place, "file", "claude-code", call)
    copy = tmp_path / "copy"
    shutil.copytree(place.folder, copy)
    moved = Place(copy, place.environment)
    assert moved.run("forget", "--yes", name).code == 0
    call = json.loads(json.dumps(call).replace(str(place.folder), str(copy)))
    assert hook(moved, "file", "claude-code", {**call, "session_id": "copied"}) == NOTHING


def test_reminders_are_readable_by_their_user_alone(place: Place) -> None:
    remembered(place, ON_TOTAL, "--on", "amounts.py:total")
    hook(place, "file", "claude-code", edit_call("claude-code", place))
    folder = place.folder / ".git" / "repomem" / "reminders"
    assert {each.stat().st_mode & 0o077 for each in (folder, *folder.iterdir())} == {0}
