"""Splits sentences into clauses, each with its reason and the alternatives that it rejects.

Questions, options and reported speech are skipped: they state nothing about the repository.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from repomem.capture.statements.not_statements import lead_in, states_nothing
from repomem.capture.statements.reasons import REASON, later_reason, rejected_in
from repomem.capture.statements.remember_requests import MEMO
from repomem.capture.statements.sentences import Clause, Sentence
from repomem.core.text.lazy_pattern import lazy_pattern

FEWEST_BEFORE_WHY = 2  # characters before a reason, which never comes first
LONGEST = 400  # characters of a sentence to save

_FRONT = lazy_pattern(
    r"(?i)(?:for|in)(?!.{0,40}?\b(?:we|i|they)\b)\s(?:[^\s,;:]+ ){0,6}[^\s,;:]+,\s+|"
    r"(?!.{0,30}\bdecision)[^\s,;:.]+ [^,;:.]{2,40}:\s+(?=(?:we|no|[\w ]{3,30}s are)\b)"
)
_JOINTS = lazy_pattern(
    r"(?i),?\s+and\s+(?=(?:always|from now on)\b)|,\s+(?=we (?:always|never) (?!.*\b(?:there|it|that|them)\W*$))|"
    r"(?P<so>,\s+so )(?=(?:[\w`'-]+ ){1,6}?must\b|.*\bfrom now on\b)"
)
_IN_SHORT = lazy_pattern(r":\s+")
_OF_CHOICES = lazy_pattern(r"(?i)\bdecisions?\b")
_HAS_VERB = (  # what comes before a colon then: "Note that it must keep insertion order: …" has no label
    r"(?!(?: [^\s:]+){0,6}? (?:that|is|are|was|were|has|have|had|do|does|did|must|should|shall|can|cannot|will|would|"
    r"may|might|needs?|keeps?|makes?|takes?|gets?|goe?s?|comes?|lives?|applies|apply|wins?|matters?|"
    r"[^\s:]+n't)\b(?!:)[^:]*:)"
)
_LABELS = (
    rf"{MEMO}|"
    rf"(?:set |the |one |final )*(?:decision|rule|convention|policy|design note)s?\b{_HAS_VERB}[^:]{{0,40}}:\s+|"
    r"(?:update|correction|reminder):\s+|"
    r"(?:watch out|careful|beware|heads[- ]up|caveat|note|fyi|gotcha|for the record|caution|"
    rf"warning)\b(?:[^,:]{{0,20}},|{_HAS_VERB}[^:.]{{0,40}}:)\s+"
)
_LABEL = lazy_pattern(f"(?i){_LABELS}")
_TOPIC = lazy_pattern(
    rf"(?i)(?={_LABELS})(?:decision|rule|convention|policy|caveat|note|gotcha|caution|warning)s? "
    r"(?=(?:for|on|about|with|in|when|under) [^:,]+:)"
)
_PROSE_WORD = lazy_pattern(r"[^\W\d_]+(?![\w(./:-])")  # `proxy()` keeps its spelling
_CONDITION = lazy_pattern(rf"(?i){_LABELS}|after\b[^,]{{2,100}},\s+")


def clauses_of(sentences: Sequence[Sentence]) -> Iterator[Clause]:
    """The clauses of sentences that are statements, each with the reason from its own or the next sentence."""
    for at, sentence in enumerate(sentences):
        following = sentences[at + 1] if at + 1 < len(sentences) else None
        if len(sentence.text) > LONGEST or sentence.text.endswith((":", "：")) or states_nothing(sentence):
            continue
        spans = list(_spans(sentence.masked))
        reason = ""  # the clause before "so" is the reason of the clause after it
        for part, (start, end, is_reason) in enumerate(spans):
            after = following if part + 1 == len(spans) else None
            clause = _clause(sentence, start, end, after, part)
            if is_reason:
                reason = clause.text
            else:
                yield replace(clause, why=reason, has_own_why=True) if reason and not clause.has_own_why else clause


def unlabelled(text: str) -> str:
    """A statement without its label, but with the topic: "Caveat for Windows: no locks" becomes "For Windows: …"."""
    label = _TOPIC.match(text) or _LABEL.match(text)
    bare = text[label.end() :] if label else text
    return bare[0].upper() + bare[1:] if bare != text and _PROSE_WORD.match(bare) else bare or text


def _spans(text: str) -> Iterator[tuple[int, int, bool]]:
    start = 0
    is_labelled = _LABEL.match(text, lead_in(text))  # "Gotcha: the client retries, so tests must stub it" stays whole
    for joint in _JOINTS.finditer(text):
        if joint["so"] and is_labelled:
            continue
        yield start, joint.start(), bool(joint["so"])
        start = joint.end()
    yield start, len(text), False


def _clause(sentence: Sentence, start: int, end: int, following: Sentence | None, part: int) -> Clause:
    text, hidden = sentence.text[start:end], sentence.masked[start:end]
    lead = lead_in(hidden)
    front = _FRONT.match(hidden, lead) or _CONDITION.match(hidden, lead)
    split = REASON.search(hidden, min(front.end() if front else lead + FEWEST_BEFORE_WHY, len(hidden)))
    if not split and _OF_CHOICES.search(sentence.section):
        split = _IN_SHORT.search(hidden, lead)
    head = split.start() if split else len(hidden)
    why = ""
    if split:
        kept = split.groupdict().get("kept")
        why = text[split.start("kept") if kept else split.end() :]
    elif following:
        why = later_reason(text, following)
    start_of_bare = front.end() if front and _FRONT.match(hidden, lead) else lead
    return Clause(
        text=text[lead:head].strip(" ,;:—–-"),
        bare=hidden[start_of_bare:head].strip(),
        front=hidden[lead:start_of_bare].strip(" ,"),
        whole=hidden,
        section=sentence.section,
        why=why.strip(" .,;)"),
        has_own_why=bool(split),
        rejected=rejected_in(text[lead:head]),
        place=sentence.place,
        part=part,
        before=sentence.masked[lead_in(sentence.masked) : start],
    )
