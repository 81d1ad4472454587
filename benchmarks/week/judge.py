"""Judges a played week by its labels: what was kept, what was in the brief that needed it, and what was false."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from benchmarks.spoken import says
from benchmarks.week.causes import cause_of
from benchmarks.week.play import Played, text_of
from benchmarks.week.scripts import Falsehood, Statement

MEMORY = re.compile(r"^- (?P<mark>[^`]*?)(?:decision|rule|fact|gotcha|thread) `(?P<id>[0-9A-Z]+)`")
SESSION = re.compile(r"^- [^`]*session `[0-9A-Z]+`")


class Fate(StrEnum):
    """What became of a planted statement; the later ones are what should be."""

    NOT_KEPT = "not kept"
    UNCLEAR = "kept, not to be understood"
    NOT_SHOWN = "kept, not in the brief"
    AS_SESSION = "in the brief, by a session's outcome"
    AS_MEMORY = "in the brief, as a memory"

    @property
    def is_shown(self) -> bool:
        """Whether the brief that needed it told it."""
        return self in {Fate.AS_SESSION, Fate.AS_MEMORY}


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a brief that tells what was said: a memory's or a session's."""

    text: str
    is_memory: bool
    is_marked: bool  # as unconfirmed, or as to be verified

    def tells(self, patterns: Sequence[str]) -> bool:
        """Whether it matches every pattern."""
        return tells(self.text, patterns)


@dataclass(frozen=True, slots=True)
class Found:
    """One planted statement: whether it was kept and how, and what the brief that needed it had of it."""

    statement: Statement
    kept: str  # the memory that says it, as text
    fate: Fate
    cause: str  # of a statement that was not kept
    is_recalled: bool  # `repomem recall` of the same prompt, at the default budget, tells it


@dataclass(frozen=True, slots=True)
class Lie:
    """One planted falsehood: the memory that says it, and the sessions whose briefs told it."""

    falsehood: Falsehood
    kept: str
    shown: tuple[str, ...]
    unmarked: tuple[str, ...]  # of these, as if it were confirmed


@dataclass(frozen=True, slots=True)
class Judged:
    """A memory of the week: whether a brief ever showed it, and whether a label says it."""

    id: str
    session: str  # the first session after which it was there
    kind: str
    text: str
    is_shown: bool
    is_right: bool


def found_in(week: Sequence[Played]) -> tuple[Found, ...]:
    """Every statement that a played session needs."""
    by_name = {played.session.name: played for played in week}
    statements = [one for played in week for one in played.session.statements if one.needed in by_name]
    return tuple(_found(one, week, by_name[one.needed]) for one in statements)


def lies_in(week: Sequence[Played]) -> tuple[Lie, ...]:
    """Every planted falsehood."""
    return tuple(_lie(one, week) for played in week for one in played.session.falsehoods)


def judged_in(week: Sequence[Played]) -> tuple[Judged, ...]:
    """Every memory that was ever kept, in order of time; the wording is the last one."""
    first: dict[str, str] = {}
    last: dict[str, dict[str, Any]] = {}
    for played in week:
        for memory in played.memories:
            first.setdefault(memory["id"], played.session.name)
            last[memory["id"]] = memory
    shown = "\n".join(text for played in week for text in (played.start, *played.added))
    falsehoods = [one for played in week for one in played.session.falsehoods]
    return tuple(
        Judged(
            ident,
            first[ident],
            memory["kind"],
            text := text_of(memory),
            f"`{memory['short_id']}" in shown,
            _is_right(text, week) and not any(tells(text, one.tells) for one in falsehoods),
        )
        for ident, memory in last.items()
    )


def lines_of(brief: str) -> Iterator[Line]:
    """The lines of a brief that tell what was said."""
    for text in brief.splitlines():
        if memory := MEMORY.match(text):
            yield Line(text, is_memory=True, is_marked=bool(memory["mark"].strip()))
        elif SESSION.match(text):
            yield Line(text, is_memory=False, is_marked=text.startswith("- unconfirmed"))


def tells(text: str, patterns: Sequence[str]) -> bool:
    """Whether a text matches every pattern."""
    return all(re.search(pattern, text, re.IGNORECASE) for pattern in patterns)


def _found(statement: Statement, week: Sequence[Played], needs: Played) -> Found:
    said = next(played.session for played in week if played.session.name == statement.session)
    before = [played for played in week if statement.session <= played.session.name < statement.needed]
    kept = [text for played in before for each in played.memories if says(text := text_of(each), statement.phrase)]
    clear = [text for text in kept if tells(text, statement.tells)]
    lines = [line for line in lines_of(needs.shown) if line.tells(statement.tells)]
    if lines:
        fate = Fate.AS_MEMORY if any(line.is_memory for line in lines) else Fate.AS_SESSION
    elif kept:
        fate = Fate.NOT_SHOWN if clear else Fate.UNCLEAR
    else:
        fate = Fate.NOT_KEPT
    is_recalled = any(line.tells(statement.tells) for line in lines_of(needs.asked))
    cause = "" if kept else cause_of(statement, said)
    return Found(statement, next(iter([*clear, *kept]), ""), fate, cause, is_recalled)


def _lie(falsehood: Falsehood, week: Sequence[Played]) -> Lie:
    later = [played for played in week if played.session.name > falsehood.since]
    kept = [text for played in week for each in played.memories if tells(text := text_of(each), falsehood.tells)]
    told = [
        (played.session.name, line) for played in later for line in _all_lines(played) if line.tells(falsehood.tells)
    ]
    shown = tuple(dict.fromkeys(name for name, _ in told))
    return Lie(
        falsehood, next(iter(kept), ""), shown, tuple(dict.fromkeys(name for name, line in told if not line.is_marked))
    )


def _all_lines(played: Played) -> Iterator[Line]:
    yield from lines_of("\n".join((played.start, *played.added, played.asked)))


def _is_right(text: str, week: Sequence[Played]) -> bool:
    """Whether a label says it, and says all that is needed to understand it."""
    statements = [one for played in week for one in played.session.statements]
    lasting = [phrase for played in week for phrase in played.session.lasting]
    is_planted = any(says(text, one.phrase) and tells(text, one.tells) for one in statements)
    return is_planted or any(says(text, phrase) for phrase in lasting)
