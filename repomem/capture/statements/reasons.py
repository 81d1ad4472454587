"""Finds the reason that a sentence gives, and the alternatives that it rejects."""

import re
from collections.abc import Sequence

from repomem.capture.statements.not_statements import is_question
from repomem.capture.statements.sentences import Sentence

SHORT_ANSWER = 3  # words of a sentence that only names what is chosen: the next says why
LONGEST_REASON = 200  # characters of a sentence of its own

_WHY = re.compile(
    r"[,;:(]?\s*\b(?:because(?: of)?|given that|(?P<kept>so that|due to|in order to|to avoid|to keep|"
    r"otherwise)|since(?! (?:v?\d|yesterday|last\b|then\b|the (?:last|beginning|start|release|epoch|outset|"
    r"creation|first)\b|(?:january|february|march|april|may|june|july|august|september|october|november|"
    r"december)\b)))\b:?\s*|\s+weil\s+|,\s+(?=too much\b)|\s+as (?=it\b)|,\s+as (?=the\b)|,\s+so (?=(?:we|it|"
    r"the)\b)|\s+(?:[—–]|--?)\s+(?!(?:not|never|always|use|unless|and|but)\b)|,\s+(?=(?:it|that)'s\b)|"
    r":\s+(?=(?:it|we|they|the|everything)\b)|;\s+|,\s+(?!(?:and|but|or|not|never|always|so|which|who|then|"
    r"please|use|where|when|if|unless|even|rather|instead)\b)(?=[\w'`.-]+(?: [\w'`.-]+){0,3}? (?:is|are|has|"
    r"have|makes?|breaks?|does not|don't|can't|was|requires?|hid|gets?)\b)",
    re.IGNORECASE,
)
_LATER_WHY = re.compile(
    r"(?:it lets|\w+ing it would)\b[,:]?\s*",
    re.IGNORECASE,
)
_NAME = re.compile(r"[A-Za-z][\w+#-]{2,}")
_COMMON = frozenset(
    ("the", "and", "for", "use", "with", "this", "that", "not", "all", "are", "was", "have", "has", "let", "add")
)
_STATES = re.compile(
    r"\b(?:is|are|has|have|lost)\b",
    re.IGNORECASE,
)


def reason_at(text: str, start: int) -> re.Match[str] | None:
    """Where the reason starts within a sentence; its group `kept` is a word that belongs to the reason itself."""
    return _WHY.search(text, start)


def later_reason(text: str, following: Sentence) -> str:
    """The reason that a sentence gives for the one before it, by its first words or by speaking of the same."""
    found = _LATER_WHY.match(following.masked)
    if is_question(following.masked) or len(following.text) > LONGEST_REASON:
        return ""
    is_answer = len(text.split()) <= SHORT_ANSWER and _STATES.search(following.masked)
    if is_answer and not found:
        return following.text
    if not found:
        names = {name.lower() for name in _NAME.findall(following.text) if name.lower() not in _COMMON}
        is_of_the_same = _STATES.search(following.masked) and names & {name.lower() for name in _NAME.findall(text)}
        return following.text if is_of_the_same else ""
    starts = re.match(r"(?:because|(?:the )?(?:main )?reasons?|rationale|why)", found[0], re.IGNORECASE)
    return following.text[found.end() if starts else 0 :]


MOST_REJECTED = 3
LONGEST_REJECTED = 80

_REJECTED = re.compile(
    r"\b(?:instead of|rather than|in place of|as opposed to)\s+(?P<than>.+)|\b(?:prefer|prefers|chose|picked|"
    r"go with|went with|use)\b.{1,80}?\s(?:over|not)\s+(?P<over>.+)|,\s*(?:not|no)\s+(?P<not>.+)|"
    r"\brather\b.{2,80}?\sthan\s+(?P<rather>.+)|\bswitch\s+from\s+(?P<from>.+?)\s+to\b|"
    r"\breplaced\s+(?P<replaced>.+?)\s+with\b|\bdrop\s+(?P<dropped>.+?)\s+in favou?r of\b|\b(?:decided|"
    r"chose)\s+against\s+(?P<against>.+)",
    re.IGNORECASE,
)
_END_OF_THING = re.compile(
    r"[.,;:!?()]|\s(?:for|in|to|on|i)\b",
    re.IGNORECASE,
)
_PRONOUN = re.compile(r"it", re.IGNORECASE)
_CONSIDERED = re.compile(
    r"\b(?:considered|rejected)\s+(?P<what>[^,;.]{2,60}?)(?: but|\.)",
    re.IGNORECASE,
)


def rejected_in(text: str) -> tuple[str, ...]:
    """The things that a clause names as not taken, each once."""
    found = (match[match.lastgroup or 0] for match in _REJECTED.finditer(text))
    things = [_thing(part) for each in found for part in re.split(r"\s+(?:or|nor|and)\s+|,\s*", _upto(each))]
    return tuple(dict.fromkeys(thing for thing in things if thing and not _PRONOUN.fullmatch(thing)))[:MOST_REJECTED]


def considered_in(sentences: Sequence[Sentence], place: int) -> tuple[str, ...]:
    """What a sentence and those just before and behind it say was considered, and is not what was chosen."""
    near = (each for each in sentences if abs(each.place - place) <= 1)
    return tuple(_thing(found["what"]) for each in near for found in _CONSIDERED.finditer(each.text))


def _upto(text: str) -> str:
    end = _END_OF_THING.search(text)
    return text[: end.start()] if end else text


def _thing(text: str) -> str:
    bare = re.sub(
        r"^(?:to\s+)?(?:using|use|a|an|the|of|going with|having|another)\s+",
        "",
        text.strip(" .,;:!()"),
        flags=re.IGNORECASE,
    )
    return bare[:LONGEST_REJECTED].strip()
