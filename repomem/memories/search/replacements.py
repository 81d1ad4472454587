"""Which older memory a new one seems to replace: checked when it is written, and when both match a task."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from math import fsum
from typing import NamedTuple

from repomem.core.records import Memory, MemoryContent, MemoryKind
from repomem.core.text.lazy_pattern import lazy_pattern
from repomem.core.text.symbol_names import last_part
from repomem.core.text.words import whole
from repomem.memories.search.subjects import are_about_different_things, are_on_different_code
from repomem.memories.search.vectors import MemoryPair
from repomem.memories.snapshots.same_value import subject_of
from repomem.memories.wording import is_from_now_on, kind_of, same_text
from repomem.ranking.memory_words import MemoryCorpus, MemoryDocument
from repomem.ranking.similar_memories import (
    MemoryClaim,
    MemorySimilarity,
    claims_about_same_code,
    repeated_share,
    similar_memories,
)

SUPERSEDES_SHARE = 0.6  # of a text's similarity to itself: texts this similar are about the same thing
SUPERSEDES_MARGIN = 1.5  # over the next: an amendment stands out (EVIDENCE T12: 2.07 against 2.02 for unrelated texts)
SAME_CODE_SHARE = 0.3  # of the words of two memories on the same code, without its name (benchmarks/memory)

_CHANGE = lazy_pattern(  # without verbs for what code does, such as "drops" and "raises"
    r"(?i)\b(?:now|no longer|any ?more|from (?:now|here) on|instead|back to|can go|(?:switch(?:ed)?|moved?) to"
    r"|replace[sd]|changed|reverted|gave in|(?:is|are) (?:gone|out of)|no more(?! than\b))\b"
    r"|\b(?:ab (?:jetzt|sofort)|nicht mehr|kein\w* mehr|künftig|désormais|dorénavant|ya no|a partir de ahora)\b"
)


class ReplacementEvidence(NamedTuple):
    """The evidence that a later memory changes an earlier one."""

    cosine: float
    lead_with_earlier: float  # the cosine minus the earlier one's highest cosine with another memory
    lead_with_later: float  # the cosine minus the later one's highest cosine with another memory before it
    repeated: float  # share of the earlier one's words that the later one has
    is_same_kind: float  # 0 or 1; PERHAPS_SAME_KIND if the later one's kind may be a mere default
    is_stated: float  # 0 to 1: the later one states a change, and of things in the earlier one


# How likely it is that a later memory changes an earlier one: a logistic regression on 806 memories of invented
# projects, 190 of which a later one makes untrue (python -m training replacements). The last weight is set by hand: in
# these projects lookalikes say "now" or "no longer" as often; in a trial, 6 of 12 amendments and 2 of 28 others did.
STATED = 1.6
WEIGHTS = ReplacementEvidence(
    cosine=1.99, lead_with_earlier=4.12, lead_with_later=3.75, repeated=10.34, is_same_kind=1.41, is_stated=STATED
)
CONSTANT = -4.74
MOST_REPEATED = 0.3  # more is no stronger evidence
ENOUGH_REPEATED = 0.15  # less may be a change of something else: drops 8 of 126 marks there, 1 of them right
CLEAR_LEAD = 0.15  # of both: the change is of this even without a common word: "Thursdays", "Tuesday from now on"
COPIED = 0.5  # repeated share from which on, if no change is stated, only words decide if both are about one thing
PERHAPS_SAME_KIND = 0.8  # a later fact may be of any kind: of 11 more marks in these projects, 8 are right
LEAST_LIKELY = 0.4  # sum of the constant and the weighted evidence
# The same, if both match a task and the later one states a change: in a trial, 10 of 20 amendments and 4 of 100
# others did.
LEAST_FOR_TASK = -1.1
SURELY = 2.35  # of that sum, for the later one to come first whatever the task (benchmarks/memory, and a trial)

# Which of two memories answers a task if the earlier one matches it better: a logistic regression on 838 tasks in the
# same projects; in 153 of their pairs the later one is the answer. Words of change have no weight, as explained above.
ANSWERS = ReplacementEvidence(
    cosine=0.07, lead_with_earlier=1.73, lead_with_later=2.7, repeated=5.2, is_same_kind=0.53, is_stated=0.0
)
ANSWERS_SHARE = 4.94  # of the later one's score as a share of the earlier one's
ANSWERS_CONSTANT = -5.1
LEAST_SHARE = 0.65  # chosen on the same tasks
LEAST_SHARE_FOR_MARK = 0.35  # where the later one states a change


class ComparedPair(NamedTuple):
    """A memory, a later one, and the evidence that the later one changes it."""

    earlier: str
    later: str
    evidence: ReplacementEvidence

    @property
    def is_copied(self) -> bool:
        """Whether only words can decide if both are about the same thing: see `later_ones`."""
        return self.evidence.repeated >= COPIED and not self.evidence.is_stated


@dataclass(frozen=True, slots=True)
class Proposal:
    """A memory that the new one seems to supersede; it stays until a person confirms that, unless `is_replaced`."""

    id: str
    text: str
    why: str
    is_replaced: bool = False  # the new one gives the same thing another value, so this one is hidden while both apply


def proposed_replacement(
    said: MemoryContent,
    near: Callable[[], Sequence[MemorySimilarity]],
    here: Mapping[str, Memory],
    documents: Sequence[MemoryDocument],
) -> tuple[Proposal, ...]:
    """The one memory that is about the same thing, if that is clear: a wrong proposal is worse than none.

    `near` gives the similar memories; it is asked only if the text names no code.
    """
    subject = subject_of(said)
    valued = [name for name in sorted(here) if subject and subject_of(here[name].said) == subject]
    if valued:
        why = "the same words with another value"
        return (Proposal(valued[-1], here[valued[-1]].said.text, why, is_replaced=True),)
    others = {name: one for name, one in here.items() if may_replace(one.said, said)}
    claims = {name: _claim(one.said) for name, one in others.items()}
    same = claims_about_same_code(_claim(said), claims, documents)
    if same is None:
        return _most_similar([one for one in near() if one.id in others], here)
    if not same or same[0].share < SAME_CODE_SHARE:
        return ()
    why = f"same code, and {same[0].share:.0%} of the words are the same"
    return (Proposal(same[0].id, others[same[0].id].said.text, why),)


def may_replace(earlier: MemoryContent, later: MemoryContent) -> bool:
    """Whether two memories may be about one thing: of two on different code, the later one must state a change."""
    if MemoryKind.THREAD in {earlier.kind, later.kind} or are_about_different_things(earlier, later):
        return False
    return states_change(later.text) or not are_on_different_code(earlier, later)


def _claim(said: MemoryContent) -> MemoryClaim:
    names = dict.fromkeys(whole(last_part(each.symbol)) for each in said.given if each.symbol)
    return MemoryClaim(said.text, tuple(names))


def _most_similar(near: Sequence[MemorySimilarity], here: Mapping[str, Memory]) -> tuple[Proposal, ...]:
    """The memory that is clearly more similar than any other, where neither names known code."""
    if not near:
        return ()
    best, rest = near[0], [one.share for one in near[1:2]]
    other = here[best.id].said
    is_alone = best.share >= SUPERSEDES_MARGIN * max(rest, default=0.0)
    if best.share < SUPERSEDES_SHARE or not is_alone:
        return ()
    return (Proposal(best.id, other.text, f"{best.share:.0%} similar, and no other memory is close"),)


def states_change(text: str) -> bool:
    """Whether a text says that something is different from before: "now", "no longer", "back to"."""
    return _CHANGE.search(text) is not None


def evidence_of(
    pair: MemoryPair, contents: Callable[[str], MemoryContent], documents: Sequence[MemoryDocument]
) -> ReplacementEvidence:
    """The evidence that the later memory of a pair changes the earlier one."""
    earlier, later = contents(pair.earlier), contents(pair.later)
    repeated = repeated_share(f"{earlier.text} {earlier.why}", f"{later.text} {later.why}", documents)
    lead = min(pair.lead_with_earlier, pair.lead_with_later)
    is_about_it = min(max(repeated / ENOUGH_REPEATED, lead / CLEAR_LEAD), 1.0)
    is_stated = is_about_it if states_change(later.text) else 0.0
    return ReplacementEvidence(*pair[2:], repeated, _is_same_kind(earlier, later), is_stated)


def _is_same_kind(earlier: MemoryContent, later: MemoryContent) -> float:
    """Whether both are of one kind: without a given kind, most new values become facts, and of rules also decisions."""
    ends_rule = (earlier.kind, later.kind) == (MemoryKind.RULE, MemoryKind.DECISION) and is_from_now_on(later.text)
    if earlier.kind is later.kind or ends_rule:
        return 1.0
    is_by_default = later.kind is MemoryKind.FACT and kind_of(later.text) is MemoryKind.FACT
    return PERHAPS_SAME_KIND if is_by_default else 0.0


def compared(
    pairs: Iterable[MemoryPair], contents: Callable[[str], MemoryContent], documents: Sequence[MemoryDocument]
) -> list[ComparedPair]:
    """The pairs with their evidence."""
    return [ComparedPair(pair.earlier, pair.later, evidence_of(pair, contents, documents)) for pair in pairs]


def likely_changed(pairs: Iterable[ComparedPair], least: float = LEAST_LIKELY) -> dict[str, str]:
    """Maps memories to the later one that most likely changes them, however worded; likeliest first."""
    return _likeliest((CONSTANT + _weighted(WEIGHTS, one.evidence) - least, one) for one in pairs if not one.is_copied)


def changed_for_task(pairs: Iterable[ComparedPair], scores: Mapping[str, float], least_share: float) -> dict[str, str]:
    """Maps memories to the later one that states a change, if both match the task: then less evidence is enough.

    The later one has at least this share of the earlier one's score.
    """
    return _likeliest(
        (CONSTANT + _weighted(WEIGHTS, one.evidence) - LEAST_FOR_TASK, one)
        for one in pairs
        if one.evidence.is_stated
        and not one.is_copied
        and scores.get(one.later, 0.0) >= least_share * scores.get(one.earlier, 0.0) > 0
    )


def better_answers(pairs: Iterable[ComparedPair], scores: Mapping[str, float]) -> dict[str, str]:
    """Maps memories to the later one that answers the task instead, although it matches less by score.

    A kind that may be a mere default does not count: a wrong order costs more than a wrong mark.
    """
    matched = ((one, scores.get(one.earlier, 0.0), scores.get(one.later, 0.0)) for one in pairs)
    shares = ((one, min(later / earlier, 1.0)) for one, earlier, later in matched if earlier > 0)
    return _likeliest(
        (ANSWERS_CONSTANT + ANSWERS_SHARE * share + _weighted(ANSWERS, with_known_kinds(one.evidence)), one)
        for one, share in shares
        if share >= LEAST_SHARE and not one.is_copied
    )


def with_known_kinds(evidence: ReplacementEvidence) -> ReplacementEvidence:
    """The evidence in which a kind that may be a mere default counts as another one."""
    return evidence._replace(is_same_kind=float(evidence.is_same_kind == 1.0))


def _weighted(weights: ReplacementEvidence, evidence: ReplacementEvidence) -> float:
    capped = evidence._replace(repeated=min(evidence.repeated, MOST_REPEATED))
    return fsum(weight * value for weight, value in zip(weights, capped, strict=True))


def _likeliest(pairs: Iterable[tuple[float, ComparedPair]]) -> dict[str, str]:
    """Maps the earlier memory of each likely pair (with a number of at least 0) to its likeliest later one."""
    best: dict[str, tuple[float, str]] = {}
    for likely, one in pairs:
        if likely >= 0:
            best[one.earlier] = max((likely, one.later), best.get(one.earlier, (0.0, "")))
    return {earlier: best[earlier][1] for earlier in sorted(best, key=lambda each: best[each], reverse=True)}


def later_ones(memories: Mapping[str, Memory], documents: Sequence[MemoryDocument]) -> dict[str, str]:
    """Maps memories to the later one that seems to replace them; equal texts replace nothing. Ids sort by time."""
    corpus = MemoryCorpus.of(documents)
    by_id = {name: corpus.with_id(name) for name in memories}
    later: dict[str, str] = {}
    for name in sorted(memories):
        said = memories[name].said
        before = {each: one for each, one in memories.items() if each < name}
        older = {each: one for each, one in before.items() if not same_text(one.said.text, said.text)}
        known = MemoryCorpus.of([by_id[each] for each in older])
        if older and said.kind is not MemoryKind.THREAD:
            near = partial(similar_memories, f"{said.text} {said.why}", known)
            later |= {proposal.id: name for proposal in proposed_replacement(said, near, older, known)}
    return later
