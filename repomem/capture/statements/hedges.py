"""What keeps a clause from lasting: it says what might be, holds for the work at hand, or speaks of a place in it."""

import re

from repomem.capture.statements.clauses import Clause

_HYPOTHETICAL = re.compile(
    r"\b(?:could|might|maybe|perhaps|possibly|probably|presumably|potentially|what if|suppose|supposing|imagine|"
    r"hypothetical\w*|wonder(?:ing)?|thinking (?:about|of|that|we|maybe)|consider(?:ing)?|leaning|not sure|unsure|"
    r"uncertain|"
    r"would(?! (?:rather|prefer))|(?:i|we)'d(?! (?:rather|prefer|like))|wouldn't|i guess|i suppose|i suspect|"
    r"i assume|someday|some day|one day|eventually|"
    r"tempted|(?:one|another) (?:option|idea|approach|alternative|possibility)|an? (?:option|idea|alternative|"
    r"proposal)|"
    r"we may|i may|you may|may want|in theory|ideally|should we|shall we|either|tbd|to be decided|debating|"
    r"explor(?:e|ing)|"
    r"evaluat(?:e|ing)|investigat(?:e|ing)|brainstorm\w*|seems?|appears?|apparently|likely|i think (?:we|it|that|"
    r"maybe)|"
    r"for example|e\.g\.|as an example|let me|i'll|i will|i'm going to|i am going to|plan(?:s|ning)? (?:is )?to|"
    r"propos(?:e|al|ing)|suggest(?:ion|s)?|recommend(?:ation|s)?|if we ever|if we(?! (?:add|change|touch|bump|rename|"
    r"remove))|if i|were to|in case we|some ?time|hopefully|nice to have|wish|hope|want to know|curious|in an ideal|"
    r"say we|let's (?:see|think|discuss|"
    r"consider|try|"
    r"start|look|talk|first|explore|begin|say|pretend|assume))\b",
    re.IGNORECASE,
)
_UNDECIDED = re.compile(
    r"(?:\bnot|n't|\bnever|\byet to|\bstill (?:have )?to|\bneed to|\bneeds to|\bhave to|\bbefore (?:we|i)|"
    r"\buntil (?:we|i)|"
    r"\bonce (?:we|i)|\bwhether|\bif|\bwhen (?:we|i)|\bto|\bcan|\bwill|\bwe'll|\bmust)\s+(?:\w+\s+){0,2}?"
    r"(?:decide|decided|agree|agreed|settle|settled|chosen|choose|chose|picked?)\b|\bundecided\b|\bdecide (?:between|"
    r"later|on)\b",
    re.IGNORECASE,
)
_ONLY_NOW = re.compile(
    r"\b(?:for now|(?:and |, )?then (?:stop|run|tell|show|wait|commit|continue|do|go|fix|report)|"
    r"(?<!from )(?<!of )right now|this time|this once|just once|temporar\w+|today|tonight|at the moment|"
    r"for (?:this|the current) (?:\w+ )?(?:task|change|pr|commit|session|one|fix|run|ticket|branch|patch|step|part|"
    r"review|demo|"
    r"test|experiment|spike|prototype|round|turn|answer|reply|moment|week|sprint|release|hotfix|bug|refactor(?:ing)?)|"
    r"for (?:the|my|our|tomorrow's|today's|a) (?:\w+ )?(?:demo|talk|presentation|spike|prototype|experiment|hotfix|"
    r"benchmark|workshop|"
    r"screenshot)|(?:in|on|during|within) (?:this|the|your|that) (?:\w+ )?(?:pr|commit|session|step|patch|spike|"
    r"answer|reply|summary|turn|chat|"
    r"conversation|branch|diff|hotfix)|this (?:week|sprint|round|turn|afternoon|morning|session)|until (?:tomorrow|"
    r"tonight|monday|tuesday|"
    r"wednesday|thursday|friday|noon|lunch|then|after)|tomorrow|while you(?:'re| are) (?:there|at it)|when (?:you're|"
    r"you are|"
    r"i'm|i am) (?:done|back)|just (?:now|once|quickly)|(?:re-?run|try) (?:it|that|them|again)|again please|yet|"
    r"before (?:you|we|i) "
    r"(?:start|continue|go on|proceed|do)|until (?:i|you|we)|as a (?:first|quick|temporary) \w+|while (?:i|you|we)'?|"
    r"until|till|before you (?:answer|reply|respond|tell)|(?:answer|reply to|tell) me|"
    r"in the meantime|meanwhile|i want to (?:look|see|check)|first(?=,))(?!\w)",
    re.IGNORECASE,
)
_NOW = re.compile(r"\b(?:right now|today|tonight|at the moment|currently|on my (?:machine|laptop))\b", re.IGNORECASE)
_LOCAL = re.compile(
    r"\bhere\b(?!['’])|\bin this (?:function|line|test|case|file|method|class|block|snippet|example|loop|query|"
    r"script)\b"
    r"|\bline \d+\b|\b(?:above|below|this one|that one|this (?:variable|function|name|line|method|class|parameter|"
    r"helper))\b",
    re.IGNORECASE,
)


def is_hypothetical(clause: Clause) -> bool:
    """Whether it says what might be, or what is not decided; its reason may well do so."""
    return bool(_HYPOTHETICAL.search(clause.bare) or _UNDECIDED.search(clause.bare))


def is_only_now(clause: Clause) -> bool:
    """Whether it holds for the work at hand alone."""
    return bool(_ONLY_NOW.search(f"{clause.front} {clause.bare}") or _NOW.search(clause.why))


def is_local(clause: Clause) -> bool:
    """Whether it speaks of a place at hand, as an instruction does."""
    return bool(_LOCAL.search(clause.bare))
