"""What an agent did with what hooks showed it: from a delivered brief and the host's transcript to the figures."""

import json
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from support.command_line import Place
from support.host_transcripts import Did, write_session

PATIENT = """
import repomem.cli.agents.hook as hook
hook.LONGEST = {}
hook.LONGEST_CAPTURE = hook.CATCH_UP_SECONDS = 60.0
import repomem.agents.hooks as hooked
hooked.LATE_LINES = 0.0
from repomem.__main__ import main
main()
"""  # for busy machines
MONEY, REPORT = "src/ledgerly/money.py", "src/ledgerly/parser.py"
ON_MONEY = "Money is parsed strictly"
ON_REPORT = "Reports round half to even"
SUITE = "Tests need the fixture that `make fixture` writes"
LATER, EARLIER = "2099-03-01", "2020-03-01"  # than any delivery of a test
SHADOW = {"REPOMEM": "shadow"}


@pytest.fixture
def place(indexed_copy: Place) -> Place:
    return indexed_copy


def remembered(place: Place, text: str, *options: str) -> str:
    """Remember a text; its id."""
    return str(json.loads(place.run("remember", "--format", "json", text, *options).out)["id"])


def hook(place: Place, event: str, env: dict[str, str] | None = None, **said: Any) -> str:
    """What a hook answers."""
    whole = {"cwd": str(place.folder), "hook_event_name": event, "session_id": "one", **said}
    ended = place.run("hook", event, "--host", "claude-code", stdin=json.dumps(whole), script=PATIENT, env=env)
    assert (ended.code, ended.err) == (0, "")
    return ended.out


def started(place: Place, session: str = "one", env: dict[str, str] | None = None) -> str:
    return hook(place, "session-start", env, session_id=session, source="startup")


def worked(place: Place, *done: Did, session: str = "one", day: str = LATER) -> None:
    """Let a session have done this, and end."""
    path = write_session("claude-code", place, session, "Make the totals exact", done, day)
    assert hook(place, "capture", session_id=session, transcript_path=str(path)) == ""


def read(path: str) -> Did:
    return Did(path=path, is_read=True)


def figures(place: Place) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(place.run("status", "--memory", "--format", "json").out)["sessions"]
    return found


def acted(place: Place, group: str = "brief") -> Sequence[int]:
    """Of the memories shown: how many can be judged, were opened, edited and run."""
    return list(figures(place)["groups"][group]["memories"].values())


def uses(place: Place, name: str) -> int:
    """The sessions that acted on a memory, by the ledger."""
    lines = [json.loads(line) for line in place.run("ledger", "export").out.splitlines()]
    return sum(name in line.get("targets", ()) and line.get("other") == "use" for line in lines)


def test_a_shown_memory_counts_as_used_if_its_file_is_opened_or_its_command_run(place: Place) -> None:
    money, report = remembered(place, ON_MONEY, "--on", MONEY), remembered(place, ON_REPORT, "--on", REPORT)
    suite = remembered(place, SUITE)
    remembered(place, "Otters are fed at noon")
    assert ON_MONEY in started(place)

    worked(place, read(MONEY), Did(path=MONEY), Did("make fixture"), read(REPORT))

    found = figures(place)
    brief = found["groups"]["brief"]
    assert acted(place) == [3, 2, 1, 1]
    assert (brief["sessions"], brief["edited"], brief["foreseen"]) == (1, 1, 1)
    assert (brief["reads"], brief["editing"]) == (1, 1)
    assert (sorted(found["of_use"]), found["never_of_use"]) == (sorted([money, report, suite]), [])
    assert [uses(place, name) for name in (money, report, suite)] == [1, 0, 1]


def test_a_shown_memory_that_the_agent_ignored_is_listed_as_never_used(place: Place) -> None:
    name = remembered(place, ON_MONEY, "--on", MONEY)
    started(place)

    worked(place, read(REPORT), Did(path=REPORT), Did("make test"))

    assert (acted(place), figures(place)["never_of_use"], uses(place, name)) == ([1, 0, 0, 0], [name], 0)


def test_an_edit_before_a_memory_was_shown_is_no_use_of_it(place: Place) -> None:
    name = remembered(place, ON_MONEY, "--on", MONEY)
    started(place)

    worked(place, read(MONEY), Did(path=MONEY), day=EARLIER)

    assert (acted(place), uses(place, name)) == ([1, 0, 0, 0], 0)


def test_a_sub_agents_edit_is_no_use_of_what_its_parent_was_shown(place: Place) -> None:
    name = remembered(place, ON_MONEY, "--on", MONEY)
    started(place)
    aside = (Did(path=MONEY, is_read=True, is_sidechain=True), Did(path=MONEY, is_sidechain=True))

    worked(place, *aside, Did(path=REPORT))

    assert (acted(place), uses(place, name)) == ([1, 0, 0, 0], 0)
    assert figures(place)["groups"]["brief"]["reads"] == 0


def test_each_session_supports_a_memory_once_however_often_it_is_read(place: Place) -> None:
    name = remembered(place, ON_MONEY, "--on", MONEY)
    started(place)
    worked(place, Did(path=MONEY))
    worked(place, Did(path=MONEY), read(REPORT))
    assert uses(place, name) == 1

    started(place, "two")
    worked(place, Did(path=MONEY), session="two")

    assert uses(place, name) == 2
    assert figures(place)["groups"]["brief"]["sessions"] == 2


def test_a_reminder_at_an_edit_is_a_delivery_but_that_edit_is_no_use_of_it(place: Place) -> None:
    call: dict[str, Any] = {
        "tool_name": "Edit",
        "tool_input": {"file_path": str(place.folder / MONEY), "old_string": "x"},
    }
    name = remembered(place, ON_MONEY, "--on", MONEY)
    assert ON_MONEY in hook(place, "file", **call)

    worked(place, Did(path=MONEY), day=EARLIER)

    brief = figures(place)["groups"]["brief"]
    assert (brief["tokens"] > 20, acted(place), uses(place, name)) == (True, [1, 0, 0, 0], 0)


def test_a_memory_newer_than_the_brief_is_shown_even_if_its_id_begins_like_a_shown_one(place: Place) -> None:
    first = remembered(place, ON_MONEY, "--on", MONEY)
    assert ON_MONEY in started(place)
    second = remembered(place, ON_REPORT, "--on", MONEY)
    assert first[:4] == second[:4]  # twelve days
    call: dict[str, Any] = {"tool_name": "Read", "tool_input": {"file_path": str(place.folder / MONEY)}}

    answer = hook(place, "file", **call)

    assert ON_REPORT in answer
    assert ON_MONEY not in answer
    assert hook(place, "file", **call) == ""


def test_shadow_mode_prints_nothing_and_records_what_it_would_have_shown(place: Place) -> None:
    name = remembered(place, ON_MONEY, "--on", MONEY)
    remembered(place, ON_REPORT, "--on", REPORT)
    call: dict[str, Any] = {"tool_name": "Read", "tool_input": {"file_path": str(place.folder / REPORT)}}
    assert hook(place, "file", SHADOW, **call) == ""
    assert started(place, env=SHADOW) == ""
    remembered(place, "The exchange rate service answers in euro only")
    assert hook(place, "prompt", SHADOW, prompt="convert totals with the exchange rate service") == ""
    events = [each["event"] for each in deliveries(place)]
    assert (events[:2], set(events[2:])) == (["file", "session-start"], {"prompt"})

    worked(place, read(REPORT), read(MONEY), Did(path=MONEY))

    assert list(figures(place)["groups"]) == ["silent"]
    assert (acted(place, "silent"), uses(place, name)) == ([2, 2, 1, 0], 0)
    assert figures(place)["groups"]["silent"]["reads"] == 2


def test_shadow_mode_records_a_sub_agents_brief_under_the_sub_agent(place: Place) -> None:
    remembered(place, ON_MONEY, "--on", MONEY)
    task = {"prompt": "List who parses money strictly in money.py, and how totals use it", "subagent_type": "Explore"}
    hook(place, "delegate", SHADOW, tool_name="Agent", tool_input=task)

    assert hook(place, "subagent-start", SHADOW, agent_id="a1", agent_type="Explore") == ""

    [found] = deliveries(place)
    assert (found["event"], found["agent"], found["is_silent"]) == ("subagent-start", "a1", True)
    assert found["ids"]
    assert MONEY in found["paths"]


def test_after_shadow_mode_hooks_show_what_they_had_withheld(place: Place) -> None:
    remembered(place, ON_MONEY, "--on", MONEY)
    call: dict[str, Any] = {"tool_name": "Read", "tool_input": {"file_path": str(place.folder / MONEY)}}
    assert [hook(place, "file", SHADOW, **call) for _ in range(2)] == ["", ""]
    assert len(deliveries(place)) == 1

    assert ON_MONEY in hook(place, "file", **call)
    assert hook(place, "file", **call) == ""
    worked(place, Did(path=MONEY))
    assert list(figures(place)["groups"]) == ["brief"]


def test_sessions_with_a_brief_in_shadow_mode_and_without_are_compared(place: Place) -> None:
    remembered(place, ON_MONEY, "--on", MONEY)
    started(place)
    worked(place, read(MONEY), Did(path=MONEY))
    started(place, "two", SHADOW)
    worked(place, read(REPORT), read("README.md"), read(MONEY), Did(path=MONEY), session="two")
    worked(place, Did("cat README.md Makefile | head -40"), Did(path=REPORT), session="three")

    found = place.run("eval", "--memory").out

    assert "reads: files read before the first edit, median: " in found
    assert "1 with a brief (1 session), 3 in shadow mode (1 session), 2 without (1 session)" in found
    assert "with a brief: 1 session, " in found
    assert "acted on: 1 of 1 memory shown to sessions" in found
    assert "1 session acted on 1 of 1 memory that hooks showed" in place.run("status", "--memory").out


def test_two_concurrent_sessions_are_recorded_separately(place: Place) -> None:
    name = remembered(place, ON_MONEY, "--on", MONEY)
    with ThreadPoolExecutor() as pool:
        both = list(pool.map(lambda session: started(place, session), ("one", "two")))
    assert all(ON_MONEY in each for each in both)

    worked(place, Did(path=MONEY))
    worked(place, read(REPORT), session="two")

    assert figures(place)["groups"]["brief"]["sessions"] == 2
    assert (acted(place), uses(place, name)) == ([2, 0, 1, 0], 1)


def test_a_damaged_record_affects_no_answer_and_no_other_session(place: Place) -> None:
    remembered(place, ON_MONEY, "--on", MONEY)
    started(place)
    worked(place, Did(path=MONEY))
    started(place, "two")
    folder = place.folder / ".git" / "repomem" / "deliveries"
    for at, path in enumerate(sorted(folder.glob("*.jsonl"))):
        path.write_bytes(b'{"event": 7\n\xff\x00 [] \n' + path.read_bytes() + b'{"torn' * (at + 1))
    (folder / "0.use.json").write_text('{"host": []}')

    worked(place, Did(path=MONEY), session="two")
    assert acted(place) == [2, 0, 2, 0]
    for path in folder.glob("*"):
        path.write_bytes(b"\x00" * 99)

    assert "brief" in hook(place, "session-start", session_id="three", source="startup")
    assert "groups" in figures(place)


def test_delivery_records_are_private_and_contain_no_text(place: Place) -> None:
    remembered(place, ON_MONEY, "--on", MONEY)
    started(place)
    worked(place, Did("SECRET=hunter2 make fixture"), Did(path=MONEY))
    folder = place.folder / ".git" / "repomem" / "deliveries"

    assert folder.stat().st_mode & 0o777 == 0o700
    assert {path.stat().st_mode & 0o777 for path in folder.iterdir()} == {0o600}
    kept = "".join(path.read_text() for path in folder.iterdir())
    assert "strictly" not in kept
    assert "hunter2" not in kept


def test_a_purge_erases_the_deliveries_of_the_memory(place: Place) -> None:
    name = remembered(place, ON_MONEY, "--on", MONEY)
    started(place)
    worked(place, Did(path=MONEY))
    assert place.run("forget", "--purge", "--yes", name).code == 0
    assert deliveries(place) == []
    assert figures(place) == {"groups": {}, "of_use": [], "never_of_use": []}


def test_without_a_writable_folder_hooks_still_answer(place: Place) -> None:
    remembered(place, ON_MONEY, "--on", MONEY)
    (place.folder / ".git" / "repomem" / "deliveries").write_text("in the way")

    assert ON_MONEY in started(place)
    worked(place, Did(path=MONEY))

    assert figures(place) == {"groups": {}, "of_use": [], "never_of_use": []}


def deliveries(place: Place) -> list[dict[str, Any]]:
    """What hooks have recorded."""
    folder = place.folder / ".git" / "repomem" / "deliveries"
    return [json.loads(line) for path in folder.glob("*.jsonl") for line in path.read_text().splitlines()]
