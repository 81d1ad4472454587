"""Rules: how people say that something holds for the whole repository, and from now on.

What is asked for at the moment has the same verbs. A rule says that it lasts (always, never, from now on), that it
holds for all of a kind, or for a place that is the repository or a part of it.
"""

import re

from repomem.capture.statements.clauses import Clause
from repomem.capture.statements.hedges import is_local
from repomem.capture.statements.not_statements import lead_in

_PLACES = (
    r"(?:in|on|across|throughout|within) (?:this|the|our|the whole|the entire) (?:\w+ )?(?:repo|repository|project|"
    r"code ?base|package|"
    r"module|monorepo|service|app|application|backend|frontend|library|team|company)"
)
_LASTS = (
    rf"{_PLACES}|everywhere|anywhere|project-wide|repo-wide|consistently|at all times|by default|without exception|"
    r"whenever|every time|each time|any ?time|from now on|going forward|from here on(?: out)?|"
    r"in (?:the )?future\b(?! we)|henceforth|"
    r"as a (?:general )?rule|by convention|across the board|in general|(?:on|before|after|in|with|for) (?:every|each|"
    r"any)\b"
)
_VERBS = (
    r"use|prefer|write|name|put|keep|pin|import|log|wrap|format|call|return|raise|throw|store|mark|prefix|sort|"
    r"document|"
    r"run|commit|push|edit|touch|modify|change|add|include|mock|rely|hard-?code|bump|merge|delete|remove|create|test|"
    r"update|regenerate|check|validate|escape|quote|squash|rebase|tag|deploy|avoid|stick|follow|ask|leave|make|treat|"
    r"expose|introduce|depend|read|go|define|declare|inject|pass|handle|catch|swallow|ship|release|start|end|let|"
    r"assume|"
    r"open|close|set|disable|enable|skip|ignore|commit to|force-push|amend|reference|cite|link|review|sign|verify|build"
)
_RULES = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        (
            r"^(?:always|never)(?: ever)? (?!(?:mind|again|been|had|was|got|seen|gonna|happy|glad|heard|thought|knew|"
            r"said|forgets?|good|nice|fun|"
            r"welcome|here|there|a|an|the|my|have|has|worked)\b)(?!(?!need|embed|feed|seed|exceed|"
            r"proceed)\w+ed\b)[a-z-]+"
        ),
        (
            r"\b(?:from now on|going forward|from here on(?: out)?|henceforth|as a (?:general |hard )?rule|"
            r"by convention)\b"
        ),
        r"^in (?:the )?future\b,? (?!we|i|it|they)",
        (
            r"\b(?:you|we|agents?|everyone|everybody|nobody|no one|all \w+|every \w+|each \w+|"
            r"\w+s)\s+(?:should|must|shall|"
            r"need to|have to|are to)\s+(?:always|never)\b(?! have| be seen)"
        ),
        r"^(?:nobody|no one) (?:should|may|must|is allowed|gets to|touches)\b",
        r"(?<!that )(?<!which )(?<!who )(?<!it )(?<!this )\bmust (?:always|never|not ever)\b",
        (
            r"^(?:all|every|each|any|no|anything|everything|nothing|new)\b.{2,80}?\b(?:must|shall|should|needs? to|"
            r"has to|have to|"
            r"goes? (?:through|in|into|via|under)|may (?:not|only)|is to be|are to be)\b"
            r"(?!.*\b(?:pass|passing|green|work|working|be (?:fixed|done|easy|fine|enough|ready))\b)"
        ),
        (
            r"^(?:our|the|team|project|house|one|a|hard|general) (?:\w+ ){0,2}(?:rules?|conventions?|polic(?:y|ies)|"
            r"standards?)\b"
            r".{0,30}?(?: is| are|:)"
        ),
        r"^(?:rule|convention|policy|house style)\b(?: of \w+)?(?: \d+)?\s*:",
        (
            r"^we (?:always|never|only) (?!gets?\b|see\b|end\b|run (?:out|into)\b|lose\b|hit\b|fail\b|crash\b|wait\b|"
            r"forget\b|restart\b|got\b|had\b|were\b|was\b|did\b|saw\b|found\b|knew\b|need(?:ed)?\b|have\b|"
            r"\w+ed\b)[a-z-]+"
        ),
        (
            r"^we (?:don't|do not|avoid|forbid|ban|disallow|require|prefer|pin|squash|deploy|follow|enforce)\b"
            r"(?! (?:know|have|need|care|think|see|understand|mind|want|remember|get)\b)"
        ),
        (
            rf"^(?:don't|do not|avoid)(?: ever)? (?:{_VERBS}|\w+ing)\b.*(?:\bever\b|any ?more\b|\bwithout\b|\bunless\b|"
            rf"\bby hand\b|"
            rf"\bmanually\b|\bdirectly\b|\bnew (?:\w+ )?dependenc|\bon your own\b|{_LASTS})"
        ),
        (
            rf"^(?:{_VERBS})\b.*(?:{_PLACES}|\beverywhere\b|\bwhenever\b|\b(?:every|each|any) ?time\b|\bproject-wide\b|"
            r"\brepo-wide\b|\bby default\b|\bat all times\b|\bfor (?:all|any|every|each) (?:new )?(?!of\b|these\b|"
            r"those\b)\w+|"
            r"\b(?:before|after|on|with) (?:every|each|any) \w+|\bwithout exception\b|\bconsistently\b)"
        ),
        (
            rf"^(?:whenever|every time|each time|any ?time|if|when) (?:you|we|someone|anyone|a|an|the)\b[^,]{{3,80}},? "
            rf"(?:always|never|please|you must|also|don't|do not|make sure|first {_VERBS})\b"
        ),
        (
            rf"^(?:whenever|every time|each time|any ?time) (?:you|we|someone|anyone) [^,]{{3,80}},? (?:{_VERBS}|"
            rf"always|never|please|"
            r"also|make sure|don't|do not|you must|it must)\b"
        ),
        rf"\b(?:is|are) (?:never|always|only) .*{_PLACES}",
        (
            r"\b(?:is|are) (?:strictly |absolutely )?(?:forbidden|banned|not allowed|off[- ]limits|mandatory|"
            r"prohibited|"
            r"required for (?:all|every|each|any)|read[- ]only for)\b"
        ),
        r"^no more [\w`'/-]+(?: [\w`'/-]+){0,4}?(?:,? please)?[.!]?$",
        (
            r"^no (?!idea|need|clue|problem|worries|rush|way|doubt)[\w`'/-]+(?: [\w`'/-]+){0,4}? (?:in (?:this|the|"
            r"our) (?!(?:case|one|pr|tests?)\b)|here\b|"
            r"anywhere|at all|ever\b|without |outside |under )"
        ),
        (
            r"^make sure (?:that )?(?:you |to |we )?(?:always|never|new|(?:every|each|all) (?:public|new|"
            r"exported|external))\b(?!.*\b(?:pass|"
            r"green|works?|"
            r"still)\b)"
        ),
        r"^(?:i|we) (?:want|expect|require) (?:all|every|each|any)\b(?!.*\b(?:pass|green|works?|fixed|done)\b)",
        r"^only\b.{2,80}\b(?:may|must|is allowed|are allowed)\b",
        r"^(?:we |i )?(?:always )?prefer\b.{2,80}\b(?:over|to|rather than|instead of)\b",
        (
            r"^(?!the |this |that |these |those |it |you |my )(?:[\w`'-]+ ){0,3}[\w`'-]*s must (?:be|have|"
            r"use|start|end|"
            r"go|live|include|contain|"
            r"carry|follow|not|come|match|return)\b"
        ),
        r"^(?!expected|actual|result|observed|current|log|output|error)[\w -]{3,40}: (?:always|never)\b",
        r"^(?:the|our) [\w -]{2,40} must (?:stay|remain|keep|always|never)\b",
        r"^(?:let's|lets) (?:name|call|use|keep|put|write|prefix|store|return) (?:all|every|each|any)\b",
        r"^never(?: ever)+ [a-z]+",
        r"^(?:the team|our team|everyone|we all) (?:strongly )?prefers?\b",
        r"^we (?:support|target|test|deploy|ship) (?:only|just)\b",
        (
            r"^(?:all |every |each |any )?(?:public|private|internal|exported|integration|unit|"
            r"new) [\w ]{0,20}?\b(?:functions?|methods?|"
            r"modules?|class(?:es)?|tests?|endpoints?|migrations?|columns?|tables?|files?|components?|packages?|"
            r"types?|apis?|fields?|"
            r"commands?|flags?|services?|models?|scripts?|handlers?|hooks?|routes?|queries|pages|views) (?:needs?|"
            r"carry|carries|uses?|"
            r"takes?|have|has|comes? with|gets?) (?!an? (?:error|exception|404|500)|stuck|lost|deleted|duplicated)"
        ),
        r"^[\w`]+(?: [\w`]+){0,3} everywhere(?: then)?[.!]?$",
        (
            r"^(?:use|run|call|go through|the|all|every|we|our|only|[\w`]+s)\b.*,\s+never\b(?! (?:mind|been|"
            r"had|got|seen|"
            r"worked|finished|returns?|came|happen))"
        ),
        r"^(?:use|run|call|go through)\b.*\bfor everything\b",
        (
            r"^(?:don't|do not|never|avoid|use|prefer|no)\b.*\bin (?!the |this |that |these |those |"
            r"my )(?:[\w`]+ ){0,2}(?:files|tests|code|"
            r"components|handlers|controllers|templates|migrations|docs|commits|commit messages|prs|production|views|"
            r"models|scripts)\b"
        ),
        rf"^{_PLACES}\b,? .*\b(?:never|always|only|must|don't|do not|should|prefer|use|are not|aren't|is not|isn't)\b",
        r"^(?:all |new |the )?[\w`]+(?: [\w`]+){0,2}s (?:go|belong|live)s? (?:in|under|into|next to)\b",
        (
            r"^(?:[\w`'-]+s|[\w`'-]+ (?:and|or) [\w`'-]+s)(?: (?:that|which|with|without|for|in|of|"
            r"on) [^,:]{2,60}?)? (?:must|have to|"
            r"need to|are to) (?:be|carry|have|use|go|live|start|end|include|contain|stay|follow|match|come|return|"
            r"declare|say|pass) "
            r"(?!(?:fixed|done|ready|easy|fine|green|working|enough|finished)\b)"
        ),
        (
            r"^(?:(?:in|on|for|at) (?:the|our|all|every|each) [\w-]+ )?(?:we|i) (?!got|had|were|was|did|saw|found|knew|"
            r"need|have|get|see|hit|run into|are)\w+ (?:always|never|only) \S"
        ),
        (
            r"^(?!(?:users|people|customers|clients|requests|responses|emails|mails|logins|sessions|visitors|tests|"
            r"builds|jobs|pods)\b)"
            r"[\w`'-]{3,}s (?:return|returns|take|use|accept|inherit|implement|extend|carry|raise|throw|expose|own|"
            r"hold|import)\b "
            r"(?!.*\b(?:[45]\d\d|errors?|nothing|null|undefined|wrong|empty|stale|old)\b)[^,]{2,60}?(?:,| and|,? but) "
            r"(?:do not|don't|never|must not) \w+"
        ),
        r"^(?:we|i) (?:are|'re) (?:not|never) (?:making|using|writing|doing|adding|having) .{3,60}$",
        (
            r"^(?:the|our) [\w -]{2,40} should (?:be|stay|remain) (?:below|above|under|within|over|at most|at least|"
            r"smaller|larger) \S"
        ),
    )
)
_NO = re.compile(
    r"no (?!(?:idea|need|clue|problem|worries|rush|way|doubt|one|more|longer|tests?|changes?|code|thanks|thank|wait|"
    r"please|panic|keep|"
    r"just|leave|that|it|they|this|we|you|i|not|use|make|stay|go|do|let|the|an?|my|your)\b)[\w'/@.-]+(?: [\w'/-]+){0,2}"
    r"(?:,? (?:because|since)\b|, (?=too )|, (?:it|they) )",
    re.IGNORECASE,
)
_SINCE = re.compile(
    r"\bsince (?:yesterday|today|monday|tuesday|wednesday|thursday|friday|last|this|the (?:last|new|latest|update|"
    r"upgrade|deploy\w*|"
    r"release|move|merge|migration))\b",
    re.IGNORECASE,
)
_REPORTS = re.compile(
    r"\bsuddenly\b|\bfor some reason\b|\b(?:stopped|stops) working\b|\b(?:is|are|"
    r"was|were) broken\b|"
    r"\b(?:twice|two times|wrong|garbage|weird(?:ly)?)\b|\bmust (?:be|have been) (?:the|a|an|some|because|something|"
    r"that|due|related|my|our)\b|"
    r"\b(?:fails?|crash(?:es)?|hangs?|breaks?|throws?|times? out|shows? up|disappears?|returns? (?:[45]\d\d|null|"
    r"nothing|an? (?:error|empty)))\b"
    r"(?!.*\b(?:must|never|always|should|don't|do not)\b)",
    re.IGNORECASE,
)
_TASK = re.compile(
    r"(?:please |just |now )*(?:add|remove|delete|update|change|create|rename|replace|move|fix|check|convert|migrate|"
    r"set|sort|document|"
    r"validate|regenerate|review|read|merge|include|introduce|clean|look|find|list|show|go through|apply|put|make|"
    r"extract|split|bump)\b",
    re.IGNORECASE,
)
_ALWAYS = re.compile(r"(?:always|never|don't|do not)\b", re.IGNORECASE)
_OFTEN = re.compile(
    r"\b(?:always|never|from now on|going forward|henceforth|whenever|(?:every|each|any) ?time|in (?:the )?future|"
    r"as a rule|"
    r"by default|consistently|without (?:asking|exception)|(?:before|after|on|with|for|in|to) (?:every|each|"
    r"any) (?:new )?(?:commit|change|"
    r"release|prs?|pull request|merge|deploy\w*|migration|feature|endpoint|bug\w*|fix|tests?|push|build|"
    r"schema change|module|file)|"
    r"(?:every|each|any|all) new|when(?:ever)? (?:you|we|someone))\b",
    re.IGNORECASE,
)
_LACKS = re.compile(
    r"^we (?:don't|do not) (?:handle|return|show|send|receive|see|save|check|close|clean|validate|release|"
    r"escape|free|set|clear|reset|"
    r"update|pass|await|retry|flush|invalidate|get)\b(?!.*\b(?:ever|directly|by hand|here|because|since|otherwise|"
    r"in this|in the repo)\b)",
    re.IGNORECASE,
)
_FOR_ALL = re.compile(r"(?:for|in|on|with) (?:all|every|each|any|new)\b", re.IGNORECASE)
_GENERALLY = re.compile(r"(?:in general|generally|as a rule|by default|on principle)\b", re.IGNORECASE)
_IMPERATIVE = re.compile(rf"(?:please |always |never |don't |do not )?(?:{_VERBS})\b", re.IGNORECASE)
_FORBIDS = re.compile(
    r"(?:please )?(?:(?:don't|do not|never) (?:use|import|mock|store|log|rely on|depend on|call|catch|introduce)|"
    r"avoid|no)\s+"
    r"(?!(?:a|an|the|this|that|these|those|my|your|it|them|more|one|need|problem|worries|idea|rush|thanks|thank|wait|"
    r"please)\b)\S",
    re.IGNORECASE,
)
_STOPS = re.compile(
    r"(?:please )?stop (?:using|adding|writing|importing|putting|mocking|calling|logging|creating)\b", re.IGNORECASE
)
_ARE_NOT = re.compile(
    r"(?!(?:the|this|that|it|these|those|he|she|they|my|your|there|users|people|customers|clients|requests|responses|"
    r"emails|mails|"
    r"logins|sessions|visitors|builds|jobs|pods|orders|prices|dates|links|buttons|images)\b)"
    r"[\w` /-]{2,60}?s (?:[\w ]{0,30} )?(?:are(?! (?:\w+ly )?\w+(?:ed|wn|nt)\b[^,]*, (?:and )?not)|use|go|live|stay|"
    r"run|return|have)\b"
    r"(?!.*\b(?:[45]\d\d|errors?,|nothing|null|undefined|wrong|empty|stale|once|late)\b).*,\s+(?:and )?(?:not|never)\b",
    re.IGNORECASE,
)
_WHEN_YOU = re.compile(
    r"when(?:ever)? (?:you|we|someone) (?:add|create|change|touch|write|rename|remove|introduce|bump|deploy|"
    r"release|edit|modify)\w*\b",
    re.IGNORECASE,
)
_OF_IT = re.compile(
    r"(?!(?:in|on|for|with|across|throughout|within|under|at)\b)(?!\w+s that\b)\w+ (?:it|that|this|them)\b",
    re.IGNORECASE,
)
_IS_SO = re.compile(rf"\b(?:is|are|stays?|remains?)\b.*{_PLACES}", re.IGNORECASE)


def is_rule(clause: Clause) -> bool:
    """Whether a clause is a rule, and not about a place at hand alone."""
    return _says_rule(clause) and not (_is_narrow(clause) or _is_task(clause) or _is_report(clause))


def _is_task(clause: Clause) -> bool:
    """Whether it asks for a change, however many places that has: "rename it everywhere"."""
    if _TASK.match(clause.front) or (_TASK.match(clause.before) and _ALWAYS.match(clause.bare)):
        return True
    return bool(_TASK.match(clause.bare)) and not _OFTEN.search(f"{clause.front} {clause.bare}")


def _is_report(clause: Clause) -> bool:
    """Whether it tells of a fault: what happens each time is no rule."""
    return bool(
        _REPORTS.search(f"{clause.front} {clause.bare}") or _SINCE.search(clause.whole) or _LACKS.match(clause.bare)
    )


def _says_rule(clause: Clause) -> bool:
    if _WHEN_YOU.match(clause.front) and _IMPERATIVE.match(clause.bare):
        return True
    if _OF_IT.match(clause.bare):
        return False
    if any(pattern.search(clause.bare) for pattern in _RULES) or _ARE_NOT.match(clause.bare):
        return True
    if clause.has_own_why and _NO.match(clause.whole, lead_in(clause.whole)):
        return True
    if _FOR_ALL.match(clause.front) or _GENERALLY.match(clause.front):
        return bool(_IMPERATIVE.match(clause.bare))
    return bool(clause.why and (_STOPS.match(clause.bare) or _FORBIDS.match(clause.bare) or _IS_SO.search(clause.bare)))


def _is_narrow(clause: Clause) -> bool:
    """Whether a rule is about a place at hand; a reason makes it one that lasts there."""
    says_always = re.search(r"\b(?:always|never|from now on|we|nobody|no)\b", clause.bare, re.IGNORECASE)
    return is_local(clause) and not (clause.why or says_always)
