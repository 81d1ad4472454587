"""What was written by hand for the model of sentences: its form, and that no evaluation set is in it."""

import re

from benchmarks.memory.sets import paraphrases, projects
from training.written import HELD_OUT, associations, projects_of, texts, thesaurus, training_projects


def test_each_memory_has_three_questions_and_is_written_once() -> None:
    memories = [memory for project in training_projects() for memory in project]
    assert len(memories) > 11_000
    assert {len(memory.questions) for memory in memories} == {3}
    assert len({memory.text for memory in memories}) == len(memories)


def test_groups_of_words_have_several_words() -> None:
    assert min(map(len, thesaurus())) >= 2
    assert all(others for _, others in associations())


def test_no_text_that_measures_is_trained_on() -> None:
    measured = [*projects(), paraphrases()]
    judged = {one.text.lower() for each in measured for one in each.memories}
    judged |= {one.text.lower() for each in measured for one in each.questions}
    judged |= {memory.text.lower() for path in HELD_OUT.values() for project in projects_of(path) for memory in project}
    assert len(judged) > 1_500
    assert judged.isdisjoint(text.lower() for text in texts())


def test_no_text_that_measures_is_much_like_one_that_is_trained_on() -> None:
    by_word: dict[str, list[frozenset[str]]] = {}
    for text in texts():
        words = frozenset(re.findall("[a-z]{3,}", text.lower()))
        for word in words:
            by_word.setdefault(word, []).append(words)
    for each in (*projects(), paraphrases()):
        for one in each.memories:
            own = set(re.findall("[a-z]{3,}", one.text.lower()))
            rare = sorted(own & by_word.keys(), key=lambda word: len(by_word[word]))[: len(own) // 2 + 1]
            near = (other for word in rare for other in by_word[word])
            assert all(len(own & other) <= len(own | other) / 2 for other in near), one.text
