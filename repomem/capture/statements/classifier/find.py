"""Finds runs of sentences that state something lasting, with their kind."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby

from repomem.capture.dialogue_state import LONGEST_TEXT
from repomem.capture.statements.classifier.features import names_one_of
from repomem.capture.statements.classifier.messages import Message, messages_of
from repomem.capture.statements.classifier.scores import LogOdds, Score, scores_of
from repomem.capture.statements.classifier.worded_kinds import kind_of
from repomem.capture.statements.clauses import clauses_of
from repomem.capture.statements.not_statements import is_hypothetical, is_not_meant, states_nothing
from repomem.capture.statements.sentences import Sentence
from repomem.capture.turns import Turn
from repomem.core.records import MemoryKind
from repomem.core.text.lazy_pattern import lazy_pattern

SURE_PERSON = 0.785  # least probability of a run's best sentence: nine of ten are right (benchmarks spoken)
SURE_AGENT = 0.81
LEAST_PERSON = 0.4  # least probability of the sentences next to the best one: mostly its reason
LEAST_AGENT = 0.6  # an agent's messages are summaries
POSSIBLE_PERSON = 0.25  # least probability of a note, which is shown only for a task clearly about it
POSSIBLE_AGENT = 0.35
FEWEST_WORDS = 5  # of a note
SURE_THREAD = 0.7  # makes a sentence open work, which is saved separately, since it will be closed

_VALUE = lazy_pattern(  # a whole sentence: "200.", "use 30 s"
    r"(?i)(?:(?:so|then|use|take|make it|let's say|nimm|dann|also)\b,? )*[`~<>≤≥]*\d[\w.:/`-]*(?: ?(?:%|\w{1,7}))?[.!]?"
)


@dataclass(frozen=True, slots=True)
class FoundStatement:
    """One or more consecutive sentences of a message."""

    message: Message
    sentences: tuple[Sentence, ...]
    kind: MemoryKind
    is_sure: bool = True  # else it is only possible that they state something lasting
    sure: Mapping[int, MemoryKind] = field(default_factory=dict)  # by place: those that alone are sure enough


def found_in(turns: Sequence[Turn], log_odds: LogOdds) -> Mapping[int, list[FoundStatement]]:
    """The statements of the person and the main agent by their turn."""
    found: defaultdict[int, list[FoundStatement]] = defaultdict(list)
    messages = list(messages_of(turns))
    for message, scores in zip(messages, scores_of(messages, log_odds), strict=True):
        found[message.turn] += _of_message(message, scores)
    return found


def _of_message(message: Message, given: Sequence[Score]) -> Iterator[FoundStatement]:
    known = zip(message.sentences, given, strict=True)
    scores = [0.0 if is_not_meant(sentence) else _probability(message, sentence, each) for sentence, each in known]
    taken: set[int] = set()
    least, sure = (LEAST_PERSON, SURE_PERSON) if message.is_persons else (LEAST_AGENT, SURE_AGENT)
    apart = sure if message.is_persons else 0.0
    runs = (part for each in _runs(scores, least) for part in _open_work_apart(each, given, apart))
    for run in (part for each in runs for part in _that_fit(each, message, scores, sure)):
        best = max(run, key=scores.__getitem__)
        if scores[best] >= sure:
            kept = [*run, *_value_after(run, message)]
            taken.update(kept)
            sentences = tuple(message.sentences[at] for at in kept)
            kinds = {at: kind_of(message.sentences[at].text, given[at].kinds) for at in run}
            alone = {message.sentences[at].place: kinds[at] for at in run if scores[at] >= sure}
            yield FoundStatement(message, sentences, kinds[best], sure=alone)
    if message.number:  # the first message is the task: sessions are found by it
        ruled_out = {at for at, one in enumerate(message.sentences) if at in taken or _states_nothing(one)}
        yield from _possible(message, [0.0 if at in ruled_out else score for at, score in enumerate(scores)])


def _probability(message: Message, sentence: Sentence, score: Score) -> float:
    """That a sentence is a statement: nine of ten are in which an agent names a command that passed."""
    is_command = score.statement >= POSSIBLE_AGENT and names_one_of(message.passed, sentence)
    return max(score.statement, SURE_AGENT) if is_command and not message.is_persons else score.statement


def _open_work_apart(run: Sequence[int], given: Sequence[Score], least: float) -> Iterator[list[int]]:
    """The run, split wherever one of two neighbouring statements is open work and the other is not.

    Both must have the `least` probability: a person's less probable sentence is mostly the reason of its neighbour.
    """
    part: list[int] = []
    for at in run:
        before, now = given[at - 1], given[at]  # places in a run are consecutive
        if part and min(before.statement, now.statement) >= least and _is_open(before) != _is_open(now):
            yield part
            part = []
        part.append(at)
    yield part


def _that_fit(run: Sequence[int], message: Message, scores: Sequence[float], sure: float) -> Iterator[list[int]]:
    """The run, split before each sure sentence that would end beyond LONGEST_TEXT and be cut off."""
    part: list[int] = []
    for at in run:
        length = sum(len(message.sentences[each].text) + 1 for each in (*part, at))
        if part and scores[at] >= sure and length > LONGEST_TEXT:
            yield part
            part = []
        part.append(at)
    yield part


def _value_after(run: Sequence[int], message: Message) -> Iterator[int]:
    """The place of the person's next sentence, if that is only the value to use: "1000 is too much. 200."."""
    at = run[-1] + 1
    if message.is_persons and at < len(message.sentences) and _VALUE.fullmatch(message.sentences[at].text):
        yield at


def _is_open(score: Score) -> bool:
    """Whether a statement is of open work."""
    return score.kinds.get(MemoryKind.THREAD, 0.0) >= SURE_THREAD


def _states_nothing(sentence: Sentence) -> bool:
    """Whether a sentence reports somebody else's words or is hypothetical."""
    return states_nothing(sentence) or any(map(is_hypothetical, clauses_of([sentence])))


def _possible(message: Message, scores: Sequence[float]) -> Iterator[FoundStatement]:
    """Runs of sentences that may state something lasting."""
    for run in _runs(scores, POSSIBLE_PERSON if message.is_persons else POSSIBLE_AGENT):
        sentences = tuple(message.sentences[at] for at in run)
        if sum(len(each.text.split()) for each in sentences) >= FEWEST_WORDS:
            yield FoundStatement(message, sentences, MemoryKind.FACT, is_sure=False)


def _runs(scores: Sequence[float], least: float) -> Iterator[list[int]]:
    """The places of consecutive scores of at least this."""
    for is_part, run in groupby(range(len(scores)), lambda at: scores[at] >= least):
        if is_part:
            yield list(run)
