"""What is kept of sessions that real hosts wrote down: the same work each time, in the words of a fake model."""

import json
from pathlib import Path

import pytest

from repomem.adapters.transcripts.readers import read
from repomem.adapters.transcripts.steps import Transcript
from repomem.capture.session_findings import captured_from
from repomem.core.records import MemoryKind
from repomem.sessions.command_notes import ran_in, touched_in

HOSTS = Path(__file__).parents[2] / "fixtures" / "hosts"
RECORDED = (
    ("claude-code", "transcript.jsonl"),
    ("codex", "transcript.jsonl"),
    ("codex", "transcript-code-mode.jsonl"),
    ("gemini", "transcript.jsonl"),
    ("gemini", "transcript-interactive.jsonl"),
    ("copilot", "transcript.jsonl"),
    ("opencode", "export.json"),
    ("opencode", "transcript.jsonl"),
)


def told(host: str, name: str) -> Transcript:
    lines = (HOSTS / host / name).read_bytes().split(b"\n")
    if (host, name) == ("opencode", "transcript.jsonl"):  # recorded as rows of the database, before they are given out
        rows = [json.loads(line) for line in lines if line]
        return read(host, [json.dumps({"table": row["table"], "data": row["row"], **row["row"]}) for row in rows])
    return read(host, lines)


@pytest.mark.parametrize(("host", "name"), RECORDED)
def test_a_recorded_session_has_its_goal_file_runs_and_decision(host: str, name: str) -> None:
    found = captured_from(told(host, name).steps)
    assert found.goal == "Write amounts.py so that the test passes; amounts are cents"
    assert [Path(path).name for path in found.files] == ["amounts.py"]
    ran = [(one.command, one.code, one.error) for note in found.notes if (one := ran_in(note.text))]
    assert ran == [
        ("python3 test_amounts.py", 1, "AssertionError: 1 failed: 30.0 is no int"),
        ("python3 test_amounts.py", 0, ""),
    ]
    assert [Path(path).name for note in found.notes if (path := touched_in(note.text))] == ["amounts.py"]
    assert [(one.kind, one.text, one.why, one.is_persons) for one in found.stated] == [
        (MemoryKind.DECISION, "Amounts are integer cents", "floats lose pennies", False)
    ]


def test_a_transcript_of_a_continued_session_names_its_folder() -> None:
    found = told("copilot", "transcript-compact.jsonl")
    assert (found.folder, found.branch, found.steps) == ("/w/repo", "main", ())
