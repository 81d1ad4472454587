"""The prose of a commit's message: paragraphs, lists and sentences, without templates, headings, code and output."""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from repomem.core.text.lazy_pattern import lazy_pattern

LARGEST_TITLE = 60  # characters of an underlined heading; a longer line is a paragraph above a ruler
MOSTLY_CODE = 0.5  # of the lines of a paragraph: with more it is code, with fewer it is prose without these lines

_WORDED = lazy_pattern(r"\w")
_LEFT_OUT = "\0"  # in the place of code, comments and checklists, as a paragraph
_TITLED = "\1"  # the same for headings
_OF_TEMPLATES = lazy_pattern(  # the templates of pull requests are full of them
    r"<!--.*?(?:-->|\Z)"
    r"|^(?P<fence>```+|~~~+).*?(?:^(?P=fence)|\Z)"
    r"|^[^\S\n]{0,3}(?:#{1,6}[^\S\n][^\n]*|\*\*[^*\n]+\*\*:?[^\S\n]*)$"  # headings
    r"|^[^\S\n]*(?:(?:[-*+•]|\d+[.)])[^\S\n]+)?\[[ xX]?\][^\n]*(?:\n[^\S\n]+\S[^\n]*)*",  # items of checklists
    re.MULTILINE | re.DOTALL,
)
_ASKED = r"(?:why|motivation|reason|rationale|background|problem)"
_TITLE = lazy_pattern(  # an underlined heading, or a question or label alone on its line
    rf"(?:(?<=\n\n)|\A)(?:(?P<line>[^\W_][^\n]{{0,{LARGEST_TITLE}}})(?<!\.)\n[^\S\n]*(?:={{3,}}|-{{3,}})"
    rf"|(?P<label>\[?(?:{_ASKED}|what|how|solution)[?:\]]+))[^\S\n]*(?=\n|\Z)",
    re.IGNORECASE,
)
_HEADING = r"^[^\S\n]{0,3}(?:#{1,6}[^\S\n]*|\*\*)"
_WHY = lazy_pattern(  # the section of a template that is asked for the reason
    rf"{_HEADING}{_ASKED}\b[^\n]*\n(?P<text>.*?)(?={_HEADING}|\Z)",
    re.MULTILINE | re.DOTALL | re.IGNORECASE,
)
_TAG = lazy_pattern(
    r"</?(?:(?P<within>a|b|code|em|i|img|kbd|span|strong|sub|sup)"
    r"|br|details|div|h[1-6]|hr|li|ol|p|pre|summary|ul)\b[^<>\n]*>"
)
_BLOCK = lazy_pattern(r"\n\s*\n")
_LIST = lazy_pattern(r"^\s*(?:[-*+•]|\d+[.)])\s", re.MULTILINE)
_SQUASHED = lazy_pattern(r"\* [^\n]+\n?")  # the subject of one of several commits
_REFERENCE = lazy_pattern(
    r"(?>(?:[\w./-]{0,80}+#\d+\b|\w++://\S++|[a-z]{2,}-\d+\b"
    r"|(?:fix(?:es|ed)?|close[sd]?|resolve[sd]?|refs?|see|part|of|issues?|and|for|related|to|pr|pull request|\d+)\b"
    r"|\W)+)",
    re.IGNORECASE,
)
_TRAILER = lazy_pattern(
    r"^(?!(?i:after|background|before|cause|context|fix|note|now|problem|reason|result|solution|why):)"
    r"(?:[A-Z][A-Za-z-]+(?: [a-z]+)?|[a-z]+(?:-[a-z]+)+): \S",
    re.MULTILINE,
)
_CODE = lazy_pattern(  # a line of code, of a shell or of a tool's output
    r"\s*(?:[\w.$@:\[\]'\"-]+ ?[:+*|-]?= ?\S.*"  # key = value
    r"|.*(?:\{|[)\]}\"'];|\bdo(?: \|[^|]*\|)?)|(?:end|else|begin)|[)\]}]+[,;]?|[\w.:]+\([^()]*\)[;,]?"
    r"|(?:\$|>>>|>|=>) .*|[\w-]*[./][\w./-]*:\d+(?::\d+)?:? .*"
    r"|(?:Traceback \(|File \"|(?:error|warning|fatal|panic)(?:\[\w+\])?: |Caused by: |[\w.]+(?:Error|Exception): ).*"
    r")\s*"
)
SENTENCE_END = lazy_pattern(r"(?<=[.!?])\s+(?=[A-Z\"'`(@])")
_OF_CODE = lazy_pattern(r"[a-z]|(?:That|This|These|Those|It|Which)\b(?!\s+(?:change|commit|patch|PR|fix)\b)")


def without_template(body: str) -> str:
    """A message's body without a pull request template's headings, checklists, comments and code."""
    return _marked(body).replace(_LEFT_OUT, "").replace(_TITLED, "")


def reason_section(body: str) -> str:
    """The section "Why" or "Motivation" of a body; empty if it has none."""
    section = _WHY.search(_with_headings(body))
    return section["text"] if section else ""


def paragraphs(body: str) -> list[str]:
    """The paragraphs of a body, with a mark in the place of each part of a template that was left out."""
    return [block for block in _BLOCK.split(_marked(body)) if block.strip()]


def _marked(body: str) -> str:
    """A body with a mark for each part of a template that was left out, and without markup."""
    plain = body.replace(_LEFT_OUT, "").replace(_TITLED, "")
    marked = _OF_TEMPLATES.sub(_mark, _with_headings(plain))
    return _TAG.sub(lambda tag: "" if tag["within"] else "\n\n", marked)


def _mark(left_out: re.Match[str]) -> str:
    is_heading = left_out[0].lstrip().startswith(("#", "**"))
    return f"\n\n{_TITLED if is_heading else _LEFT_OUT}\n\n"


def _with_headings(body: str) -> str:
    """A body with underlined headings, and labels such as `Why?`, in the form of others."""
    return _TITLE.sub(lambda title: f"# {(title['line'] or title['label']).strip('[]')}\n", body)


def squashed(blocks: Sequence[str]) -> list[Sequence[str]]:
    """The paragraphs of each squashed commit, which its subject after a star begins; else all of them."""
    subjects = [at for at, block in enumerate(blocks) if _SQUASHED.fullmatch(block)]
    if len(subjects) < 2:
        return [blocks]
    return [blocks[start:end] for start, end in pairwise([0, *subjects[1:], len(blocks)])]


def with_whole_lists(blocks: Sequence[str]) -> list[str]:
    """The paragraphs, those that each are an item of one list as one."""
    found: list[str] = []
    for block in blocks:
        if found and _LIST.match(block) and _LIST.match(found[-1]):
            found[-1] += f"\n{block}"
        else:
            found.append(block)
    return found


def items_of(block: str) -> list[str]:
    """The items of a list, each on one line, with what introduces them; none of another paragraph."""
    return [" ".join(each.split()) for each in _LIST.split(block) if each.strip()] if _LIST.search(block) else []


def sentences_of(blocks: Sequence[str]) -> Iterator[list[str]]:
    """The sentences of each paragraph; an empty one in the place of whatever is left out.

    The words around code that was left out say nothing without it: those before that end with a colon or with nothing,
    and a paragraph after it that begins like the middle of a sentence or with a word that means the code.
    """
    width = max((len(line) for block in blocks for line in block.splitlines()), default=0)
    for before, block, after in zip(["", *blocks], blocks, [*blocks[1:], ""], strict=False):
        if not _is_prose(block):
            yield [""]
            continue
        found = [" ".join(each.split()) for line in _lines(block, width) for each in SENTENCE_END.split(line)]
        if found and _is_code(after) and not found[-1].endswith((".", "!", "?")):
            found[-1] = ""
        if found and _is_code(before) and _OF_CODE.match(found[0]):
            found = [""]
        yield found


def _lines(block: str, width: int) -> Iterator[str]:
    """A paragraph in one line, or in several where it was broken although the next word would have fitted.

    Lines without a word are left out, since they underline another or point into it, and references to issues. In the
    place of a line of code or of a quotation there is an empty one. A line after a quotation that begins like the
    middle of a sentence is the rest of it.
    """
    line = ""
    is_quoted = False
    for each in filter(_WORDED.search, block.splitlines()):
        if is_quoted and _OF_CODE.match(each):
            continue
        last = line.rpartition("\n")[2]
        is_end = not last or last.endswith((".", ",", ";", ":", "!", "?"))
        if _REFERENCE.fullmatch(each) and (not last or last.endswith(".") or each[0].isupper()):
            continue
        is_quoted = each.startswith("> ")
        if _CODE.fullmatch(each):
            yield from (line, "")
            line = ""
            continue
        first = each.split(maxsplit=1)[:1]
        is_wrapped = not first or not first[0][:1].isupper() or len(last) + 1 + len(first[0]) > width
        if line and not is_wrapped and not is_end:
            yield line
            line = each
        else:
            line = f"{line}\n{each}" if line else each
    yield line


def is_reference(text: str) -> bool:
    """Whether a text only refers to issues or pages."""
    return _REFERENCE.fullmatch(text) is not None


def _is_code(block: str) -> bool:
    if block.startswith((_LEFT_OUT, " ", "\t", "`")):
        return True
    lines = [line for line in block.splitlines() if line.strip()]
    return bool(lines) and sum(map(bool, map(_CODE.fullmatch, lines))) > MOSTLY_CODE * len(lines)


def _is_prose(block: str) -> bool:
    """Whether a paragraph is neither a heading, a list, code nor trailers."""
    is_other = _LIST.search(block) or _TRAILER.search(block) or block.startswith(_TITLED)
    return not is_other and not _is_code(block)
