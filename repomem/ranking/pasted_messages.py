"""Reads pasted messages in a question: stack traces, compiler errors and quoted texts."""

import re
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise

from repomem.core.text.lazy_pattern import lazy_pattern
from repomem.core.text.words import words_of

MOST_FRAMES = 40  # of one question; an endless recursion says no more than its first round
SHORTEST_QUOTATION = 3  # words
MOST_QUOTATIONS = 6  # of one question
LONGEST_QUOTATION = 40  # words
_PART = r"[^\s\"'():|,;<>"  # of a path, to be closed
_FILE = (  # from the start of a word on: in a long word, every further start costs time and finds nothing else
    rf"(?<!{_PART}])(?:[A-Za-z]:|\w+://[^/\s]*)?{_PART}]*{_PART}/\\]\.[A-Za-z]\w{{0,4}}"
)
_FRAMES = tuple(
    lazy_pattern(pattern)
    for pattern in (
        r'File "(?P<path>[^"\n]+)", line (?P<line>\d+)(?:, in (?P<name>[\w<>.]+))?',  # Python
        r"\bat (?P<package>(?:[\w$]+\.)+)(?P<name>[\w$<>]+)\((?P<path>[\w$]+\.\w+):(?P<line>\d+)\)",  # JVM
        r"\bat (?P<name>[\w.<>`\[\]]+)\([^()\n]*\) in (?P<path>[^\n]+?):line (?P<line>\d+)",  # .NET
        rf"\bat (?:async |new )?(?P<name>[\w.$<>]+)(?: \[as [\w.$]+\])? \((?P<path>{_FILE}):(?P<line>\d+)(?::\d+)?\)",
        rf"(?P<path>{_FILE}):(?P<line>\d+):in [`'](?P<name>[^'\n]+)'",  # Ruby
        rf"#\d+ (?P<path>{_FILE})\((?P<line>\d+)\): (?P<name>[\w\\:>-]+)\(",  # PHP
        rf"(?P<path>{_FILE}):(?P<line>\d+): (?P<name>[\w.?!]+)/\d+",  # Elixir
        rf"(?m:^)[ \t]*#\d+[ \t]+(?:0x[0-9a-f]+ in )?(?P<name>[^\s(]+)[^\n]*?\s(?P<path>{_FILE}):(?P<line>\d+)",  # C
        rf"(?P<path>{_FILE})(?::| on line |\()(?P<line>\d+)(?:[:,]\d+)?\)?",  # Go, Rust, compilers, linters
    )
)
_ABOVE = (  # the line above a frame, with its function
    lazy_pattern(r"\.(?P<name>\w+)(?:\[\.\.\.\])?(?:\.func\d[\d.]*)*\([^()\n]*\)\s*$"),  # Go
    lazy_pattern(r"^\s*\d+: .*?(?P<name>\w+)(?:::\{\{closure\}\}|::h[0-9a-f]{16})*\s*$"),  # Rust
)
_UPDATE = lazy_pattern(  # what Dependabot adds to the message of an update
    r"^(?:Bumps \[|- \[(?:Release notes|Changelog|Commits|Upgrade guide)\]\(|Updates the requirements on )[^\n]*$"
    r"|^---\nupdated-dependencies:\n.*?^\.\.\.$",
    re.MULTILINE | re.DOTALL,
)
_COMMENTS = lazy_pattern(r"<!--(?:(?!<!--).)*?-->", re.DOTALL)  # the questions of a template
_CHECKLIST = lazy_pattern(r"(?:^[^\S\n]*[-*+][^\S\n]+\[[ xX]\][^\n]*(?:\n[^\S\n]+\S[^\n]*)*\n?)+", re.MULTILINE)
_TICKED = lazy_pattern(r"^\s*[-*+]\s+\[[xX]\]", re.MULTILINE)
_SQUASHED = lazy_pattern(  # subjects of the commits that a merge joined: what bots and reviews added, and short ones
    r"^\* (?:\[pre-commit\.ci\]|Merge |Apply suggestions|Update [\w./-]+$|(?:\S+[^\S\n]*){1,3}$)[^\n]*\n?"
    r"|^for more information, see\b[^\n]*\n?|^-{5,}$",
    re.MULTILINE | re.IGNORECASE,
)
_TRAILERS = lazy_pattern(r"^(?:[A-Z][A-Za-z-]*-[Bb]y|Change-Id|PiperOrigin-RevId|PR-URL): .*$", re.MULTILINE)
_OPENING = lazy_pattern(
    r"^(?:[^\n]*\(most recent call (?P<end>last|first)\):?[^\n]*|[^\n]*\b[Ss]tack ?trace:?[ \t]*$)", re.MULTILINE
)
_ERROR_LINE = lazy_pattern(
    r"^[^\S\n]*(?:[\w.:$\\]*(?:Error|Exception|Panic|Fault|Failure|Warning)\b(?!\()|(?:\w+\.)+[A-Z]\w+: |panic:|fatal:"
    r"|error(?:\[\w+\])?:|FAILED |Caused by:|Uncaught |thread '[^']*' panicked|E   )[^\n]*",
    re.MULTILINE,
)
_QUOTED = lazy_pattern(r"\"([^\"\n]{8,400})\"|'([^'\n]{8,400})'(?!\w)|`([^`\n]{8,400})`|“([^”\n]{8,400})”")
_SPAN = lazy_pattern(r"`([^`\n]{3,120})`|(?<![\w/@])([\w$@:][^\s`,;]{2,120})")
_CODE = lazy_pattern(r"\w(?:\.|::|#|->|[?!=(\[{<&|+*$%@\"])\S*?\w|\w \w*[=({<&|+*\[]")
_NO_CODE = lazy_pattern(r"\w+://|[\w.+-]+@[\w-]+\.|v?[\d.]+$|[\w/-]+\.[a-z]{1,4}$")  # link, address, number, file
_SCOPE = lazy_pattern(r"^\w+\([^()\n]*\)!?:", re.MULTILINE)  # of a commit: `fix(http):`
_ERROR_NAME = lazy_pattern(r"^\s*(?:E\s+)?(?:[\w.$\\]+(?:\[\w+\])?:\s+|Caused by:\s+|Uncaught\s+)+")

Quotation = tuple[str, ...]  # each word as the index has it


@dataclass(frozen=True, slots=True)
class Frame:
    """One frame of a stack trace, or the position in a compiler's message."""

    path: str  # as pasted, with slashes
    line: int
    name: str = ""  # of the function, unqualified; empty if the trace has none


@dataclass(frozen=True)
class PastedMessages:
    """The messages in a question's text."""

    text: str

    @cached_property
    def frames(self) -> tuple[Frame, ...]:
        """The frames of all traces, those nearest to the error first."""
        found: list[Frame] = []
        is_last = False
        for above, line in pairwise(["", *self.text.split("\n")]):
            opening = _OPENING.search(line)
            is_last |= bool(opening and opening["end"] == "last")
            match = next(filter(None, (pattern.search(line) for pattern in _FRAMES)), None)
            if match:
                found.append(_named_above(_frame(match), above) if line[:1].isspace() else _frame(match))
        nearest = list(dict.fromkeys(reversed(found) if is_last else found))
        return tuple(nearest[:MOST_FRAMES])

    @cached_property
    def prose(self) -> str:
        """The text without additions by templates and tools, and without frames, whose folders are another machine's.

        A checklist with ticked items reports what was done and is removed; one without may be the task. Function names
        stay.
        """
        text = self.text
        for added in (_COMMENTS, _UPDATE, _TRAILERS, _SQUASHED):
            text = added.sub("", text)
        text = _CHECKLIST.sub(lambda match: "" if _TICKED.search(match[0]) else match[0], text)
        if self.frames:
            for pattern in _FRAMES:
                text = pattern.sub(lambda match: f" {match.groupdict().get('name') or ''} ", text)
            text = _OPENING.sub("", text)
        return text

    @cached_property
    def error_lines(self) -> list[str]:
        """The lines that state an error."""
        return [match[0].strip() for match in _ERROR_LINE.finditer(self.prose)]

    @cached_property
    def quotations(self) -> list[Quotation]:
        """Error messages without the error's name, and texts in quotation marks."""
        texts = [_ERROR_NAME.sub("", line) for line in self.error_lines]
        texts += ["".join(groups) for groups in _QUOTED.findall(self.prose)]
        found = dict.fromkeys(quotation_of(each) for each in texts if len(each.split()) >= SHORTEST_QUOTATION)
        return [each for each in found if len(each) >= SHORTEST_QUOTATION][:MOST_QUOTATIONS]

    @cached_property
    def code_spans(self) -> list[str]:
        """The pieces of code in the text that are more than a name, such as `rv.MapIndex(key)`."""
        texts = [quoted or bare.rstrip(".:!?") for quoted, bare in _SPAN.findall(_SCOPE.sub("", self.prose))]
        texts = [each if "(" in each else each.rstrip(")") for each in texts]
        found = dict.fromkeys(each for each in texts if _CODE.search(each) and not _NO_CODE.match(each))
        return [each for each in found if len(quotation_of(each)) > 1][:MOST_QUOTATIONS]


def _frame(match: re.Match[str]) -> Frame:
    parts = match.groupdict(default="")
    path = re.sub(r"^\w+://[^/]*/", "", parts["path"]).replace("\\", "/").removeprefix("./")
    package = parts.get("package", "").split(".")[:-2]  # the last is the class
    name = re.split(r"[.:\\>#/ ]+", re.sub(r"[\[<`].*", "", parts.get("name", "")))[-1].strip("?!")
    return Frame("/".join([*package, path]), int(parts["line"]), name if name.isidentifier() else "")


def _named_above(frame: Frame, above: str) -> Frame:
    """The frame with the function in the line above it, unless it has one."""
    named = None if frame.name else next(filter(None, (pattern.search(above) for pattern in _ABOVE)), None)
    return replace(frame, name=named["name"]) if named else frame


def quotation_of(text: str) -> Quotation:
    return tuple(filter(None, map(words_of, re.findall(r"\w+", text)[:LONGEST_QUOTATION])))
