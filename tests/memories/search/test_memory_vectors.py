"""Vectors of memories: computed once, kept by model, gone after a purge, and never in the way."""

from collections.abc import Collection
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from numpy.typing import NDArray
from support.repositories import Commit, MakeRepository
from support.samples import indexed, recalled, workspace_at

from repomem.core.records import MemoryKind
from repomem.memories.forget import forget
from repomem.memories.new_memory import NewMemory
from repomem.memories.remember import remember
from repomem.memories.search.likeness import LikenessToMemories, is_conversation
from repomem.memories.search.vectors import MemoryVectors, vectors_of
from repomem.memories.snapshots.snapshot import memories_now
from repomem.ranking.query import Query
from repomem.workspace.ledger import Speaker
from repomem.workspace.models import sentence_encoder

PERSON = Speaker(is_person=True)
QUESTION = Query("how often is a failed request repeated")


@pytest.fixture
def folder(make_repository: MakeRepository, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository with three memories, whose vectors are not made yet."""
    monkeypatch.setattr("repomem.memories.search.relevant.AT_ONCE_FOR_MARKS", -1)
    folder = make_repository(Commit({"src/a.py": "a = 1\n"}))
    indexed(folder)
    with workspace_at(folder) as workspace:
        for text in ("Outgoing calls give up after three tries", "Money is an integer of cents", "Tests need a clock"):
            remember(workspace, NewMemory(text), PERSON)
    return folder


def kept(folder: Path, names: Collection[str]) -> set[str]:
    with workspace_at(folder) as workspace:
        return set(workspace.catalog.memory_cache.vectors(sentence_encoder().model_id, names))


def test_vectors_are_computed_once_and_kept(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    recalled(folder, "how often is a failed request repeated")
    with workspace_at(folder) as workspace:
        known = memories_now(workspace)
        states = known.states
        assert set(states) <= kept(folder, states)
        monkeypatch.setattr(sentence_encoder(), "embed", None)  # would fail if it were called
        assert vectors_of(workspace, sentence_encoder(), known, states).matrix.shape[0] == 3


def test_remembering_keeps_the_vectors_of_old_and_new_memories(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("repomem.memories.search.relevant.AT_ONCE_FOR_MARKS", 3)
    with workspace_at(folder) as workspace:
        before = set(memories_now(workspace).states)
        new = remember(workspace, NewMemory("Uploads go through the queue"), PERSON)[0].id
    assert kept(folder, before) == before
    assert kept(folder, [new]) == {new}, "or the next session start would load the model for it"


def test_a_question_in_other_words_is_most_like_the_memory_that_it_means(folder: Path) -> None:
    with workspace_at(folder) as workspace:
        known = memories_now(workspace)
        states = known.states
        likeness = LikenessToMemories(workspace, known, states)(QUESTION)
        best = max(likeness.cosines, key=lambda name: likeness.cosines[name])
        assert states[best].memory.said.text == "Outgoing calls give up after three tries"


def test_a_purge_takes_the_vectors_with_it(folder: Path) -> None:
    recalled(folder, "money")
    with workspace_at(folder) as workspace:
        known = memories_now(workspace)
        name = next(iter(known.states))
        forget(workspace, known, name, PERSON, is_purge=True)
    assert not kept(folder, [name])


def test_vectors_of_another_model_are_never_mixed_in(folder: Path) -> None:
    with workspace_at(folder) as workspace:
        known = memories_now(workspace)
        states = known.states
        workspace.catalog.memory_cache.store_vectors("old model", dict.fromkeys(states, b"1234"), lambda: True)
        assert vectors_of(workspace, sentence_encoder(), known, states).matrix.shape[0] == 3


def test_a_model_that_fails_leaves_the_built_in_one_and_says_so(folder: Path) -> None:
    with workspace_at(folder, {"embedding.model": "model2vec:/nowhere/at/all", "embedding.offline": True}) as workspace:
        known = memories_now(workspace)
        assert LikenessToMemories(workspace, known, known.states)(QUESTION).cosines
        assert any("by the built-in model" in notice for notice in workspace.notices)


def test_a_hurried_question_uses_no_expensive_model(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    unusable = SimpleNamespace(is_cheap=False, is_quick=False, model_id="slow")
    monkeypatch.setattr("repomem.memories.search.likeness.memory_embedder", lambda _: unusable)
    with workspace_at(folder) as workspace:
        workspace.is_hurried = True
        known = memories_now(workspace)
        assert LikenessToMemories(workspace, known, known.states)(QUESTION).cosines


@pytest.mark.parametrize(("limit", "is_hurried"), [("AT_ONCE_IF_QUICK", False), ("AT_ONCE_IN_HASTE", True)])
def test_many_missing_vectors_wait_for_an_index_run(
    folder: Path, monkeypatch: pytest.MonkeyPatch, limit: str, is_hurried: bool
) -> None:
    def asked() -> set[str]:
        with workspace_at(folder) as workspace:
            workspace.is_hurried = is_hurried
            known = memories_now(workspace)
            assert LikenessToMemories(workspace, known, known.states)(QUESTION).cosines
            return kept(folder, known.states)

    monkeypatch.setattr(f"repomem.memories.search.likeness.{limit}", 2)
    assert not asked()  # the static model answered
    indexed(folder)
    assert len(asked()) == 3
    monkeypatch.setattr(sentence_encoder(), "embed", None)  # would fail if it were called
    assert len(asked()) == 3


def test_turns_of_two_people_are_a_conversation_and_memories_on_many_things_are_none() -> None:
    dice = np.random.default_rng(1)
    speakers, subjects = dice.normal(size=(2, 32)), np.repeat(dice.normal(size=(10, 32)), 8, axis=0)
    turns = dice.normal(size=(80, 32)) + subjects + 2 * np.tile(speakers, (40, 1))
    assert vectors_in_order(turns).is_conversation
    assert not vectors_in_order(dice.permutation(turns)).is_conversation


def test_decisions_that_were_recorded_one_subject_after_another_are_no_conversation(folder: Path) -> None:
    dice = np.random.default_rng(1)
    subjects = np.repeat(dice.normal(size=(4, 32)), 10, axis=0)
    with workspace_at(folder) as workspace:
        for number in range(40):
            remember(workspace, NewMemory(f"Queue {number} is asked last", kind=MemoryKind.DECISION), PERSON)
        known = memories_now(workspace)
        decided, noted = (
            [name for name in sorted(known.states) if (known.said(name).kind is MemoryKind.DECISION) is is_decided]
            for is_decided in (True, False)
        )
        vectors = vectors_in_order(dice.normal(size=(40, 32)) + subjects)
        assert vectors.is_conversation
        assert not is_conversation(known, replace(vectors, names=decided))
        assert is_conversation(known, replace(vectors, names=[*noted, *noted[:1] * 37]))


def vectors_in_order(rows: NDArray[np.float64]) -> MemoryVectors:
    unit = (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)
    return MemoryVectors([str(at) for at in range(len(unit))], unit, unit[:1])


def test_a_memory_is_compared_with_those_written_after_it_and_its_lead_is_over_all_before_those() -> None:
    rows = np.array([[1, 0, 0], [0, 1, 0], [0.8, 0.6, 0], [0, 0.6, 0.8]], np.float32)
    vectors = MemoryVectors(list("abcd"), rows, rows[:0])
    pairs = {(one.earlier, one.later): [round(value, 2) for value in one[2:]] for one in vectors.pairs_with_later("ab")}
    assert pairs == {
        ("a", "b"): [0, -0.35, -0.35],  # c, which is nearer to a, is later; b has no other one before it: NEXT_BEST
        ("a", "c"): [0.8, 0.45, 0.2],  # nothing else is near to a; of those before c, b has 0.6
        ("a", "d"): [0, -0.8, -0.6],
        ("b", "c"): [0.6, 0.25, -0.2],  # d, which is as near to b, is later; a is nearer to c
        ("b", "d"): [0.6, 0, 0.24],  # of those before d, c has 0.36
    }
    assert [one.later for one in vectors.pairs_with_later("a", left_out="bd")] == ["c"]
    assert not [*vectors.pairs_with_later("d")]


def test_what_is_written_after_a_pair_changes_nothing_about_it() -> None:
    rows = np.array([[1, 0, 0], [0.8, 0.6, 0], [0.96, 0.28, 0], [0.9, 0, 0.44]], np.float32)
    some, more = (MemoryVectors(list("abcd")[:count], rows[:count], rows[:0]) for count in (2, 4))
    pairs = [{one for one in each.pairs_with_later("a") if one.later == "b"} for each in (some, more)]
    assert pairs[0] == pairs[1] != set()


def test_a_new_memory_is_compared_as_if_it_were_stored() -> None:
    rows = np.array([[1, 0], [0, 1], [0.8, 0.6]], np.float32)
    stored = MemoryVectors(list("abc"), rows, rows[:0])
    before = MemoryVectors(list("ab"), rows[:2], rows[:0])
    assert {*before.pairs_with_new("c", rows[2])} == {one for one in stored.pairs_with_later("ab") if one.later == "c"}


def test_memories_in_a_row_support_each_other_only_in_a_clear_conversation() -> None:
    dice = np.random.default_rng(3)
    notes = dice.normal(size=(33, 8))
    notes[1::2] += notes[::2][:16]  # every second one is near the one before: perhaps by chance

    assert vectors_in_order(notes).resemblance[0] > 0
    assert vectors_in_order(notes).continuity == 0
