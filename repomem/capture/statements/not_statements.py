"""Sentences that state nothing about the repository: questions, options, others' words, hedges and current work."""

from repomem.capture.statements.remember_requests import asks_to_remember
from repomem.capture.statements.sentences import Clause, Sentence
from repomem.core.text.lazy_pattern import lazy_pattern

_LEAD = lazy_pattern(
    r"(?i)(?:(?:(?:no|nein)(?=[,.:!;—–-])|ok|yes|right|so|and|but|then|bitte|good point|nice|fine|agreed|btw|please|"
    r"pls|hey|one more thing|stop(?=[.,!])|one thing for [^:,.]{2,40}(?=:)|is important to know(?: for \w+)?(?=:)|"
    r"actually|wait|again|scrap that|we changed our minds?(?: about [^:,.]{2,40}(?=[:,.]))?|i meant|as a reminder|"
    r"you keep forgetting (?:this)?|sorry)\b\s*[,.:!;—–-]*\s+)+"
)
_QUESTION = lazy_pattern(r"\?[\s\"')\]”’]*$")
_ASKS = lazy_pattern(
    r"(?i)(?:(?:should|shall|could|can|would|do|does|did|is|are|wouldn't|isn't|aren't|won't) (?:we|i|you|it|this|that|"
    r"they|there|the|a)|(?:what|which|why|how|where|who|when) (?:is|are|do|does|did|should|would|could|can|about|if)|"
    r"what the|why not)\b(?!(?<=can you)(?!.*\b(?:explain|tell|say|check)\b).*\b(?:always|never)\b)"
    r"|(?:(?:can|could|would|will) you |please |pls |just )*(?:(?:double[- ]?)?check|see|verify|find out|tell me|"
    r"explain|confirm|figure out|look up|ask|i wonder|(?:i )?(?:don't|do not) know|no idea|not sure)\b.{0,40}?\b(?:if|"
    r"whether|why|how|what|which|where|who)\b"
)
_OTHERS = lazy_pattern(
    r"(?i)\b(?:he|she|they|it|ops|legal|finance|marketing|sales|support|(?:sub)?agents?|copilot|chatgpt|bots?|tools?|"
    r"docs?|documentation|readme|article|blog|post|issue|ticket|error|message|logs?|linter|reviewers?|colleagues?|"
    r"boss|manager|customers?|client|someone|somebody|people|author|maintainers?|guide|tutorial|spec|brief|"
    r"(?-i:[A-Z][a-z]+))\s+(?:also |still |already |once |always |just |even |only |has |have |had |"
    r"clearly )?(?:says?|said|wrote|writes|told|tells|claims?|claimed|suggest(?:s|ed)|recommend(?:s|ed)|argu(?:es|ed)|"
    r"mention(?:s|ed)|complain(?:s|ed)|states?|stated|thinks?|thought|wants?|wanted|asked|asks|proposes?|proposed|"
    r"insists?|insisted|prefers?|advis(?:es|ed)|pushed for|advocat\w+)\b"
    r"|\b(?:that|which) (?:says?|states?|reads|explains?)\b|\b(?:saying|stating)\b|\baccording to\b|"
    r"\bquot(?:e|ed|ing)\b|\bas (?:noted|recorded|documented|stated|described|mentioned|written) in\b"
    r"|\b(?:previous|earlier|last) session\b|\b(?:other|another) (?:team|project|repo|company|people)\b"
    r"|\b(?:in|at|over at|from) (?:the |their |his |her )?(?!our\b|this\b|the\b|whole\b)[\w-]+ (?:team|repo|project|"
    r"org|company)\b,? (?:they|people|folks|everyone|everybody|you|it)\b"
    r"|(?:^|\b(?:and|but|where|so|there|because|that) |[:,] )they (?:also |still |all )?(?:never|always|only|don't|"
    r"do not|decided|agreed|chose|use|used|must|moved|switched|dropped|went|want|have to)\b"
    r"|\b(?:the|their|his|her) (?!whole|entire|core|own)[\w-]+ (?:team|people|folks|guys|devs?|department|squad|repo|"
    r"project)(?:'s \w+)? (?:\w+ )?(?:has |have |had )?(?:decided|agreed|chose|chosen|never|always|only|moved|"
    r"switched|dropped|uses?|went|wants?|don't|do not|doesn't|does not|requires?|must|prefers?|standardi[sz]ed|bans?|"
    r"banned)\b"
    r"|\b\w+(?<!our)(?<!it)'s (?:team|repo|project|people|squad|branch|pr|fork) (?:\w+ )?(?:decided|agreed|never|"
    r"always|only|uses?|does|has|must|wants?|moved|switched|requires?)\b"
    r"|^[^:]{0,60}\b(?:reviews?|comments?|tickets?|issues?|slack|mail|docs?|readme|guide|guidelines|spec|linter|log|"
    r"commit|subject|title|docstring|template|feedback|suggestions?|todo)\b(?: (?:by|from|of|at|on|says?) [^:]{1,40}|"
    r" #?[\d\w-]*\d[\w-]*)?:\s"
    r"|\b(?:commit|pr|ticket|issue|comment|docstring|header|file|page|banner|config|adr|policy page|contract|"
    r"doc) \S{0,14}\s?(?:says?|reads|claims?|states?|mentions?|has a (?:note|comment)|demands?)\b"
    r"|(?<!\bi )(?<!\bwe )\b(?:says|said|told (?:me|us)|claims|claimed|insists|insisted|argues|argued|reckons|"
    r"suggests|suggested|recommends|recommended|proposes|proposed|advises|advised|demands|demanded|wants us)\b"
    r"|\b(?:i|we) (?:\w+ )?(?:read|heard|saw|learned|learnt|noticed|(?:was|were) told|understand|understood|recall|"
    r"remember|thought|believed|assumed|dreamt)\b(?! to)"
    r"|\b(?:used to (?:be|have|say|use)|back then|in the past|historically|once upon)\b"
    r"|\b(?:angular|react|django|rails|google|facebook|stripe|aws|github|upstream|kubernetes|the (?:standard|rfc|"
    r"vendor|framework|library|community))(?:'s \w+)? (?:always|never|only|decided|recommends?|suggests?|says?|chose|"
    r"dropped|switched|moved)\b"
    r"|\bmost (?:people|teams|projects)\b|\bin (?:my|our) (?:last|previous|old|other) (?:job|company|project|team)\b"
)
_NO_SECTION = lazy_pattern(
    r"(?i)\b(?:plan|steps|options?|approach(?:es)?|alternatives?|proposals?|ideas?|questions?|considerations|possibilit\w+|"
    r"example|we could|you could|could|might|pros|cons|suggestions?|recommendations?|to[- ]?do|agenda|brainstorm\w*|"
    r"choices:|candidates|would|maybe|i'll|next steps?|tasks?|usage|before|previously|how to|test plan|checklist)\b"
)

_NOT_MEANT = lazy_pattern(
    r"(?i)(?:i|we)(?:'d| would) (?:normally|usually|otherwise)\b"
    r"|\W*(?:the |my )?next (?:attempt|try)\b"
    r"|\W*(?:oh,? (?:great|brilliant|wonderful|fantastic|lovely|perfect) (?:idea|plan)\b|oh,? (?:sure|yeah),? let's\b"
    r"|yeah,? right[,.!]"
    r"|(?:(?:hey|no|nope|wait|h+m+|um|but|also|ok|sorry)\b\W*)*(?:you (?:(?:didn'?t|did not|haven'?t|forgot|missed|"
    r"skipped)\b|(?:only|just) (?:\w+ed|did|ran)\b)|du hast (?:[\w`./-]+ ){0,4}(?:nicht|vergessen|nur)\b)"
    r"(?!.*\b(?:always|never|must|from now on|because|immer|nie|weil)\b))"
)


def states_nothing(sentence: Sentence) -> bool:
    """Whether a sentence is a question or, unless the person asks to remember it, an option or reported speech."""
    body = sentence.masked[lead_in(sentence.masked) :]
    if is_question(sentence.masked):
        return True
    if asks_to_remember(body):
        return False
    return bool(_ASKS.match(body) or _NO_SECTION.search(sentence.section) or _OTHERS.search(sentence.masked))


def is_not_meant(sentence: Sentence) -> bool:
    """Whether a sentence says what would be done otherwise, is tried next or was left undone, or is sarcasm."""
    return bool(_NOT_MEANT.match(sentence.masked))


def is_question(text: str) -> bool:
    """Whether a sentence ends with a question mark."""
    return bool(_QUESTION.search(text))


def lead_in(text: str) -> int:
    """The length of introductory words without content: "ok, and please"."""
    found = _LEAD.match(text)
    return found.end() if found else 0


_HYPOTHETICAL = lazy_pattern(
    r"(?i)\b(?:could|might|maybe|perhaps|possibly|probably|presumably|potentially|what if|suppose|supposing|imagine|"
    r"hypothetical\w*|wonder(?:ing)?|thinking (?:about|of|that|we|maybe)|consider(?:ing)?|leaning|not sure|unsure|"
    r"uncertain|would(?! (?:rather|prefer))|(?:i|we)'d(?! (?:rather|prefer|like))|wouldn't|i guess|i suppose|"
    r"i suspect|i assume|someday|some day|(?<!than )(?<!least )(?<!most )(?<!for )(?<!after )(?<!within )one day|"
    r"eventually|tempted|(?:one|another) (?:option|idea|approach|alternative|possibility)|"
    r"an? (?:option|idea|alternative|proposal)|(?<!from now on )we may|i may|you may|may want|"
    r"in theory|ideally|should we|shall we|either|tbd|to be decided|debating|explor(?:e|ing)|evaluat(?:e|ing)|"
    r"investigat(?:e|ing)|brainstorm\w*|seems?|appears?|apparently|likely|i think (?:we|it|that|maybe)|for example|"
    r"e\.g\.|as an example|let me|i'll|i will|i'm going to|i am going to|plan(?:s|ning)? (?:is )?to|propos(?:e|al|ing)|"
    r"suggest(?:ion|s)?|recommend(?:ation|s)?|if we ever|if we(?! (?:add|change|touch|bump|rename|remove))|if i|"
    r"were to|in case we|some ?time|hopefully|nice to have|wish|hope|want to know|curious|in an ideal|say we|"
    r"let's (?:see|think|discuss|consider|try|start|look|talk|first|explore|begin|say|pretend|assume))\b"
)
_UNDECIDED = lazy_pattern(
    r"(?i)(?:\bnot|n't|\bnever|\byet to|\bstill (?:have )?to|\bneed to|\bneeds to|\bhave to|\bbefore (?:we|i)|"
    r"\buntil (?:we|i)|"
    r"\bonce (?:we|i)|\bwhether|\bif|\bwhen (?:we|i)|\bto|\bcan|\bwill|\bwe'll|\bmust)\s+(?:\w+\s+){0,2}?"
    r"(?:decide|decided|agree|agreed|settle|settled|chosen|choose|chose|picked?)\b|\bundecided\b|\bdecide (?:between|"
    r"later|on)\b|\bif (?:we|i|you|they|it|this|that|any(?:one|body)|some(?:one|body)) ever\b"
)
_ONLY_NOW = lazy_pattern(
    r"(?i)\b(?:for now|(?:and |, )?then (?:stop|run|tell|show|wait|commit|continue|do|go|fix|report)|"
    r"(?<!from )(?<!of )right now|this time|this once|just once|temporar\w+|today|tonight|at the moment|for (?:this|"
    r"the current) (?:\w+ )?(?:task|change|pr|commit|session|one|fix|run|ticket|branch|patch|step|part|review|demo|"
    r"test|experiment|spike|prototype|round|turn|answer|reply|moment|week|sprint|release|hotfix|bug|refactor(?:ing)?)|"
    r"for (?:the|my|our|tomorrow's|today's|a) (?:\w+ )?(?:demo|talk|presentation|spike|prototype|experiment|hotfix|"
    r"benchmark|workshop|screenshot)|(?:in|on|during|within) (?:this|the|your|that) (?:\w+ )?(?:pr|commit|session|"
    r"step|patch|spike|answer|reply|summary|turn|chat|conversation|branch|diff|hotfix)|this (?:week|sprint|round|turn|"
    r"afternoon|morning|session)|until (?:tomorrow|tonight|monday|tuesday|wednesday|thursday|friday|noon|lunch|then|"
    r"after)|tomorrow|while you(?:'re| are) (?:there|at it)|when (?:you're|you are|i'm|i am) (?:done|back)|"
    r"just (?:now|once|quickly)|(?:re-?run|try) (?:it|that|them|again)|again please|yet|before (?:you|we|i) (?:start|"
    r"continue|go on|proceed|do)|until (?:i|you|we)|as a (?:first|quick|temporary) \w+|while (?:i|you|we)'?|until|"
    r"till|before you (?:answer|reply|respond|tell)|(?:answer|reply to|tell) me|in the meantime|meanwhile|"
    r"i want to (?:look|see|check)|first(?=,))(?!\w)"
)
_NOW = lazy_pattern(r"(?i)\b(?:right now|today|tonight|at the moment|currently|on my (?:machine|laptop))\b")
_LOCAL = lazy_pattern(
    r"(?i)\bhere\b(?!['’])|\bin this (?:function|line|test|case|file|method|class|block|snippet|example|loop|query|"
    r"script)\b"
    r"|\bline \d+\b|\b(?:above|below|this one|that one|this (?:variable|function|name|line|method|class|parameter|"
    r"helper))\b"
)


def is_hypothetical(clause: Clause) -> bool:
    """Whether a clause is hypothetical or undecided; its reason may be."""
    return bool(_HYPOTHETICAL.search(clause.bare)) or is_undecided(clause)


def is_undecided(clause: Clause) -> bool:
    """Whether a clause says that something is not decided, or may never be."""
    return bool(_UNDECIDED.search(clause.bare))


def is_only_now(clause: Clause) -> bool:
    """Whether a clause applies only to the current work."""
    return bool(_ONLY_NOW.search(f"{clause.front} {clause.bare}") or _NOW.search(clause.why))


def is_local(clause: Clause) -> bool:
    """Whether a clause refers to a nearby location ("here", "in this test"), as instructions do."""
    return bool(_LOCAL.search(clause.bare))
