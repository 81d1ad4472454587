"""Finds the reason that a sentence gives, and the alternatives that it rejects."""

import re
from collections.abc import Sequence

from repomem.capture.statements.not_statements import is_question
from repomem.capture.statements.sentences import Sentence
from repomem.core.text.lazy_pattern import lazy_pattern

SHORT_ANSWER = 3  # words of a sentence that only names the choice; the next gives the reason
LONGEST_REASON = 200  # characters of a separate sentence

_TIME = (
    r"v?\d|yesterday|last\b|then\b|the (?:last|beginning|start|release|epoch|outset|creation|first)\b|(?:january|"
    r"february|march|april|may|june|july|august|september|october|november|december|(?:mon|tues|wednes|thurs|fri|"
    r"satur|sun)day)\b"
)
_NO_VERB = (  # before "the" or "all"
    r"(?:of|in|at|on|for|from|by|with|to|and|or|but|into|as|than|under|over|after|before|until|till|when|while|if|about|"
    r"around|between|during|only|even)\b"
)
_SINCE = (  # gives a reason if a clause with a verb follows; else a time: "nanoseconds since midnight"
    rf"since(?= (?!{_TIME})(?:(?:we|i|you|they|he|she|it|this|that|nobody|everyone|everybody|everything|nothing|there|"
    r"who)(?:'\w+)? \w|[^\s,;:]+(?= )[^,;:.!?()]*?(?:"
    r"\b(?:is|are|was|were|has|have|had|does|do|did|can|cannot|could|will|would|must|may|might|should|never|"
    r"rarely|often|still|already)\b|"
    r"\w(?:n't|'ll|'ve|'re)\b|"
    rf" (?!{_NO_VERB})[a-z]{{2,}} (?:the|an?|our|its|their|it|them|us|no|all|every|each|both|these|those|only|always|"
    r"never|not|nothing)\b|"
    r"(?<!\bthe)(?<!\ba)(?<!\btwo) (?!this|its|us|plus|less|always)[a-z]+[^\W\dsu]s\b)))"
)
REASON = lazy_pattern(  # the words that introduce a reason; the group `kept` is part of it
    r"(?i)[,;:(]?\s*\b(?:because(?: of)?|given that|(?P<kept>so that|due to|in order to|to avoid|to keep|"
    rf"otherwise)|{_SINCE})\b:?\s*|\s+weil\s+|,\s+(?=too much\b)|\s+as (?=it\b)|,\s+as (?=the\b)|,\s+so (?=(?:we|it|"
    r"the)\b)(?!.*\bfrom now on\b)|\s+(?:[—–]|--?)\s+(?!(?:not|never|always|use|unless|and|but)\b)|"
    r",\s+(?=(?:it|that)'s\b)|"
    r":\s+(?=(?:it|we|they|the|everything)\b)|;\s+|,\s+(?!(?:and|but|or|not|never|always|so|which|who|then|"
    r"please|use|where|when|if|unless|even|rather|instead)\b)(?=[\w'`.-]+(?: [\w'`.-]+){0,3}? (?:is|are|has|"
    r"have|makes?|breaks?|does not|don't|can't|was|requires?|hid|gets?)\b)"
)
_LATER_WHY = lazy_pattern(r"(?i)(?:it lets|\w+ing it would)\b[,:]?\s*")
_NAME = lazy_pattern(r"[A-Za-z][\w+#-]{2,}")
_COMMON = frozenset(
    ("the", "and", "for", "use", "with", "this", "that", "not", "all", "are", "was", "have", "has", "let", "add")
)
_STATES = lazy_pattern(r"(?i)\b(?:is|are|has|have|lost)\b")


def later_reason(text: str, following: Sentence) -> str:
    """The following sentence, if its first words or a shared name make it the reason of `text`; else empty."""
    if is_question(following.masked) or len(following.text) > LONGEST_REASON:
        return ""
    if _LATER_WHY.match(following.masked):
        return following.text
    names = {name.lower() for name in _NAME.findall(following.text)} - _COMMON
    is_related = len(text.split()) <= SHORT_ANSWER or names & {name.lower() for name in _NAME.findall(text)}
    return following.text if is_related and _STATES.search(following.masked) else ""


MOST_REJECTED = 3
LONGEST_REJECTED = 80

_REJECTED = lazy_pattern(
    r"(?i)\b(?:instead of|rather than|in place of|as opposed to)\s+(?P<than>.+)|\b(?:prefer|prefers|chose|picked|"
    r"go with|went with|use)\b.{1,80}?\s(?:over|not)\s+(?P<over>.+)|,\s*(?:not|no)\s+(?P<not>.+)|"
    r"\brather\b.{2,80}?\sthan\s+(?P<rather>.+)|\bswitch\s+from\s+(?P<from>.+?)\s+to\b|"
    r"\breplaced\s+(?P<replaced>.+?)\s+with\b|\bdrop\s+(?P<dropped>.+?)\s+in favou?r of\b|\b(?:decided|"
    r"chose)\s+against\s+(?P<against>.+)"
)
_END_OF_THING = lazy_pattern(r"(?i)[.,;:!?()]|\s(?:for|in|to|on|i|there|here|now|again|any ?more)\b")
_BEFORE_THING = lazy_pattern(r"(?i)^(?:to\s+)?(?:using|use|a|an|the|of|going with|having|another)\s+")
_NO_THING = lazy_pattern(  # "not just unit tests" rejects nothing
    r"(?i)it$|(?:even|just|only|merely|simply|necessarily|yet|longer|matter)\b"
)
_CONSIDERED = lazy_pattern(r"(?i)\b(?:considered|rejected)\s+(?P<what>[^,;.]{2,60}?)(?: but|\.)")


def rejected_in(text: str) -> tuple[str, ...]:
    """The alternatives that a clause rejects, each once, at most MOST_REJECTED."""
    lists = (_END_OF_THING.split(match[match.lastgroup or 0], maxsplit=1)[0] for match in _REJECTED.finditer(text))
    things = [_thing(part) for listed in lists for part in re.split(r"\s+(?:or|nor|and)\s+|,\s*", listed)]
    return tuple(dict.fromkeys(thing for thing in things if thing and not _NO_THING.match(thing)))[:MOST_REJECTED]


def considered_in(sentences: Sequence[Sentence], place: int) -> tuple[str, ...]:
    """The alternatives that a sentence and its neighbours state were considered or rejected."""
    near = (sentence for sentence in sentences if abs(sentence.place - place) <= 1)
    return tuple(_thing(found["what"]) for sentence in near for found in _CONSIDERED.finditer(sentence.text))


def _thing(text: str) -> str:
    return _BEFORE_THING.sub("", text.strip(" .,;:!()"))[:LONGEST_REJECTED].strip()
