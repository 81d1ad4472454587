"""The hand-written evaluation sets: what the loader refuses, and what the sets promise."""

from collections import Counter
from pathlib import Path

import pytest

from benchmarks.memory.ask_sets import BUDGETS, HEAD, Outcome, outcomes, rows
from benchmarks.memory.sets import Asked, EvaluationSet, Noted, checked, paraphrases, projects
from repomem.core.text.words import stem
from repomem.ranking.query import Query

FORMS = ("phrase", "sentence", "issue")
ROWS = ("all", "… words", "… vectors", "… fused", "… z-sum")
ONE = Noted("a", "We retry three times")


def test_no_paraphrase_shares_a_content_word_with_its_memory() -> None:
    found = paraphrases()
    texts = {one.id: one.text for one in found.memories}
    shared = {one.right[0]: _content(texts[one.right[0]]) & _content(one.text) for one in found.questions}
    assert {name: words for name, words in shared.items() if words} == {}


def test_paraphrases_are_split_evenly_in_each_domain() -> None:
    counts = Counter((one.form, one.split) for one in paraphrases().questions)
    assert counts == {(form, split): 10 for form in ("code", "ops", "product") for split in ("dev", "held")}


def test_a_project_asks_in_three_forms_a_third_of_it_without_the_subject_and_eight_times_for_nothing() -> None:
    for one in projects():
        counts = Counter((each.form, each.names_subject) for each in one.questions if each.right)
        assert counts == {(form, named): 6 if named else 3 for form in FORMS for named in (True, False)}
        assert Counter(each.form for each in one.questions if not each.right) == {"foreign": 4, "uncovered": 4}
        assert len(one.replaced) == 6


def test_no_question_expects_an_amended_memory() -> None:
    for one in projects():
        assert not {name for each in one.questions for name in each.right} & set(one.replaced)


def test_an_id_used_twice_is_refused() -> None:
    with pytest.raises(ValueError, match="two memories are called a"):
        checked(EvaluationSet("x", [ONE, ONE], []))


def test_a_question_about_an_unknown_memory_is_refused() -> None:
    with pytest.raises(ValueError, match="no memory is called b"):
        checked(EvaluationSet("x", [ONE], [Asked("how often", ("b",), "phrase", "dev")]))


def test_an_amendment_of_a_later_memory_is_refused() -> None:
    with pytest.raises(ValueError, match="not said before it"):
        checked(EvaluationSet("x", [Noted("b", "Five times", amends="a"), ONE], []))


def test_what_is_remembered_is_asked_for_at_each_budget_beside_the_baselines(tmp_path: Path) -> None:
    right, foreign = Asked("retry how often", ("a",), "phrase", "dev"), Asked("zebra stripes", (), "foreign", "dev")
    found = outcomes(EvaluationSet("x", [ONE, Noted("b", "The lamp is green")], [right, foreign]), tmp_path / "x")
    assert found[0].briefs[2_000][:1] == ["a"]
    assert found[0].ranked["words"] == ["a"]
    assert [row[2] for row in rows(found)] == [*ROWS, "phrase", *ROWS[1:], "foreign"]


def test_an_amendment_counts_where_a_list_has_it_and_not_where_only_the_amended_memory_is_there() -> None:
    question = Asked("retry how often", ("b",), "phrase", "dev")
    ranked = {"words": ["b"], "vectors": ["a"], "fused": ["a", "b"], "z-sum": []}
    found = [Outcome("x", question, {budget: ["a"] for budget in BUDGETS}, ranked, ["a"], [])]
    amended = [row[HEAD.index("amended")] for row in rows(found)][: len(ROWS)]
    assert amended == ["0 of 1", "1 of 1", "0 of 1", "1 of 1", "0 of 1"]


def _content(text: str) -> set[str]:
    return {stem(word) for word in Query(text).words}
