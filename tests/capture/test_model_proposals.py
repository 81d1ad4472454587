"""A model proposes memories from what the rules left: against a server on this machine, within a day's tokens."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from support.memory_scenes import committed
from support.model_server import Manner, Server, serving
from support.repositories import Commit, MakeRepository
from support.samples import indexed, workspace_at

from repomem.capture.host_sessions import HostEvent, HostSession, host_session
from repomem.capture.model_budget import last_fault, used_today
from repomem.capture.model_proposals import propose
from repomem.capture.run import capture
from repomem.memories.snapshots.snapshot import memories_now
from repomem.memories.status import MemoryState, Status

KEY = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
PROMPT = f"it dies on the staging box with its 2 gigs, can you stream it there? the token is {KEY}"
QUOTE = "it dies on the staging box with its 2 gigs"
TEXT = "The staging machine has 2 GB of memory, so the importer streams"
MODEL = "claude-code (proposed by openai/small)"


def entry(**changed: Any) -> dict[str, Any]:
    return {"turn": 0, "kind": "fact", "text": TEXT, "why": "", "quote": QUOTE, **changed}


def answer(*entries: Mapping[str, Any]) -> str:
    return f"Here you are:\n```json\n{json.dumps(entries)}\n```"


@pytest.fixture(autouse=True)
def real(monkeypatch: pytest.MonkeyPatch) -> None:
    """litellm itself, with a key that opens nothing."""
    monkeypatch.setenv("LITELLM_MODE", "PRODUCTION")
    monkeypatch.setenv("LITELLM_LOCAL_MODEL_COST_MAP", "True")
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    pytest.importorskip("litellm", reason="litellm is not installed: the extra llm has it")


@pytest.fixture
def server() -> Iterator[Server]:
    with serving(Manner(answer=answer(entry()))) as found:
        yield found


@pytest.fixture
def folder(make_repository: MakeRepository) -> Path:
    folder = make_repository(Commit({"importer.py": "def load(rows):\n    return list(rows)\n"}))
    indexed(folder)
    return folder


def captured(folder: Path, server: Server, *said: tuple[str, str], **options: object) -> list[MemoryState]:
    """Record a session of these messages with the model, and give what it proposed."""
    path = Path.home() / ".claude" / "projects" / "-w-repo" / "one.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = [
        {
            "type": role,
            "message": {"role": role, "content": text},
            "sessionId": "one",
            "cwd": str(folder),
            "uuid": f"u{at}",
        }
        | {"parentUuid": f"u{at - 1}" if at else None, "timestamp": f"2026-11-19T10:00:{at:02}.000Z"}
        for at, (role, text) in enumerate(said)
    ]
    path.write_text("".join(f"{json.dumps(line)}\n" for line in lines), encoding="utf-8")
    asked = {"capture.llm": "openai/small", "llm.api_base": server.address, **options}
    with workspace_at(folder, asked) as workspace:
        known = _known(workspace, path)
        capture(workspace, known)
        propose(workspace, _known(workspace, path))
        return [one for one in memories_now(workspace).states.values() if one.memory.origin.tool == MODEL]


def _known(workspace: Any, path: Path) -> HostSession:
    return host_session(workspace, HostEvent("claude-code", "stop", "one", transcript=str(path)))


FIRST = (("user", PROMPT), ("assistant", "Understood, it reads row by row now."))


@pytest.mark.filterwarnings("ignore")
def test_a_proposal_is_provisional_and_quotes_its_turn_and_no_secret_is_sent(folder: Path, server: Server) -> None:
    [one] = captured(folder, server, *FIRST)
    said = one.memory.said
    assert (said.text, said.sentence, said.kind.value, one.status) == (TEXT, QUOTE, "fact", Status.PROVISIONAL)
    assert KEY.encode() not in b"".join(server.manner.sent)
    assert QUOTE.encode() in server.manner.sent[0]


@pytest.mark.filterwarnings("ignore")
def test_ten_commits_confirm_no_proposal(folder: Path, server: Server) -> None:
    captured(folder, server, *FIRST)
    for at in range(12):
        committed(folder, f"feat: step {at}", **{f"step{at}__py": f"STEP = {at}\n"})
    with workspace_at(folder) as workspace:
        [one] = [each for each in memories_now(workspace).states.values() if each.memory.origin.tool == MODEL]
    assert one.status is Status.PROVISIONAL


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    "wrong",
    [
        answer(entry(quote="the staging box has no swap at all")),
        answer(entry(turn=7)),
        answer(entry(turn="0")),
        answer(entry(kind="opinion")),
        answer(entry(text="streams")),
        answer(entry(quote=None)),
        "[" * 5_000,
        "I found nothing worth keeping.",
        "[]",
    ],
    ids=[
        "quotes nothing",
        "no turn",
        "no number",
        "no kind",
        "no sentence",
        "no quotation",
        "nested",
        "prose",
        "empty",
    ],
)
def test_a_malformed_or_unquoted_proposal_is_dropped(folder: Path, server: Server, wrong: str) -> None:
    server.manner.answer = wrong
    assert captured(folder, server, *FIRST) == []


@pytest.mark.filterwarnings("ignore")
def test_each_turn_without_statements_is_sent_to_the_model_once(folder: Path, server: Server) -> None:
    ruled = ("user", "From now on every importer streams its rows.")
    captured(folder, server, *FIRST, ruled, ("assistant", "Noted."))
    captured(folder, server, *FIRST, ruled, ("assistant", "Noted."))
    [messages] = server.manner.asked
    assert [turn["turn"] for turn in json.loads(messages[1])] == [0]
    captured(
        folder, server, *FIRST, ruled, ("assistant", "Noted."), ("user", "thanks"), ("assistant", "You are welcome.")
    )
    assert [turn["turn"] for turn in json.loads(server.manner.asked[-1][1])] == [2]


@pytest.mark.filterwarnings("ignore")
def test_no_request_is_sent_without_a_model_or_above_the_daily_limit(folder: Path, server: Server) -> None:
    assert captured(folder, server, *FIRST, **{"capture.llm_tokens_per_day": 900}) == []
    assert captured(folder, server, *FIRST, **{"capture.llm": ""}) == []
    assert server.manner.asked == []
    [_] = captured(folder, server, *FIRST)
    with workspace_at(folder) as workspace:
        assert 900 < used_today(workspace) < 2_000


@pytest.mark.filterwarnings("ignore")
def test_a_failing_server_is_noted_and_the_turns_are_read_later(folder: Path, server: Server) -> None:
    server.manner.way = "500"
    assert captured(folder, server, *FIRST) == []
    with workspace_at(folder) as workspace:
        assert "openai/small refused" in last_fault(workspace)
    server.manner.way = ""
    assert len(captured(folder, server, *FIRST)) == 1
    with workspace_at(folder) as workspace:
        assert last_fault(workspace) == ""
