"""What was tried and did not work, and what was left open, where somebody says so."""

import re
from collections.abc import Sequence

from repomem.capture.statements.clauses import LONGEST
from repomem.capture.statements.not_statements import states_nothing
from repomem.capture.statements.sentences import Sentence

_FAILS = (
    r"(?:did(?:n't| not) (?:work|help|fix|solve|scale|pass|hold|make|improve|change)|does(?:n't| not) (?:work|help|"
    r"support|scale)|"
    r"fail(?:ed|s)|broke|breaks|caused|crash(?:ed|es)|deadlock\w*|too (?:slow|complex|brittle|flaky|much|heavy|"
    r"expensive|noisy)|"
    r"regress\w*|had to (?:revert|undo|back|drop|abandon)|reverted|rolled (?:it )?back|backed (?:it )?out|(?:it |"
    r"things )worse|slower|"
    r"not (?:supported|possible|viable|enough|work)|wasn't|isn't|weren't|tim(?:ed|es) ?out|hung|hangs|no (?:effect|"
    r"improvement|difference)|"
    r"couldn't|could not|can't|leak(?:ed|s)|(?:used|needed|took) more|conflict(?:ed|s)|dead end|abandoned|"
    r"dropped it|gave up)"
)
_TRIED = re.compile(
    rf"\b(?:tried|attempted|experimented with|gave .{{2,40}} a try|first (?:used|went with|implemented|started with)|"
    rf"initially (?:used|went with|implemented|started with|had))\b (?P<what>.{{3,}}?)(?:[,;.]| —| –|\s)+.*\b{_FAILS}",
    re.IGNORECASE,
)
_UNDID = re.compile(
    r"\b(?:reverted|rolled back|backed out|undid|abandoned|scrapped|discarded|gave up on|ruled out|had to (?:revert|"
    r"undo|abandon))\b "
    r"(?P<what>.{3,}?)[,;:]?\s*(?:\b(?:because|since|as|due to|after|when)\b|—|–|: )",
    re.IGNORECASE,
)
_DEAD_END = re.compile(
    r"^(?P<what>(?:\w+ing|using|an? |the |my |our )?.{0,60}\b(?:approach|attempt|idea|option|version|route|"
    r"\w+ing\b.{2,60}))\s*"
    rf"(?:\b(?:turned out|was|is|went|made)\b.{{0,40}}\b(?:dead end|nowhere|worse|unworkable|too \w+)|\b{_FAILS})",
    re.IGNORECASE,
)
_DISCARDED = re.compile(
    r".{15,}\b(?:so|and|but) (?:i|we) (?:then |later |have |had to )?(?:discarded|dropped|reverted|abandoned|"
    r"scrapped|undid|removed|backed|rolled|gave) "
    r"(?:it|that|this)\b",
    re.IGNORECASE,
)
_NO_HELP = re.compile(
    r"^(?!.*\b(?:bug|problem|issue|before|user)\b)(?P<what>[^,;:]{3,100}?)\b(?:did(?:n't| not) (?:really )?(?:help|"
    r"work|change (?:anything|a thing|much)|"
    r"make (?:a|any) difference|fix (?:it|that|this))|(?:made|makes) (?:no|little|hardly any) difference|"
    r"(?:only |just )(?:got|gets|brought|gained|gave|saved|bought) (?:us |it |me )?(?:down |up )?(?:to |about )?\d|"
    r"was not enough|"
    r"wasn't enough|had no effect|changed nothing|was(?:n't| not) worth it|(?:was|were) tried and (?:dropped|"
    r"reverted|discarded|undone))\b",
    re.IGNORECASE,
)
_DROPS = re.compile(
    r"(?:so |therefore )?(?:i'm |i am )?(?:dropping|backing (?:that|it|this) out|reverting|undoing|abandoning|"
    r"giving up on|"
    r"taking (?:it|that|this) (?:back )?out|going back to)\b",
    re.IGNORECASE,
)
_WENT_WRONG = re.compile(
    rf"n't\b|\b(?:no|not|never|only|instead of|would have to|error|worse)\b|{_FAILS}", re.IGNORECASE
)
_TRIED_SECTION = re.compile(
    r"\b(?:tried|attempts?|dead ends?|did(?:n't| not) work|what failed|abandoned|discarded|undone)\b", re.IGNORECASE
)
_EVERYDAY = re.compile(
    r"(?:to )?(?:run(?:ning)? (?:the |all |my |your )?(?:tests?|pytest|it|server|app|command|script|build|"
    r"make|npm|\S+\.(?:sh|py))|build|install|start|open|log|login|click|call|import|deploy|upload|submit|sav|"
    r"read|search|"
    r"find|look)(?:ing)?\b|"
    r"(?:it|that|this)\b(?!\s\w+)|again\b",
    re.IGNORECASE,
)
_PLANNED = re.compile(
    r"\b(?:i'll|i will|let me|going to|could|might|may|would|should|maybe|perhaps|if)\b", re.IGNORECASE
)

_WORD_OF_ATTEMPTS = re.compile(
    r"tried|attempt|experiment|gave |first |initially|revert|roll|back|undid|undo|abandon|scrap|discard|ruled out|dead|"
    r"approach|option|version|route|\bidea\b|drop|remov|help|difference|undoing|reverting|giving up|dropping|"
    r"only (?:got|brought|gave)|enough|no effect|"
    r"changed nothing|"
    r"worth it|took (?:it|that|this)|ing\b.{2,60}(?:n't|not|fail|too)",
    re.IGNORECASE,
)

_OPEN_SECTION = re.compile(
    r"\b(?:remaining|left (?:open|to do|for later|undone)|what'?s (?:left|missing)|to[- ]?dos?|follow[- ]?ups?|"
    r"not (?:yet )?(?:done|implemented|covered)|"
    r"open (?:items|points|issues|threads|ends)|outstanding|known (?:issues|limitations|gaps)|deferred|out of scope|"
    r"still (?:open|to do|missing)|"
    r"unfinished|skipped|next steps?|for later|later|pending|decisions? (?:needed|pending)|offen\w*|noch zu tun|"
    r"pendiente\w*)\b",
    re.IGNORECASE,
)
_OPEN = re.compile(
    r"^(?:todo|fixme|remaining|left to do|still (?:open|to do|missing)|what'?s (?:left|missing)|open|"
    r"not (?:yet )?done|deferred|"
    r"follow[- ]?ups?|out of scope|needs? (?:a|your) decision|unsolved|unresolved|known (?:issue|gap)|missing|"
    r"not (?:touched|fixed))\b"
    r"\s*[:–—-]"
    r"|^(?:two|three|one|some|a few|several) things? (?:is|are|remain) (?:still )?open\b|\b(?:the )?(?:only|one|"
    r"last) (?:thing|part|bit|step|piece)s? "
    r"(?:that is |that's |still )?(?:left|missing|open|remaining)\b|\b(?:left|remains?) (?:is|are) to\b|"
    r"\b(?:the )?next step is to\b"
    r"|\bneeds? (?:a|your) decision\b"
    r"|\bi haven't\W*$|\bstill (?:hangs?|raises?|crash(?:es)?|times? out|leaks?|imports?|calls?|shows?|counts?|"
    r"returns?|"
    r"prints?|ignores?|blocks?|"
    r"depends?|points?|reads?|writes?|breaks?|flaky|flakes?|drops?|loses?|rejects?|accepts? (?:the )?(?:old|any|"
    r"both)|duplicates?|double|"
    r"sends?|logs?|throws?|panics?|deadlocks?|warns?|lacks?|a todo|todo|red|failing|slow|hard-?coded|unknown|unclear|"
    r"undecided|wrong|stale|"
    r"on the (?:old|v\d)|(?:the )?old)\b"
    r"|\b(?:offen (?:ist|sind|bleib(?:t|en))|noch offen|noch nicht|(?:es )?fehlt(?:en)? noch|muss noch|müssen noch|"
    r"steht noch aus)\b"
    r"|\b(?:falta(?:n)?|queda(?:n)? (?:pendiente|por)|pendiente:|todavía (?:no|falla)|reste à|il manque|pas encore)\b"
    r"|\b(?:left|leaving|leave|deferred|deferring|postponed|parked|punted)\b.{0,80}\b(?:for (?:later|now|another|"
    r"a (?:later|follow|future|separate)|the next|"
    r"future)|to (?:a|the|another) (?:follow|next|later|separate|future)|as (?:a )?(?:todo|follow|future)|undone|"
    r"unfinished|open)"
    r"|\bstill (?:needs?|to be|to do|missing|open|fails?|failing|has to|have to|left|uses?|todo|unhandled|broken)\b"
    r"|\bnot (?:yet )?(?:done|implemented|covered|handled|migrated|wired|finished|supported|addressed|converted|"
    r"ported) yet\b"
    r"|\bnot yet (?:been )?(?:done|implemented|covered|handled|migrated|wired|finished|supported|addressed|converted|"
    r"ported|updated|tested)\b"
    r"|\b(?:isn't|aren't|hasn't|haven't|wasn't|weren't|is not|are not|has not|have not|didn't|did not)\b.{1,50}\byet\b"
    r"|\b(?:is|are) not (?:implemented|covered|migrated|wired(?: up)?|ported|finished|tested)\b"
    r"|\b(?:needs?|requires?) a follow[- ]?up\b|\b(?:is|remains) unknown\b|\bi (?:wasn't able|was not able|"
    r"couldn't|could not)\b"
    r"|\bremains? (?:to be|open|unfinished|undone|unresolved|to)\b|\bis unfinished\b"
    r"|\b(?:i )?(?:did not|didn't|have not|haven't) (?:implement|migrate|cover|finish|get (?:to|around)|address|port|"
    r"convert|wire)\w*\b"
    r"|\b(?:for|in|needs|as) a (?:follow[- ]?up|later|separate|future) ?(?:pr|change|commit|session|task|ticket|"
    r"issue|pass|step|work)?\b"
    r"|^i(?:'ve| have)? (?:skipped|left out|held off on|omitted)\b"
    r"|\b(?:is|are|was|were|left) out of scope\b|^(?:the )?next (?:step|up) (?:is|would be|:)",
    re.IGNORECASE,
)
_NO_OPEN = re.compile(
    r"\b(?:you (?:can|could|might|want)|you may(?! want to add)|if you|consider|optional\w*|maybe|still (?:pass\w*|"
    r"works?|green|valid)|"
    r"let me know|would you|want me|"
    r"as (?:you )?(?:asked|requested)|"
    r"because you|nothing|no (?:remaining|open|outstanding|follow|todo)|none|unchanged)\b|\?\s*$",
    re.IGNORECASE,
)
_PARKS = re.compile(
    r"^(?:ok(?:ay)?,? |yes,? |and |but |please |so |then |for now,? )*(?:let's |lets |we'll |we can |we should |we |"
    r"i'll |i'd |i would |just )?"
    r"(?:leave|park|defer|postpone|skip|punt|do|handle|tackle|fix|address|come back to|revisit|add|migrate|"
    r"finish)\b.{2,120}?\b(?:for later|"
    r"later|(?:out )?for now|for the moment|(?:for|to|in) (?:a|another|the next) (?:follow[- ]?up|separate|"
    r"later|future)\b.*|(?:for )?another (?:day|"
    r"time|pr|session)|next (?:week|time|sprint|session)|tomorrow)\b",
    re.IGNORECASE,
)


def may_tell_attempts(text: str) -> bool:
    """Whether a message has a word by which attempts are told; most have none, and reading sentences takes time."""
    return bool(_WORD_OF_ATTEMPTS.search(text))


def is_attempt(sentence: Sentence) -> bool:
    """Whether a sentence tells what was tried, and that it failed or was taken back."""
    is_no_sentence = len(sentence.text) > LONGEST or sentence.text.endswith(":")
    if is_no_sentence or states_nothing_but_attempts(sentence):
        return False
    if _TRIED_SECTION.search(sentence.section):
        return len(sentence.text.split()) > 3
    if _DISCARDED.search(sentence.masked):
        return True
    if _NO_HELP.search(sentence.masked) and not _PLANNED.search(sentence.masked):
        return True
    found = _TRIED.search(sentence.masked) or _UNDID.search(sentence.masked) or _DEAD_END.search(sentence.masked)
    return bool(found) and not (
        found is None
        or _EVERYDAY.match(sentence.masked, found.start("what"))
        or _PLANNED.search(sentence.masked[: found.end("what")])
    )


def gives_up(sentence: Sentence, before: Sentence) -> bool:
    """Whether a sentence drops what the one before says went wrong: "There is no wheel for it. Dropping alpine"."""
    is_told = len(before.text) <= LONGEST and not states_nothing(before) and bool(_WENT_WRONG.search(before.masked))
    return is_told and bool(_DROPS.match(sentence.masked)) and not is_attempt(before)


def states_nothing_but_attempts(sentence: Sentence) -> bool:
    """Whether a sentence is a question, a plan or somebody else's; one under "What I tried" is none of these."""
    return states_nothing(sentence) and not _TRIED_SECTION.search(sentence.section)


def open_ends(sentences: Sequence[Sentence]) -> list[Sentence]:
    """What an agent's message leaves open: under a heading that says so, or in so many words."""
    return [each for each in sentences if _is_open(each)]


def is_parked(sentence: Sentence) -> bool:
    """Whether a person puts something off."""
    return (
        len(sentence.text) <= LONGEST
        and bool(_PARKS.match(sentence.masked))
        and not sentence.masked.rstrip().endswith("?")
    )


def _is_open(sentence: Sentence) -> bool:
    is_bare = len(sentence.text.split()) < 2 and not sentence.is_open_item
    is_no_sentence = is_bare or len(sentence.text) > LONGEST or sentence.text.endswith(":")
    if is_no_sentence or _NO_OPEN.search(sentence.masked):
        return False
    return sentence.is_open_item or bool(_OPEN_SECTION.search(sentence.section) or _OPEN.search(sentence.masked))
