"""Plays sessions in a repository: each prompt and each end of a turn goes through the hooks of the session's host."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from benchmarks.spoken import says
from benchmarks.week.place import Place, new_place
from benchmarks.week.scripts import Session, Step, Turn, writer_of

TURN = timedelta(minutes=10)
BEFORE = timedelta(days=3)  # between the first commit and the first session
FOLDER = "/w/repo"  # where the scripts say that the repository is


@dataclass(frozen=True, slots=True)
class Played:
    """What the agent of a session was shown, and what is remembered after it."""

    session: Session
    start: str  # by the hook at the start
    added: tuple[str, ...]  # by the hook at each prompt
    asked: str  # by `repomem recall` for the first prompt
    memories: tuple[dict[str, Any], ...]  # after its commit

    @property
    def shown(self) -> str:
        """All that was shown until the agent began to work on the first prompt."""
        return f"{self.start}\n{self.added[0]}"


def play(sessions: Sequence[Session], folder: Path, *, is_helped: bool = False) -> Iterator[Played]:
    """Play sessions one after the other in one new repository.

    With `is_helped`, what capture missed is recorded by `repomem remember`: what would briefs show of a whole memory?
    """
    place = new_place(folder, sessions[0].at - BEFORE)
    for session in sessions:
        yield _played(place, session, is_helped=is_helped)


def _played(place: Place, session: Session, *, is_helped: bool) -> Played:
    """Play one session turn by turn, commit its work, and let the index catch up."""
    ident = writer_of(session, ()).session
    now = session.at
    start = place.hook(session, ident, "session-start", now, source="startup")
    asked = place.repomem(now, "recall", "--", session.turns[0][0].body)
    steps: list[Step] = []
    added = []
    for turn in session.turns:
        added.append(place.hook(session, ident, "prompt", now, prompt=_typed(session, turn, start)))
        steps += [Step("inject", "", text) for text in (start if not steps else "", added[-1]) if text]
        steps += turn
        for step in turn:
            place.change(step)
        now += TURN
        _write(place, session, tuple(steps), ident)
        place.hook(session, ident, "stop", now, **_last_words(session, turn))
    if is_helped:
        _remember_missed(place, session, now)
    place.commit(session.scenario.header["commit"], now)
    return Played(session, start, tuple(added), asked, _memories(place, now))


def _typed(session: Session, turn: Turn, start: str) -> str:
    """A prompt as the host hands it to its hook: Gemini CLI puts what the first hook said before it."""
    is_first = turn == session.turns[0]
    context = f"<hook_context>{start}</hook_context>\n\n" if session.host == "gemini" and is_first and start else ""
    return f"{context}{turn[0].body}"


def _last_words(session: Session, turn: Turn) -> dict[str, str]:
    """What the host says of the agent's last message."""
    said = next((step.body for step in reversed(turn) if step.verb == "say"), "")
    return {"prompt_response" if session.host == "gemini" else "last_assistant_message": said}


def _write(place: Place, session: Session, steps: tuple[Step, ...], ident: str) -> None:
    """Write the transcript as the host has it after these steps."""
    path = place.transcript(session, ident)
    path.parent.mkdir(parents=True, exist_ok=True)
    text = writer_of(session, steps).text().replace(FOLDER, str(place.folder))
    path.write_text(text, encoding="utf-8")


def _remember_missed(place: Place, session: Session, now: datetime) -> None:
    texts = [text_of(memory) for memory in _memories(place, now)]
    for one in session.statements:
        if not any(says(text, one.phrase) for text in texts):
            # It warns that it does not count as a person's, since nobody types it at a terminal.
            place.repomem(now, "remember", "--kind", one.kind, one.worded, may_warn=True)


def text_of(memory: dict[str, Any]) -> str:
    """All words of a memory."""
    return " ".join(filter(None, (memory["text"], memory.get("why", ""))))


def _memories(place: Place, now: datetime) -> tuple[dict[str, Any], ...]:
    return tuple(json.loads(place.repomem(now, "memories", "--format", "json"))["memories"])
