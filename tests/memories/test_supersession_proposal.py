"""When an earlier memory is proposed as superseded by a new one: only if no other memory is nearly as similar."""

from pathlib import Path

import pytest
from support.memory_scenes import said
from support.repositories import Commit, MakeRepository

NEW = "The delivery queue drops three messages in ten when the broker restarts"
OLD = "The delivery queue drops two messages in ten when the broker restarts"
SIMILAR = "The delivery queue drops five messages in ten when the broker restarts"


@pytest.fixture
def place(make_repository: MakeRepository) -> Path:
    """A small repository."""
    return make_repository(Commit({"src/net.py": "LIMIT = 3\n"}, "Name the limit"))


def test_the_only_similar_memory_is_proposed(place: Path) -> None:
    old = said(place, OLD).id
    assert [each.id for each in said(place, NEW).proposed] == [old]


def test_of_two_memories_that_are_about_equally_similar_none_is_proposed(place: Path) -> None:
    said(place, OLD)
    said(place, SIMILAR)
    assert said(place, NEW).proposed == ()


def test_a_change_in_other_words_proposes_the_memory_that_is_close_in_meaning(place: Path) -> None:
    old = said(place, "Uploads above 20 megabytes go through the queue").id
    said(place, "Invoices are numbered without gaps")
    assert said(place, "The queue logs how big each upload was").proposed == ()
    assert [
        each.id for each in said(place, "Big uploads no longer use a queue, they stream to the bucket").proposed
    ] == [old]


def test_a_change_of_what_no_memory_is_about_proposes_none(place: Path) -> None:
    said(place, "Invoices are numbered without gaps")
    assert said(place, "Big uploads no longer use a queue, they stream to the bucket").proposed == ()


def test_without_words_of_change_a_memory_that_is_surely_changed_is_proposed(place: Path) -> None:
    old = said(place, "We publish wheels from the release branch only").id
    said(place, "Invoices are numbered without gaps")
    assert [each.id for each in said(place, "Wheels are published from main after the tag").proposed] == [old]


def test_a_stated_change_that_repeats_half_of_the_words_is_proposed(place: Path) -> None:
    old = said(place, "Closing waits 10 seconds for the write thread and then only prints a warning").id
    said(place, "Invoices are numbered without gaps")
    new = said(place, "Closing no longer only warns: after 30 seconds it raises an error of the write thread")
    assert [each.id for each in new.proposed] == [old]
