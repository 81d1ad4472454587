"""What real hosts said to their hooks, played back: the agent calls nothing, and the next session knows.

The streams in fixtures/hosts were recorded from the programs themselves, with the transcript that each one wrote.
"""

import json
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from support.command_line import ROOT, Place

STREAMS = ROOT / "fixtures" / "hosts"
HOSTS = ("claude-code", "codex", "copilot", "gemini", "opencode")
OPENCODE = Path(".local/share/opencode/opencode.db")
MAIN = """
import repomem.cli.agents.hook as hook
hook.LONGEST = {}
hook.LONGEST_CAPTURE = hook.CATCH_UP_SECONDS = 60.0
import repomem.recall.answer as answer
answer.CATCH_UP_SECONDS = 60.0
import repomem.agents.hooks as hooked
hooked.LATE_LINES = 0.0
from repomem.__main__ import main
main()
"""  # patient, for busy machines
CAPTURED = {"stop": "capture", "pre-compact": "capture"}  # what the process does that these start


@pytest.fixture
def place(indexed_copy: Place) -> Place:
    return indexed_copy


def local(text: str, place: Place) -> str:
    """A recording as it would have been made in this place."""
    return text.replace("/w/repo", str(place.folder)).replace("/home/u", place.environment["HOME"])


def stream(host: str, place: Place) -> list[dict[str, Any]]:
    """The calls of one host's hooks, in order."""
    text = (STREAMS / host / "events.jsonl").read_text(encoding="utf-8")
    return [json.loads(line) for line in local(text, place).splitlines()]


def transcript_path(host: str, place: Place) -> Path:
    """Where the host wrote its transcript."""
    if host == "opencode":
        return Path(place.environment["HOME"]) / OPENCODE
    said = [call["stdin"] for call in stream(host, place)]
    [path] = {each for one in said for name in ("transcript_path", "transcriptPath") if (each := one.get(name))}
    return Path(path)


def write_transcript(host: str, place: Place, *, told: str = "") -> Path:
    """Put the transcript where the host put it; `told` takes the place of what the recorder gave at the start."""
    text = local((STREAMS / host / "transcript.jsonl").read_text(encoding="utf-8"), place)
    path = transcript_path(host, place)
    path.parent.mkdir(parents=True, exist_ok=True)
    if told:
        first = next(call["stdout"] for call in stream(host, place) if call["event"] == "session-start")
        given = next(iter(contexts(first)))
        assert given in text
        text = text.replace(given, json.dumps(told)[1:-1])
    if host == "opencode":
        write_database(path, [json.loads(line) for line in text.splitlines()])
    else:
        path.write_text(text, encoding="utf-8")
    return path


def write_database(path: Path, rows: list[dict[str, Any]]) -> None:
    """The rows that were read of OpenCode's database, as a database again."""
    path.unlink(missing_ok=True)
    with sqlite3.connect(path) as database:
        for table in dict.fromkeys(row["table"] for row in rows):
            values = [row["row"] for row in rows if row["table"] == table]
            names = list(values[0])
            database.execute(f"CREATE TABLE {table}({', '.join(names)})")
            marks = ", ".join("?" * len(names))
            database.executemany(
                f"INSERT INTO {table} VALUES({marks})",  # names of the recording
                [[json.dumps(v) if isinstance(v, dict | list) else v for v in value.values()] for value in values],
            )
    database.close()


def contexts(stdout: str) -> Iterator[str]:
    """The texts in an answer that a host reads as context."""
    try:
        said = json.loads(stdout)
    except ValueError:
        yield stdout
        return
    inner = said.get("hookSpecificOutput", said)
    yield from (value for name in ("additionalContext", "additional_context") if (value := inner.get(name)))


def play(host: str, place: Place, calls: list[dict[str, Any]]) -> list[str]:
    """What repomem answers to each call."""
    answers = []
    for call in calls:
        event = CAPTURED.get(call["event"], call["event"])
        said = json.dumps(call["stdin"])
        ended = place.run("hook", event, "--host", host, stdin=said, script=MAIN)
        assert (ended.code, ended.err) == (0, ""), call
        answers.append(ended.out)
    return answers


def brief_of_next_session(place: Place) -> str:
    said = json.dumps({"session_id": "the next one", "cwd": str(place.folder), "source": "startup"})
    return place.run("hook", "session-start", "--host", "claude-code", stdin=said, script=MAIN).out


@pytest.mark.parametrize("host", HOSTS)
def test_a_decision_from_a_hosts_transcript_is_in_the_next_sessions_brief(host: str, place: Place) -> None:
    write_transcript(host, place)
    calls = stream(host, place)
    last = max(at for at, call in enumerate(calls) if call["event"] == "stop")
    play(host, place, [calls[last]])
    brief = brief_of_next_session(place)
    assert "integer cents" in brief
    assert "floats lose pennies" in brief
    assert "amounts.py" in brief


@pytest.mark.parametrize("host", HOSTS)
def test_every_hook_call_is_answered_in_the_hosts_format(host: str, place: Place) -> None:
    write_transcript(host, place)
    calls = stream(host, place)
    answers = play(host, place, calls)
    given: dict[str, list[str]] = {}
    for call, answer in zip(calls, answers, strict=True):
        given.setdefault(call["event"], []).append(answer)
        if call["event"] not in {"session-start", "prompt"}:
            assert answer == "", call["event"]
        elif answer:
            recorded = call.get("stdout") or "{}"
            shape = shape_of(answer)
            if isinstance(shape, dict) and call["event"] == "session-start":
                assert shape.pop("systemMessage", "str") == "str"  # what was kept of an earlier session
            assert shape == shape_of(recorded), call["event"]
    assert any("repomem-brief" in answer for answer in given["session-start"])


def shape_of(stdout: str) -> object:
    """The names in an answer, without its words."""
    try:
        said = json.loads(stdout)
    except ValueError:
        return "text"
    return {name: sorted(value) if isinstance(value, dict) else type(value).__name__ for name, value in said.items()}


@pytest.mark.parametrize("host", HOSTS)
def test_doctor_finds_the_brief_in_the_hosts_transcript(host: str, place: Place) -> None:
    """And sees it missing or cut."""
    from_start = [call for call in stream(host, place) if call["event"] == "session-start"][:1]
    [answer] = play(host, place, from_start)
    [told] = contexts(answer.rstrip("\n"))
    assert trip(host, place) == "no transcript"
    if host != "opencode":
        write_transcript(host, place, told=told)
        assert trip(host, place) == "seen"
        write_transcript(host, place, told=told.rpartition("\n")[0])
        assert trip(host, place) == "cut"
    write_transcript(host, place)
    assert trip(host, place) == "lacks it"


def trip(host: str, place: Place) -> str:
    """What became of the last brief to a host."""
    script = (
        "import os, sys\nfrom pathlib import Path\nfrom repomem.workspace.workspace import opened\n"
        "from repomem.agents.delivery_check import delivery_checks\n"
        "with opened(Path(), os.environ) as workspace:\n"
        "    print(delivery_checks(workspace, [sys.argv[1]])[0].arrival.value)\n"
    )
    return place.run(host, script=script).out.strip()
