"""Replies of a person: approval, refusal, correction and doubt."""

from repomem.core.text.lazy_pattern import lazy_pattern

_REFUSES = lazy_pattern(
    r"(?i)\s*(?:ugh|hm+|hey|sorry|ok(?:ay)?|well|wait|please|thanks)?[,.! ]*(?:"
    r"(?:no|nope|nah|stop|wrong)\b(?! (?:problem|worries|need|rush|issues?|thanks|thank you|more questions|changes?)\b)"
    r"|(?:don't|do not) (?:do|use|add|change|want|like|like|touch|make|introduce)\b|(?:i )?(?:don't|didn't|do not|"
    r"did not) (?:like|want|ask|agree)\b"
    r"|(?:please )?(?:undo|revert|roll (?:that|it|this|those) back|back (?:that|it|this) out|take (?:that|it) (?:back|"
    r"out)|get rid of (?:that|it|this)|remove (?:that|it|this)(?: again)?(?=[ .,!]*$|[.,!]| and| because))\b"
    r"|(?:that's|that is|this is|it's)(?: really| just)? (?:not (?:what|right|ok|okay|how|good|the way)|wrong|a bad|"
    r"too (?:much|complex|complicated)|overkill)"
    r"|not (?:what|like that|that way)|why did you\b|let's not\b|rather not\b|i'd rather\b|i would rather\b|"
    r"scrap (?:that|this|it)"
    r"|actually,? (?:no|don't|let's not|undo|revert|go back|let's (?:go back|revert|undo|use|keep|stick))|bad idea|"
    r"we can't (?:do|use)|this breaks|that breaks)"
)
_NO_THANKS = lazy_pattern(
    r"(?is)\s*no(?:pe)?[,.! ]+(?:thanks|thank you|that's (?:fine|all|it|ok|okay|everything|great|good)|it's (?:fine|ok|"
    r"good)|not needed|no need|"
    r"leave (?:it|that)|looks good|we're (?:done|good)|all good|not now|i'm good|that will be all|just commit)\b.*"
)
_ACCEPTS = lazy_pattern(r"(?i)\s*(?:yes|sounds good)\b")
_BUT = lazy_pattern(r"(?i)\b(?:but|except|however|instead|first|though|only if|wait|not sure|hmm)\b|\?")
TAKES_BACK = lazy_pattern(  # an earlier statement
    r"(?i)\b(?:go(?:ing)? back (?:to|on)|revert(?:ing)? (?:to|back|that|this|it)\b|on second thoughts?|"
    r"change of plans?|chang(?:ed|ing) my mind|changed our minds?|(?:scrap|scratch|strike|cancel|disregard) (?:that|"
    r"this|it|the|my|what)|(?<!n't )(?<!not )(?<!never )forget (?:that|it\b|what i said|about the|about using|my)|"
    r"never ?mind|undo (?:that|this|it|the)|take (?:that|it) back|back (?:that|it) out|roll (?:that|it|this) back|"
    r"i was wrong (?:about|on)|"
    r"actually,? make (?:that|it)\b|ignore (?:that|what i said|my (?:last|previous|earlier))|\bafter all\b|"
    r"let's not (?:do|use|go)|not going (?:to|with) .{2,40} anymore|(?:don't|not) .{2,60} after all)"
)
CORRECTS = lazy_pattern(  # what was said before, by the first words
    r"(?i)^\s*(?:actually|wait|hmm+|hold on|correction|sorry|no)\b[,.:! ]"
)
TURNS_DOWN = lazy_pattern(  # the thing that a sentence mentions
    r"(?i)\b(?:no to|out of the question|vetoed|rejected|can't use|cannot use|not allowed to use|must not use|"
    r"too (?:expensive|slow|complex|heavy|risky)|(?<!don't )(?<!not )forget (?!to\b)|get rid of|drop(?:ping)?|"
    r"remov(?:e|ing)|move away from|without)\b"
    r"|\b(?:no longer|not .{0,40} any ?more|stopped using|instead of what i said)\b"
)
ASKS_LEAVE = lazy_pattern(  # a sentence of the agent that asks for permission or a choice
    r"(?i)\?\s*$|\b(?:let me know (?:if|which|what|how|whether)|shall i|should i|want me to|would you like|do you want|"
    r"waiting for|ready to (?:proceed|start|implement)|once you (?:approve|confirm)|before i (?:start|proceed|"
    r"implement)|your call)\b"
)
DENIES = lazy_pattern(  # what the agent stated
    r"(?i)\b(?:(?:that|this|it)(?:'s| is)(?: just| simply| plainly)? (?:wrong|incorrect|false|nonsense)|"
    r"(?:that|this|it)(?:'s not| is not| isn't) (?:true|right|correct|so|the (?:case|cause|reason))|"
    r"you(?:'re| are) (?:wrong|mistaken)|i (?:don't|do not) (?:think so|agree)|i (?:disagree|doubt (?:that|it)))\b|"
    r"^\W*(?:but )?we (?:already|do) (?:have|use)\b"
)
MAKES_IT_LAST = lazy_pattern(r"(?i)\bfrom (?:now|here) on\b")  # the accepted proposal becomes a rule
ASKS_WHY = lazy_pattern(  # the answer is an explanation, not a decision
    r"(?i)\b(?:why|how come|explain|what made you|what did you|which did you)\b"
)
REVERTS_EDITS = lazy_pattern(  # a command line
    r"\bgit\s+(?:checkout\s+(?:HEAD\s+)?(?:--\s+)?\.(?=\s|$)|checkout\s+--\s|restore\b(?!\s+--staged\s)|"
    r"reset\s+--hard|revert\b|clean\s+-\w*f)"
)


def refuses(reply: str, question: str) -> bool:
    """Whether a reply rejects the agent's action; `question` is the last sentence of the agent's message."""
    if ASKS_LEAVE.search(question) and _NO_THANKS.fullmatch(reply):
        return False
    return bool(_REFUSES.match(reply))


def accepts(reply: str) -> bool:
    """Whether a reply agrees without reservations."""
    return bool(_ACCEPTS.match(reply)) and not _BUT.search(reply)
