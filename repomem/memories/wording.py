"""What the wording of a memory shows: its default kind and importance, and whether two memories say the same.

The rules are few and simple: `remember` prints the result, and options correct it.
"""

import re

from repomem.core.records import Kind, Said, Source

_RULE = re.compile(r"^(?:do not|don't|every|all)\b|\b(?:must|never|always|shall)\b", re.IGNORECASE)
_THREAD = re.compile(
    r"^(?:todo|fixme|open|still|next|follow[- ]up|continue|unfinished)\b|\b(?:remains to be|not done yet|left to do)\b",
    re.IGNORECASE,
)
_GOTCHA = re.compile(
    r"^(?:beware|careful|watch out|note that|gotcha)\b"
    r"|\b(?:(?:fails?|breaks?) (?:on|when|if|with)|flaky|silently|trap|crash(?:es)?|deadlocks?|race)\b",
    re.IGNORECASE,
)
_DECISION = re.compile(
    r"\b(?:decided|decision|we (?:use|chose|choose|picked|keep|prefer)|chosen|switch(?:ed)? (?:to|from))\b"
    r"|\b(?:instead of|rather than|in favou?r of)\b",
    re.IGNORECASE,
)
_CHORE = re.compile(r"\b(?:typo|format(?:ting)?|rename[ds]?|chore|bump|whitespace)\b", re.IGNORECASE)
_BREAKING = re.compile(
    r"\b(?:breaking|security|data loss|corrupt\w*|incompatib\w*|migration|public api)\b", re.IGNORECASE
)
IMPORTANCE = {Kind.RULE: 4, Kind.DECISION: 4, Kind.GOTCHA: 3, Kind.FACT: 3, Kind.THREAD: 2}


def kind_of(text: str) -> Kind:
    """The kind that the words suggest; FACT by default."""
    patterns = ((Kind.THREAD, _THREAD), (Kind.DECISION, _DECISION), (Kind.RULE, _RULE), (Kind.GOTCHA, _GOTCHA))
    return next((kind for kind, pattern in patterns if pattern.search(text)), Kind.FACT)


def importance_of(kind: Kind, text: str, source: Source) -> int:
    """1 to 5: by a person 5, breaking changes 4, decisions and rules 4, facts 3, threads 2, chores 1."""
    if source is Source.PERSON and kind is not Kind.THREAD:
        return 5
    if _BREAKING.search(text):
        return 4
    return 1 if _CHORE.search(text) and kind in {Kind.FACT, Kind.THREAD} else IMPORTANCE[kind]


def same_text(one: str, other: str) -> bool:
    """Whether two texts are equal but for case, white space and the final punctuation mark."""
    return _bare(one) == _bare(other)


def is_same(one: Said, other: Said) -> bool:
    """Whether two memories have the same kind, scope and text."""
    return one.kind is other.kind and one.scope == other.scope and same_text(one.text, other.text)


def _bare(text: str) -> str:
    return " ".join(text.casefold().split()).rstrip(".!")
