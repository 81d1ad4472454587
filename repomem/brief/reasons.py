"""The reason of a commit: the sentences of its message's body that give it, without a language model."""

import re
from collections.abc import Iterator, Mapping

from repomem.core.lazy_pattern import lazy_pattern
from repomem.core.words import stems_of

LENGTH = 240  # characters of the reason of a commit that answers the question
SHORT = 160  # of any other
GAP = " […] "
LINE_END = " / "  # as in quoted verse
FEWEST_WORDS = 4  # of a sentence that says something
_WORD = lazy_pattern(r"[^\W\d_]{2,}")
_WORDED = lazy_pattern(r"\w")
_NOISE = lazy_pattern(
    r"://|^This reverts commit\b|^Bumps? |^These dependencies needed to be updated\b|^Patch (?:by|from)\b|\bunrelated\b"
    r"|^\W*Conflicts:|^As (?:discussed|mentioned|suggested|requested)\b[^.]{0,40}\.?$"
    r"|^\W?(?:Also|And|For (?:example|instance)|E\.g\.)(?!\w)"
    r"|^(?:\S+ ){1,5}also\b"  # what else it did
)
_LEFT_OUT = "\0"  # in the place of code, comments, headings and checklists, as a paragraph
_OF_TEMPLATES = lazy_pattern(  # the templates of pull requests are full of them
    r"<!--.*?(?:-->|\Z)"
    r"|^(?P<fence>```+|~~~+).*?(?:^(?P=fence)|\Z)"
    r"|^[^\S\n]{0,3}(?:#{1,6}[^\S\n][^\n]*|\*\*[^*\n]+\*\*:?[^\S\n]*)$"  # headings
    r"|^[^\S\n]*(?:(?:[-*+•]|\d+[.)])[^\S\n]+)?\[[ xX]?\][^\n]*(?:\n[^\S\n]+\S[^\n]*)*",  # items of checklists
    re.MULTILINE | re.DOTALL,
)
_HEADING = r"^[^\S\n]{0,3}(?:#{1,6}[^\S\n]*|\*\*)"
_WHY = lazy_pattern(  # the section of a template that is asked for the reason
    rf"{_HEADING}(?:why|motivation|reason|rationale|background|problem)\b[^\n]*\n(?P<text>.*?)(?={_HEADING}|\Z)",
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
    r"|(?:fix(?:es|ed)?|close[sd]?|resolve[sd]?|refs?|see|part|of|issues?|and)\b|\W)+)",
    re.IGNORECASE,
)
_TRAILER = lazy_pattern(r"^(?:[A-Z][A-Za-z-]+(?: [a-z]+)?|[a-z]+(?:-[a-z]+)+): \S", re.MULTILINE)
_ENDS = (".", "!", "?", ":", ",", ";", ")", '"', "'", "`")
SENTENCE_END = lazy_pattern(r"(?<=[.!?])\s+(?=[A-Z\"'`(])")
_OF_CODE = lazy_pattern(r"[a-z]|(?:That|This|These|Those|It|Which)\b(?!\s+(?:change|commit|patch|PR|fix)\b)")
_CAUSE = lazy_pattern(
    r"\b(?:because|since|so that|otherwise|as (?:it|they|this|that|the)|in order to|to (?:avoid|prevent|keep|make sure)"
    r"|due to|leads? to|led to|caus\w+|(?<!some )reason|instead of|rather than)\b",
    re.IGNORECASE,
)
_HARM = lazy_pattern(
    r"\b(?:fail\w*|br[eo]ke\w*|crash\w*|los[et]s?|wrong\w*|slow\w*|cost\w*|never|nobody|cannot|could not"
    r"|too (?:many|much|long)|twice|doubled|leak\w*|hang\w*|block\w*|refus\w*|reject\w*)\b",
    re.IGNORECASE,
)
_COST = lazy_pattern(
    r"\b\d[\d.,]*\s?(?:%|(?:[kmgt]i?b?|[mnµ]?s|seconds?|minutes?|hours?|times|x)\b)|\b(?:infinite|un(?:bounded|limited))\b",
    re.IGNORECASE,
)
_DOUBT = lazy_pattern(
    r"\bI(?:'m| am)? (?:suppose|guess|think|believe|hope|wonder|assume|guessing|not sure)"
    r"|\b(?:maybe|perhaps|no idea|not sure|I could(?: not|n't) find)\b"
    r"|\b(?:my|our) (?:previous |earlier |original )?(?:assumption|logic|reasoning|thinking)\b"
    r"|\b(?:haven't|have not|didn't|did not) (?:even )?(?:looked?|checked?|tested|test|tried|try)\b",
    re.IGNORECASE,
)
_BACK = lazy_pattern(  # a sentence that means the one before
    r"(?:They|Their|These|Those|Its?|In turn)\b(?! (?:change|commit|patch|PR|fix|pull request)\b)"
    r"|Because of (?:this|that)\b|(?:As a (?:side effect|result|consequence)|Therefore|Thus|Hence|However)\b"
    r"|This (?:will|would|can|could|may|might|happens|means|leads|results|is because)\b"
)
_PAST = lazy_pattern(r"\b(?:was|were|had|\w{3,}ed)\b")


def reason_in(body: str, length: int = LENGTH) -> str:
    """The whole body if it is short prose; of a longer one the sentences that give a reason, in order; else nothing.

    At most `length` characters. A section "Why" or "Motivation" comes before the rest of the body.
    """
    section = _WHY.search(body)
    return (section and _reason(section["text"], length)) or _reason(body, length)


def _reason(body: str, length: int) -> str:
    sentences = {at: each for at, each in enumerate(_sentences(body)) if _says_something(each)}
    if sum(len(each) + 1 for each in sentences.values()) <= length:
        return _with_gaps(sentences)
    reasons = [at for at, each in sentences.items() if _weight(each) >= 1]
    kept = sorted(reasons, key=lambda at: (-_weight(sentences[at]), at))
    chosen: list[int] = []
    for at in kept:
        before = at - 1 if _BACK.match(sentences[at]) and at - 1 in sentences else at
        wanted = {*chosen, before, at}
        if sum(len(sentences[each]) + 1 for each in wanted) <= length:
            chosen = sorted(wanted)
    return _with_gaps({at: sentences[at] for at in chosen})


def _says_something(sentence: str) -> bool:
    """Whether a sentence is about the change and complete: it neither introduces a list nor leaves a bracket open."""
    is_whole = not sentence.endswith(":") and sentence.count("(") <= sentence.count(")")
    return is_whole and len(_WORD.findall(sentence)) >= FEWEST_WORDS and not _NOISE.search(sentence)


def _with_gaps(sentences: Mapping[int, str]) -> str:
    """The sentences in order, with a mark where others between them are left out, or where a line has no end mark.

    A sentence that refers back to one that is left out is left out too.
    """
    text = ""
    sentences = {at: each for at, each in sentences.items() if at - 1 in {-1, *sentences} or not _BACK.match(each)}
    for at, each in sentences.items():
        between = GAP if at - 1 not in sentences else " " if text.endswith(_ENDS) else LINE_END
        text += f"{between if text else ''}{each}"
    return text


def without_template(body: str) -> str:
    """A message's body without a pull request template's headings, checklists, comments and code."""
    return _marked(body).replace(_LEFT_OUT, "")


def paragraph_about(body: str, subject: str, text: str) -> str:
    """The first paragraph of a body that says more than the subject; of a list the item with most words of `text`.

    References to issues and introductions of lists are no such paragraphs.
    """
    wanted, known = stems_of(text), stems_of(subject)
    for block in _BLOCK.split(without_template(body)):
        items = [" ".join(each.split()) for each in _LIST.split(block) if each.strip()]
        telling = [each for each in items if not (each.endswith(":") or _REFERENCE.fullmatch(each))]
        further = [each for each in telling if not stems_of(each) <= known]
        if further:
            return max(further, key=lambda each: len(stems_of(each) & wanted)) if len(items) > 1 else further[0]
    return ""


def _marked(body: str) -> str:
    """A body with a mark for each part of a template that was left out, and without markup."""
    marked = _OF_TEMPLATES.sub(f"\n\n{_LEFT_OUT}\n\n", body.replace(_LEFT_OUT, ""))
    return _TAG.sub(lambda tag: "" if tag["within"] else "\n\n", marked)


def _sentences(body: str) -> Iterator[str]:
    """The sentences of the paragraphs, with an empty one wherever something was left out.

    If code was left out, so are the words that make no sense without it: those before it that end with a colon or
    without punctuation, and a paragraph after it that starts in mid-sentence or with a word that refers to the code.
    """
    width = max(map(len, body.splitlines()), default=0)
    blocks = _of_whole([block for block in _BLOCK.split(_marked(body)) if block.strip()])
    for before, block, after in zip(["", *blocks], blocks, [*blocks[1:], ""], strict=False):
        if not _is_prose(block):
            yield ""
            continue
        found = [" ".join(each.split()) for line in _lines(block, width) for each in SENTENCE_END.split(line)]
        if found and _is_code(after) and not found[-1].endswith((".", "!", "?")):
            found[-1] = ""
        if found and _is_code(before) and _OF_CODE.match(found[0]):
            found = [""]
        yield from found


def _of_whole(blocks: list[str]) -> list[str]:
    """The paragraphs about the whole commit; for squashed commits (each subject after a star), those of the first."""
    subjects = [at for at, block in enumerate(blocks) if _SQUASHED.fullmatch(block)]
    return blocks[: subjects[1]] if len(subjects) > 1 else blocks


def _lines(block: str, width: int) -> Iterator[str]:
    """A paragraph as one line, or as several if it was broken where the next word would have fitted.

    Lines without a word are left out: they underline another line or point into it.
    """
    line = ""
    for each in filter(_WORDED.search, block.splitlines()):
        first = each.split(maxsplit=1)[:1]
        last = line.rpartition("\n")[2]
        is_wrapped = not first or not first[0][:1].isupper() or len(last) + 1 + len(first[0]) > width
        if line and not is_wrapped and not last.endswith((".", ",", ";", ":", "!", "?")):
            yield line
            line = each
        else:
            line = f"{line}\n{each}" if line else each
    yield line


def _is_code(block: str) -> bool:
    return block.startswith((_LEFT_OUT, " ", "\t", "`"))


def _is_prose(block: str) -> bool:
    """Whether a paragraph is neither a list, code nor trailers."""
    return not _is_code(block) and not _LIST.search(block) and not _TRAILER.search(block)


def _weight(sentence: str) -> float:
    """How much a sentence looks like a reason; 0 if its author only doubts something."""
    if _DOUBT.search(sentence):
        return 0.0
    is_harm = bool(_HARM.search(sentence) or _COST.search(sentence))
    return 2.0 * bool(_CAUSE.search(sentence)) + is_harm + 0.5 * bool(_PAST.search(sentence))
