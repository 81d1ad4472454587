"""The goal of a session, from its first request, and its outcome, from its last informative message."""

from collections.abc import Sequence

from repomem.adapters.transcripts.steps import Step
from repomem.capture.statements.sentences import Sentence, sentences_of
from repomem.capture.turns import Turn
from repomem.core.text.lazy_pattern import lazy_pattern

LONGEST_GOAL = 500  # characters
LONGEST_OUTCOME = 1_500  # characters of the final message; longer ones do not improve search
LONG_ENOUGH = 100  # characters of a final message; a shorter one weighs less as an outcome
OLDER, WITH_EDIT = 0.7, 1.3  # factors of each turn before the last one, and of a turn that edited files
LONGEST_LAST = 300  # characters of the paragraph after pasted text; a longer one may be pasted too
FEWEST_WORDS = 3  # of a request; shorter ones are mostly greetings or approval
SHORT_WORDS = 2  # of one that is the goal of a session without a longer request: "Fix login"

_GREETING = lazy_pattern(
    r"(?i)(?:hi|hey|hello|good (?:morning|afternoon|evening)|yo|thanks?(?: you)?|thx|ok(?:ay)?|yes|no|sure|continue|"
    r"go on|go ahead|proceed|test(?:ing)?|ping|are you (?:there|ready)|can you (?:help|hear) me)\b[\w ,]{0,40}[!.?]*"
)
_OF_REPLY = lazy_pattern(  # words about what the agent did or is to go on with
    r"(?i)\b(?:again|ahead|all|any|both|carry|cool|correct|do|done|exactly|fine|first|going|good|great|it|keep|looks|lgtm|"
    r"more|next|nice|no|not|now|ok|okay|on|one|please|right|same|so|sounds|sure|thanks|that|them|there|these|this|those|"
    r"thx|try|undo|very|wait|well|what|why|yep|yes|you)\b"
)
_SMALL_TALK = lazy_pattern(
    r"(?i)(?:understood|noted|got it|agreed|will do|makes sense)\b.*"
    r"|(?:great|perfect|excellent|awesome|all done|done|sure|of course|certainly|absolutely|you'?re (?:welcome|right)|"
    r"i'?ve completed (?:the|your) (?:task|request)|here'?s (?:a|the) (?:quick )?summary[\w ]*)\s*[!.:]*"
    r"|(?:let me know|feel free|happy to|is there anything|would you like|do you want|want me to|shall i|should i|"
    r"if you(?:'d| would) like|i hope|hope (?:this|that)|please let me|just let me)\b.*"
)


def goal_of(turns: Sequence[Turn]) -> str:
    """The first request that is not just a greeting, at most LONGEST_GOAL characters; empty without one.

    One of SHORT_WORDS counts if there is no longer one.
    """
    short = ""
    for step in (turn.asked for turn in turns if turn.asked):
        sentences = _asked_for(step.text)
        if sentences and _GREETING.fullmatch(sentences[0]) and len(sentences[0].split()) <= 2 * FEWEST_WORDS:
            sentences = sentences[1:]
        words = sum(len(text.split()) for text in sentences)
        if words >= FEWEST_WORDS:
            return _cut(sentences, LONGEST_GOAL)
        if len(sentences) == 1 and words == SHORT_WORDS and not _OF_REPLY.search(sentences[0]):
            short = short or sentences[0]
    return short


def outcome_of(turns: Sequence[Turn]) -> str:
    """The outcome in the agent's words: a final message without small talk, cut after a sentence.

    Where files were edited, the last message of some length counts, not "Committed as 4bae926", after those of later
    edits; else the last one.
    """
    told = [(text, bool(turn.edited)) for turn in reversed(turns) if (text := _told(turn))]
    if not told or not any(turn.edited for turn in turns):
        return told[0][0] if told else ""
    weights = [
        min(len(text), LONG_ENOUGH) * OLDER**at * (WITH_EDIT if has_edit else 1.0)
        for at, (text, has_edit) in enumerate(told)
    ]
    best = weights.index(max(weights))
    later = " ".join(text for text, has_edit in reversed(told[:best]) if has_edit)
    return f"{later} Before that: {told[best][0]}" if later else told[best][0]


def _told(turn: Turn) -> str:
    """The final message of a turn without small talk, at most LONGEST_OUTCOME characters; empty without one."""
    texts = [sentence.text for sentence in agent_sentences(turn.final)]
    kept = [text for text in texts if not _SMALL_TALK.fullmatch(text)]
    return _cut(kept, LONGEST_OUTCOME) if kept else ""


def _asked_for(prompt: str) -> list[str]:
    """The sentences of a request, and those of its last paragraph, where people write their request after a paste."""
    sentences = [sentence.text for sentence in sentences_of(prompt, is_prompt=True)]
    last = [sentence.text for sentence in sentences_of(prompt.strip().rpartition("\n\n")[2], is_prompt=True)]
    is_short = sum(map(len, last)) <= LONGEST_LAST
    return sentences + [text for text in last if is_short and text not in sentences]


def agent_sentences(steps: Sequence[Step]) -> list[Sentence]:
    """The sentences of an agent's messages."""
    return [sentence for step in steps for sentence in sentences_of(step.text, is_prompt=False)]


def _cut(sentences: Sequence[str], longest: int) -> str:
    """As many of the first sentences as fit; if the first is too long, its start."""
    text = ""
    for sentence in sentences:
        longer = f"{text} {sentence}".strip()
        if len(longer) > longest:
            break
        text = longer
    return text or " ".join(sentences[:1])[: longest - 1].rstrip() + "…"
