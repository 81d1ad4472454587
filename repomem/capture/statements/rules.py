"""Recognizes lasting rules in a person's clauses.

Requests for the current turn use the same verbs. A rule is marked by words of duration (always, never, from now on),
by "all" or "every", or by a location such as "in this repo".
"""

from repomem.capture.statements.not_statements import is_local
from repomem.capture.statements.sentences import Clause
from repomem.core.text.lazy_pattern import lazy_pattern

_PLACES = r"(?:in|on|throughout|within) (?:this|the|our) (?:repo|repository|project|code ?base|app|backend)\b"
_VERBS = (
    r"use|prefer|write|name|put|keep|pin|import|log|wrap|format|call|return|raise|store|mark|prefix|sort|document|run|"
    r"commit|push|edit|touch|modify|change|add|include|mock|rely|hard-?code|bump|merge|delete|remove|create|test|"
    r"update|regenerate|check|validate|escape|squash|rebase|tag|deploy|avoid|stick|follow|ask|leave|make|treat|expose|"
    r"introduce|depend|read|go|define|declare|inject|pass|handle|catch|swallow|ship|release|start|end|let|assume|open|"
    r"close|set|disable|enable|skip|ignore|force-push|amend|reference|cite|link|review|sign|verify|build"
)
_RULES = lazy_pattern(
    r"(?i)^(?:always|never) (?!(?:mind|again|been|had|was|got|seen|gonna|happy|glad|heard|thought|knew|said|"
    r"forgets?|good|nice|fun|welcome|here|there|a|an|the|my|have|has|worked)\b)(?!(?!need|embed|feed|seed|"
    r"exceed|proceed)\w+ed\b)[a-z-]+"
    r"|\b(?:from now on|going forward|as a rule|by convention)\b"
    r"|\b(?:you|\w+s)\s+should\s+(?:always|never)\b(?! have| be seen)"
    r"|^(?:nobody|no one) (?:should|may)\b"
    r"|(?<!that )(?<!which )(?<!who )(?<!it )(?<!this )\bmust (?:always|never)\b"
    r"|^(?:all|every|each)\b.{2,80}?\b(?:must|should|needs? to|goes? through)\b(?!.*\b(?:pass|passing|green|"
    r"work|working|be (?:fixed|done|easy|fine|enough|ready))\b)"
    r"|^our (?:\w+ ){0,2}(?:rules?|conventions?)\b.{0,30}? is"
    r"|^(?:rule|convention|policy)\b\s*:"
    r"|^we (?:always|never|only) (?!gets?\b|see\b|end\b|run (?:out|into)\b|lose\b|hit\b|fail\b|crash\b|wait\b|"
    r"forget\b|restart\b|got\b|had\b|were\b|was\b|did\b|saw\b|found\b|knew\b|need(?:ed)?\b|have\b|\w+ed\b)[a-z-]+"
    r"|^we (?:don't|do not|avoid|require)\b(?! (?:know|have|need|care|think|see|understand|mind|want|remember|get)\b)"
    rf"|^don't (?:{_VERBS})\b.*(?:\bever\b|\bwithout\b|\bdirectly\b)"
    rf"|^(?:{_VERBS})\b.*(?:{_PLACES}|\bproject-wide\b|\bby default\b|\bat all times\b|\bfor (?:all|"
    r"every) (?!of\b|these\b|those\b)\w+|\b(?:before|after) (?:every|each) \w+|\bwithout exception\b|\bconsistently\b)"
    rf"|^(?:if|when) you\b[^,]{{3,80}},? (?:always|first {_VERBS})\b"
    rf"|^whenever you [^,]{{3,80}},? (?:{_VERBS})\b"
    rf"|\bis never .*{_PLACES}"
    r"|\b(?:is|are) (?:forbidden|not allowed|off[- ]limits|mandatory)\b"
    r"|^no more [\w`'/-]+(?: [\w`'/-]+){0,4}?(?:,? please)?[.!]?$"
    r"|^no (?!idea|need|clue|problem|worries|rush|way|"
    r"doubt)[\w`'/-]+(?: [\w`'/-]+){0,4}? (?:in this (?!(?:case|one|pr|tests?)\b)|without )"
    r"|^i want every\b(?!.*\b(?:pass|green|works?|fixed|done)\b)"
    r"|^only\b.{2,80}\bmay\b"
    r"|^prefer\b.{2,80}\bover\b"
    r"|^(?!the |this |that |these |those |it |you |my )(?:[\w`'-]+ ){0,3}[\w`'-]*s must start\b"
    r"|^(?!expected|actual|result|observed|current|log|output|error)[\w -]{3,40}: always\b"
    r"|^the [\w -]{2,40} must stay\b"
    r"|^let's name all\b"
    r"|^the team prefers?\b"
    r"|^(?:all )?(?:public|new) [\w ]{0,20}?\b(?:functions?|modules?|tables?) (?:needs?|gets?) (?!an? (?:error|"
    r"exception|404|500)|stuck|lost|deleted|duplicated)"
    r"|^[\w`]+(?: [\w`]+){0,3} everywhere(?: then)?[.!]?$"
    r"|^(?:the|we|[\w`]+s)\b.*,\s+never\b(?! (?:mind|been|had|got|seen|worked|finished|returns?|came|happen))"
    r"|^use\b.*\bfor everything\b"
    r"|^do not\b.*\bin (?!the |this |that |these |those |my )(?:[\w`]+ ){0,2}files\b"
    rf"|^{_PLACES}\b,? .*\bnever\b"
    r"|^[\w`]+(?: [\w`]+){0,2}s (?:go|live)s? (?:in|next to)\b(?! (?:the )?(?:same|next|this|last|first)\b)"
    r"|^[\w`'-]+s(?: (?:that|with) [^,:]{2,60}?)? (?:must|have to) be (?!(?:fixed|done|ready|easy|fine|green|"
    r"working|enough|finished)\b)"
    r"|^(?:in the [\w-]+ )?we (?!got|had|were|was|did|saw|found|knew|need|have|get|see|hit|run into|"
    r"are)\w+ (?:always|only) \S"
    r"|^(?!(?:users|people|customers|clients|requests|responses|emails|mails|logins|sessions|visitors|tests|"
    r"builds|jobs|pods)\b)[\w`'-]{3,}s return\b (?!.*\b(?:[45]\d\d|errors?|nothing|null|undefined|wrong|empty|"
    r"stale|old)\b)[^,]{2,60}? and don't \w+"
    r"|^the [\w -]{2,40} should be below \S"
)
_SINCE = lazy_pattern(
    r"(?i)\bsince (?:yesterday|today|monday|tuesday|wednesday|thursday|friday|last|this|the (?:last|new|latest|update|"
    r"upgrade|deploy\w*|release|move|merge|migration))\b"
)
_REPORTS = lazy_pattern(
    r"(?i)\bsuddenly\b|\bfor some reason\b|\b(?:stopped|stops) working\b|\b(?:is|are|was|were) broken\b|\b(?:twice|"
    r"two times|wrong|garbage|weird(?:ly)?)\b|\bmust (?:be|have been) (?:the|a|an|some|because|something|that|due|"
    r"related|my|our)\b|\b(?:fails?|crash(?:es)?|hangs?|breaks?|throws?|times? out|shows? up|disappears?|"
    r"returns? (?:[45]\d\d|null|nothing|an? (?:error|empty)))\b(?!.*\b(?:must|never|always|should|don't|do not)\b)|"
    r"(?:,|\b(?:fails?|crash(?:es)?|hangs?|breaks?|times? out)) only (?P<where>on|in|with|under|after|when|if) [^,]+, "
    r"never (?P=where)\b"
)
_TASK = lazy_pattern(
    r"(?i)(?:please |just |now )*(?:add|remove|delete|update|change|create|rename|replace|move|fix|check|convert|"
    r"migrate|set|sort|document|validate|regenerate|review|read|merge|include|introduce|clean|look|find|list|show|"
    r"go through|apply|put|make|extract|split|bump)\b"
)
_ALWAYS = lazy_pattern(r"(?i)(?:always|never|don't|do not)\b")
_OFTEN = lazy_pattern(r"(?i)\ball new\b")
_LACKS = lazy_pattern(
    r"(?i)^we (?:don't|do not) (?:handle|return|show|send|receive|see|save|check|close|clean|validate|release|escape|"
    r"free|set|clear|reset|update|pass|await|retry|flush|invalidate|get)\b(?!.*\b(?:ever|directly|by hand|here|because|"
    r"since|otherwise|in this|in the repo)\b)"
)
_GENERALLY = lazy_pattern(r"(?i)(?:for all|in general)\b")
_IMPERATIVE = lazy_pattern(rf"(?i)(?:{_VERBS})\b")
_FORBIDS = lazy_pattern(
    r"(?i)stop using\b"
    r"|(?:don't use|no)\s+(?!(?:a|an|the|this|that|these|those|my|your|it|them|more|one|need|problem|worries|"
    r"idea|rush|thanks|thank|wait|please)\b)\S"
)
_ARE_NOT = lazy_pattern(
    r"(?i)(?!(?:the|this|that|it|these|those|he|she|they|my|your|there|users|people|customers|clients|requests|"
    r"responses|emails|mails|logins|sessions|visitors|builds|jobs|pods|orders|prices|dates|links|buttons|"
    r"images)\b)[\w` /-]{2,60}?s (?:[\w ]{0,30} )?(?:are(?! (?:\w+ly )?\w+(?:ed|wn|nt)\b[^,]*, (?:and )?not)|"
    r"use)\b(?!.*\b(?:[45]\d\d|errors?,|nothing|null|undefined|wrong|empty|stale|once|"
    r"late)\b).*,\s+(?:and )?(?:not|never)\b"
)
_OF_IT = lazy_pattern(
    r"(?i)(?!(?:in|on|for|with|across|throughout|within|under|at)\b)(?!\w+s that\b)\w+ (?:it|that|this|them)\b"
)
_SAYS_ALWAYS = lazy_pattern(r"(?i)\b(?:always|never|from now on|we|nobody|no)\b")
_IS_SO = lazy_pattern(rf"(?i)\bare\b.*{_PLACES}")


def is_rule(clause: Clause) -> bool:
    """Whether a clause is a lasting rule, not a task, a report or an instruction for one location."""
    return _says_rule(clause) and not (_is_narrow(clause) or _is_task(clause) or _is_report(clause))


def _is_task(clause: Clause) -> bool:
    """Whether it requests a change, in however many locations: "rename it everywhere"."""
    if _TASK.match(clause.front) or (_TASK.match(clause.before) and _ALWAYS.match(clause.bare)):
        return True
    return bool(_TASK.match(clause.bare)) and not _OFTEN.search(f"{clause.front} {clause.bare}")


def _is_report(clause: Clause) -> bool:
    """Whether it reports a fault, which may use "always" too."""
    return bool(
        _REPORTS.search(f"{clause.front} {clause.bare}") or _SINCE.search(clause.whole) or _LACKS.match(clause.bare)
    )


def _says_rule(clause: Clause) -> bool:
    if _OF_IT.match(clause.bare):
        return False
    if _RULES.search(clause.bare) or _ARE_NOT.match(clause.bare):
        return True
    if _GENERALLY.match(clause.front):
        return bool(_IMPERATIVE.match(clause.bare))
    return bool(clause.why and (_FORBIDS.match(clause.bare) or _IS_SO.search(clause.bare)))


def _is_narrow(clause: Clause) -> bool:
    """Whether a rule is about one nearby location and has neither a reason nor a word such as "always"."""
    return is_local(clause) and not (clause.why or _SAYS_ALWAYS.search(clause.bare))
