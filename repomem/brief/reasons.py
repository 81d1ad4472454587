"""The reason of a commit: the sentences of its message's body that give it, without a language model."""

import re
from collections.abc import Mapping

LENGTH = 240  # characters
GAP = " […] "
FEWEST_WORDS = 4  # of a sentence that says something
_WORD = re.compile(r"[^\W\d_]{2,}")
_NOISE = re.compile(r"://|^This reverts commit\b|^Bumps? |^These dependencies needed to be updated\b")
_OF_TEMPLATES = re.compile(  # the templates of pull requests are full of them
    r"<!--.*?(?:-->|\Z)"
    r"|^(?P<fence>```+|~~~+).*?(?:^(?P=fence)|\Z)"
    r"|^[^\S\n]{0,3}(?:#{1,6}[^\S\n][^\n]*|\*\*[^*\n]+\*\*:?[^\S\n]*)$"  # headings
    r"|^[^\S\n]*(?:(?:[-*+•]|\d+[.)])[^\S\n]+)?\[[ xX]?\][^\n]*(?:\n[^\S\n]+\S[^\n]*)*"  # items of checklists
    r"|</?(?:a|b|br|code|details|div|em|h[1-6]|hr|i|img|kbd|li|ol|p|pre|span|strong|sub|summary|sup|ul)\b[^<>\n]*>",
    re.MULTILINE | re.DOTALL,
)
_BLOCK = re.compile(r"\n\s*\n")
_LIST = re.compile(r"^\s*(?:[-*+•]|\d+[.)])\s", re.MULTILINE)
_TRAILER = re.compile(r"^[A-Z][A-Za-z-]+(?: [a-z]+)?: \S", re.MULTILINE)
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+(?=[A-Z\"'`(])")
_CAUSE = re.compile(
    r"\b(?:because|since|so that|otherwise|as (?:it|they|this|that|the)|in order to|to (?:avoid|prevent|keep|make sure)"
    r"|due to|leads? to|led to|caus\w+|reason|instead of|rather than)\b",
    re.IGNORECASE,
)
_HARM = re.compile(
    r"\b(?:fail\w*|br[eo]ke\w*|crash\w*|los[et]s?|wrong\w*|slow\w*|cost\w*|never|nobody|cannot|could not"
    r"|too (?:many|much|long)|twice|doubled|leak\w*|hang\w*|block\w*|refus\w*|reject\w*)\b",
    re.IGNORECASE,
)
_PAST = re.compile(r"\b(?:was|were|had|\w{3,}ed)\b")


def reason_in(body: str) -> str:
    """The whole body if it is short prose; of a longer one the sentences that give a reason, in order; else nothing."""
    every = [" ".join(each.split()) for block in _prose(body) for each in _SENTENCE_END.split(block)]
    sentences = {at: each for at, each in enumerate(every) if _says_something(each)}
    if sum(len(each) + 1 for each in sentences.values()) <= LENGTH:
        return _with_gaps(sentences)
    reasons = [at for at, each in sentences.items() if _weight(each)]
    kept = sorted(reasons, key=lambda at: (-_weight(sentences[at]), at))
    chosen: list[int] = []
    for at in kept:
        if sum(len(sentences[each]) + 1 for each in (*chosen, at)) <= LENGTH:
            chosen.append(at)
    return _with_gaps({at: sentences[at] for at in sorted(chosen)})


def _says_something(sentence: str) -> bool:
    return len(_WORD.findall(sentence)) >= FEWEST_WORDS and not _NOISE.search(sentence)


def _with_gaps(sentences: Mapping[int, str]) -> str:
    """The sentences by their place, with a mark where some between them are left out."""
    return "".join(
        f"{GAP if at - 1 not in sentences and number else ' '}{each}"
        for number, (at, each) in enumerate(sentences.items())
    ).strip()


def without_template(body: str) -> str:
    """A message's body without a pull request template's headings, checklists, comments and code."""
    return _OF_TEMPLATES.sub("\n\n", body)


def _prose(body: str) -> list[str]:
    """The paragraphs without lists, code and trailers."""
    blocks = [block for block in _BLOCK.split(without_template(body)) if block.strip()]
    return [
        block for block in blocks if not _LIST.search(block) and not _TRAILER.search(block) and block[0] not in " `"
    ]


def _weight(sentence: str) -> float:
    """How much a sentence looks like a reason."""
    return 2.0 * bool(_CAUSE.search(sentence)) + bool(_HARM.search(sentence)) + 0.5 * bool(_PAST.search(sentence))
