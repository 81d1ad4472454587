"""Which memories are relevant to a task: ranked, strong ones marked, the later of two on one subject mostly first."""

from collections.abc import Collection, Mapping, Sequence, Set as AbstractSet
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import NamedTuple

from repomem.core.records import MOST_USES, MemoryContent, MemoryKind, Source
from repomem.memories.search.likeness import AT_ONCE_FOR_MARKS, AT_ONCE_IF_QUICK, LikenessToMemories, is_conversation
from repomem.memories.search.replacements import (
    LEAST_LIKELY,
    LEAST_SHARE,
    LEAST_SHARE_FOR_MARK,
    SURELY,
    ComparedPair,
    Proposal,
    better_answers,
    changed_for_task,
    compared,
    later_ones,
    likely_changed,
    may_replace,
    states_change,
)
from repomem.memories.search.search_documents import documents_of
from repomem.memories.search.vectors import MemoryVectors, cache_vector, text_to_embed
from repomem.memories.snapshots.memory_outlines import MemoryOutline, MemoryOutlines
from repomem.memories.snapshots.snapshot import MemorySnapshot
from repomem.memories.status import REVERTED, MemoryState, Status, is_confirmed_after
from repomem.ranking.memories import MemoryMatch, matching_by_sentence
from repomem.ranking.memory_signals import NO_CODE, RelevantCode
from repomem.ranking.memory_words import MemoryDocument
from repomem.ranking.other_code import without_other_code
from repomem.ranking.query import Query
from repomem.workspace.models import sentence_encoder
from repomem.workspace.workspace import Workspace

STRONG_SHARE = 0.5  # of the best score
ACCOMPANIED = 3  # of the best, with the later one on their subject
COMPARED = 12  # of the best, with each other
RULES = 8  # of a brief
USED = 0.08  # deviations per session that acted on it: three count no more than a symbol in the brief
REVIEWED = 1_000  # memories, the newest of a review, each compared with all later ones
MARKED = 40  # first memories of the map: no budget has room for more
NEW = "~"  # sorts after every id
AS_RELEVANT = 0.75  # of the older one's score: a replacement answers the same question


@dataclass(frozen=True, slots=True)
class RelevantMemories:
    """The memories for a task, best first."""

    matches: Mapping[str, MemoryMatch]
    strong: AbstractSet[str]  # the others are at most near the task
    is_unsure: bool = False  # none is clearly about it
    later: Mapping[str, str] = field(default_factory=dict)  # memory to a later one that may replace it
    leading: Mapping[str, str] = field(default_factory=dict)  # of these, those whose later one comes first
    general: Sequence[str] = ()  # the rules that hold everywhere, the nearest to the task first
    nearness: Mapping[str, float] = field(default_factory=dict)  # cosine of each memory and the task, by any model


class ShownAnyway(NamedTuple):
    """Memories that a brief shows whatever the words of the question."""

    general: Collection[str] = ()  # the rules that hold everywhere
    bound: Sequence[str] = ()  # pinned ones, and those for the task's files, first ones first


NONE_ANYWAY = ShownAnyway()


def relevant_memories(
    workspace: Workspace,
    known: MemorySnapshot,
    shown: Collection[str],
    query: Query,
    code: RelevantCode = NO_CODE,
    anyway: ShownAnyway = NONE_ANYWAY,
) -> RelevantMemories:
    """Those among `shown` that are relevant to a question, best first; those shown `anyway` are compared too."""
    if not shown:
        return RelevantMemories({}, frozenset())
    documents = documents_of(workspace, known, shown)
    likeness = LikenessToMemories(workspace, known, shown)
    ranked = matching_by_sentence(query, documents, likeness, code)
    ranked = without_other_code(query, ranked, documents, code)
    cosines = likeness(query).cosines
    nearest = _nearest(anyway.general, cosines)
    names = dict.fromkeys([*(one.id for one in ranked[:COMPARED]), *nearest[:RULES], *anyway.bound[: COMPARED + RULES]])
    pairs = _compared(known, likeness.vectors(), names, documents)
    return replace(_in_order(known, ranked, pairs, documents), general=nearest, nearness=cosines)


def _nearest(general: Collection[str], cosines: Mapping[str, float]) -> list[str]:
    """The rules that apply everywhere, those nearest to the question first, since they matter most; then the newest."""
    return sorted(sorted(general, reverse=True), key=lambda name: -cosines.get(name, 0.0))


def _in_order(
    known: MemorySnapshot,
    ranked: Sequence[MemoryMatch],
    pairs: Sequence[ComparedPair],
    documents: Sequence[MemoryDocument],
) -> RelevantMemories:
    """The ranked memories, each moved behind the later one that changes it."""
    near, sure = likely_changed(pairs), likely_changed(pairs, SURELY)
    if not any(one.is_certain for one in ranked):
        matches = _accompanied({one.id: one for one in ranked}, near)
        leading = _among(matches, sure)
        return RelevantMemories(
            _later_first(matches, leading), frozenset(), is_unsure=True, later=near, leading=leading
        )
    strong = frozenset(one.id for one in ranked if one.score >= STRONG_SHARE * ranked[0].score)
    ranked = _used_first(ranked, known.outlines)
    scores = {one.id: one.score for one in ranked}
    by_words = _likely_later(scores, known.states, documents)
    same_words = {old: new for old, new in by_words.items() if _is_open(known, old, new)}
    later = changed_for_task(pairs, scores, LEAST_SHARE_FOR_MARK) | near | same_words
    answers = changed_for_task(pairs, scores, LEAST_SHARE) | same_words | better_answers(pairs, scores)
    matches = _later_first({one.id: one for one in ranked}, answers)
    first = [name for name in matches if name in strong][:ACCOMPANIED]
    added = {old: later[old] for old in first if old in later}
    matches = _accompanied(matches, added)
    leading = _among(matches, sure)
    matches = _reverted_last(known, _later_first(matches, leading | answers))
    return RelevantMemories(matches, strong.union(added.values()), later=later, leading=leading)


def _among(matches: Mapping[str, MemoryMatch], later: Mapping[str, str]) -> dict[str, str]:
    """The pairs that both match."""
    return {old: new for old, new in later.items() if old in matches and new in matches}


def changed_memories(workspace: Workspace, known: MemorySnapshot) -> dict[str, str]:
    """Maps each memory that apparently changed to the later one that changes it; of many, the newest are compared."""
    return _changed(workspace, known, sorted(_here(known))[-REVIEWED:], AT_ONCE_IF_QUICK)[0]


def changed_among(
    workspace: Workspace, known: MemorySnapshot, names: Collection[str], most: int = AT_ONCE_FOR_MARKS
) -> dict[str, str]:
    """The same for some memories, without contested ones; of many, only the first are compared.

    Empty if more than `most` vectors are missing: a list does not wait for them.
    """
    asked = [name for name in names if not known.states[name].contested_by]
    return _changed(workspace, known, asked[:REVIEWED], most)[0]


def undecided_successors(
    workspace: Workspace, known: MemorySnapshot, names: Collection[str], most: int = AT_ONCE_FOR_MARKS
) -> dict[str, str]:
    """The same with the one that is proposed in place of a contested memory: no person has decided on either."""
    proposed = {name: other for name in names if (other := known.states[name].contested_by)}
    return changed_among(workspace, known, names, most) | proposed


def _changed(
    workspace: Workspace, known: MemorySnapshot, names: Collection[str], most: int
) -> tuple[dict[str, str], dict[str, str]]:
    """Maps memories to the later one that seems to change them, and to the one that almost certainly does.

    They are compared with later ones of all that apply here, unless more than `most` vectors are missing.
    """
    here = _here(known)
    vectors = LikenessToMemories(workspace, known, here).vectors(most) if len(here) > 1 else None
    documents = documents_of(workspace, known, here) if vectors else ()
    pairs = _compared(known, vectors, names, documents)
    copied = {(one.earlier, one.later) for one in pairs if one.is_copied}
    said = {name: known.states[name].memory for pair in copied for name in pair}
    by_words = later_ones(said, [one for one in documents if one.id in said])
    return likely_changed(pairs) | dict(by_words.items() & copied), likely_changed(pairs, SURELY)


def _here(known: MemorySnapshot) -> MemoryOutlines:
    """The memories that apply here, without threads."""
    return known.outlines.where(is_shown=bool, kind=lambda kind: kind is not MemoryKind.THREAD).here


def vectors_before(workspace: Workspace, known: MemorySnapshot, text: str) -> MemoryVectors | None:
    """The vectors that `changed_by` needs for a new text, made before the text is in the ledger, so they are cached.

    None if that takes too long; a text that states no change is not worth waiting for.
    """
    most = AT_ONCE_IF_QUICK if states_change(text) else AT_ONCE_FOR_MARKS
    here = _here(known)
    return LikenessToMemories(workspace, known, here).vectors(most) if here else None


def changed_by(
    workspace: Workspace, known: MemorySnapshot, vectors: MemoryVectors | None, new: str, said: MemoryContent
) -> tuple[Proposal, ...]:
    """The memory that a new one most likely changes, by the vectors of those before it; empty if there is none.

    Caches the vector of the new one, given by id and content.
    """
    if said.kind is MemoryKind.THREAD or vectors is None or is_conversation(known, vectors):
        return ()
    vector = sentence_encoder().embed_query(text_to_embed(said))
    cache_vector(workspace, sentence_encoder().model_id, new, vector)
    pairs = vectors.pairs_with_new(NEW, vector)
    documents = documents_of(workspace, known, vectors.names)
    is_stated = states_change(said.text)
    pairs = (one for one in pairs if may_replace(known.said(one.earlier), said))
    made = compared(pairs, lambda name: said if name == NEW else known.said(name), documents)
    changed = likely_changed(made, LEAST_LIKELY if is_stated else SURELY)
    why = "close in meaning, and the new one states a change" if is_stated else "close in meaning and in words"
    return tuple(Proposal(name, known.said(name).text, why) for name in list(changed)[:1])


def _accompanied(matches: Mapping[str, MemoryMatch], later: Mapping[str, str]) -> dict[str, MemoryMatch]:
    """The matches, each followed by its later memory if it has one here."""
    every: dict[str, MemoryMatch] = {}
    for name, one in matches.items():
        every[name] = one
        if new := later.get(name):
            every.setdefault(new, one._replace(id=new, why=("may change the one before",)))
    return every


def _compared(
    known: MemorySnapshot, vectors: MemoryVectors | None, names: Collection[str], documents: Sequence[MemoryDocument]
) -> list[ComparedPair]:
    """Memories with later ones near to them that may change them.

    Empty for a conversation, in which every turn is on the subject of the last.
    """
    if vectors is None or is_conversation(known, vectors):
        return []
    threads = frozenset(known.outlines.where(kind=lambda kind: kind is MemoryKind.THREAD))
    pairs = compared(vectors.pairs_with_later(names, threads), known.said, documents)
    return [one for one in pairs if _may_change(known, one.earlier, one.later)]


def _may_change(known: MemorySnapshot, earlier: str, later: str) -> bool:
    """Whether a pair is undecided, may be on one subject, and casts no doubt from untrusted on trusted."""
    may_doubt = known.is_of_untrusted_writer(earlier) or not known.is_of_untrusted_writer(later)
    is_open = may_doubt and _is_open(known, earlier, later)
    return is_open and may_replace(known.said(earlier), known.said(later))


def _is_open(known: MemorySnapshot, earlier: str, later: str) -> bool:
    """Whether no person has kept the earlier memory, and the later one is not the same said again."""
    is_kept = is_confirmed_after(known.states[earlier].memory, later, known.history)
    return not (is_kept or _is_restated(known, earlier, later))


def _is_restated(known: MemorySnapshot, earlier: str, later: str) -> bool:
    """Whether the later one says the same again: captured from the same turn of a session, it states no change.

    A person's request and what the agent decided are often close in meaning and in words.
    """
    one, other = (known.states[name].memory.origin for name in (earlier, later))
    is_same_turn = one.source is Source.TRANSCRIPT and (one.session, one.at) == (other.session, other.at)
    return is_same_turn and not states_change(known.said(later).text)


def _used_first(ranked: Sequence[MemoryMatch], outlines: Mapping[str, MemoryOutline]) -> list[MemoryMatch]:
    """The ranked memories, each raised a little by the sessions that acted on it after it was shown."""
    uses = {one.id: min(outlines[one.id].uses, MOST_USES) for one in ranked}
    if not any(uses.values()):
        return list(ranked)
    raised = (
        one._replace(score=round(one.score + USED * uses[one.id], 6), why=(*one.why, "use")) if uses[one.id] else one
        for one in ranked
    )
    return sorted(raised, key=lambda one: (-one.score, one.id))


def _likely_later(
    scores: Mapping[str, float], states: Mapping[str, MemoryState], documents: Sequence[MemoryDocument]
) -> dict[str, str]:
    """Maps the best memories to later ones that, by their words, seem to replace them and are about as relevant."""
    later = later_ones({name: states[name].memory for name in islice(scores, COMPARED)}, documents)
    return {old: new for old, new in later.items() if scores.get(new, 0.0) >= AS_RELEVANT * scores[old] > 0}


def for_map(workspace: Workspace, known: MemorySnapshot, shown: Mapping[str, MemoryOutline]) -> RelevantMemories:
    """All memories for the map, in order, with the later ones that seem to change others if that is quickly known."""
    ordered = by_importance(shown)
    later, sure = _changed(workspace, known, list(islice(ordered.matches, MARKED)), AT_ONCE_FOR_MARKS)
    leading = _among(ordered.matches, sure)
    return replace(ordered, matches=_later_first(ordered.matches, leading), later=later, leading=leading)


def by_importance(shown: Mapping[str, MemoryOutline]) -> RelevantMemories:
    """All memories, the most important first, then by `_generality`, then the newest.

    Among equal ones, a memory comes one place earlier for each session that acted on it, at most three.
    """
    newest = enumerate(sorted(shown, reverse=True))
    places = {name: at - (uses + 0.5 if (uses := min(shown[name].uses, MOST_USES)) else 0) for at, name in newest}
    ordered = sorted(shown, key=lambda name: (-shown[name].importance, _generality(shown[name]), places[name], name))
    return RelevantMemories({name: MemoryMatch(name, 0.0, ()) for name in ordered}, frozenset(shown))


def _generality(one: MemoryOutline) -> int:
    """0 for a rule without code or scope, 1 for any other memory without them, else 2.

    Memories with code or a scope are also shown when matching files are read or changed, the others often only here.
    """
    is_bound = one.is_anchored or one.scope
    return 2 if is_bound else 0 if one.kind is MemoryKind.RULE else 1


def _reverted_last(known: MemorySnapshot, matches: Mapping[str, MemoryMatch]) -> dict[str, MemoryMatch]:
    """The matches, with those whose work was reverted at the end."""
    doubtful = [name for name in matches if known.outlines[name].status in {Status.DRIFTED, Status.PROVISIONAL}]
    reverted = {name for name in doubtful if known.states[name].why == REVERTED}
    return {name: matches[name] for name in sorted(matches, key=reverted.__contains__)}


def _later_first(matches: Mapping[str, MemoryMatch], later: Mapping[str, str]) -> dict[str, MemoryMatch]:
    """The matches, with each later memory placed before the best one that it may replace."""
    ordered: dict[str, MemoryMatch] = {}
    for name in matches:
        chain = [name]
        while chain[-1] in later and later[chain[-1]] not in chain:
            chain.append(later[chain[-1]])
        for each in reversed(chain):
            ordered.setdefault(each, matches[each])
    return ordered
