"""The things that a decision or rule rejects, as patterns of code. Only a few sentence forms are recognised.

Ambiguous words and rules with a condition prohibit nothing: a finding must be beyond doubt. Prose may mention a thing,
so a pattern matches only code: one name, a call, an import or a qualified name.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from repomem.core.records import MemoryContent, MemoryKind
from repomem.core.text.lazy_pattern import lazy_pattern
from repomem.history.lines.patch_lines import is_keyword
from repomem.memories.anchors.mentions import mentions

SHORTEST = 4  # letters of a single word
SHORTEST_ROW = 9  # letters of several words joined in one name: fewer occur within other words
MOST_WORDS = 4  # of an alternative; a longer one describes a design that no line of code spells
MOST_PROHIBITIONS = 6  # of one memory

_FORBIDS = lazy_pattern(
    r"(?i)\b(?:never|must not|mustn't|do not|don't|may not|shall not|should not|shouldn't|cannot|can't)\s+"
    r"(?:be\s+|ever\s+|again\s+)*(?P<what>[^.;:\n]+(?:\.\w[^.;:\n]*)*)"
)
_CONDITION = lazy_pattern(
    r"(?i)\b(?:unless|except|outside|without|before|after|while|until|when|if|where|only|other than|but|more than|"
    r"twice|directly in)\b"
)
_DOES = lazy_pattern(
    r"(?i)\s*(?:us(?:e|es|ed|ing)|call(?:s|ed)?|import(?:s|ed)?|introduc(?:e|es|ed)|add(?:s|ed)?|depend on|"
    r"rel(?:y|ies) on|reach for|go (?:back )?(?:to|through)|switch (?:back )?to|bring (?:in|back)|pull in|"
    r"write|raise|throw|catch)?\b\s*(?:the|a|an|to|any|our|plain|bare|raw)?\s*"
)
_ENDS = lazy_pattern(
    r"(?i)\b(?:instead|use|because|since|as|so|for|in|from|on|at|within|inside|it|they|and use)\b|,|\s\("
)
_ARTICLES = lazy_pattern(
    r"(?i)\A(?:(?:a|an|the|our|using|use|of|having|going with|another|plain|own|more|to|some|any)\s+)+"
)
_CUT = lazy_pattern(
    r"(?i)\s+(?:in|for|with|on|of|to|from|by|per|as|at|via|when|that|which|and|or|everywhere|instead)\b|[,;:()]"
)
_JOINT = r"(\.|::|->|#)"
_WORD = lazy_pattern(r"[A-Za-z]+|\d+")
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
_EVERYDAY = frozenset(_MUCH_ELSE.split())  # too common in code to identify an alternative


@dataclass(frozen=True, slots=True)
class Prohibition:
    """One prohibited thing: its wording, and its pattern in code."""

    wording: str
    pattern: str  # an extended regular expression for git and Python, ignoring case
    is_rejected: bool  # a rejected alternative; else prohibited by a rule
    key: str  # in lower case: every matching line contains it

    def is_in(self, line: str) -> bool:
        """Whether a line of code contains it."""
        flags = re.IGNORECASE if self.is_rejected else 0
        return re.search(self.pattern, line, flags) is not None


def prohibitions_of(said: MemoryContent) -> list[Prohibition]:
    """The rejected things that code can be checked for, at most MOST_PROHIBITIONS."""
    found = [ban for text in said.rejected if (ban := _rejected(text))]
    if said.kind in {MemoryKind.RULE, MemoryKind.DECISION}:
        found += _forbidden(said.text)
    return list(dict.fromkeys(found))[:MOST_PROHIBITIONS]


def _rejected(text: str) -> Prohibition | None:
    """A rejected alternative as a pattern: by the names that it mentions, else by its words in one name."""
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
    """The things that the text prohibits by name, without a condition."""
    for clause in _FORBIDS.finditer(text):
        what = clause["what"]
        if _CONDITION.search(what):
            continue
        what = _DOES.sub("", what, count=1)
        end = _ENDS.search(what)
        for name in _names(what[: end.start()] if end else what):
            yield _of_name(name, is_rejected=False)


def _names(text: str) -> list[tuple[str, ...]]:
    """The identifiers that a text spells as code, as their parts."""
    return [one.parts for one in mentions(text) if one.parts and not one.is_place]


def _of_name(parts: Sequence[str], *, is_rejected: bool) -> Prohibition:
    """A pattern for a qualified name anywhere (prose has none), or for a simple name where it is used."""
    simple = _as_used(parts[0]) if len(parts) == 1 else ""
    pattern = simple or rf"(^|[^A-Za-z0-9_.]){_JOINT.join(parts)}($|[^A-Za-z0-9_])"
    return Prohibition(".".join(parts), pattern, is_rejected, key=parts[0].lower())


def _as_used(word: str) -> str:
    """A pattern for a word that is imported, called, qualified or required (as in package.json and Go)."""
    return (
        rf"(^|[^A-Za-z0-9_.]){word}(\.[A-Za-z_]|\(|::|[<>=~]=)"
        rf"|(import|from|require|use|using|include|package)[ (\"'<{{]+([A-Za-z0-9_./-]*[./])?{word}($|[^A-Za-z0-9_])"
        rf"|[\"']{word}[\"'] *:|[\"'][A-Za-z0-9_@.-]+/([A-Za-z0-9_.-]+/)*{word}[\"'/]"
    )
