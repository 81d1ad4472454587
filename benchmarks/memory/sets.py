"""Hand-written evaluation sets: what was remembered, and questions with the memories that answer them.

They are TOML files below `sets`. Only those of the split `dev` may be looked at while anything is tuned.
"""

import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.inputs import Pinned
from repomem.core.records import MemoryKind

FOLDER = Path(__file__).with_name("sets")
SPLITS = frozenset(["dev", "held"])
FORMS = ("phrase", "sentence", "issue")  # in which each task on a real repository is given
UNRELATED = "unrelated"  # the form of a task on the repository that no memory is about


@dataclass(frozen=True, slots=True)
class Noted:
    """A memory of a set, in the order in which it was said."""

    id: str
    text: str
    kind: MemoryKind | None = None
    why: str = ""
    rejected: tuple[str, ...] = ()
    on: tuple[str, ...] = ()
    amends: str = ""  # the id of the memory that it replaces, which nobody tells the ledger


@dataclass(frozen=True, slots=True)
class Asked:
    """A question, and the ids of the memories that answer it: none for a false alarm."""

    text: str
    right: tuple[str, ...]
    form: str  # phrase, sentence, issue; paraphrase; foreign, uncovered
    split: str
    names_subject: bool = True


@dataclass(frozen=True, slots=True)
class EvaluationSet:
    """Memories that are searched together, and what is asked of them."""

    name: str
    memories: Sequence[Noted]
    questions: Sequence[Asked]

    @property
    def replaced(self) -> dict[str, str]:
        """Amended memories, each with the id of the one that replaces it."""
        return {one.amends: one.id for one in self.memories if one.amends}


@dataclass(frozen=True, slots=True)
class RepositorySet:
    """Memories about a public repository at one commit, and tasks on it."""

    pinned: Pinned
    asked: EvaluationSet


def paraphrases() -> EvaluationSet:
    """Pairs without a common content word; the questions of both splits search all memories."""
    pairs = _read(FOLDER / "paraphrases.toml")["pair"]
    memories = [Noted(each["id"], each["memory"]) for each in pairs]
    questions = [Asked(each["question"], (each["id"],), each["domain"], each["split"]) for each in pairs]
    return checked(EvaluationSet("paraphrases", memories, questions))


def projects() -> list[EvaluationSet]:
    """The decisions of each project, with its questions."""
    return [project(path) for path in sorted(FOLDER.glob("decisions_*.toml"))]


def project(path: Path) -> EvaluationSet:
    """One file of decisions; ValueError where an id is used twice or a question names an unknown one."""
    table = _read(path)
    memories = [_noted(each) for each in table["memory"]]
    questions = [_asked(each, table["split"]) for each in table["question"]]
    return checked(EvaluationSet(path.stem, memories, questions))


def repositories() -> list[RepositorySet]:
    """The sets on public repositories."""
    return [repository(path) for path in sorted(FOLDER.glob("repository_*.toml"))]


def repository(path: Path) -> RepositorySet:
    """One file of memories and tasks; each task becomes a question per form. ValueError as in `project`."""
    table = _read(path)
    split, memories = table["split"], [_noted(each) for each in table["memory"]]
    questions = [_asked({**each, "form": form, "text": each[form]}, split) for each in table["task"] for form in FORMS]
    questions += [Asked(each["text"].strip(), (), UNRELATED, split) for each in table["unrelated"]]
    pinned = Pinned(table["repository"], table["commit"])
    return RepositorySet(pinned, checked(EvaluationSet(path.stem, memories, questions)))


def checked(found: EvaluationSet) -> EvaluationSet:
    """The set itself; ValueError where an id is used twice or an unknown one is named."""
    ids: set[str] = set()
    for one in found.memories:
        if one.id in ids:
            raise ValueError(f"{found.name}: two memories are called {one.id}")
        if one.amends and one.amends not in ids:
            raise ValueError(f"{found.name}: {one.id} amends {one.amends}, which is not said before it")
        ids.add(one.id)
    for question in found.questions:
        if unknown := set(question.right) - ids:
            raise ValueError(f"{found.name}: no memory is called {min(unknown)}: {question.text[:60]}")
        if question.split not in SPLITS:
            raise ValueError(f"{found.name}: the split is dev or held, not {question.split}: {question.text[:60]}")
    return found


def _read(path: Path) -> dict[str, Any]:
    return tomllib.loads(path.read_text(encoding="utf-8"))


def _noted(entry: dict[str, Any]) -> Noted:
    kind = MemoryKind(entry["kind"]) if "kind" in entry else None
    rejected, on = tuple(entry.get("rejected", ())), tuple(entry.get("on", ()))
    return Noted(entry["id"], entry["text"], kind, entry.get("why", ""), rejected, on, entry.get("amends", ""))


def _asked(entry: dict[str, Any], split: str) -> Asked:
    names_subject = entry.get("names_subject", True)
    return Asked(entry["text"].strip(), tuple(entry["right"]), entry["form"], split, names_subject)
