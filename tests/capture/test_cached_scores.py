"""The model reads each sentence of a workspace once, and what it said can be lost without harm."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from support.branch_scenes import scene_in

from repomem.adapters.sqlite import memory_cache
from repomem.adapters.sqlite.memory_cache import SentenceScores
from repomem.capture import cached_scores
from repomem.capture.cached_scores import log_odds_in
from repomem.capture.statements.classifier.context_model import AGENT, PERSON, SCORES, SentenceInContext
from repomem.core.errors import StoreError
from repomem.workspace.workspace import Workspace

ONE, OTHER, ODD = (SentenceInContext(PERSON, text, "", "") for text in ("one", "other", "\ud800"))


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    with scene_in(tmp_path / "work", {"a.py": "A = 1\n"}) as made:
        yield made.workspace


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> list[SentenceInContext]:
    """What the model was asked; its answer is the length of the text."""
    asked: list[SentenceInContext] = []

    def log_odds(some: Sequence[SentenceInContext]) -> list[list[float]]:
        asked.extend(some)
        return [[len(each.text) + 0.1] * SCORES for each in some]

    monkeypatch.setattr(cached_scores, "log_odds", log_odds)
    return asked


def test_each_sentence_is_scored_once_per_context(workspace: Workspace, read: list[SentenceInContext]) -> None:
    first = log_odds_in(workspace, [ONE, OTHER, ONE, ODD])
    assert read == [ONE, OTHER, ODD]
    assert first[1] == pytest.approx([5.1] * SCORES)
    assert log_odds_in(workspace, [OTHER, ODD, ONE]) == [first[1], first[3], first[0]]
    assert len(read) == 3

    log_odds_in(workspace, [ONE._replace(speaker=AGENT), ONE._replace(before="x"), ONE._replace(after="x")])
    assert len(read) == 6


def test_another_model_scores_sentences_again(
    workspace: Workspace, read: list[SentenceInContext], monkeypatch: pytest.MonkeyPatch
) -> None:
    log_odds_in(workspace, [ONE])
    monkeypatch.setattr(cached_scores, "_fingerprint", lambda: "another")
    log_odds_in(workspace, [ONE])
    assert read == [ONE, ONE]


def test_scores_that_cannot_be_stored_are_still_returned(
    workspace: Workspace, read: list[SentenceInContext], monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(self: SentenceScores, scores: object) -> None:
        raise StoreError("the disk is full", "")

    monkeypatch.setattr(SentenceScores, "keep", full)
    assert log_odds_in(workspace, [ONE]) == log_odds_in(workspace, [ONE])
    assert read == [ONE, ONE]


def test_a_purge_erases_scores_and_a_limit_drops_the_oldest(
    workspace: Workspace, read: list[SentenceInContext], monkeypatch: pytest.MonkeyPatch
) -> None:
    log_odds_in(workspace, [ONE])
    workspace.catalog.erase_derived_texts()
    log_odds_in(workspace, [ONE])
    assert read == [ONE, ONE]

    monkeypatch.setattr(memory_cache, "MOST_SENTENCES", 2)
    log_odds_in(workspace, [OTHER, ODD])
    read.clear()
    log_odds_in(workspace, [OTHER, ODD])
    log_odds_in(workspace, [ONE])
    assert read == [ONE]
