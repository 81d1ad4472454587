"""The commit that did before, to something else, what a task asks for."""

import pytest

from repomem.core.types.commits import Episode
from repomem.history.precedents import precedent


def commits(*subjects: str, parents: tuple[str, ...] = ()) -> list[Episode]:
    """Commits with these subjects, the oldest first."""
    return [Episode(f"{at:040x}", parents, "Ada", "2024-01-01", at, each, "") for at, each in enumerate(subjects)]


@pytest.mark.parametrize(
    ("task", "subject"),
    [
        ("Update copyright year to 2026", "Update copyright year to 2025"),
        ("Convert ClassJsonAdapter.java to kotlin", "Convert Moshi.Builder to Kotlin (#1462)"),
        ("update App::VERSION to 4.12.0", "updated App::VERSION to 4.10.0 (#30)"),
        ("Resolve manual_let_else clippy lint in build script", "Resolve pedantic clippy lints in build script"),
    ],
)
def test_names_and_numbers_may_differ(task: str, subject: str) -> None:
    found = precedent(task, commits("Fix a leak in the reader", subject, "Read every page"))
    assert found
    assert found.subject == subject


@pytest.mark.parametrize(
    ("task", "subject"),
    [
        ("Fix infinite loop in split_graphemes", "Fix infinite recursion in cell_len"),
        ("Update copyright year to 2026", "Update copyright holder"),
        ("Fix parse_money", "Fix read_money"),
    ],
)
def test_a_subject_with_other_words_is_none(task: str, subject: str) -> None:
    assert precedent(task, commits(subject)) is None


def test_a_commit_with_the_very_subject_is_the_task_itself() -> None:
    assert precedent("Update copyright year to 2026", commits("Update copyright year to 2026")) is None


def test_the_newest_counts_and_no_merge() -> None:
    known = commits("Bump version to 1.1", "Bump version to 1.2")
    merge = commits("a", "b", "Bump version to 1.3", parents=("1" * 40, "2" * 40))[-1]
    found = precedent("Bump version to 1.4\n\nThe release of May.", [known[1], merge, known[0]])
    assert found is known[1]


@pytest.mark.parametrize("unit", ["a", "("])
def test_a_long_word_takes_linear_time(unit: str) -> None:
    assert precedent(f"update {unit * 200_000} version", commits("update the version")) is not None
