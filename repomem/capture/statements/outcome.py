"""The goal of a session, from its first request, and its outcome, from its last message."""

import re
from collections.abc import Sequence

from repomem.adapters.transcripts.steps import Step
from repomem.capture.statements.sentences import Sentence, sentences_of
from repomem.capture.turns import Turn, prompts_in

LONGEST_GOAL = 500  # characters
LONGEST_OUTCOME = 1_500  # of the final message: it finds a session again as well as the whole transcript does
LONGEST_LAST = 300  # of a paragraph behind what was pasted; a longer one may be pasted too
FEWEST_WORDS = 3  # of a request; fewer are a greeting or a nod

_GREETING = re.compile(
    r"(?:hi|hey|hello|good (?:morning|afternoon|evening)|yo|thanks?(?: you)?|thx|ok(?:ay)?|yes|no|sure|continue|go on|"
    r"go ahead|proceed|test(?:ing)?|ping|are you (?:there|ready)|can you (?:help|hear) me)\b[\w ,]{0,40}[!.?]*",
    re.IGNORECASE,
)
_SMALL_TALK = re.compile(
    r"(?:great|perfect|excellent|awesome|all done|done|sure|of course|certainly|absolutely|you'?re (?:welcome|right)|"
    r"i'?ve completed (?:the|your) (?:task|request)|here'?s (?:a|the) (?:quick )?summary[\w ]*)\s*[!.:]*"
    r"|(?:let me know|feel free|happy to|is there anything|would you like|do you want|want me to|shall i|should i|"
    r"if you(?:'d| would) like|i hope|hope (?:this|that)|please let me|just let me)\b.*",
    re.IGNORECASE,
)


def goal_of(turns: Sequence[Turn]) -> str:
    """Give the first request that is more than a greeting."""
    for step in prompts_in(turns):
        sentences = _asked_for(step.text)
        if sentences and _GREETING.fullmatch(sentences[0]) and len(sentences[0].split()) <= 2 * FEWEST_WORDS:
            sentences = sentences[1:]
        if sum(len(text.split()) for text in sentences) >= FEWEST_WORDS:
            return _cut(sentences, LONGEST_GOAL)
    return ""


def outcome_of(turns: Sequence[Turn]) -> str:
    """Give the last final message, cut at a sentence."""
    for turn in reversed(turns):
        kept = [each for each in agent_sentences(turn.final) if not _SMALL_TALK.fullmatch(each.text)]
        if kept:
            return _cut([each.text for each in kept], LONGEST_OUTCOME)
    return ""


def _asked_for(prompt: str) -> list[str]:
    """The sentences of a request; people paste first and say then what they want, so the last paragraph counts too."""
    sentences = [each.text for each in sentences_of(prompt, is_prompt=True)]
    last = sentences_of(prompt.strip().rpartition("\n\n")[2], is_prompt=True)
    is_short = sum(len(each.text) for each in last) <= LONGEST_LAST
    return sentences + [each.text for each in last if is_short and each.text not in sentences]


def agent_sentences(steps: Sequence[Step]) -> list[Sentence]:
    """The sentences of an agent's message."""
    return [sentence for step in steps for sentence in sentences_of(step.text, is_prompt=False)]


def _cut(sentences: Sequence[str], longest: int) -> str:
    """As many sentences from the first on as have room; of a first one that is too long its start."""
    text = ""
    for sentence in sentences:
        longer = f"{text} {sentence}".strip()
        if len(longer) > longest:
            break
        text = longer
    return text or " ".join(sentences[:1])[: longest - 1].rstrip() + "…"
