"""What was written by hand for the model of sentences: memories with questions, and words that mean nearly the same.

The files are in `written/`, separated by tabs:

    projects/*.tsv      a memory, a short phrase, a question and a task that it answers in other words; an empty line
                        between projects
    held_out.tsv        the same, by another writer: for figures, never for training
    held_out_alike.tsv  the same, in groups of six memories about one matter
    thesaurus.tsv       words for one notion
    associations.tsv    a term, and words for what it does or how it shows

The writers had not seen the program, its tests or its evaluation sets.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

FOLDER = Path(__file__).with_name("written")
HELD_OUT = {"written": FOLDER / "held_out.tsv", "alike": FOLDER / "held_out_alike.tsv"}


@dataclass(frozen=True, slots=True)
class WrittenMemory:
    """A memory, and what is asked about it in other words."""

    text: str
    questions: tuple[str, ...]


Project = list[WrittenMemory]


def training_projects() -> list[Project]:
    """All projects but those held out."""
    return [project for path in sorted((FOLDER / "projects").glob("*.tsv")) for project in projects_of(path)]


def projects_of(path: Path) -> Iterator[Project]:
    """The projects of one file."""
    for is_empty, rows in groupby(_rows(path), key=lambda row: not row):
        if not is_empty:
            yield [WrittenMemory(text, tuple(questions)) for text, *questions in rows]


def thesaurus() -> list[list[str]]:
    """Words for one notion, at least two each."""
    return [row for row in _rows(FOLDER / "thesaurus.tsv") if len(row) > 1]


def associations() -> list[tuple[str, list[str]]]:
    """Terms, each with what people say instead."""
    return [(term, others) for term, *others in _rows(FOLDER / "associations.tsv") if others]


def texts() -> Iterator[str]:
    """Everything that training reads, for its vocabulary."""
    for project in training_projects():
        for memory in project:
            yield from (memory.text, *memory.questions)
    yield from (" ".join(row) for row in thesaurus())
    yield from (" ".join((term, *others)) for term, others in associations())


def _rows(path: Path) -> Iterator[list[str]]:
    for line in path.read_text(encoding="utf-8").splitlines():
        yield [field.strip() for field in line.split("\t") if field.strip()]
