"""The source sentence of a captured statement, for a person who reviews it."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from repomem.adapters.transcripts.steps import Step, StepKind
from repomem.capture.dialogue_state import LONGEST_TEXT, Stated
from repomem.capture.statements.sentences import sentences_of
from repomem.capture.turns import Turn
from repomem.core.text.escape import one_line
from repomem.core.text.lazy_pattern import lazy_pattern

_KEY = lazy_pattern(r"(?s)(?P<step>.*)#(?P<place>\d+)[.:][^#]*")


def with_sentences(stated: Iterable[Stated], turns: Sequence[Turn]) -> list[Stated]:
    """The statements, each with its sentence where its text does not have that word for word."""
    steps: dict[str, Step] = {}
    for step in (step for turn in turns for step in _messages(turn)):
        steps.setdefault(step.key, step)
    return [replace(one, sentence=_sentence(one, steps)) for one in stated]


def _messages(turn: Turn) -> Iterator[Step]:
    if turn.asked:
        yield turn.asked
    yield from turn.steps
    for inner in turn.subagents:
        yield from _messages(inner)


def _sentence(one: Stated, steps: dict[str, Step]) -> str:
    key = _KEY.fullmatch(one.key)
    step = steps.get(key["step"]) if key else None
    if key is None or step is None:
        return ""
    sentences = sentences_of(step.text, is_prompt=step.kind is StepKind.ASKED)
    place = int(key["place"])
    text = one_line(sentences[place].text, LONGEST_TEXT) if place < len(sentences) else ""
    return "" if text.rstrip(" .!。") in one.text else text
