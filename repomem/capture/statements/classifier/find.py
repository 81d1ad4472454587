"""Finds runs of sentences that state something lasting, with their kind."""

import math
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from repomem.capture.statements.classifier.features import asks, features_of
from repomem.capture.statements.classifier.messages import Message, messages_of
from repomem.capture.statements.classifier.weights import places_of, weights
from repomem.capture.statements.sentences import Sentence
from repomem.capture.turns import Turn
from repomem.core.records import MemoryKind

# Least probability of a run's best sentence. Chosen on ten writers, each judged by a fit on the others.
SURE_PERSON = 0.7
SURE_AGENT = 0.7  # in the message that ends a turn
SURE_BEFORE_ACTION = 0.75  # in an agent's other messages, which are mostly plans
LEAST_PERSON = 0.4  # of a sentence beside the best, which is mostly its reason
LEAST_AGENT = 0.6  # an agent's messages are summaries
LONGEST = 400  # characters of a sentence
SURE_RULE = 0.6  # a rule leads every brief, so a less sure one is taken for a decision

_SPEAKERS = re.compile(r"(?:^|\s)[A-Z]\w{1,15}: ")  # two of them: a pasted chat


@dataclass(frozen=True, slots=True)
class FoundStatement:
    """One or more consecutive sentences of a message."""

    message: Message
    sentences: tuple[Sentence, ...]
    kind: MemoryKind


def found_in(turns: Sequence[Turn]) -> Mapping[int, list[FoundStatement]]:
    """The statements of the person and the main agent by their turn."""
    found: defaultdict[int, list[FoundStatement]] = defaultdict(list)
    for message in messages_of(turns):
        found[message.turn] += _of_message(message)
    return found


def least_probability(message: Message) -> float:
    """From which probability of its best sentence on a run of a message's sentences is kept."""
    if message.is_persons:
        return SURE_PERSON
    return SURE_AGENT if message.is_final else SURE_BEFORE_ACTION


def _of_message(message: Message) -> Iterator[FoundStatement]:
    places = [
        places_of(features_of(message, at)) if _may_state(sentence.text) else None
        for at, sentence in enumerate(message.sentences)
    ]
    scores = [_probability(weights().statement.score(own)) if own else 0.0 for own in places]
    least, sure = LEAST_PERSON if message.is_persons else LEAST_AGENT, least_probability(message)
    for is_part, run in groupby(range(len(scores)), lambda at: scores[at] >= least):
        together = list(run)
        best = max(together, key=scores.__getitem__)
        if is_part and scores[best] >= sure:
            yield FoundStatement(message, tuple(message.sentences[at] for at in together), _kind(places[best] or set()))


def _may_state(text: str) -> bool:
    return not asks(text) and len(text) <= LONGEST and len(_SPEAKERS.findall(text)) < 2


def _kind(places: set[int]) -> MemoryKind:
    scores = {kind: model.score(places) for kind, model in weights().kinds.items()}
    total = sum(map(math.exp, scores.values()))
    best = max(scores, key=scores.__getitem__)
    is_unsure_rule = best is MemoryKind.RULE and math.exp(scores[best]) / total < SURE_RULE
    return MemoryKind.DECISION if is_unsure_rule else best


def _probability(score: float) -> float:
    return 1 / (1 + math.exp(-score))
