"""Derives a memory's default kind and importance from its wording, and whether two memories say the same.

The rules are few and simple: `remember` prints the result, and options correct it.
"""

from repomem.core.records import MemoryContent, MemoryKind, Source
from repomem.core.text.lazy_pattern import lazy_pattern
from repomem.core.text.words import STEM, stems_of, words_of

# A demand: a request in the imperative, where a clause begins, or a word of duty. "The queue always delivers twice" and
# "parse() never returns None" describe: there `always` follows a subject.
_START = r"(?:^|[.;:!,]\s+)(?:(?:please|and|but|so|also|then|in general|from now on),?:?\s+)*"
_GUESSED = (  # after "must" or "should": a supposition, not a demand
    r" be (?:awful|nice|fun|hard|tough|great|so|really|very|tired|joking|kidding|crazy|weird|strange|wonderful|"
    r"terrible|exciting|proud|hungry|busy|lovely|exhausted|somewhere|something|someone|why|because|like|around|about|"
    r"roughly|nearly|easy|soon)\b"
)
_NO_NOUN = (  # after a verb that may be the first word of a subject: "Write buffers may grow"
    r"(?! (?:(?!(?:that|wh\w+|if|how|the|an?|all|every|each|th[eo]se|this|it|only|no)\b)[\w-]+ ){1,2}"
    r"(?:is|are|was|were|may|can|cannot|could|will|would|has|have)\b)"
)
_RULE = lazy_pattern(
    rf"(?im){_START}(?:do not|don't|never|always|avoid|prefer|make sure|ensure|remember to)\s+(?!\w*[^su]s\b)"
    rf"|^(?:please\s+)?(?:(?:use|run|keep|put|write|document|pin|sign|bump|squash|rebase){_NO_NOUN}|check|ask|"
    r"only (?!\w+s (?:the|an?|its|their|all|any|each)\b)\w+(?! are| is))\s"
    r"|^no (?!longer\b|one\b|more\b)(?:(?!\b(?:is|are|was|were|has|have|fails?)\b).)*$"
    r"|^new [\w-]+(?: \w+)? (?:go|belong) (?:under|into?|to|through)\b"
    rf"|^from now on\b|\b(?:must(?! take\b| be (?:the|an?)\b|{_GUESSED})|mustn't|shall|may only)\b"
    r"|\b(?:nobody|no one) may\b"
    r"|\b(?:every\w*|all|each|any\w*|no ?one|nobody|nothing)\b.*\bfrom (?:now|here) on\b"
    r"|\b(?:forbidden|not allowed)\b"
    r"|\bmay not (?!be\b|have\b|exist|work|respond|match|fit|arrive|return|happen)"
    rf"|\bshould (?!be fine|work|now\b|already\b|have\b|help\b|{_GUESSED[1:]})"
    r"|(?<!\bI)(?<!\bwe)(?<!they)(?<!you) need an? (?!lot|while|bit)"
    r"|^(?:every|each) [\w -]{2,40} needs an? (?!lot|while|bit)"
    r"|\balways\b[^.]*, never\b"
)
# Reports are not rules: "I'm always late", "the keys never left", "it must have been the cache".
_TOLD_OF = lazy_pattern(
    r"(?i)\b(?:I|I'm|I've|I'd|I'll|he|she|they|has|have|had|was|were|would|could)\s+(?:\w+\s+)?(?:always|never)\b"
    r"|\b(?:always|never)\s+(?:\w+ed|was|were|had|did|got|left|went|came|saw|knew|made|took|said|thought|felt)\b"
    r"|\bmust\s+(?:have|'ve)\s+(?:been|\w+ed|come|gone|got|had|left|made|seen|taken)\b"
)
# "FYI" announces a fact, whatever follows from it: "fyi the feed is updated at 16:00, so don't cache past that".
_TOLD = lazy_pattern(r"(?i)^(?:just )?(?:fyi|for your information)\b")
# A new value demands nothing: "the size limit is 11 kB from now on".
_NEW_VALUE = lazy_pattern(r"(?i)^[^,;:]{2,80}? (?:is|are|has|have|takes?) \D{0,20}\d[^,;]{0,40}\bfrom now on\W*$")
# The start of a turn of a recorded conversation, with its speaker and date or time: "Ana (2026-03-01 09:40): ".
_DATE = r"\d{4}[-/.]\d|\d[-/.]\d+[-/.]\d\d|\d:\d\d|\d,? (?:19|20)\d\d"
_TURN = lazy_pattern(rf"^(?=[^\n]{{0,60}}?(?:{_DATE}))(?=[^\n]{{0,60}}?[A-Z])[^\n]{{2,60}}?: ")
_SPEAKER = lazy_pattern(r"[A-Z][\w .'()-]{0,40}: ")
_SENTENCE_END = lazy_pattern(r"(?<=[.!?])\s+")
_THREAD = lazy_pattern(
    r"(?i)^(?:todo|fixme|open|still|next|follow[- ]up|continue|unfinished)\b"
    r"|\b(?:remains to be|not done yet|left to do)\b"
)
_UNDECIDED = lazy_pattern(
    r"(?i)^\W*(?:maybe|perhaps|(?:should|shall|could|can|may) (?:we|i)\b|(?:we|i) (?:might|could)\b|i wonder\b)"
)
_GOTCHA = lazy_pattern(
    r"(?i)^(?:beware|careful|watch out|note that|gotcha)\b"
    r"|\b(?:(?:fails?|breaks?) (?:on|when|if|with)|flaky|silently|trap|crash(?:es)?|deadlocks?|race)\b"
)
_DECISION = lazy_pattern(
    r"(?i)\b(?:decided|decision|we (?:use|chose|choose|picked|keep|prefer)|chosen|switch(?:ed)? (?:to|from))\b"
    r"|\b(?:instead of|rather than|in favou?r of)\b"
)
# A change of one thing is no rule: rules are shown with every task.
_FROM_NOW_ON = lazy_pattern(r"(?i)\bfrom (?:now|here) on\b")
_CHORE = lazy_pattern(r"(?i)\b(?:typo|format(?:ting)?|rename[ds]?|chore|bump|whitespace)\b")
_BREAKING = lazy_pattern(r"(?i)\b(?:breaking|security|data loss|corrupt\w*|incompatib\w*|migration|public api)\b")
LONGEST_SHORT_WORD = 15  # characters; a longer one is mostly an address or a path
FEWEST_WEIGHTY = 3  # words that two texts must share to say nearly the same
SMALL = stems_of("a an the of in on to for at by with please always should must be is are we you our your and it that")
IMPORTANCE = {
    MemoryKind.RULE: 4,
    MemoryKind.DECISION: 4,
    MemoryKind.GOTCHA: 3,
    MemoryKind.FACT: 3,
    MemoryKind.THREAD: 2,
}


def kind_of(text: str) -> MemoryKind:
    """The kind that the words suggest; FACT by default, THREAD for what is only asked or considered.

    A turn of a conversation demands nothing.
    """
    if _TURN.match(text):
        return MemoryKind.FACT
    statements = " ".join(each for each in _SENTENCE_END.split(text) if not each.endswith("?"))
    is_asked = not statements and not _SPEAKER.match(text)
    if is_asked or _THREAD.search(text) or _UNDECIDED.search(statements):
        return MemoryKind.THREAD
    patterns = (
        (MemoryKind.DECISION, _DECISION),
        (MemoryKind.RULE, _RULE),
        (MemoryKind.DECISION, _FROM_NOW_ON),
        (MemoryKind.GOTCHA, _GOTCHA),
    )
    said = _TOLD_OF.sub("", statements)
    kind = next((kind for kind, pattern in patterns if pattern.search(said)), MemoryKind.FACT)
    if kind is MemoryKind.RULE and _NEW_VALUE.search(said):
        return MemoryKind.DECISION
    return MemoryKind.FACT if kind is MemoryKind.RULE and _TOLD.search(text) else kind


def is_from_now_on(text: str) -> bool:
    """Whether a text says what is different "from now on"."""
    return _FROM_NOW_ON.search(text) is not None


def importance_of(kind: MemoryKind, text: str, source: Source) -> int:
    """1 to 5: by a person 5, breaking changes 4, decisions and rules 4, facts 3, threads 2, chores 1."""
    if source is Source.PERSON and kind is not MemoryKind.THREAD:
        return 5
    if _BREAKING.search(text):
        return 4
    return 1 if _CHORE.search(text) and kind in {MemoryKind.FACT, MemoryKind.THREAD} else IMPORTANCE[kind]


def is_one_short_word(text: str) -> bool:
    """Whether a text is at most one short word, which states nothing; scripts without spaces have no such words."""
    spoken = [each for each in text.split() if any(map(str.isalnum, each))]
    if not spoken:
        return True
    if len(spoken) > 1 or len(spoken[0]) > LONGEST_SHORT_WORD:
        return False
    return text.isascii() or sum(not word.startswith(STEM) for word in words_of(text).split()) < 2


def same_text(one: str, other: str) -> bool:
    """Whether two texts are equal but for case, white space and the final punctuation mark."""
    return bare_text(one) == bare_text(other)


def is_same(one: MemoryContent, other: MemoryContent) -> bool:
    """Whether two memories have the same kind, scope and text."""
    return one.kind is other.kind and one.scope == other.scope and same_text(one.text, other.text)


def nearly_same(one: str, other: str) -> bool:
    """Whether two texts differ in small words and word order alone."""
    return same_text(one, other) or (_weighty(one) == _weighty(other) and len(_weighty(one)) >= FEWEST_WEIGHTY)


def _weighty(text: str) -> frozenset[str]:
    return stems_of(text) - SMALL


def bare_text(text: str) -> str:
    """A text without what `same_text` ignores."""
    return " ".join(text.casefold().split()).rstrip(".!")
