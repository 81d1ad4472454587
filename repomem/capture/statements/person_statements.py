"""Classifies a person's clause as rule, decision, fact, gotcha or none of these.

Most requests are for the current turn. A rule states that it is lasting; a decision is labelled, chooses between two
things, or has a reason. In German and Spanish only the most common forms are recognized.
"""

from dataclasses import replace

from repomem.capture.statements.not_statements import is_hypothetical, is_local, is_only_now
from repomem.capture.statements.remember_requests import asks_to_remember, without_request
from repomem.capture.statements.rules import is_rule
from repomem.capture.statements.sentences import Clause
from repomem.core.records import MemoryKind
from repomem.core.text.lazy_pattern import lazy_pattern
from repomem.memories.wording import kind_of

FEWEST_WORDS = 3  # of a clause to save
SHORTEST_ASKED = 8  # characters of one that the person asks to remember

_DECIDED = lazy_pattern(
    r"(?i)^(?:[\w'-]+,? ){0,5}?(?:we|i|team)(?:'ve)? (?:decided|agreed|settled on|opted|chose|picked(?! up)|"
    r"standardi[sz]ed on)\b|^(?:it's )?decided\b|^(?:the |final )*decision\b(?: (?:is|from the meeting:)|"
    r"\s*[:–—-])|^we .{3,40}? and (?:decided|agreed)\b|^we(?:'re)? (?:not going to|no longer|won't|"
    r"will not) support\b|^one decision\b.{0,60}?:\s"
)
_ALONE = lazy_pattern(
    r"(?i)i(?:'ve| have)? (?:\w+ )?(?:decided|chose|picked|opted) (?!(?:to (?:use|keep|go|drop|move|switch|store|"
    r"support|stick|adopt|avoid|not|make|put|split|merge|remove|replace|pin)|on|against|for|that)\b)"
)
_OF_WHAT_WAS_SAID = lazy_pattern(
    r"(?i)\b(?:decided|agreed|settled|opted)(?: (?:on|to|with|about|for))? (?:that|it|this)(?:\b(?! \w)| (?:in|on|at|"
    r"last)\b|$)"
)
_BELONGS = lazy_pattern(r"(?i)\b(?:belongs?|lives?) in\b")
_KEEPS = lazy_pattern(r"(?i)^(?:let's |i'd rather )+(?:keep|have)\b")
_INTENDS = lazy_pattern(
    r"(?i)(?:we will|we'll) (?!(?:see|need|have|get|look|check|talk|discuss|fix|do|try|come|be|find|start|meet|"
    r"review|wait|know|also|probably|test|then)\b)\w+"
)
_ON_PURPOSE = lazy_pattern(r"(?i)\bon purpose\b")
_USES_FOR = lazy_pattern(
    r"(?i)let's use (?!(?:a|an|the|this|that|these|those|my|your|it|them|one|some|"
    r"another)\b)[\w`.+#/-]+(?: [\w`.+#/-]+){0,5}? for\b"
)
_OF_THE_ANSWER = lazy_pattern(r"(?i)\b(?:answers?|repl(?:y|ies)|summar(?:y|ies)|explanations?|comments?|messages?)\b")
_GOES_WITH = lazy_pattern(
    r"(?i)^(?:let's|we're)?\s*(?:go(?:ing)? (?:ahead )?with|go(?:ing)? back to|stick (?:with|to)|adopt(?:ing)?|"
    r"settle on)\s+(?P<what>\S.+)|"
    r"^(?!(?:of course|sure|yes|indeed|here|there)\b)(?P<it>\S+(?: \S+){0,3}) it is(?:[.,!]|$)"
)
_VAGUE = lazy_pattern(
    r"(?i)(?:that|it|this|your|yours|mine|his|the (?:first|second|third|last|former|latter|other|plan|approach|"
    r"suggestion|proposal|flow|same|one|simpler|simple|above|existing|current)|option|plan|approach|variant|choice|#?\d+\b|"
    r"[a-d]\b(?! \w)|what)\b"
)
_CHOOSES = lazy_pattern(
    r"(?i)^(?:let's|we'll|we|we are|i want (?:you )?to|i'd rather|we should)?\s*(?:use|using|keep|switch (?:to|"
    r"from)|move (?:to|from)|migrat(?:e|ing) (?:to|from)|drop|target|pick|choose|take|not use|(?P<weak>have|"
    r"write))\s+(?P<what>\S.*)"
)
_SPEAKS_FOR_ALL = lazy_pattern(r"(?i)(?:we|i'd rather)\b")
_ANY = lazy_pattern(
    r"(?i)(?:['\"“‘]|(?:every|all|each|a|an|the|this|that|these|those|my|your|it|them|more|less|fewer|another|one|two|"
    r"some|same|shorter|longer|better|different|real|proper|actual|something|both|only)\b)"
)
_NOTICE = lazy_pattern(
    r"(?i)^(?:(?:careful|beware|watch out|heads[- ]up|gotcha|caution|warning)(?=[^,.:]{0,30}:|\s*[,—–-])|"
    r"(?:(?:keep|bear) in mind|remember|(?:do not|don't|never) forget) that(?! time\b)|fyi)\b"
)
_WARNS = lazy_pattern(r"(?i)careful|beware|watch out|gotcha|caution|warning")
_TOLD_NOW = lazy_pattern(
    r"(?i)\b(?:is|are) (?:currently )?(?:down|red|broken|away|out|off|sick|on (?:vacation|holiday|leave)|busy|late|"
    r"back|done|merged|deployed|failing|green|running|in (?:review|progress))\b|\b(?:merged|pushed|restarted|"
    r"redeployed|rebased|yesterday|next week|kidding|:\))\b|\b(?:i (?:am|just|already|will|have|need|want)|i'm|i've|"
    r"you (?:are|just|already|have)|we just|my (?:last|pr|branch))\b"
)
_POINTS_BACK = lazy_pattern(r"(?i)(?:that|this|it)(?:'s| is| was)? (?:how|what|the way)\b")
_NO_PLEASE = lazy_pattern(  # about the agent's current answer
    r"(?i)no (?:\w+ )?(?:comments?|commits?|messages?|docs?|docstrings?|explanations?|emojis?|summar\w+|refactor\w*|"
    r"changes?|tests?|files?)\b.*\b(?:please|pls|thanks)\b"
)


def person_kind(clause: Clause) -> MemoryKind | None:
    """The kind of memory that a person's clause states; None if it states nothing lasting."""
    if asks_to_remember(f"{clause.front} {clause.bare}".lstrip()) or asks_to_remember(f"{clause.section}: "):
        return _asked_for(clause)
    is_short = len(clause.text.split()) < FEWEST_WORDS - bool(clause.has_own_why)
    if is_short or is_only_now(clause) or _POINTS_BACK.match(clause.bare) or _NO_PLEASE.match(clause.text):
        return None
    if _NOTICE.match(clause.bare):
        return _noticed(clause)
    if is_hypothetical(clause):
        return None
    if is_rule(clause):
        return MemoryKind.RULE
    return MemoryKind.DECISION if _is_decision(clause) else foreign_kind(clause)


def names_no_thing(clause: Clause) -> bool:
    """Whether it chooses something that only the message before it names: "let's go with option B"."""
    found = _GOES_WITH.match(clause.bare)
    return bool(found and found["what"] and _VAGUE.match(found["what"]))


def takes_place(clause: Clause) -> bool:
    """Whether it names a replacement, in a message that rejected something."""
    chosen = _CHOOSES.match(clause.bare)
    intends = _INTENDS.match(clause.bare)
    is_passing = is_local(clause) or is_only_now(clause) or is_hypothetical(clause)
    is_named = bool(chosen and not chosen["weak"] and not _ANY.match(chosen["what"]))
    return bool(is_named or intends) and not is_passing


def _asked_for(clause: Clause) -> MemoryKind | None:
    """The kind of a clause that the person asks to remember, whatever it states."""
    bare = without_request(clause.bare)
    if len(bare) < SHORTEST_ASKED:
        return None
    return MemoryKind.RULE if _FOREIGN_HABITS.search(bare) else _kind(clause, bare, bare)


def _noticed(clause: Clause) -> MemoryKind | None:
    if _TOLD_NOW.search(clause.bare):
        return None
    notice = _NOTICE.sub("", clause.bare).strip(" ,:")
    kind = _kind(clause, notice, clause.bare if clause.bare.lower().startswith("fyi") else notice)
    return MemoryKind.GOTCHA if kind is MemoryKind.FACT and _WARNS.match(clause.bare) else kind


def _kind(clause: Clause, notice: str, text: str) -> MemoryKind:
    """The kind of a notice, in a clause without the words before it; nothing of it is open work."""
    kind = MemoryKind.RULE if is_rule(replace(clause, bare=notice)) else kind_of(text)
    return MemoryKind.FACT if kind is MemoryKind.THREAD else kind


def _is_decision(clause: Clause) -> bool:
    if _DECIDED.search(clause.bare):
        is_alone = _ALONE.match(clause.bare) and not (clause.why or clause.rejected)
        return not (is_alone or _OF_WHAT_WAS_SAID.search(clause.bare))
    if found := _GOES_WITH.match(clause.bare):
        has_grounds = bool(clause.why or clause.rejected)  # without grounds it may as well be a task
        return bool(found["it"]) or (has_grounds and not _VAGUE.match(found["what"]))
    return not is_local(clause) and _is_choice(clause)


def _is_choice(clause: Clause) -> bool:
    """Whether it chooses something by name, over an alternative or for a reason."""
    if _USES_FOR.match(clause.bare) or (clause.rejected and _BELONGS.search(clause.bare)):
        return True
    if clause.why and (_ON_PURPOSE.search(clause.bare) or _INTENDS.match(clause.bare)):
        return True
    chosen = _CHOOSES.match(clause.bare)
    if not chosen:
        return False
    return _has_grounds(clause, is_weak=bool(chosen["weak"]), is_named=not _ANY.match(chosen["what"]))


def _has_grounds(clause: Clause, *, is_weak: bool, is_named: bool) -> bool:
    """Whether a choice has an alternative or a reason; "write x so that the test passes" is a task."""
    if clause.rejected and not is_weak:
        return is_named or bool(clause.why)
    if not clause.why or (is_weak and not (clause.rejected or _SPEAKS_FOR_ALL.match(clause.bare))):
        return False
    is_of_the_work = not clause.rejected or _OF_THE_ANSWER.search(clause.bare)
    return is_named or not is_of_the_work or bool(_KEEPS.match(clause.bare))


_FOREIGN_DECISIONS = lazy_pattern(r"(?i)^(?:wir bleiben? bei|entscheidung\s*:)\s*\S")
_FOREIGN_RULES = lazy_pattern(
    r"(?i)^(?:ab jetzt|in zukunft)\b|^wir (?!haben|hatten|sind|waren|bekommen|sehen|finden|kriegen|"
    r"müssen immer noch)\w+n nie\b|^(?:nie|immer) (?:[\w`./-]+ ){1,8}\w+en\b(?! (?:wird|ist|sind|werden|"
    r"kommt))|^desde ahora\b|^nunca (?!falla|funciona|sale|da\b|aparece|devuelve|llega|termina|me\b|se\b|he\b|"
    r"ha\b|pasa|hay\b)\w+\s\S"
)
_FOREIGN_HABITS = lazy_pattern(r"(?i)\bwir (?:\w+ )?(?:nie|niemals|immer|nur)\b|\b(?:nunca|siempre|jamais|toujours)\b")
_FOREIGN_DOUBTS = lazy_pattern(
    r"(?i)\b(?:könnt\w*|würd\w*|vielleicht|eventuell|wohl|sollten|sollte|wär\w*|falls|wenn wir|überleg\w*|mal (?:sehen|"
    r"schauen)|erst ?mal|vorerst|diesmal|heute|morgen|gerade|momentan|noch nicht|nur kurz|ob"
    r"|podr[ií]a\w*|quizás?|tal vez|si|deber[ií]amos|esta vez|por ahora|de momento|hoy|mañana|creo|dice[n]?|dijo"
    r"|pourr\w+|peut-être|cette fois|pour l'instant|aujourd'hui|demain|dit"
    r"|sagt|sagte|meint|schreibt|schrieb|laut|gesagt|angeblich)\b"
)


def foreign_kind(clause: Clause) -> MemoryKind | None:
    """The kind of memory that a German or Spanish clause states; None without one, or with a word of doubt."""
    if _FOREIGN_DOUBTS.search(f"{clause.front} {clause.bare}"):
        return None
    if _FOREIGN_DECISIONS.match(clause.bare):
        return MemoryKind.DECISION
    return MemoryKind.RULE if _FOREIGN_RULES.match(clause.bare) else None
