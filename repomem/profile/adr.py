"""Records of decisions (ADRs) as people write them: what was decided, where it says so, and whether it still holds.

Read are the forms of Nygard (`## Status`, `## Decision`), of MADR (front matter or `* Status:`, `## Decision
Outcome`) and Y-statements ("In the context of …, we decided for …"). Nothing is understood beyond that.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

LONGEST_LINE = 2_000  # characters of a line that are read
LONGEST_TEXT = 600  # characters of what was decided; the rest is read in the file
MOST_REJECTED = 4
WORDS_OF_STATUS = 3  # "in review", "under active discussion"; what follows explains it

_FOLDERS = frozenset(
    {
        *("adr", "adrs", "decisions", "decision-records", "decision-log", "decision_records"),
        *("architecture-decisions", "architecture_decisions", "architecture-decision-records"),
    }
)
_NOT_OURS = frozenset(  # records in these folders are data, or decisions of others
    {"test", "tests", "testdata", "fixtures", "example", "examples", "samples", "vendor", "node_modules", "third_party"}
)
_FILE = re.compile(r"(?:adr[-_]?)?\d{1,5}[-_. ].*\w.*\.(?:md|markdown)", re.IGNORECASE)
_TEMPLATE = re.compile(r"(?i)template")
DEEPEST = 2  # folders below that of the records: some sort them by part or year

_HEADING = re.compile(r"#{1,6}\s+(\S.*)")
_NUMBER = re.compile(r"\A(?:ADR[- ]?)?\d{1,5}\s*[.:—–-]\s*|\AADR[- ]?\d{1,5}\s+", re.IGNORECASE)
_FIELD = re.compile(r"[-*+|\s]*[*_]{0,2}(status|date)[*_]{0,2}\s*[:|](.*)", re.IGNORECASE)
_STATUS_WORD = re.compile(r"[A-Za-z]+")
_DATE = re.compile(r"\b(\d{4})[-/.](\d{2})[-/.](\d{2})\b")
_LINKED = re.compile(r"(?:ADR[-_ #]?|\[|/|\b)0*(\d{1,5})(?=[-_. \]):,]|$)", re.IGNORECASE)
_SUPERSEDED_BY = re.compile(r"(?:superseded|superceded|replaced|obsoleted)\s+by\b(.*)", re.IGNORECASE)
_SUPERSEDES = re.compile(r"\b(?:supersedes|supercedes|replaces|obsoletes)\b(.*)", re.IGNORECASE)
_DECISION = re.compile(
    r"(?:the\s+)?(?:decisions?|decision outcome|outcome|resolution|decision\s*[/&]\s*rationale)\W*", re.IGNORECASE
)
_OPTIONS = re.compile(
    r"(?:considered|alternative|rejected)\s+(?:options|alternatives|solutions)|alternatives.*|options.*", re.IGNORECASE
)
_CHOSEN = re.compile(
    r"""chosen\s+option:?\s*[*_]{0,2}["“'`\[]*(.+?)["”'`\]]*[*_]{0,2}(?:\s*[,.;(]|\s+because|\s*$)""", re.IGNORECASE
)
_Y = re.compile(r"\bin the context of\b.*?\bdecided\b", re.IGNORECASE | re.DOTALL)
_NEGLECTED = re.compile(
    r"\band\s+(?:neglected|against|rejected)\s+(.+?)(?:,|\s+to\s+achieve|\Z)", re.IGNORECASE | re.DOTALL
)
_LINK = re.compile(r"!?\[([^\[\]]{1,200})\](?:\([^()\n]{0,300}\)|\[[^\[\]\n]{0,100}\])?")
_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_ITEM = re.compile(r"\A\s*(?:[-*+]|\d{1,3}[.)])\s+")
_FENCE = re.compile(r"\s*(?:```|~~~)")


class AdrStatus(StrEnum):
    """What became of a decision. A record that does not say is taken for accepted: it was merged."""

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


@dataclass(frozen=True, slots=True)
class Adr:
    """A record of one decision; lines are those of `text`, or of the title where there is no text."""

    title: str  # without its number
    status: AdrStatus
    date: str  # YYYY-MM-DD, or empty
    text: str  # the first paragraph of what was decided, on one line
    start_line: int
    end_line: int
    title_line: int
    number: int | None = None
    rejected: tuple[str, ...] = ()  # options that were not chosen
    supersedes: tuple[int, ...] = ()  # numbers of records
    superseded_by: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class _Line:
    number: int
    text: str


@dataclass(frozen=True, slots=True)
class _Section:
    title: str
    line: int
    lines: tuple[_Line, ...]


def adr_paths(paths: Iterable[str]) -> list[str]:
    """Those of the paths that are records of decisions by folder and name, sorted."""
    return sorted(path for path in paths if _is_adr_path(path))


def _is_adr_path(path: str) -> bool:
    *folders, name = path.split("/")
    lower = [folder.lower() for folder in folders]
    is_there = any(folder in _FOLDERS for folder in lower[-1 - DEEPEST :])
    is_ours = _NOT_OURS.isdisjoint(lower) and not _TEMPLATE.search(name)
    return is_there and is_ours and bool(_FILE.fullmatch(name))


def adr_number(path: str) -> int | None:
    """The number of a record by its file's name."""
    found = re.match(r"(?:adr[-_]?)?0*(\d{1,5})", path.rpartition("/")[2], re.IGNORECASE)
    return int(found[1]) if found else None


def adr_of(path: str, text: str) -> Adr | None:
    """The record in a file; None where it says neither what was decided nor what became of it."""
    sections = list(_sections(_without_comments(text)))
    fields = dict(_fields(sections))
    status_lines = [line.text for section in sections if _is_called(section, "status") for line in section.lines]
    said = "\n".join(filter(None, [fields.get("status", ""), *status_lines])).strip()
    decided = _decided(sections)
    title = next((section for section in sections if section.title), None)
    if title is None or not (decided or said):
        return None
    name = _name(title.title, path)
    options = _options(sections)
    shown = decided or (name, title.line, title.line)
    return Adr(
        title=name,
        status=_status(said),
        date=_date(fields.get("date", ""), sections),
        text=shown[0],
        start_line=shown[1],
        end_line=shown[2],
        title_line=title.line,
        number=adr_number(path),
        rejected=_rejected(shown[0], options),
        supersedes=_numbers(_SUPERSEDES, said),
        superseded_by=_numbers(_SUPERSEDED_BY, said),
    )


def _name(heading: str, path: str) -> str:
    """The heading without its number; where it is the template's own, the file's name."""
    name = _NUMBER.sub("", _shown(heading)) or _shown(heading)
    stem = path.rpartition("/")[2].rpartition(".")[0]
    return re.sub(r"[-_]+", " ", stem.lstrip("-_0123456789")) if name.lower() == "title" else name


def _without_comments(text: str) -> str:
    """The text with its comments blank, each line in its place."""
    return _COMMENT.sub(lambda comment: "\n" * comment[0].count("\n"), text)


def _sections(text: str) -> Iterator[_Section]:
    """The text by its headings, the lines before the first under an empty title; front matter is one of these."""
    title, start, held, is_fenced = "", 1, list[_Line](), False
    is_front = False  # in front matter a heading is a comment
    for number, raw in enumerate(text.split("\n"), start=1):
        line = raw[:LONGEST_LINE].rstrip()
        is_fenced ^= bool(_FENCE.match(line))
        if line == "---" and (number == 1 or is_front):
            is_front = number == 1
        heading = None if is_fenced or is_front else _HEADING.fullmatch(line)
        if heading:
            yield _Section(title, start, tuple(held))
            title, start, held = heading[1].rstrip(" #"), number, []
        else:
            held.append(_Line(number, line))
    yield _Section(title, start, tuple(held))


def _is_called(section: _Section, name: str) -> bool:
    return _shown(section.title).strip(" :.").lower() == name


def _fields(sections: Sequence[_Section]) -> Iterator[tuple[str, str]]:
    """Status and date as the lines before the first section of the text give them, the first of each."""
    seen = set()
    for section in sections[:2]:
        for line in section.lines:
            found = _FIELD.fullmatch(line.text)
            if found and found[1].lower() not in seen:
                seen.add(found[1].lower())
                yield found[1].lower(), found[2].strip("*_|\"' ")


def _status(said: str) -> AdrStatus:
    """By its first words; a line that tools add below names a later record that replaces it."""
    if _SUPERSEDED_BY.search(said):
        return AdrStatus.SUPERSEDED
    words = _STATUS_WORD.findall(_SUPERSEDES.sub("", said).lower())[:WORDS_OF_STATUS]
    return next((_STATUSES[word] for word in words if word in _STATUSES), AdrStatus.ACCEPTED)


def _date(field: str, sections: Sequence[_Section]) -> str:
    own = [line.text for section in sections if _is_called(section, "date") for line in section.lines]
    found = _DATE.search(" ".join([field, *own]))
    return "-".join(found.groups()) if found else ""


def _numbers(pattern: re.Pattern[str], said: str) -> tuple[int, ...]:
    return tuple(dict.fromkeys(int(n) for found in pattern.findall(said) for n in _LINKED.findall(found)[:1]))


def _decided(sections: Sequence[_Section]) -> tuple[str, int, int] | None:
    """What was decided, with its lines: under its heading, else the paragraph that is a Y-statement."""
    for at, section in enumerate(sections):
        if _DECISION.fullmatch(_shown(section.title)):
            lines = [line for each in sections[at : at + 2] for line in each.lines]  # it may begin with a heading
            return next(_paragraphs(lines), None)
    statements = (each for section in sections for each in _paragraphs(section.lines) if _Y.search(each[0]))
    return next(statements, None)


def _paragraphs(lines: Sequence[_Line]) -> Iterator[tuple[str, int, int]]:
    """Paragraphs on one line each, with their lines; one that announces a list has it with it."""
    held: list[_Line] = []
    is_fenced = False
    for line in (*lines, _Line(0, "")):
        is_fence = bool(_FENCE.match(line.text))
        is_fenced ^= is_fence
        if line.text.strip() and not is_fence and not is_fenced:
            held.append(line)
        elif held and not (held[-1].text.rstrip().endswith(":") and line.number):
            yield _cut(_shown(" ".join(each.text for each in held))), held[0].number, held[-1].number
            held = []


def _options(sections: Sequence[_Section]) -> list[str]:
    """The options that were considered: the items of their list, each up to where it is explained."""
    for section in sections:
        if _OPTIONS.fullmatch(_shown(section.title)):
            items = [line.text for line in section.lines if _ITEM.match(line.text) and line.text[:1] in "-*+0123456789"]
            return [re.split(r"\s[—–-]\s|:\s", _shown(_ITEM.sub("", item, count=1)))[0] for item in items]
    return []


def _rejected(text: str, options: Sequence[str]) -> tuple[str, ...]:
    """The options but the chosen one; none where it cannot be told which that is."""
    neglected = _NEGLECTED.search(text) if _Y.search(text) else None
    if neglected:
        return (neglected[1].strip(),)
    chosen = _CHOSEN.search(text)
    left = [option for option in options if not (chosen and _is_same(option, chosen[1]))]
    return tuple(left[:MOST_REJECTED]) if len(left) == len(options) - 1 else ()


def _is_same(option: str, chosen: str) -> bool:
    one, other = (re.sub(r"\W+", " ", text).strip().lower() for text in (option, chosen))
    return bool(one and other) and (one.startswith(other) or other.startswith(one))


def _shown(raw: str) -> str:
    """Markdown on one line, links by their label, without marks of emphasis and lists at its start."""
    return re.sub(r"\*\*|__", "", _ITEM.sub("", _LINK.sub(r"\1", " ".join(raw.split())), count=1))


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST_TEXT else text[:LONGEST_TEXT].rsplit(" ", 1)[0] + " …"
