"""What a sentence turns down: the thing that another was taken instead of."""

import re
from collections.abc import Sequence

from repomem.capture.statements.sentences import Sentence

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
