"""Where agent hosts keep their transcripts, and the lines of those."""

import json
import os
import sqlite3
from hashlib import sha256
from pathlib import Path

import pytest

from repomem.adapters.transcripts.files import (
    file_lines,
    read_transcript,
    transcript_at,
    transcripts_of,
)
from repomem.adapters.transcripts.json_shapes import LONGEST_LINE
from repomem.adapters.transcripts.steps import TranscriptFile

ID = "3f2a1b4c-0000-4000-8000-00000000000a"


def write(path: Path, text: str = "{}\n", at: int = 1_700_000_000) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    os.utime(path, (at, at))
    return path


def names(found: list[TranscriptFile]) -> list[str]:
    return [each.session for each in found]


def test_claude_sessions_of_a_folder_are_listed_the_newest_first(tmp_path: Path) -> None:
    place = tmp_path / ".claude/projects"
    write(place / "-w-my-repo/old.jsonl", at=1)
    new = write(place / f"-w-my-repo/{ID}.jsonl", at=2)
    write(place / "-w-other/x.jsonl")
    write(place / "-w-my-repo/old/subagents/agent-1.jsonl")
    found = transcripts_of("claude-code", {}, tmp_path, Path("/w/my.repo"))
    assert found == [
        TranscriptFile("claude-code", new, ID, 2.0, 3, "/w/my.repo"),
        TranscriptFile("claude-code", place / "-w-my-repo/old.jsonl", "old", 1.0, 3, "/w/my.repo"),
    ]
    assert len(transcripts_of("claude-code", {}, tmp_path)) == 3


@pytest.mark.parametrize(
    ("host", "variable", "path"),
    [
        ("claude-code", "CLAUDE_CONFIG_DIR", "projects/-w/a.jsonl"),
        ("codex", "CODEX_HOME", f"sessions/2026/03/01/rollout-2026-03-01T10-00-00-{ID}.jsonl"),
        ("gemini", "GEMINI_CLI_HOME", ".gemini/tmp/p/chats/session-1.json"),
        ("copilot", "COPILOT_HOME", "session-state/p1/events.jsonl"),
    ],
)
def test_a_place_follows_the_variable_that_moves_it(tmp_path: Path, host: str, variable: str, path: str) -> None:
    file = write(tmp_path / "moved" / path)
    assert [each.path for each in transcripts_of(host, {variable: str(tmp_path / "moved")}, tmp_path)] == [file]
    assert transcripts_of(host, {variable: "not/absolute"}, tmp_path) == []


def test_a_session_is_named_by_its_file_or_folder(tmp_path: Path) -> None:
    write(tmp_path / f".codex/sessions/2026/03/01/rollout-2026-03-01T10-00-00-{ID}.jsonl")
    write(tmp_path / ".copilot/session-state/p1/events.jsonl")
    write(tmp_path / ".cursor/projects/w/agent-transcripts/c1.jsonl", at=2)
    write(tmp_path / ".cursor/projects/w/agent-transcripts/c2/c2.jsonl", at=1)
    assert names(transcripts_of("codex", {}, tmp_path)) == [ID]
    assert names(transcripts_of("copilot", {}, tmp_path)) == ["p1"]
    assert names(transcripts_of("cursor", {}, tmp_path, Path("/w"))) == ["c1", "c2"]


def test_gemini_names_a_folder_by_its_digest_or_beside_the_chats(tmp_path: Path) -> None:
    place = tmp_path / ".gemini/tmp"
    write(place / sha256(b"/w/repo").hexdigest() / "chats/session-a.json", at=2)
    write(place / "repo/chats/session-b.jsonl", at=1)
    write(place / "repo/.project_root", "/w/repo")
    write(place / "other/chats/session-c.jsonl")
    found = transcripts_of("gemini", {}, tmp_path, Path("/w/repo"))
    assert [(each.session, each.folder) for each in found] == [("session-a", "/w/repo"), ("session-b", "/w/repo")]


@pytest.mark.parametrize("is_deeper", [False, True])
def test_gemini_names_a_folder_in_its_list_of_projects(tmp_path: Path, *, is_deeper: bool) -> None:
    projects = {"/w/repo": "repo", "/w/one/lib": "lib", "/w/two/lib": "lib"}
    write(tmp_path / ".gemini/projects.json", json.dumps({"projects": projects} if is_deeper else projects))
    for name in ("repo", "lib", "other"):
        write(tmp_path / f".gemini/tmp/{name}/chats/session-{name}.jsonl")
    found = transcripts_of("gemini", {}, tmp_path)
    assert {each.session: each.folder for each in found} == {
        "session-repo": "/w/repo",
        "session-lib": "",
        "session-other": "",
    }


def test_links_out_of_a_place_are_not_followed(tmp_path: Path) -> None:
    secret = write(tmp_path / "elsewhere/secret.jsonl")
    place = tmp_path / ".claude/projects"
    write(place / "-w/a.jsonl")
    (place / "-w/link.jsonl").symlink_to(secret)
    (place / "-linked").symlink_to(secret.parent)
    assert names(transcripts_of("claude-code", {}, tmp_path)) == ["a"]
    assert transcript_at("claude-code", place / "-w/link.jsonl", {}, tmp_path) is None
    assert transcript_at("claude-code", place / "-linked/secret.jsonl", {}, tmp_path) is None
    assert transcript_at("claude-code", secret, {}, tmp_path) is None
    assert transcript_at("claude-code", place / "-w/gone.jsonl", {}, tmp_path) is None
    assert transcript_at("emacs", place / "-w/a.jsonl", {}, tmp_path) is None


def test_a_transcript_that_a_hook_names_is_found(tmp_path: Path) -> None:
    file = write(tmp_path / ".cursor/projects/w-repo/agent-transcripts/c1.jsonl")
    assert transcript_at("cursor", file, {}, tmp_path) == TranscriptFile("cursor", file, "c1", 1_700_000_000, 3)


def test_a_host_without_sessions_has_none(tmp_path: Path) -> None:
    for host in ("claude-code", "codex", "gemini", "cursor", "copilot", "opencode", "emacs"):
        assert transcripts_of(host, {}, tmp_path, tmp_path) == []


# Lines


def test_lines_are_read_completely_and_a_deleted_file_has_none(tmp_path: Path) -> None:
    file = tmp_path / "a.jsonl"
    file.write_bytes(b'{"a":1}\r\n\n{"b":2}\n{"torn')
    assert file_lines(file) == [b'{"a":1}\r', b"", b'{"b":2}', b'{"torn']
    assert file_lines(tmp_path / "gone") == file_lines(tmp_path) == []


def test_of_a_large_file_the_start_and_the_end_are_read(tmp_path: Path) -> None:
    file = tmp_path / "a.jsonl"
    file.write_bytes(b"".join(b"%06d\n" % number for number in range(1000)))
    found = file_lines(file, most=700)
    assert (found[0], found[-2]) == (b"000000", b"000999")
    assert len(found) < 101
    assert all(len(line) in {0, 6} for line in found)


def test_a_line_longer_than_any_that_a_host_writes_is_stepped_over(tmp_path: Path) -> None:
    file = tmp_path / "a.jsonl"
    file.write_bytes(b"first\n" + b"x" * (LONGEST_LINE + 10) + b"\nlast\n")
    assert file_lines(file) == [b"first", b"", b"last", b""]


def test_a_pipe_is_not_read(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    assert file_lines(tmp_path / "pipe") == []


# OpenCode

TABLES = """
CREATE TABLE session (id TEXT, parent_id TEXT, directory TEXT, time_updated INTEGER, revert TEXT);
CREATE TABLE message (id TEXT, session_id TEXT, time_created INTEGER, data TEXT);
CREATE TABLE part (id TEXT, message_id TEXT, session_id TEXT, data TEXT);
INSERT INTO session VALUES ('s1', NULL, '/w', 2000, '{"messageID": "m2"}'), ('s2', 's1', '/w', 3000, NULL);
INSERT INTO session VALUES ('s3', '', '/other', 1000, NULL);
INSERT INTO message VALUES ('m1', 's1', 1, '{"role": "user"}'), ('m2', 's1', 2, 'no json');
INSERT INTO part VALUES ('p1', 'm1', 's1', '{"type": "text", "text": "hi"}');
"""


@pytest.fixture
def database(tmp_path: Path) -> Path:
    path = tmp_path / ".local/share/opencode/opencode.db"
    path.parent.mkdir(parents=True)
    connection = sqlite3.connect(path)
    connection.executescript(TABLES)
    connection.close()
    return path


def test_sessions_of_opencode_are_listed_without_those_of_its_agents(tmp_path: Path, database: Path) -> None:
    assert transcripts_of("opencode", {}, tmp_path) == [
        TranscriptFile("opencode", database, "s1", 2.0, 0, "/w"),
        TranscriptFile("opencode", database, "s3", 1.0, 0, "/other"),
    ]
    assert names(transcripts_of("opencode", {}, tmp_path, Path("/w"))) == ["s1"]


def test_rows_of_opencode_become_lines_and_the_database_stays_as_it_is(tmp_path: Path, database: Path) -> None:
    before = (database.read_bytes(), sorted(each.name for each in database.parent.iterdir()))
    [session, *_] = transcripts_of("opencode", {}, tmp_path)
    lines = [json.loads(line) for line in read_transcript(session)]
    assert [(line["table"], line["id"]) for line in lines] == [
        ("session", "s1"),
        ("message", "m1"),
        ("message", "m2"),
        ("part", "p1"),
    ]
    assert lines[0]["data"]["revert"] == {"messageID": "m2"}
    assert (lines[3]["message_id"], lines[3]["data"]["text"]) == ("m1", "hi")
    assert before == (database.read_bytes(), sorted(each.name for each in database.parent.iterdir()))


def test_a_damaged_database_and_one_of_another_shape_have_no_sessions(tmp_path: Path) -> None:
    place = tmp_path / ".local/share/opencode"
    write(place / "opencode.db", "no database")
    other = sqlite3.connect(place / "opencode-dev.db")
    other.execute("CREATE TABLE session (name TEXT)")
    other.close()
    assert transcripts_of("opencode", {}, tmp_path) == []
    assert read_transcript(TranscriptFile("opencode", place / "opencode.db", "s1", 0, 0)) == []


def test_the_older_storage_of_opencode_is_read(tmp_path: Path) -> None:
    place = tmp_path / ".local/share/opencode/storage"
    write(place / "session/p/s1.json", '{"id": "s1", "directory": "/w", "time": {"updated": 5000}}')
    write(place / "session/p/s2.json", '{"id": "s2", "parentID": "s1"}')
    write(place / "message/s1/m1.json", '{"id": "m1", "role": "user"}')
    write(place / "part/m1/p1.json", '{"id": "p1", "type": "text", "text": "hi"}')
    write(place / "part/m1/p2.json", "torn {")
    [found] = transcripts_of("opencode", {}, tmp_path)
    assert (found.session, found.changed, found.folder) == ("s1", 5.0, "/w")
    told = [json.loads(line) for line in read_transcript(found)]
    assert [(line["table"], line["id"]) for line in told] == [
        ("session", "s1"),
        ("message", "m1"),
        ("part", "p1"),
        ("part", "p2"),
    ]
