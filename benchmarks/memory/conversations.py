"""Long conversations, written by hand: their turns, and questions with the turns that answer them.

Each file of `sets/conversations` is one conversation: a first line about the whole, then its turns, then its questions.
"""

import json
from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).parent / "sets" / "conversations"


@dataclass(frozen=True, slots=True)
class Turn:
    """One turn of a conversation."""

    id: str  # "s3:t12": session and turn, from 1
    date: str  # of its session: "2025-02-03T09:40"
    speaker: str
    text: str

    @property
    def session(self) -> str:
        """The session of the turn: "s3"."""
        return self.id.partition(":")[0]

    @property
    def memory(self) -> str:
        """The text that is remembered."""
        return f"{self.speaker} ({self.date.replace('T', ' ')}): {self.text}"


@dataclass(frozen=True, slots=True)
class Question:
    """A question, and the turns that answer it: none for one of type "none"."""

    text: str
    type: str  # single, multi, time, open or none
    evidence: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Conversation:
    """A conversation of two people over months."""

    name: str
    split: str  # dev: may be tuned on; held: only measured
    turns: tuple[Turn, ...]
    questions: tuple[Question, ...]


def conversations(folder: Path = FOLDER) -> list[Conversation]:
    """Every conversation, by name."""
    return [conversation_in(file) for file in sorted(folder.glob("*.jsonl"))]


def conversation_in(file: Path) -> Conversation:
    """The conversation of one file."""
    about, *rows = (json.loads(line) for line in file.read_text(encoding="utf-8").splitlines())
    return Conversation(
        name=about["conversation"],
        split=about["split"],
        turns=tuple(Turn(**row) for row in rows if "speaker" in row),
        questions=tuple(
            Question(row["question"], row["type"], tuple(row["evidence"])) for row in rows if "question" in row
        ),
    )
