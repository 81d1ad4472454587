"""The profile of a repository: a fixed set of slots with a few lines each, every line with its source.

Lines are derived from files and history at index time. A person's correction replaces or precedes them. The printed
profile has at most `MOST_TOKENS` tokens, in whole lines.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final, NamedTuple

from repomem.core.text.escape import one_line, quoted_with_code
from repomem.core.text.lazy_pattern import lazy_pattern
from repomem.core.text.tokens import count_tokens

MOST_TOKENS: Final = 300  # of the printed profile, which every session gets

WORK_TREE, HISTORY = "work tree", "history"  # sources of lines that are counted, not quoted


class Slot(StrEnum):
    """The slots of a profile, in display order."""

    ABOUT = "about"
    BUILD = "build"
    TEST = "test"
    LINT = "lint"
    FORMAT = "format"
    LAYOUT = "layout"
    ENTRY = "entry"
    CONVENTIONS = "conventions"
    OWNERS = "owners"
    PITFALLS = "pitfalls"


LINES_OF_BRIEFS: Final[Mapping[str, str]] = {  # labels that are not slots, and what corrects them
    "runtime": "read from manifests; to add to it: repomem profile build --append TEXT",
    "one test": 'a line of test; to add one: repomem profile test --append "one test: COMMAND"',
    "before the tests": "a line of test; to add one: repomem profile test --append TEXT",
    "generate": "read from files, and no correction changes it",
    "benchmark": "a script of a package, and no correction changes it",
    "ci": "read from CI files, and no correction changes it",
}


def slot_or_label(name: str) -> str:
    """The slot of this name, or the name if it is another label in briefs. Raises ValueError."""
    if name in set(Slot):
        return Slot(name)
    if name in LINES_OF_BRIEFS:
        return name
    raise ValueError(f"{name!r} is not one of {', '.join(Slot)}")


class Cap(NamedTuple):
    """The limits of a slot."""

    lines: int
    characters: int  # of each line


CAPS: Final[Mapping[Slot, Cap]] = {
    Slot.ABOUT: Cap(2, 260),  # a name of 80 and a description of 160 if one file has both
    Slot.BUILD: Cap(3, 160),
    Slot.TEST: Cap(4, 240),  # also learnt from sessions: working and failing commands, first commands, one test
    Slot.LINT: Cap(2, 160),
    Slot.FORMAT: Cap(2, 160),
    Slot.LAYOUT: Cap(3, 160),
    Slot.ENTRY: Cap(4, 160),
    Slot.CONVENTIONS: Cap(6, 180),
    Slot.OWNERS: Cap(3, 160),
    Slot.PITFALLS: Cap(3, 180),
}

# Lines of a slot that are chosen before the second lines of other slots: a name is useless without a description, and
# conventions cannot be seen in the code.
AT_ONCE: Final[Mapping[Slot, int]] = {Slot.ABOUT: 2, Slot.CONVENTIONS: 2}
ONE_TEST_LABEL: Final = "one test: "
BEFORE_TESTS: Final = "before the tests: "
LABELS: Final = tuple(f"{name}: " for name in LINES_OF_BRIEFS)  # of lines that need no slot before them
COMMANDS: Final = frozenset({Slot.BUILD, Slot.TEST, Slot.LINT, Slot.FORMAT})
LONG_COMMAND: Final = 90  # characters: about thirty tokens
WHAT_IT_RUNS: Final = lazy_pattern(r" → .*?(?=; [^;→]{1,40} → |$)")  # may contain a semicolon
_HAS_LINE = lazy_pattern(r":\d+(?:-\d+)?$")


class Voice(StrEnum):
    """The origin of a line's wording."""

    DERIVED = "derived"  # repomem: read or counted
    QUOTED = "quoted"  # a file, word for word
    PERSON = "person"  # a person who corrected the profile
    LEARNED = "learned"  # agent sessions: a command that passed


@dataclass(frozen=True, slots=True)
class SlotLine:
    """One line of a slot.

    `source` is `path:start-end`, a commit's short hash, `history` or `work tree` for counts, `person NAME DATE`, or
    `session ID` of the latest session.
    """

    slot: Slot
    text: str  # one line without invisible characters
    source: str
    voice: Voice = Voice.DERIVED

    @property
    def shown(self) -> str:
        """The text as printed, a quotation in quotation marks."""
        return quoted_with_code(self.text) if self.voice is Voice.QUOTED else self.text

    @property
    def labelled(self) -> str:
        """The text after its slot, unless it has a label of its own."""
        return self.shown if self.text.startswith(LABELS) else f"{self.slot}: {self.shown}"

    @property
    def id(self) -> str:
        """The id that `repomem show` expands; empty if the source is not one location, commit or session."""
        if self.voice is Voice.PERSON or self.source in (WORK_TREE, HISTORY):
            return ""
        return self.source.removeprefix("session ")

    @property
    def is_guess(self) -> bool:
        """Whether the source makes a command work without stating it, as its command for all tests does for one."""
        is_stated = _HAS_LINE.search(self.source) and not self.text.startswith(ONE_TEST_LABEL)
        return self.slot in COMMANDS and self.voice is Voice.DERIVED and not is_stated

    @property
    def whole(self) -> str:
        """The printed line, with its slot or label and its source."""
        return f"{self.labelled} ({'derived from ' * self.is_guess}{self.source})"


@dataclass(frozen=True, slots=True)
class Profile:
    """The lines in slot order, their number of tokens when printed, and how many further lines do not fit."""

    lines: tuple[SlotLine, ...]
    tokens: int
    omitted: int = 0


class Action(StrEnum):
    """How a person corrects a slot."""

    REPLACE = "replace"  # replaces derived lines
    APPEND = "append"
    CLEAR = "clear"  # shows nothing until something is appended


@dataclass(frozen=True, slots=True)
class Correction:
    """A person's correction of a slot; `text` is empty if it is cleared."""

    action: Action
    text: str
    author: str
    date: str  # YYYY-MM-DD


Corrections = Mapping[Slot, Sequence[Correction]]
"""The corrections of each slot, oldest first."""


def capped(lines: Iterable[SlotLine]) -> list[SlotLine]:
    """The lines by slot, within each slot's limits, without duplicates."""
    kept: dict[Slot, dict[str, SlotLine]] = {slot: {} for slot in Slot}
    for line in lines:
        text, others = one_line(line.text, CAPS[line.slot].characters), kept[line.slot]
        if text and len(others) < CAPS[line.slot].lines:
            others.setdefault(text.casefold(), replace(line, text=text))
    return [line for of_slot in kept.values() for line in of_slot.values()]


def corrected(lines: Iterable[SlotLine], corrections: Corrections) -> list[SlotLine]:
    """The lines with people's corrections, which come first in each slot, within the limits."""
    derived = list(lines)
    return capped(line for slot in Slot for line in _of_slot(slot, derived, corrections.get(slot, ())))


def _of_slot(slot: Slot, lines: Iterable[SlotLine], corrections: Iterable[Correction]) -> Iterator[SlotLine]:
    derived = [line for line in lines if line.slot is slot]
    corrected_lines: list[SlotLine] = []
    for correction in corrections:
        if correction.action is not Action.APPEND:
            derived, corrected_lines = [], []
        if correction.action is not Action.CLEAR:
            source = f"corrected by {one_line(correction.author, 60)}, {one_line(correction.date, 10)}"
            corrected_lines.append(SlotLine(slot, correction.text, source, Voice.PERSON))
    yield from corrected_lines[-CAPS[slot].lines :]  # the latest, if there are too many
    yield from derived


def fitted(lines: Sequence[SlotLine]) -> Profile:
    """As many whole lines as fit: people's corrections, then the first line of every slot, then the second."""
    lines = [_shortened(line) for line in lines]
    rounds = [_round(line, lines[:at]) for at, line in enumerate(lines)]
    chosen, room = set[int](), MOST_TOKENS
    for at in sorted(range(len(lines)), key=lambda at: (rounds[at], at)):
        price = count_tokens(lines[at].whole) + bool(chosen)  # a line break before it
        if price <= room:
            chosen.add(at)
            room -= price
    kept = tuple(lines[at] for at in sorted(chosen))
    return Profile(kept, count_tokens("\n".join(line.whole for line in kept)), len(lines) - len(kept))


def _shortened(line: SlotLine) -> SlotLine:
    """A long line of commands without the part after "→", so that the command itself is never cut."""
    is_long = line.slot in COMMANDS and line.voice is Voice.DERIVED and len(line.text) > LONG_COMMAND
    return replace(line, text=WHAT_IT_RUNS.sub("", line.text)) if is_long else line


def _round(line: SlotLine, before: Sequence[SlotLine]) -> int:
    """The round in which a line is chosen; corrections delay no derived lines, nor do lines with another label."""
    kind = _kind(line)
    place = sum(_kind(other) == kind and other.voice is not Voice.PERSON for other in before)
    return -1 if line.voice is Voice.PERSON else place // AT_ONCE.get(line.slot, 1)


def _kind(line: SlotLine) -> tuple[Slot, str]:
    return line.slot, next((label for label in LABELS if line.text.startswith(label)), "")
