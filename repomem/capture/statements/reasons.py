"""Why: the reason that a sentence gives for what it says, or that the sentence behind it gives."""

import re

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
