"""The kind of a found statement: the most probable one, unless its words name another.

The classifier is less sure of kinds than of statements, most of all in other languages than English.
"""

from repomem.capture.statements.attempts import is_called_open
from repomem.capture.statements.classifier.scores import Kinds
from repomem.core.records import MemoryKind
from repomem.core.text.lazy_pattern import lazy_pattern

SURE_RULE = 0.6  # rules lead every brief, so a less certain one counts as a decision
SURE_KIND = 0.65  # of a kind that only words of open work and of attempts overrule

_WARNS = lazy_pattern(
    r"(?i)^(?:(?:also|and|but|oh|ah|und|aber|ach|y|pero|et|mais)\b,? )*(?:careful|beware|watch out|heads[- ]up|gotcha|"
    r"caution|achtung|vorsicht|attention|ojo|cuidado|pas op|let op|attenzione)\b"
)
_TRIED = lazy_pattern(
    r"(?i)\b(?:(?:haben|hatten) wir (?:\w+ )?(?:probiert|versucht)|wir (?:haben|hatten) .{2,60} (?:probiert|versucht)|"
    r"(?:on a|on avait|nous avons) (?:\w+ )?essayé|(?:probamos|intentamos|habíamos probado))\b"
)
_IS_OPEN = lazy_pattern(
    r"(?i)\b(?:(?:noch offen|offen (?:ist|sind|bleibt)|(?:fehlt|fehlen) noch|steht noch aus)\b|"
    r"(?:il )?rest(?:e|ent) (?:encore )?à \w+(?:er|ir|re)\b|quedan? (?:pendientes?|por \w+[aei]r)\b)"
)
_HABIT = lazy_pattern(r"(?i)\b(?:nie|niemals|immer|nunca|siempre|jamais|toujours)\b")
_FORBIDS = lazy_pattern(r"(?i)^(?:(?:et|mais)\b,? )*n(?:'|e )\w+ (?:jamais|pas)\b")
_FROM_NOW_ON = lazy_pattern(
    r"(?i)\b(?:from (?:now|here) on|going forward|ab jetzt|ab sofort|künftig|desde ahora|a partir de ahora|"
    r"à partir de maintenant|désormais)\b"
)


def kind_of(text: str, shares: Kinds) -> MemoryKind:
    """The kind of a sentence, from its words and the probabilities of the kinds."""
    best = max(shares, key=shares.__getitem__)
    if _IS_OPEN.search(text) or is_called_open(text):
        return MemoryKind.THREAD
    if _TRIED.search(text):
        return MemoryKind.GOTCHA
    if shares[best] >= (SURE_RULE if best is MemoryKind.RULE else SURE_KIND):
        return best
    if _WARNS.match(text):
        return MemoryKind.GOTCHA
    if _FORBIDS.match(text) or (best is MemoryKind.RULE and _HABIT.search(text)):
        return MemoryKind.RULE
    is_new = best is MemoryKind.FACT and _FROM_NOW_ON.search(text)
    return MemoryKind.DECISION if is_new or best is MemoryKind.RULE else best
