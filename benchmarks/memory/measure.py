"""What is asked of the ledger that was built, and the measures of the answers.

The order of the memories is that of the brief, as an agent reads it. Rules stand before all else there, whatever
they are about: so a question about a decision, fact or gotcha counts as answered first where no other of these is
before it, and one about a rule where no other rule is. `first of all` has no such allowance.
"""

from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from difflib import SequenceMatcher
from statistics import mean

from benchmarks.memory.build import Built
from benchmarks.memory.generate import Question
from repomem.core.records import MemoryKind
from repomem.core.types.brief import Brief
from repomem.evaluate.baselines import by_words, document
from repomem.evaluate.tasks import reciprocal_rank
from repomem.recall.answer import recall_now
from repomem.recall.request import BriefRequest
from repomem.workspace.run import Run

BUDGET = 1_500  # what is asked for by default
BUDGETS = (500, 1_000, 2_000)
ALIKE = 0.97  # of the longer text: from here on two lines say the same
NEWEST = 10  # of the best by words are what the baseline puts in order of time
MEMORY_KINDS = frozenset(kind.value for kind in MemoryKind)


@dataclass(frozen=True, slots=True)
class Answer:
    """One question, and where its memories stood in the brief."""

    question: str
    form: str
    kind: str  # of the memory that is asked for
    by_agent: bool
    is_amended: bool
    is_first: bool
    is_first_of_all: bool
    rank: int  # of the right one among all memories, from 1; 0: it is not there
    stale_ahead: int  # memories that are true no more, before the one that is
    stale_shown: int
    untold_ahead: int  # the same of those whose amendment nobody told the ledger about
    lines: int  # memories in the brief
    repeated: int  # of them, lines that say what another one before them says
    tokens: int


def asked(built: Built, questions: Sequence[Question], budget: int = BUDGET) -> list[Answer]:
    """What the real briefs give."""
    names = sorted(built.ids)
    return [_answer(built, names, each, brief_for(built, each, budget)) for each in questions]


def brief_for(built: Built, question: Question, budget: int = BUDGET) -> Brief:
    """The brief as `repomem recall` gives it."""
    return recall_now(built.workspace, BriefRequest(question.text, budget), Run())


def memories_in(brief: Brief, names: Sequence[str]) -> list[tuple[str, str, str]]:
    """Id, kind and text of the memories of a brief in their order; `names` are all ids, sorted."""
    found = []
    for item in brief.items:
        at = bisect_left(names, item.id) if item.kind in MEMORY_KINDS and item.id else len(names)
        if at < len(names) and names[at].startswith(item.id):
            found.append((names[at], item.kind, item.title))
    return found


def _answer(built: Built, names: Sequence[str], question: Question, brief: Brief) -> Answer:
    entry = built.data.entries[built.data.current[question.subject][-1]]
    right, stale = built.current(question.subject), built.stale(question.subject)
    shown = memories_in(brief, names)
    ranked = [name for name, _, _ in shown]
    kinds = {name: kind for name, kind, _ in shown}
    rank = next((at for at, name in enumerate(ranked, start=1) if name in right), 0)
    kind = kinds[ranked[rank - 1]] if rank else entry.kind.value
    peers = [name for name in ranked if (kinds[name] == "rule") == (kind == "rule")]
    before = [name for name in ranked[: rank - 1 if rank else None] if name in stale]
    return Answer(
        question=question.text,
        form=question.form,
        kind=kind,
        by_agent=bool(entry.agent),
        is_amended=question.subject in built.data.amended,
        is_first=bool(peers) and peers[0] in right,
        is_first_of_all=rank == 1,
        rank=rank,
        stale_ahead=sum(name in built.superseded for name in before),
        stale_shown=sum(name in stale for name in ranked),
        untold_ahead=sum(name not in built.superseded for name in before),
        lines=len(shown),
        repeated=sum(_says_again(text, [t for _, _, t in shown[:at]]) for at, (_, _, text) in enumerate(shown)),
        tokens=brief.tokens,
    )


def _says_again(text: str, before: Sequence[str]) -> bool:
    return any(is_alike(text, other) for other in before)


def is_alike(one: str, other: str) -> bool:
    """Whether two texts are the same but for a letter or two."""
    return SequenceMatcher(None, one.casefold(), other.casefold(), autojunk=False).ratio() >= ALIKE


def summed_up(answers: Sequence[Answer]) -> dict[str, float]:
    """The measures over the answers: shares, means and counts."""
    if not answers:
        return {}
    return {
        "questions": len(answers),
        "first": mean(each.is_first for each in answers),
        "first of all": mean(each.is_first_of_all for each in answers),
        "in the brief": mean(each.rank > 0 for each in answers),
        "MRR": mean(1 / each.rank if each.rank else 0.0 for each in answers),
        "stale ahead": sum(each.stale_ahead for each in answers),
        "stale shown": sum(each.stale_shown for each in answers),
        "untold ahead": sum(each.untold_ahead for each in answers),
        "repeated lines": sum(each.repeated for each in answers) / max(1, sum(each.lines for each in answers)),
        "most tokens": max(each.tokens for each in answers),
    }


def by_form(answers: Sequence[Answer]) -> Iterator[tuple[str, dict[str, float]]]:
    """The measures of all, of each form of question, and of what was amended."""
    yield "all", summed_up(answers)
    for form in sorted({each.form for each in answers}):
        yield form, summed_up([each for each in answers if each.form == form])
    yield "amended", summed_up([each for each in answers if each.is_amended])
    yield "not by an agent", summed_up([each for each in answers if not each.by_agent])


def naive(built: Built, questions: Sequence[Question]) -> dict[str, dict[str, float]]:
    """The same memories as a list of texts that knows nothing of amendments: by words, and the newest of the best."""
    entries = dict(zip(built.ids, built.data.entries, strict=True))
    documents = [document(name, f"{each.text} {each.why} {' '.join(each.rejected)}") for name, each in entries.items()]
    rankings: dict[str, list[tuple[list[str], Question]]] = {"words": [], "newest of the ten best": []}
    for question in questions:
        ranked = by_words(question.text, documents)
        rankings["words"].append((ranked, question))
        newest = sorted(ranked[:NEWEST], reverse=True)
        rankings["newest of the ten best"].append((newest + ranked[NEWEST:], question))
    return {name: _of_ranking(built, found) for name, found in rankings.items()}


def _of_ranking(built: Built, found: Sequence[tuple[Sequence[str], Question]]) -> dict[str, float]:
    firsts, staleness, ranks, pairs = [], [], [], 0
    for ranked, question in found:
        right, stale = built.current(question.subject), built.stale(question.subject)
        best = next((name for name in ranked if name in right or name in stale), "")
        firsts.append(bool(ranked) and ranked[0] in right)
        if stale:
            pairs += 1
            staleness.append(best in stale)
        ranks.append(reciprocal_rank(ranked, right))
    return {"first": mean(firsts), "stale ahead": sum(staleness), "of amended": pairs, "MRR": mean(ranks)}


def within_budgets(built: Built, questions: Sequence[Question]) -> dict[str, float]:
    """The share of questions whose current memory is in the brief, by budget; and whether one took more than that."""
    found: dict[str, float] = {}
    for budget in BUDGETS:
        answers = asked(built, questions, budget)
        found[f"within {budget:,}"] = mean(each.rank > 0 for each in answers)
        found[f"over {budget:,}"] = sum(each.tokens > budget for each in answers)
    return found


def false_alarms(built: Built) -> dict[str, float]:
    """Of the questions that no memory bears on, the share whose brief holds one as true all the same.

    Rules that hold everywhere are in every brief, and counted by themselves.
    """
    names = sorted(built.ids)
    found: dict[str, list[bool]] = {}
    for question in built.data.strangers:
        brief = brief_for(built, question)
        true = {item.id for item in brief.items if item.status in {"current", "moved"}}
        told = [kind for name, kind, _ in memories_in(brief, names) if any(name.startswith(start) for start in true)]
        found.setdefault(question.form, []).append(any(kind != "rule" for kind in told))
        found.setdefault(f"{question.form}, rules", []).append("rule" in told)
    return {form: mean(alarms) for form, alarms in found.items()}


def writing(built: Built) -> dict[str, float]:
    """What became of what was said: amendments that were recognised, strangers proposed, repeats that added a row."""
    said = list(zip(built.data.entries, built.ids, built.outcomes, strict=True))
    subject_of = {name: entry.subject for entry, name, _ in said}
    untold = [(e, o) for e, _, o in said if e.role == "amendment" and not e.is_told]
    right = sum(any(one.id == built.ids[e.of] for one in o.proposed) for e, o in untold)
    proposed = [(e, one) for e, _, o in said for one in o.proposed]
    strange = [(e, one) for e, one in proposed if subject_of[one.id] != e.subject]
    repeats = [o for e, _, o in said if e.role.endswith("repeat")]
    told = [e for e, _, _ in said if e.is_told]
    new = [o for e, _, o in said if e.role in {"first", "paraphrase", "amendment"}]
    return {
        "memories": built.rows,
        "lost": len({*built.ids}) - built.rows,
        "amendments told": len(told),
        "amendments not told": len(untold),
        "proposed right": right,
        "proposal recall": right / max(1, len(untold)),
        "proposals": len(proposed),
        "proposal precision": (len(proposed) - len(strange)) / max(1, len(proposed)),
        "unrelated proposed": len(strange),
        "of entries": len(said) - len(told) - len(repeats),
        "repeats": len(repeats),
        "repeats that added a row": sum(each.outcome != "duplicate" for each in repeats),
        "new taken for repeats": sum(each.outcome == "duplicate" for each in new),
    }


def rows_of(answers: Sequence[Answer]) -> Iterator[Mapping[str, object]]:
    """The raw answers."""
    return map(asdict, answers)
