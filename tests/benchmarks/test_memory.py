"""The memory benchmark on a small scale: its data and its measures."""

from pathlib import Path

import pytest

from benchmarks.memory.build import Built, indexed, said_one_by_one
from benchmarks.memory.generate import Shape, current_of, generate
from benchmarks.memory.measure import asked, is_alike, summed_up, writing
from repomem.memories.wording import same_text

SMALL = Shape(entities=16, subjects=3)
SEED = 7


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("memory")


def test_the_same_seed_gives_the_same_data() -> None:
    assert generate(SEED, SMALL) == generate(SEED, SMALL)
    assert generate(SEED, SMALL).entries != generate(SEED + 1, SMALL).entries


def test_repeats_differ_in_nothing_that_counts_and_paraphrases_do() -> None:
    entries = generate(SEED).entries
    later = [(entry, entries[entry.of]) for entry in entries if entry.of >= 0]
    assert all(same_text(one.text, other.text) for one, other in later if one.role.endswith("repeat"))
    assert not any(same_text(one.text, other.text) for one, other in later if one.role == "paraphrase")


def test_an_amendment_alone_is_current() -> None:
    data = generate(SEED)
    assert data.current == current_of(data.entries)
    assert data.amended
    assert all(data.entries[at].role == "amendment" for subject in data.amended for at in data.current[subject])


def test_held_back_data_has_other_words() -> None:
    tuned, held = generate(1, SMALL), generate(1, Shape(SMALL.entities, SMALL.subjects, is_held=True))
    assert not {entry.attribute for entry in tuned.entries} & {entry.attribute for entry in held.entries}
    assert not {entry.entity for entry in tuned.entries} & {entry.entity for entry in held.entries}


def test_texts_are_alike_that_differ_in_a_letter_or_two() -> None:
    assert is_alike("The retry limit of the uploader is 3", "the retry limit of the uploader is 3.")
    assert not is_alike("The retry limit of the uploader is 3", "The retry delay of the uploader is 3 seconds")


@pytest.mark.slow
def test_what_is_current_comes_first_and_nothing_is_kept_twice(home: Path) -> None:
    data = generate(SEED, SMALL)
    with indexed(data.files, home / "repository") as workspace:
        built: Built = said_one_by_one(workspace, data)
        written = writing(built)
        named = [question for question in data.questions if question.form == "same name"]
        answers = [answer for answer in asked(built, named) if not answer.by_agent]  # an agent's word comes last
        found = summed_up(answers)
    assert written["lost"] == 0
    assert written["repeats"] > 0
    assert written["repeats that added a row"] == 0
    assert written["new taken for repeats"] == 0
    assert found["first"] >= 0.9
    assert found["stale ahead"] == 0
