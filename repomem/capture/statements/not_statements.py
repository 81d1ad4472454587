"""Sentences that state nothing about a repository: questions, options, and what others said."""

import re

from repomem.capture.statements.sentences import Sentence

_LEAD = re.compile(
    r"(?:(?:(?:no|nein)(?=[,.:!;—–-])|ok|yes|right|so|and|but|then|bitte|good point|nice|fine|agreed|btw|"
    r"please|pls|hey|one more thing|stop(?=[.,!])|one thing for [^:,.]{2,40}(?=:)|"
    r"is important to know(?: for \w+)?(?=:)|actually|wait|again|scrap that|"
    r"we changed our minds?(?: about [^:,.]{2,40}(?=[:,.]))?|i meant|as a reminder|"
    r"you keep forgetting (?:this)?|sorry)\b\s*[,.:!;—–-]*\s+)+",
    re.IGNORECASE,
)
_QUESTION = re.compile(r"\?[\s\"')\]”’]*$")
_ASKS = re.compile(
    r"(?:(?:should|shall|could|can|would|do|does|did|is|are|wouldn't|isn't|aren't|won't) (?:we|i|you|it|this|"
    r"that|they|there|"
    r"the|a)|(?:what|which|why|how|where|who|when) (?:is|are|do|does|did|should|would|could|can|about|if)|"
    r"what the|why not)\b"
    r"(?!(?<=can you)(?!.*\b(?:explain|tell|say|check)\b).*\b(?:always|never)\b)"
    r"|(?:(?:can|could|would|will) you |please |pls |just )*(?:(?:double[- ]?)?check|see|verify|find out|tell me|"
    r"explain|"
    r"confirm|figure out|look up|ask|i wonder|(?:i )?(?:don't|do not) know|no idea|not sure)\b.{0,40}?\b(?:if|"
    r"whether|why|how|"
    r"what|which|where|who)\b",
    re.IGNORECASE,
)
_OTHERS = re.compile(
    r"\b(?:he|she|they|it|ops|legal|finance|marketing|sales|support|(?:sub)?agents?|copilot|chatgpt|bots?|tools?|"
    r"docs?|documentation|readme|article|blog|post|issue|ticket|error|message|logs?|linter|"
    r"reviewers?|"
    r"colleagues?|boss|manager|customers?|client|someone|somebody|people|author|maintainers?|guide|tutorial|spec|brief|"
    r"(?-i:[A-Z][a-z]+))\s+(?:also |still |already |once |always |just |even |only |has |have |had |"
    r"clearly )?(?:says?|said|wrote|writes|told|tells|claims?|"
    r"claimed|"
    r"suggest(?:s|ed)|recommend(?:s|ed)|argu(?:es|ed)|mention(?:s|ed)|complain(?:s|ed)|states?|stated|thinks?|thought|"
    r"wants?|wanted|asked|asks|proposes?|proposed|insists?|insisted|prefers?|advis(?:es|ed)|pushed for|advocat\w+)\b"
    r"|\b(?:that|which) (?:says?|states?|reads|explains?)\b|\b(?:saying|stating)\b|\baccording to\b|"
    r"\bquot(?:e|ed|ing)\b|\bas (?:noted|recorded|documented|stated|described|mentioned|written) in\b"
    r"|\b(?:previous|earlier|last) session\b|\b(?:other|another) (?:team|project|repo|company|people)\b"
    r"|\b(?:in|at|over at|from) (?:the |their |his |her )?(?!our\b|this\b|the\b|whole\b)[\w-]+ (?:team|repo|project|"
    r"org|company)"
    r"\b,? (?:they|people|folks|everyone|everybody|you|it)\b"
    r"|(?:^|\b(?:and|but|where|so|there|because|that) |[:,] )they (?:also |still |all )?(?:never|always|only|don't|"
    r"do not|decided|"
    r"agreed|chose|use|used|must|moved|switched|dropped|went|want|have to)\b"
    r"|\b(?:the|their|his|her) (?!whole|entire|core|own)[\w-]+ (?:team|people|folks|guys|devs?|department|squad|repo|"
    r"project)"
    r"(?:'s \w+)? (?:\w+ )?(?:has |have |had )?(?:decided|agreed|chose|chosen|never|always|only|moved|switched|"
    r"dropped|uses?|"
    r"went|wants?|don't|do not|doesn't|does not|requires?|must|prefers?|standardi[sz]ed|bans?|banned)\b"
    r"|\b\w+(?<!our)(?<!it)'s (?:team|repo|project|people|squad|branch|pr|fork) (?:\w+ )?(?:decided|agreed|never|"
    r"always|only|"
    r"uses?|does|has|must|wants?|moved|switched|requires?)\b"
    r"|^[^:]{0,60}\b(?:reviews?|comments?|tickets?|issues?|slack|mail|docs?|readme|guide|guidelines|spec|linter|log|"
    r"commit|"
    r"subject|title|docstring|template|feedback|suggestions?|todo)\b(?: (?:by|from|of|at|on|says?) [^:]{1,40}|"
    r" #?[\d\w-]*\d[\w-]*)?:\s"
    r"|\b(?:commit|pr|ticket|issue|comment|docstring|header|file|page|banner|config|adr|policy page|contract|"
    r"doc) \S{0,14}\s?"
    r"(?:says?|reads|claims?|states?|mentions?|has a (?:note|comment)|demands?)\b"
    r"|(?<!\bi )(?<!\bwe )\b(?:says|said|told (?:me|us)|claims|claimed|insists|insisted|argues|argued|reckons|"
    r"suggests|suggested|"
    r"recommends|recommended|proposes|proposed|advises|advised|demands|demanded|wants us)\b"
    r"|\b(?:i|we) (?:\w+ )?(?:read|heard|saw|learned|learnt|noticed|(?:was|were) told|understand|understood|recall|"
    r"remember|thought|"
    r"believed|assumed|dreamt)\b(?! to)"
    r"|\b(?:used to (?:be|have|say|use)|back then|in the past|historically|once upon)\b"
    r"|\b(?:angular|react|django|rails|google|facebook|stripe|aws|github|upstream|kubernetes|the (?:standard|rfc|"
    r"vendor|"
    r"framework|library|community))(?:'s \w+)? (?:always|never|only|decided|recommends?|suggests?|says?|chose|dropped|"
    r"switched|moved)\b"
    r"|\bmost (?:people|teams|projects)\b|\bin (?:my|our) (?:last|previous|old|other) (?:job|company|project|team)\b",
    re.IGNORECASE,
)
_NO_SECTION = re.compile(
    r"\b(?:plan|steps|options?|approach(?:es)?|alternatives?|proposals?|ideas?|questions?|considerations|possibilit\w+|"
    r"example|we could|you could|could|might|pros|cons|suggestions?|recommendations?|to[- ]?do|agenda|brainstorm\w*|"
    r"choices:|"
    r"candidates|would|maybe|i'll|next steps?|tasks?|usage|before|previously|how to|test plan|checklist)\b",
    re.IGNORECASE,
)


def states_nothing(sentence: Sentence) -> bool:
    """Whether a sentence asks, stands among options, or tells what others say."""
    body = sentence.masked[lead_in(sentence.masked) :]
    return bool(
        _QUESTION.search(sentence.masked)
        or _ASKS.match(body)
        or _NO_SECTION.search(sentence.section)
        or _OTHERS.search(sentence.masked)
    )


def is_question(text: str) -> bool:
    """Whether a sentence ends as a question does."""
    return bool(_QUESTION.search(text))


def lead_in(text: str) -> int:
    """How long the words are that only lead in: "ok, and please"."""
    found = _LEAD.match(text)
    return found.end() if found else 0
