"""Why: the reason that a sentence gives for what it says, or that the sentence behind it gives."""

import re

from repomem.capture.statements.not_statements import is_question
from repomem.capture.statements.sentences import Sentence

SHORT_ANSWER = 3  # words of a sentence that only names what is chosen: the next says why
LONGEST_REASON = 200  # characters of a sentence of its own

_WHY = re.compile(
    r"[,;:(]?\s*(?:[—–]\s*)?\b(?:because(?: of)?|given that|seeing (?:that|as)|the reason (?:is|being)(?: that)?"
    r"|(?P<kept>so that|so as to|due to|in order to|to avoid|to prevent|to keep|to ensure|to make sure|otherwise)"
    r"|since(?! (?:v?\d|yesterday|last\b|then\b|the (?:last|beginning|start|release|epoch|outset|creation|first)\b|"
    r"(?:january|february|march|april|"
    r"may"
    r"|june|july|august|september|october|november|december)\b)))\b:?\s*"
    r"|,\s+(?:weil|denn|damit|da (?=wir|es|die|das|der)|porque|ya que|pues|puesto que|parce que|car|puisque)\s+"
    r"|\s+(?:weil|porque|parce que)\s+"
    r"|,\s+(?=too (?:many|much|slow|big|heavy|complex|complicated|fragile|brittle|noisy|expensive|flaky|old|new|easy|"
    r"risky)\b)"
    r"|\s+as (?=(?:it|we|they|there)\b)|,\s+as (?=(?:this|that|the|our|i|most|some|many|all)\b)"
    r"|,\s+so (?:that )?(?=(?:we|it|they|the|there|no|every|all)\b)"
    r"|\s+(?:[—–]|--?)\s+(?!(?:not|never|always|use|unless|and|but)\b)"
    r"|,\s+(?=(?:it|they|that|this)(?:'s|'re| is| are| was| has| does| doesn't| breaks| makes| keeps| would| can)\b)"
    r"|:\s+(?=(?:it|we|they|the|our|everything|each|every|all)\b)|;\s+"
    r"|,\s+(?!(?:and|but|or|not|never|always|so|which|who|then|please|use|where|when|if|unless|even|rather|instead)\b)"
    r"(?=[\w'`.-]+(?: [\w'`.-]+){0,3}? (?:is|are|has|have|had|makes?|needs?|keeps?|breaks?|costs?|takes?|doesn't|"
    r"does not|don't|do not|"
    r"isn't|aren't|can't|cannot|was|were|gives?|lets?|already|requires?|demands?|hides?|hid|drops?|lacks?|"
    r"adds?|gets?|means|causes?)\b)",
    re.IGNORECASE,
)
_LATER_WHY = re.compile(
    r"(?:because|(?:the )?(?:main )?reasons?(?: is| being|:)|rationale:?|why:|that way|otherwise|this (?:way|keeps|"
    r"avoids|lets|"
    r"is because|makes|means)|it(?:'s| is| has| was| keeps| avoids| lets| makes| needs| would)|they(?:'re| are)|"
    r"the [\w ]{2,40} (?:is|are) (?:enough|fine|sufficient|good enough)|we (?:have|don't|do not|already|only|can't|"
    r"cannot|need|had)|our|\w+ing (?:it|them|that) (?:would|will|means|costs?|breaks?|makes?))\b[,:]?\s*",
    re.IGNORECASE,
)
_NAME = re.compile(r"[A-Za-z][\w+#-]{2,}")
_COMMON = frozenset(
    ("the", "and", "for", "use", "with", "this", "that", "not", "all", "are", "was", "have", "has", "let", "add")
)
_STATES = re.compile(
    r"\b(?:is|are|was|were|has|have|had|does|do|did|can|can't|cannot|would|makes?|needs?|keeps?|breaks?|costs?|"
    r"takes?|bit|gets?|lost|hit|caused|failed|took|burned|broke|kept)\b"
    r"|n't\b",
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
