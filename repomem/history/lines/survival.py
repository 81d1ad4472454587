"""Line survival: how many of a commit's added lines are still in the code. Counted, never taken from messages."""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum, auto
from itertools import accumulate, groupby

from repomem.adapters.git.hunks import LINE_LENGTH, LINES_KEPT
from repomem.core.types.commits import Hunk
from repomem.history.lines.patch_lines import compact, has_names, is_version

SHORTEST_LINE = 5  # characters; shorter ones (a brace, `end`, `else:`) are everywhere and prove nothing
LONGEST_FILE = 500_000  # bytes in which split and joined lines are looked for: each line costs a search
LONGEST_INDENTED = LINE_LENGTH - 100  # characters without the indentation; a longer line may have been cut
FEWEST_ABSENT = 5  # added lines; of fewer, all may only have been altered a little
NEXT_TO_NOTHING = 0.1  # of its added lines: an attempt that was given up


@dataclass(frozen=True, slots=True)
class LineSurvival:
    """How many meaningful lines a commit added, and how many are in the same file now."""

    added: int
    remaining: int
    is_lost: bool = False  # none of its files was found
    is_cut: bool = False  # only the first hunks or lines of a hunk were read
    is_traced: bool = True  # the fate of its lines is known: they were not moved to other files
    is_source: bool = False  # only lines of source code are counted, and the commit added others
    unsure: int = 0  # lines not in `added`, because the copies in the file may be this commit's or others'

    @property
    def is_gone(self) -> bool:
        """Whether next to nothing remains."""
        return self.added > 0 and self.remaining + self.unsure <= NEXT_TO_NOTHING * (self.added + self.unsure)

    @property
    def is_whole(self) -> bool:
        """Whether all of its lines remain."""
        return not self.is_lost and self.remaining == self.added

    @property
    def loss(self) -> str:
        """The text for a brief: empty if most lines remain, since readers take that for granted."""
        if self.text and not self.is_lost and self.remaining:
            which = f"the {self._lines} read of this large commit" if self.is_cut else f"its {self._lines}"
            return "" if 2 * self.remaining >= self.added else f"less than half of {which} remain"
        return self.text

    @property
    def text(self) -> str:
        """The count; empty if the commit added nothing, or if what remains is unknown."""
        if self.is_lost:
            return "its files were removed or renamed"
        is_told = self.is_whole or self.is_gone or (self.remaining > 0 and self.unsure <= self.added)
        if not self.added or not is_told:
            return ""
        if not self.remaining:
            return f"its {self._lines} were removed since" if self.is_traced else self._absence
        if self.is_whole and not self.is_cut:
            return "still in the code"
        if self.is_cut:
            which = f"all {self.added:,}" if self.is_whole else f"{self.remaining:,} of the {self.added:,}"
            return f"{which} distinctive lines read of this large commit remain"
        return f"{self.remaining:,} of its {self.added:,} distinctive {self._lines} remain"  # others are not counted

    @property
    def _absence(self) -> str:
        """What is known if nothing remains, and the lines may have been moved to files that were not read."""
        is_told = not self.unsure and self.added >= FEWEST_ABSENT
        return f"none of its {self._lines} is left in the files that it changed" if is_told else ""

    @property
    def _lines(self) -> str:
        return "source lines" if self.is_source else "lines"


class Fate(Enum):
    """What the recorded changes say of a line that a commit added."""

    UNKNOWN = auto()
    KEPT = auto()  # a copy of it is this commit's
    TAKEN = auto()  # a later commit took it out, although the file may have one like it


FateOf = Callable[[Hunk, str], Fate]
"""The fate of a stripped line that a hunk added."""


def line_survival(
    hunks: Iterable[Hunk], lines_now: Mapping[str, Sequence[str] | None], fate_of: FateOf | None = None
) -> dict[str, LineSurvival]:
    """The line survival of each commit.

    `lines_now` has the stripped current lines of each path that was found, or None if it is unreadable. Lines that a
    formatter realigned, split, joined, or gave other quotes or endings remain. Lines of a removed file are gone. Not
    counted are version numbers, lines of an unreadable file, lines with more copies in the file than the commit added
    (unless it added one and the records show whose the copies are), and lines that were removed although the file has
    an equal one.
    """
    texts = {path: _FileText.of(lines) for path, lines in lines_now.items() if lines is not None}
    counts: dict[str, Counter[bool | None]] = {}
    found: set[str] = set()
    cut: set[str] = set()
    for (commit, path), group in groupby(hunks, key=lambda hunk: (hunk.commit, hunk.path)):
        own = list(group)
        cut |= {commit} if any(map(_is_cut, own)) else set()
        count = counts.setdefault(commit, Counter())
        found |= {commit} if path in lines_now else set()
        if lines_now.get(path, ()) is not None:
            count.update(_remaining(own, texts.get(path, _NO_TEXT), fate_of))
    return {
        commit: LineSurvival(
            count[True] + count[False],
            count[True],
            is_lost=commit not in found,
            is_cut=commit in cut,
            unsure=count[None],
        )
        for commit, count in counts.items()
    }


def _is_cut(hunk: Hunk) -> bool:
    return len(hunk.lines) >= LINES_KEPT


def is_counted(line: str) -> bool:
    """Whether a stripped line is counted: not short, with a name or another word, and not only setting a version."""
    return len(line) >= SHORTEST_LINE and has_names(line) and not is_version(line)


@dataclass(frozen=True, slots=True)
class _FileText:
    """A file's current text without what formatters change."""

    copies: Mapping[bytes, int]  # of each line
    whole: bytes  # all lines, joined
    starts: Collection[int]  # of the lines in it; also its end
    long: Sequence[str]  # lines so long that a patch cuts them

    @classmethod
    def of(cls, lines: Sequence[str]) -> "_FileText":
        compacted = list(filter(None, map(_text_of, lines)))
        starts = frozenset(accumulate(map(len, compacted), initial=0))
        long = [line for line in lines if len(line) > LONGEST_INDENTED]
        return cls(Counter(compacted), b"".join(compacted), starts, long)

    def has(self, line: str, before: bytes, after: bytes) -> bool:
        """Whether it has a line, perhaps split, or joined with the lines `before` and `after` it in the commit."""
        text = _text_of(line)
        if text in self.copies:
            return True
        if len(line) > LONGEST_INDENTED and any(other.startswith(line) for other in self.long):
            return True
        at = self.whole.find(text) if len(self.whole) <= LONGEST_FILE else -1
        while at >= 0:
            end = at + len(text)
            begins = at in self.starts or (before and self.whole.endswith(before, 0, at))
            if begins and (end in self.starts or (after and self.whole.startswith(after, end))):
                return True
            at = self.whole.find(text, at + 1)
        return False


_NO_TEXT = _FileText({}, b"", frozenset(), ())


def _remaining(hunks: Sequence[Hunk], now: _FileText, fate_of: FateOf | None) -> Iterator[bool | None]:
    """For each counted line that the hunks added to one file, whether it remains; None if that is unknown."""
    added = Counter(_text_of(line) for hunk in hunks for line in hunk.added)
    is_cut = any(map(_is_cut, hunks))  # then it may have added further copies
    counted = Counter[bytes]()
    for hunk in hunks:
        texts = [_text_of(line) for line in hunk.added]
        for at, line in enumerate(map(str.strip, hunk.added)):
            if not is_counted(line):
                continue
            text, copies = texts[at], now.copies.get(texts[at], 0)
            fate = fate_of(hunk, line) if fate_of and added[text] == 1 else Fate.UNKNOWN  # records merge equal lines
            counted[text] += 1
            if fate is Fate.TAKEN and copies:
                yield None
            elif counted[text] > copies > 0:
                yield False
            elif is_cut or fate is Fate.KEPT or copies <= added[text]:
                before = next((text for text in reversed(texts[:at]) if text), b"")
                yield now.has(line, before, next((text for text in texts[at + 1 :] if text), b""))
            else:
                yield None


def _text_of(line: str) -> bytes:
    """A line without white space, quotes, commas, semicolons and braces: where braces go is up to formatters."""
    return compact(line).translate(None, b"{}")
