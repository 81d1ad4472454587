"""Weights fitted where the truth is known: what speaks right gains, what misleads loses, and nothing else moves."""

from collections.abc import Sequence

import pytest
from support.ranking_scenes import candidate, scene, telling

from repomem.core.types import Role
from repomem.evaluate.tasks import measured
from repomem.ranking.fit import DEPTHS, MOST_STEPS, STEP, Example, Examples, example_of, fitted
from repomem.ranking.query import Query
from repomem.ranking.rank import ranked_files
from repomem.ranking.signals import RECALL, SEARCH, SIGNALS, Weights, as_values, weights_from

PARSER, LEDGER, TEST = "src/parser.py", "src/ledger.py", "tests/test_parser.py"
SCENE = scene(
    {
        PARSER: [("parse_journal", "reads the lines of a journal"), ("Posting", "an account and its amount")],
        LEDGER: ["import of things", ("post", "adds a transaction of the journal or raises unbalanced")],
        TEST: ["a journal is read and its lines are read and parse_journal is called"],
        "docs/conf.py": ["what a journal is"],
        "src/other.py": ["nothing of the kind", "webhook delivery"],
    },
    {TEST: Role.TEST, "docs/conf.py": Role.DOCS},
)


def changed(weights: Weights) -> set[str]:
    names = {name for name, weight in weights.signals.items() if weight != RECALL.signals[name]}
    return names | {role.value for role, factor in weights.roles.items() if factor != RECALL.roles[role]}


@pytest.mark.parametrize("weights", [RECALL, SEARCH, RECALL.without("words", "test"), Weights({"path": 1.0}, {})])
@pytest.mark.parametrize("question", ["parse_journal", "read the lines of a journal", "a test of the journal"])
@pytest.mark.parametrize("answers", [{PARSER}, {LEDGER, TEST}, {"src/other.py", "gone.py"}])
def test_an_example_is_measured_as_its_ranking_is(question: str, weights: Weights, answers: set[str]) -> None:
    query = Query(question)
    evidence = SCENE.evidence(question, votes={SCENE.of(LEDGER): 1.0})
    example = example_of(query, evidence, answers, lambda path: not path.startswith("docs/"))
    paths = [one.file.path for one in ranked_files(query, evidence, weights)]
    expected = measured([path for path in paths if not path.startswith("docs/")], answers)
    found = Examples([example]).measures(weights)
    assert found[0].tolist() == pytest.approx([*(expected.at(depth) for depth in DEPTHS), expected.rr])


def test_an_answer_that_is_no_candidate_is_not_found() -> None:
    example = Example(2, (candidate(is_answer=True, words=1.0), candidate(words=0.5)))
    assert Examples([example, Example(1, ())]).measures(RECALL).tolist() == [[0.5, 0.5, 1.0], [0.0, 0.0, 0.0]]


def test_a_signal_that_is_right_gains_on_one_that_is_noise() -> None:
    weights = fitted([Examples(telling("history", "words"))], RECALL)
    before, after = RECALL.signals, weights.signals
    assert after["history"] / after["words"] > 2 * before["history"] / before["words"]
    assert after["history"] >= before["history"]
    assert after["words"] <= before["words"]
    unseen = Examples(telling("history", "words", seed=2))
    assert unseen.measures(weights).mean() > unseen.measures(RECALL).mean() + 0.1


def test_what_the_examples_do_not_speak_of_stays() -> None:
    weights = fitted([Examples(telling("history", "words"))], RECALL)
    assert changed(weights) <= {"history", "words"}


def test_a_role_that_hides_answers_is_lowered_less_and_never_lifted() -> None:
    hidden = [Example(1, (candidate(words=0.9), candidate("docs", is_answer=True, words=1.0)))] * 10
    weights = fitted([Examples(hidden)], RECALL)
    assert RECALL.roles[Role.DOCS] < weights.roles[Role.DOCS] <= 1.0
    assert all(factor <= 1.0 for factor in weights.roles.values())


@pytest.mark.parametrize(
    "examples",
    [
        [Example(1, (candidate(is_answer=True, words=1.0), candidate(history=0.1)))] * 10,
        [Example(1, (candidate(words=1.0),))] * 10,
        [Example(1, (candidate(words=1.0), candidate(is_answer=True)))] * 10,
        [Example(1, ())],
    ],
    ids=["found already", "never found", "without a share", "no candidates"],
)
def test_where_nothing_is_to_be_gained_nothing_changes(examples: Sequence[Example]) -> None:
    assert fitted([Examples(examples)], RECALL) == RECALL


def test_the_same_examples_give_the_same_weights() -> None:
    first, second = (fitted([Examples(telling("chunk", "lately"))], RECALL) for _ in range(2))
    assert first == second != RECALL


def test_no_weight_goes_far_from_where_it_was() -> None:
    weights = fitted([Examples(telling("here", "words"))], RECALL)
    furthest = STEP**MOST_STEPS
    for name, weight in weights.signals.items():
        assert RECALL.signals[name] / furthest - 0.001 <= weight <= RECALL.signals[name] * furthest + 0.001


def test_a_repository_with_many_commits_counts_no_more_than_another() -> None:
    many, few = Examples(telling("history", "words", 60)), Examples(telling("words", "history", 6))
    alone, both = fitted([many], RECALL), fitted([many, few], RECALL)
    assert both.signals["words"] / both.signals["history"] > alone.signals["words"] / alone.signals["history"]


def test_weights_are_written_and_read() -> None:
    assert weights_from(as_values(RECALL)) == RECALL
    assert RECALL.signals.keys() == SIGNALS.keys()


@pytest.mark.parametrize("damage", [float("nan"), -1.0, "much", None])
@pytest.mark.parametrize("place", ["signals", "roles", "data"])
def test_weights_that_are_no_weights_are_refused(place: str, damage: object) -> None:
    said = as_values(RECALL)
    if place == "data":
        said["data"] = damage
    else:
        said[place][next(iter(said[place]))] = damage
    with pytest.raises((ValueError, TypeError)):
        weights_from(said)


def test_weights_that_lack_a_signal_are_refused() -> None:
    said = as_values(RECALL)
    del said["signals"]["lately"]
    with pytest.raises(KeyError):
        weights_from(said)
