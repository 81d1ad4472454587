"""The profile of a repository: a fixed set of slots, a few lines in each, every line with its source.

What the files and the history say is derived when the repository is indexed; what a person says of a slot takes its
place or stands before it. The whole keeps to `MOST_TOKENS`, in whole lines.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from types import MappingProxyType
from typing import Final, NamedTuple

from repomem.core.escape import one_line, quoted
from repomem.core.tokens import count_tokens

MOST_TOKENS: Final = 300  # of a profile as it is printed: what every session can afford

WORK_TREE, HISTORY = "work tree", "history"  # sources of what was counted over many places


class Slot(StrEnum):
    """The slots of a profile, in display order."""

    ABOUT = "about"
    BUILD = "build"
    TEST = "test"
    LINT = "lint"
    LAYOUT = "layout"
    ENTRY = "entry"
    CONVENTIONS = "conventions"
    OWNERS = "owners"
    PITFALLS = "pitfalls"


class Cap(NamedTuple):
    """The most that a slot may hold."""

    lines: int
    characters: int  # of each line


CAPS: Final[Mapping[Slot, Cap]] = MappingProxyType(
    {
        Slot.ABOUT: Cap(2, 260),  # a name of 80 and a description of 160, where one file says both
        Slot.BUILD: Cap(3, 160),
        Slot.TEST: Cap(3, 240),  # of what sessions learnt: what works and what fails, what has to run first, one test
        Slot.LINT: Cap(2, 160),
        Slot.LAYOUT: Cap(3, 160),
        Slot.ENTRY: Cap(4, 160),
        Slot.CONVENTIONS: Cap(6, 180),
        Slot.OWNERS: Cap(3, 160),
        Slot.PITFALLS: Cap(3, 180),
    }
)

# Lines that find room at once, before the second ones of other slots: a name says nothing without what it is, and a
# convention cannot be seen by looking around.
AT_ONCE: Final[Mapping[Slot, int]] = MappingProxyType({Slot.ABOUT: 2, Slot.CONVENTIONS: 2})
COMMANDS: Final = frozenset({Slot.BUILD, Slot.TEST, Slot.LINT})
LONG_COMMAND: Final = 90  # characters: about thirty tokens
WHAT_IT_RUNS: Final = re.compile(r" → .*?(?=; [^;→]{1,40} → |$)")  # what it runs may hold a semicolon


class Voice(StrEnum):
    """Who speaks in a line."""

    DERIVED = "derived"  # we do: read or counted
    QUOTED = "quoted"  # a file does, word for word
    PERSON = "person"  # somebody who corrected the profile
    LEARNED = "learned"  # agent sessions did: a command that passed


@dataclass(frozen=True, slots=True)
class SlotLine:
    """One line of a slot.

    `source` is `path:start-end`, a commit's short hash, `history` or `work tree` where several were counted,
    `person NAME DATE`, or `session ID` of the last one of several.
    """

    slot: Slot
    text: str  # one line; nothing in it is invisible
    source: str
    voice: Voice = Voice.DERIVED

    @property
    def said(self) -> str:
        """The text as it is shown, a quotation between quotes."""
        return quoted(self.text) if self.voice is Voice.QUOTED else self.text

    @property
    def id(self) -> str:
        """What `repomem show` expands; empty where the source is no single place or commit."""
        if self.voice is Voice.PERSON or self.source in (WORK_TREE, HISTORY):
            return ""
        return self.source.removeprefix("session ")

    @property
    def whole(self) -> str:
        """The line with its slot and source, as it is printed and counted."""
        return f"{self.slot}: {self.said} ({self.source})"


@dataclass(frozen=True, slots=True)
class Profile:
    """The lines, in the order of their slots, and what they cost as they are printed."""

    lines: tuple[SlotLine, ...]
    tokens: int


class Action(StrEnum):
    """How a person corrects a slot."""

    REPLACE = "replace"  # replaces what files say
    APPEND = "append"
    CLEAR = "clear"  # it is not shown, until something is appended


@dataclass(frozen=True, slots=True)
class Correction:
    """What a person says of a slot; `text` is empty where it is cleared."""

    slot: Slot
    action: Action
    text: str
    author: str
    date: str  # YYYY-MM-DD


Corrections = Mapping[Slot, Sequence[Correction]]
"""Those of each slot, oldest first."""
UNCORRECTED: Final[Corrections] = MappingProxyType({})


def capped(lines: Iterable[SlotLine]) -> list[SlotLine]:
    """The lines by slot, the first of each within its cap; one that says what an earlier one of its slot says goes."""
    kept: dict[Slot, dict[str, SlotLine]] = {slot: {} for slot in Slot}
    for line in lines:
        text, held = one_line(line.text, CAPS[line.slot].characters), kept[line.slot]
        if text and len(held) < CAPS[line.slot].lines:
            held.setdefault(text.casefold(), replace(line, text=text))
    return [line for held in kept.values() for line in held.values()]


def corrected(lines: Iterable[SlotLine], corrections: Corrections) -> list[SlotLine]:
    """The lines with what people said of them, theirs first in each slot, within the caps."""
    derived = list(lines)
    return capped(line for slot in Slot for line in _of_slot(slot, derived, corrections.get(slot, ())))


def _of_slot(slot: Slot, lines: Iterable[SlotLine], corrections: Iterable[Correction]) -> Iterator[SlotLine]:
    derived = [line for line in lines if line.slot is slot]
    said: list[SlotLine] = []
    for each in corrections:
        if each.action is not Action.APPEND:
            derived, said = [], []
        if each.action is not Action.CLEAR:
            source = f"person {one_line(each.author, 60)} {one_line(each.date, 10)}"
            said.append(SlotLine(slot, each.text, source, Voice.PERSON))
    yield from said[-CAPS[slot].lines :]  # of too many, the latest
    yield from derived


def fitted(lines: Sequence[SlotLine]) -> Profile:
    """As many whole lines as find room: what people said, then the first of every slot, then the second ones."""
    lines = [_shortened(line) for line in lines]
    rounds = [_round(line, lines[:at]) for at, line in enumerate(lines)]
    chosen, room = set[int](), MOST_TOKENS
    for at in sorted(range(len(lines)), key=lambda at: (rounds[at], at)):
        price = count_tokens(lines[at].whole) + bool(chosen)  # a line break before it
        if price <= room:
            chosen.add(at)
            room -= price
    kept = tuple(lines[at] for at in sorted(chosen))
    return Profile(kept, count_tokens("\n".join(line.whole for line in kept)))


def _shortened(line: SlotLine) -> SlotLine:
    """A long line of commands without what they run: what to type is never cut."""
    is_long = line.slot in COMMANDS and line.voice is Voice.DERIVED and len(line.text) > LONG_COMMAND
    return replace(line, text=WHAT_IT_RUNS.sub("", line.text)) if is_long else line


def _round(line: SlotLine, before: Sequence[SlotLine]) -> int:
    """When a line finds room; what a person adds to a slot does not put off what was derived."""
    place = sum(each.slot is line.slot and each.voice is not Voice.PERSON for each in before)
    return -1 if line.voice is Voice.PERSON else place // AT_ONCE.get(line.slot, 1)
