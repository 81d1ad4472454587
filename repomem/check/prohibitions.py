"""What a decision or a rule turns down, as words that would stand in code: no sentence is understood, only a few forms.

A word that means much else forbids nothing, and neither does a rule that has a condition: what is told of a change must
be beyond doubt. Prose does not use a thing, so the words must stand as code has them: in one name, called, imported or
qualified.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from repomem.core.records import Kind, Said
from repomem.history.lines import is_keyword
from repomem.memories.mentions import mentions

SHORTEST = 4  # letters of a single word
SHORTEST_ROW = 9  # letters of several that stand in one name: fewer are met within other words
MOST_WORDS = 4  # of an alternative; a longer one describes a design, and no line of code spells it
MOST_BANS = 6  # of one memory

_FORBIDS = re.compile(
    r"\b(?:never|must not|mustn't|do not|don't|may not|shall not|should not|shouldn't|cannot|can't)\s+"
    r"(?:be\s+|ever\s+|again\s+)*(?P<what>[^.;:\n]+(?:\.\w[^.;:\n]*)*)",
    re.IGNORECASE,
)
_CONDITION = re.compile(
    r"\b(?:unless|except|outside|without|before|after|while|until|when|if|where|only|other than|but|more than|"
    r"twice|directly in)\b",
    re.IGNORECASE,
)
_DOES = re.compile(
    r"\s*(?:us(?:e|es|ed|ing)|call(?:s|ed)?|import(?:s|ed)?|introduc(?:e|es|ed)|add(?:s|ed)?|depend on|rel(?:y|ies) on|"
    r"reach for|go (?:back )?(?:to|through)|switch (?:back )?to|bring (?:in|back)|pull in|write|raise|throw|catch)?\b"
    r"\s*(?:the|a|an|to|any|our|plain|bare|raw)?\s*",
    re.IGNORECASE,
)
_ENDS = re.compile(
    r"\b(?:instead|use|because|since|as|so|for|in|from|on|at|within|inside|it|they|and use)\b|,|\s\(", re.IGNORECASE
)
_ARTICLES = re.compile(
    r"\A(?:(?:a|an|the|our|using|use|of|having|going with|another|plain|own|more|to|some|any)\s+)+", re.IGNORECASE
)
_CUT = re.compile(
    r"\s+(?:in|for|with|on|of|to|from|by|per|as|at|via|when|that|which|and|or|everywhere|instead)\b|[,;:()]",
    re.IGNORECASE,
)
_JOINT = r"(\.|::|->|#)"
_WORD = re.compile(r"[A-Za-z]+|\d+")
_MUCH_ELSE = """array arrays async base bool bytes cache caching call calls class classes client clients code comments
    config context copy cron daemon data database decimal decimals default defaults dict email error errors event events
    exception exceptions file files filter float floats format function functions global globals handler hash header
    index inheritance input integer integers interface item json list lists lock locks logger logging loop loops main
    manual message method mixin mixins model module mutex name nested none null number object objects option optional
    options order output package pager parser path plain polling pool process processes property proxy push queue random
    recursion regex request requests response retries retry return route router rule scope script server service session
    sessions simple singleton socket sort state static status stream string strings struct subclass super sync table
    tables task template test tests text thread threads time timeout timer token tokens trait tree tuple type types
    update value values variable version view views word words worker workers wrapper yaml xml"""
_EVERYDAY = frozenset(_MUCH_ELSE.split())  # words that code has for much else: as an alternative they say too little


@dataclass(frozen=True, slots=True)
class Prohibition:
    """One thing that must not come in: how it was said, and how code would have it."""

    told: str
    pattern: str  # an extended regular expression, as git and Python read it, whatever the case
    is_rejected: bool  # an alternative that was not taken; else what a rule forbids
    key: str  # in lower case: no line without it has the thing

    def is_in(self, line: str) -> bool:
        """Whether a line of code has it."""
        flags = re.IGNORECASE if self.is_rejected else 0
        return re.search(self.pattern, line, flags) is not None


def prohibitions_of(said: Said) -> list[Prohibition]:
    """What a memory turns down and code can be held against, at most MOST_BANS things."""
    found = [ban for text in said.rejected if (ban := _rejected(text))]
    if said.kind in {Kind.RULE, Kind.DECISION}:
        found += _forbidden(said.text)
    return list(dict.fromkeys(found))[:MOST_BANS]


def _rejected(text: str) -> Prohibition | None:
    """An alternative as code would spell it: by the names that it mentions, else by its words in one name."""
    named = _names(text)
    if named:
        return _of_name(named[0], is_rejected=True) if len(named) == 1 else None
    bare = _ARTICLES.sub("", text.strip(" .`'\""))
    bare = bare[: cut.start()] if (cut := _CUT.search(bare)) else bare
    words = _WORD.findall(bare)
    if not 0 < len(words) <= MOST_WORDS or not any(word.isalpha() for word in words):
        return None
    words = [word.lower() for word in words]
    if len(words) > 1:
        pattern = "[-_.]?".join(words)
        return (
            Prohibition(bare, pattern, is_rejected=True, key=words[0]) if sum(map(len, words)) >= SHORTEST_ROW else None
        )
    [word] = words
    if len(word) < SHORTEST or word in _EVERYDAY or is_keyword(word):
        return None
    return Prohibition(bare, _as_used(word), is_rejected=True, key=word)


def _forbidden(text: str) -> Iterator[Prohibition]:
    """What the text says must never be used, by name and without a condition."""
    for clause in _FORBIDS.finditer(text):
        what = clause["what"]
        if _CONDITION.search(what):
            continue
        what = _DOES.sub("", what, count=1)
        end = _ENDS.search(what)
        for name in _names(what[: end.start()] if end else what):
            yield _of_name(name, is_rejected=False)


def _names(text: str) -> list[tuple[str, ...]]:
    """The identifiers that a text spells as code, in their parts."""
    return [one.parts for one in mentions(text) if one.parts and not one.is_place]


def _of_name(parts: Sequence[str], *, is_rejected: bool) -> Prohibition:
    """A qualified name wherever it stands, for prose has none; a simple one where it is used."""
    simple = _as_used(parts[0]) if len(parts) == 1 else ""
    pattern = simple or rf"(^|[^A-Za-z0-9_.]){_JOINT.join(parts)}($|[^A-Za-z0-9_])"
    return Prohibition(".".join(parts), pattern, is_rejected, key=parts[0].lower())


def _as_used(word: str) -> str:
    """A single word imported, called, qualified or required by name; the last two as package.json and Go do."""
    return (
        rf"(^|[^A-Za-z0-9_.]){word}(\.[A-Za-z_]|\(|::|[<>=~]=)"
        rf"|(import|from|require|use|using|include|package)[ (\"'<{{]+([A-Za-z0-9_./-]*[./])?{word}($|[^A-Za-z0-9_])"
        rf"|[\"']{word}[\"'] *:|[\"'][A-Za-z0-9_@.-]+/([A-Za-z0-9_.-]+/)*{word}[\"'/]"
    )
