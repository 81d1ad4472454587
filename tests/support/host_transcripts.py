"""Transcripts of hosts with other commands: the lines that a real host wrote, with command, output and ids replaced."""

import copy
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from support.command_line import ROOT, Place

HOSTS = ROOT / "fixtures" / "hosts"
Line = dict[str, Any]


@dataclass(frozen=True)
class Did:
    """A command that an agent ran with its output and exit code; without a command, an edit or a read of `path`."""

    command: str = ""
    code: int = 0
    output: str = ""
    path: str = ""
    is_read: bool = False
    is_sidechain: bool = False  # by a sub-agent of Claude Code


def write_session(host: str, place: Place, name: str, asked: str, done: Sequence[Did], day: str) -> Path:
    """Put a session of Claude Code or Codex where the host would have put it; gives the path of its transcript."""
    write = {"claude-code": _claude, "codex": _codex}[host]
    path = _path(host, place, name, day)
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = [{**line, "timestamp": f"{day}T10:00:{at:02}.000Z"} for at, line in enumerate(write(name, asked, done))]
    text = "".join(f"{json.dumps(line)}\n" for line in lines)
    path.write_text(text.replace("/w/repo", str(place.folder)), encoding="utf-8")
    return path


def _path(host: str, place: Place, name: str, day: str) -> Path:
    home = Path(place.environment["HOME"])
    if host == "claude-code":
        return home / ".claude" / "projects" / "-w-repo" / f"{name}.jsonl"
    return home / ".codex" / "sessions" / day.replace("-", "/") / f"rollout-{day}T10-00-00-{name}.jsonl"


def _recorded(host: str, *places: int) -> list[Line]:
    lines = (HOSTS / host / "transcript.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(lines[place]) for place in places]


def _claude(name: str, asked: str, done: Sequence[Did]) -> Iterator[Line]:
    prompt, bash, ran, edit, edited, end = _recorded("claude-code", 4, 10, 11, 12, 13, 16)
    prompt["message"]["content"] = asked
    lines = [prompt]
    for at, each in enumerate(done):
        call, result = copy.deepcopy((bash, ran) if each.command else (edit, edited))
        key = f"toolu_{name}{at}"
        [used], [answer] = call["message"]["content"], result["message"]["content"]
        used["id"] = answer["tool_use_id"] = key
        call["message"]["id"] = f"msg_{name}{at}"
        if each.command:
            used["input"]["command"] = each.command
            answer["content"] = f"Exit code {each.code}\n{each.output}" if each.code else each.output
            answer["is_error"] = bool(each.code)
        elif each.is_read:
            used |= {"name": "Read", "input": {"file_path": f"/w/repo/{each.path}"}}
            answer["content"] = "     1\tdef total(amounts):"
        else:
            used["input"]["file_path"] = f"/w/repo/{each.path}"
        lines += [{**line, "isSidechain": each.is_sidechain} for line in (call, result)]
    for at, line in enumerate([*lines, end]):
        parent = f"{name}-{at - 1}" if at else None
        yield {**line, "uuid": f"{name}-{at}", "parentUuid": parent, "sessionId": name}


def _codex(name: str, asked: str, done: Sequence[Did]) -> Iterator[Line]:
    meta, prompt, patch, patched, call, ran, end = _recorded("codex", 0, 8, 21, 24, 16, 19, 32)
    meta["payload"] |= {"id": name, "session_id": name}
    prompt["payload"]["content"][0]["text"] = asked
    yield from (meta, prompt)
    for at, each in enumerate(done):
        used, answer = copy.deepcopy((call, ran) if each.command else (patch, patched))
        used["payload"]["call_id"] = answer["payload"]["call_id"] = f"call_{name}{at}"
        used["payload"]["id"], answer["payload"]["id"] = f"fc_{name}{at}", f"fco_{name}{at}"
        if each.command:
            used["payload"]["arguments"] = json.dumps({"cmd": each.command})
            head = f"Chunk ID: cc68c4\nWall time: 0.1 seconds\nProcess exited with code {each.code}\n"
            answer["payload"]["output"] = f"{head}Original token count: 9\nOutput:\n{each.output}"
        else:
            header = f"*** Begin Patch\n*** Update File: {each.path}\n"
            used["payload"]["input"] = f"{header}@@\n-a\n+b\n*** End Patch\n"
        yield from (used, answer)
    yield end
