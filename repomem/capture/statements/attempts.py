"""Finds sentences that state failed attempts, open work and postponed work."""

from repomem.capture.statements.clauses import LONGEST
from repomem.capture.statements.not_statements import states_nothing
from repomem.capture.statements.sentences import Sentence
from repomem.core.text.lazy_pattern import lazy_pattern

_FAILS = (
    r"(?:failed|broke|breaks|too slow|not work|could not|used more|timed out|times out|hung|hangs|deadlock(?:ed|s)|"
    r"crash(?:ed|es)|leaked|made (?:it|things) (?:worse|slower)|(?:had|has|with) no effect)"
)
_TRIED = lazy_pattern(rf"(?i)\b(?:tried|attempted|experimented with)\b (?P<what>.{{3,}}?)(?:\s)+.*\b{_FAILS}")
_UNDID = lazy_pattern(r"(?i)\breverted\b (?P<what>.{3,}?)[,;:]?\s*\bbecause\b")
_DEAD_END = lazy_pattern(rf"(?i)^(?P<what>.{{0,60}}\b\w+ing\b.{{2,60}})\s*(?:\b{_FAILS})")
_DISCARDED = lazy_pattern(r"(?i).{15,}\bso i (?:(?:discarded|removed|rolled) it|went back|reverted)\b")
_NO_HELP = lazy_pattern(
    r"(?i)^(?!.*\b(?:bug|problem|issue|before|user)\b)(?P<what>[^,;:]{3,100}?)\b(?:did not help|"
    r"made no difference|only got (?:us )?(?:to )?\d|was tried and dropped)\b"
)
_DROPS = lazy_pattern(r"(?i)dropping\b")
_WENT_WRONG = lazy_pattern(r"(?i)\bno\b")
_TRIED_SECTION = lazy_pattern(r"(?i)\btried\b")
_EVERYDAY = lazy_pattern(
    r"(?i)(?:to )?(?:run(?:ning)? (?:the |all |my |your )?(?:tests?|pytest|it|server|app|command|script|build|make|npm|"
    r"\S+\.(?:sh|py))|build|install|start|open|log|login|click|call|import|deploy|upload|submit|sav|read|search|find|"
    r"look)(?:ing)?\b|(?:it|that|this)\b(?!\s\w+)|again\b"
)
_PLANNED = lazy_pattern(r"(?i)\b(?:i'll|i will|let me|going to|could|might|may|would|should|maybe|perhaps|if)\b")

# A message without one of these words has no attempts: a fast check before splitting it into sentences.
WORD_OF_ATTEMPTS = lazy_pattern(r"(?i)tried|attempt|experiment|revert|back|drop|help|difference|took it")

_OPEN_LABELS = (
    r"(?:so )?(?:todo|remaining|what'?s (?:still )?left|(?:still |left )?open|open point|left over|left to do|"
    r"not (?:yet )?(?:done|verified|tested|checked|covered|handled|looked at)|"
    r"untested|unverified|untouched|still missing|follow[- ]?ups?|"
    r"needs? a decision|(?:noch )?offen|(?:noch )?nicht (?:erledigt|gemacht)|ungeklärt|ungetestet|pas (?:encore )?fait|"
    r"(?:reste(?:nt)? )?à faire|reste(?:nt)?|queda (?:sin hacer|pendiente)|pendiente|sin hacer)\b"
)
_OPEN_IN_CHINESE = r"(?:还)?(?:没做|未完成)的?|遗留问题|未対応|残り"
_OPEN_SECTION = lazy_pattern(
    rf"(?i)\b(?:remaining|next steps?|loose ends)\b|^(?:{_OPEN_LABELS}|{_OPEN_IN_CHINESE})"
    r"|^(?:things? |what )?i (?:didn't|did not|couldn't|could not|haven't|have not) (?:get to|do(?:ne)?|check(?:ed)?|"
    r"test(?:ed)?|finish(?:ed)?)\b"
)
_OPEN = lazy_pattern(
    rf"(?i)^(?:{_OPEN_LABELS}[^:.]{{0,40}}?|{_OPEN_IN_CHINESE})\s*[:：–—-]|"
    r"^(?:there (?:is|are) )?(?:one|two|three|four|some|a few) (?:more )?(?:things?|points?|items?) (?:(?:is|"
    r"are) )?(?:still )?(?:left|open|missing)\b|^left to do\b|\bleft is to\b|\bnext step is to\b|\bi haven't\W*$|"
    r"\bstill (?:hangs?|raises?|crash(?:es)?|times? out|imports?|shows?|returns?|sends?|todo)\b|\boffen ist\b|"
    r"\bqueda pendiente\b|\bleft\b.{0,80}\b(?:for later|open)|\bstill (?:needs?|to do|missing|open|failing|uses?|"
    r"todo)\b|\bnot done yet\b|\b(?:is not|are not|have not)\b.{1,50}\byet\b|\b(?:is|are) not implemented\b|"
    r"\bneeds? a follow[- ]?up\b|\bis unknown\b|^i skipped\b"
)
_CALLED_OPEN = lazy_pattern(rf"(?i)(?:{_OPEN_LABELS}[^:.]{{0,40}}?|{_OPEN_IN_CHINESE})\s?[:：]")
_LABELLED = lazy_pattern(
    r"(?i)(?:(?:still |noch )?(?:todo|open|offen)|left over|follow[- ]?up|pendiente|"
    r"(?:reste )?à faire)(?: \w+)?\s?: \S|"
    r"(?:(?:y|todavía|aún) )?quedan? (?:pendientes?|por \w+[aei]r)\b"
)
_NO_OPEN = lazy_pattern(
    r"(?i)\b(?:you (?:can|could|might|want)|you may(?! want to add)|if you|consider|optional\w*|maybe|still (?:pass\w*|"
    r"works?|green|valid)|let me know|would you|want me|as (?:you )?(?:asked|requested)|because you|you said|nothing|"
    r"no (?:remaining|open|outstanding|follow|todo)|none|unchanged)\b|\?\s*$"
)
_PARKS = lazy_pattern(r"(?i)^(?:let's |i'd )?leave\b.{2,120}?\b(?:later|for a follow[- ]?up\b.*)\b")


def is_attempt(sentence: Sentence) -> bool:
    """Whether a sentence states that something was tried and failed or was reverted."""
    if len(sentence.text) > LONGEST or sentence.text.endswith((":", "：")):
        return False
    if _TRIED_SECTION.search(sentence.section):
        return len(sentence.text.split()) > 3
    if states_nothing(sentence):
        return False
    text = sentence.masked
    if _DISCARDED.search(text) or (_NO_HELP.search(text) and not _PLANNED.search(text)):
        return True
    found = _TRIED.search(text) or _UNDID.search(text) or _DEAD_END.search(text)
    if not found:
        return False
    return not (_EVERYDAY.match(text, found.start("what")) or _PLANNED.search(text[: found.end("what")]))


def gives_up(sentence: Sentence, before: Sentence) -> bool:
    """Whether a sentence gives up on the problem of the one before: "There is no wheel for it. Dropping alpine"."""
    is_problem = len(before.text) <= LONGEST and not states_nothing(before) and bool(_WENT_WRONG.search(before.masked))
    return is_problem and bool(_DROPS.match(sentence.masked)) and not is_attempt(before)


def is_parked(sentence: Sentence) -> bool:
    """Whether a person postpones something."""
    return (
        len(sentence.text) <= LONGEST
        and bool(_PARKS.match(sentence.masked))
        and not sentence.masked.rstrip().endswith("?")
    )


def is_called_open(text: str) -> bool:
    """Whether the first words of a text call it open work: "What's left: …"."""
    return bool(_CALLED_OPEN.match(text))


def is_labelled_open(sentence: Sentence) -> bool:
    """Whether the first words of a person's sentence call it open work."""
    is_labelled = bool(_LABELLED.match(sentence.masked)) and len(sentence.text) <= LONGEST
    return is_labelled and not _NO_OPEN.search(sentence.masked)


def is_open(sentence: Sentence) -> bool:
    """Whether a sentence of an agent's message states open work, by its heading or wording."""
    is_word = sentence.text.isascii() and len(sentence.text.split()) < 2  # Chinese has no blanks
    is_bare = is_word and not sentence.is_open_item
    is_no_sentence = is_bare or len(sentence.text) > LONGEST or sentence.text.endswith((":", "："))
    if is_no_sentence or _NO_OPEN.search(sentence.masked):
        return False
    return sentence.is_open_item or bool(_OPEN_SECTION.search(sentence.section) or _OPEN.search(sentence.masked))
