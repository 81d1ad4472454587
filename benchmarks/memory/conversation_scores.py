"""A conversation as memories, and how much of each question's evidence a brief prints; baselines over the same texts.

Every turn is one memory, written by the function behind `repomem remember`; every question is asked by the function
behind `repomem recall`. Neither takes a date, so the date is in the text alone.
"""

import re
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path
from statistics import mean, pstdev

from benchmarks.memory.build import indexed, sealed
from benchmarks.memory.conversations import Conversation, Question, Turn
from repomem.core.config_sections import BUILT_IN, EmbeddingConfig
from repomem.core.secrets.redact import redact
from repomem.evaluate.baselines import document, word_scores
from repomem.memories.new_memory import NewMemory
from repomem.memories.remember import remember_as
from repomem.memories.search.relevant import relevant_memories
from repomem.memories.snapshots.snapshot import memories_now
from repomem.ranking.query import Query
from repomem.recall.answer import recall_now
from repomem.recall.request import BriefRequest
from repomem.workspace.ledger import Speaker, origin_of
from repomem.workspace.models import embedder_for
from repomem.workspace.run import Run
from repomem.workspace.workspace import Workspace

BUDGETS = (300, 500, 1_000, 2_000)  # tokens
DEPTH = 10  # of a ranking, for recall@10
CHARACTERS_PER_TOKEN = 3.6  # of English prose; the baselines' texts are packed by it
SPEAKERS = {"a person's": Speaker(is_person=True), "an agent's": Speaker(tool="agent")}
FILES = {"README.md": "# Notes\n\nWhat was said, and nothing else.\n"}


@dataclass(frozen=True, slots=True)
class Answer:
    """One question asked in one way."""

    conversation: str
    method: str  # whose memories, or the baseline
    question: str
    type: str
    budget: int  # tokens; 0: the first ten of the ranking instead
    found: float  # share of the evidence; 0 where there is none to find
    shown: int  # turns
    tokens: int


@dataclass(frozen=True, slots=True)
class Remembered:
    """A ledger of one memory per turn."""

    workspace: Workspace
    turns: Mapping[str, Turn]  # by memory id
    seconds: float  # that writing took


@contextmanager
def remembered(conversation: Conversation, folder: Path, speaker: Speaker) -> Iterator[Remembered]:
    """The turns as memories, in a new repository with nothing but a README."""
    with sealed(folder), indexed(FILES, folder / "repository") as workspace:  # equal repositories share a user's ledger
        start = time.perf_counter()
        origin = origin_of(workspace, speaker)  # one for all: each asks git for the branch
        turns = {}
        for turn in conversation.turns:
            found = remember_as(workspace, memories_now(workspace), NewMemory(turn.memory), origin)
            turns[found.id] = turn
        yield Remembered(workspace, turns, time.perf_counter() - start)


def answers_of(conversation: Conversation, ledger: Remembered, method: str) -> Iterator[Answer]:
    """Every question, by the brief at each budget and by the ranking."""
    for question in conversation.questions:
        yield _answer(conversation, method, question, 0, ranked(ledger, question.text)[:DEPTH], 0)
        for budget in BUDGETS:
            brief = recall_now(ledger.workspace, BriefRequest(question.text, budget), Run())
            yield _answer(
                conversation, method, question, budget, printed(brief.markdown, conversation.turns), brief.tokens
            )


def ranked(ledger: Remembered, question: str) -> list[str]:
    """The turns that the ranking of memories gives, best first."""
    known = memories_now(ledger.workspace)
    relevant = relevant_memories(ledger.workspace, known, known.states, Query(question))
    return [ledger.turns[name].id for name in relevant.matches]


def printed(markdown: str, turns: Sequence[Turn]) -> list[str]:
    """The turns whose whole text is in a brief, whatever its markup."""
    shown = f" {_plain(markdown)} "
    return [turn.id for turn in turns if f" {_plain(turn.text)} " in shown]


def _plain(text: str) -> str:
    return " ".join(re.findall(r"\w+", text.casefold()))


def _answer(
    conversation: Conversation, method: str, question: Question, budget: int, shown: Sequence[str], tokens: int
) -> Answer:
    found = len(set(question.evidence).intersection(shown)) / max(1, len(question.evidence))
    return Answer(conversation.name, method, question.text, question.type, budget, found, len(shown), tokens)


def baseline_answers(conversation: Conversation) -> Iterator[Answer]:
    """Every question by plain word search, by the built-in model, and by the sum of their z-scores."""
    texts = {turn.id: turn.memory for turn in conversation.turns}
    documents = [document(name, text) for name, text in texts.items()]
    embedder = embedder_for(BUILT_IN, EmbeddingConfig())
    vectors = embedder.embed([redact(text) for text in texts.values()]).astype("float32")
    for question in conversation.questions:
        words = word_scores(question.text, documents)
        cosines = vectors @ embedder.embed_query(redact(question.text))
        near = dict(zip(texts, map(float, cosines), strict=True))
        both = {name: standard(words)[name] + score for name, score in standard(near).items()}
        for method, scores in (("BM25", words), ("vectors", near), ("BM25 + vectors", both)):
            yield from _packed(conversation, question, method, scores, texts)


def standard(scores: Mapping[str, float]) -> dict[str, float]:
    """The scores as distances from their mean, in standard deviations."""
    middle, spread = mean(scores.values()), pstdev(scores.values()) or 1.0
    return {name: (score - middle) / spread for name, score in scores.items()}


def _packed(
    conversation: Conversation, question: Question, method: str, scores: Mapping[str, float], texts: Mapping[str, str]
) -> Iterator[Answer]:
    """The ranking by a baseline, cut where each budget ends."""
    order = sorted(scores, key=lambda name: (-scores[name], name))
    yield _answer(conversation, method, question, 0, order[:DEPTH], 0)
    ends, used = {}, 0.0
    for name in order:
        used += len(texts[name]) / CHARACTERS_PER_TOKEN
        ends[name] = used
    for budget in BUDGETS:
        shown = list(takewhile(lambda name: ends[name] <= budget, order))  # noqa: B023  # used up in this turn
        yield _answer(conversation, method, question, budget, shown, round(ends[shown[-1]]) if shown else 0)
