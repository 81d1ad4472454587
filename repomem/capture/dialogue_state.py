"""The statements of a session that are still valid, and how a person's replies change them."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from repomem.core.records import MemoryKind
from repomem.core.text.escape import one_line
from repomem.core.text.lazy_pattern import lazy_pattern
from repomem.sessions.command_notes import TRIED

LONGEST_TEXT = 300  # characters of a statement
LONGEST_WHY = 240
SAME_SUBJECT = 0.5  # share of the words of the shorter text that a retraction and its target have in common
LEAST_OF_LONGER = 0.2  # the same for the longer text
LEAST_REJECTED = 0.25  # share of a statement's words that name an alternative rejected by another statement
SAME = 0.6  # share of common words from which two statements count as equal

_ANSWERED = lazy_pattern(r" \(answering: .*\)$")  # the end of a text: the agent's words
_WORD = lazy_pattern(r"[A-Za-z][\w+#.-]*\w")
_EMPTY_WORDS = (
    "the and for with that this from not but into onto over per via off out have has had was were are did does "
    "done don't doesn't can could will would should must use used uses using let lets let's going want go went "
    "keep kept chose choose chosen pick picked decided decide agreed stick prefer switch switched switching move "
    "moved make made run put take add get set instead rather than because since when then where which who what "
    "why how them they their there here its it's our ours your you all any every each always never new old one "
    "two more less also just only now back code repo project after before noted understood"
)
_SMALL_WORDS = (
    "it to of at by as in on do am "
    "we you me my us he she an is be been being or if so no ok yes please let here still even too them he's she's "
    "der die das ein eine und oder mit auf in zu von nicht wir ich es ist el la los las un una de en con que por para "
    "si lo se al ya le les des du et ou avec pour pas ce est on je"
)
_WORDS_OF_RETRACTIONS = (
    "actually again all back cancel cancelled changed changing correction disregard drop dropped dropping forget "
    "going hmm hold ignore later mind never nevermind on out reject rejected remove removed removing revert "
    "reverting scrap scratch second sorry stop strike thought thoughts undo wait what without wrong"
)
_EMPTY = frozenset(f"{_EMPTY_WORDS} {_SMALL_WORDS}".split())


@dataclass(frozen=True, slots=True)
class Stated:
    """One statement."""

    key: str  # unique in the session
    at: str  # YYYY-MM-DDTHH:MM:SSZ; empty if unknown
    kind: MemoryKind
    text: str
    why: str = ""
    rejected: tuple[str, ...] = ()
    is_persons: bool = False  # the person's own words, not the agent's
    is_subagents: bool = False  # a sub-agent's words
    is_models: bool = False  # proposed by the model of `capture.llm`
    edited: tuple[str, ...] = ()  # the files that its turn edited, as written
    is_sure: bool = True  # else it is saved only as a note
    sentence: str = ""  # its source sentence, if `text` has other words


@dataclass(frozen=True, slots=True)
class Noted:
    """One observation, as a note."""

    key: str  # unique in the session, equal at each reading
    at: str  # YYYY-MM-DDTHH:MM:SSZ; empty if unknown
    text: str  # in the forms of `sessions.command_notes`, "tried: …" or "said: …"
    is_subagents: bool = False  # of a sub-agent
    is_persons: bool = False  # the person's own words


class Option(NamedTuple):
    """One of several ways that an agent's message offers."""

    label: str  # in upper case
    text: str


@dataclass(slots=True)
class _ActiveStatement:
    stated: Stated
    turn: int
    words: frozenset[str]  # of the text, without rejected alternatives


@dataclass(slots=True)
class DialogueState:
    """Statements, attempts and postponed work so far."""

    active: list[_ActiveStatement] = field(default_factory=list)
    unsure: list[_ActiveStatement] = field(default_factory=list)  # may state nothing lasting
    tried: list[Noted] = field(default_factory=list)
    parked: list[Stated] = field(default_factory=list)
    offered: Sequence[Option] = ()  # the options of the agent's last message that has some
    chosen: str = ""  # the key of the statement that picks one of them

    def valid(self, edited: Sequence[tuple[str, ...]]) -> list[Stated]:
        """The statements that were not retracted, each with the files that its turn edited."""
        return [replace(statement.stated, edited=edited[statement.turn]) for statement in self.active]

    def take(self, new: Stated, turn: int) -> None:
        """Add a statement unless it is known; drop earlier ones that it rejects. An unsure one drops none."""
        rejected = _words(" ".join(new.rejected))
        words = _words(_ANSWERED.sub("", new.text)) - rejected
        if not new.is_sure:
            if not any(_is_same(words, one.words) for one in (*self.active, *self.unsure)):
                self.unsure.append(_ActiveStatement(new, turn, words))
            return
        self.unsure = [one for one in self.unsure if not _is_same(words, one.words)]
        for old in [statement for statement in self.active if statement.turn < turn]:
            is_back = new.kind is MemoryKind.DECISION and _names_one_of(words, old.stated.rejected)
            if is_back or _names_one_of(old.words, new.rejected):
                self.drop(old, new.why or new.text)
        if not any(_is_same(words, statement.words) for statement in self.active):
            self.active.append(_ActiveStatement(new, turn, words))

    def offer(self, options: Sequence[Option]) -> None:
        """Remember the options of an agent's message, if it has some."""
        if options:
            self.offered, self.chosen = options, ""

    def choose(self, choice: Stated, turn: int) -> None:
        """Take the choice of an option instead of an earlier choice among the same ones."""
        self.active = [one for one in self.active if one.stated.key != self.chosen]
        self.take(choice, turn)
        self.chosen = choice.key

    def drop(self, old: _ActiveStatement, why: str) -> None:
        """Drop a statement; a decision becomes a failed attempt."""
        self.active.remove(old)
        if old.stated.kind is MemoryKind.DECISION:
            text = one_line(f"{TRIED}{old.stated.text} — undone: {why}", LONGEST_TEXT + LONGEST_WHY)
            key = f"{old.stated.key}:undone"
            self.tried.append(Noted(key, old.stated.at, text, is_subagents=old.stated.is_subagents))

    def drop_decisions(self, turn: int, why: str) -> None:
        """Drop the agent's decisions of a turn, and keep its findings."""
        own = [one for one in self.active if one.turn == turn and not one.stated.is_persons]
        for old in [one for one in own if one.stated.kind is MemoryKind.DECISION]:
            self.drop(old, why)

    def take_back(self, sentence: str, turn: int, *, is_sure: bool) -> None:
        """Drop the statements that a retraction names; if it names none and is sure, the last decision."""
        words = _words(sentence).difference(_WORDS_OF_RETRACTIONS.split())

        def is_meant(one: _ActiveStatement) -> bool:
            common, (shorter, longer) = len(one.words & words), sorted((len(words), len(one.words)))
            return shorter > 0 and common >= SAME_SUBJECT * shorter and common >= LEAST_OF_LONGER * longer

        self.unsure = [one for one in self.unsure if one.turn >= turn or not is_meant(one)]
        meant = [one for one in self.active if one.turn < turn and is_meant(one)]
        if not meant and is_sure:
            near = [one for one in self.active if one.turn == turn - 1 and one.stated.is_persons]
            meant = [one for one in near if one.stated.kind in {MemoryKind.DECISION, MemoryKind.RULE}][-1:]
        for old in meant:
            self.drop(old, sentence)

    def forget_turn(self, turn: int) -> None:
        """Forget the agent's statements of a turn, without recording attempts."""
        self.active = _without_agents(self.active, turn)
        self.unsure = _without_agents(self.unsure, turn)


def _without_agents(statements: Sequence[_ActiveStatement], turn: int) -> list[_ActiveStatement]:
    """The statements without the agent's of a turn."""
    return [one for one in statements if one.turn != turn or one.stated.is_persons]


def is_same_text(one: str, other: str) -> bool:
    """Whether two statements have most of their words in common."""
    return _is_same(_words(one), _words(other))


def _names_one_of(words: frozenset[str], alternatives: Sequence[str]) -> bool:
    """Whether a statement contains all words of an alternative and is mostly about it."""
    every = [_words(each) for each in alternatives]
    return any(each and each <= words and len(each) >= LEAST_REJECTED * len(words) for each in every)


def _words(text: str) -> frozenset[str]:
    return frozenset(word.lower() for word in _WORD.findall(text)) - _EMPTY


def _is_same(one: frozenset[str], other: frozenset[str]) -> bool:
    smaller = min(len(one), len(other))
    return smaller > 1 and (one <= other or other <= one or len(one & other) >= SAME * max(len(one), len(other)))
