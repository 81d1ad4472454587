import pytest

from repomem.core.text.stop_words import ENGLISH, stop_words
from repomem.core.word_statistics import WordStatistics
from repomem.ranking.query import Query, absent_words


@pytest.mark.parametrize(
    ("text", "content"),
    [
        ("Wie viele Freigaben braucht ein Pull Request", {"freigaben", "braucht", "pull", "request"}),
        ("pourquoi est-ce que les tests de la passerelle sont lents", {"tests", "passerelle", "lents"}),
        ("por qué no se guarda la sesión cuando el usuario sale", {"guarda", "sesión", "usuario", "sale"}),
    ],
)
def test_function_words_of_the_texts_own_language_are_dropped(text: str, content: set[str]) -> None:
    assert Query(text).words.keys() == content


def test_words_that_are_names_in_code_stay_in_an_english_task() -> None:
    assert {"der", "die", "la"} <= Query("decode DER certificates, die with an error in la.solve").words.keys()
    assert stop_words(["die", "of", "the", "des", "cipher"]) == ENGLISH


def test_function_words_are_not_named_as_absent() -> None:
    assert absent_words(Query("Wie viele Freigaben braucht ein Merge?"), WordStatistics.empty()) == [
        "freigaben",
        "braucht",
        "merge",
    ]
