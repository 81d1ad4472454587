"""The reason of a commit: the sentences of its message's body that give it, without a language model."""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain

from repomem.brief.message_prose import (
    is_reference,
    items_of,
    paragraphs,
    reason_section,
    sentences_of,
    squashed,
    with_whole_lists,
)
from repomem.core.text.lazy_pattern import lazy_pattern
from repomem.core.text.words import stems_of

LENGTH = 240  # characters of the reason of a commit that answers the question
SHORT = 160  # of any other
GAP = " […] "
LINE_END = " / "  # as in quoted verse
FEWEST_WORDS = 4  # of a sentence that says something
_WORD = lazy_pattern(r"[^\W\d_]{2,}")
_SINGLE_BRACKET = lazy_pattern(r"[:;]-?\)|^\w\)")  # smileys, and the letter of a list
_NOISE = lazy_pattern(
    r"://|^This reverts commit\b|^Bumps? |^These dependencies needed to be updated\b|^Patch (?:by|from)\b|\bunrelated\b"
    r"|^\W*Conflicts:|^As (?:discussed|mentioned|suggested|requested)\b[^.]{0,40}\.?$"
    r"|^\W?(?:Also|And|For (?:example|instance)|E\.g\.)(?!\w)"
    r"|^(?:\S+ ){1,5}also\b"  # what else it did
    r"|^(?:Fix|Result|Solution|Test Plan): |^Fix(?:e[sd])? (?:this|that|it) by\b"  # what it did
)
_ENDS = (".", "!", "?", ":", ",", ";", ")", '"', "'", "`")
_ASIDE = lazy_pattern(  # it addresses or credits someone, or tells what the change itself costs
    r"^\W*@\w|\bmight be interested\b|^\W*cc\b|^Update after (?:PR|review)\b|^This reverts commit\b"
    r"|^(?i:based|built|implemented|reported|suggested|submitted|contributed|inspired|adapted|patch|pull request|pr)\b"
    r"(?i:(?: on| the| a| an| original| pull request| patch| work| code| fix)*) (?:by|from) "
    r"|^(?i:(?:many |big |special )?thanks|thank you|kudos|credits?|props)\b|\b[Tt]hanks to (?:@|[A-Z])"
    r"|\b(?:downside|drawback|disadvantage)s?\b"
    r"|^(?:This|It|That|The (?:change|patch|commit))\b(?! (?:was|were|had|used to|caused|made|led)\b)"
    r".*\b(?:slower|acceptable)\b"
)
_CAUSE = lazy_pattern(
    r"\b(?:because|since|so that|otherwise|in order to|to (?:avoid|prevent|keep|make sure)"
    r"|due to|leads? to|led to|caus\w+|(?<!some )reason|instead of|rather than)\b"
    r"|(?:^|[,;:(–—-] ?)as (?:it|they|this|that|the)\b",  # not "the same as the others"
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


def reason_in(body: str, length: int = LENGTH, subject: str = "") -> str:
    """The whole body if it is short prose; of a longer one the sentences that give a reason, in order; else nothing.

    At most `length` characters. A section "Why" or "Motivation" comes before the rest of the body. Of squashed commits
    only one is read: the one that most of the `subject` repeats, else the first.
    """
    return _reason(reason_section(body), length, subject) or _reason(body, length, subject)


def _reason(body: str, length: int, subject: str) -> str:
    found = chain.from_iterable(sentences_of(_part_of_subject(squashed(paragraphs(body)), stems_of(subject))))
    sentences = {at: each for at, each in enumerate(found) if _says_something(each)}
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


def _part_of_subject(parts: Sequence[Sequence[str]], subject: frozenset[str]) -> Sequence[str]:
    """Of squashed commits the one whose own subject has the most of these words, and most of them; else the first."""
    shared = [len(stems_of(" ".join(part[:1])) & subject) for part in parts]
    return parts[shared.index(max(shared))] if 2 * max(shared) > len(subject) else parts[0]


def _says_something(sentence: str) -> bool:
    """Whether it is a statement about the change, and long enough."""
    return _is_statement(sentence) and len(_WORD.findall(sentence)) >= FEWEST_WORDS and not _NOISE.search(sentence)


def _is_statement(sentence: str) -> bool:
    """Whether it is whole: no question, introduction or reference, nor half of a bracket; and says no aside.

    A single word, such as a name or a hash, says nothing; languages without spaces are not ASCII.
    """
    text = _SINGLE_BRACKET.sub("", sentence)
    is_whole = text.count("(") == text.count(")") and not text.endswith((":", "?"))
    is_word = text.isascii() and " " not in text
    return is_whole and not is_word and not is_reference(text) and not _ASIDE.search(text)


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


def paragraph_about(body: str, subject: str, text: str) -> str:
    """The first paragraph of a body that says more than the subject; of a list the item with most words of `text`.

    Of squashed commits the one with most of these words counts, and none without any.
    """
    known, wanted = stems_of(subject), stems_of(text)
    parts = squashed(paragraphs(reason_section(body) or body))
    shared = [len(stems_of(" ".join(part)) & wanted) for part in parts]
    best = shared.index(max(shared))
    if len(parts) > 1 and not shared[best]:
        return ""
    statements = _statements_of(with_whole_lists(parts[best]), wanted)
    return next((each for each in statements if not stems_of(each) <= known), "")


def _statements_of(blocks: Sequence[str], wanted: frozenset[str]) -> Iterator[str]:
    """What each paragraph says, and the item of each list that has most of the wanted words, if one has any."""
    for block, sentences in zip(blocks, sentences_of(blocks), strict=True):
        items = items_of(block)
        if len(items) > 1:
            telling = [each for each in items if _is_statement(each) and stems_of(each) & wanted]
            yield max(telling, key=lambda each: len(stems_of(each) & wanted), default="")
        else:
            found = items or sentences
            yield _with_gaps({at: each for at, each in enumerate(found) if _is_statement(each)})


def _weight(sentence: str) -> float:
    """How much a sentence looks like a reason; 0 if its author only doubts something."""
    if _DOUBT.search(sentence):
        return 0.0
    is_harm = bool(_HARM.search(sentence) or _COST.search(sentence))
    return 2.0 * bool(_CAUSE.search(sentence)) + is_harm + 0.5 * bool(_PAST.search(sentence))
