"""Decisions from a repository's architecture decision records (ADRs), read at index time.

Supports Nygard's form (`## Status`, `## Decision`), MADR (front matter or `* Status:`, `## Decision Outcome`) and
Y-statements ("In the context of …, we decided for …").
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from posixpath import dirname

from repomem.brief.lines import place_id
from repomem.core.mined_decisions import MinedDecision
from repomem.core.records import MemoryKind, Source
from repomem.core.text.lazy_pattern import lazy_pattern
from repomem.core.types.text import CleanText
from repomem.profile.facts import text_at
from repomem.workspace.snapshot import Snapshot

MOST_FILES = 300  # the last by name, which have the highest numbers
LONGEST_LINE = 2_000  # characters read of a line
LONGEST_TEXT = 600  # characters of a decision; longer ones are cut
MOST_REJECTED = 4
WORDS_OF_STATUS = 3  # "in review", "under active discussion"; later words explain the status

_FOLDERS = frozenset(
    {
        *("adr", "adrs", "decisions", "decision-records", "decision-log", "decision_records"),
        *("architecture-decisions", "architecture_decisions", "architecture-decision-records"),
    }
)
_NOT_OURS = frozenset(  # records in these folders are data, or decisions of others
    {"test", "tests", "testdata", "fixtures", "example", "examples", "samples", "vendor", "node_modules", "third_party"}
)
_FILE = lazy_pattern(r"(?:adr[-_]?)?\d{1,5}[-_. ].*\w.*\.(?:md|markdown)", re.IGNORECASE)
_TEMPLATE = lazy_pattern(r"(?i)template")
DEEPEST = 2  # levels below the ADR folder: some repositories group records by component or year

_HEADING = lazy_pattern(r"#{1,6}\s+(\S.*)")
_NUMBER = lazy_pattern(r"\A(?:ADR[- ]?)?\d{1,5}\s*[.:—–-]\s*|\AADR[- ]?\d{1,5}\s+", re.IGNORECASE)
_FIELD = lazy_pattern(r"[-*+|\s]*[*_]{0,2}(status|date)[*_]{0,2}\s*[:|](.*)", re.IGNORECASE)
_STATUS_WORD = lazy_pattern(r"[A-Za-z]+")
_DATE = lazy_pattern(r"\b(\d{4})[-/.](\d{2})[-/.](\d{2})\b")
_LINKED = lazy_pattern(r"(?:ADR[-_ #]?|\[|/|\b)0*(\d{1,5})(?=[-_. \]):,]|$)", re.IGNORECASE)
_SUPERSEDED_BY = lazy_pattern(r"(?:superseded|superceded|replaced|obsoleted)\s+by\b(.*)", re.IGNORECASE)
_SUPERSEDES = lazy_pattern(r"\b(?:supersedes|supercedes|replaces|obsoletes)\b(.*)", re.IGNORECASE)
_DECISION = lazy_pattern(
    r"(?:the\s+)?(?:decisions?|decision outcome|outcome|resolution|decision\s*[/&]\s*rationale)\W*", re.IGNORECASE
)
_OPTIONS = lazy_pattern(
    r"(?:considered|alternative|rejected)\s+(?:options|alternatives|solutions)|alternatives.*|options.*", re.IGNORECASE
)
_CHOSEN = lazy_pattern(
    r"""chosen\s+option:?\s*[*_]{0,2}["“'`\[]*(.+?)["”'`\]]*[*_]{0,2}(?:\s*[,.;(]|\s+because|\s*$)""", re.IGNORECASE
)
_Y = lazy_pattern(r"\bin the context of\b.*?\bdecided\b", re.IGNORECASE | re.DOTALL)
_NEGLECTED = lazy_pattern(
    r"\band\s+(?:neglected|against|rejected)\s+(.+?)(?:,|\s+to\s+achieve|\Z)", re.IGNORECASE | re.DOTALL
)
_LINK = lazy_pattern(r"!?\[([^\[\]]{1,200})\](?:\([^()\n]{0,300}\)|\[[^\[\]\n]{0,100}\])?")
_COMMENT = lazy_pattern(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_ITEM = lazy_pattern(r"\A\s*(?:[-*+]|\d{1,3}[.)])\s+")
_FENCE = lazy_pattern(r"\s*(?:```|~~~)")


class AdrStatus(StrEnum):
    """The status of a decision. A record without one counts as accepted, because it was merged."""

    ACCEPTED = "accepted"
    PROPOSED = "proposed"
    REJECTED = "rejected"
    SUPERSEDED = "superseded"
    DEPRECATED = "deprecated"


_STATUSES = {
    **dict.fromkeys(("proposed", "proposal", "draft", "pending", "open", "wip", "rfc", "review"), AdrStatus.PROPOSED),
    **dict.fromkeys(("discussion", "tbd", "todo"), AdrStatus.PROPOSED),
    **dict.fromkeys(("rejected", "declined", "abandoned", "withdrawn", "cancelled", "canceled"), AdrStatus.REJECTED),
    **dict.fromkeys(("superseded", "superceded", "replaced", "obsoleted", "obsolete"), AdrStatus.SUPERSEDED),
    **dict.fromkeys(("deprecated", "retired", "outdated", "reverted"), AdrStatus.DEPRECATED),
}


SHOWN = frozenset({AdrStatus.ACCEPTED, AdrStatus.REJECTED})


@dataclass(frozen=True, slots=True)
class Adr:
    """One decision record."""

    decision: MinedDecision  # its text is the first paragraph on one line; or the title, if there is no text
    status: AdrStatus
    supersedes: tuple[int, ...]  # record numbers


@dataclass(frozen=True, slots=True)
class _Line:
    number: int
    text: str


@dataclass(frozen=True, slots=True)
class _Section:
    title: str
    line: int
    lines: tuple[_Line, ...]


def read_decisions(now: Snapshot, paths: Iterable[str]) -> list[MinedDecision]:
    """The accepted and rejected decisions of the records among these paths, without superseded ones."""
    texts = ((path, text_at(now, path)) for path in adr_paths(paths)[-MOST_FILES:])
    read = {path: adr for path, text in texts if text is not None and (adr := adr_of(path, text))}
    replaced = set(_replaced(read))
    return [adr.decision for path, adr in read.items() if path not in replaced and adr.status in SHOWN]


def _replaced(read: Mapping[str, Adr]) -> Iterator[str]:
    """The paths of records that an accepted record in the same folder supersedes."""
    by_number = {(dirname(path), _number(path)): path for path in read}
    for path, adr in read.items():
        if adr.status is AdrStatus.ACCEPTED:
            yield from (by_number.get((dirname(path), number), "") for number in adr.supersedes)


def adr_paths(paths: Iterable[str]) -> list[str]:
    """The paths that are decision records by folder and file name, sorted."""
    return sorted(path for path in paths if _is_adr_path(path))


def _is_adr_path(path: str) -> bool:
    *folders, name = path.split("/")
    if not _FILE.fullmatch(name):
        return False
    lower = [folder.lower() for folder in folders]
    is_there = any(folder in _FOLDERS for folder in lower[-1 - DEEPEST :])
    is_ours = _NOT_OURS.isdisjoint(lower) and not _TEMPLATE.search(name)
    return is_there and is_ours


def _number(path: str) -> int | None:
    """The number in a record's file name; None without one."""
    found = re.match(r"(?:adr[-_]?)?0*(\d{1,5})", path.rpartition("/")[2], re.IGNORECASE)
    return int(found[1]) if found else None


def adr_of(path: str, text: str) -> Adr | None:
    """The decision record in a file; None if it has neither a decision nor a status."""
    text = _COMMENT.sub(lambda comment: "\n" * comment[0].count("\n"), text)  # line numbers stay the same
    sections = list(_sections(text))
    fields = dict(_fields(sections))
    status_lines = [line.text for section in sections if _is_called(section, "status") for line in section.lines]
    status = "\n".join(filter(None, [fields.get("status", ""), *status_lines])).strip()
    decided = _decided(sections)
    title = next((section for section in sections if section.title), None)
    if title is None or not (decided or status):
        return None
    name, found = _name(title.title, path), _status(status)
    said, start, end = decided or (name, title.line, title.line)
    rejected = _rejected(said, _options(sections))
    if found is AdrStatus.REJECTED:  # its title names the rejected proposal
        said, start, end, rejected = name, title.line, title.line, ()
    decision = MinedDecision(
        id=place_id(path, start, end),
        kind=MemoryKind.GOTCHA if found is AdrStatus.REJECTED else MemoryKind.DECISION,
        text=CleanText(said),  # of clean text
        source=Source.FILE,
        title=CleanText(name),
        rejected=tuple(map(CleanText, rejected)),
        date=_date(fields.get("date", ""), sections),
        path=path,
        start_line=start,
        end_line=end,
    )
    return Adr(decision, found, _superseded(status))


def _name(heading: str, path: str) -> str:
    """The heading without its number; the file name if the heading is the template's placeholder "Title"."""
    name = _NUMBER.sub("", _shown(heading)) or _shown(heading)
    stem = path.rpartition("/")[2].rpartition(".")[0]
    return re.sub(r"[-_]+", " ", stem.lstrip("-_0123456789")) if name.lower() == "title" else name


def _sections(text: str) -> Iterator[_Section]:
    """The text split at headings; the first section, with an empty title, includes front matter."""
    title, start, body, is_fenced = "", 1, list[_Line](), False
    is_front = False  # in front matter "# …" is a comment, not a heading
    for number, raw in enumerate(text.split("\n"), start=1):
        line = raw[:LONGEST_LINE].rstrip()
        is_fenced ^= bool(_FENCE.match(line))
        if line == "---" and (number == 1 or is_front):
            is_front = number == 1
        heading = None if is_fenced or is_front else _HEADING.fullmatch(line)
        if heading:
            yield _Section(title, start, tuple(body))
            title, start, body = heading[1].rstrip(" #"), number, []
        else:
            body.append(_Line(number, line))
    yield _Section(title, start, tuple(body))


def _is_called(section: _Section, name: str) -> bool:
    return _shown(section.title).strip(" :.").lower() == name


def _fields(sections: Sequence[_Section]) -> Iterator[tuple[str, str]]:
    """The first `Status:` and the first `Date:` field near the top of the record, as (lower-case name, value)."""
    seen = set()
    for section in sections[:2]:
        for line in section.lines:
            found = _FIELD.fullmatch(line.text)
            if found and found[1].lower() not in seen:
                seen.add(found[1].lower())
                yield found[1].lower(), found[2].strip("*_|\"' ")


def _status(text: str) -> AdrStatus:
    """The status that the first words name; "superseded by", which tools append later, takes precedence."""
    if _SUPERSEDED_BY.search(text):
        return AdrStatus.SUPERSEDED
    words = _STATUS_WORD.findall(_SUPERSEDES.sub("", text).lower())[:WORDS_OF_STATUS]
    return next((_STATUSES[word] for word in words if word in _STATUSES), AdrStatus.ACCEPTED)


def _date(field: str, sections: Sequence[_Section]) -> str:
    own = [line.text for section in sections if _is_called(section, "date") for line in section.lines]
    found = _DATE.search(" ".join([field, *own]))
    return "-".join(found.groups()) if found else ""


def _superseded(status: str) -> tuple[int, ...]:
    return tuple(dict.fromkeys(int(n) for link in _SUPERSEDES.findall(status) for n in _LINKED.findall(link)[:1]))


def _decided(sections: Sequence[_Section]) -> tuple[str, int, int] | None:
    """The decision with its first and last line: the text under its heading, else the first Y-statement."""
    for at, section in enumerate(sections):
        if _DECISION.fullmatch(_shown(section.title)):
            lines = [line for part in sections[at : at + 2] for line in part.lines]  # it may begin with a heading
            return next(_paragraphs(lines), None)
    paragraphs = (paragraph for section in sections for paragraph in _paragraphs(section.lines))
    return next((paragraph for paragraph in paragraphs if _Y.search(paragraph[0])), None)


def _paragraphs(lines: Sequence[_Line]) -> Iterator[tuple[str, int, int]]:
    """Each paragraph on one line, with its first and last line number; one that ends with ":" includes its list."""
    block: list[_Line] = []
    is_fenced = False
    for line in (*lines, _Line(0, "")):
        is_fence = bool(_FENCE.match(line.text))
        is_fenced ^= is_fence
        if line.text.strip() and not is_fence and not is_fenced:
            block.append(line)
        elif block and not (block[-1].text.rstrip().endswith(":") and line.number):
            yield _cut(_shown(" ".join(part.text for part in block))), block[0].number, block[-1].number
            block = []


def _options(sections: Sequence[_Section]) -> list[str]:
    """The considered options, from their list, without the explanation behind each."""
    for section in sections:
        if _OPTIONS.fullmatch(_shown(section.title)):
            items = [line.text for line in section.lines if _ITEM.match(line.text) and line.text[:1] in "-*+0123456789"]
            return [re.split(r"\s[—–-]\s|:\s", _shown(_ITEM.sub("", item, count=1)))[0] for item in items]
    return []


def _rejected(text: str, options: Sequence[str]) -> tuple[str, ...]:
    """All options except the chosen one; empty unless exactly one option matches the text."""
    neglected = _NEGLECTED.search(text) if _Y.search(text) else None
    if neglected:
        return (neglected[1].strip(),)
    chosen = _CHOSEN.search(text)
    rejected = [option for option in options if not (chosen and _is_same(option, chosen[1]))]
    return tuple(rejected[:MOST_REJECTED]) if len(rejected) == len(options) - 1 else ()


def _is_same(option: str, chosen: str) -> bool:
    one, other = (re.sub(r"\W+", " ", text).strip().lower() for text in (option, chosen))
    return bool(one and other) and (one.startswith(other) or other.startswith(one))


def _shown(raw: str) -> str:
    """Markdown as plain text on one line: links become their labels; bold and a leading list marker are removed."""
    return re.sub(r"\*\*|__", "", _ITEM.sub("", _LINK.sub(r"\1", " ".join(raw.split())), count=1))


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST_TEXT else text[:LONGEST_TEXT].rsplit(" ", 1)[0] + " …"
