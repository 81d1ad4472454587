"""The hand-written sets through the real operations, beside word search and the built-in vectors alone."""

import argparse
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import mean
from tempfile import TemporaryDirectory

import numpy as np

from benchmarks import results
from benchmarks.inputs import git
from benchmarks.memory import ask_commits
from benchmarks.memory.build import sealed
from benchmarks.memory.conversation_scores import standard
from benchmarks.memory.measure import memories_in
from benchmarks.memory.sets import Asked, EvaluationSet, Noted, paraphrases, projects
from repomem.adapters.models.static import BUILT_IN_FOLDER, StaticEmbedder
from repomem.core.records import MemoryKind
from repomem.core.secrets.redact import redact
from repomem.evaluate.baselines import by_words, document, fused, word_scores
from repomem.index.run import index
from repomem.memories.new_memory import NewMemory
from repomem.memories.remember import remember
from repomem.recall.answer import recall_now
from repomem.recall.request import BriefRequest
from repomem.workspace.ledger import Speaker
from repomem.workspace.process import prepare_process
from repomem.workspace.run import Run
from repomem.workspace.workspace import Workspace, opened

BUDGETS = (300, 500, 1_000, 2_000)
MAIN = 1_000  # the budget whose order, false alarms and stale memories are reported
FIRST_RANKS = 5
BASELINES = ("words", "vectors", "fused", "z-sum")
HEAD = (
    "set",
    "split",
    "form",
    "questions",
    "first",
    *map(str, BUDGETS),
    "stale ahead",
    "amended",
    "alarms",
    "recall@5",
)


@dataclass(frozen=True, slots=True)
class Outcome:
    """One question: the ids that each brief shows and that each baseline ranks, best first."""

    name: str
    question: Asked
    briefs: Mapping[int, Sequence[str]]  # by budget in tokens
    ranked: Mapping[str, Sequence[str]]  # by baseline
    stale: Sequence[str]  # amended memories that an answer replaces
    rules: Sequence[str]  # memories that hold everywhere, and so are no false alarm


def main(arguments: Sequence[str]) -> None:
    """memory --sets [--out]"""
    parser = argparse.ArgumentParser(prog="python -m benchmarks memory --sets")
    parser.add_argument("--out", action="store_true", help="save the raw answers as results/memory-sets.json")
    given = parser.parse_args(arguments)
    prepare_process()
    where = results.machine()
    with TemporaryDirectory(prefix="repomem-sets-", ignore_cleanup_errors=True) as name, sealed(Path(name)):
        found = [one for each in (paraphrases(), *projects()) for one in outcomes(each, Path(name) / each.name)]
        told = [(each, ask_commits.found(each, Path(name) / each.name)) for each in ask_commits.histories()]
    print(results.table(HEAD, rows(found)))
    print(results.table(ask_commits.HEAD, [row for pair in told for row in ask_commits.rows(*pair)]))
    if given.out:
        commits = [asdict(one) for _, answers in told for one in answers]
        answers = {"answers": [asdict(one) for one in found], "commits": commits}
        results.save("memory-sets", where, json.loads(json.dumps(answers)))


def outcomes(asked: EvaluationSet, folder: Path) -> list[Outcome]:
    """Remember all of a set in a new repository, then ask all of it."""
    with opened(new_repository(folder), {}) as workspace:
        index(workspace, Run())
        own = {remembered(workspace, one): one.id for one in asked.memories}
        baselines = Baselines(asked.memories)
        names = sorted(own)
        stale_of = {new: old for old, new in asked.replaced.items()}
        rules = [one.id for one in asked.memories if one.kind is MemoryKind.RULE]
        found = []
        for question in asked.questions:
            briefs = {
                budget: [own[name] for name in shown_in_brief(workspace, question.text, budget, names)]
                for budget in BUDGETS
            }
            stale = [stale_of[name] for name in question.right if name in stale_of]
            found.append(Outcome(asked.name, question, briefs, baselines.ranked(question.text), stale, rules))
    return found


def remembered(workspace: Workspace, one: Noted) -> str:
    """The id under which `remember` keeps a memory that a person says."""
    new = NewMemory(one.text, one.kind, one.why, one.rejected, on=one.on)
    return remember(workspace, new, Speaker(is_person=True))[0].id


def shown_in_brief(workspace: Workspace, question: str, budget: int, names: Sequence[str]) -> list[str]:
    """The ids of the memories in the brief for a question, in their order; `names` are all ids, sorted."""
    brief = recall_now(workspace, BriefRequest(question, budget), Run())
    return [name for name, _, _ in memories_in(brief, names)]


def new_repository(folder: Path) -> Path:
    """A repository with nothing but a README."""
    folder.mkdir(parents=True)
    # Equal repositories share the ledger of a user.
    (folder / "README.md").write_text(f"# {folder.name}\n", encoding="utf-8")
    git(folder, "init", "-q", "-b", "main")
    git(folder, "add", ".")
    git(folder, "commit", "-q", "-m", "Start")
    return folder


class Baselines:
    """BM25 over the texts, the built-in vectors alone, and both fused by rank or summed in standard deviations."""

    def __init__(self, memories: Sequence[Noted]) -> None:
        texts = [f"{one.text} {one.why} {' '.join(one.rejected)}" for one in memories]
        self.ids = [one.id for one in memories]
        self.documents = [document(name, text) for name, text in zip(self.ids, texts, strict=True)]
        self.model = StaticEmbedder(str(BUILT_IN_FOLDER))
        self.vectors = self.model.embed([redact(text) for text in texts]).astype(np.float32)

    def ranked(self, question: str) -> dict[str, list[str]]:
        """The ids by each baseline, best first; word search leaves out those without a common word."""
        words = by_words(question, self.documents)
        likeness = self.vectors @ self.model.embed_query(redact(question))
        vectors = [self.ids[at] for at in np.argsort(-likeness, kind="stable")]
        near = standard(dict(zip(self.ids, map(float, likeness), strict=True)))
        both = {name: near[name] + score for name, score in standard(word_scores(question, self.documents)).items()}
        summed = sorted(self.ids, key=lambda name: -both[name])
        return {"words": words, "vectors": vectors, "fused": fused(words, vectors), "z-sum": summed}


def rows(found: Sequence[Outcome]) -> Iterator[Sequence[object]]:
    """A line for each set, split and form of question, and one below it for each baseline."""
    groups: dict[tuple[str, str, str], list[Outcome]] = {}
    for one in found:
        for form in ("all", one.question.form) if one.question.right else (one.question.form,):
            groups.setdefault((one.name, one.question.split, form), []).append(one)
    for key, each in groups.items():
        if not each[0].question.right:
            alarms = mean(not set(one.briefs[MAIN]) <= set(one.rules) for one in each)
            yield *key, len(each), *["-"] * (len(BUDGETS) + 3), alarms, "-"
            continue
        within = [mean(_has(one, one.briefs[budget]) for one in each) for budget in BUDGETS]
        lists = [one.briefs[MAIN] for one in each]
        yield (
            *key,
            len(each),
            _first(each, lists),
            *within,
            _stale_ahead(each, lists),
            _amended(each, lists),
            "-",
            _recall(each, lists),
        )
        for name in BASELINES:
            lists = [one.ranked[name] for one in each]
            first, recall, unpacked = _first(each, lists), _recall(each, lists), ["-"] * len(BUDGETS)
            best = [names[:FIRST_RANKS] for names in lists]
            stale, amended = _stale_ahead(each, lists), _amended(each, best)
            yield *key[:2], f"… {name}", len(each), first, *unpacked, stale, amended, "-", recall


def _has(one: Outcome, names: Sequence[str]) -> bool:
    return not set(one.question.right).isdisjoint(names)


def _first(found: Sequence[Outcome], lists: Sequence[Sequence[str]]) -> float:
    return mean(_has(one, names[:1]) for one, names in zip(found, lists, strict=True))


def _recall(found: Sequence[Outcome], lists: Sequence[Sequence[str]]) -> float:
    return mean(_has(one, names[:FIRST_RANKS]) for one, names in zip(found, lists, strict=True))


def _stale_ahead(found: Sequence[Outcome], lists: Sequence[Sequence[str]]) -> int:
    """How often an amended memory is shown without, or before, the one that replaces it."""
    count = 0
    for one, names in zip(found, lists, strict=True):
        best = next((name for name in names if name in one.stale or name in one.question.right), "")
        count += best in one.stale
    return count


def _amended(found: Sequence[Outcome], lists: Sequence[Sequence[str]]) -> str:
    """Of the questions that an amendment answers, how many of these lists have it."""
    has = [_has(one, names) for one, names in zip(found, lists, strict=True) if one.stale]
    return f"{sum(has)} of {len(has)}" if has else "-"
