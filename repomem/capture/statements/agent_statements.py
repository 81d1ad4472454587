"""Classifies a clause of an agent's final message as decision, gotcha or neither; plans and requests are ignored."""

from repomem.capture.statements.not_statements import is_hypothetical, is_only_now
from repomem.capture.statements.sentences import Clause
from repomem.core.records import MemoryKind
from repomem.core.text.lazy_pattern import lazy_pattern

FEWEST_WORDS = 5  # of a clause without a reason

_MEASURED = lazy_pattern(
    r"(?i)\b\d[\d.,]*\s?(?:%|x\b|(?:ns|µs|us|ms|s|sec|seconds?|minutes?|min|hours?|h|kb|mb|gb|kib|mib|gib|bytes?|req/s|"
    r"rps|fps|times|queries|calls|rows|requests|lines|files|tests|warnings|errors)\b)"
)
_CHOSE = lazy_pattern(
    r"(?i)^(?:(?:i|we) )?(?:chose|picked(?! up)|decided|opted|went with)\b|^considered .{2,80}? but (?:decided|"
    r"chose|opted)\b|\bwas (?:picked|rejected)\b"
)
_NOW_USES = lazy_pattern(r"(?i)^we now use\b")
_ON_PURPOSE = lazy_pattern(r"(?i)\bdeliberately\b")
_REASON_BEHIND = lazy_pattern(r"(?i)it\b")
_MADE = lazy_pattern(
    r"(?i)^(?:rather than [^,]{2,60}? (?=i ))?(?:(?:i|we) )?(?:used|implemented|"
    r"replaced)\b(?! (?:the )?(?:existing|same|constant|helper|current|old|new)\b)"
)
_IS_MADE = lazy_pattern(r"(?i)^the [^,]{0,60}?\b(?:uses?|prints?)\b")
_PURPOSE = lazy_pattern(r"(?i)^so that\b")
_NO_CHOICE = lazy_pattern(  # of the next step, or of the search for a fault
    r"(?i)\b(?:chose|chosen|picked|decided|opted|went) (?:to )?(?:also |first |just )?(?:(?:not )?to )?(?:look|check|"
    r"run|read|fix|test|start|begin|leave|skip|stop|revert|rename|split|extract|inline|ask|wait|keep (?:the )?(?:diff|"
    r"change|names?|tests?))\b"
    r"|\b(?:ran|run|read|looked|searched|checked|tested|opened|viewed|grepped|started with|bug|problem|issue|error|"
    r"failure|crash)\b"
)
_ON_REQUEST = lazy_pattern(
    r"(?i)\b(?:you|the user) (?:asked|said|wanted|told|requested|preferred|mentioned|wrote|chose)\b|\bas (?:requested|"
    r"asked|instructed)\b"
)
_LABEL = lazy_pattern(r"(?i)^(?:decisions?|design note)s?\s*[:–—-]\s*")
_DECISIONS = lazy_pattern(r"(?i)\bdecisions?\b")
_GOTCHAS = lazy_pattern(r"(?i)\bthings to know\b")
_WARNS = lazy_pattern(
    r"(?i)^(?:be aware|worth knowing|keep in mind|note)\b|^(?:gotcha|caveat|heads[- ]up)\b[^:.]{0,40}:\s|\bturned out\b"
)
_CALLED_GOTCHA = lazy_pattern(r"(?i)^gotchas?\b[^:.]{0,40}:\s(?!.*\bi(?:'\w+)?\b)")
_OF_THE_PAST = lazy_pattern(
    r"(?i)\b(?:was|were|had|did|didn't|wasn't|weren't|failed|broke|crashed|returned|raised|dropped|ran|got|hit|lost|"
    r"used to|fixed|now (?:passes|works|returns|takes))\b"
)
_BEHAVES = lazy_pattern(
    r"(?i)\b(?:fails?|deadlocks?|only works?|needs?|must|never|has to|does not|raises?|caches?|mutates?|"
    r"milliseconds|only builds?)\b"
)
_OF_THE_WORK = lazy_pattern(
    r"(?i)\b(?:i (?:did|do|have|haven't|didn't|left|could|couldn't|was|am|used|added|ran|only|also|will|kept|made|"
    r"changed)|i've|i'm|you(?:'ll| will| can| may| might| should| need| have|'d)|no (?:tests?|changes?)|let me|"
    r"tests? (?:pass|are|were)|pre-?existing|unrelated|not (?:been )?(?:tested|run|committed))\b"
)


def agent_kind(clause: Clause, *, has_worked: bool) -> MemoryKind | None:
    """The kind of memory that an agent's clause in a final message states; None if it states nothing lasting.

    Without any work in the session, the message is an explanation, and only labelled decisions count.
    """
    if len(clause.text.split()) < FEWEST_WORDS and not clause.why:
        return None
    if is_only_now(clause) or is_hypothetical(clause) or _ON_REQUEST.search(clause.why or clause.bare):
        return None
    if _is_labelled(clause) or (has_worked and _is_choice(clause)):
        return MemoryKind.DECISION
    return MemoryKind.GOTCHA if _is_gotcha(clause) else None


def _is_labelled(clause: Clause) -> bool:
    """Whether its first words or its heading call it a decision."""
    has_more = bool(clause.why or clause.rejected)
    return bool(_LABEL.match(clause.bare) or (_DECISIONS.search(clause.section) and has_more))


def _is_choice(clause: Clause) -> bool:
    """Whether it states that the work chose one thing, with the alternative or the reason."""
    rejected = " ".join(clause.rejected)  # a number in it is a result: "3 s instead of 40 s"
    if _NO_CHOICE.search(clause.bare) or _MEASURED.search(rejected):
        return False
    if _CHOSE.search(clause.bare):
        return bool(clause.has_own_why or clause.rejected or _REASON_BEHIND.match(clause.why))
    if clause.has_own_why and clause.rejected and _is_made(clause):
        return True
    return bool(clause.why and (_ON_PURPOSE.search(clause.bare) or _NOW_USES.match(clause.bare)))


def _is_made(clause: Clause) -> bool:
    """Whether it states a change; a sentence about a thing needs a purpose, since a cause may explain a bug."""
    return bool(_MADE.match(clause.bare) or (_IS_MADE.match(clause.bare) and _PURPOSE.match(clause.why)))


def _is_gotcha(clause: Clause) -> bool:
    if _CALLED_GOTCHA.match(clause.bare):
        return True
    is_announced = _WARNS.search(clause.bare) or _GOTCHAS.search(clause.section)
    if not is_announced or _OF_THE_WORK.search(clause.bare):
        return False
    return bool(_BEHAVES.search(clause.whole)) and not _OF_THE_PAST.search(clause.bare)
