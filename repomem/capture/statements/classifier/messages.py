"""The messages of a session, each with the statements and actions around it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from repomem.adapters.transcripts.steps import Step, StepKind
from repomem.capture.statements.sentences import Sentence, sentences_of
from repomem.capture.turns import Turn

FIRST = StepKind.SAID.value  # as in mid-session: a first message may be a decision, though few in training are
FAILED = "failed"
MOST_COMMANDS = 50  # before a message, the newest, that its sentences are compared with
NEAR = 4  # steps before a message in which a failed command counts

_MESSAGES = frozenset({StepKind.ASKED, StepKind.SAID})


@dataclass(frozen=True, slots=True)
class Message:
    """One message of the person or the main agent."""

    step: Step
    turn: int
    number: int  # messages before it in the session
    sentences: tuple[Sentence, ...]
    heard: str = ""  # the last message of the other one before it
    has_failed: bool = False  # a command failed shortly before
    before: str = FIRST  # kind of the step before it
    after: tuple[StepKind, ...] = ()  # kinds of the next two steps of its turn
    edits: bool = False  # an edit follows in its turn
    runs: bool = False  # a command follows in its turn
    is_final: bool = True  # a prompt, or after the agent's last action in its turn
    passed: tuple[str, ...] = ()  # commands before it that passed when they last ran
    failed: tuple[str, ...] = ()

    @property
    def is_persons(self) -> bool:
        """Whether the person wrote it."""
        return self.step.kind is StepKind.ASKED


def messages_of(turns: Sequence[Turn]) -> Iterator[Message]:
    """The messages of the person and the main agent, in order."""
    steps = [(at, step) for at, turn in enumerate(turns) for step in (turn.asked, *turn.steps) if step]
    ends = {(turn, step.kind): place for place, (turn, step) in enumerate(steps)}  # the last ones win
    final = {step.key for turn in turns for step in turn.final}
    last = {StepKind.ASKED: "", StepKind.SAID: ""}
    number = 0
    codes: dict[str, int] = {}  # of the commands before the message, each one's last
    for place, (turn, step) in enumerate(steps):
        if step.kind is StepKind.RAN and step.code is not None:
            codes.pop(command := " ".join(step.text.split()), None)
            codes[command] = step.code
        if step.kind not in _MESSAGES:
            continue
        is_persons = step.kind is StepKind.ASKED
        recent = list(codes.items())[-MOST_COMMANDS:]
        yield Message(
            step,
            turn,
            number,
            tuple(sentences_of(step.text, is_prompt=is_persons)),
            heard=last[StepKind.SAID if is_persons else StepKind.ASKED],
            has_failed=any(before.code for _, before in steps[max(0, place - NEAR) : place]),
            before=_kind_of(steps[place - 1][1]) if place else FIRST,
            after=tuple(after.kind for at, after in steps[place + 1 : place + 3] if at == turn),
            edits=ends.get((turn, StepKind.EDITED), 0) > place,
            runs=ends.get((turn, StepKind.RAN), 0) > place,
            is_final=is_persons or step.key in final,
            passed=tuple(command for command, code in recent if not code),
            failed=tuple(command for command, code in recent if code),
        )
        last[step.kind] = step.text
        number += 1


def _kind_of(step: Step) -> str:
    return FAILED if step.code else step.kind.value
