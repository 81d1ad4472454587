"""Whether anything is relevant to a question."""

from dataclasses import replace

import pytest
from support.ranking_scenes import scene

from repomem.core.types.brief import Gate
from repomem.ranking.gather import LEAST_SIMILARITY
from repomem.ranking.query import Query
from repomem.ranking.rank import ranked_files
from repomem.ranking.relevance_gate import relevance_gate
from repomem.ranking.signals import RECALL

FILES = {f"src/file{number}.py": ["common value of the result"] for number in range(20)}
SCENE = scene({**FILES, "src/parser.py": ["common journal posting parser value", ("parse_amount", "digits")]})


def opened(question: str, in_history: float = 0.0, near: float | None = None) -> Gate:
    query = Query(question)
    on = SCENE if near is None else replace(SCENE, near=((SCENE.of("src/parser.py"), LEAST_SIMILARITY + near),))
    evidence = on.evidence(question)
    best = [one.file for one in ranked_files(query, evidence, RECALL)]
    return relevance_gate(query, evidence, best, in_history, is_likeness_known=near is not None)


def test_a_question_whose_words_are_in_one_place_opens_the_gate() -> None:
    assert opened("parser of journal posting").state == "use"


@pytest.mark.parametrize("question", ["common kubernetes ingress", "value of the helm chart result timeouts"])
def test_common_words_alone_do_not_open_the_gate(question: str) -> None:
    assert opened(question).state == "none"


@pytest.mark.parametrize("question", ["kubernetes ingress", "支付宝回调", "zebra"])
def test_an_absent_topic_does_not_open_the_gate(question: str) -> None:
    assert opened(question).state == "none"


def test_a_question_that_names_a_file_opens_the_gate() -> None:
    assert opened("zebra in src/parser.py").state == "use"


def test_a_stack_trace_into_the_repository_opens_the_gate() -> None:
    assert opened("zebra ingress\n at f (/app/src/parser.py:3:1)").state == "use"
    assert opened("zebra ingress\n at f (/app/src/other.py:3:1)").state == "none"


def test_a_question_that_spells_a_definition_opens_the_gate() -> None:
    assert opened("zebra ingress kubernetes `parse_amount`").state == "use"


def test_a_matching_commit_opens_the_gate() -> None:
    assert opened("zebra", in_history=1.0).state == "use"


@pytest.mark.parametrize(
    "question", ["zebra", "zebra ingress helm chart", "zebra " + " ".join(map(str, range(1000, 1020)))]
)
def test_the_gate_opens_wider_with_more_query_coverage(question: str) -> None:
    states = [opened(question, share / 20).state for share in range(21)]
    assert list(dict.fromkeys(states)) == ["none", "limited", "use"]


@pytest.mark.parametrize("question", ["", "   ", "?!"])
def test_a_question_without_words_does_not_open_the_gate(question: str) -> None:
    assert opened(question) == Gate("none", "the question has no words to look for")


def test_the_gate_gives_a_reason() -> None:
    assert "%" in opened("zebra").why


@pytest.mark.parametrize("question", ["zebra", "zebra ingress helm chart", "common kubernetes ingress"])
def test_the_gate_opens_wider_with_more_similar_code(question: str) -> None:
    states = [opened(question, near=likeness / 20).state for likeness in range(1, 17)]
    assert list(dict.fromkeys(states)) == ["none", "limited", "use"]


def test_similarity_is_ignored_if_its_scale_is_unknown() -> None:
    near = replace(SCENE, near=((SCENE.of("src/parser.py"), 0.99),)).evidence("zebra")
    assert relevance_gate(Query("zebra"), near, list(SCENE.files), 0.0, is_likeness_known=False).state == "none"


def test_common_words_do_not_open_the_gate_with_similarity_either() -> None:
    assert opened("value of the helm chart result timeouts", near=0.05).state == "none"


def test_a_file_that_ranks_sixth_does_not_open_the_gate() -> None:
    question = "parser of journal posting"
    evidence = SCENE.evidence(question)
    [parser] = [file for file in SCENE.files if file.path == "src/parser.py"]
    others = [file for file in SCENE.files if file is not parser]

    def gate(place: int) -> str:
        best = [*others[: place - 1], parser, *others[place - 1 :]]
        return relevance_gate(Query(question), evidence, best, 0.0, is_likeness_known=False).state

    assert (gate(5), gate(6)) == ("use", "none")


@pytest.mark.parametrize("question", ["Fix", "make it work", "please update this"])
def test_words_that_any_task_has_do_not_open_the_gate(question: str) -> None:
    assert opened(question, in_history=1.0).why == "the question has only words that any task has"
    assert opened(f'{question} "parser"', in_history=1.0).state != "none"
