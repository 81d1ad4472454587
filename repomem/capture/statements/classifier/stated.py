"""Rewrites the sentences of statements so that they can be understood alone."""

from repomem.capture.dialogue_state import LONGEST_TEXT, Stated
from repomem.capture.statements.classifier.features import asks
from repomem.capture.statements.classifier.find import FoundStatement
from repomem.capture.statements.clauses import clauses_of
from repomem.capture.statements.not_statements import is_question
from repomem.capture.statements.sentences import Sentence, sentences_of
from repomem.core.text.escape import one_line
from repomem.core.text.lazy_pattern import lazy_pattern

SHORT = 8  # words; a shorter answer needs its question

_POINTS_BACK = lazy_pattern(  # a first word that refers to an earlier statement
    r"(?i)(?:(?:no+|nope|yes|yeah|and|so|but|ok(?:ay)?|then)\b[\s,.:;–—-]*)*"
    r"(?:it|its|it's|that|that's|this|these|those|they|them|there|same|both|neither|the (?:first|second|other|latter|"
    r"former)|das|dies\w*|die beiden|eso|esto|esa|ese|ça|c'est|cela|ceci|这|那|它|それ|これ|その|この)(?!\w*[a-z])"
)


def stated_of(found: FoundStatement) -> Stated:
    """A found statement, in the form that the session's state stores."""
    rejected = (each for clause in clauses_of(found.sentences) for each in clause.rejected)
    return Stated(
        key=f"{found.message.step.key}#{found.sentences[0].place}:found",
        at=found.message.step.at,
        kind=found.kind,
        text=one_line(_worded(found), LONGEST_TEXT),
        rejected=tuple(dict.fromkeys(rejected)),
        is_persons=found.message.is_persons,
        is_sure=found.is_sure,
    )


def _worded(found: FoundStatement) -> str:
    """The sentences, if necessary with the sentence before them or with the question that they answer."""
    text = " ".join(sentence.text for sentence in found.sentences).rstrip(" .!。")
    first = found.sentences[0].place
    whole = with_subject(text, found.message.sentences[first - 1].text if first else "")
    needs_question = not first and (_POINTS_BACK.match(text) or len(text.split()) < SHORT)
    question = _question(found) if needs_question else ""
    return f"{whole} (asked: {question})" if question and len(question) + len(whole) < LONGEST_TEXT else whole


def _question(found: FoundStatement) -> str:
    """The question at the end of the message that a prompt answers; empty without one."""
    said: list[Sentence] = sentences_of(found.message.heard, is_prompt=False) if found.message.is_persons else []
    return said[-1].text if said and asks(said[-1].text) else ""


def with_subject(text: str, before: str) -> str:
    """The text after the sentence before it, if it points back to that and both are short enough."""
    is_told = bool(before) and not is_question(before) and len(before) + len(text) < LONGEST_TEXT
    return f"{before} {text}" if is_told and _POINTS_BACK.match(text) else text
