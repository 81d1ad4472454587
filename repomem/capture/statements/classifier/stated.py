"""Rewrites the sentences of statements so that they can be understood alone."""

from repomem.capture.dialogue_state import LONGEST_TEXT, Stated
from repomem.capture.statements.classifier.features import asks
from repomem.capture.statements.classifier.find import FoundStatement
from repomem.capture.statements.clauses import clauses_of
from repomem.capture.statements.not_statements import is_question
from repomem.capture.statements.sentences import sentences_of
from repomem.core.text.escape import one_line
from repomem.core.text.lazy_pattern import lazy_pattern

SHORT = 8  # words; a shorter answer needs its question
FEWEST_WORDS = 3  # of a text without its fillers
FEWEST_ANSWERED = 4  # words of what a text points back to; "All done." is not that

_FILLER = lazy_pattern(  # first words without content
    r"(?i)^(?:(?:(?:oh|ah|ach|hm+|btw|also|und|and|et|y|so(?! (?:that|far|long|much|many|is|are)\b))\b[\s,.:;!—–-]+"
    r"|(?:by the way|one more thing|another thing|ok(?:ay)?|yes|yeah|yep|right|nice|great|cool|perfect|good|fine|super|"
    r"gut|genau|ja|sí|vale|oui|merci|thanks|sure|exactly)\b\s*[,.:!;—–-]+\s+))+"
)
_POINTS_BACK = lazy_pattern(  # a first word that refers to an earlier statement; "make it 90"
    r"(?i)(?:(?:no+|nope|yes|yeah|and|so|but|ok(?:ay)?|then)\b[\s,.:;–—-]*)*"
    r"(?:(?:make|set|keep|leave|put|call|raise|lower|mach|setz|lass|nimm) (?=(?:it|that|this|them|das|es)\b))?"
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
    """The sentences, if necessary with the sentence before them or with what they answer."""
    text = " ".join(sentence.text for sentence in found.sentences).rstrip(" .!。")
    first = found.sentences[0].place
    whole = _without_filler(with_subject(text, found.message.sentences[first - 1].text if first else ""))
    answered = "" if first or not found.message.is_persons else _answered(text, found.message.heard)
    return f"{whole} {answered}" if answered and len(whole) + len(answered) < LONGEST_TEXT else whole


def _without_filler(text: str) -> str:
    """The text without first words such as "oh and"."""
    bare = _FILLER.sub("", text, count=1)
    return bare if len(bare.split()) >= FEWEST_WORDS else text


def _answered(text: str, heard: str) -> str:
    """The end of the agent's message, if a prompt's first words need it: a question, or what they point back to."""
    points_back = bool(_POINTS_BACK.match(text))
    said = sentences_of(heard, is_prompt=False) if points_back or len(text.split()) < SHORT else []
    if not said:
        return ""
    last = said[-1].text
    if asks(last):
        return f"(asked: {last})"
    return f"(answering: {last.rstrip(' .')})" if points_back and len(last.split()) >= FEWEST_ANSWERED else ""


def with_subject(text: str, before: str) -> str:
    """The text after the sentence before it, if it points back to that and both are short enough."""
    is_told = bool(before) and not is_question(before) and len(before) + len(text) < LONGEST_TEXT
    return f"{before} {text}" if is_told and _POINTS_BACK.match(text) else text
