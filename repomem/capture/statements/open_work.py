"""The open work of a session: mentioned at any time and not taken up again."""

from collections.abc import Iterator, Sequence

from repomem.adapters.transcripts.steps import Step
from repomem.capture.dialogue_state import LONGEST_TEXT, Stated
from repomem.capture.statements.attempts import is_attempt, is_labelled_open, is_open
from repomem.capture.statements.sentences import Sentence, sentences_of
from repomem.capture.turns import Turn
from repomem.core.records import MemoryKind
from repomem.core.text.escape import one_line
from repomem.core.text.words import stems_of

SHORT_REQUEST = 15  # words: "write one, please", after "not done: the changelog has no entry"
TAKEN_UP = 0.5  # share of the words of open work from which a later message is about it


def threads_in(turns: Sequence[Turn]) -> Iterator[Stated]:
    """The open work that agents' messages name, without work taken up later."""
    for at, turn in enumerate(turns):
        for step in turn.final:
            for one in filter(is_open, sentences_of(step.text, is_prompt=False)):
                if not is_attempt(one) and not is_taken_up(one.text, turns[at + 1 :]):
                    yield open_work(step, one)


def persons_threads_in(turns: Sequence[Turn]) -> Iterator[Stated]:
    """The open work that prompts after the first label as such, unless the agent does it: "TODO: the cleanup"."""
    for at, turn in enumerate(turns[1:], 1):
        if turn.asked and not turn.edited:
            for one in filter(is_labelled_open, sentences_of(turn.asked.text, is_prompt=True)):
                if not is_taken_up(one.text, turns[at + 1 :]):
                    yield open_work(turn.asked, one, is_persons=True)


def is_taken_up(text: str, later: Sequence[Turn]) -> bool:
    """Whether a later message has half of the words, or the next one is a short request that leads to an edit."""
    if later and later[0].edited and later[0].asked and len(later[0].asked.text.split()) <= SHORT_REQUEST:
        return True
    words = stems_of(text)
    said = (step.text for turn in later for step in (turn.asked, *turn.final) if step)
    return any(len(words.intersection(stems_of(each))) >= TAKEN_UP * len(words) for each in said)


def open_work(step: Step, sentence: Sentence, *, is_persons: bool = False) -> Stated:
    """A sentence as an open thread."""
    text = one_line(sentence.text.rstrip(" ."), LONGEST_TEXT)
    return Stated(f"{step.key}#{sentence.place}:open", step.at, MemoryKind.THREAD, text, is_persons=is_persons)
