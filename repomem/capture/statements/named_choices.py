"""Recognizes a short answer that names one of the things that the agent's message offered, and gives the reason.

"iir. ram is at 94%", after "a moving window or IIR?"; "ok blobless clone then".
"""

import re
from collections.abc import Sequence
from typing import NamedTuple

from repomem.adapters.transcripts.steps import Step
from repomem.capture.statements.not_statements import is_question
from repomem.capture.statements.outcome import agent_sentences
from repomem.capture.statements.sentences import Sentence
from repomem.core.text.escape import one_line
from repomem.core.text.lazy_pattern import lazy_pattern

MOST_WORDS = 5  # of what is named
SHORTEST = 2  # letters of the longest word of what is named
FEWEST_OF_REASON = 4  # words
MOST_SENTENCES = 3  # of the answer, among which the choice is looked for
LONGEST_OFFER = 160  # characters

_LEAD = lazy_pattern(
    r"(?i)(?:(?P<marker>let's (?:do|go with|use)|go with|entonces|dann|alors)|"
    r"then|so|also|ok(?:ay)?|yes|yeah|yep|(?:no|nah)(?=[,.:;!–—]|\s-|$)|h+m+|great|right|good|fine|cool|ah|oh|uf|well|eso|"
    r"sí|vale|bueno|bon|oui|gut|ja|the|la|el|le|les|der|die|das)(?:[\s,.:!–—-]+|$)"
)
_TAIL = lazy_pattern(r"(?i)[\s,]+(?:(?P<marker>then|it is(?: then)?|entonces|dann|alors)|please|pls|thanks|bitte)\s*$")
_PARTS = lazy_pattern(r"(?i)[,;:]\s|\s[–—-]+\s|\s(?:because|since|so that|porque|weil|parce que|car)\s")
_TASK = (
    r"please|add|fix|run|commit|push|make|write|show|check|rename|move|revert|continue|wait|stop|try|look|see|leave|"
    r"go|do|now|also|then|and"
)
_TASKS = lazy_pattern(rf"(?i)(?:{_TASK})\b")
_NO_CHOICE = lazy_pattern(
    rf"(?i)(?:{_TASK}|yes|no|ok(?:ay)?|both|neither|either|sure|why|what|how|not|or|it|that|this|thanks?|done|"
    r"i|you|we|he|she|they|there|is|are|was|but|if|when|\w+ (?:it|them|that|this)$)\b"
)
_OFFERS = lazy_pattern(
    r"(?i)\b(?:or|vs\.?|versus|either|instead|could|would|i'd|lean|prefer|recommend|oder|könnte\w*|ou|pourr\w+|podr\w+|"
    r"alternativ\w*|options?)\b|\?"
)
_ASKS = lazy_pattern(
    r"(?i)\b(?:or|oder|ou|o)\b.*\?|\b(?:either|(?:two|three|four|2|3|4) (?:ways|options|choices))\b.*\bor\b"
)
_GUESSES = lazy_pattern(r"(?i)\b(?:could|might|may|must) be\b|\b(?:maybe|perhaps|probably|looks like|seems)\b")
_AT_HAND = lazy_pattern(  # of the agent's next step
    r"(?i)\b(?:here|this (?:function|test|file|line|case)|shall i|should i|do you want me|want me)\b"
)
_CHOOSES = lazy_pattern(r"(?i)^(?:(?:ship|stick|stay|keep) with|keep|use|take)\s+")
_WORD = lazy_pattern(r"[\w.+#-]*\w")


class NamedChoice(NamedTuple):
    """What a person chose, with what it answers, and why."""

    text: str
    why: str
    place: int  # of the sentence that names it
    is_alone: bool  # whether that sentence says nothing else


def named_choice(sentences: Sequence[Sentence], offered: Sequence[Sequence[Step]]) -> NamedChoice | None:
    """The choice of an answer; `offered` are the agent's messages in the turns before it, the last turn first.

    An answer that says "then" may name something of an earlier turn.
    """
    for at, sentence in enumerate(sentences[:MOST_SENTENCES]):
        if is_question(sentence.text):
            continue
        named, has_marker, reason = _parts(sentence.text)
        words = [word.lower() for word in _WORD.findall(_CHOOSES.sub("", named))]
        if not 0 < len(words) <= MOST_WORDS or max(map(len, words)) < SHORTEST or _NO_CHOICE.match(named):
            continue
        is_alone = not reason
        reason = reason or _next(sentences[at + 1 : at + 2])
        has_ground = has_marker or len(reason.split()) >= FEWEST_OF_REASON
        for messages in offered if has_marker else offered[:1]:
            offer = _offer_of(words, messages, is_enough=has_marker)
            if offer and (has_ground or (_ASKS.search(offer) and not _AT_HAND.search(offer))):
                return NamedChoice(_text(named, offer), reason, sentence.place, is_alone)
    return None


def _offer_of(words: Sequence[str], messages: Sequence[Step], *, is_enough: bool) -> str:
    """The last sentence or line that has all of the words, the question first; empty if nothing is offered there."""
    sentences = [one.text for one in agent_sentences(messages)]
    lines = [line.strip("|*#-• \t") for step in messages for line in step.text.splitlines()]
    naming = [one for one in sentences if _names(one, words)] or [one for one in lines if _names(one, words)]
    naming = [one for one in naming if not _GUESSES.search(one)]
    asking = [one for one in naming if _ASKS.search(one)]
    has_offer = is_enough or any(map(_OFFERS.search, sentences))
    return (asking or naming or [""])[-1] if has_offer else ""


def _parts(text: str) -> tuple[str, bool, str]:
    """What a sentence names, whether a word such as "then" says that this is a choice, and the rest of it."""
    has_marker, rest = False, text.strip(" .!")
    while lead := _LEAD.match(rest):
        has_marker, rest = has_marker or bool(lead["marker"]), rest[lead.end() :]
    split = _PARTS.search(rest)
    named, reason = (rest[: split.start()], rest[split.end() :]) if split else (rest, "")
    while tail := _TAIL.search(named):
        has_marker, named = has_marker or bool(tail["marker"]), named[: tail.start()]
    return named.strip(), has_marker, reason.strip()


def _names(offer: str, words: Sequence[str]) -> bool:
    lower = offer.lower()
    return all(re.search(rf"(?<![^\W_]){re.escape(word)}", lower) for word in words)


def _next(after: Sequence[Sentence]) -> str:
    text = after[0].text if after else ""
    return "" if not text or is_question(text) or _TASKS.match(text) else text


def _text(named: str, offer: str) -> str:
    label = "asked" if _ASKS.search(offer) else "answering"
    return f"{named} ({label}: {one_line(offer, LONGEST_OFFER).rstrip(' .')})"
