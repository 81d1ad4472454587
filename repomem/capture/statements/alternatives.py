"""What a sentence turns down: the thing that another was taken instead of."""

import re
from collections.abc import Sequence

from repomem.capture.statements.sentences import Sentence

MOST_REJECTED = 3
LONGEST_REJECTED = 80

_REJECTED = re.compile(
    r"\b(?:instead of|rather than|in place of|as opposed to|in preference to)\s+(?P<than>.+)"
    r"|\b(?:prefer|prefers|preferred|choose|chose|chosen|pick|picked|go with|went with|going with|opted for|opt for|"
    r"use|"
    r"used|selected|favou?r|favou?red|settled on|want|take|it is)\b.{1,80}?\s(?:over|and not|not)\s+(?P<over>.+)"
    r"|,\s*(?:and )?(?:not|no)\s+(?P<not>.+)"
    r"|\brather\b.{2,80}?\sthan\s+(?P<rather>.+)"
    r"|\b(?:switch|switched|switching|move|moved|moving|migrate|migrated)\s+(?:away\s+)?from\s+(?P<from>.+?)\s+to\b"
    r"|\breplac(?:e|ed|ing)\s+(?P<replaced>.+?)\s+(?:with|by)\b"
    r"|\b(?:drop|dropped|dropping|ditch|ditched)\s+(?P<dropped>.+?)\s+(?:in favou?r of|for)\b"
    r"|\b(?:decided|opted|advised|chose)\s+against\s+(?P<against>.+)",
    re.IGNORECASE,
)
_END_OF_THING = re.compile(
    r"[.,;:!?()]|\s(?:for|in|when|because|since|so|as|to|on|at|everywhere|here|and (?:use|keep)|throughout|across|"
    r"whenever|if|unless|which|while|that|after|before|due|despite|even|given|i|we)\b",
    re.IGNORECASE,
)
_PRONOUN = re.compile(r"it|that|this|them|those|these|one|both", re.IGNORECASE)
_CONSIDERED = re.compile(
    r"\b(?:considered|looked at|weighed|ruled out|rejected|evaluated)\s+(?P<what>[^,;.]{2,60}?)(?:,| but| and|"
    r" because|;|\.|$)",
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
