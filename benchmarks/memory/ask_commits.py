"""Decisions that only a commit tells: a repository is made of them and of ordinary commits, then asked."""

import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import mean
from textwrap import fill
from typing import Any

from benchmarks.inputs import git
from benchmarks.memory.sets import FOLDER
from repomem.core.types.brief import Brief
from repomem.evaluate.baselines import by_words, document
from repomem.index.run import index
from repomem.recall.answer import recall_now
from repomem.recall.request import BriefRequest
from repomem.workspace.run import Run
from repomem.workspace.workspace import opened

BUDGETS = (300, 500, 1_000)
MAIN = 1_000  # the budget whose order is reported
HEAD = ("set", "split", "questions", "first", *map(str, BUDGETS), *(f"why at {each}" for each in BUDGETS))
WIDTH = 72  # columns of a commit message's body
SHORT = 7  # digits of a hash that a brief prints at least
WRITTEN = frozenset(["decision", "rule", "gotcha", "fact", "thread", "episode", "tried"])  # kinds that tell something


@dataclass(frozen=True, slots=True)
class Told:
    """A commit; one that decides something has a question, and the sentence of its body that says why."""

    path: str
    subject: str
    code: str  # what it adds to the file
    body: str = ""
    rationale: str = ""
    question: str = ""

    @property
    def message(self) -> str:
        """Subject and wrapped body."""
        return f"{self.subject}\n\n{fill(self.body.format(why=self.rationale), WIDTH)}".strip()


@dataclass(frozen=True, slots=True)
class History:
    """Commits in their order."""

    name: str
    split: str
    commits: Sequence[Told]

    @property
    def decisions(self) -> list[Told]:
        """The commits that are asked for."""
        return [one for one in self.commits if one.question]


@dataclass(frozen=True, slots=True)
class Found:
    """What the briefs of one question say about the commit that answers it."""

    is_first: bool
    within: Mapping[int, bool]  # by budget in tokens: its hash is printed
    reasons: Mapping[int, bool]  # by budget: the sentence that says why is printed
    rank: int  # of its message by words, from 1; 0: no word in common


def histories() -> list[History]:
    """The hand-written histories."""
    return [history(path) for path in sorted((FOLDER / "commits").glob("*.toml"))]


def history(path: Path) -> History:
    """One file; its decisions are spread evenly over its ordinary commits."""
    table: dict[str, Any] = tomllib.loads(path.read_text(encoding="utf-8"))
    decisions = [Told(**each) for each in table["decision"]]
    ordinary = [Told(path, subject, code) for subject, path, code in table["ordinary"]]
    places = [((at + 0.5) / len(each), one) for each in (ordinary, decisions) for at, one in enumerate(each)]
    return History(path.stem, table["split"], [one for _, one in sorted(places, key=lambda place: place[0])])


def built(told: History, folder: Path) -> dict[str, Told]:
    """Make the repository; its commits by hash."""
    folder.mkdir(parents=True)
    git(folder, "init", "-q", "-b", "main")
    return {_committed(one, folder): one for one in told.commits}


def _committed(one: Told, folder: Path) -> str:
    file = folder / one.path
    file.parent.mkdir(parents=True, exist_ok=True)
    before = file.read_text(encoding="utf-8") + "\n" if file.exists() else ""
    file.write_text(f"{before}{one.code}\n", encoding="utf-8")
    git(folder, "add", ".")
    git(folder, "commit", "-q", "-m", one.message)
    return git(folder, "rev-parse", "HEAD").strip()


def found(told: History, folder: Path) -> list[Found]:
    """Index the history in a new repository, then ask about each of its decisions."""
    commits = built(told, folder)
    messages = [document(commit, one.message) for commit, one in commits.items()]
    with opened(folder, {}) as workspace:
        index(workspace, Run())
        answers = []
        for commit, one in commits.items():
            if one.question:
                briefs = {each: recall_now(workspace, BriefRequest(one.question, each), Run()) for each in BUDGETS}
                ranked = by_words(one.question, messages)
                rank = ranked.index(commit) + 1 if commit in ranked else 0
                answers.append(judged(one, commit, briefs, rank))
    return answers


def judged(one: Told, commit: str, briefs: Mapping[int, Brief], rank: int) -> Found:
    """Is the commit there, before all else that was written, and with its reason?"""
    within = {budget: commit[:SHORT] in brief.markdown for budget, brief in briefs.items()}
    reasons = {budget: _plain(one.rationale) in _plain(brief.markdown) for budget, brief in briefs.items()}
    first = next((item.commit for item in briefs[MAIN].items if item.kind in WRITTEN), "")
    return Found(bool(first) and commit.startswith(first), within, reasons, rank)


def _plain(text: str) -> str:
    return " ".join(text.replace("\\", "").split())


def rows(told: History, answers: Sequence[Found]) -> Iterator[Sequence[object]]:
    """The shares of the real briefs, and below them how often plain word search has the commit first."""
    within = [mean(one.within[budget] for one in answers) for budget in BUDGETS]
    reasons = [mean(one.reasons[budget] for one in answers) for budget in BUDGETS]
    yield told.name, told.split, len(answers), mean(one.is_first for one in answers), *within, *reasons
    yield "… words", told.split, len(answers), mean(one.rank == 1 for one in answers), *["-"] * (2 * len(BUDGETS))
