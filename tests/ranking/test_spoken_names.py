"""Names that a question says in plain words."""

import pytest

from repomem.ranking.spoken_names import is_joined_of, runs_of

TASK = "Preserve the order of help option names"


@pytest.mark.parametrize("name", ["get_help_option_names", "getHelpOptionNames", "HELP_OPTION_NAME"])
def test_three_words_in_a_row_say_a_name_in_any_style(name: str) -> None:
    assert runs_of(TASK) & runs_of(name)


@pytest.mark.parametrize("name", ["option_names", "help_names_option", "get_help_record"])
def test_two_words_or_another_order_do_not(name: str) -> None:
    assert not runs_of(TASK) & runs_of(name)


def test_stop_words_are_in_no_run() -> None:
    assert not runs_of("the order of help")


WORDS = frozenset(["open", "pager", "temp", "file", "text", "mode"])


@pytest.mark.parametrize("name", ["_tempfilepager", "temp_file_pager", "openTextFile"])
def test_a_name_may_be_joined_of_three_words_in_any_order(name: str) -> None:
    assert is_joined_of(name, WORDS)


@pytest.mark.parametrize("name", ["tempfile", "tempfilepagers", "file_file_file", "text"])
def test_fewer_words_other_letters_and_one_word_again_are_no_such_name(name: str) -> None:
    assert not is_joined_of(name, WORDS)
