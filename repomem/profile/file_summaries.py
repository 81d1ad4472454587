"""A file's own summary: the first sentence of its docstring or leading comment. Pure."""

import re
from collections.abc import Iterable, Iterator

from repomem.core.text.escape import one_line
from repomem.core.text.lazy_pattern import lazy_pattern
from repomem.profile.binding_sentences import SENTENCE_END, shown

READ = 6_000  # characters: a licence may come first
LONGEST = 120  # characters of a summary
FEWEST_WORDS = 3  # fewer are a title

_WORD = lazy_pattern(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[^\W\d_a-zA-Z]+")
_KINDS = ["class", "struct", "structure", "type", "interface", "enum", "trait", "object", "module", "file", "header"]
_EMPTY_WORDS = frozenset(
    [*_KINDS, "source", "package", "namespace", "main", "implementation", "definition", "definitions", "implements"]
).union(["defines", "represents", "contains", "a", "an", "and", "the", "this", "that", "is", "of", "for", "in", "all"])
_HASH = lazy_pattern(r"(?P<text>(?:\s*#[^\n]*\n)+)")
_DASHES = lazy_pattern(r"(?P<text>(?:\s*--[^\n]*\n)+)")
_SLASHES = lazy_pattern(r"(?P<text>(?:\s*(?:/\*.*?(?:\*/|\Z)|//[^\n]*\n))+)", re.DOTALL)
_SLASHED = ["c", "cpp", "javascript", "typescript", "tsx", "zig", "objc", "java", "kotlin", "dart", "scala"]
_LEADING = {  # the documentation before the code, which may end below READ; in most languages, any comment there
    "python": lazy_pattern(r"(?:\s|#[^\n]*\n)*[rRuU]?(\"{3}|'{3})(?P<text>.*?)(?:\1|\Z)", re.DOTALL),
    "elixir": lazy_pattern(r"\A.{0,2000}?@moduledoc\s+(?:~[sS])?\"{3}\n(?P<text>.*?)(?:\"{3}|\Z)", re.DOTALL),
    "rust": lazy_pattern(r"(?:\s|//(?!!)[^\n]*\n)*(?P<text>(?://![^\n]*\n)+|/\*!.*?(?:\*/|\Z))", re.DOTALL),
    "go": lazy_pattern(r"\A.*?(?P<text>(?:^//[^\n]*\n)+)package\s", re.DOTALL | re.MULTILINE),
    **dict.fromkeys(["bash", "perl", "ruby", "julia"], _HASH),
    **dict.fromkeys(["lua", "haskell", "sql"], _DASHES),
    **dict.fromkeys(_SLASHED, _SLASHES),
}
_TEXTS = frozenset(["python", "elixir"])  # their documentation is a string, in which `*` begins an item
_MARK = lazy_pattern(r"\s*(?:#+|--+\[*|//+!?|/\*+!?|\*+/?)?(?:\s*\*+/)?[ \t]?")
_ITEM = lazy_pattern(r"\s*(?:[-+*•]|\d+[.)])\s")  # of a list in a text without comment marks
_ABOUT_TAG = lazy_pattern(r"[@\\](?:brief|file(?:overview)?|overview|description|summary|packageDocumentation)\b\s*")
_SUMMARY_TAG = lazy_pattern(r"[@\\](?:summary|brief)\s+([^@\\]+)")  # in a docstring that is folded to one line
_TAG = lazy_pattern(r"[@\\][a-zA-Z]+\b")
_MARKUP = (  # of links to code, which a brief shows as the code
    lazy_pattern(r":(?:[a-z]+:){1,2}`(?P<name>[^`<]+?)(?:\s*\\?<[^`>]*>)?`"),
    lazy_pattern(r"\{@link\w*\s+(?:[^\s{}]+\s+)?(?P<name>[^{}]+)\}"),
    lazy_pattern(r"\{@\w+\s+(?P<name>[^{}]*)\}"),
    lazy_pattern(r"``(?P<name>[^`]+)``"),
    lazy_pattern(r"(?<![`&\w])\[`?(?P<name>[\w.:]+)`?\](?![(\[])"),
)
_INITIAL = lazy_pattern(r"\b[A-Z][a-z]+ (?:[A-Z]\. ?)*[A-Z]\.\s*$")  # of a person, whose surname follows
_ANNOUNCES = lazy_pattern(
    r"(?i)(?:there (?:is|are)|here|these|the following)\b"
    r"|.*\b(?:following(?: [\w-]+){0,2}|(?:provide|contain|include|define|offer)s?):+$"
)
_CREDIT = lazy_pattern(
    r"(?i)(?:(?:original|type|initial) )?(?:definitions|written|created|maintained|developed|contributed) by\b"
    r"|(?:authors?|credits|contributors|maintainers?)\s*:"
    r"|[\w.-]+(?: [\w-]+)?(?::| [-–])\s*<?https?://|(?:minimum )?typescript version\s*:"
)
# What a name means, not what it is.
TERM = lazy_pattern(r"[\w.*_`-]+ (?:stands for|is (?:short|an (?:acronym|abbreviation)) for)\b")
_NAMES = lazy_pattern(r".*<[^<>]*(?:@|://)[^<>]*>|(?:[\w-]+:\s*)?(?:[A-Z][\w.'-]*[ ]?){1,4}$")  # continue a credit
_DIRECTIVE = lazy_pattern(r"^[ \t]*\.\. [\w:-]+::[^\n]*(?:\n(?:[ \t]+\S[^\n]*|[ \t]*(?=\n)))*", re.MULTILINE)  # Sphinx
_LINK_DEFINITION = lazy_pattern(r"\[[^\[\]]+\]:\s")
_CODE = lazy_pattern(r"`[^`]+`")  # `{id}` is an example, not code that was commented out
_NOT_ABOUT = lazy_pattern(
    r"(?i)copyright|licen[sc]e|spdx|all rights reserved|\bwarranty\b|redistribut|permission (?:is|to)\b"
    r"|frozen_string_literal|coding[:=]|^!/|eslint|prettier"
    r"|@ts-|shellcheck|vim?:|-\*-|^[#@\\:.<{\[(]|^https?:|pragma|\bgo:build\b|\+build\b|\btodo\b"
    r"|\b(?:auto(?:matically)?|machine)[-\s]?generated\b|\bdo not (?:edit|modify)\b"
    r"|(?:^|[.!] )(?:(?:this|the|these) )?(?:(?:source|header|\w+\.\w+) )?"
    r"(?:(?:file|code|header|module|class|parser)s? )?"
    r"(?:(?:is|are|was|were|has been|have been) )?generated\b"
    r"|\bL?GPL\b|\bpublic domain\b|\bdistributed under\b|^this (?:source )?file is part of\b|^\||\s\|\s"
    r"|^(?:the |this )?(?:original |principal )?authors? (?:of|is|was|are|were)\b"
    r"|^th(?:is|e following) (?:article|book|chapter|cookbook|document\w*|guide|page|readme|section|tutorial)\b"
    r"|^(?:disable|suppress|silence|ignore|turn off)\b.*\bwarnings?\b"
    r"|^[\"“«]"
    r"|^(?:(?:usually|normally|typically), )?(?:when|if|in case|because|since|unless|although)\b[^:]*\b(?:you|we)\b"
    r"|^for (?:building|more)\b|^please\b|\bthis struct\b"
    r"|^(?:this|it) (?:requires|needs|means|assumes)\b"
    r"|^[\w ]{3,30}::\s|^(?:more information|language:)|[{}]|;$|[=_~*-]{4}"
    r"|^terms and conditions\b|^={3}"
)


def summary_of(language: str, text: str) -> str:
    """The first sentence that describes the file, on one line; empty if it has none."""
    leading = _DIRECTIVE.sub("", _leading(language, text[:READ])).splitlines()
    lines = (line.strip() if language in _TEXTS and _ITEM.match(line) else _unmarked(line) for line in leading)
    for paragraph in _paragraphs(lines):
        if (summary := first_sentence(paragraph)) or _announces_list(paragraph):  # what follows is about a part
            return summary
    return ""


def _announces_list(sentence: str) -> bool:
    return sentence.endswith(":") and _ANNOUNCES.match(sentence) is not None


def first_sentence(paragraph: str) -> str:
    """The first sentence of a paragraph that describes something, at most LONGEST characters; else empty.

    Links become their labels. A sentence that only announces a list describes nothing.
    """
    tagged = _SUMMARY_TAG.search(paragraph)
    text = shown(tagged[1] if tagged else paragraph)
    for link in _MARKUP:
        text = link.sub(r"`\g<name>`", text)
    if _LINK_DEFINITION.match(paragraph) or _NOT_ABOUT.search(_CODE.sub("code", text)):
        return ""
    end = next((each for each in SENTENCE_END.finditer(text) if not _INITIAL.search(text[: each.end()])), None)
    sentence = text[: end.end()].strip() if end else text
    if end and TERM.match(sentence) and (rest := first_sentence(text[end.end() :])):
        return rest
    if len(sentence.split()) < FEWEST_WORDS or _announces_list(sentence):
        return ""
    return one_line(sentence, LONGEST).rstrip(":")


def describes(summary: str, name: str) -> bool:
    """Whether a summary has a word that neither the name nor the kind of the file or definition has."""
    return not {*_words(summary)} <= {*_words(name), *name.casefold().split(), *_EMPTY_WORDS}


def _words(text: str) -> list[str]:
    return [word.casefold() for word in _WORD.findall(text)]


def _leading(language: str, text: str) -> str:
    """The documentation before the code, with its comment marks."""
    pattern = _LEADING.get(language)
    found = pattern.match(text) if pattern else None
    return found["text"] if found else ""


def _unmarked(line: str) -> str:
    return _MARK.sub("", line, count=1).removesuffix("*/").strip()


def _paragraphs(lines: Iterable[str]) -> Iterator[str]:
    """The paragraphs, each on one line, without code, lists, credits, link targets and tags of documentation tools."""
    block: list[str] = []
    is_item = is_credit = is_fenced = False
    for whole in [*lines, ""]:
        is_fence = whole.startswith("```")
        is_fenced ^= is_fence
        line = "" if is_fence or is_fenced else whole
        text = _ABOUT_TAG.sub("", line) if _ABOUT_TAG.match(line) else line
        begins_item = bool(_ITEM.match(line)) or (text == line and bool(_TAG.match(line)))
        is_item = bool(line) and text == line and (is_item or begins_item)
        if block and (not line or is_item or text != line):
            yield " ".join(block)
            block = []
        is_credit = bool(_CREDIT.match(text) or (is_credit and _NAMES.match(text)))
        if text and not (is_item or is_credit or _LINK_DEFINITION.match(text)):
            block.append(text)
