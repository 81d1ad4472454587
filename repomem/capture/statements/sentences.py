"""Splits a message into sentences in the author's own words, without code, logs, tagged text and pasted documents.

Each sentence has its heading, because sentences under "Options" or "Plan" are not statements.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from repomem.capture.statements.remember_requests import asks_to_remember
from repomem.core.text.lazy_pattern import lazy_pattern

LONGEST = 40_000  # characters read of a message
WRAPPED = range(60, 91)  # characters of a line that may have been wrapped; people end a sentence with any other
QUOTE_WORDS = 4  # in quotation marks, from which on the text is a quotation; fewer are a name

_FENCE = lazy_pattern(r"\s*(```+|~~~+)")
_TAG = lazy_pattern(r"\s*<(?P<closes>/?)(?P<name>[a-z]+[-_][\w-]*)[^<>]*>\s*")  # a host's or ours; HTML has none such
_HEADING = lazy_pattern(
    r"\s{0,3}(?:#{1,6}\s+(?P<hash>\S.*?)[#\s]*|\*\*(?P<bold>[^*]{2,60}?):?\*\*:?|__(?P<under>[^_]{2,60})__:?)"
)
_LEAD_IN = lazy_pattern(r"(?:.*[.!?]\s)?(?P<title>[^.!?。]{2,120})[:：]")
_ITEM = lazy_pattern(
    r"(?P<indent>\s*)(?:[-*+•‣]|\(?\d{1,2}[.)]|\(?[a-zA-Z]\))\s+(?:\[(?P<mark>[ xX])\]\s+)?(?P<text>\S.*)"
)
_NOT_PROSE = lazy_pattern(
    r"\s*(?:>|\||[-=*_]{3,}\s*$|\$ |❯ |>>> |\+\+\+ |--- \S|@@ |diff --git |index [0-9a-f]{7}"
    r"|Traceback \(|File \"|at [\w.$<>]+ ?\(|E {2,}|={3,}|\[?\d{4}-\d\d-\d\d[T ]\d\d:|\d\d:\d\d:\d\d"
    r"|(?:warning|error|info|debug|fatal|note): |\w+(?:Error|Exception|Warning): |\[?(?:INFO|WARN(?:ING)?|ERROR|"
    r"DEBUG|TRACE|FATAL)\b[\]: ]|npm (?:ERR!|error)|[\w./-]+:\d+(?::\d+)?:? )"
)
_LASTING = lazy_pattern(  # a colon or comma after these words does not introduce a list
    r"(?i)\b(from (?:now|here) on|going forward|ab jetzt|desde ahora|à partir de maintenant)\s?[:,](?=\s)"
)
_OF_RULES = lazy_pattern(r"(?i)\b(?:rules?|conventions?|decisions?|decided|agreed|always|never|from now on)\b")
_INDENTED_CODE = lazy_pattern(r"(?: {4,}|\t)\S")
_EMPHASIS = lazy_pattern(  # `__init__` is a name
    r"(?<![\w*`])(?!__\w+__(?!\w))(\*{1,3}|_{2,3})(?=\S)([^*\n]{1,300}?)(?<=\S)\1(?![\w*])"
)
_LINK = lazy_pattern(r"!?\[([^\[\]\n]{1,200})\]\([^()\s]{1,300}\)")
_EMOJI = lazy_pattern(r"[\u2600-\u27bf\U0001f300-\U0001faff]\ufe0f?\s*")
_QUOTED = lazy_pattern(
    r"\"(?P<double>[^\"\n]{8,}?)\"|“(?P<curly>[^”\n]{8,}?)”|«(?P<angle>[^»\n]{8,}?)»"
    r"|(?<![\w'])'(?P<single>[^'\n]{3,}(?:'\w[^'\n]*)*?)'(?!\w)|‘(?P<small>[^’\n]{8,}?)’(?!\w)"
)
_CODE = lazy_pattern(r"`+([^`\n]+)`+")
_ABBREVIATED = lazy_pattern(  # in English, German, Dutch, Spanish, French and Italian
    r"(?i)(?<![\w./])(?:e\.g|i\.e|etc|vs|cf|approx|resp|incl|fig|al|Mr|Mrs|Dr|St|z\. ?B|d\. ?h|u\. ?[aäu]|s\. ?[ou]|"
    r"o\. ?[äg]|v\. ?a|z\. ?T|m\. ?E|i\. ?d\. ?R|usw|bzw|ggf|evtl|bspw|vgl|sog|inkl|exkl|zzgl|dgl|ca|Nr|bijv|d\.w\.z|"
    r"o\.a|p\. ?ej|Uds?|Sra?|núm|págs?|p\. ?ex|c\.-à-d|ad es|ecc)\."
)
_NUMBERED = lazy_pattern(r"(?:^\s*|[:;]\s)\d{1,2}\.$")
_OPERATOR = r"(?<=\s)(?:\?\?|\?\.|!!)\s+[a-z0-9|&]"  # "use ?? instead"
_END = lazy_pattern(rf"(?<![.!?…])(?!{_OPERATOR})[.!?…]+[\"')\]”’]*(?=\s)|[。！？]+[」』”’）]*")
_PASTED_WORDS = (
    r"issues?|tickets?|bug reports?|readme|docs?|documentation|slack|e-?mails?|messages?|logs?|output|errors?|traces?|"
    r"stack ?traces?|traceback|comments?|reviews?|feedback|description|spec|transcript|article|blog|post|thread|chat|"
    r"conversation|notes|minutes|memo|polic(?:y|ies)|wiki|confluence|notion|release notes|announcement|report|"
    r"handbook|runbook|guidelines?|excerpt|post-?mortem|adr|design doc|draft|jira|teams|discord|newsletter|whatsapp|"
    r"contributing|changelog|pr body|proposal|rfc|snippet|file|contents?|quote"
)
_PASTES = lazy_pattern(
    rf"(?i)\b(?:{_PASTED_WORDS}|says|said|wrote|writes|reads|pasted?|pasting|posted|found this|got this)\b|^(?:so |ok |"
    rf"and )?here(?:'s| is| are)\b"
)
_OF_DOCUMENTS = lazy_pattern(
    r"(?i)(?:description|steps to reproduce|to reproduce|repro\w*|expected|actual|summary|context|background|"
    r"motivation|environment|proposal|proposed solution|alternatives?|installation|usage|contributing|licen[sc]e|"
    r"features|getting started|requirements|acceptance criteria|additional context|what happened|problem|issue|"
    r"overview|post-?mortem|incident|status|consequences|timeline|root cause|minutes|agenda|changelog|release notes|"
    r"action items|\[?v?\d+\.\d+)\b.*"
)


@dataclass(frozen=True, slots=True)
class Sentence:
    """One sentence, or one item of a list."""

    text: str  # on one line, without emphasis
    masked: str  # `text` with quotations and code replaced by as many "x"
    section: str = ""  # its heading, or the line with a colon above it, in lower case
    is_open_item: bool = False  # an unticked item of a task list
    place: int = 0  # within its message


@dataclass(frozen=True, slots=True)
class Clause:
    """One clause with its parts. Patterns are matched with `bare`."""

    text: str  # without introductory words and without its reason
    bare: str  # `text`, masked, and without a leading phrase such as "For the CLI,"
    whole: str  # masked, with lead-in and reason
    section: str
    front: str  # the leading phrase
    why: str
    has_own_why: bool  # the reason is in the sentence itself, not in the next one
    rejected: tuple[str, ...]
    place: int  # of its sentence within the message
    part: int  # within its sentence
    before: str  # the text before it in its sentence, masked


def sentences_of(text: str, *, is_prompt: bool) -> list[Sentence]:
    """The sentences of a message, in a prompt only up to a pasted text or document, unless that is fenced or quoted."""
    sentences: list[Sentence] = []
    is_end = False
    for block in _blocks(_LASTING.sub(r"\1", text[:LONGEST]).split("\n"), is_prompt=is_prompt):
        if is_end and not block.follows_quotation:
            break
        if is_prompt and _OF_DOCUMENTS.fullmatch(block.heading):
            break
        if is_prompt and block.is_item and not _is_of_statements(block.section):
            continue  # a list in a prompt is mostly a plan, a task or a document, rarely rules
        is_end = is_prompt and _announces(block)
        texts = [part for part in map(str.strip, _split(_shown(block.text))) if part]
        for part in texts[: -1 if is_end else None]:  # the last one introduces the pasted text
            sentences.append(Sentence(part, masked(part), block.section, block.is_open_item, len(sentences)))
    return sentences


def _is_of_statements(section: str) -> bool:
    """Whether the line above a list says that it has rules, or asks to remember it."""
    return bool(_OF_RULES.search(section)) or asks_to_remember(f"{section}: ")


def masked(text: str) -> str:
    """The text with quotations and code replaced by as many "x"."""
    hidden = _CODE.sub(lambda code: code[0].replace(code[1], "x" * len(code[1])), text)
    return _QUOTED.sub(_hidden_quote, hidden)


def _hidden_quote(quote: re.Match[str]) -> str:
    inner = quote[quote.lastgroup or 0]
    if len(inner.split()) < QUOTE_WORDS:
        return quote[0]
    return quote[0][0] + "x" * len(inner) + quote[0][-1]


@dataclass(slots=True)
class _Block:
    """A paragraph or an item of a list, and its heading."""

    text: str
    heading: str = ""  # the text of a heading, if the block is one
    section: str = ""
    is_open_item: bool = False
    is_item: bool = False  # of a list
    follows_quotation: bool = False  # fenced, tagged or with ">", right after the block before


def _announces(block: _Block) -> bool:
    """Whether a block introduces pasted text."""
    text = (block.heading or block.text).rstrip()
    return text.endswith(":") and bool(_PASTES.search(text[-160:]))


def _blocks(lines: Iterable[str], *, is_prompt: bool) -> Iterator[_Block]:
    reader = _Reader(ends_at_lines=is_prompt)
    for line in lines:
        yield from reader.taken(line)
    yield from reader.closed()


class _Reader:
    """Groups lines into blocks."""

    def __init__(self, *, ends_at_lines: bool) -> None:
        self._ends_at_lines = ends_at_lines
        self._is_ended = False  # the open block ended with its last line
        self._fence = ""
        self._open: _Block | None = None
        self._heading = ""
        self._lead_in = ""
        self._was_blank = True
        self._was_quotation = False

    def taken(self, line: str) -> Iterator[_Block]:
        """The blocks that end with this line."""
        if (is_code := self._is_code(line)) or _NOT_PROSE.match(line):
            yield from self.closed()
            self._was_quotation = is_code or line.lstrip().startswith(">")
        elif not line.strip():
            yield from self.closed()
            self._was_blank = True
        elif heading := _HEADING.fullmatch(line):
            yield from self.closed()
            title = next(filter(None, heading.groups()))
            self._heading, self._lead_in = title.lower(), ""
            yield replace(self._opened(""), heading=title)
        else:
            yield from self._prose(line)
            self._was_blank = False

    def closed(self) -> Iterator[_Block]:
        """The block that is open, if one is."""
        block, self._open, self._is_ended = self._open, None, False
        if block is None:
            return
        lead_in = _LEAD_IN.fullmatch(block.text.strip())
        if lead_in:
            self._lead_in = lead_in["title"].lower()
        yield block

    def _opened(self, text: str, *, section: str = "", is_open_item: bool = False, is_item: bool = False) -> _Block:
        block = _Block(text, "", section, is_open_item, is_item, follows_quotation=self._was_quotation)
        self._was_quotation = False
        return block

    def _is_code(self, line: str) -> bool:
        if tag := _TAG.fullmatch(line):
            name = f"<{tag['name']}>"
            if not self._fence and not tag["closes"]:
                self._fence = name
            elif self._fence == name and tag["closes"]:
                self._fence = ""
            return True
        fence = _FENCE.match(line)
        if fence and (not self._fence or fence[1].startswith(self._fence)):
            self._fence = "" if self._fence else fence[1]
            return True
        is_indented = self._was_blank and bool(_INDENTED_CODE.match(line)) and not _ITEM.fullmatch(line)
        return bool(self._fence) or is_indented

    def _prose(self, line: str) -> Iterator[_Block]:
        item = _ITEM.fullmatch(line)
        if item:
            yield from self.closed()
            section = self._lead_in or self._heading
            self._open = self._opened(item["text"], section=section, is_open_item=item["mark"] == " ", is_item=True)
            return
        if self._is_ended:
            yield from self.closed()
        if self._open:
            self._open.text += " " + line.strip()
        else:
            self._lead_in = "" if self._was_blank else self._lead_in
            self._open = self._opened(line.strip(), section=self._lead_in or self._heading)
        is_within_quotation = self._open.text.count('"') % 2 == 1
        self._is_ended = self._ends_at_lines and len(line) not in WRAPPED and not is_within_quotation
        if line.rstrip().endswith((":", "：")):
            yield from self.closed()


def _shown(text: str) -> str:
    """The text without emphasis, link targets and emoji."""
    return " ".join(_EMPHASIS.sub(r"\2", _LINK.sub(r"\1", _EMOJI.sub("", text))).split())


def _split(text: str) -> Iterator[str]:
    """The sentences of a paragraph; punctuation within a quotation or code does not end one."""
    hidden, start = _ABBREVIATED.sub(lambda short: short[0].replace(".", "x"), masked(text)), 0
    for end in _END.finditer(hidden):
        if not _NUMBERED.search(hidden[start : end.end()]):
            yield text[start : end.end()]
            start = end.end()
    yield text[start:]
