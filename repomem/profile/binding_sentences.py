"""Binding sentences ("must", "never", "please …") quoted from contributing, policy and agent files.

Sentences are chosen by their words of obligation and never reworded: links become their labels, white space is
folded, and everything else stays as written.
"""

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence

from repomem.adapters.settings.block import MARKDOWN_MARKS
from repomem.core.text.lazy_pattern import lazy_pattern
from repomem.core.types.brief import Fact
from repomem.profile.guides import heading
from repomem.profile.manifests.manifest import Manifest
from repomem.profile.named_paths import names_absent_file

MAX_QUOTE_CHARS = 180
MAX_QUOTES = 6
MAX_QUOTES_OF_A_FILE = 4  # a long guide must not crowd out other policy files
MIN_WORDS = 4  # shorter sentences need their context
MIN_CHARS = 10  # the same in scripts without spaces

_STARTS = r"(?:^|[,;:—–(]\s*|\b(?:please|and|but|so|then|also)\s+)[*_]{0,2}"  # where an imperative may begin
_PROJECT = r"(?:project|repo(?:sitory)?|library|package|codebase)\b"
_NO_RULE = "matter|problem|worr|need|longer|one|contribution|idea|guideline|rule|plan"  # after "no"


def _words(pattern: str) -> re.Pattern[str]:
    return lazy_pattern(pattern, re.IGNORECASE)


STRENGTHS: tuple[tuple[int, re.Pattern[str]], ...] = (  # the words of obligation, strongest first
    (4, _words(r"\bmust\b|\b(?:is|are|be) (?:strictly )?(?:forbidden|prohibited|mandatory)\b")),
    (4, _words(rf"{_STARTS}(?:never|always)\b|\b(?:should|shall) (?:never|always)\b")),
    (4, _words(rf"{_STARTS}(?:do[ ][*_]{{0,2}}not|don['’]t)\b")),
    (4, _words(rf"^(?:absolutely )?[*_]{{0,2}}no[*_]{{0,2}} (?!{_NO_RULE})\w")),
    (4, _words(r"必须|必須|禁止|务必|不得|请勿|切勿|不要|必ず|ないでください|してはいけません")),
    (4, _words(r"\b(?:muss|müssen|niemals|darf nicht|dürfen nicht|verboten)\b")),
    (4, _words(r"\b(?:нельзя|обязательно|никогда|всегда|должен|должна|должны|запрещено)\b")),
    (4, _words(r"\b(?:jamais|toujours|doit|doivent|obligatoire|interdit)\b")),
    (4, _words(r"\b(?:nunca|siempre|debe|deben|sempre|deve|devem)\b")),
    (3, _words(r"\b(?:is|are) (?:strictly )?required\b|\bbe required to\b")),
    (3, _words(r"\b(?:should|shall) not\b(?! (?:need|have) to\b)")),
    (3, _words(r"\b(?:is|are) not (?:welcome|accepted|allowed|permitted)\b")),
    (3, _words(r"\b(?:(?:do|does|will|can) not|don['’]t|doesn['’]t|won['’]t|cannot|no longer) accept\b")),
    (3, _words(r"n[o']t accepting\b")),
    (3, _words(r"\b(?:can['’]t|cannot|will not|won['’]t) be (?:merged|accepted)|\bwill be (?:closed|rejected)")),
    (2, _words(r"\bplease\b|\bbitte\b|\bпожалуйста\b|してください|\bpor favor\b|\bs'il vous plaît\b")),
)
MIN_STRENGTH = 2
NOT_BINDING = _words(  # words of obligation in courtesies and descriptions
    r"(?:do not|don['’]t) (?:worry|hesitate|panic|let this|have to|need|feel|know|want|(?:yet|already) have)"
    r"|(?:do not|don['’]t) be (?:afraid|shy|offended|discouraged|intimidated)"
    r"|feel free|please (?:do )?(?:join|let us|reach|contact|consider|see|read|refer|visit|understand|know)"
    r"|please (?:be|keep in mind|check (?:the|our)|(?:also )?try|ask your|also observe|make every effort|replace)"
    r"|not be offended|not always|must have been|likely|thank|\b(?:sponsor|donat)"
    r"|^(?:(?:an?|the|all|our) )?(?:(?:lead|core) )?(?:maintainer|collaborator|committer|reviewer|team member)s?\b"
)
OTHER_SUBJECT = _words(  # headings of sections that are not about changes of this repository's code
    r"\b(?:plug-?ins?|releasing|release (?:process|checklist|procedure)|publishing|onboarding|offboarding)\b"
    r"|\b(?:maintainers?|review(?:ing|ers?)|committers?|collaborators?|core (?:team|developers?)|newcomers?)\b"
    r"|\b(?:make|making|cut|cutting|new) (?:a )?(?:new )?releases?\b|\b(?:first[- ]time|new) contributors?\b"
    r"|\b(?:report|fil)(?:ing)?\b.*\b(?:bug|issue|vulnerabilit)|\bfound a bug\b|\b(?:sponsor|donat)"
    r"|\b(?:security|financial|questions?|conduct|chat)\b"
)
RIDDLE = _words(  # it needs the sentence before
    rf"[*_]{{0,2}}(?:(?:then|they|it|these|those|that|must|this(?! {_PROJECT}))\b"
    r"|both (?:must|should|are)\b"
    r"|(?:for (?:example|instance)|similarly|likewise|otherwise|instead|however),"
    r"|(?:in|for) (?:all|any) other |\()"
)
POINTS_BACK = _words(  # to a word outside the sentence
    r"\b(?:those|these) (?!that|who|which|of|with|in|are|is|to|for)\w|\b(?:to|of|with|by|for|on|in) that \w"
    r"|\bfor this (?:purpose|reason|case)\b"
    r"|\b(?:one|some|any|each|none|all|most) of (?:them|these|those)\b"
    r"|^(?:if|when|before|after) (?:you|we|someone|anyone) (?:\w+ ){1,5}(?:to|on|in|with|of) (?:it|them)\b"
)
CONDITION = _words(r"[*_]{0,2}(?:if|unless|in case)\b")  # the sentences after it are about the same case
OUTDATED = _words(  # a document's own note, which takes the force from its rules
    r"\bthis (?:document|guide|file|page) (?:is|has)\b[^.!?]{0,40}\b"
    r"(?:not been updated|out[- ]of[- ]date|outdated|obsolete|deprecated|no longer (?:maintained|accurate|valid))\b"
)
ABOUT_PROJECT = _words(rf"[*_]{{0,2}}this {_PROJECT}")  # in every case
REFUSES = _words(r"(?:\bnot|n['’]t|\bno longer) (?:accept|welcome|allow|permit)")
ABOUT_AGENTS = lazy_pattern(r"\b(?:LLMs?|AI|[Aa]gents?|[Bb]ots?|[Cc]o-?authored?)\b")
ABOUT_WORK = _words(
    r"\b(?:tests?|commits?|branch(?:es)?|lint\w*|format\w*|types?|changelog|documentation|docs|API"
    r"|code(?! of conduct)|merge|rebase|dependenc\w+)\b"
)
ABOUT_TALK = _words(
    r"\b(?:issues?|bugs?|questions?|discussions?|discord|slack|forum|mailing list|vulnerabilit\w+|tracebacks?"
    r"|stack overflow|screenshots?|conduct|CLA|[Ll]icen[cs]e [Aa]greement|e-?mail|race|gender|submitter"
    r"|new contributors?|newcomers?|reviewers?)\b"
    r"|security@"
)
TEMPLATE = lazy_pattern(r"(?i)(?:^|/)[^/]*template[^/]*$")  # mostly about the pull request's text, not the work

LINK = lazy_pattern(r"!?\[([^\[\]]{1,200})\](?:\([^()\n]{0,300}\)|\[[^\[\]\n]{0,100}\])")
STRONG = lazy_pattern(r"\*\*(?=\S)([^*]+?)(?<=\S)\*\*")
LINK_OF_RST = lazy_pattern(r"`([^`<>]+?)\s*<[^`<>]+>`__?")
LIST_MARK = lazy_pattern(r"(?:[-*+]|\d{1,3}[.)]|- \[[ xX]\])[ \t]+")
ENDS_PARAGRAPH = lazy_pattern(r"#|={3,}|-{3,}|\||\.\. |\[[^\]]+\]:|\[!\w+\][ \t]*$|---|<|!\[")
FENCE = lazy_pattern(r"```|~~~")
SENTENCE_END = lazy_pattern(
    r"(?:(?<!e\.g)(?<!i\.e)(?<!etc)(?<!vs)[.!?][)\"'”*_`]{0,3}(?=\s+[\"'“(*_`\[]{0,3}[^\sa-z])|[。！？])\s*"
)
CLAUSE_START = lazy_pattern(r"(?:[;:—–]|, (?:and|but|so)|,)\s+")


def quotations(manifests: Sequence[Manifest]) -> list[Fact]:
    """At most MAX_QUOTES sentences of the policy files, the strongest first, then the shortest."""
    sentences = [sentence for manifest in manifests for sentence in _binding_sentences(manifest)]
    chosen: dict[str, Fact] = {}
    for _, fact in sorted(sentences, key=_order):
        of_file = sum(kept.path == fact.path for kept in chosen.values())
        if of_file < MAX_QUOTES_OF_A_FILE and len(chosen) < MAX_QUOTES:
            chosen.setdefault(fact.text, fact)
    return list(chosen.values())


def _binding_sentences(manifest: Manifest) -> Iterator[tuple[int, Fact]]:
    """The strongest binding sentence of each paragraph of a file, in file order, after its strength.

    The sentences of a paragraph mostly say one thing in several ways.
    """
    lines = manifest.lines
    if any(OUTDATED.search(paragraph) for _, paragraph in _paragraphs(lines)):
        return
    elsewhere = _lines_of_other_subjects(lines)
    heads = [number for number, *_ in _headings(lines)]
    section, is_refused = -1, False  # whether the section begins with a refusal, which the rest only explains
    for first_line, paragraph in _paragraphs(lines):
        is_first = section != (section := bisect_right(heads, first_line))
        found = [] if first_line in elsewhere else list(_of_paragraph(manifest, first_line, paragraph))
        is_refused &= not is_first
        found = [one for one in found if not (is_refused and ABOUT_AGENTS.search(one[1].text))]
        is_refused |= is_first and any(REFUSES.search(f.text) and ABOUT_AGENTS.search(f.text) for _, f in found)
        yield from sorted(found, key=_order)[:1]


def _order(sentence: tuple[int, Fact]) -> tuple[int, int, str, int]:
    """The sort key of a sentence after its strength: the strongest first, then the shortest."""
    strength, fact = sentence
    return -strength, len(fact.text), fact.path, fact.start_line


def _of_paragraph(manifest: Manifest, first_line: int, paragraph: str) -> Iterator[tuple[int, Fact]]:
    """The binding sentences of a paragraph, each after its strength; those after a condition are quoted with it."""
    condition = None
    for sentence in _sentence_spans(paragraph):
        start, end = _within_limit(paragraph, *sentence)
        strength = _strength(shown(paragraph[start:end])) - 2 * bool(TEMPLATE.search(manifest.path))
        condition = None if ABOUT_PROJECT.match(paragraph, *sentence) else condition
        condition = sentence[0] if CONDITION.match(paragraph, *sentence) else condition
        start = start if condition is None else condition
        text = shown(paragraph[start:end]).removeprefix("- ")  # after a label: "**Add tests!** - Your patch …"
        if strength >= MIN_STRENGTH and len(text) <= MAX_QUOTE_CHARS and not names_absent_file(text, manifest):
            line = first_line + paragraph.count("\n", 0, start)
            last = first_line + paragraph.count("\n", 0, end)
            yield strength, Fact("quoted", text, manifest.path, line, last)


def shown(raw: str) -> str:
    """A sentence on one line, links as their labels, and without marks of strong emphasis."""
    return " ".join(STRONG.sub(r"\1", LINK_OF_RST.sub(r"\1", LINK.sub(r"\1", raw))).split())


def _strength(text: str) -> int:
    """How binding a sentence is; rules about code count more than rules about discussions."""
    is_too_short = len(text.split()) < MIN_WORDS and (text.isascii() or len(text) < MIN_CHARS)
    if is_too_short or len(text) > MAX_QUOTE_CHARS or text.endswith((":", "?", "：")) or NOT_BINDING.search(text):
        return 0
    if RIDDLE.match(text) or POINTS_BACK.search(text) or _is_within_quotation(text):
        return 0
    strength = max((value for value, words in STRENGTHS if words.search(text)), default=0)
    if strength == 0:
        return 0
    strength += 2 * bool(ABOUT_AGENTS.search(text)) + bool(ABOUT_WORK.search(text))
    return strength - 3 * bool(ABOUT_TALK.search(text))


def _is_within_quotation(text: str) -> bool:
    """Whether quotation marks are unpaired: somebody else's words, which begin or end elsewhere."""
    return text.count("“") != text.count("”") or text.count('"') % 2 == 1


def _lines_of_other_subjects(lines: Sequence[str]) -> set[int]:
    """The numbers of the lines under headings of OTHER_SUBJECT; the title of the file is none of these."""
    found, skipped, start = set[int](), 0, 0  # skipped: the level of such a heading
    for at, (number, level, title) in enumerate([*_headings(lines), (len(lines) + 1, 0, "")]):
        if not skipped or level <= skipped:
            found |= {*range(start, number)} if skipped else set()
            is_title = at == 0 and level == 1
            start, skipped = number, level if OTHER_SUBJECT.search(title) and not is_title else 0
    return found


def _headings(lines: Iterable[str]) -> Iterator[tuple[int, int, str]]:
    """The line number, level and text of each heading."""
    is_fenced, before = False, ""
    for number, line in enumerate(lines, start=1):
        is_fenced ^= bool(FENCE.match(line.lstrip()))
        if not is_fenced and (head := heading(before, line)):
            yield number, *head
        before = line


def _paragraphs(lines: Iterable[str]) -> Iterator[tuple[int, str]]:
    """Each paragraph or list item with its first line number; no code, headings, tables, HTML, nor repomem's block."""
    start, block, is_fenced, is_comment, is_ours = 1, list[str](), False, False, False
    for number, raw in enumerate([*lines, ""], start=1):
        line = raw.lstrip(" \t>")
        is_fence = bool(FENCE.match(line))
        is_fenced ^= is_fence
        is_comment = (is_comment or line.startswith("<!--")) and "-->" not in line
        is_ours = (is_ours or line.startswith(MARKDOWN_MARKS.start)) and not line.startswith(MARKDOWN_MARKS.end)
        is_new = not line or is_fence or is_fenced or is_comment or is_ours or bool(ENDS_PARAGRAPH.match(line))
        item = LIST_MARK.match(line)
        if (is_new or item) and block:
            yield start, "\n".join(block)
            block = []
        if is_new or (not block and not item and raw.startswith(("    ", "\t"))):
            continue
        if not block:
            start = number
        block.append(line[item.end() :] if item else line)


def _sentence_spans(paragraph: str) -> Iterator[tuple[int, int]]:
    """The start and end offsets of each sentence, without white space behind it."""
    start = 0
    for end in (*(found.end() for found in SENTENCE_END.finditer(paragraph)), len(paragraph)):
        if start < end:
            yield start, start + len(paragraph[start:end].rstrip())
        start = end


def _within_limit(paragraph: str, start: int, end: int) -> tuple[int, int]:
    """The sentence's offsets; if it is too long, those of its shortest binding end that starts at a clause."""
    if len(shown(paragraph[start:end])) <= MAX_QUOTE_CHARS:
        return start, end
    nearest = max(start, end - 2 * MAX_QUOTE_CHARS)  # a clause that starts earlier is too long
    for clause in reversed(list(CLAUSE_START.finditer(paragraph, nearest, end))):
        text = shown(paragraph[clause.end() : end])
        if len(text) <= MAX_QUOTE_CHARS and _strength(text) >= MIN_STRENGTH:
            return clause.end(), end
    return start, end
