"""Memories that give one subject different values: "the retry limit is 5", then 7, then 8. The newest leads.

High precision: all words but the numbers must be the same, in the same order, and so must the code. A number that
follows a noun ("never edit migration 12", "Node 18 is supported") names its subject, unless the noun is a measure
("timeout 5") or the number counts something ("3 attempts"): both memories stay.
"""

import re
from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache

from repomem.core.grouping import grouped_by
from repomem.core.records import MemoryContent, MemoryKind
from repomem.core.text.lazy_pattern import lazy_pattern
from repomem.memories.history_facts import HistoryFacts
from repomem.memories.status import SUPERSEDED_BY, MemoryState, Status, is_trusted

VALUE = lazy_pattern(r"(?i)(?<![\w.])[-+]?\d+(?:[.,:_]\d+)*(?:\s?%|[a-z]{1,3}\b)?")
NUMBER_WORDS = "one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|thirty|sixty|hundred"
_VALUES = lazy_pattern(rf"{VALUE.pattern}|\b(?:{NUMBER_WORDS})\b")
_UNIT = r"\s?(?:%|(?:[kmg]i?b|ms|s|h|min\w*|sec\w*|hours?|days?|weeks?|months?|years?|times)\b)"
_VERBS = (
    "is|was|has|does|needs|runs|comes|uses|fails|breaks|takes|makes|gets|goes|stays|starts|ends|waits|works|returns"
)
_COUNTED = rf"\s+(?!(?:{_VERBS})\b)[^\W\d]+s\b"  # "3 attempts"
_MEASURES = (
    "limit|timeout|size|count|maximum|minimum|max|min|threshold|budget|depth|width|height|length|version|level|number|"
    "rate|delay|interval|retries|workers|threads|default|pool|quota|ttl"
)
_BEFORE_VALUES = (
    "is|are|was|were|be|to|of|at|after|within|than|most|least|exactly|about|around|only|into|by|for|in|under|over|from|"
    "every|each|per|and|or|not|up|until|with|a|an|the|through|between"
)
_CHOOSES = r"\b(?:use[sd]?|using|runs? (?:on|against|with)|requires?|needs?|pin(?:s|ned)? to|targets?)\s+(?:\w+\s+)?"
_NAMED = lazy_pattern(  # "migration 12", "Node 18 is supported", "#12", "note-5": the number is a name
    rf"(?i)(?:#|\w-)\d|(?<!\w)(?!(?:{_BEFORE_VALUES}|{_MEASURES})\b)[^\W\d]+\s+\d+(?:\.\d+)*\b(?!{_UNIT}|{_COUNTED})"
)
_CHOSEN = lazy_pattern(rf"(?i){_CHOOSES}\d")  # "tests run against Postgres 15": a version that was chosen
_AMENDED = lazy_pattern(r"(?i)\b(?:now|instead|again|from now on|actually)\b")
FEWEST_WORDS = 3  # besides the values; fewer do not identify the subject
Subject = tuple[MemoryKind, str, tuple[str, ...], tuple[tuple[str, str], ...]]


@lru_cache(maxsize=20_000)
def subject_of(said: MemoryContent) -> Subject | None:
    """The subject of a memory's value: kind, text without the value, scope and code. None unless it has one value."""
    values = _VALUES.findall(said.text)
    rest = re.findall(r"\w+|#", _AMENDED.sub(" ", _VALUES.sub("#", said.text)).casefold())
    if len(values) != 1 or len(rest) - 1 < FEWEST_WORDS or said.kind is MemoryKind.THREAD:
        return None
    if _NAMED.search(said.text) and not _CHOSEN.search(said.text):
        return None
    return said.kind, " ".join(rest), said.scope, tuple((each.path, each.symbol) for each in said.given)


def value_of(text: str) -> str:
    """The one value of such a text."""
    return str(_VALUES.findall(text)[0]).strip()


def with_newest_values(states: Mapping[str, MemoryState], history: HistoryFacts) -> dict[str, MemoryState]:
    """The states of memories on one subject: the newest names the earlier values, and the others are superseded by it.

    An unconfirmed value never leads a confirmed one, and one that was confirmed after the newest was recorded stays.
    """
    here = (one for _, one in sorted(states.items()) if one.is_shown_here)
    valued = (one for one in here if subject_of(one.memory.said))
    changed: dict[str, MemoryState] = {}
    for cell in grouped_by(valued, lambda one: subject_of(one.memory.said)).values():
        newest = ([each for each in cell if each.is_fact] or cell)[-1]  # a reverted or drifted value leads no other
        authority = is_trusted(newest.memory, history)
        before, since = cell[: cell.index(newest)], newest.memory.id  # ids sort by time
        older = [each for each in before if authority or not is_trusted(each.memory, history)]
        older = [each for each in older if not any(mark.record > since for mark in each.memory.confirmed)]
        values = dict.fromkeys(value_of(each.memory.said.text) for each in older)
        values.pop(value_of(newest.memory.said.text), None)
        if older and values:
            changed[newest.memory.id] = replace(newest, earlier=tuple(values))
            why = f"{SUPERSEDED_BY} {newest.memory.id}, which gives another value"
            changed |= {each.memory.id: replace(each, status=Status.SUPERSEDED, why=why) for each in older}
    return changed
