"""Sentences that cannot be understood alone, because they point back to the one before them."""

import re

from repomem.capture.dialogue_state import LONGEST_TEXT
from repomem.capture.statements.not_statements import is_question

_POINTS_BACK = re.compile(
    r"(?:(?:no+|nope|yes|yeah|and|so|but|ok(?:ay)?|then)\b[\s,.:;–—-]*)*"
    r"(?:it|its|it's|that|that's|this|these|those|they|them|there|same|both|neither|the (?:first|second|other|latter|"
    r"former)|das|dies\w*|die beiden|eso|esto|esa|ese|ça|c'est|cela|ceci|这|那|它|それ|これ|その|この)(?!\w*[a-z])",
    re.IGNORECASE,
)


def points_back(text: str) -> bool:
    """Whether a sentence begins with a word that refers to an earlier statement."""
    return bool(_POINTS_BACK.match(text))


def with_subject(text: str, before: str) -> str:
    """The text after the sentence before it, if it points back to that and both are short enough."""
    is_told = bool(before) and not is_question(before) and len(before) + len(text) < LONGEST_TEXT
    return f"{before} {text}" if is_told and points_back(text) else text
