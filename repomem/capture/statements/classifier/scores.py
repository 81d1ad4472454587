"""Scores sentences by two models: one of words and phrases, and one that reads a sentence in its context."""

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import NamedTuple

from repomem.capture.statements.classifier.context_model import KINDS, SentenceInContext, in_context
from repomem.capture.statements.classifier.features import asks, features_of
from repomem.capture.statements.classifier.messages import Message
from repomem.capture.statements.classifier.weights import places_of, weights
from repomem.capture.statements.clauses import clauses_of
from repomem.capture.statements.not_statements import is_undecided
from repomem.capture.statements.sentences import Sentence
from repomem.core.records import MemoryKind
from repomem.core.text.lazy_pattern import lazy_pattern

CONTEXT = 0.7  # weight of the log-odds of the second model
UNLIKELY = -0.7  # log-odds of the first model below which the second, which is slow, is not run
LONGEST = 400  # characters of a sentence

_SPEAKERS = lazy_pattern(r"(?:^|\s)[A-Z]\w{1,15}: ")  # two of them: a pasted chat

LogOdds = Callable[[Sequence[SentenceInContext]], Sequence[Sequence[float]]]  # as `context_model.log_odds`
Kinds = Mapping[MemoryKind, float]


class Score(NamedTuple):
    """Of one sentence."""

    statement: float  # probability that it states something lasting
    kinds: Kinds  # probability of each kind, if it does


NOTHING = Score(0.0, dict.fromkeys(MemoryKind, 0.0))


def scores_of(messages: Sequence[Message], log_odds: LogOdds) -> list[list[Score]]:
    """The scores of each message's sentences."""
    features = {
        (row, at): places_of(features_of(message, at))
        for row, message in enumerate(messages)
        for at, sentence in enumerate(message.sentences)
        if _may_state(sentence)
    }
    by_words = {place: weights().statement.score(own) for place, own in features.items()}
    unsettled = [place for place, odds in by_words.items() if odds >= UNLIKELY]
    read = log_odds([in_context(messages[row], at) for row, at in unsettled]) if unsettled else []
    by_context = zip(unsettled, read, strict=True)
    known = {place: _together(features[place], by_words[place], own) for place, own in by_context}
    return [
        [known.get((row, at), NOTHING) for at in range(len(message.sentences))] for row, message in enumerate(messages)
    ]


def _may_state(sentence: Sentence) -> bool:
    text = sentence.text
    is_own_claim = not asks(text) and len(text) <= LONGEST and len(_SPEAKERS.findall(text)) < 2
    return is_own_claim and not any(map(is_undecided, clauses_of([sentence])))


def _together(features: Collection[int], by_words: float, by_context: Sequence[float]) -> Score:
    """The score from the first model's features and log-odds, and from the second model's log-odds."""
    statement, *kinds = by_context
    context = dict(zip(map(MemoryKind, KINDS), kinds, strict=True))
    powers = {
        kind: math.exp(model.score(features) + CONTEXT * context[kind]) for kind, model in weights().kinds.items()
    }
    total = sum(powers.values())
    probability = 1 / (1 + math.exp(-(by_words + CONTEXT * statement)))
    return Score(probability, {kind: power / total for kind, power in powers.items()})
